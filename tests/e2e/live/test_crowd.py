#!/usr/bin/env python3
"""kill -9 of two processes of several threads, or of one of them, at random moments: no call is lost that has returned.

usage: test_crowd.py PREFIX PROGRAM [TRIALS [FIRST]]   (crowd.cu; for a person: so many trials from seed FIRST on)

Moments are random times after the first call, or come when so many calls have returned. Each trace can be analyzed, has each call that had
returned, and at most one more of each thread; the race that each process made is found; what was killed is not complete.
"""
import collections
import glob
import json
import math
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
TRIALS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
FIRST = int(sys.argv[4]) if len(sys.argv) > 4 else 0
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
PROCESSES, THREADS = 2, 3  # crowd.cu
COUNTS = struct.Struct(f"{1 + PROCESSES * (2 + 2 * THREADS)}q")
MOMENT_S = 0.3
CALLS_MOST = 20000
RACE = 1  # kernels and copies of a process beside those that its threads count
VICTIMS = ((0,), (1,), (0, 1), (1, 0))  # 0 is the one that was started
WAYS = (("--live=no",), ("--live=yes",), ("--live-disk=32m",), None)  # the last: without the command
Count = collections.namedtuple("Count", "kernels copies")


class Trial:
    """A run of which one process is killed, or two."""

    def __init__(self, seed, folder):
        self.chosen = random.Random(seed)
        self.victims, self.way = self.chosen.choice(VICTIMS), self.chosen.choice(WAYS)
        self.folder, self.report = folder, os.path.join(folder, "report.json")
        with open(os.path.join(folder, "counts"), "w+b") as file:
            file.truncate(COUNTS.size)
            self.data = mmap.mmap(file.fileno(), COUNTS.size)
        env = checked.environment(PREFIX, "sim") | {"TMPDIR": folder}
        words = [PROGRAM, file.name]
        if self.way:
            words = [COMMAND, "run", "--device=sim", "--html=no", f"--report=json:{self.report}", *self.way, "--", *words]
        else:
            env |= {"LD_PRELOAD": checked.library(PREFIX), "LD_LIBRARY_PATH": checked.simulator(PREFIX),
                    "STREAMCHECK_OPTIONS": f"analyze=no:trace={folder}/%p.sct"}
        self.error = open(os.path.join(folder, "error"), "w+b")
        self.process = subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.error)

    def read(self):
        """(process ids, whether each made its race, what each has counted)"""
        numbers = COUNTS.unpack(self.data[:])
        at = 1 + 2 * PROCESSES
        counts = []
        for first in range(at, len(numbers), 2 * THREADS):
            mine = numbers[first:first + 2 * THREADS]
            counts.append(Count(sum(mine[0::2]), sum(mine[1::2])))
        return numbers[1:1 + PROCESSES], numbers[1 + PROCESSES:at], counts

    def wait_for_moment(self):
        calls = int(math.exp(self.chosen.uniform(0, math.log(CALLS_MOST))))
        while not all(self.read()[0]):
            self.look()
        if self.chosen.random() < 0.5:
            time.sleep(self.chosen.random() ** 2 * MOMENT_S)
            return
        while sum(map(sum, self.read()[2])) < calls:
            self.look()

    def look(self):
        if self.process.poll() is not None:
            raise AssertionError(f"it ended early: {self.said()}")

    def kill(self):
        """Kills; what had returned by then, and for those that are dead, in all. The command stands still until both are killed and counted."""
        pids, _, _ = self.read()
        if self.way:
            self.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        for victim in self.victims:
            os.kill(pids[victim], signal.SIGKILL)
        self.least = self.read()[2]
        if self.way:
            self.process.send_signal(signal.SIGCONT)
        self.data[0:8] = struct.pack("q", 1)

    def said(self):
        self.error.seek(0)
        return self.error.read().decode(errors="replace")

    def end(self):
        self.code = self.process.wait(checked.TIMEOUT_S)
        if not self.way:
            left = self.read()[0][1 - self.victims[0]]
            while len(self.victims) == 1 and is_running(left):
                time.sleep(0.01)
            done = subprocess.run([COMMAND, "merge", "--html=no", f"--report=json:{self.report}", *glob.glob(f"{self.folder}/*.sct")],
                                  cwd=self.folder, capture_output=True, text=True, check=False)
            self.code, text = done.returncode, done.stderr
            self.error.write(text.encode())
        with open(self.report, encoding="utf-8") as file:
            report = json.load(file)
        return {each["process"]["id"]: each for each in report.get("processes", [report])}

    def close(self):
        self.data[0:8] = struct.pack("q", 1)
        self.process.kill()
        self.process.wait()
        self.error.close()
        self.data.close()


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Crowd(unittest.TestCase):
    calls = kills = 0

    def check(self, seed):
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            trial = Trial(seed, folder)
            try:
                trial.wait_for_moment()
                trial.kill()
                reports = trial.end()
                pids, _, counts = trial.read()
                self.assertEqual(sorted(reports), sorted(pids), trial.said())
                for number, pid in enumerate(pids):
                    self.check_process(trial, number, reports[pid], counts[number])
                self.check_end(trial)
                Crowd.kills += len(trial.victims)
                Crowd.calls += sum(map(sum, trial.least))
            finally:
                trial.close()

    def check_process(self, trial, number, report, counts):
        coverage = report["coverage"]
        text = f"{trial.victims} {trial.way} {coverage} {counts} {trial.said()}"
        self.assertEqual((coverage["lost"], coverage["damaged"]), (0, 0), text)
        is_dead = number in trial.victims
        for name in Count._fields:
            has = coverage[name] - RACE
            self.assertGreaterEqual(has, getattr(counts if is_dead else trial.least[number], name), text)
            if is_dead:
                self.assertLessEqual(has, getattr(counts, name) + THREADS, text)
        self.assertEqual({f["rule"] for f in report["findings"] if f["severity"] != "advice"}, {"SC-106"}, text)
        if is_dead:
            self.assertFalse(report["complete"], text)
            self.assertFalse(coverage["closed"], text)

    def check_end(self, trial):
        if trial.way and 0 in trial.victims:
            self.assertEqual(trial.code, 128 + signal.SIGKILL, trial.said())
        else:
            self.assertEqual(trial.code, 66, trial.said())

    def test_random_kills(self):
        for seed in range(FIRST, FIRST + TRIALS):
            with self.subTest(seed=seed):
                self.check(seed)
            if seed % 100 == 99:
                print(f"seed {seed} done: {Crowd.kills} processes killed, {Crowd.calls} calls had returned", flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
