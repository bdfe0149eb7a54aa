#!/usr/bin/env python3
"""What no patch of a kernel's instructions sees is never judged as if the kernel had not touched it.

usage: test_unpatched.py PREFIX PROGRAM STANDIN   (unpatched.cu, see there for its arguments)
"""
import os
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM, STANDIN = map(os.path.abspath, sys.argv[1:4])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
RECORDED = ("--footprints=recorded", "--sim-memory=128m", "--sanitizer=" + STANDIN)
OBJECTS = ("linear", "only", "array", "surface")


class Unpatched(unittest.TestCase):
    """A kernel reads what another stream refills."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = os.path.join(self.folder.name, "first.sct")
        self.json = os.path.join(self.folder.name, "report.json")

    def findings(self, *arguments, options=RECORDED, env=None):
        """(rule, confidence) of each finding above advice."""
        code, _, err = checked.run([COMMAND, "run", "--device=sim", "--html=no", "--advice=no", "--fail-on=none", "--trace=" + self.trace,
                                    "--report=json:" + self.json, *options, "--", PROGRAM, *arguments],
                                   checked.environment(PREFIX, "sim") | (env or {}))
        self.assertEqual(code, 0, err)
        return [(f["rule"], f["confidence"]) for f in checked.read_report(self.json)["findings"]]

    def test_recorded_with_code(self):
        for way in OBJECTS:
            self.assertEqual(self.findings(way), [("SC-106", "possible")], way)
        self.assertEqual(self.findings("constant"), [("SC-106", "proven")])

    def test_recorded_without_code(self):
        for way in (*OBJECTS, "constant"):
            self.assertEqual(self.findings(way, options=(*RECORDED, "--images=no")), [("SC-106", "possible")], way)

    def test_by_parameters_only(self):
        """Not the constants: nothing says that a kernel without code has any."""
        for way in OBJECTS:
            self.assertEqual(self.findings(way, options=("--images=no", "--footprints=no")), [("SC-106", "possible")], way)

    def test_ordered(self):
        for way in (*OBJECTS, "constant"):
            for options in (RECORDED, (*RECORDED, "--images=no")):
                self.assertEqual(self.findings(way, "fixed", options=options), [], (way, options))

    def test_verify_does_not_say_apart(self):
        for way in OBJECTS:
            self.findings(way, options=("--images=no",), env={"STREAMCHECK_SIM_KERNELS": "skip"})
            code, _, err = checked.run([COMMAND, "verify", "--device=sim", "--html=no", "--images=no", *RECORDED[1:], self.trace, "--",
                                        PROGRAM, way], checked.environment(PREFIX, "sim"))
            self.assertIn("0 proven, 1 not decided, 0 not seen", err, way)
            self.assertEqual(code, 3, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
