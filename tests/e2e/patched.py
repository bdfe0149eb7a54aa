"""Programs that `streamcheck repair --patch` mends: recorded, patched, and recorded again without a finding.

A test file derives a class from Case, says how its programs are built and started, and adds a test for each program
with add_tests().
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import checked

PACKAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "out", "patch")
if not os.path.isdir(PACKAGES):
    print("the packages of the writer of patches are not in out/patch: tools/setup.sh tests")
    sys.exit(77)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def writing():
    """The environment in which patches are written: with the packages of tools/setup.sh."""
    return {**os.environ, "STREAMCHECK_PYTHON": sys.executable, "PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1"}


class Case(unittest.TestCase):
    """One program in a folder of its own (`work`), below a folder for what belongs to it (`folder`)."""

    prefix = None  # where streamcheck is installed
    options = ()  # of recording

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(holder.cleanup)
        self.folder = os.path.realpath(holder.name)
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.work)
        self.streamcheck = os.path.join(self.prefix, "bin", "streamcheck")
        self.trace = os.path.join(self.folder, "t.sct")

    def build(self):
        """Makes what is started of the sources."""

    def started(self):
        """The command, and what its environment has more."""
        raise NotImplementedError

    def record(self):
        """Builds and records it: the rules that it breaks, and what was printed."""
        self.build()
        command, more = self.started()
        report = os.path.join(self.folder, "report.json")
        env = checked.environment(self.prefix, "sim", "lazy")
        done = subprocess.run([self.streamcheck, "run", "--device=sim", "--html=no", "--advice=no",
                               *self.options, f"--trace={self.trace}", f"--report=json:{report}", "--", *command], cwd=self.work,
                              env={**env, **more}, capture_output=True, text=True, check=False,
                              timeout=checked.TIMEOUT_S)
        with open(report, encoding="utf-8") as file:
            return [f["rule"] for f in json.load(file)["findings"]], done.stdout + done.stderr

    def patch(self, sources):
        """Writes the sources; the patch for what is found in them, and what was printed."""
        for name, text in sources.items():
            write(os.path.join(self.work, name), text)
        rules, printed = self.record()
        self.assertTrue(rules, printed)
        done = subprocess.run([self.streamcheck, "repair", "--patch", self.trace], cwd=self.work, capture_output=True,
                              text=True, check=True, env=writing())
        return done.stdout, printed

    def check(self, sources, lines):
        """The patch adds these lines, in their order and as added() returns them, and mends the program."""
        patch, printed = self.patch(sources)
        self.assertNotIn("# edit", patch)
        self.assertEqual(self.added(patch), lines, patch + printed)
        done = subprocess.run(["patch", "-p1", "--fuzz=0"], input=patch, cwd=self.work, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + patch)
        rules, printed = self.record()
        self.assertEqual(rules, [], patch + printed)

    @staticmethod
    def added(patch):
        return [line[1:] for line in patch.split("\n") if line.startswith("+") and not line.startswith("+++")]


def add_tests(case, programs, check):
    """Adds a test for each program: `check` takes a case and what the table has under the name."""
    def add(name, program):
        setattr(case, f"test_{name}", lambda self: check(self, *program))
    for name, program in programs.items():
        add(name, program)
