#!/usr/bin/env bash
# Runs the program with 8 ranks on this machine; `ctest` in a build folder calls it, with one case at a time.
#
#     MPIEXEC=/usr/bin/mpiexec field/tests/run.sh BUILD_DIR [CASE...]
#     field/tests/run.sh --list
#
# Every victim, every aggressor, every kind of burst and of group; wrong data is found; the deadline is kept; a rank that is
# killed or stopped ends the job; every kind of invalid input is refused.
set -euo pipefail

cases=(every_victim_and_every_aggressor bursts_pause every_grouping small_and_odd_sizes
    times_beyond_their_room_are_written a_precision_ends_a_segment
    ranks_with_cores_of_their_own_spin wrong_data_is_found an_mpi_that_never_ends_is_left the_deadline_is_kept
    a_killed_rank_ends_the_job a_slow_witness_still_names_the_rank a_killed_witness_ends_the_job
    a_rank_killed_at_the_start_is_named a_stopped_rank_does_not_hang_the_job a_careless_launcher_does_not_hang_the_job
    a_killed_launcher_leaves_no_rank jobs_over_tcp_end bad_input_is_refused)
if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${cases[@]}"
    exit
fi
build=$(realpath "${1:?usage: field/tests/run.sh BUILD_DIR [CASE...]}") # the tests run in a temporary folder
shift
(($# > 0)) || set -- "${cases[@]}"

# Eight ranks share this machine, and root may run the tests.
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

# plan NAME LINE...: a plan of these lines, with defaults for the other keys.
plan() {
    local name=$1 key
    shift
    {
        echo "netloom-field plan 1"
        printf '%s\n' "$@"
        for key in "study $study" "seed 3" "groups interleaved" "victim ring_all_gather 20000" "aggressor none" \
            "size_of vector" "bursts steady" "segment baseline 1 4" "deadline_s 60"; do
            # No pipe: grep ends at the first match, which would end its writer, and with it the test.
            grep -q "^${key%% *} " <<< "$(printf '%s\n' "$@")" || echo "$key"
        done
    } > "$name"
}

# run PROGRAM PLAN OUT: the status is in `status`, the output in `log`; two minutes are a hang.
run() {
    status=0
    timeout --kill-after=5 120 "${launch[@]}" -n "${ranks:-8}" "$build/$1" "$2" --out "$3" < /dev/null > log 2>&1 || status=$?
}

# Checks that each of these ranks has every iteration of a segment and size once, in order, with consistent times.
times_are_whole() { # OUT SEGMENT BYTES RANKS ROWS REDUCES
    local rank
    for rank in $4; do
        awk -F, -v segment="$2" -v bytes="$3" -v rows="$5" -v reduces="$6" '
            $1 != segment || $2 != bytes || NF != 6 { next }
            { if ($3 != n++ || $5 <= $4 || $4 < last || $6 > $5 - $4 || (reduces ? $6 <= 0 : $6 != 0)) bad = 1
              last = $5 }
            END { exit bad || n != rows }' "$1/times-$rank.csv" || fail "$1/times-$rank.csv, segment $2: not whole"
    done
}

# The same for an aggressor's rounds: each of its ranks has the number of rounds in the manifest.
rounds_are_whole() { # OUT SEGMENT BYTES RANKS
    local rows
    rows=$(awk -v segment="$2" '$1 == "rounds" && $2 == segment { print $NF }' "$1/manifest.txt")
    ((${rows:-0} > 0)) || fail "$1: no rounds"
    times_are_whole "$1" "$2" "$3" "$4" "$rows" 0
}

# Checks that each rank has a file whose last line has its number of rows.
files_are_whole() { # OUT
    local rank
    for ((rank = 0; rank < ${ranks:-8}; ++rank)); do
        awk -v rank="$rank" 'NR == 1 && $0 !~ "^netloom-field times 1 rank " rank " role (victim|aggressor|idle)$" { exit 1 }
            NR == 2 && $0 != "segment,bytes,iteration,start_ns,end_ns,reduce_ns" { exit 1 }
            { last = $0 } END { exit last != "end " NR - 3 }' "$1/times-$rank.csv" || fail "$1/times-$rank.csv: not whole"
    done
}

complete() { # OUT
    [[ $status == 0 ]] || fail "$1: status $status"
    grep -qx "status complete" "$1/manifest.txt" || fail "$1: $(grep status "$1/manifest.txt")"
    [[ ! -e $1/checks.csv && ! -e $1.tmp ]] || fail "$1: checks.csv or a draft is there"
    [[ $(grep -c '^rank .* clock_step_ns [1-9]' "$1/manifest.txt") == "${ranks:-8}" ]] || fail "$1: clocks are not recorded"
    files_are_whole "$1"
    [[ $(tr -d '\n -~' < "$1/manifest.txt" | wc -c) == 0 ]] || fail "$1: the manifest is no plain text"
    cmp -s "$2" "$1/plan.txt" || fail "$1: plan.txt is another plan"
}

# one_pair NUMBER VICTIM AGGRESSOR BURST: eight iterations in isolation, beside the aggressor, and in isolation again.
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
    [[ $sizes != - ]] || sizes=$(awk 'NF == 2 { print $2 }' <<< "$victim")
    number=0
    for segment in $(awk '/^segment/ { print $2 }' "$out.txt"); do
        for size in ${sizes:-0}; do
            times_are_whole "$out" "$number" "$size" "0 2 4 6" "$rows" "$reduces"
        done
        [[ $segment != congested ]] || rounds_are_whole "$out" "$number" "${aggressor##* }" "1 3 5 7"
        [[ $victim != pair_streams ]] || streams_are_whole "$out" "$number"
        number=$((number + 1))
    done
}

# Each victim, each aggressor and each kind of burst.
every_victim_and_every_aggressor() {
    local bursts=("steady" "regular 1000000 2000000" "exponential 1000000 2000000")
    local aggressors=("all_to_all_linear 30001" "incast 200001" "all_to_all_pairwise 30001") victim number=0
    for victim in "ring_all_gather 20001" "all_to_all_linear 20001" "all_to_all_pairwise 20001" "ring_all_reduce 20008" \
        "pair_streams" "latency pairs 1 4096" "latency ring_all_reduce 8 4096"; do
        one_pair $((number + 1)) "$victim" "${aggressors[number % 3]}" "${bursts[(number + number / 3) % 3]}"
        number=$((number + 1))
    done
    one_pair 0 "ring_all_gather 20001" "none" "steady"
}

# A burst takes its length, and a pause follows it, which is visible as gaps between rounds. Three of about twenty bursts in
# a second must show it: with more ranks than cores some rounds begin late, and a busy machine is given more time.
bursts_pause() {
    local seconds
    for seconds in 3 6 12; do
        plan plan.txt "victim ring_all_gather 100" "aggressor incast 100" "bursts regular 3000000 40000000" \
            "segment baseline 0 1" "segment congested 0 1000000" "segment baseline 0 1" "deadline_s $seconds"
        rm -rf bursts
        run netloom-field plan.txt bursts
        awk -F, -v most="$((25 * seconds))" '
            NF != 6 || $1 != 1 { next }
            end && $4 - end >= 40000000 { n_pauses++; if (end - begin >= 2900000) n_bursts++; begin = $4 }
            !begin { begin = $4 }
            { end = $5 }
            END { exit n_pauses > most ? 2 : n_pauses < 3 || n_bursts < 3 }' bursts/times-1.csv && return
        (($? == 1)) || break
    done
    fail "bursts do not pause"
}

# Checks that each stream transferred whole messages to its receiver, in more than one interval.
streams_are_whole() { # OUT SEGMENT
    awk -F, -v segment="$2" '
        FNR == 1 { split($0, head, " "); receiver = head[5]; next }
        /^end / { if ($0 != "end " FNR - 3) bad = 1; next }
        $1 != segment { next }
        { sum[$2] += $5; n[$2]++; rank[$2] = receiver; if ($4 - $3 != 100000000) bad = 1 }
        END { exit bad || rank[0] != 2 || rank[1] != 2 || rank[2] != 6 || n[0] < 2 || n[2] < 2 ||
              !sum[0] || !sum[1] || !sum[2] || sum[0] % 20000 || sum[1] % 8 || sum[2] % 100000 }' "$1"/streams-*.csv ||
        fail "$1: streams are not whole: $(tail -n +1 "$1"/streams-*.csv | tr '\n' ' ')"
    [[ $(echo "$1"/streams-*) == "$1/streams-2.csv $1/streams-6.csv" ]] || fail "$1: other streams"
}

every_grouping() {
    local grouping victims
    for grouping in interleaved contiguous random "listed a v v - v a a -"; do
        out="groups-${grouping%% *}"
        plan plan.txt "groups $grouping" "aggressor all_to_all_linear 1000" "size_of per_peer" \
            "victim all_to_all_linear 100" "segment baseline 0 2" "segment congested 0 3" "segment baseline 0 2"
        run netloom-field plan.txt "$out"
        complete "$out" plan.txt
        victims=$(awk '/^rank/ && $3 == "victim" { printf "%s ", $2 }' "$out/manifest.txt")
        times_are_whole "$out" 1 100 "$victims" 3 0
        case $grouping in
        contiguous) [[ $victims == "0 1 2 3 " ]] || fail "contiguous victims are $victims" ;;
        listed*) [[ $victims == "1 2 4 " ]] || fail "listed victims are $victims" ;;
        esac
    done
}

# Room for three rows: times are written many times, and none is missing.
times_beyond_their_room_are_written() {
    plan plan.txt "aggressor incast 100" "room 3" "segment baseline 1 10" "segment congested 1 10" "segment baseline 1 10"
    run netloom-field plan.txt room
    complete room plan.txt
    grep -qx "room_rows 3" room/manifest.txt || fail "room is not recorded"
    times_are_whole room 0 20000 "0 2 4 6" 11 0
    times_are_whole room 2 20000 "0 2 4 6" 11 0
    rounds_are_whole room 1 100 "1 3 5 7"
}

# A precision that is always reached ends a segment at its smallest number of iterations, one that is never reached at its
# largest; aggressors end with it.
a_precision_ends_a_segment() {
    plan plan.txt "victim latency ring_all_gather 100 200" "aggressor incast 100" "segment baseline 2 precision 1 20 1000" \
        "segment congested 2 precision 1 20 1000" "segment baseline 0 precision 0.000000001 10 30"
    run netloom-field plan.txt precise
    complete precise plan.txt
    local segment rows
    for segment in "0 baseline" "1 congested"; do
        rows=$(awk "/^segment $segment bytes 200/ { print \$NF }" precise/manifest.txt)
        ((rows >= 22 && rows < 1002 && (rows - 2) % 10 == 0)) || fail "precision: $rows iterations"
        times_are_whole precise "${segment%% *}" 200 "0 2 4 6" "$rows" 0
    done
    rounds_are_whole precise 1 100 "1 3 5 7"
    times_are_whole precise 2 100 "0 2 4 6" 30 0
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

# A flipped bit, data of an earlier iteration, at another offset, of another rank. The 40th receive of rank 2, three in an
# iteration, is the part of rank 0, 1001 bytes, which then goes on to 4 and 6.
wrong_data_is_found() {
    local -x FIELD_FAULT
    local rank first
    plan plan.txt "victim ring_all_gather 4001" "segment baseline 0 16"
    for FIELD_FAULT in byte stale offset rank; do
        rm -rf wrong
        run field-wrong-data plan.txt wrong
        [[ $status == 1 ]] || fail "wrong data ($FIELD_FAULT): status $status"
        grep -q "^status failed data was wrong in 3 checks" wrong/manifest.txt ||
            fail "wrong data ($FIELD_FAULT): $(grep status wrong/manifest.txt)"
        case $FIELD_FAULT in
        byte) first="500,[0-9]*,[0-9]*,1" ;;
        *) first="[0-7],[0-9]*,[0-9]*,(9[0-9]{2}|100[01])" ;;
        esac
        for rank in 2 4 6; do
            grep -qE "^0,13,$rank,victim,$first$" wrong/checks.csv || fail "wrong data ($FIELD_FAULT): $(cat wrong/checks.csv)"
        done
    done
}

# What was measured is whole by then; the job is ended by force, and says so.
an_mpi_that_never_ends_is_left() {
    local begin=$SECONDS
    plan plan.txt
    run field-no-end plan.txt no-end
    # The program ends with 0; launchers differ in the status that they report for ranks that never called MPI_Finalize.
    ((SECONDS - begin <= 20)) || fail "no end: took $((SECONDS - begin)) s"
    grep -q "rank 0: the time to end MPI is over, and the program could not end by itself, while MPI ends; what was measured is complete" log || fail "no end: no message"
    status=0
    complete no-end plan.txt
}

# late DEADLINE BURST: a run that its deadline ends; returns whether it had reached the congested segment.
late() {
    plan plan.txt "aggressor incast 300000" "bursts $2" "segment baseline 0 2" "segment congested 0 1000000" \
        "segment baseline 0 5" "deadline_s $1"
    rm -rf late
    local begin=$SECONDS
    run netloom-field plan.txt late
    # A pause of 300 s is ended early; starting and ending eight ranks takes long on a busy machine.
    ((SECONDS - begin <= ${1%.*} + 60)) || fail "deadline: took $((SECONDS - begin)) s"
    [[ $status == 0 ]] || fail "deadline: status $status"
    grep -qx "status deadline" late/manifest.txt || fail "deadline: $(grep status late/manifest.txt)"
    files_are_whole late
    rows=$(awk '/^segment 1/ { print $NF }' late/manifest.txt)
    ((${rows:-0} > 0))
}

# If the machine is so busy that the deadline comes before the congested segment, the test repeats with a later deadline.
the_deadline_is_kept() {
    local burst begin seconds rows
    for burst in "steady" "regular 1000000 300000000000"; do
        for seconds in 2.5 8 24; do
            ! late "$seconds" "$burst" || break
        done
        ((rows > 0 && rows < 1000000)) || fail "deadline: $rows iterations"
        times_are_whole late 1 20000 "0 2 4 6" "$rows" 0
        rounds_are_whole late 1 300000 "1 3 5 7"
        ! grep -q "^2," late/times-0.csv || fail "deadline: a segment after it"
    done
    for seconds in 3 9 27; do
        plan plan.txt "victim pair_streams" "stream 0 2 0 100 20000" "stream 4 2 50 100 20000" "segment baseline 0 1" \
            "deadline_s $seconds"
        rm -rf late
        begin=$SECONDS
        run netloom-field plan.txt late
        ((SECONDS - begin <= seconds + 60)) || fail "deadline of streams: took $((SECONDS - begin)) s"
        grep -qx "status deadline" late/manifest.txt || fail "deadline of streams: $(grep status late/manifest.txt)"
        ! grep -q "^0,1," late/streams-2.csv || fail "deadline of streams: a stream that never began"
        ! grep -q "^0,0," late/streams-2.csv || return 0
    done
    fail "deadline of streams: nothing arrived"
}

# start OUT LAUNCHER_OPTION...: runs plan.txt in the background and waits until the first segment is over; its launcher is
# `job`, its ranks are `pids`. Fails if it ends before that, or does not reach it within a minute.
start() {
    local out=$1
    shift
    rm -rf "$out" "$out.tmp"
    status=0
    begin=$SECONDS
    "${launch[@]}" "$@" -n 8 "$build/${program:-netloom-field}" plan.txt --out "$out" < /dev/null > log 2>&1 &
    job=$!
    while kill -0 "$job" 2> /dev/null && ((SECONDS - begin <= 60)); do
        if grep -qs "^segment 0 " "$out.tmp/manifest.txt"; then
            mapfile -t pids < <(sed -n 's/^rank .* pid \([0-9]*\) .*/\1/p' "$out.tmp/manifest.txt")
            return
        fi
        sleep 0.1
    done
    kill "$job" 2> /dev/null || true
    wait "$job" 2> /dev/null || true
    return 1
}

# start_late OUT LAUNCHER_OPTION...: the same with a deadline after `deadline` seconds, or more seconds if the machine is so
# busy that the deadline comes before the end of the first segment.
start_late() {
    for deadline in 3 12 48; do
        plan plan.txt "segment baseline 0 5" "segment baseline 0 1000000" "deadline_s $deadline" "grace_s 1"
        ! start "$@" || return 0
    done
    return 1
}

# The ranks of this test and their witnesses.
processes_here() {
    local process
    for process in /proc/[0-9]*; do
        if [[ $(readlink "$process/cwd") == "$here" && $(readlink "$process/exe") == "$build"/* ]]; then
            basename "$process"
        fi
    done
}

# ended WHAT SECONDS: waits for the launcher, at most this long since the start; no process of the job may remain.
ended() {
    local pid n_looks
    while kill -0 "$job" 2> /dev/null && ((SECONDS - begin <= $2)); do
        sleep 0.1
    done
    ! kill -KILL "$job" 2> /dev/null || fail "$1: still there after $2 s"
    wait "$job" 2> /dev/null || status=$?
    for ((n_looks = 0; n_looks < 50; ++n_looks)); do # a witness checks its launcher once in a second
        [[ -n $(processes_here) ]] || break
        sleep 0.1
    done
    for pid in $(processes_here); do
        kill -KILL "$pid" 2> /dev/null || true
        fail "$1: process $pid remains"
    done
    [[ $status != 0 ]] || fail "$1: status 0"
    [[ ! -e dead ]] && grep -q "^status failed" dead.tmp/manifest.txt || fail "$1: no trace"
}

# Checks that the rank that died is reported once, and no other one.
named() { # RANK
    local pid=${pids[$1]} host message
    host=$(sed -n "s/^rank $1 .* host \([^ ]*\) pid $pid .*/\1/p" log)
    [[ -n $host ]] || fail "killed rank $1: its host and pid are not printed"
    message="rank $1 (pid $pid, host $host) has died of signal 9 (Killed), while "
    (($(grep -c "has died of" log) == 1)) || fail "killed rank $1: not one message"
    grep -qF "netloom-field: error: $message" log || fail "killed rank $1: the message does not name it"
    grep -qF "$message" dead.tmp/died.txt || fail "killed rank $1: no trace"
}

endless() {
    plan plan.txt "aggressor all_to_all_linear 3000" "segment baseline 0 5" "segment congested 0 1000000" "segment baseline 0 5"
}

a_killed_rank_ends_the_job() {
    local rank
    endless
    for rank in 0 3; do
        start dead || { fail "killed rank $rank: the program never began"; continue; }
        kill -KILL "${pids[rank]}"
        ended "killed rank $rank" 20
        named "$rank"
    done
}

# The launcher must not detect a death before it is reported: else it would kill the witness, which sleeps for a second.
a_slow_witness_still_names_the_rank() {
    local program=field-slow-witness
    endless
    start dead || { fail "slow witness: the program never began"; return; }
    kill -KILL "${pids[5]}"
    ended "slow witness" 20
    named 5
}

# The rank of a killed witness ends like one whose launcher has died.
a_killed_witness_ends_the_job() {
    endless
    start dead || { fail "killed witness: the program never began"; return; }
    kill -KILL "$(awk '{ print $4 }' "/proc/${pids[2]}/stat")"
    ended "killed witness" 20
}

# Before MPI has started, the rank is known from its launcher's environment.
a_rank_killed_at_the_start_is_named() {
    local begun=$SECONDS
    plan plan.txt
    run field-killed-at-start plan.txt dead
    [[ $status != 0 ]] || fail "killed at the start: status 0"
    ((SECONDS - begun <= 60)) || fail "killed at the start: took $((SECONDS - begun)) s"
    grep -q "error: rank 1 (pid [0-9]*, host .*) has died of signal 9 (Killed), while it starts" log || fail "killed at the start: no message"
}

# Only the watchdog detects a stopped rank.
a_stopped_rank_does_not_hang_the_job() {
    local deadline
    start_late dead || { fail "stopped rank: the program never began"; return; }
    kill -STOP "${pids[4]}"
    ended "stopped rank" $((deadline + 12))
    grep -q "rank 0: deadline and grace are over, and the program could not end by itself" log || fail "stopped rank: no message"
    grep -q "^status failed deadline and grace" dead.tmp/manifest.txt || fail "stopped rank: no trace"
}

# A launcher that ignores dead ranks (only MPICH's has such an option).
a_careless_launcher_does_not_hang_the_job() {
    [[ $mpi == mpich ]] || return 0
    local deadline
    start_late dead -disable-auto-cleanup || { fail "careless launcher: the program never began"; return; }
    kill -KILL "${pids[4]}"
    ended "careless launcher" $((deadline + 12))
    named 4
}

a_killed_launcher_leaves_no_rank() {
    plan plan.txt "segment baseline 0 5" "segment baseline 0 1000000"
    start dead || { fail "killed launcher: the program never began"; return; }
    kill -KILL "$job"
    wait "$job" 2> /dev/null || true
    ended "killed launcher" 15
}

# Two ranks on two cores spin.
ranks_with_cores_of_their_own_spin() {
    (($(nproc) >= 2)) || return 0
    local ranks=2
    plan plan.txt "groups listed v v" "victim latency pairs 1 1000" "segment baseline 5 20"
    run netloom-field plan.txt spin
    complete spin plan.txt
    grep -qx "waiting spin" spin/manifest.txt || fail "two ranks do not spin"
    times_are_whole spin 0 1000 "0 1" 25 0
}

# Without shared memory MPICH 4.0 over UCX hangs at the end in three of four runs, unless the program prevents it.
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

# refused WHAT MESSAGE [PLAN_LINE...]: eight ranks, exit 2, the message by one rank, nothing written.
refused() {
    local what=$1 message=$2
    shift 2
    (($# == 0)) || plan plan.txt "$@"
    run netloom-field plan.txt "${out:-refused}"
    was_refused "$what" "$message"
}
was_refused() { # WHAT MESSAGE
    [[ $status == 2 ]] || fail "$1: status $status"
    (($(grep -cF -- "$2" log) == 1)) || fail "$1: not one message with \`$2\`"
    (($(grep -c "error: " log) == ${n_errors:-1})) || fail "$1: $(grep -c "error: " log) errors"
    [[ ! -e refused && ! -e refused.tmp ]] || fail "$1: output"
}

bad_input_is_refused() {
    printf 'netloom-field plan 1\nstudy %s\nvictim ring 8\nseed x\n' "$study" > plan.txt
    n_errors=8 refused "unknown victim" 'plan.txt:3:8: error: `ring` is no victim'
    refused "unknown key" '`victm` is no key of a plan' "victm ring_all_gather 8"
    refused "size 0" '`0` is too small' "victim ring_all_gather 0"
    refused "size of an aggressor" '`0` is too small' "aggressor incast 0"
    refused "beyond memory" "of this host, which has" "victim all_to_all_linear 2000000000" "size_of per_peer" \
        "groups listed v v v v v v v v"
    refused "an empty group" "the aggressor has 0 of 8 ranks" "aggressor incast 8" "groups listed v v v v v v v v"
    refused "a rank in two groups" "9 roles are listed for 8 ranks" "groups listed v v v v a a a a v"
    refused "a role that is both" '`va` is no role' "groups listed v v v v a a a va"
    ranks=1 refused "one rank" "the victim has 0 of 1 ranks" "seed 3"
    refused "no second baseline" "without a baseline before and after it" "aggressor incast 8" "segment baseline 0 1" \
        "segment congested 0 1"
    plan plan.txt
    mkdir there
    out=there refused "an existing folder" "\`there\` exists already"
    out=plan.txt/below refused "an unwritable folder" "cannot be created"
    out=/proc/netloom-field refused "an unwritable folder" "cannot be created"
    run netloom-field no-plan.txt refused
    was_refused "no plan" "no-plan.txt: error: this plan cannot be read"
    # The last two ranks get another folder, then a superfluous word.
    for words in "--out refused" "--out there --fast"; do
        status=0
        timeout --kill-after=5 60 "${launch[@]}" -n 2 "$build/netloom-field" plan.txt --out there : \
            -n 2 "$build/netloom-field" plan.txt $words < /dev/null > log 2>&1 || status=$?
        was_refused "other arguments" "rank 2 was given \`plan.txt $words\`, rank 0 \`plan.txt --out there\`"
    done
    "$build/netloom-field" plan.txt --check 8 > log 2>&1 || fail "check of a good plan"
    status=0
    "$build/netloom-field" plan.txt --check 2 > log 2>&1 || status=$?
    was_refused "check" "the victim has 1 of 2 ranks"
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
