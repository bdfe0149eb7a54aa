#!/usr/bin/env python3
"""Programs of testcases/ucx on the simulated device, against their head comments, over several of UCX's transports.
All programs of a variant run in one process.

usage: test_ucx.py PREFIX SOURCES PROGRAMS, a folder with `racy`, `fixed` and `abi`
"""
import glob
import os
import sys
import tempfile
import unittest

import checked
import expectation

PREFIX = SOURCES = PROGRAMS = ""
TRANSPORTS = ("self,sm", "tcp")


class Run:
    """One run: the exit code, what was printed, and the report."""

    def __init__(self, program, transport=TRANSPORTS[0], arguments=()):
        env = checked.environment(PREFIX, "sim", "lazy")
        env.update(UCX_TLS=transport, UCX_WARN_UNUSED_ENV_VARS="n", STREAMCHECK_SIM_HOST_ACCESS="1",
                   STREAMCHECK_SIM_WORKERS="1")
        command = os.path.join(PREFIX, "bin", "streamcheck")
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            path = os.path.join(folder, "report.json")
            self.code, self.out, self.err = checked.run(
                [command, "run", "--device=sim", f"--report=json:{path}", "--",
                 os.path.join(PROGRAMS, program), *arguments], env, cwd=folder)
            self.report = checked.read_report(path) if os.path.exists(path) else None


class Ucx(unittest.TestCase):
    """Expectations, over each transport."""

    def setUp(self):
        self.sources = {os.path.basename(path): expectation.Source(path)
                        for path in sorted(glob.glob(os.path.join(SOURCES, "*.c")))
                        if os.path.basename(path) != "all.c"}

    def check_variant(self, run, variant):
        self.assertTrue(run.report and run.report["complete"], run.err)
        wrong = expectation.compare_programs(self.sources, variant, run.report["findings"])
        self.assertFalse(wrong, "\n".join(["", *wrong]))

    def test_racy(self):
        self.assertGreaterEqual(len(self.sources), 12)
        for transport in TRANSPORTS:
            with self.subTest(transport=transport):
                run = Run("racy", transport)
                self.check_variant(run, "")
                self.assertNotEqual(run.code, 0)

    def test_fixed(self):
        for transport in TRANSPORTS:
            with self.subTest(transport=transport):
                run = Run("fixed", transport)
                self.assertEqual(run.code, 0, run.err)
                self.check_variant(run, "FIXED")

    def test_numbers(self):
        """What is written down of UCX's structures is what its header has."""
        code, out, _ = checked.run([os.path.join(PROGRAMS, "abi")], checked.environment(PREFIX, "sim"))
        self.assertEqual((code, out), (0, ""))


def main():
    global PREFIX, SOURCES, PROGRAMS
    PREFIX, SOURCES, PROGRAMS = sys.argv[1:4]
    if not os.path.exists(os.path.join(PROGRAMS, "abi")):
        print("UCX is not installed: tools/setup.sh tests")
        return 77
    return not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
