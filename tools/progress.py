#!/usr/bin/env python3
"""Runs a command of a set-up, shows how far it is, and shows of a failure the failed step only.

usage: progress.py TITLE LOG COMMAND...

Everything that the command says is added to LOG. Steps are Ninja's: lines that begin with [DONE/ALL].
"""
import re
import subprocess
import sys
import time

STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
FAILED = re.compile(r"^(FAILED: |CMake Error)")
LAST_LINES = 30


class Shown:
    """What the screen shows: one line that changes on a terminal, else a line for each tenth."""

    def __init__(self, title):
        self.title = title
        self.is_terminal = sys.stdout.isatty()
        self.tenth = 0
        print(f"{title} ...", flush=True)

    def step(self, done, count):
        if self.is_terminal:
            print(f"\r  {done} of {count} steps", end="", flush=True)
        elif count >= 20 and done * 10 // count > self.tenth:
            self.tenth = done * 10 // count
            print(f"  {done} of {count} steps", flush=True)

    def end(self, sentence):
        print(("\r" if self.is_terminal else "") + f"  {sentence}", flush=True)


def failed_step(lines):
    """The lines of the first step that failed, or the last lines where no step says so."""
    for start, line in enumerate(lines):
        if FAILED.match(line):
            end = start + 1
            while end < len(lines) and not STEP.match(lines[end]):
                end += 1
            return lines[start:end]
    return lines[-LAST_LINES:]


def run(title, log, command):
    shown = Shown(title)
    began = time.monotonic()
    lines = []
    with open(log, "a", encoding="utf-8") as file, \
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            file.write(line)
            lines.append(line)
            step = STEP.match(line)
            if step:
                shown.step(int(step[1]), int(step[2]))
    if process.returncode == 0:
        shown.end(f"done in {time.monotonic() - began:.0f} s")
        return 0
    shown.end(f"FAILED (all of it is in {log}):")
    print("".join(failed_step(lines)), end="", flush=True)
    return 1


def main():
    title, log, *command = sys.argv[1:]
    return run(title, log, command)


if __name__ == "__main__":
    sys.exit(main())
