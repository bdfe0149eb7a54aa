#!/usr/bin/env python3
"""Under one seed of the simulated device a program gets the same findings in each run.

usage: test_same_seed.py PREFIX PROGRAM...
"""
import os
import sys

import checked

SEEDS = 3
RUNS = 6


def findings(prefix, program, schedule):
    """What one run finds: rules and how sure they are."""
    result = checked.check(prefix, program, "run", "sim", schedule)
    if result.report is None:
        sys.exit(f"{program} {schedule}: no report\n{result.err}")
    return tuple(sorted((f["rule"], f["confidence"]) for f in result.findings))


def main():
    prefix, *programs = map(os.path.abspath, sys.argv[1:])
    failed = 0
    for program in programs:
        for seed in range(1, SEEDS + 1):
            schedule = f"random:{seed}"
            found = {findings(prefix, program, schedule) for _ in range(RUNS)}
            print(f"{os.path.basename(program)} {schedule}: {sorted(found)}")
            failed += len(found) > 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
