#!/usr/bin/env python3
"""Runs a command of a set-up or ctest, and shows how far it is: something at least every 20 seconds.

usage: progress.py TITLE LOG COMMAND...   of a failure only the failed step is shown
       progress.py --tests CTEST...       every line of ctest, and which tests run while it says nothing; what the tests
                                          leave is ended

Everything that the command says is added to LOG. Steps are Ninja's: lines that begin with [DONE/ALL].
"""
import os
import re
import resource
import subprocess
import sys
import threading
import time

import left

MARK = "TEST_SUITE"
STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
FAILED = re.compile(r"^(FAILED: |CMake Error)")
BEGUN = re.compile(r"^\s+Start\s+\d+: (.*)")
ENDED = re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (\S+)")
LAST_LINES = 30
SILENCE_S = 20
NAMES_SHOWN = 4


class Pulse:
    """Prints `words()` whenever nothing was printed for a while."""

    def __init__(self, words):
        self.words = words
        self.began = self.last = time.monotonic()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.beat, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def beat(self):
        while not self.ended.wait(1):
            if time.monotonic() - self.last >= SILENCE_S:
                self.print(f"  … {self.words()}, {time.monotonic() - self.began:.0f} s")

    def print(self, text, end="\n"):
        self.last = time.monotonic()
        print(text, end=end, flush=True)


class Shown:
    """What the screen shows: one line that changes on a terminal, else a line for each tenth."""

    def __init__(self, title):
        self.title = title
        self.is_terminal = sys.stdout.isatty()
        self.done, self.count, self.tenth = 0, 0, 0
        self.pulse = Pulse(self.words)
        self.pulse.print(f"{title} ...")

    def words(self):
        return f"{self.done} of {self.count} steps" if self.count else "still at it"

    def step(self, done, count):
        self.done, self.count = done, count
        if self.is_terminal:
            self.pulse.print(f"\r  {self.words()}", end="")
        elif count >= 20 and done * 10 // count > self.tenth:
            self.tenth = done * 10 // count
            self.pulse.print(f"  {self.words()}")

    def end(self, sentence):
        self.pulse.print(("\r" if self.is_terminal else "") + f"  {sentence}")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def started(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace")


def failed_step(lines):
    """The lines of the first step that failed, or the last lines where no step says so."""
    for start, line in enumerate(lines):
        if FAILED.match(line):
            end = start + 1
            while end < len(lines) and not STEP.match(lines[end]):
                end += 1
            return lines[start:end]
    return lines[-LAST_LINES:]


def run_steps(title, log, command):
    shown = Shown(title)
    lines = []
    with open(log, "a", encoding="utf-8") as file, shown.pulse, started(command) as process:
        for line in process.stdout:
            file.write(line)
            lines.append(line)
            step = STEP.match(line)
            if step:
                shown.step(int(step[1]), int(step[2]))
    if process.returncode == 0:
        shown.end(f"done in {time.monotonic() - shown.pulse.began:.0f} s, {processor_seconds():.0f} s of processor time")
        return 0
    shown.end(f"FAILED (all of it is in {log}):")
    print("".join(failed_step(lines)), end="", flush=True)
    return 1


def run_tests(command):
    running = []

    def words():
        more = f" and {len(running) - NAMES_SHOWN} more" if running[NAMES_SHOWN:] else ""
        return f"running: {', '.join(running[:NAMES_SHOWN])}{more}"

    os.environ[MARK] = left.new_mark()
    try:
        with Pulse(words) as pulse, started(command) as process:
            for line in process.stdout:
                begun, ended = BEGUN.match(line), ENDED.match(line)
                if begun:
                    running.append(begun[1])
                elif ended and ended[1] in running:
                    running.remove(ended[1])
                pulse.print(line, end="")
        return process.returncode
    finally:
        for process, words in left.end(MARK, os.environ[MARK]).items():
            print(f"test: a test left process {process}, which was ended: {words}", file=sys.stderr)


def main():
    if sys.argv[1] == "--tests":
        return run_tests(sys.argv[2:])
    title, log, *command = sys.argv[1:]
    return run_steps(title, log, command)


if __name__ == "__main__":
    sys.exit(main())
