#!/usr/bin/env python3
"""Compares the findings in random programs with what an interpreter of the specification says.

usage: test_random.py PREFIX PROGRAM [FIRST-SEED COUNT]
"""
import collections
import re
import sys

import checked

RULES = {"SC-101", "SC-102", "SC-103", "SC-104"}
POLLED = {"SC-216": "SC-101"}  # the same word was read twice, by chance
STEP = re.compile(r"\bstep<(\d+)>")
OWN = "own=*/steps.h"  # a place is a step: pairs of steps are findings


def steps_of(access):
    for frame in access["frames"]:
        match = STEP.search(frame["function"] or "")
        if match:
            return int(match.group(1))
    return None


def found_races(findings):
    """(rule, step, step) of each, with the confidence."""
    found = {}
    for finding in findings:
        rule = POLLED.get(finding["rule"], finding["rule"])
        if rule in RULES:
            steps = sorted(steps_of(access) for access in finding["accesses"])
            found[(rule, *steps)] = finding["confidence"]
    return found


def expected_races(out):
    expected = {}
    for line in out.splitlines():
        _, rule, first, second, word = line.split()
        expected[(rule, *sorted((int(first), int(second))))] = word
    return expected


def compare(found, expected):
    wrong = [f"not a race: {race}" for race, confidence in found.items()
             if confidence == "proven" and race not in expected]
    wrong += [f"not found: {race}" for race, word in expected.items()
              if word == "must" and race not in found]
    return wrong


def check(prefix, program, seed):
    """Returns what was wrong, and the races that had to be found."""
    schedule = ("eager", f"random:{seed}", "lazy")[seed % 3]
    result = checked.check(prefix, program, schedule=schedule, arguments=[str(seed)],
                           options=[OWN])
    if result.report is None or result.code not in (0, 66):
        return [f"ended with {result.code}: {result.err}"], []
    expected = expected_races(result.out)
    must = [race for race, word in expected.items() if word == "must"]
    return compare(found_races(result.findings), expected), must


def main():
    prefix, program = sys.argv[1:3]
    first, count = map(int, sys.argv[3:5]) if len(sys.argv) > 3 else (1, 30)
    seen = collections.Counter()
    failed = 0
    for seed in range(first, first + count):
        wrong, must = check(prefix, program, seed)
        seen.update(race[0] for race in must)
        failed += bool(wrong)
        for line in wrong:
            print(f"seed {seed}: {line}")
    print(f"{count} programs, {failed} wrong; races: {dict(seen)}")
    missing = RULES - set(seen) if count >= 30 else set()
    if missing:
        print(f"no program shows {missing}")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
