set -euo pipefail
[ "$PERSIST" = false ]
if [ "$INTO" = .windtunnel-tool ] && [ -z "$STUB_TOOL" ]; then
  git clone --quiet --no-checkout "$STUB_ORIGIN" "$INTO"
  git -C "$INTO" fetch --quiet origin '+refs/pull/*:refs/remotes/pull/*'
  git -C "$INTO" checkout --quiet --detach "${REF:-HEAD}"
  exit
fi
if [ "$INTO" = .windtunnel-tool ]; then
  mkdir -p "$INTO"
  printf 'tool:\n\t@echo "%s" >> "$$GITHUB_PATH"\n' "$STUB_TOOL" > "$INTO/Makefile"
  exit
fi
find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +
git init --quiet --initial-branch=stub .
git remote add origin "$STUB_ORIGIN"
git fetch --quiet origin '+refs/heads/*:refs/remotes/origin/*' '+refs/pull/*:refs/remotes/pull/*'
if [ -n "$REF" ]; then
  git checkout --quiet --detach "$REF"
elif [ -n "${GITHUB_REF_NAME:-}" ] && git rev-parse --quiet --verify "origin/$GITHUB_REF_NAME" >/dev/null; then
  git checkout --quiet -B "$GITHUB_REF_NAME" "origin/$GITHUB_REF_NAME"
else
  git checkout --quiet --detach "$GITHUB_SHA"
fi
