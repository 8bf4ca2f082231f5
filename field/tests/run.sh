#!/usr/bin/env bash
# Runs the program with 8 ranks on this machine; `ctest` in a build folder calls it, with one case at a time.
#
#     MPIEXEC=/usr/bin/mpiexec field/tests/run.sh BUILD_DIR [CASE...]
#     field/tests/run.sh --list
#
# Every victim beside every aggressor, every aggressor with every kind of burst, every kind of group; a wrong byte is
# found; the deadline is kept; a rank that is killed or stopped ends the job; bad plans are refused.
set -euo pipefail

cases=(every_victim_beside_every_aggressor bursts_pause every_grouping small_and_odd_sizes
    ranks_with_cores_of_their_own_spin a_wrong_byte_is_found an_mpi_that_never_ends_is_left the_deadline_is_kept
    a_killed_rank_ends_the_job a_stopped_rank_does_not_hang_the_job a_careless_launcher_does_not_hang_the_job
    a_killed_launcher_leaves_no_rank jobs_over_tcp_end bad_plans_are_refused)
if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${cases[@]}"
    exit
fi
build=$(realpath "${1:?usage: field/tests/run.sh BUILD_DIR [CASE...]}") # the tests run in a folder of their own
shift
(($# > 0)) || set -- "${cases[@]}"

# Eight ranks share this machine, whoever runs the tests.
launcher=${MPIEXEC:-mpiexec}
case $("$launcher" --version 2>&1) in
*"Open MPI"* | *OpenRTE* | *PRRTE*)
    mpi=openmpi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch=("$launcher" --oversubscribe --bind-to none)
    ;;
*HYDRA* | *MPICH*)
    mpi=mpich
    launch=("$launcher" -bind-to none)
    ;;
*)
    echo "$launcher: neither Open MPI nor MPICH" >&2
    exit 2
    ;;
esac

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
n_failed=0
study=$(printf '%064d' 7)

fail() {
    echo "FAILED ($mpi): $*" >&2
    [[ -f log ]] && sed 's/^/    /' log >&2
    n_failed=$((n_failed + 1))
}

# plan NAME LINE...: a plan of these lines and what they leave open.
plan() {
    local name=$1 key
    shift
    {
        echo "netloom-field plan 1"
        printf '%s\n' "$@"
        for key in "study $study" "seed 3" "groups interleaved" "victim ring_all_gather 20000" "aggressor none" \
            "size_of vector" "bursts steady" "segment baseline 1 4" "deadline_s 60"; do
            printf '%s\n' "$@" | grep -q "^${key%% *} " || echo "$key"
        done
    } > "$name"
}

# run PROGRAM PLAN OUT: its status is in `status`, what it says in `log`; two minutes are a hang.
run() {
    status=0
    timeout --kill-after=5 120 "${launch[@]}" -n "${ranks:-8}" "$build/$1" "$2" --out "$3" < /dev/null > log 2>&1 || status=$?
}

# Every iteration of every victim once, in order, with times that make sense.
times_are_whole() { # FILE RANKS ROWS REDUCES
    awk -F, -v ranks="$2" -v rows="$3" -v reduces="$4" '
        BEGIN { n = split(ranks, rank, " ") }
        NR == 1 { if ($0 != "iteration,rank,start_ns,end_ns,reduce_ns") exit 1; next }
        { at = NR - 2
          if ($1 != int(at / n) || $2 != rank[at % n + 1] || NF != 5) { bad = 1 }
          if ($4 <= $3 || $3 < last[$2] || $5 > $4 - $3 || (reduces ? $5 <= 0 : $5 != 0)) { bad = 1 }
          last[$2] = $4 }
        END { exit bad || NR - 1 != n * rows }' "$1" || fail "$1 is not whole: $(head -3 "$1" | tr '\n' ' ')"
}

# Rounds of each aggressor, equally many of each.
rounds_are_whole() { # FILE RANKS
    awk -F, -v ranks="$2" '
        BEGIN { n = split(ranks, rank, " ") }
        NR == 1 { if ($0 != "round,rank,start_ns,end_ns") exit 1; next }
        { at = NR - 2
          if ($1 != int(at / n) || $2 != rank[at % n + 1] || $4 <= $3 || $3 < last[$2]) { bad = 1 }
          last[$2] = $4 }
        END { exit bad || NR < n + 1 || (NR - 1) % n }' "$1" || fail "$1 is not whole"
}

complete() { # OUT
    [[ $status == 0 ]] || fail "$1: status $status"
    grep -qx "status complete" "$1/manifest.txt" || fail "$1: $(grep status "$1/manifest.txt")"
    [[ ! -e $1/checks.csv && ! -e $1.tmp ]] || fail "$1: checks.csv or a draft is there"
    [[ $(grep -c '^rank .* clock_step_ns [1-9]' "$1/manifest.txt") == "${ranks:-8}" ]] || fail "$1: clocks are not told"
    [[ $(tr -d '\n -~' < "$1/manifest.txt" | wc -c) == 0 ]] || fail "$1: the manifest is no plain text"
    cmp -s "$2" "$1/plan.txt" || fail "$1: plan.txt is another plan"
}

# one_pair NUMBER VICTIM AGGRESSOR BURST: eight iterations alone, beside the aggressor, and alone again.
one_pair() {
    local out=out-$1 victim=$2 aggressor=$3 burst=$4 number segment size name lines reduces=0 rows=8 sizes=-
    lines=("segment baseline 2 6")
    case $victim in
    pair_streams)
        lines=("segment baseline 0 1" "stream 0 2 0 0.25 20000" "stream 4 2 0.1 0.25 8" "stream 2 6 0 0.2 100000")
        rows=1
        ;;
    latency*) sizes=$(cut -d' ' -f3- <<< "$victim") ;;
    esac
    [[ $victim != *reduce* ]] || reduces=1
    [[ $aggressor == none ]] || lines+=("${lines[0]/baseline/congested}" "${lines[0]}")
    plan "$out.txt" "victim $victim" "aggressor $aggressor" "bursts $burst" "${lines[@]}"
    run netloom-field "$out.txt" "$out"
    complete "$out" "$out.txt"
    number=0
    for segment in $(awk '/^segment/ { print $2 }' "$out.txt"); do
        segment=$((number++))-$segment
        for size in $sizes; do
            [[ $size == - ]] && name=times-$segment.csv || name=times-$segment-$size.csv
            times_are_whole "$out/$name" "0 2 4 6" "$rows" "$reduces"
        done
        [[ $segment != *congested ]] || rounds_are_whole "$out/aggressor-$segment.csv" "1 3 5 7"
        [[ $victim != pair_streams ]] || streams_are_whole "$out/streams-$segment.csv"
    done
}

# Each kind of burst with each aggressor, each aggressor with each victim.
every_victim_beside_every_aggressor() {
    local bursts=("steady" "regular 1000000 2000000" "exponential 1000000 2000000") victim aggressor number=0
    for victim in "ring_all_gather 20001" "all_to_all_linear 20001" "all_to_all_pairwise 20001" "ring_all_reduce 20008" "pair_streams" \
        "latency pairs 1 4096" "latency ring_all_reduce 8 4096"; do
        one_pair $((++number)) "$victim" "none" "steady"
        for aggressor in "all_to_all_linear 30001" "incast 200001"; do
            one_pair $((++number)) "$victim" "$aggressor" "${bursts[number / 3 % 3]}"
        done
    done
    echo "$mpi: $number pairs of victim and aggressor"
}

# A burst takes its length, and a pause comes after it: the gaps between rounds tell. Three of about twenty in a second must
# show it: on a machine with more ranks than cores some rounds begin late, and a busy one is given more time.
bursts_pause() {
    local seconds
    for seconds in 3 6 12; do
        plan plan.txt "victim ring_all_gather 100" "aggressor incast 100" "bursts regular 3000000 40000000" \
            "segment congested 0 1000000" "deadline_s $seconds"
        rm -rf bursts
        run netloom-field plan.txt bursts
        awk -F, -v most="$((25 * seconds))" '
            NR == 1 || $2 != 1 { next }
            end && $3 - end >= 40000000 { n_pauses++; if (end - begin >= 2900000) n_bursts++; begin = $3 }
            !begin { begin = $3 }
            { end = $4 }
            END { exit n_pauses > most ? 2 : n_pauses < 3 || n_bursts < 3 }' bursts/aggressor-0-congested.csv && return
        (($? == 1)) || break
    done
    fail "bursts do not pause"
}

# Each stream moved whole messages to its receiver, in more than one stretch.
streams_are_whole() { # FILE
    awk -F, '
        NR == 1 { if ($0 != "stream,rank,start_ns,end_ns,bytes") exit 1; next }
        { sum[$1] += $5; n[$1]++; rank[$1] = $2; if ($4 - $3 != 100000000) bad = 1 }
        END { exit bad || rank[0] != 2 || rank[1] != 2 || rank[2] != 6 || n[0] < 2 || n[2] < 2 ||
              !sum[0] || !sum[1] || !sum[2] || sum[0] % 20000 || sum[1] % 8 || sum[2] % 100000 }' "$1" ||
        fail "$1 is not whole: $(tr '\n' ' ' < "$1")"
}

every_grouping() {
    local grouping victims
    for grouping in interleaved contiguous random "listed a v v - v a a -"; do
        out="groups-${grouping%% *}"
        plan plan.txt "groups $grouping" "aggressor all_to_all_linear 1000" "size_of per_peer" \
            "victim all_to_all_linear 100" "segment congested 0 3"
        run netloom-field plan.txt "$out"
        complete "$out" plan.txt
        victims=$(awk '/^rank/ && $3 == "victim" { printf "%s ", $2 }' "$out/manifest.txt")
        times_are_whole "$out/times-0-congested.csv" "$victims" 3 0
        case $grouping in
        contiguous) [[ $victims == "0 1 2 3 " ]] || fail "contiguous victims are $victims" ;;
        listed*) [[ $victims == "1 2 4 " ]] || fail "listed victims are $victims" ;;
        esac
    done
}

small_and_odd_sizes() {
    local victim
    for victim in "ring_all_gather 1" "ring_all_reduce 8" "all_to_all_linear 2" "ring_all_reduce 1000000" \
        "all_to_all_linear 1000003"; do
        plan plan.txt "victim $victim" "groups listed v v v v v v v -" "segment baseline 0 3"
        rm -rf out
        run netloom-field plan.txt out
        complete out plan.txt
    done
}

a_wrong_byte_is_found() {
    plan plan.txt "victim ring_all_gather 4001" "segment baseline 0 30"
    run field-wrong-byte plan.txt wrong
    [[ $status == 1 ]] || fail "wrong byte: status $status"
    grep -q "^status failed data was wrong in 3 checks" wrong/manifest.txt || fail "wrong byte: $(grep status wrong/manifest.txt)"
    # The 40th receive of rank 2, three in an iteration, is the part of rank 0, 1001 bytes, which then goes on to 4 and 6.
    for rank in 2 4 6; do
        grep -q "^0,13,$rank,victim,500,[0-9]*,[0-9]*,1$" wrong/checks.csv || fail "wrong byte: $(cat wrong/checks.csv)"
    done
}

# What was measured is whole by then; the job is ended by force, and says so.
an_mpi_that_never_ends_is_left() {
    local begin=$SECONDS
    plan plan.txt
    run field-no-end plan.txt no-end
    # MPICH's launcher may give the status of ranks that it has killed.
    [[ $status == 4 || $status == 9 ]] || fail "no end: status $status"
    ((SECONDS - begin <= 20)) || fail "no end: took $((SECONDS - begin)) s"
    grep -q "rank 0: the time to end MPI is over, and it could not end by itself, while MPI ends" log || fail "no end: no message"
    status=0
    complete no-end plan.txt
}

the_deadline_is_kept() {
    local burst begin
    for burst in "steady" "regular 1000000 20000000000"; do
        plan plan.txt "aggressor incast 300000" "bursts $burst" "segment baseline 0 5" "segment congested 0 1000000" \
            "segment baseline 0 5" "deadline_s 2.5"
        rm -rf late
        begin=$SECONDS
        run netloom-field plan.txt late
        # A pause of 20 s is cut; starting and ending eight ranks takes seconds where the machine is busy.
        ((SECONDS - begin <= 15)) || fail "deadline: took $((SECONDS - begin)) s"
        [[ $status == 0 ]] || fail "deadline: status $status"
        grep -qx "status deadline" late/manifest.txt || fail "deadline: $(grep status late/manifest.txt)"
        rows=$(awk '/^segment 1/ { print $NF }' late/manifest.txt)
        ((rows > 0 && rows < 1000000)) || fail "deadline: $rows iterations"
        times_are_whole late/times-1-congested.csv "0 2 4 6" "$rows" 0
        rounds_are_whole late/aggressor-1-congested.csv "1 3 5 7"
        [[ ! -e late/times-2-baseline.csv ]] || fail "deadline: a segment after it"
    done
    plan plan.txt "victim pair_streams" "stream 0 2 0 100 20000" "stream 4 2 50 100 20000" "segment baseline 0 1" "deadline_s 3"
    rm -rf late
    begin=$SECONDS
    run netloom-field plan.txt late
    ((SECONDS - begin <= 15)) || fail "deadline of streams: took $((SECONDS - begin)) s"
    grep -qx "status deadline" late/manifest.txt || fail "deadline of streams: $(grep status late/manifest.txt)"
    (($(grep -c "^0,2," late/streams-0-baseline.csv) >= 1)) || fail "deadline of streams: nothing arrived"
    ! grep -q "^1," late/streams-0-baseline.csv || fail "deadline of streams: a stream that never began"
}

# start OUT LAUNCHER_OPTION...: runs plan.txt behind, until the first segment is over; its launcher is `job`, its ranks
# `pids`. Fails where it ends before that, or is not so far after a minute.
start() {
    local out=$1
    shift
    rm -rf "$out" "$out.tmp"
    status=0
    begin=$SECONDS
    "${launch[@]}" "$@" -n 8 "$build/netloom-field" plan.txt --out "$out" > log 2>&1 &
    job=$!
    while kill -0 "$job" 2> /dev/null && ((SECONDS - begin <= 60)); do
        if [[ -e $out.tmp/times-0-baseline.csv ]]; then
            mapfile -t pids < <(sed -n 's/^rank .* pid \([0-9]*\) .*/\1/p' "$out.tmp/manifest.txt")
            return
        fi
        sleep 0.1
    done
    kill "$job" 2> /dev/null || true
    wait "$job" 2> /dev/null || true
    return 1
}

# start_late OUT LAUNCHER_OPTION...: the same with a deadline after `deadline` seconds: more of them, where the machine is so
# busy that they are over before the first segment.
start_late() {
    for deadline in 3 12 48; do
        plan plan.txt "segment baseline 0 5" "segment baseline 0 1000000" "deadline_s $deadline" "grace_s 1"
        ! start "$@" || return 0
    done
    return 1
}

# ended WHAT SECONDS: waits for the launcher, at most this long since the start; nothing of the job may live on.
ended() {
    local pid
    while kill -0 "$job" 2> /dev/null && ((SECONDS - begin <= $2)); do
        sleep 0.1
    done
    ! kill -KILL "$job" 2> /dev/null || fail "$1: still there after $2 s"
    wait "$job" 2> /dev/null || status=$?
    sleep 0.3
    for pid in "${pids[@]}"; do
        if grep -qs netloom-field "/proc/$pid/cmdline"; then
            kill -KILL "$pid"
            fail "$1: a rank lives on"
        fi
    done
    [[ $status != 0 ]] || fail "$1: status 0"
    [[ ! -e dead ]] && grep -q "^status failed" dead.tmp/manifest.txt || fail "$1: no trace"
}

a_killed_rank_ends_the_job() {
    local rank
    plan plan.txt "aggressor all_to_all_linear 3000" "segment baseline 0 5" "segment congested 0 1000000"
    for rank in 0 3; do
        start dead || { fail "killed rank $rank: the program never began"; continue; }
        kill -KILL "${pids[rank]}"
        ended "killed rank $rank" 20
        grep -qiE "killed|signal 9|exit code: 9" log || fail "killed rank $rank: no message"
    done
}

# Nobody but the watchdog notices a rank that stands still.
a_stopped_rank_does_not_hang_the_job() {
    local deadline
    start_late dead || { fail "stopped rank: the program never began"; return; }
    kill -STOP "${pids[4]}"
    ended "stopped rank" $((deadline + 12))
    grep -q "rank 0: deadline and grace are over, and it could not end by itself" log || fail "stopped rank: no message"
    grep -q "^status failed deadline and grace" dead.tmp/manifest.txt || fail "stopped rank: no trace"
}

# A launcher that looks away from dead ranks (only MPICH's can be asked to).
a_careless_launcher_does_not_hang_the_job() {
    [[ $mpi == mpich ]] || return 0
    local deadline
    start_late dead -disable-auto-cleanup || { fail "careless launcher: the program never began"; return; }
    kill -KILL "${pids[4]}"
    ended "careless launcher" $((deadline + 12))
}

a_killed_launcher_leaves_no_rank() {
    plan plan.txt "segment baseline 0 5" "segment baseline 0 1000000"
    start dead || { fail "killed launcher: the program never began"; return; }
    kill -KILL "$job"
    wait "$job" 2> /dev/null || true
    sleep 2
    ended "killed launcher" 15
}

# Two ranks on two cores wait inside MPI.
ranks_with_cores_of_their_own_spin() {
    (($(nproc) >= 2)) || return 0
    local ranks=2
    plan plan.txt "groups listed v v" "victim latency pairs 1 1000" "segment baseline 5 20"
    run netloom-field plan.txt spin
    complete spin plan.txt
    grep -qx "waiting spin" spin/manifest.txt || fail "two ranks do not spin"
    times_are_whole spin/times-0-baseline-1000.csv "0 1" 25 0
}

# Without shared memory MPICH 4.0 over UCX hangs at the end three times of four, unless the program helps it.
jobs_over_tcp_end() {
    local -x UCX_TLS=tcp,self
    local k
    [[ $mpi == mpich ]] || return 0
    plan plan.txt "groups listed v - v - - - - -"
    for k in 1 2 3; do
        run netloom-field plan.txt "tcp-$k"
        complete "tcp-$k" plan.txt
    done
}

bad_plans_are_refused() {
    printf 'netloom-field plan 1\nstudy %s\nvictim ring 8\nseed x\n' "$study" > plan.txt
    run netloom-field plan.txt out-bad
    [[ $status == 2 ]] || fail "bad plan: status $status"
    grep -q '^plan.txt:3:8: error: `ring` is no victim' log || fail "bad plan: no place"
    [[ $(grep -c '^plan.txt.*error' log) == 8 ]] || fail "bad plan: $(grep -c '^plan.txt.*error' log) mistakes"
    [[ ! -e out-bad && ! -e out-bad.tmp ]] || fail "bad plan: output"

    plan plan.txt "victim all_to_all_linear 2000000000" "size_of per_peer" "groups listed v v v v v v v v"
    run netloom-field plan.txt out-bad
    [[ $status == 2 ]] && grep -q "the plan wants [0-9]* MiB of this host" log || fail "absurd size: status $status"

    plan plan.txt
    mkdir there
    run netloom-field plan.txt there
    [[ $status == 2 ]] && grep -q "\`there\` is there already" log || fail "existing folder: status $status"
    run netloom-field no-plan.txt out-bad
    [[ $status == 2 ]] && grep -q "no-plan.txt: error: this plan cannot be read" log || fail "no plan: status $status"
    "$build/netloom-field" plan.txt --check 8 > log 2>&1 || fail "check of a good plan"
    "$build/netloom-field" plan.txt --check 2 > log 2>&1 && fail "check of a bad plan"
    grep -q "the victim has 1 of 2 ranks" log || fail "check: no message"
}

for case in "$@"; do
    begun=$SECONDS
    rm -f log
    "$case"
    echo "$mpi: $case ($((SECONDS - begun)) s)"
done
if ((n_failed > 0)); then
    echo "$mpi: $n_failed failed" >&2
    exit 1
fi
