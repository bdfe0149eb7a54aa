#!/usr/bin/env python3
"""How the suite for GPUs counts what became of likely findings, on the simulated device.

usage: test_likely.py PREFIX FOLDER-OF-BUILT-TESTCASES

The first run executes no kernel, and keeps no device code; the second executes them.
"""
import contextlib
import io
import os
import sys
import unittest

import expectation
import likely

PREFIX, PROGRAMS = map(os.path.abspath, sys.argv[1:3])


def count(case):
    """{(group, rule): details} of one test case, and the rows that are not numbers."""
    source = expectation.source_of(case)
    source.env["STREAMCHECK_SIM_KERNELS"] = "skip"
    with contextlib.redirect_stdout(io.StringIO()):
        rows = list(likely.rows(PREFIX, likely.case_runs(PROGRAMS, [source]), "sim", ""))
    return {(what, how): details for what, how, word, details in rows if word == "ok"}, [row for row in rows if row[2] != "ok"]


class Likely(unittest.TestCase):
    """One test case for each answer."""

    def one(self, case, rule, expected):
        counts, wrong = count(case)
        self.assertEqual(wrong, [])
        self.assertEqual(counts[("likely: test cases with a mistake, without device code", rule)], expected)
        self.assertTrue(counts[("likely", "all rules")].endswith(expected), counts)

    def test_a_use_is_proven(self):
        self.one("returned_to_pool", "SC-153", "1 asked: 1 proven, 0 not seen, 0 not decided, 0 other doubt")

    def test_bytes_are_apart(self):
        self.one("loaded_pointer", "SC-106", "1 asked: 0 proven, 1 not seen, 0 not decided, 0 other doubt")

    def test_a_program_that_does_not_start_is_wrong(self):
        run = likely.Run("none", "test cases with a mistake", [os.path.join(PROGRAMS, "none")])
        with contextlib.redirect_stdout(io.StringIO()):
            rows = list(likely.rows(PREFIX, [run], "sim", ""))
        self.assertEqual(rows[0][:3], ("none", "likely", "FAIL"))
        self.assertIn("none", rows[0][3])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
