#!/bin/sh
# Checks a program of many ranks in three jobs of Slurm: record, analyze (an array, a shard each), merge.
#
# usage: [SHARDS=16] ranks-slurm.sh FOLDER "OPTIONS OF sbatch" PROGRAM [ARGUMENT...]
#
#   SHARDS=16 ranks-slurm.sh "$PWD/traces" "--nodes=64 --ntasks-per-node=4 --gpus-per-node=4" ./app input
#
# FOLDER must be seen by all nodes. Each job begins when the one before has ended, however it ended: a crash of one rank keeps
# the traces of the others. The reports are FOLDER/report.txt, .json and .html; the last job fails if the gate does (GATE: options of streamcheck
# merge). OPTIONS are for the first job; ANALYZE_OPTIONS for the others, which need one core and no GPU.
set -eu

# What a job does: the script is given to sbatch again, with the job's name.
case ${1-} in
record)
	folder=$2
	shift 2
	exec srun streamcheck run --analyze=no "--trace=$folder/%r-%p.sct" -- "$@"
	;;
analyze)
	# Findings are no failure here; the last job judges them.
	streamcheck analyze --html=no --fail-on=none "--shard=$SLURM_ARRAY_TASK_ID/$3" "$2" || [ $? -eq 3 ]
	exit
	;;
merge)
	# shellcheck disable=SC2086 # several options
	exec streamcheck merge --html=no ${GATE:-} "--output=$2/report.txt" "--report=json:$2/report.json" \
		"--report=html:$2/report.html" "$2"
	;;
esac

[ $# -ge 3 ] || { sed -n '2,6p' "$0" >&2; exit 2; }
folder=$1
options=$2
shift 2
shards=${SHARDS:-16}
mkdir -p "$folder"
rm -f "$folder"/*.sct "$folder"/*.scs

submit() {
	sbatch --parsable "$@" | sed 's/;.*//' # the name of a cluster may follow
}

# shellcheck disable=SC2086 # several options
record=$(submit --job-name=streamcheck-record $options "$0" record "$folder" "$@")
# shellcheck disable=SC2086
analyze=$(submit --job-name=streamcheck-analyze --dependency="afterany:$record" --array="1-$shards" --ntasks=1 \
	${ANALYZE_OPTIONS:-} "$0" analyze "$folder" "$shards")
# shellcheck disable=SC2086
merge=$(submit --job-name=streamcheck-merge --dependency="afterany:$analyze" --ntasks=1 ${ANALYZE_OPTIONS:-} \
	"$0" merge "$folder")
echo "jobs $record (record), $analyze (analyze, $shards shards), $merge (merge: $folder/report.txt)"
