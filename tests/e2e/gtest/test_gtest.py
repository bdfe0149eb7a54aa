#!/usr/bin/env python3
"""What findings say of GoogleTest's tests. usage: test_gtest.py PREFIX PROGRAM   (none: GoogleTest is not installed)"""
import sys

import checked

SKIPPED = 77
WANTED = [("Upload", "Upload.SeesTheFixture"), ("Upload.Races", "Upload.Races")]


def main():
    if len(sys.argv) < 3:
        print("SKIPPED, NOTHING WAS CHECKED: no GoogleTest (libgtest-dev)")
        return SKIPPED
    result = checked.check(sys.argv[1], sys.argv[2], schedule="eager")
    errors = [f for f in result.findings if f["severity"] == "error"]
    ranges = sorted(tuple(a.get("range") for a in f["accesses"]) for f in errors)
    if ranges != sorted(WANTED) or result.code != 66:
        print(f"{ranges} with exit code {result.code}:\n{result.out}{result.err}")
        return 1
    for names in WANTED:
        for name in names:
            if f', in "{name}"' not in result.err:
                print(f"{name} is not in the report:\n{result.err}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
