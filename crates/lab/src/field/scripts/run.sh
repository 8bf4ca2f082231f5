#!/usr/bin/env bash
# Measures the points that are not measured yet, one after the other; the same command continues after an interruption.
#
#     ./run.sh
#     LAUNCH=srun ./run.sh
#     LAUNCH=mpirun OPTIONS="--mca btl tcp,self" ./run.sh
#
# LAUNCH   mpirun of Open MPI or of MPICH, or srun; it must belong to the MPI library of the program
# OPTIONS  its additional options
# PROGRAM  the program that build.sh builds
#
# Each host runs one rank, in the launcher's order of hosts. If hosts.txt names a host of the machine for each host of a
# point, its ranks run on those. SIGTERM and SIGINT end the launcher; the interrupted point is measured again.
set -uo pipefail
cd "$(dirname "$0")" || exit 2
LAUNCH=${LAUNCH:-mpirun}
PROGRAM=${PROGRAM:-build/site/netloom-field}
read -r -a options <<< "${OPTIONS:-}"

if [[ ! -x $PROGRAM ]]; then
    echo "run.sh: the program $PROGRAM does not exist; ./build.sh builds it" >&2
    exit 2
fi
case $("$LAUNCH" --version 2>&1) in
*"Open MPI"* | *OpenRTE*) mpi=openmpi ;;
*HYDRA* | *[Mm][Pp][Ii][Cc][Hh]*) mpi=mpich ;;
*[Ss]lurm*) mpi=slurm ;;
*)
    echo "run.sh: \`$LAUNCH\` is neither mpirun of Open MPI or MPICH nor srun; set LAUNCH" >&2
    exit 2
    ;;
esac
n_failed=0

# Only one process may measure: a result that another process is writing would look like one of a job that died.
exec 9>> RUNNING
if command -v flock > /dev/null && ! flock -n 9; then
    echo "run.sh: another process, which holds RUNNING, is already measuring this study" >&2
    exit 2
fi
trap 'rm -f RUNNING' EXIT
launcher=
stop() { # STATUS
    if [[ -n $launcher ]]; then
        kill -TERM "$launcher" 2> /dev/null
        wait "$launcher"
    fi
    echo "run.sh: stopped by a signal; the same command continues" >&2
    exit "$1"
}
trap 'stop 143' TERM
trap 'stop 130' INT

# Map of hosts of the study to hosts of the machine: all mistakes are reported before anything is measured.
tr -d '\r' < hosts.txt | awk '
    /^[ \t]*(#|$)/ { next }
    NF != 2 { print "hosts.txt:" NR ": `" $0 "`; expected two names, a host of the study and one of the machine, or -"; wrong = 1; next }
    $1 in line { print "hosts.txt:" NR ": " $1 " is in line " line[$1] " as well"; wrong = 1 }
    $2 != "-" && ($2 in taken) { print "hosts.txt:" NR ": " $2 " is " taken[$2] " already"; wrong = 1 }
    { line[$1] = NR; taken[$2] = $1 }
    END { exit wrong }' >&2 || exit 2

status_of() { # FOLDER
    sed -n 's/^status \([a-z]*\).*/\1/p' "$1/manifest.txt" 2> /dev/null
}

set_aside() { # FOLDER NAME
    local number=1
    while [[ -e $2-$number ]]; do number=$((number + 1)); done
    mv "$1" "$2-$number"
    # The launcher's log belongs to it.
    [[ -e ${1%/*}/log.txt ]] && mv "${1%/*}/log.txt" "${2%/*}/log.${2##*.}-$number.txt"
    echo "  the earlier result is now $2-$number"
}

place() { # POINT: writes the hosts of the machine for its ranks, if hosts.txt has all of them
    tr -d '\r' < hosts.txt | awk 'is_name { if ($0 !~ /^[ \t]*#/ && NF == 2 && $2 != "-") name[$1] = $2; next }
        { if (!($1 in name)) exit 1; print name[$1] }' is_name=1 - is_name=0 "points/$1/hosts.txt" > "points/$1/machine.txt" ||
        { rm -f "points/$1/machine.txt"; false; }
}

measure() { # POINT RANKS
    local here="points/$1" words=() hosts="in the launcher's order"
    # The file of the previous point would apply to these ranks, too.
    unset SLURM_HOSTFILE
    if [[ -e $here/result ]] && ! cmp -s "$here/plan.txt" "$here/result/plan.txt"; then
        echo "run.sh: $1: plan.txt differs from the plan in result; one of them was edited" >&2
        exit 2
    fi
    case $(status_of "$here/result") in
    complete) echo "$1: measured already"; return ;;
    deadline) echo "$1: measured already, up to its deadline; remove $here/result to measure it again"; return ;;
    esac
    echo "$1: $2 ranks"
    [[ -e $here/result ]] && set_aside "$here/result" "$here/result.failed"
    [[ -e $here/result.tmp ]] && set_aside "$here/result.tmp" "$here/result.died"
    case $mpi in
    openmpi) words=(--map-by node) ;;
    mpich) words=(-ppn 1) ;;
    slurm) words=(--nodes="$2" --ntasks-per-node=1) ;;
    esac
    if place "$1"; then
        hosts="those of hosts.txt"
        case $mpi in
        openmpi) words+=(--hostfile "$here/machine.txt") ;;
        mpich) words+=(-f "$here/machine.txt") ;;
        slurm)
            export SLURM_HOSTFILE="$here/machine.txt"
            words=(--distribution=arbitrary)
            ;;
        esac
    fi
    words=("$LAUNCH" "${words[@]}" ${options[@]+"${options[@]}"} -n "$2" "$PROGRAM" "$here/plan.txt" --out "$here/result")
    echo "  hosts $hosts"
    echo "  ${words[*]}"
    "${words[@]}" > "$here/log.txt" 2>&1 < /dev/null 9>&- &
    launcher=$!
    wait "$launcher"
    launcher=
    case $(status_of "$here/result") in
    complete | deadline) ;;
    failed)
        echo "run.sh: $1: $(sed -n 's/^status //p' "$here/result/manifest.txt")" >&2
        n_failed=$((n_failed + 1))
        ;;
    *)
        echo "run.sh: $1 was not measured; $here/log.txt ends with:" >&2
        tail -n 15 "$here/log.txt" | sed 's/^/    /' >&2
        exit 1
        ;;
    esac
}

