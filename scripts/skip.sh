#!/usr/bin/env bash
# Names a check that cannot run on this machine: skip.sh [--forbidden] WHAT WHY HOW-TO-GET-IT
# Under NETLOOM_REQUIRE_ALL=1 nothing may be missing, and naming it is an error. What a machine forbids, such as namespaces
# in a container, cannot be installed: it is only named.
set -euo pipefail
if [ "$1" = --forbidden ]; then
    shift
    NETLOOM_REQUIRE_ALL=0
fi
if [ "${NETLOOM_REQUIRE_ALL:-0}" = 1 ]; then
    echo "MISSING: $1 ($2; $3)" >&2
    exit 1
fi
echo "SKIPPED: $1 ($2; $3)" | tee -a "${SKIPPED:-/dev/null}"
