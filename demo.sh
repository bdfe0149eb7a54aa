#!/bin/sh
# Installs what is missing, builds, installs into out/, and checks every seed program, or FILE.cu…
#
# usage: demo.sh [FILE.cu...]
# Programs run on a GPU if there is one, else on the simulated device. Each text report is printed,
# then a table with what was found, what was expected, and the verdict.
set -eu
root=$(cd "$(dirname "$0")" && pwd)
jobs=$(nproc)

"$root/tools/setup.sh"
. "$root/tools/environment.sh"
mkdir -p "$root/build"
echo "demo: building (the log is build/demo.log)"
(
	set -e
	cd "$root"
	cmake --preset release -DSC_TESTS=OFF
	cmake --build build/release --parallel "$jobs"
	cmake --install build/release --prefix out
) >"$root/build/demo.log" 2>&1 || { cat "$root/build/demo.log"; exit 1; }
exec python3 "$root/tests/e2e/demo.py" "$root" "$@"
