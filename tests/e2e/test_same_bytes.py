#!/usr/bin/env python3
"""A program under guard computes the very bytes that it computes without streamcheck.

usage: test_same_bytes.py PREFIX PROGRAM [gpu]   (the program prints a digest of its memory)
"""
import os
import re
import sys

import checked

SETTINGS = ("guard=full", "guard=sparse", "guard=off")


def alone(prefix, program, device, schedule):
    """What the program prints without streamcheck."""
    env = checked.environment(prefix, device, schedule, True)
    del env["LD_PRELOAD"]
    code, out, err = checked.run([program], env)
    if code or not re.fullmatch(r"[0-9a-f]{16}\n", out):
        sys.exit(f"without streamcheck: exit code {code}, said {out!r}\n{err}")
    return out


def main():
    prefix, program = map(os.path.abspath, sys.argv[1:3])
    device = "gpu" if sys.argv[3:] == ["gpu"] else "sim"
    failed = 0
    for schedule in checked.SCHEDULES if device == "sim" else (None,):
        want = alone(prefix, program, device, schedule)
        for setting in SETTINGS:
            result = checked.check(prefix, program, "bare", device, schedule, options=[setting])
            same = result.code == 0 and result.out == want and not result.findings
            print(f"{schedule} {setting}: {result.out.strip()} {'same' if same else 'DIFFERENT'}")
            if not same:
                failed += 1
                print(f"    without: {want.strip()}, exit code {result.code}\n{result.err}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
