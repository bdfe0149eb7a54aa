#!/usr/bin/env python3
"""Kernels that NVIDIA's own libraries compile and link with link-time optimization are known by the PTX of a second link.

usage: test_optimized.py PREFIX PROGRAM FOLDER-OF-LIBRARIES
Neither library needs a GPU. Exit code 77: they are not there.
"""
import sys

import checked

PRINTS = ("-verbose",)  # a second link would print a second time
WAYS = ((), ("-lineinfo",), ("-g",), ("-O0",), ("-maxrregcount=32", "-ftz=1"), ("-kernels-used=fill",))


def run_one(prefix, program, libraries, which, link):
    """How many launches are known exactly, and the confidences of what is found."""
    result = checked.check(prefix, program, "run", "sim", "lazy", [which, libraries, *link])
    if result.code == 77:
        print(result.out.strip())
        sys.exit(77)
    if result.report is None or not result.report["complete"]:
        return f"no whole report; exit code {result.code}: {result.err}"
    return result.report["coverage"]["exact_launches"], [f["confidence"] for f in result.findings]


def main():
    wrong = []
    runs = [(which, way) for which in ("apart", "same") for way in WAYS] + [("same", PRINTS)]
    for which, way in runs:
        known = (0, ["possible"]) if way == PRINTS else (2, ["proven"] if which == "same" else [])
        found = run_one(*sys.argv[1:4], which, way)
        if found != known:
            wrong.append(f"{which} {way}: found {found}, not {known}")
    print(f"{len(runs)} runs")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
