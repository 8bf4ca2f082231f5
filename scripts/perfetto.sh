#!/usr/bin/env bash
# Checks exports of two small runs with an independent parser: the trace is parsed with Perfetto's public schema and compared
# with the tables as CSV (scripts/perfetto_check.py).
#
# The schema is part of Perfetto's Python package, which is fetched once, into target/.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(perfetto==0.59.1 protobuf==7.36.2)
skip() { exec scripts/skip.sh "exports, by Perfetto's public schema" "$1" "$2"; }

command -v python3 >/dev/null || skip "python3 is not installed" "apt-get install python3 python3-venv"
place="${CARGO_TARGET_DIR:-$PWD/target}/perfetto"
if [ "$(cat "$place/packages" 2>/dev/null)" != "${packages[*]}" ]; then
    rm -rf "$place"
    python3 -m venv "$place" >/dev/null 2>&1 || skip "python3 cannot create virtual environments" "apt-get install python3-venv"
    "$place/bin/pip" install --quiet --disable-pip-version-check --no-deps "${packages[@]}" ||
        skip "the packages cannot be fetched: ${packages[*]}" "pip install, with a network"
    echo "${packages[*]}" >"$place/packages"
fi

runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
# All activities of ranks: phases of every kind, buckets side by side and one after the other, two jobs at once.
cat >"$runs/training.yaml" <<'YAML'
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, host_delay: 500ns, fabric_delay: 500ns}}
balance: spray
jobs:
  - name: "pipeline, \"first\""
    placement: {rack_balanced: {ranks: 4}}
    steps: 5
    phases:
      - compute: 10us
      - point_to_point: {stages: 4, microbatches: 2, size: 64KiB, barrier: true}
      - collectives: {buckets: 3, barrier: true, each: [{ring_all_reduce: {size: 128KiB}}]}
      - collectives: {buckets: 2, concurrent: true, each: [{ring_all_gather: {size: 64KiB}}, {incast: {size: 4KiB}}]}
      - barrier
      - compute: 333ns
  - name: exchange
    placement: {rack_balanced: {ranks: 4}}
    steps: 12
    phases:
      - compute: 60us
      - all_to_all_linear: {size: 256KiB}
record: {series: 2us, timeline: 3}
YAML
# All kinds of faults, some of which last until the run is stopped in the middle of a step.
cat >"$runs/faults.yaml" <<'YAML'
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 4, hosts_per_leaf: 2, host_rate: 100Gbps, host_delay: 500ns, fabric_delay: 500ns}}
balance: spray
transport: {irn: {mtu: 4KiB, timeout: 100us, timeout_low: 50us}}
deadline: 1.2345678ms
jobs:
  - name: ring
    steps: 100
    placement: {strided: {stride: 2}}
    phases:
      - compute: 20us
      - ring_all_reduce: {size: 1MiB}
faults:
  detection: 20us
  timed:
    - {at: 100us, link: leaf0-spine0.0, action: down}
    - {at: 400us, link: leaf0-spine0.0, action: up}
    - {at: 150us, link: leaf0-spine1.0, action: {degrade: {rate: 20Gbps}}}
    - {at: 300us, link: leaf0-spine1.0, action: {degrade: {rate: 40Gbps}}}
    - {at: 500us, link: leaf1-spine2.0, action: {flap: {period: 100us, down: 20%, until: 900us}}}
    - {at: 600us, link: leaf1-spine3.0, action: {errors: {ber: 1e-7}}}
    - {at: 800us, link: leaf1-spine3.0, action: clear}
    - {at: 1ms, link: leaf1-spine0.0, action: down}
YAML
# Built with the features of the whole workspace, as in the tests: with those of one package most would be compiled again.
cargo build --locked --quiet --workspace --bin netloom
netloom() { "${CARGO_TARGET_DIR:-target}/debug/netloom" "$@"; }
for name in training faults; do
    # A run that its deadline ends has exit code 3 and prints the reason.
    netloom run "$runs/$name.yaml" -o "$runs/$name" --quiet 2>"$runs/said" || [ $? = 3 ] || { cat "$runs/said" >&2; exit 1; }
    netloom export perfetto "$runs/$name" -o "$runs/$name.perfetto-trace" >/dev/null
    netloom export csv "$runs/$name" -o "$runs/$name.csv" >/dev/null
    "$place/bin/python" scripts/perfetto_check.py "$runs/$name" "$runs/$name.csv" "$runs/$name.perfetto-trace"
done
