#!/usr/bin/env bash
# Reports a check that cannot run on this machine: skip.sh [--forbidden] WHAT WHY HOW-TO-GET-IT
# With NETLOOM_REQUIRE_ALL=1 nothing may be missing, and this is an error. Features that a machine forbids, such as namespaces
# in a container, cannot be installed: they are only reported.
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
