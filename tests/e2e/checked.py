"""Runs a program under streamcheck, bare or by the command, and returns what came of it.

A test that imports this leaves no process: at its end all are ended that it began, and that these began (tools/left.py).
"""
import atexit
import itertools
import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import left  # noqa: E402

TIMEOUT_S = 120
SCHEDULES = ("eager", "random:1", "lazy")
DEVICE = os.environ.get("STREAMCHECK_TEST_DEVICE", "sim")  # "gpu" in the suite for GPUs


MARK = "TEST_RUN"
OWN_MARK = os.environ[MARK] = left.new_mark()
runs = itertools.count(1)
atexit.register(left.end, MARK, OWN_MARK)


class Result:
    """How a checked program ended, what it printed, and its report (None if there is none)."""

    def __init__(self, code, out, err, report):
        self.code = code
        self.out = out
        self.err = err
        self.report = report

    @property
    def processes(self):
        """The reports of the processes: there are several if the program started others."""
        return self.report.get("processes", [self.report]) if self.report else []

    @property
    def findings(self):
        return [finding for process in self.processes for finding in process["findings"]]


def library(prefix):
    return os.path.join(prefix, "lib", "libstreamcheck.so")


def simulator(prefix):
    return os.path.join(prefix, "lib", "streamcheck", "sim")


def environment(prefix, device, schedule=None, bare=False, options=""):
    """The environment of a checked program."""
    env = dict(os.environ)
    for name in ("STREAMCHECK_OPTIONS", "LD_PRELOAD"):
        env.pop(name, None)
    if schedule:
        env["STREAMCHECK_SIM_SCHEDULE"] = schedule
    if bare:
        env["LD_PRELOAD"] = library(prefix)
    if options:
        env["STREAMCHECK_OPTIONS"] = options
    if bare and device == "sim":
        old = env.get("LD_LIBRARY_PATH")
        env["LD_LIBRARY_PATH"] = simulator(prefix) + (":" + old if old else "")
    return env


def run(arguments, env, cwd=None):
    """Runs a command to its end; 124 means that it did not end in time, and was ended with all that it began."""
    mark = f"{OWN_MARK}-{next(runs)}-"
    with subprocess.Popen(arguments, env={**env, MARK: mark}, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            left.end(MARK, mark)
            out, err = process.communicate()
            process.returncode = 124
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def read_report(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def check(prefix, program, mode="run", device=DEVICE, schedule=None, arguments=(), options=(),
          extra=None):
    """Runs the program once under streamcheck; mode is "run" or "bare"."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        path = os.path.join(folder, "report.json")
        if mode == "bare":
            text = ":".join(["format=json", f"output={path}", *options])
            env = environment(prefix, device, schedule, True, text)
            command = [program, *arguments]
        else:
            env = environment(prefix, device, schedule)
            command = [os.path.join(prefix, "bin", "streamcheck"), "run", f"--device={device}",
                       f"--report=json:{path}", *(f"--{o}" for o in options), "--", program,
                       *arguments]
        env.update(extra or {})
        code, out, err = run(command, env, cwd=folder)
        return Result(code, out, err, read_report(path))


def exit_code(own, findings, mode):
    """The exit code that a checked program must have."""
    if own < 0 and mode == "run":
        return 128 - own
    if own:
        return own
    proven = [f for f in findings if f["severity"] == "error" and f["confidence"] == "proven"]
    return 66 if proven else 0
