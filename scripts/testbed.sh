#!/usr/bin/env bash
# Runs the program of field/ across a testbed with each installed MPI library, and checks that an incast slows a ring that
# shares its edge link more than one that does not, as in simulations, and that the bytes cross the network. Missing
# requirements are reported as SKIPPED.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
netloom="$target/debug/netloom"
scenario=scenarios/field/leaf_spine.yaml
# Two successive hosts have the same next hop, so both hosts of a leaf are reached through the same spine.
pinned=(--set 'balance={deterministic: {together: 2}}')
# The root of the incast is host 0 of leaf 0: in `shared` a rank of the ring is on the same leaf; in `apart` none is, and the
# ring uses no link that the incast uses.
declare -A groups=([shared]="a v v a a v a v" [apart]="a a v v a a v v")
declare -A hosts=(
    [shared]="[leaf0.host1, leaf0.host0, leaf1.host0, leaf1.host1, leaf2.host1, leaf2.host0, leaf3.host1, leaf3.host0]"
    [apart]="[leaf1.host0, leaf0.host0, leaf1.host1, leaf0.host1, leaf3.host0, leaf2.host0, leaf3.host1, leaf2.host1]"
)

if ! command -v python3 > /dev/null; then
    scripts/skip.sh "MPI across a testbed" "python3 is not installed" "apt-get install python3"
    exit 0
fi
# Built with the features of the whole workspace, as in the tests: with those of one package most would be compiled again.
cargo build --locked --quiet --workspace --bin netloom
if ! reason=$("$netloom" field testbed "$scenario" --quiet -- true 2>&1 < /dev/null); then
    forbidden=(--forbidden)
    [[ "$reason" != *lacks* ]] || forbidden=()
    scripts/skip.sh "${forbidden[@]}" "MPI across a testbed" "${reason//$'\n'/ }" "root or user namespaces, iproute2, util-linux"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

plan() { # CASE
    cat << END
netloom-field plan 1
seed 1
groups listed ${groups[$1]}
victim ring_all_gather 1048576
aggressor incast 1048576
size_of vector
bursts steady
segment baseline 1 5
segment congested 1 5
segment baseline 1 5
deadline_s 60
END
}
# Three segments of 6 rings of four ranks, each rank sending three quarters of 1 MiB: 56 MB without headers, in both cases.
measure() { # MPI
    local program="$target/field/$1/netloom-field" case
    for case in shared apart; do
        plan "$case" > "$work/$case.plan"
        timeout --kill-after=5 120 "$netloom" field testbed "$scenario" "${pinned[@]}" --rate 50Mbps --quiet \
            --expect-bytes 56MB -- "mpiexec.$1" -n 8 "$program" "$work/$case.plan" --out "$work/$1-$case" \
            < /dev/null > "$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    done
    scripts/testbed_check.py measured "$1" "$work/$1-shared" "$work/$1-apart"
}
simulate() {
    local case
    for case in shared apart; do
        timeout 120 "$netloom" sweep "$scenario" "${pinned[@]}" --set "interference.hosts=${hosts[$case]}" --quiet \
            --vary 'interference.aggressor=none,{incast: {size: 1MiB}}' -o "$work/simulated-$case"
        "$netloom" show interference --json "$work/simulated-$case" > "$work/$case.json"
    done
    scripts/testbed_check.py simulated "$work/shared.json" "$work/apart.json"
}
# Checks that the counters detect traffic that does not cross the network: all ranks on one host, and a bound above the
# traffic of the launcher.
refuse_what_did_not_cross() { # MPI
    local status=0 program="$target/field/$1/netloom-field" option=-host
    [ "$1" != mpich ] || option=-hosts
    sed '/aggressor/s/ .*/ none/; /congested/d' "$work/shared.plan" > "$work/local.plan"
    timeout --kill-after=5 120 "$netloom" field testbed "$scenario" --quiet --expect-bytes 1MB -- \
        "mpiexec.$1" "$option" 10.64.0.2:8 -n 8 "$program" "$work/local.plan" --out "$work/$1-local" \
        < /dev/null > "$work/log" 2>&1 || status=$?
    if [ "$status" != 3 ] || ! grep -q "did not cross the network" "$work/log"; then
        echo "FAILED: ranks on one host with $1: expected status 3, found $status" >&2
        cat "$work/log" >&2
        return 1
    fi
}

simulate
for mpi in openmpi mpich; do
    if [ -x "$target/field/$mpi/netloom-field" ]; then
        measure "$mpi"
        refuse_what_did_not_cross "$mpi"
    else
        scripts/skip.sh "a testbed with $mpi" "netloom-field was not built with it" "scripts/field.sh, which builds it"
    fi
done
