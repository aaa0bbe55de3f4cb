# shellcheck shell=bash
set -euo pipefail
[ "$PERSIST" = false ]
if [ "$INTO" = .windtunnel-suite ]; then
  git clone --quiet --depth=1 "file://$STUB_SUITE" "$INTO"
  exit
fi
if [ "$INTO" = .windtunnel-tool ] && [ -z "$STUB_TOOL" ]; then
  git clone --quiet --no-checkout "${STUB_WINDTUNNEL:-$STUB_ORIGIN}" "$INTO"
  git -C "$INTO" fetch --quiet origin '+refs/pull/*:refs/remotes/pull/*'
  git -C "$INTO" checkout --quiet --detach "${REF:-HEAD}"
  exit
fi
if [ "$INTO" = .windtunnel-tool ]; then
  mkdir -p "$INTO/.github"
  cp -r "$STUB_ACTIONS" "$INTO/.github/actions"
  # shellcheck disable=SC2016 # make expands it
  printf 'counter:\n\t@true\ntool tool-light:\n\t@printf "%%s\\n" "%s" "%s" >> "$$GITHUB_PATH"\n' "$STUB_TOOL" "$STUB_RUNNER" > "$INTO/Makefile"
  exit
fi
find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +
git init --quiet --initial-branch=stub .
git remote add origin "file://$STUB_ORIGIN"
fetch() { git fetch --quiet --no-tags --depth=1 origin "$1"; }
if [ "$DEPTH" = 0 ]; then # a commit that is on no branch is fetched by its hash (src/git-source-provider.ts)
  git fetch --quiet --tags origin '+refs/heads/*:refs/remotes/origin/*'
  fetch() { if git cat-file -e "$1^{commit}" 2> /dev/null; then git update-ref FETCH_HEAD "$1"; else git fetch --quiet origin "$1"; fi; }
fi
if [ -n "$REF" ]; then
  fetch "$REF"
  git checkout --quiet --detach FETCH_HEAD
elif [ -n "${GITHUB_REF_NAME:-}" ] && fetch "+refs/heads/$GITHUB_REF_NAME:refs/remotes/origin/$GITHUB_REF_NAME"; then
  git checkout --quiet -B "$GITHUB_REF_NAME" "origin/$GITHUB_REF_NAME"
else
  fetch "$GITHUB_SHA"
  git checkout --quiet --detach FETCH_HEAD
fi
