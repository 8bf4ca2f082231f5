#!/usr/bin/env bash
# The Python package.
#   python.sh check    builds a wheel of this machine, installs it in a fresh environment in target/, and runs all checks
#   python.sh wheels   builds wheels for x86-64 and aarch64 and the source distribution, in target/wheels
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
home="$target/python"
skip() { exec scripts/skip.sh "the Python package" "$1" "$2"; }

command -v python3 >/dev/null || skip "python3 is not installed" "apt-get install python3 python3-venv"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "python3 is older than 3.11" "Python 3.11 or newer"

# An environment with the packages of python/requirements.txt, made anew when these change.
environment() {
    local wanted
    wanted=$(cat python/requirements.txt)
    if [ "$(cat "$home/packages" 2>/dev/null)" != "$wanted" ]; then
        rm -rf "$home"
        python3 -m venv "$home" >/dev/null 2>&1 || skip "python3 cannot create virtual environments" "apt-get install python3-venv"
        "$home/bin/pip" install --quiet --disable-pip-version-check -r python/requirements.txt ||
            skip "the packages of python/requirements.txt cannot be fetched" "pip install, with a network"
        echo "$wanted" >"$home/packages"
    fi
}

wheels() {
    local folder="$target/wheels"
    rm -rf "$folder"
    for architecture in x86_64 aarch64; do
        # Zig is a C compiler and linker for both, with the symbols of an old C library.
        (cd python && PATH="$home/bin:$PATH" maturin build --release --locked --zig --compatibility manylinux_2_28 \
            --target "$architecture-unknown-linux-gnu" --out "$folder")
    done
    (cd python && "$home/bin/maturin" sdist --out "$folder")
    complete_source "$folder"/*.tar.gz
    ls -l "$folder"
}

# Adds what the crates compile in from outside their folders: papers, fabrics, the MPI program, the demonstration.
complete_source() {
    local archive=$1 work
    work=$(mktemp -d)
    tar -xzf "$archive" -C "$work"
    local root
    root=$(echo "$work"/*)
    git ls-files -z papers fabrics field scenarios/demo | tar -c --null -T - | tar -x -C "$root"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$(basename "$root")" | gzip -n9 >"$archive"
    rm -rf "$work"
}

check() {
    python3 scripts/scenario_classes.py --check
    "$home/bin/ruff" check --quiet --config python/ruff.toml python docs/notebooks scripts/scenario_classes.py
    "$home/bin/ruff" format --quiet --check --config python/ruff.toml python docs/notebooks scripts/scenario_classes.py
    rm -rf "$home/wheel"
    (cd python && "$home/bin/maturin" build --quiet --release --locked --out "$home/wheel" --interpreter "$home/bin/python")
    "$home/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$home"/wheel/*.whl
    # The stub against the module itself; what other libraries declare is not ours.
    "$home/bin/stubtest" --mypy-config-file python/mypy.ini --concise netloom._native
    "$home/bin/pytest" --quiet python/tests
    PYTHON="$home/bin/python" scripts/cluster_namespaces.sh
}

environment
case "${1:-}" in
check) check ;;
wheels) wheels ;;
*) echo "usage: python.sh check|wheels" >&2; exit 2 ;;
esac
