# shellcheck shell=bash
set -euo pipefail
[ -n "$VERSIONS" ]
while read -r version; do
  for missing in ${STUB_FAILS:-}; do
    if [ "$version" = "$missing" ]; then
      echo "::error::The version '$version' with architecture 'x64' was not found for Ubuntu 24.04."
      exit 1
    fi
  done
  [ -z "${STUB_PYTHONS_LOG:-}" ] || echo "$version" >> "$STUB_PYTHONS_LOG"
done <<< "$VERSIONS"
