#!/usr/bin/env python3
"""A launcher: starts a command once for each rank, and waits for all. usage: launch.py [-n RANKS] [--] COMMAND...

Under the name `srun` it gives ranks, job ($LAUNCH_JOB) and step as Slurm does, else ranks as MPICH. Exit code: the largest of all ranks, 128+n for a signal.
"""
import os
import subprocess
import sys

words = sys.argv[1:]
ranks = int(os.environ.get("LAUNCH_RANKS", "4"))
if words[0] == "-n":
    ranks, words = int(words[1]), words[2:]
if words[0] == "--":
    words = words[1:]
is_srun = os.path.basename(sys.argv[0]) == "srun"
names = ("SLURM_PROCID", "PMI_RANK") if is_srun else ("PMI_RANK",)
job = {"SLURM_JOB_ID": os.environ.get("LAUNCH_JOB", "1"), "SLURM_STEP_ID": "0"} if is_srun else {}
started = [subprocess.Popen(words, env={**os.environ, **job, **{name: str(rank) for name in names}}) for rank in range(ranks)]
codes = [process.wait() for process in started]
sys.exit(max(code if code >= 0 else 128 - code for code in codes))
