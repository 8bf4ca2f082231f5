#!/usr/bin/env bash
# Builds netloom-field from source/. Debian's packages: cmake g++, and openmpi-bin libopenmpi-dev or mpich libmpich-dev.
#
#     ./build.sh                        # with mpicxx from PATH
#     MPICXX=/opt/mpi/bin/mpicxx ./build.sh
set -euo pipefail
cd "$(dirname "$0")"
# CMake refuses a build folder that was created at another path.
grep -qsx "CMAKE_CACHEFILE_DIR:INTERNAL=$PWD/build/site" build/site/CMakeCache.txt || rm -rf build/site
cmake -S source -B build/site -DFIELD_TESTS=OFF -DMPI_CXX_COMPILER="$(command -v "${MPICXX:-mpicxx}")"
cmake --build build/site
