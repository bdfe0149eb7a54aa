#!/usr/bin/env python3
"""Runs one test case under streamcheck on the simulated device, every way, and compares.

usage: check.py PREFIX SOURCE PROGRAM
"""
import os
import sys

import checked
import expectation
import verdict

WAYS = [("run", schedule) for schedule in checked.SCHEDULES] + [("bare", "lazy")]


def main():
    prefix, path, program = map(os.path.abspath, sys.argv[1:4])
    source = expectation.Source(path)
    _, variant = expectation.split_name(program)
    failed = skipped = 0
    for mode, schedule in WAYS:
        got = verdict.check(source, variant, program, prefix, mode, "sim", schedule)
        print(f"{mode} {schedule}: {got.word} {got.skipped}")
        for line in got.wrong:
            print(f"    {line}")
        if got.wrong:
            failed += 1
            print(got.result.err)
        skipped += bool(got.skipped)
    if failed:
        return 1
    return 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
