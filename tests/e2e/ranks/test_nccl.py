#!/usr/bin/env python3
"""Programs of testcases/ranks/nccl under streamcheck, as test_across.py runs those of MPI: the program that starts the
ranks is one of them. The library of NCCL that they use is the tests' own.

usage: test_nccl.py PREFIX SOURCES PROGRAMS, which are called PROGRAMS-racy and PROGRAMS-fixed
"""
import os
import sys
import unittest

import checked
import test_across


def launch(variant, ranks, names, mark, options):
    return [test_across.COMMAND, "run", "--device=sim", "--html=no", *options, "--", f"{test_across.PROGRAMS}-{variant}", "-n",
            str(ranks), *names, mark]


class Nccl(test_across.Across):
    def text_of(self, program, ranks, expected=66):
        """The report of all ranks as text."""
        path = os.path.join(self.folder, "out.text")
        code, _, err = checked.run(launch("racy", ranks, [program], "-", [f"--report=text:{path}"]), test_across.environment(),
                                   cwd=self.folder)
        self.assertEqual(code, expected, err)
        with open(path, encoding="utf-8") as file:
            return " ".join(file.read().split())

    def test_words(self):
        """Each finding names the other rank, what differs in its call, and where that is."""
        self.assertRegex(self.text_of("swapped_collectives", 2), r"rank 1 calls ncclBroadcast at [^ ]*swapped_collectives\.c:\d+; "
                         "it is collective 1 of a communicator of NCCL of 2 ranks")
        self.assertRegex(self.text_of("different_types", 2), r"rank 1 calls ncclAllReduce of elements of type ncclInt32 at [^ ]*; "
                         "it is collective 1 of a communicator of NCCL of 2 ranks, here of elements of type ncclFloat32")
        self.assertRegex(self.text_of("different_reductions", 3), "rank 1 calls ncclReduceScatter with the operation ncclMax")
        self.assertRegex(self.text_of("two_messages", 2), r"rank 0 sends 16384 bytes by ncclSend at [^ ]*, and this receive is for 8192")
        self.assertRegex(self.text_of("several_devices", 1), "rank 1 of the communicator calls ncclAllReduce at ")

        self.assertRegex(self.text_of("two_streams", 2, 0), r"it is enqueued before ncclAllGather at [^ ]*two_streams\.c:\d+ of a communicator "
                         r"of NCCL of 2 ranks; rank 1 enqueues ncclAllGather at [^ ]* before ncclAllReduce at [^ ]*: these wait")

    def test_words_of_shared_memory(self):
        self.assertRegex(self.text_of("shared_before_reduction", 2), r"rank 1 reads 16384 of these bytes by cuMemcpyDtoDAsync_v2 at "
                         r"[^ ]*shared_before_reduction\.c:\d+; no message, collective or event between the two orders them")

    def test_words_of_what_is_missing(self):
        """What follows a captured call is not compared, and the report says so."""
        code, _, err = checked.run(launch("fixed", 2, ["captured"], "-", []), test_across.environment(), cwd=self.folder)
        self.assertEqual((code, err.count("missing: calls of a communicator of NCCL after one that was captured or failed")), (0, 1), err)

    def test_traces(self):
        """Traces of all ranks, compared later; one alone says nothing."""
        traces = os.path.join(self.folder, "traces")
        os.mkdir(traces)
        code, _, err = checked.run(launch("racy", 3, ["different_roots"], "-", ["--analyze=no", f"--trace={traces}/%p.sct"]),
                                   test_across.environment(), cwd=self.folder)
        self.assertEqual(code, 0, err)
        paths = sorted(os.path.join(traces, name) for name in os.listdir(traces))
        self.assertEqual(len(paths), 3)
        for words in (["merge", *paths], ["analyze", *paths], ["analyze", "--shard=1/2", "--summary=s.scs", *paths]):
            code, _, err = checked.run([test_across.COMMAND, words[0], "--html=no", *words[1:]], test_across.environment(),
                                       cwd=self.folder)
            self.assertEqual((code, "error SC-170" in err), (66, True), err)
        code, _, err = checked.run([test_across.COMMAND, "analyze", "--html=no", paths[0]], test_across.environment(),
                                   cwd=self.folder)
        self.assertEqual(code, 0, err)


def main():
    test_across.PREFIX, test_across.SOURCES, test_across.PROGRAMS = sys.argv[1:4]
    test_across.COMMAND = os.path.join(test_across.PREFIX, "bin", "streamcheck")
    test_across.NAME, test_across.launch = "nccl", launch
    test_across.OPTIONS["nccl"], test_across.ENV["nccl"] = [], {}
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Nccl)
    return not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
