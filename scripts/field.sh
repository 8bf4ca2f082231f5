#!/usr/bin/env bash
# Builds field/ with each installed MPI library and runs its tests; a missing library is reported as SKIPPED.
set -euo pipefail
cd "$(dirname "$0")/.."
build="${CARGO_TARGET_DIR:-$PWD/target}/field"

for tool in cmake c++; do
    if ! command -v "$tool" > /dev/null; then
        scripts/skip.sh "measuring with MPI" "$tool is not installed" "apt-get install cmake g++"
        exit 0
    fi
done

# Runs a command with a time limit in seconds; a command that reaches it has failed. An idle machine needs a fifth of it.
bounded() { # SECONDS COMMAND...
    local status=0
    timeout --kill-after=20 "$@" || status=$?
    [ "$status" != 124 ] && [ "$status" != 137 ] || echo "FAILED: no end after $1 s: ${*:2}" >&2
    return "$status"
}
# Whether the launcher may start processes on this machine; its output is in `reason`.
may_launch() { # MPI
    local options=()
    [ "$1" != openmpi ] || options=(--oversubscribe --allow-run-as-root --bind-to none)
    reason=$(timeout --kill-after=5 60 "mpiexec.$1" "${options[@]}" -n 2 true < /dev/null 2>&1)
}
# Builds in a separate folder; the system's alternatives are not changed.
build_with() { # MPI
    local log="$build/$1.log"
    mkdir -p "$build"
    if ! { cmake -S field -B "$build/$1" -DMPI_CXX_COMPILER="$(command -v "mpicxx.$1")" \
        -DMPIEXEC_EXECUTABLE="$(command -v "mpiexec.$1")" -DFIELD_STRICT=ON &&
        cmake --build "$build/$1" -j "$(nproc)"; } > "$log" 2>&1; then
        cat "$log" >&2
        return 1
    fi
}
check() { # MPI PACKAGES
    if ! command -v "mpicxx.$1" > /dev/null || ! command -v "mpiexec.$1" > /dev/null; then
        scripts/skip.sh "measuring with $1" "mpicxx.$1 and mpiexec.$1 are not installed" "apt-get install $2"
    elif ! may_launch "$1"; then
        scripts/skip.sh "measuring with $1" "mpiexec.$1 cannot start processes here: ${reason//$'\n'/ }" "a machine that allows it"
    else
        build_with "$1"
        echo "field: $1"
        bounded 480 ctest --test-dir "$build/$1" --output-on-failure --no-tests=error
    fi
}
check openmpi "openmpi-bin libopenmpi-dev"
check mpich "mpich libmpich-dev"
