#!/bin/bash
# Builds a preset with sanitizers and runs its unit tests and, but for threads, its fuzz targets.
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
cmake --build "build/$preset" --parallel "$(nproc)" 2>&1 | tail -n 40
labels='unit|fuzz'
[ "$preset" != tsan ] || labels=unit # what is fuzzed has one thread
exec ctest --test-dir "build/$preset" --parallel "$(nproc)" --output-on-failure -L "$labels"
