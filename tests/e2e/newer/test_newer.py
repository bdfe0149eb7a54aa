#!/usr/bin/env python3
"""Functions of a driver that is newer than streamcheck's headers: what is called is counted and named.

usage: test_newer.py PREFIX
"""
import os
import subprocess
import sys
import tempfile
import unittest

import checked

HERE = os.path.dirname(os.path.abspath(__file__))


class Newer(unittest.TestCase):
    prefix = ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="streamcheck-newer-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.program = os.path.join(cls.folder, "program")
        for source, output, *flags in (("driver.c", "libcuda.so.1", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"),
                                       ("program.c", "program", "-ldl")):
            subprocess.run(["cc", "-g", os.path.join(HERE, source), "-o", os.path.join(cls.folder, output), *flags], check=True)

    def run_program(self, *arguments):
        env = {**os.environ, "LD_LIBRARY_PATH": self.folder}
        done = subprocess.run([os.path.join(self.prefix, "bin", "streamcheck"), "run", "--device=gpu", "--html=no", "--verbose", "--",
                               self.program, *arguments], env=env, text=True, capture_output=True, check=False)
        self.assertIn("done\n", done.stdout, done.stderr)
        return done.returncode, done.stderr

    def ways(self, *arguments):
        """By cuGetProcAddress, by dlsym."""
        for version in ("14000", "0"):
            yield self.run_program(version, *arguments)

    def test_what_may_move_data_is_counted_and_named_once(self):
        for code, said in self.ways("cuMemJuggleAsync"):
            self.assertEqual(code, 3, said)
            self.assertIn("incomplete: 1 call without a decoder", said)
            self.assertIn("not seen: 1 event: calls of cuMemJuggleAsync have no decoder", said)

    def test_what_only_answers_is_named_and_no_gap(self):
        for code, said in self.ways("cuJuggleGetCount"):
            self.assertEqual(code, 0, said)
            self.assertIn("a decoder for cuJuggleGetCount, which moves nothing by its name", said)
            self.assertNotIn("without a decoder", said)

    def test_what_is_looked_up_alone_is_no_gap(self):
        for code, said in self.ways("-cuMemJuggleAsync", "-cuJuggleNow"):
            self.assertEqual(code, 0, said)
            self.assertIn("no decoder for cuMemJuggleAsync", said)
            self.assertNotIn("without a decoder", said)

    def test_a_newer_form_of_a_known_function_is_not_taken_for_the_older_one(self):
        code, said = self.run_program("14000", "cuLaunchHostFunc")
        self.assertEqual((code, "calls of cuLaunchHostFunc have no decoder" in said), (3, True), said)

    def test_a_node_of_a_type_that_is_not_known_is_counted_when_it_is_read_and_when_it_changes(self):
        for node in (15, 17, 99):  # none, an external engine (13.3), one of a later version
            code, said = self.run_program("0", f"node={node}")
            self.assertEqual(code, 3, said)
            self.assertEqual(said.count("not seen: 1 event: nodes of graphs whose parameters the driver does not report"), 2, said)

    def test_a_batch_of_copies_of_which_the_driver_does_not_report_the_parameters_is_counted(self):
        for node in (14, 18):  # the driver has no cuGraphNodeGetParams
            self.assertEqual(self.run_program("0", f"node={node}")[1].count("not seen: 1 event: nodes of graphs whose parameters"), 1)

    def test_a_node_without_parameters_is_no_gap(self):
        code, said = self.run_program("0", "node=5")
        self.assertEqual((code, "not seen" in said), (0, False), said)

    def test_an_older_form_is_still_decoded(self):
        code, said = self.run_program("13000", "cuLaunchHostFunc")
        self.assertEqual((code, "without a decoder" in said), (0, False), said)


if __name__ == "__main__":
    Newer.prefix = sys.argv.pop()
    unittest.main()
