#!/usr/bin/env bash
# Searches for scenario text that does harm, guided by coverage: fuzz.sh [SECONDS]
#
# Stable Rust and a C++ compiler are enough: libFuzzer comes as a crate, and the flags below make the counters it is
# guided by. It starts from the scenarios, the corpus of broken ones, fuzz/seeds and what earlier runs found worth keeping.
# A failure is left in target/fuzz/failures; the same binary with that file as its argument repeats it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-600}"
target="$(rustc -vV | sed -n 's/^host: //p')"
folder="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"
mkdir -p "$folder/corpus" "$folder/failures"

if ! command -v c++ >/dev/null; then
    exec scripts/skip.sh "fuzzing" "no C++ compiler is installed" "apt-get install g++"
fi

counters=(-C passes=sancov-module)
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    counters+=(-C "llvm-args=-sanitizer-coverage-$option")
done
# With a target named, the flags leave build scripts alone.
RUSTFLAGS="--cfg fuzzing ${counters[*]} -C codegen-units=1" cargo build --release --locked \
    --manifest-path fuzz/Cargo.toml --target "$target" --target-dir "$folder/build"

"$folder/build/$target/release/scenario" "$folder/corpus" fuzz/seeds scenarios crates/scenario/tests/broken \
    -dict=fuzz/scenario.dict -artifact_prefix="$folder/failures/" -max_total_time="$seconds" \
    -max_len=16384 -timeout=10 -rss_limit_mb=4096 -print_final_stats=1
