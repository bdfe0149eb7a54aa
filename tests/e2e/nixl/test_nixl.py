#!/usr/bin/env python3
"""Programs of testcases/nixl on the simulated device, against their head comments. All programs of a variant run in one
process, with a stand-in for NIXL's library.

usage: test_nixl.py PREFIX SOURCES PROGRAMS, a folder with `racy`, `fixed`, and the libraries in `own` and `other`
"""
import glob
import os
import sys
import tempfile
import unittest

import checked
import expectation

PREFIX = SOURCES = PROGRAMS = ""
UNKNOWN = "transfers of NIXL of this library"


class Run:
    """One run with the library of a layout: the exit code, what was printed, and the report."""

    def __init__(self, program, layout="own", arguments=()):
        env = checked.environment(PREFIX, "sim", "lazy")
        env.update(STREAMCHECK_SIM_HOST_ACCESS="1", STREAMCHECK_SIM_WORKERS="1")
        folders = [os.path.join(PROGRAMS, layout), env.get("LD_LIBRARY_PATH", "")]
        env["LD_LIBRARY_PATH"] = ":".join(folder for folder in folders if folder)
        command = os.path.join(PREFIX, "bin", "streamcheck")
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            path = os.path.join(folder, "report.json")
            self.code, self.out, self.err = checked.run(
                [command, "run", "--device=sim", f"--report=json:{path}", "--",
                 os.path.join(PROGRAMS, program), *arguments], env, cwd=folder)
            self.report = checked.read_report(path) if os.path.exists(path) else None


class Nixl(unittest.TestCase):
    """Expectations, and a library that is not understood."""

    def setUp(self):
        self.sources = {os.path.basename(path): expectation.Source(path)
                        for path in sorted(glob.glob(os.path.join(SOURCES, "*.cu")))
                        if os.path.basename(path) != "all.cu"}

    def check_variant(self, run, variant):
        self.assertTrue(run.report and run.report["complete"], run.err)
        wrong = expectation.compare_programs(self.sources, variant, run.report["findings"])
        self.assertFalse(wrong, "\n".join(["", *wrong]))
        self.assertNotIn(UNKNOWN, run.err)

    def test_racy(self):
        self.assertGreaterEqual(len(self.sources), 14)
        run = Run("racy")
        self.check_variant(run, "")
        self.assertEqual(run.code, 66, run.err)

    def test_fixed(self):
        run = Run("fixed")
        self.check_variant(run, "FIXED")
        self.assertEqual(run.code, 0, run.err)

    def test_other_layout(self):
        """Descriptors that are not what is known of them: nothing is read out of them, and the report says so."""
        run = Run("fixed", "other", ["write_while_filling"])
        self.assertIn(UNKNOWN, run.err)
        self.assertEqual(run.report["findings"], [])


def main():
    global PREFIX, SOURCES, PROGRAMS
    PREFIX, SOURCES, PROGRAMS = sys.argv[1:4]
    return not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
