#!/usr/bin/env python3
"""What a program loses because another process follows its trace: the same program recorded only, followed, and followed
with bounded disk, in turn.

Usage: follower.py [--rounds N] [--cores PROGRAM,FOLLOWER] PREFIX PROGRAM [ARGUMENT]...

PREFIX has an installed streamcheck. The program runs on one core of the machine, the follower and `streamcheck run` on another
one. Its own time and processor time are printed for each way: the best and the median of all rounds, and their ratios to a
program that is recorded only. Where others use the machine the ratio of processor times says what the follower costs. The
simulated device executes no kernel. A program for it: tests/growth/long_run.cu, with 2000000.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

WAYS = (("recorded only", ("--live=no", "--analyze=no")), ("followed", ("--live=yes",)), ("followed, bounded disk", ("--live-disk=1g",)))
TIMED = 'TIMEFORMAT="%R %U %S"; { time "$@" 2>&3; } 3>&2 2>"$0"'


def measure(args, options):
    """(seconds, seconds of processors) of the program alone."""
    program_core, follower_core = args.cores.split(",")
    with tempfile.TemporaryDirectory(prefix="streamcheck-bench-") as folder:
        times = os.path.join(folder, "times")
        env = dict(os.environ, TMPDIR=folder, STREAMCHECK_SIM_KERNELS="skip")
        command = ["taskset", "-c", follower_core, os.path.join(args.prefix, "bin", "streamcheck"), "run", "--device=sim",
                   "--html=no", "--advice=no", f"--output={folder}/report", f"--trace={folder}/trace.sct", *options, "--",
                   "bash", "-c", TIMED, times, "taskset", "-c", program_core, *args.program]
        done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if not os.path.exists(times):
            sys.exit(f"follower.py: exit code {done.returncode}: {done.stderr}")
        with open(times, encoding="ascii") as file:
            whole, user, system = map(float, file.read().split())
    return whole, user + system


def show(what, took, number):
    base = took[WAYS[0][0]]
    print(f"{what:28} {'best':>8} {'median':>8}")
    for name, _ in WAYS:
        cells = []
        for of in min, statistics.median:
            value, plain = (of([row[number] for row in rows]) for rows in (took[name], base))
            cells.append(f"{value:8.2f} ({value / plain:.3f}x)")
        print(f"{name:28}", *cells, flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", default="0,1")
    parser.add_argument("prefix")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    args.prefix, args.program[0] = os.path.abspath(args.prefix), os.path.abspath(args.program[0])
    took = {name: [] for name, _ in WAYS}
    for number in range(args.rounds):
        for name, options in WAYS:
            took[name].append(measure(args, options))
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr, flush=True)
    show("seconds", took, 0)
    show("seconds of processors", took, 1)


if __name__ == "__main__":
    main()
