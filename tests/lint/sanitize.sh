#!/bin/bash
# Builds a preset with sanitizers and runs its unit tests, the random programs that are judged in several ways and, but
# for threads, its fuzz targets.
# ThreadSanitizer runs those in which it can see something (unseen.py).
#
# usage: sanitize.sh PRESET SOURCE-FOLDER
set -euo pipefail
preset=$1
cd "$2"
# Later compilers move variables to a stack of their own, where tests of unwinding look for nothing.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
# gcc warns that ThreadSanitizer does not understand fences; the seqlocks that use them are known.
cmake --preset "$preset" -DCMAKE_C_FLAGS=-Wno-error=tsan >/dev/null
targets='unit-tests run_routine fuzz-targets'
[ "$preset" != tsan ] || targets='unit-tests run_routine' # what is fuzzed has one thread
# shellcheck disable=SC2086
cmake --build "build/$preset" --parallel "$(nproc)" --target $targets 2>&1 | tail -n 40
chosen=(-L 'unit|ways|fuzz')
if [ "$preset" = tsan ]; then
	chosen=(-L 'unit|ways' -E "$(python3 tests/lint/unseen.py "build/$preset")")
fi
# Programs with threads wait a second at their end for late races, and some wait for kernels that run for long.
exec ctest --test-dir "build/$preset" --parallel "$((2 * $(nproc)))" --output-on-failure "${chosen[@]}"
