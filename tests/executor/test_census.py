#!/usr/bin/env python3
"""Census of opcodes: of which kernels of test cases and of the toolkit's libraries each instruction is known.

usage: test_census.py SURVEY FOLDER-OF-TESTCASES FOLDER-OF-LIBRARIES...
"""
import glob
import json
import os
import subprocess
import sys

# Percent of a library's kernels that are executed, at least; the rest lacks what docs/next-steps.md lists.
LIBRARIES = {"libcurand.so": 100, "libnccl.so": 40}
SHOWN = 10


def census(survey, files):
    done = subprocess.run([survey, "census", *files], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def say(name, sums):
    print(f"{name}: {sums['executable']} of {sums['kernels']} kernels are executed")
    for reason, kernels in sorted(sums["refused"].items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"    {kernels} lack {reason}")


def main():
    survey, testcases, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    sums = census(survey, sorted(glob.glob(os.path.join(testcases, "*"))))
    say("test cases", sums)
    wrong = sums["executable"] < sums["kernels"] or not sums["kernels"]
    for name, percent in LIBRARIES.items():
        paths = [path for folder in folders if os.path.exists(path := os.path.join(folder, name))]
        if not paths:
            continue
        sums = census(survey, paths[:1])
        say(name, sums)
        wrong |= 100 * sums["executable"] < percent * sums["kernels"]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
