#!/usr/bin/env bash
# Checks licences, bans, sources and advisories of all dependencies, by the rules in deny.toml.
set -euo pipefail
if ! command -v cargo-deny >/dev/null; then
    exec scripts/skip.sh "licences, bans, sources, advisories" "cargo-deny is not installed" \
        "cargo install --locked cargo-deny --version 0.20.2"
fi
cargo fetch --locked
cargo deny --locked check licenses bans sources --hide-inclusion-graph
if timeout 60 cargo deny --locked fetch db >/dev/null 2>&1; then
    cargo deny --locked check advisories
else
    # Not through scripts/skip.sh: an unreachable server is no property of this tree, so it is never an error.
    echo "SKIPPED: advisories (their database cannot be reached; see deny.toml)" | tee -a "${SKIPPED:-/dev/null}"
fi
