#!/usr/bin/env python3
"""Races of threads: a baseline of one run knows what other schedules find.

usage: test_crowd.py PREFIX PROGRAM [RUNS]
"""
import os
import sys
import tempfile

import checked

# One line races with itself: four threads are six pairs of launches at most.
ONE_RACE = {"adders": 6, "callers": 6}
# What every run has to find beside the race of the launches.
ALWAYS = {"readers": "SC-101"}


def serious(result):
    return [f for f in result.findings if f["severity"] != "advice"]


def told(finding):
    return f"{finding['rule']} {finding['fingerprint']} {finding['severity']} {finding['count']} times"


def first_run(prefix, program, part, folder):
    """Writes the baseline of one run; returns its path, and the run."""
    trace, known = os.path.join(folder, "first.sct"), os.path.join(folder, "known.txt")
    result = checked.check(prefix, program, arguments=[part], schedule="eager",
                           options=[f"trace={trace}"])
    code, _, err = checked.run([os.path.join(prefix, "bin", "streamcheck"), "baseline", "-o", known,
                                trace], dict(os.environ))
    if code:
        sys.exit(f"{part}: streamcheck baseline ended with {code}: {err}")
    return known, result, without_parameters(prefix, trace)


def without_parameters(prefix, trace):
    """The trace's launches that lack them: a thread whose first call is a launch looks its kernel up
    before it has a context, where the driver does not say which parameters the kernel has."""
    code, out, err = checked.run([os.path.join(prefix, "bin", "streamcheck"), "dump", trace],
                                 dict(os.environ))
    launches = [line for line in out.splitlines() if " launch=" in line]
    if code or not launches:
        sys.exit(f"streamcheck dump {trace} ended with {code}, {len(launches)} launches: {err}")
    return [line for line in launches if " params=" not in line]


def differences(prefix, program, part, runs):
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        known, first, bare = first_run(prefix, program, part, folder)
        found = serious(first)
        if bare:
            yield f"launches without parameters: {bare}"
        if not found:
            yield f"nothing found: {first.err}"
        if part in ALWAYS and ALWAYS[part] not in " ".join(f["rule"] for f in found):
            yield f"no {ALWAYS[part]}: {[told(f) for f in found]}"
        if part in ONE_RACE and (len(found) != 1 or found[0]["count"] > ONE_RACE[part]):
            yield f"not one race: {[told(f) for f in found]}"
        for i in range(runs):
            schedule = ("lazy", f"random:{i}", "eager")[i % 3]
            result = checked.check(prefix, program, arguments=[part], schedule=schedule,
                                   options=[f"baseline={known}"])
            if result.report is None:
                yield f"run {i}: no report: {result.err}"
            for finding in serious(result):
                yield f"run {i}, {schedule}: new: {told(finding)}"


def main():
    prefix, program = map(os.path.abspath, sys.argv[1:3])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    _, parts, _ = checked.run([program, "list"], checked.environment(prefix, "sim", bare=False) | {
        "LD_LIBRARY_PATH": checked.simulator(prefix)})
    failed = 0
    for part in parts.split():
        wrong = list(differences(prefix, program, part, runs))
        failed += bool(wrong)
        print(f"{part}: {'as expected' if not wrong else ''}", *wrong, sep="\n    " if wrong else "")
    return 1 if failed or not parts else 0


if __name__ == "__main__":
    sys.exit(main())
