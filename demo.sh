#!/bin/sh
# Installs what is missing, builds, installs into out/, and checks every seed program, or FILE.cu…
#
# usage: demo.sh [FILE.cu...]
# Programs run on a GPU if there is one, else on the simulated device. Each text report is printed,
# then a table with what was found, what was expected, and the verdict.
set -eu
root=$(cd "$(dirname "$0")" && pwd)
log=$root/build/demo.log
target=all
[ $# = 0 ] || target=tool

# step TITLE COMMAND...: ends the demo, with what failed, if the command does.
step() {
	title=$1
	shift
	python3 "$root/tools/progress.py" "demo: $title" "$log" "$@"
}

[ -e "$root/out/bin/streamcheck" ] ||
	echo "demo: a first run fetches 240 MB, takes 1 GB of the disk and, on two cores, about 4 minutes"
"$root/tools/setup.sh"
. "$root/tools/environment.sh"
mkdir -p "$root/build"
: >"$log"
build=$root/build/release
step "[1/3] configuring" cmake -S "$root" --preset release -DSC_TESTS=OFF
step "[2/3] building" cmake --build "$build" --parallel "$(nproc)" --target "$target"
step "[3/3] installing into out/" cmake --install "$build" --prefix "$root/out"
exec python3 "$root/tests/e2e/demo.py" "$root" "$@"
