#!/usr/bin/env python3
"""A launcher: starts a command once for each rank, and waits for all. usage: launch.py [-n RANKS] [--] COMMAND...

Under the name `srun` it gives ranks as Slurm does, else as MPICH. Exit code: the largest of all ranks, 128+n for a signal.
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
names = ("SLURM_PROCID", "PMI_RANK") if os.path.basename(sys.argv[0]) == "srun" else ("PMI_RANK",)
started = [subprocess.Popen(words, env={**os.environ, **{name: str(rank) for name in names}}) for rank in range(ranks)]
codes = [process.wait() for process in started]
sys.exit(max(code if code >= 0 else 128 - code for code in codes))
