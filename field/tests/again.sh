#!/usr/bin/env bash
# Runs the program many times in a row with 8 ranks and counts the runs that failed or hung. Run it manually; it takes
# minutes.
#
#     MPIEXEC=/usr/bin/mpiexec field/tests/again.sh BUILD_DIR [RUNS]
set -euo pipefail
build=$(realpath "${1:?usage: field/tests/again.sh BUILD_DIR [RUNS]}")
runs=${2:-100}
launcher=${MPIEXEC:-mpiexec}
options=()
if grep -qE "Open MPI|OpenRTE" <<< "$("$launcher" --version 2>&1)"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
victims=("ring_all_gather 20000" "all_to_all_linear 20000" "all_to_all_pairwise 20000" "ring_all_reduce 20000"
    "latency pairs 1 4096")
aggressors=("incast 100000" "all_to_all_linear 30000" "none")
n_hung=0
n_failed=0
longest=0
for ((run = 0; run < runs; ++run)); do
    aggressor=${aggressors[run % 3]}
    congested="segment congested 1 4"
    [[ $aggressor != none ]] || congested="segment baseline 1 4"
    printf '%s\n' "netloom-field plan 1" "seed $run" "groups random" "victim ${victims[run % 5]}" "aggressor $aggressor" \
        "size_of vector" "bursts steady" "segment baseline 1 4" "$congested" "segment baseline 1 4" "deadline_s 60" > plan.txt
    begun=$SECONDS
    status=0
    rm -rf out out.tmp
    timeout --kill-after=5 120 "$launcher" "${options[@]}" -n 8 "$build/netloom-field" plan.txt --out out \
        < /dev/null > log 2>&1 || status=$?
    took=$((SECONDS - begun))
    ((took <= longest)) || longest=$took
    if [[ $status == 124 || $status == 137 ]]; then
        n_hung=$((n_hung + 1))
    fi
    if [[ $status != 0 ]] || ! grep -qsx "status complete" out/manifest.txt || grep -q "the time to end MPI is over" log; then
        n_failed=$((n_failed + 1))
        echo "run $run: status $status: $(tr '\n' ' ' < log)"
    fi
done
echo "$launcher: $runs runs, $n_hung hung, $n_failed failed, the longest took $longest s, all of them $SECONDS s"
