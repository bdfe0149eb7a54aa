#!/bin/sh
# Installs what is missing, builds, runs every test, and ends with the summary of ctest.
#
# usage: test.sh [ARGUMENTS OF CTEST]   for instance: test.sh -L unit, test.sh -R seed
set -eu
root=$(cd "$(dirname "$0")" && pwd)
cd "$root"
jobs=$(nproc)

[ -e build/release/tests ] ||
	echo "test: a first run fetches 600 MB, takes 4 GB of the disk and, on two cores, some 45 minutes"
tools/setup.sh tests
tools/runtimes.sh
. tools/environment.sh
log=$root/build/test.log
: >"$log"
python3 tools/progress.py "test: configuring" "$log" cmake --preset release -DSC_TESTS=ON
python3 tools/progress.py "test: building" "$log" \
	cmake --build build/release --parallel "$jobs"
# Tests wait for programs, browsers and devices a quarter of their time: half as many more at once use it.
exec ctest --test-dir build/release --parallel "$((jobs + (jobs + 1) / 2))" --output-on-failure "$@"
