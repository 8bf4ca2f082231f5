#!/usr/bin/env bash
# Builds the documentation as a site in target/site; a broken link is an error.
#
# `site.sh check` is skipped if tools are missing, `site.sh build` fails.
set -euo pipefail
cd "$(dirname "$0")/.."
verb=${1:?build or check}
if ! why=$(scripts/packages.sh site); then
    if [ "$verb" = build ]; then echo "site: $why" >&2; exit 1; fi
    exec scripts/skip.sh "site of the documentation" "${why%%; *}" "${why#*; }"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
(cd site && npm run --silent build >"$log" 2>&1) || { cat "$log" >&2; exit 1; }
echo "site of the documentation: $(find target/site -name '*.html' | wc -l) pages in target/site, no broken links"
