#!/usr/bin/env python3
"""Under one schedule of the simulated device a program gets the same findings in each run, beside others that keep the machine busy.

usage: test_same_seed.py PREFIX PROGRAM...
"""
import concurrent.futures
import os
import sys

import checked

SCHEDULES = ("eager", "lazy", "random:1", "random:2", "random:3")
RUNS = 6
AT_ONCE = 6


def findings(prefix, program, schedule):
    """What one run finds: rules and how sure they are."""
    result = checked.check(prefix, program, "run", "sim", schedule)
    if result.report is None:
        sys.exit(f"{program} {schedule}: no report\n{result.err}")
    return tuple(sorted((f["rule"], f["confidence"]) for f in result.findings))


def main():
    prefix, *programs = map(os.path.abspath, sys.argv[1:])
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for program in programs:
            for schedule in SCHEDULES:
                found = set(pool.map(lambda _, p=program, s=schedule: findings(prefix, p, s), range(RUNS)))
                print(f"{os.path.basename(program)} {schedule}: {sorted(found)}")
                failed += len(found) > 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
