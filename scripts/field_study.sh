#!/usr/bin/env bash
# Prepares a study, measures it across a testbed, collects the results, simulates it, and compares both in one report.
# field_study.sh [FOLDER] keeps all files in FOLDER. Missing requirements are reported as SKIPPED. Takes half a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
netloom="$target/debug/netloom"
scenario=scenarios/field/leaf_spine.yaml
# Links have the rates of the testbed, so that times can be compared, and timeouts are those of TCP; both hosts of a leaf are
# reached through the same spine. A rank of the ring is on the same leaf as the root of the incast, host 0 of leaf 0.
study=(
    --set fabric.leaf_spine.host_rate=50Mbps --set fabric.leaf_spine.fabric_rate=50Mbps
    --set 'transport={irn: {timeout: 200ms, timeout_low: 200ms}}'
    --set 'balance={deterministic: {together: 2}}' --set interference.steps=12 --set interference.warm_up=2
    --set 'interference.hosts=[leaf0.host1, leaf0.host0, leaf1.host0, leaf1.host1, leaf2.host1, leaf2.host0, leaf3.host1, leaf3.host0]'
    --vary interference.victim.ring_all_gather.size=256KiB,1MiB --vary 'interference.aggressor=none,{incast: {size: 1MiB}}'
)
if ! command -v python3 > /dev/null; then
    scripts/skip.sh "a study measured and simulated" "python3 is not installed" "apt-get install python3"
    exit 0
fi
for mpi in openmpi mpich none; do
    [ ! -x "$target/field/$mpi/netloom-field" ] || break
done
if [ "$mpi" = none ]; then
    scripts/skip.sh "a study measured and simulated" "netloom-field was not built" "scripts/field.sh, which builds it"
    exit 0
fi
# Built with the features of the whole workspace, as in the tests: with those of one package most would be compiled again.
cargo build --locked --quiet --workspace --bin netloom
if ! reason=$("$netloom" field testbed "$scenario" --quiet -- true 2>&1 < /dev/null); then
    forbidden=(--forbidden)
    [[ "$reason" != *lacks* ]] || forbidden=()
    scripts/skip.sh "${forbidden[@]}" "a study measured and simulated" "${reason//$'\n'/ }" "root or user namespaces, iproute2, util-linux"
    exit 0
fi
if [ $# -gt 0 ]; then
    work="$1"
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

"$netloom" field prepare "$scenario" "${study[@]}" --deadline 120 --quiet -o "$work/study"
bash -n "$work/study/run.sh" && bash -n "$work/study/job.slurm"
timeout --kill-after=5 180 "$netloom" field run "$work/study" --testbed --rate 50Mbps --mpi "$mpi" \
    --program "$target/field/$mpi/netloom-field" --quiet < /dev/null
# Points that are measured are not measured again.
again=$(timeout 20 "$netloom" field run "$work/study" --testbed --rate 50Mbps --mpi "$mpi" < /dev/null)
[[ $again == *"measured already"* ]]
"$netloom" field collect "$work/study" --quiet -o "$work/measured"
timeout 120 "$netloom" sweep "$scenario" "${study[@]}" --quiet -o "$work/simulated"
"$netloom" report "$work/measured" "$work/simulated" -o "$work/report.html" > /dev/null
"$netloom" show interference --json "$work/measured" "$work/simulated" > "$work/study.json"
for run in "$work"/measured/points/*/*; do
    "$netloom" check "$run" > /dev/null
    "$netloom" export osu "$run" > /dev/null
    "$netloom" export nccl-tests "$run" > /dev/null
done
"$netloom" compare "$work/measured" "$work/simulated" > "$work/compared.txt"
"$netloom" figures "$work"/measured/points/*/* -o "$work/figures" > /dev/null
scripts/field_study_check.py "$mpi" "$work/study.json" "$work/report.html"
