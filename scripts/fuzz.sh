#!/usr/bin/env bash
# Searches for input that causes crashes or hangs, guided by coverage: fuzz.sh [SECONDS] [TARGET...]
#
# Targets: scenario, flows (a file of them), study; osu, nccl-tests, crab and seed-sim (importers), results (of the MPI
# program); manifest and folder (of a run), sweep (the files of one); by default each gets an equal part of the time.
#
# Stable Rust and a C++ compiler are sufficient: libFuzzer comes as a crate, and the flags below create its coverage
# counters. It starts from fuzz/seeds (for scenarios also from the corpus of broken ones) and from the inputs that earlier
# runs kept.
# A failing input is written to target/fuzz/failures; the same binary with that file as its argument reproduces it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-600}"
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(scenario flows study osu nccl-tests crab seed-sim results manifest folder sweep)
target="$(rustc -vV | sed -n 's/^host: //p')"
folder="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"

if ! command -v c++ >/dev/null; then
    exec scripts/skip.sh "fuzzing" "no C++ compiler is installed" "apt-get install g++"
fi

counters=(-C passes=sancov-module)
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    counters+=(-C "llvm-args=-sanitizer-coverage-$option")
done
# With --target, the flags do not apply to build scripts.
RUSTFLAGS="--cfg fuzzing ${counters[*]} -C codegen-units=1" cargo build --release --locked \
    --manifest-path fuzz/Cargo.toml --target "$target" --target-dir "$folder/build"

for name in "${targets[@]}"; do
    mkdir -p "$folder/corpus/$name" "$folder/failures/$name"
    places=("$folder/corpus/$name" "fuzz/seeds/$name")
    options=()
    if [ "$name" = scenario ]; then
        places+=(scenarios crates/scenario/tests/broken)
        options=(-dict=fuzz/scenario.dict)
    fi
    "$folder/build/$target/release/$name" "${places[@]}" "${options[@]}" -artifact_prefix="$folder/failures/$name/" \
        -max_total_time="$((seconds / ${#targets[@]}))" -max_len=16384 -timeout=10 -rss_limit_mb=4096 -print_final_stats=1
done
