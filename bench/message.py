#!/usr/bin/env python3
"""How many instructions the recorder executes for a message of MPI, on any machine and however busy it is.

Usage: message.py [--most COUNT] RANKS LIBRARY DRIVER-FOLDER

One rank exchanges messages with itself (bench/ranks.c) under callgrind, for two lengths of the run: the difference is
what messages cost, with their part of the call that waits for them, and without what is called in MPI. With --most it
fails above that. Exit code 77: there is no valgrind, or RANKS was not built (target bench-ranks).
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import instructions

ROUNDS = (20, 60)
MESSAGES = 40 * 4  # of a round


def executed(args, rounds, folder):
    out = os.path.join(folder, "profile")
    env = dict(os.environ, LD_PRELOAD=args.library, LD_LIBRARY_PATH=args.driver, OMPI_MCA_btl="self,vader",
               STREAMCHECK_OPTIONS=f"analyze=no:trace={folder}/{rounds}.sct")
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", args.ranks, "64", str(rounds)],
                          env=env, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        sys.exit(f"{args.ranks} failed under callgrind:\n{done.stdout}{done.stderr}")
    return sum(count for (file, _), count in instructions.Profile(out).own.items()
               if file.endswith(os.path.basename(args.library)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int)
    parser.add_argument("ranks")
    parser.add_argument("library")
    parser.add_argument("driver")
    args = parser.parse_args()
    if not shutil.which("valgrind") or not os.path.exists(args.ranks):
        print("skipped: needs valgrind, and the target bench-ranks")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        few, many = (executed(args, rounds, folder) for rounds in ROUNDS)
    count = (many - few) / ((ROUNDS[1] - ROUNDS[0]) * MESSAGES)
    print(f"{count:.0f} instructions a message")
    if args.most and count > args.most:
        print(f"that is more than {args.most}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
