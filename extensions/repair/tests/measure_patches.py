#!/usr/bin/env python3
"""How many findings of the test cases get a patch, and how many patches are confirmed.

usage: measure_patches.py [--all | --every=N] PREFIX NVCC LIBRARIES PROGRAM...

Each program is recorded on the simulated device. Of its findings that lack an order those count whose two operations are calls of
lines in testcases/. One has a patch if the plan of `streamcheck repair` ends it, and `repair --patch` writes each edit that it needs. A patch
is confirmed if the program, built from the patched sources, has none of these findings and no new one. Building takes seconds each:
every Nth program (20th) is built, with --all each; the plans of all are counted. Bars: 70 % with a patch, 95 % of these confirmed.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import expectation
import golden
import patched
import repair
import repair_patch

OWN = "--own=*/testcases/*"
BARS = 70, 95  # percent
# Of sources with these another program is part.
NOT_TAKEN = ("exported.h", "semaphore.h")
REFUSED = re.compile(r"^# edit (\d+) is not in this patch: (.*)$", re.MULTILINE)


def ask(prefix, source, command, *more):
    done = subprocess.run([os.path.join(prefix, "bin", "streamcheck"), command, OWN, *("--" + o for o in source.options), *more],
                          check=False, capture_output=True, text=True, timeout=golden.TIMEOUT_S, cwd=repair.ROOT, env=patched.writing())
    return done.stdout


def is_own(access):
    return any("/testcases/" in (f.get("file") or "") and not f.get("internal") for f in access.get("frames", []))


def own_findings(findings):
    """Numbers of the findings that a plan may end by edits in two lines of the program."""
    return {f["number"] for f in findings if len(f.get("accesses", [])) == 2 and all(map(is_own, f["accesses"]))}


class Measured:
    """What becomes of the findings of one program."""

    def __init__(self, prefix, program, source, folder):
        self.reasons, self.rules = collections.Counter(), {}
        self.patch, self.numbers, self.done = "", set(), set()
        trace = os.path.join(folder, "t.sct")
        try:
            repair_patch.run(prefix, program, source, folder, "--analyze=no", f"--trace={trace}")
        except subprocess.TimeoutExpired:
            pass
        if not os.path.exists(trace):
            return
        report = ask(prefix, source, "analyze", "--format=json", "--fail-on=none", trace)
        findings = [f for f in json.loads(report)["findings"] if f["severity"] != "advice"] if report else []
        self.rules = {f["number"]: f["rule"] for f in findings}
        self.numbers = own_findings(findings)
        if self.numbers:
            plan = json.loads(ask(prefix, source, "repair", "--format=json", trace))
            self.patch = ask(prefix, source, "repair", "--patch", trace)
            self.count(plan, {int(number) - 1: reason for number, reason in REFUSED.findall(self.patch)})
        os.remove(trace)

    def count(self, plan, refused):
        left = {f["finding"]: f["reason"] for f in plan["left"]}
        for number in self.numbers:
            needed = [i for i, e in enumerate(plan["edits"]) if number in e["ends"] or not e["ends"]]
            wrong = [refused[i] for i in needed if i in refused]
            if number in left:
                self.reasons["the plan leaves it: " + left[number]] += 1
            elif wrong or not needed:
                self.reasons[wrong[0] if wrong else "no edit of its own ends it"] += 1
            else:
                self.done.add(number)

    def is_confirmed(self, outcome):
        """Whether what a patched program still has, by its rules, is no more than what the patch leaves."""
        if outcome and not re.fullmatch(r"SC-\d+(; SC-\d+)*", outcome):
            return False
        expected = collections.Counter(rule for number, rule in self.rules.items() if number not in self.done)
        return not collections.Counter(outcome.split("; ") if outcome else []) - expected


class Totals:
    """What all programs come to."""

    def __init__(self):
        self.reasons = collections.Counter()
        self.found = self.patched = self.built = self.confirmed = 0

    def add(self, measured):
        self.reasons += measured.reasons
        self.found += len(measured.numbers)
        self.patched += len(measured.done)

    def report(self):
        """Prints it; whether a bar is missed."""
        for reason, count in self.reasons.most_common():
            print(f"{count:5} without a patch: {reason}")
        shares = [100 * part // whole if whole else 0 for part, whole in ((self.patched, self.found), (self.confirmed, self.built))]
        print(f"{self.patched} of {self.found} findings with two own lines have a patch: {shares[0]} %")
        print(f"{self.confirmed} of {self.built} patches that were built are confirmed: {shares[1]} %")
        return shares[0] < BARS[0] or (self.built and shares[1] < BARS[1])


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    prefix, nvcc, libraries, *programs = [word for word in sys.argv[1:] if not word.startswith("--")]
    every = 1 if "--all" in options else int(next((o.split("=")[1] for o in options if o.startswith("--every=")), 20))
    prefix, totals, patched_programs = os.path.abspath(prefix), Totals(), 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in sorted(map(os.path.abspath, programs)):
            source = expectation.source_of(program)
            with open(source.path, encoding="utf-8") as file:
                text = file.read()
            if any(word in text for word in NOT_TAKEN):
                continue
            measured = Measured(prefix, program, source, folder)
            totals.add(measured)
            for reason in measured.reasons:
                print(f"{os.path.basename(program)}: {reason}", flush=True)
            patched_programs += bool(measured.done)
            if not measured.done or patched_programs % every:
                continue
            outcome = repair_patch.check(prefix, nvcc, libraries, program, source, measured.patch, folder)
            is_good = measured.is_confirmed(outcome)
            totals.built, totals.confirmed = totals.built + 1, totals.confirmed + is_good
            print(f"{os.path.basename(program)}: {len(measured.done)} of {len(measured.numbers)}, "
                  f"{'confirmed' if is_good else f'not confirmed: {outcome}'}", flush=True)
            if not is_good:
                print(measured.patch, flush=True)
    return 1 if totals.report() else 0


if __name__ == "__main__":
    sys.exit(main())
