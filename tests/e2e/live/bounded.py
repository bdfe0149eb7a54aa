"""Runs of a program with --live-disk, or with --live; used by several tests."""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
SMALL = 32 << 20
STEP = 500
OPERATIONS = 6  # of a round
BLOCK = 512  # of st_blocks
FUTEX = "202"
SHARE = 3328 + 40  # byte of a trace (trace/given.h)


def size_of(folder):
    """Bytes of the disk that the traces of a run take."""
    used = 0
    for path in glob.glob(os.path.join(folder, "streamcheck*", "*.sct*")):
        try:
            used += os.stat(path).st_blocks * BLOCK
        except FileNotFoundError:
            pass
    return used


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def is_program(process):
    return os.path.realpath(f"/proc/{process}/exe") == os.path.realpath(PROGRAM)


class Run:
    """busy.cu under `streamcheck run`, which does as many rounds as it is told; `bound` is that of --live-disk, 0: the trace is kept,
    and followed all the same."""

    def __init__(self, folder, way, bound, *options):
        self.folder, self.bound = folder, bound
        self.report = os.path.join(folder, "report.json")
        environment = checked.environment(PREFIX, "sim")
        live = f"--live-disk={bound}" if bound else "--live=yes"
        environment["TMPDIR"] = folder
        self.error = tempfile.TemporaryFile(dir=folder)
        self.process = subprocess.Popen(
            [COMMAND, "run", "--device=sim", "--html=no", "--format=json", f"--output={self.report}", live,
             *options, "--", PROGRAM, way], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.error, text=True, start_new_session=True)
        # Whatever happens, no test waits for ever.
        self.watchdog = threading.Timer(checked.TIMEOUT_S, os.killpg, (self.process.pid, signal.SIGKILL))
        self.watchdog.start()
        assert self.process.stdout.readline() == "ready\n", self.said()
        children = children_of(self.process.pid)
        self.program = next(child for child in children if is_program(child))
        self.follower = next(child for child in children if not is_program(child))
        self.rounds = 0
        self.held = []

    def said(self):
        self.error.seek(0)
        return self.error.read().decode(errors="replace")

    def begin(self, rounds=STEP):
        self.process.stdin.write(f"{rounds}\n")
        self.process.stdin.flush()

    def step(self, rounds=STEP):
        self.begin(rounds)
        if self.process.stdout.readline() == "done\n":
            self.rounds += rounds

    def race(self):
        """Two operations that are not ordered; then the host waits for both."""
        self.process.stdin.write("race\n")
        self.process.stdin.flush()
        return self.process.stdout.readline() == "done\n"

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", self.said()

    def used(self):
        return size_of(self.folder)

    def fill(self, part):
        """Rounds until so much of the bound is used."""
        while self.used() < self.bound * part:
            self.step()

    def wait_for(self, part):
        """Until no more than that is used; the watchdog ends a test that waits in vain."""
        while self.used() > self.bound * part:
            time.sleep(0.01)

    def stop_follower(self):
        """Stopped with no trace that it is about to open."""
        while not self.is_followed():
            time.sleep(0.01)
        os.kill(self.follower, signal.SIGSTOP)
        while self.state(self.follower) != "T":
            time.sleep(0.001)

    def is_followed(self):
        """Whether the follower has given the trace its share."""
        for path in glob.glob(os.path.join(self.folder, "streamcheck*", "*.sct")):
            with open(path, "rb") as file:
                file.seek(SHARE)
                if any(file.read(8)):
                    return True
        return False

    def gave_back(self):
        """Whether the trace has a hole."""
        for path in glob.glob(os.path.join(self.folder, "streamcheck*", "*.sct")):
            status = os.stat(path)
            if status.st_blocks * BLOCK < status.st_size // 2 and status.st_size > self.bound:
                return True
        return False

    @staticmethod
    def state(process):
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]

    @staticmethod
    def is_alive(process):
        """Not if only its parent has not taken notice."""
        return os.path.exists(f"/proc/{process}/stat") and Run.state(process) != "Z"

    def is_waiting(self):
        """Whether the program waits for the follower, at a word of the trace."""
        with open(f"/proc/{self.program}/syscall", encoding="ascii") as file:
            words = file.read().split()
        if len(words) < 2 or words[0] != FUTEX:
            return False
        with open(f"/proc/{self.program}/maps", encoding="ascii") as file:
            for line in file:
                first, _, last = line.split()[0].partition("-")
                if int(first, 16) <= int(words[1], 16) < int(last, 16):
                    return line.rstrip().endswith(".sct")
        return False

    def end(self):
        """(exit code, report, standard error)"""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.read()
        self.process.wait()
        self.watchdog.cancel()
        said = self.said()
        self.error.close()
        self.process.stdout.close()
        return self.process.returncode, checked.read_report(self.report), said


def findings_of(report):
    """Findings without what differs between two runs: addresses, places in the trace, times."""
    text = json.dumps(report["findings"], indent=1)
    return re.sub(r'("\w*(?:sequence|_op|_ns)": )\d+', r"\1N", re.sub(r"0x[0-9a-f]+", "0xN", text))


def check(folder, *options, arguments=(), schedule=None, command=(PROGRAM,)):
    """(exit code, report, standard error, largest size on disk) of a run to its end."""
    environment = checked.environment(PREFIX, "sim", schedule)
    environment["TMPDIR"] = folder
    report = os.path.join(folder, "report.json")
    most = 0
    with tempfile.TemporaryFile(dir=folder) as error:
        with subprocess.Popen([COMMAND, "run", "--device=sim", "--html=no", "--format=json", f"--output={report}", *options,
                               "--", *command, *arguments], cwd=folder, env=environment,
                              stdout=subprocess.DEVNULL, stderr=error) as process:
            while process.poll() is None:
                most = max(most, size_of(folder))
                time.sleep(0.002)
        error.seek(0)
        return process.returncode, checked.read_report(report), error.read().decode(errors="replace"), most
