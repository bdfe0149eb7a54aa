#!/usr/bin/env python3
"""Stands in for Slurm's sbatch: runs a job at once, and each task of an array, as one after the other would run.

usage: sbatch [OPTION...] SCRIPT [ARGUMENT...]; each call is a line of the file $SBATCH_LOG, whose number is the job's.
"""
import os
import subprocess
import sys

log = os.environ["SBATCH_LOG"]
options = {}
words = sys.argv[1:]
while words[0].startswith("--"):
    name, _, value = words.pop(0)[2:].partition("=")
    options[name] = value
with open(log, "a+", encoding="utf-8") as file:
    file.seek(0)
    job = len(file.readlines()) + 1
    after = options.get("dependency")
    if after and not (after.startswith("afterany:") and 0 < int(after.removeprefix("afterany:")) < job):
        sys.exit(f"sbatch: unknown dependency {after}")
    file.write(f"{options['job-name']} {after or '-'} {options.get('array', '-')}\n")
first, last = map(int, options.get("array", "1-1").split("-"))
codes = []
for task in range(first, last + 1):
    with open(f"{log}.{job}.{task}", "wb") as said:
        codes.append(subprocess.run(["sh", *words], env={**os.environ, "SLURM_ARRAY_TASK_ID": str(task)}, stdout=said,
                                    stderr=said, check=False).returncode)
with open(f"{log}.codes", "a", encoding="utf-8") as file:
    file.write(f"{options['job-name']} {codes}\n")
print(f"{job};cluster")
