#!/usr/bin/env python3
"""Programs of testcases/nixl on the simulated device, against their head comments. All programs of a variant run in one
process, with a stand-in for NIXL's library.

usage: test_nixl.py PREFIX SOURCES PROGRAMS, a folder with `racy`, `fixed`, and the libraries in `own` and `other`
"""
import os
import sys
import unittest

import checked
import one_by_one

PREFIX = SOURCES = PROGRAMS = ""
UNKNOWN = "transfers of NIXL of this library"


def run_programs(program, layout="own", arguments=()):
    """One run with the library of a layout."""
    folders = [os.path.join(PROGRAMS, layout), checked.environment(PREFIX, "sim", "lazy").get("LD_LIBRARY_PATH", "")]
    return one_by_one.Run(PREFIX, os.path.join(PROGRAMS, program), arguments,
                          {"LD_LIBRARY_PATH": ":".join(folder for folder in folders if folder)})


class Nixl(unittest.TestCase):
    """Expectations, and a library that is not understood."""

    def setUp(self):
        self.sources = one_by_one.sources(SOURCES, "cu")

    def check_variant(self, run, variant):
        one_by_one.check_variant(self, self.sources, run, variant)
        self.assertNotIn(UNKNOWN, run.err)

    def test_racy(self):
        self.assertGreaterEqual(len(self.sources), 14)
        run = run_programs("racy")
        self.check_variant(run, "")
        self.assertEqual(run.code, 66, run.err)

    def test_fixed(self):
        run = run_programs("fixed")
        self.check_variant(run, "FIXED")
        self.assertEqual(run.code, 0, run.err)

    def test_other_layout(self):
        """Descriptors that are not what is known of them: nothing is read out of them, and the report says so."""
        run = run_programs("fixed", "other", ["write_while_filling"])
        self.assertIn(UNKNOWN, run.err)
        self.assertEqual(run.report["findings"], [])


def main():
    global PREFIX, SOURCES, PROGRAMS
    PREFIX, SOURCES, PROGRAMS = sys.argv[1:4]
    return not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
