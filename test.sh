#!/bin/sh
# Installs what is missing, builds, runs every test, and ends with the summary of ctest.
#
# usage: test.sh [ARGUMENTS OF CTEST]   for instance: test.sh -L unit, test.sh -R seed
set -eu
root=$(cd "$(dirname "$0")" && pwd)
cd "$root"
jobs=$(nproc)

tools/setup.sh tests
. tools/environment.sh
mkdir -p build
cmake --preset release -DSC_TESTS=ON >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
cmake --build build/release --parallel "$jobs"
exec ctest --test-dir build/release --parallel "$jobs" --output-on-failure "$@"
