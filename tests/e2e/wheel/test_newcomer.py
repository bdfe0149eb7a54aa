#!/usr/bin/env python3
"""What a newcomer does: the wheel into a fresh environment, then docs/user/first-hour.md, each command as it is written.

usage: test_newcomer.py WHEEL_FOLDER NVCC_FOLDER   prints how long each step took   (77: no module venv)
"""
import glob
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "tests", "gates"))
import first_hour  # noqa: E402  pylint: disable=wrong-import-position
PAGE = os.path.join(ROOT, "docs", "user", "first-hour.md")
SKIPPED = 77


def timed(what, *command, **more):
    """Runs a command; its output, and how long it took."""
    began = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=first_hour.TIMEOUT_S, **more)
    seconds = time.monotonic() - began
    print(f"{seconds:6.1f} s  {what}", flush=True)
    return done.returncode, done.stdout, seconds


def first_finding(folder, env):
    """The first program of the page and the commands until the first finding; the seconds of each."""
    times = []
    for name, what in first_hour.parts(PAGE):
        if name:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(what)
            continue
        _, said, seconds = timed(what[0], "bash", "-c", what[0], cwd=folder, env=env)
        times.append(seconds)
        missed = first_hour.differs(said.rstrip("\n").split("\n") if said else [], what[1])
        if missed is not None:
            sys.exit(f"$ {what[0]}\nwanted: {missed}\n{said}")
        if any("SC-" in line for line in what[1]):
            return times
    sys.exit("the page shows no finding")


def main():
    wheels, nvcc = map(os.path.abspath, sys.argv[1:3])
    (wheel,) = glob.glob(os.path.join(wheels, "streamcheck-*.whl"))
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith(("STREAMCHECK", "LD_PRELOAD"))}
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        home = os.path.join(folder, "venv")
        code, said, made = timed("python3 -m venv", sys.executable, "-m", "venv", home, env=env)
        if code:
            print(f"skipped: {said}")
            return SKIPPED
        code, said, installed = timed(f"pip install {os.path.basename(wheel)}", os.path.join(home, "bin", "python3"), "-m", "pip",
                                      "install", "-q", "--no-index", wheel, env=env)
        if code:
            sys.exit(said)
        paths = os.pathsep.join([os.path.join(home, "bin"), nvcc, env["PATH"]])
        times = first_finding(folder, {**env, "PATH": paths, "TERM": "dumb"})
        print(f"{made + installed + sum(times):6.1f} s  to the first finding")
        # The page as a whole, with the command of the wheel.
        code, said, _ = timed("the rest of the page", sys.executable, first_hour.__file__, home, nvcc, PAGE, env=env)
        if code:
            sys.exit(said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
