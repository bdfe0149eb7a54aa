#!/usr/bin/env python3
"""The pytest plugin on the project beside this file: usage: test_pytest.py VERSION WHEEL_FOLDER FETCHED   (of Python)

What each test of the project comes to, with a process for each test, for each file, and with xdist's workers.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import interpreter
import venvs

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.join(HERE, "project")
PACKAGES = ("pytest>=8", "pytest-xdist>=3")
SIM = "--streamcheck-device=sim"
FOR_EACH_VERSION = ("test_a_process_for_each_test", "test_a_process_for_each_file")  # the rest for this interpreter only
PYTHON = None
# Test: its outcome in a process of its own, and what the plugin says of it (None: it ran unchecked).
WANTED = {"test_clean": ("passed", "clean"), "test_race": ("failed", "findings"), "test_allowed": ("passed", "clean"),
          "test_suppressed": ("passed", "clean"), "test_dies": ("failed", "incomplete"),
          "test_fails": ("failed", "clean"), "test_warns": ("passed", "clean"),
          "test_skipped": ("skipped", "no CUDA call"), "test_unchecked": ("passed", None),
          "test_without_cuda[one::two]": ("passed", "no CUDA call"),
          "test_without_cuda[a b]": ("passed", "no CUDA call"), "test_wants_cuda": ("failed", "no CUDA call")}
# Where the tests of a file share a process, what CUDA it used counts for all of them.
IN_FILE = {**WANTED, "test_skipped": ("skipped", "clean"), "test_without_cuda[one::two]": ("passed", "clean"),
           "test_without_cuda[a b]": ("passed", "clean"), "test_wants_cuda": ("passed", "clean")}


def line_of(text):
    with open(os.path.join(PROJECT, "test_copies.py"), encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith(text))


class Run:
    """One run of pytest in a copy of the project."""

    def __init__(self, *words, files=None, device=SIM):
        self.folder = tempfile.mkdtemp()
        shutil.copytree(PROJECT, os.path.join(self.folder, "project"))
        self.folder = os.path.join(self.folder, "project")
        for name, text in (files or {}).items():
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD", "PYTEST_ADDOPTS")}
        done = subprocess.run([PYTHON, "-m", "pytest", "--streamcheck", *([device] if device else ()),
                               "--junitxml=results.xml", *words], cwd=self.folder, env=env, capture_output=True,
                              text=True, check=False)
        self.code, self.said = done.returncode, done.stdout + done.stderr
        reports = os.path.join(self.folder, "streamcheck-reports")
        self.reports = sorted(os.listdir(reports)) if os.path.isdir(reports) else []

    def outcomes(self):
        """{test: (outcome, what the plugin says)} as junit's file has them."""
        found = {}
        for case in ElementTree.parse(os.path.join(self.folder, "results.xml")).iter("testcase"):
            states = [p.get("value") for p in case.iter("property") if p.get("name") == "streamcheck"]
            outcome = "failed" if case.find("failure") is not None or case.find("error") is not None else \
                "skipped" if case.find("skipped") is not None else "passed"
            found[case.get("name")] = (outcome, states[0] if states else None)
        return found


class Plugin(unittest.TestCase):
    maxDiff = None

    def run_it(self, *words, **more):
        run = Run(*words, **more)
        self.addCleanup(shutil.rmtree, os.path.dirname(run.folder))
        return run

    def expect_project(self, run, wanted):
        self.assertEqual(run.outcomes(), wanted, run.said)
        self.assertEqual(run.code, 1, run.said)
        line = line_of("# race")
        self.assertRegex(run.said, rf"(?m)^test_copies.py:{line}: in test_race$")
        self.assertRegex(run.said, r"(?m)^E +StreamcheckError: SC-106 cross-stream-read-write: .*\[proven error\]$")
        self.assertRegex(run.said, rf"(?m)^E +test_copies.py:{line}  test_race$")
        self.assertIn("the process died by SIGSEGV in this test", run.said)
        self.assertIn("RuntimeWarning: a warning of the test", run.said)
        self.assertIn("1 with findings", run.said)

    def test_a_process_for_each_test(self):
        run = self.run_it()
        self.expect_project(run, WANTED)
        self.assertIn("no CUDA call was recorded, and require_cuda asks for one", run.said)
        kept = {name[:-14] if name.endswith(".json") else "" for name in run.reports} - {""}
        self.assertEqual(kept, {"test_copies.py_test_dies", "test_copies.py_test_race"})
        path = next(n for n in run.reports if "race" in n and n.endswith("json"))
        with open(os.path.join(run.folder, "streamcheck-reports", path), encoding="utf-8") as file:
            self.assertEqual([f["rule"] for f in json.load(file)["findings"] if f["severity"] == "error"], ["SC-106"])

    def test_a_process_for_each_file(self):
        """After the crash the rest of the file has another process."""
        self.expect_project(self.run_it("--streamcheck-per=file"), IN_FILE)

    def test_workers(self):
        self.expect_project(self.run_it("-n", "2"), WANTED)
        run = self.run_it("-n", "2", "--streamcheck-per=file")
        self.assertEqual(run.code, 4, run.said)
        self.assertIn("--streamcheck-per=file cannot share files", run.said)

    def test_options_of_the_project_reach_the_tests(self):
        run = self.run_it("--size=4096", "-k", "test_race")
        self.assertIn("4096 bytes", run.said)
        self.assertEqual(list(run.outcomes()), ["test_race"])

    def test_options_of_the_command(self):
        run = self.run_it("--streamcheck-option=fail-on=none", "-k", "test_race")
        self.assertEqual((run.code, run.outcomes()), (0, {"test_race": ("passed", "clean")}), run.said)
        run = self.run_it("--streamcheck-option=no-such=1", "-k", "test_race or test_clean")
        self.assertEqual(run.code, 4, run.said)
        self.assertIn("no-such", run.said)
        run = self.run_it("--streamcheck-option=exitcode=1")
        self.assertEqual(run.code, 4, run.said)
        run = self.run_it("--streamcheck-option=budget=copies=0", "-k", "test_clean")
        self.assertEqual((run.code, run.outcomes()["test_clean"][0]), (1, "failed"), run.said)
        self.assertIn("the gate failed", run.said)

    def test_nothing_recorded_is_no_success(self):
        run = self.run_it("-k", "test_without_cuda")
        self.assertEqual((run.code, {o for o, _ in run.outcomes().values()}), (1, {"passed"}), run.said)
        self.assertIn("nothing was recorded", run.said)
        run = self.run_it("-k", "test_unchecked")
        self.assertEqual(run.code, 0, run.said)

    def test_reports_of_earlier_sessions_go(self):
        run = self.run_it("-k", "test_clean", files={f"streamcheck-reports/{name}": "" for name in
                                                     ("gone-0123abcd.json", "gone-0123abcd.txt", "notes.txt")})
        self.assertEqual(run.reports, ["notes.txt"], run.said)

    def test_names_of_all_kinds(self):
        """Folders, classes, parameters, unittest and doctest; a plugin that is switched off; from another folder."""
        text = "import unittest\nimport pytest\nclass TestIt:\n" \
            "    @pytest.mark.parametrize('x', ['a::b[c]', 'd/e'])\n    def test_race(self, device, x):\n" \
            "        device.fetch(device.stream)\n        device.upload(None)\n" \
            "class TestUnit(unittest.TestCase):\n    def test_it(self):\n        pass\n" \
            "def function():\n    '''\n    >>> 1 + 1\n    2\n    '''\n"
        files = {"inner/deep/__init__.py": "", "inner/deep/test_names.py": text}
        race = ("failed", "findings")
        wanted = {"test_race[a::b[c]]": race, "test_race[d/e]": race, "test_it": ("passed", "no CUDA call")}
        for words in (["inner"], ["-p", "no:cacheprovider", "inner"], ["--rootdir=inner", "inner"]):
            run = self.run_it(*words, files=files)
            self.assertEqual(run.outcomes(), wanted, run.said)
        # In one process the same lines are one finding, of the first test in which they raced.
        run = self.run_it("--streamcheck-per=file", "inner", files=files)
        clean = ("passed", "clean")
        self.assertEqual(run.outcomes(), {**wanted, "test_race[d/e]": clean, "test_it": clean}, run.said)
        run = self.run_it("--doctest-modules", "--import-mode=importlib", "-k", "not race", "inner", files=files)
        self.assertEqual(sorted(run.outcomes().values()), [("passed", "no CUDA call")] * 2, run.said)

    def test_how_processes_end(self):
        text = "import os, sys, atexit, signal\nimport pytest\n" \
            "def test_leaves(device):\n    os._exit(7)\n" \
            "def test_dies_late(device):\n    atexit.register(os.kill, os.getpid(), signal.SIGABRT)\n" \
            "@pytest.fixture\ndef broken(device):\n    raise OSError('no fixture')\n" \
            "def test_broken(broken):\n    pass\n" \
            "@pytest.mark.xfail(strict=True)\ndef test_expected(device):\n    assert 0\n" \
            "@pytest.mark.xfail\ndef test_expected_race(device):\n    device.fetch(device.stream)\n    device.upload(None)\n" \
            "    assert 0\n"
        run = self.run_it("test_ends.py", files={"test_ends.py": text})
        self.assertEqual(run.code, 1, run.said)
        self.assertEqual({n: o for n, (o, _) in run.outcomes().items()},
                         {"test_leaves": "failed", "test_dies_late": "failed", "test_broken": "failed",
                          "test_expected": "skipped", "test_expected_race": "failed"}, run.said)
        self.assertIn("the process ended with exit code 7 in this test", run.said)
        self.assertIn("the process died by SIGABRT after its tests", run.said)
        self.assertIn("no fixture", run.said)

    def test_a_wrong_marker(self):
        text = "import pytest\n@pytest.mark.streamcheck(alow=['SC-101'])\ndef test_it():\n    pass\n"
        run = self.run_it("test_marker.py", files={"test_marker.py": text})
        self.assertNotEqual(run.code, 0)
        self.assertIn("the marker is streamcheck(allow=[]", run.said)

    def test_without_the_option_nothing_changes(self):
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD")}
        done = subprocess.run([PYTHON, "-m", "pytest", "-q", "-k", "unchecked or without", "--strict-markers", PROJECT,
                               "-p", "no:cacheprovider"], env=env, capture_output=True, text=True, check=False)
        self.assertIn("1 passed", done.stdout)
        self.assertNotIn("tests checked", done.stdout)


def main():
    global PYTHON
    version, wheels, fetched = sys.argv[1:4]
    python = interpreter.find(version)
    found = venvs.fetch(python, fetched, *PACKAGES)
    with tempfile.TemporaryDirectory() as folder:
        PYTHON = venvs.make(python, os.path.join(folder, "venv"), *glob.glob(os.path.join(wheels, "*.whl")), "pytest",
                            "pytest-xdist", find_links=[found])
        tests = [] if python == sys.executable else ["Plugin." + name for name in FOR_EACH_VERSION]
        return not unittest.main(argv=[sys.argv[0], *tests], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
