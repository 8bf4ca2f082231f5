#!/usr/bin/env bash
# Runs every golden scenario on aarch64 and compares digests with scenarios/golden.digests.
#
# The command is cross-compiled for aarch64 and run under user-mode emulation.
# Built as tests are, so that it shares no lock with the release build beside it in `make test`: floating point in Rust gives
# the same results at every level of optimization.
set -euo pipefail
target=aarch64-unknown-linux-gnu
what="golden digests on aarch64"
need() { # command, package
    command -v "$1" >/dev/null || { scripts/skip.sh "$what" "$1 is not installed" "apt-get install $2"; exit; }
}
need qemu-aarch64 qemu-user
need aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    exec scripts/skip.sh "$what" "the standard library for $target is not installed" "rustup target add $target"
fi

[ -f scenarios/golden.digests ] || { echo "scenarios/golden.digests is missing: make golden" >&2; exit 1; }

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc
export CARGO_PROFILE_DEV_DEBUG=0
cargo build --locked --target "$target" -p netloom-cli
netloom="${CARGO_TARGET_DIR:-target}/$target/debug/netloom"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
n=0
while read -r scenario expected; do
    n=$((n + 1))
    # A run that ends early (exit code 3), for example because a NIC stays down, has a digest, too.
    qemu-aarch64 -L /usr/aarch64-linux-gnu "$netloom" run "$scenario" -o "$out/$n" --quiet 2>"$out/$n.log" \
        || [ $? = 3 ] || { cat "$out/$n.log" >&2; exit 1; }
    # The first digest of a manifest is that of the run; those of its tables follow.
    found=$(grep -m 1 -o '"digest": *"[0-9a-f]*"' "$out/$n/manifest.json" | sed 's/.*"\(.*\)"/\1/')
    if [ "$found" != "$expected" ]; then
        echo "DIFFERENT on aarch64: $scenario: expected $expected, found $found" >&2
        exit 1
    fi
done < scenarios/golden.digests
echo "aarch64: $n digests equal"
