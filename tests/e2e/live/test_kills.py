#!/usr/bin/env python3
"""kill -9 of the program, of the process that follows its trace, of `streamcheck run`, or of two of them, at random moments.

usage: test_kills.py PREFIX PROGRAM [TRIALS [FIRST]]   (busy.cu; for a person: so many trials from seed FIRST on)

Whatever dies: each operation that was recorded is judged, or in the trace that is kept, or counted as given back or
lost; and an error that the program made is in the report. (Seeds 0 to
1,199 ran on 2026-11-26.)
"""
import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import checked
from bounded import OPERATIONS, PREFIX, SMALL, Run

TRIALS = int(sys.argv[3]) if len(sys.argv) > 3 else 40
FIRST = int(sys.argv[4]) if len(sys.argv) > 4 else 0
MOMENT_S = 0.5  # the last of the random moments
RULE = "SC-106"
VICTIMS = (("program",), ("follower",), ("command",), ("program", "follower"), ("follower", "program"),
           ("command", "follower"), ("follower", "command"))
BOUNDS = (0, SMALL)


class Trial:
    """A run of which something is killed, and what is left of it."""

    def __init__(self, seed, folder):
        self.chosen = random.Random(seed)
        self.victims = self.chosen.choice(VICTIMS)
        self.bound = self.chosen.choice(BOUNDS)
        self.folder = folder
        self.lines = os.path.join(folder, "lines.jsonl")
        self.races = 0
        self.run = Run(folder, "steps", self.bound, f"--live-output={self.lines}")
        self.pids = {"program": self.run.program, "follower": self.run.follower, "command": self.run.process.pid}
        self.code = self.report = None
        self.said = ""

    def work(self):
        for _ in range(self.chosen.randrange(1, 4)):
            self.run.step(self.chosen.choice((1, 500, 20_000)))
            if self.chosen.random() < 0.3:
                self.races += self.run.race()
        self.run.begin(self.chosen.choice((500, 20_000)))
        time.sleep(self.chosen.random() ** 3 * MOMENT_S)

    def kill(self):
        for victim in self.victims:
            try:
                os.kill(self.pids[victim], signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has done its work, since the first one is dead

    def traces(self):
        return glob.glob(os.path.join(self.folder, "streamcheck*", "*.sct"))

    def end(self):
        if "program" not in self.victims and self.run.process.stdout.readline() != "done\n":
            raise AssertionError(self.run.said())
        self.code, self.report, self.said = self.run.end()
        if "command" not in self.victims:
            return
        # What it leaves is the user's to look at.
        (trace,) = self.traces()
        done = subprocess.run([os.path.join(PREFIX, "bin", "streamcheck"), "analyze", "--html=no", "--format=json",
                               f"--output={self.run.report}", trace], cwd=self.folder, capture_output=True, text=True, check=False)
        self.code, self.report = done.returncode, checked.read_report(self.run.report)
        self.said += done.stderr

    def told(self):
        """Rules of the lines that came while it ran; the last one may be cut."""
        try:
            with open(self.lines, encoding="utf-8") as file:
                whole = [json.loads(line) for line in file if line.endswith("\n")]
        except FileNotFoundError:
            return []
        return [line["finding"]["rule"] for line in whole if line["kind"] == "finding"]

    def close(self):
        self.run.watchdog.cancel()


class Kills(unittest.TestCase):
    def check(self, seed):
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            trial = Trial(seed, folder)
            try:
                trial.work()
                trial.kill()
                trial.end()
                self.assertIsNotNone(trial.report, trial.said)
                self.count(trial)
                self.find(trial)
                self.end(trial)
                if "command" not in trial.victims:
                    self.assertEqual(glob.glob(os.path.join(folder, "streamcheck*", "*.sct*")), [], trial.said)
            finally:
                trial.close()

    def count(self, trial):
        coverage = trial.report["coverage"]
        given = coverage.get("left_out", {}).get("given_back", 0)
        self.assertEqual(coverage["damaged"], 0, trial.said)
        self.assertGreaterEqual(coverage["ops"] + given + coverage["lost"], OPERATIONS * trial.run.rounds, trial.said)
        self.assertEqual(coverage["closed"], "program" not in trial.victims, trial.said)
        # A verdict without a part of the run says so.
        self.assertEqual(trial.report["complete"], not given and not coverage["lost"] and "program" not in trial.victims, trial.said)
        if not trial.bound:
            self.assertEqual((given, coverage["lost"]), (0, 0), trial.said)

    def find(self, trial):
        rules = {finding["rule"] for finding in trial.report["findings"]}
        self.assertLessEqual(rules, {RULE} if trial.races else set(), trial.said)
        if RULE in trial.told():
            self.assertEqual(rules, {RULE}, trial.said)
        if trial.races and "behind" not in trial.report["coverage"]:
            self.assertEqual(rules, {RULE}, trial.said)

    def end(self, trial):
        surely = any(finding["confidence"] == "proven" for finding in trial.report["findings"])
        if "program" in trial.victims:
            self.assertEqual(trial.code, 128 + signal.SIGKILL, trial.said)
        else:
            self.assertEqual(trial.code, 66 if surely else 0 if trial.report["complete"] else 3, trial.said)
        if trial.victims[0] == "follower" and "command" not in trial.victims:
            self.assertIn("ended early", trial.said)

    def test_random_kills(self):
        for seed in range(FIRST, FIRST + TRIALS):
            with self.subTest(seed=seed):
                self.check(seed)
            if seed % 100 == 99:
                print(f"seed {seed} done", flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
