#!/usr/bin/env python3
"""The wheel in a fresh environment: usage: test_installed.py VERSION WHEEL_FOLDER FETCHED   (of Python)

Nothing is fetched: pip installs the wheel alone. The API is tried in that environment, by this file again.
"""
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PROGRAM = os.path.join(HERE, "program.py")
TRACE = "alloc d 64\nalloc p 64 pinned\ncopy s1 p <- d 64\nhost_read p 4\nexit 0\n"
LEVELS = ("none", "error", "warning", "likely", "possible", "advice", "SC-101", "301", "host-read-before-sync", "none,SC-101")


def run(*command, code=0):
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD", "STREAMCHECK_OPTIONS")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Command(unittest.TestCase):
    """The console script, and python -m streamcheck."""

    def setUp(self):
        self.script = os.path.join(os.path.dirname(sys.executable), "streamcheck")

    def test_the_command(self):
        self.assertIn("SC-101", run(self.script, "rules", "SC-101"))
        run(self.script, "no-such-command", code=2)

    def test_a_program_on_the_simulated_device(self):
        said = run(self.script, "run", "--device=sim", "--html=no", "--", sys.executable, PROGRAM, code=66)
        self.assertIn("SC-106", said)
        self.assertIn("program.py", said)
        self.assertIn('in "exchange"', said)
        self.assertIn('stream 1 "copy"', said)

    def test_a_script(self):
        run_it = (sys.executable, "-m", "streamcheck", "run", "--device=sim", "--html=no")
        self.assertIn("active\n", run(*run_it, PROGRAM, code=66))
        self.assertIn("active\n", run(*run_it, "--", PROGRAM, code=66))
        self.assertIn("1 suppressed", run(*run_it, PROGRAM, "quiet"))
        self.assertIn("made no CUDA call", run(*run_it, "-m", "this", code=3))
        self.assertIn("Python 3", run(*run_it, sys.executable, "--version", code=3))

    def test_without_the_recorder(self):
        """The calls do nothing; there is no CUDA, so the script ends at its first call."""
        import streamcheck
        with streamcheck.quiet("nothing"), streamcheck.section("nothing"):
            streamcheck.name(ctypes.c_void_p(8), "nothing")
        self.assertFalse(streamcheck.is_active())


class Api(unittest.TestCase):
    """load, and what the helpers point to."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace, self.json = (os.path.join(folder.name, n) for n in ("race.sct.txt", "race.json"))
        with open(self.trace, "w", encoding="utf-8") as file:
            file.write(TRACE)

    def test_paths(self):
        import streamcheck
        for path in (streamcheck.lib_path(), streamcheck.command_path(), streamcheck.simulator_dir(),
                     os.path.join(streamcheck.include_dir(), "streamcheck", "streamcheck.h")):
            self.assertTrue(os.path.exists(path), path)
        self.assertEqual(streamcheck.__version__, run(streamcheck.command_path(), "--version").split()[-1])

    def test_a_trace(self):
        import streamcheck
        report = streamcheck.load(self.trace)
        (finding,) = [f for f in report.findings if f.rule == "SC-101"]
        self.assertEqual((finding.severity, finding.confidence, report.exit_code), ("error", "proven", 66))
        self.assertEqual([(a.mode, a.bytes) for a in finding.accesses], [("write", 4), ("read", 4)])
        self.assertTrue(finding.accesses[0].operation)
        self.assertEqual(streamcheck.load(self.trace, "fail-on=none").exit_code, 0)

    def test_a_report(self):
        import streamcheck
        run(streamcheck.command_path(), "analyze", "--html=no", f"--report=json:{self.json}", self.trace, code=66)
        self.assertEqual(streamcheck.load(self.json).findings, streamcheck.load(self.trace).findings)

    def test_gates_are_those_of_the_command(self):
        import streamcheck
        for level in LEVELS:
            report = streamcheck.load(self.trace, f"fail-on={level}")
            self.assertEqual(report.gate(level), report.exit_code, level)

    def test_what_is_no_report(self):
        import streamcheck
        for text, error in (('{"streamcheck": 1}', ValueError), ("{", ValueError), ('{"processes": 3}', ValueError),
                            ("no trace", streamcheck.CommandError), ("", streamcheck.CommandError)):
            with open(self.json, "w", encoding="utf-8") as file:
                file.write(text)
            with self.assertRaises(error, msg=text):
                streamcheck.load(self.json)
        with self.assertRaises(OSError):
            streamcheck.load(self.json + ".none")

    def test_the_places_of_calls_are_the_headers(self):
        import streamcheck
        from streamcheck import _marks
        with open(os.path.join(streamcheck.include_dir(), "streamcheck/calls.h"), encoding="utf-8") as file:
            body = re.search(r"struct streamcheck_calls \{(.*?)\n\};", file.read(), re.S)[1]
        members = ["bytes", *re.findall(r"\(\*(\w+)\)\(", body)]
        for name in ("NAME_STREAM", "QUIET_BEGIN", "QUIET_END", "RANGE_BEGIN", "RANGE_END"):
            self.assertEqual(members[getattr(_marks, name)], name.lower())

    def test_streams_of_others(self):
        from streamcheck._marks import handle

        def stream(**members):
            return type("Stream", (), members)()
        for value, number in ((None, 0), (7, 7), (ctypes.c_void_p(7), 7), (ctypes.c_void_p(), 0),
                              (stream(cuda_stream=7), 7), (stream(ptr=7), 7), (stream(handle=ctypes.c_void_p(7)), 7),
                              (stream(__int__=lambda self: 7), 7), (stream(__cuda_stream__=lambda self: (0, 7)), 7)):
            self.assertEqual(handle(value), number, value)
        with self.assertRaises(TypeError):
            handle("a stream")


def main():
    import interpreter
    import venvs
    python = interpreter.find(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        own = venvs.make(python, os.path.join(folder, "venv"), *glob.glob(os.path.join(sys.argv[2], "*.whl")))
        return subprocess.run([own, os.path.abspath(__file__)], check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main())
    unittest.main()
