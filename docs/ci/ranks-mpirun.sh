#!/bin/sh
# Checks a program of several ranks, and writes one report of all of them.
#
# usage: ranks-mpirun.sh FOLDER LAUNCHER [OPTION...] -- PROGRAM [ARGUMENT...]
#
#   ranks-mpirun.sh traces mpirun -n 4 -- ./app input
#   ranks-mpirun.sh traces srun -n 64 -- ./app input
#
# FOLDER must be seen by all nodes. While the program runs, ranks are recorded only: none waits for the report of another, and
# a rank that crashes leaves its trace, as those do that the launcher ends then. JOBS: jobs that analyze, side by side, here.
# GATE: options of streamcheck merge, such as --fail-on=warning. FOLDER/report.html: the report for
# browsers. Exit code: the launcher's if that is not 0, else the report's.
set -u
[ $# -ge 4 ] || { sed -n '2,6p' "$0" >&2; exit 2; }
folder=$1
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
shift
mkdir -p "$folder" || exit 2
rm -f "$folder"/*.sct "$folder"/*.scs

# The recorder goes between the launcher and the program: after the first "--".
left=$#
found=
while [ "$left" -gt 0 ]; do
	word=$1
	shift
	left=$((left - 1))
	if [ "$word" = -- ] && [ -z "$found" ]; then
		found=1
		set -- "$@" streamcheck run --analyze=no "--trace=$folder/%r-%p.sct" --
	else
		set -- "$@" "$word"
	fi
done
[ -n "$found" ] || { echo "ranks-mpirun.sh: no -- between the launcher and the program" >&2; exit 2; }
"$@"
status=$?

shard=1
while [ "$shard" -le "$jobs" ]; do
	streamcheck analyze --html=no --output=/dev/null "--shard=$shard/$jobs" "$folder" &
	shard=$((shard + 1))
done
wait
# shellcheck disable=SC2086 # several options
streamcheck merge --html=no ${GATE:-} "--report=html:$folder/report.html" "$folder"
verdict=$?
[ "$status" -ne 0 ] && exit "$status"
exit "$verdict"
