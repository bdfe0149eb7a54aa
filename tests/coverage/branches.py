#!/usr/bin/env python3
"""Which branches of folders the tests take, by gcov.

Usage: branches.py [--list] [--least PERCENT] BUILD FOLDER...

BUILD is a tree of the preset `coverage` in which tests ran. Prints for each folder how many
branches its sources and headers have, and how many were taken; --list the lines with one that was
not. Left out are assertions, which only a broken contract fails, rows of tables (.def), and macros
of uthash and of base/vector.h, whose branches are not the caller's. Exit code 1: fewer than --least
percent of some folder.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

LEFT_OUT = re.compile(r"\b(sc_assert|_Static_assert|HASH_[A-Z_]+|sc_vector_(push|add|reserve|last))\(")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def counts_of(data):
    """gcov's numbers of one object."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data],
                          cwd=data.parent, capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def is_left_out(lines, number):
    """Whether the line belongs to such a statement, which may take several lines."""
    for back in range(4):
        text = lines[number - 1 - back] if number > back else ""
        if LEFT_OUT.search(text):
            return True
        if back and text.rstrip().endswith((";", "{", "}")):
            return False
    return False


def read(build, folders):
    """{file: {line: [times that each branch was taken]}}, the most of all objects' sums."""
    taken = collections.defaultdict(dict)
    tops = {folder.split("/")[0] for folder in folders}
    data = [d for d in build.rglob("*.gcno")
            if d.relative_to(build).parts[0] in tops or d.with_suffix(".gcda").exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for reports in pool.map(counts_of, data):
            for report in reports:
                base = pathlib.Path(report["current_working_directory"])
                for file in report["files"]:
                    path = os.path.relpath(base / file["file"], ROOT)
                    if os.path.dirname(path) not in folders or path.endswith(".def"):
                        continue
                    for line in file["lines"]:
                        add(taken[path], line)
    return taken


def add(lines, line):
    branches = [b["count"] for b in line["branches"]]
    if not branches:
        return
    old = lines.setdefault(line["line_number"], [0] * len(branches))
    if len(old) == len(branches):  # else a macro that is expanded differently
        lines[line["line_number"]] = [x + y for x, y in zip(old, branches)]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", nargs="+")
    args = parser.parse_args()
    sums = {folder: [0, 0] for folder in args.folder}
    taken = read(args.build.resolve(), sums)
    for path in sorted(taken):
        text = (ROOT / path).read_text(encoding="utf-8").splitlines()
        for number, branches in sorted(taken[path].items()):
            if is_left_out(text, number):
                continue
            sums[os.path.dirname(path)][0] += sum(map(bool, branches))
            sums[os.path.dirname(path)][1] += len(branches)
            if args.list and not all(branches):
                print(f"{path}:{number}: {branches} {text[number - 1].strip()}")
    is_enough = True
    for folder, (some, all_of) in sums.items():
        percent = 100 * some / all_of if all_of else 0
        is_enough &= percent >= args.least
        print(f"{folder}: {some} of {all_of} branches, {percent:.1f} %")
    return 0 if is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
