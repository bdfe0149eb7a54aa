#!/bin/sh
# Installs what is missing, builds, runs the tests, and ends with the summary of ctest.
#
# usage: test.sh [all|rest] [ARGUMENTS OF CTEST]   for instance: test.sh -L unit, test.sh all -R e2e/guard
#
# Without a word: units, traces, oracles, the programs of the rules, formats, lints. With `rest`, what is left: all other
# programs, life in strange processes, the simulated device's own tests, growth, sanitizers, fuzzing, packages, browsers.
# With `all`, both.
set -eu
root=$(cd "$(dirname "$0")" && pwd)
cd "$root"
jobs=$(nproc)
build=$root/build/release
log=$root/build/test.log
quick='^(unit|trace|oracle|rules|formats|lint)$'
if [ "${1:-}" = all ] || [ "${1:-}" = rest ]; then
	tests=$1
	shift
	[ "$tests" = all ] || set -- -LE "$quick" "$@"
	packages=all
	target=all
	needs="fetches 720 MB, takes 4 GB of the disk and, on two cores, some 45 minutes"
else
	packages=tests
	target=quick-tests
	needs="fetches 270 MB, takes 2 GB of the disk and, on two cores, some 12 minutes"
	set -- -L "$quick" "$@"
fi

[ -e "$build/tests" ] || echo "test: a first run $needs"
tools/setup.sh "$packages"
[ "$packages" = tests ] || tools/runtimes.sh
. tools/environment.sh
: >"$log"
python3 tools/progress.py "test: configuring" "$log" cmake --preset release -DSC_TESTS=ON
python3 tools/progress.py "test: building" "$log" \
	cmake --build "$build" --parallel "$jobs" --target "$target"
# Tests wait for programs, browsers and devices a quarter of their time: half as many more at once use it.
exec python3 tools/progress.py --tests \
	ctest --test-dir "$build" --parallel "$((jobs + (jobs + 1) / 2))" --output-on-failure "$@"
