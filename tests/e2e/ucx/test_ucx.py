#!/usr/bin/env python3
"""Programs of testcases/ucx, against their head comments, over several of UCX's transports.
All programs of a variant run in one process.

usage: test_ucx.py PREFIX SOURCES PROGRAMS, a folder with `racy`, `fixed` and `abi`
"""
import os
import sys
import unittest

import checked
import one_by_one

PREFIX = SOURCES = PROGRAMS = ""
TRANSPORTS = ("self,sm", "tcp") if checked.DEVICE == "sim" else ("self,sm,cuda_copy", "tcp,cuda_copy")
# With the protocols that are the default since UCX 1.16, bytes of a stream between two workers of one process never arrive,
# in a program without CUDA too (1.18, Debian 13). Those before are all that 1.13 (Debian 12) has by default.
PROTOCOLS = {"UCX_PROTO_ENABLE": "n"}


def run_programs(program, transport=TRANSPORTS[0], arguments=()):
    """One run over a transport."""
    return one_by_one.Run(PREFIX, os.path.join(PROGRAMS, program), arguments,
                          {**PROTOCOLS, "UCX_TLS": transport, "UCX_WARN_UNUSED_ENV_VARS": "n"})


class Ucx(unittest.TestCase):
    """Expectations, over each transport."""

    def setUp(self):
        self.sources = one_by_one.sources(SOURCES, "c")

    def test_racy(self):
        self.assertGreaterEqual(len(self.sources), 12)
        for transport in TRANSPORTS:
            with self.subTest(transport=transport):
                run = run_programs("racy", transport)
                one_by_one.check_variant(self, self.sources, run, "")
                self.assertNotEqual(run.code, 0)

    def test_fixed(self):
        for transport in TRANSPORTS:
            with self.subTest(transport=transport):
                run = run_programs("fixed", transport)
                self.assertEqual(run.code, 0, run.err)
                one_by_one.check_variant(self, self.sources, run, "FIXED")

    def test_numbers(self):
        """What is written down of UCX's structures is what its header has."""
        code, out, _ = checked.run([os.path.join(PROGRAMS, "abi")], checked.environment(PREFIX, "sim"))
        self.assertEqual((code, out), (0, ""))


def main():
    global PREFIX, SOURCES, PROGRAMS
    PREFIX, SOURCES, PROGRAMS = sys.argv[1:4]
    if not os.path.exists(os.path.join(PROGRAMS, "abi")):
        print("UCX is not installed: tools/setup.sh all")
        return 77
    return not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
