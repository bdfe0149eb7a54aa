#!/usr/bin/env python3
"""What is recorded through the Sanitizer API's stand-in: launches, streams, modules, graphs; and runs that cannot record.

usage: test_recorded.py PREFIX LAUNCHES PAIRS STANDIN OLD   (launches.cu, tests/e2e/verify/pairs.cu, two libraries)

The bytes of each scenario must be those that the simulated device sees when it executes the same launches.
"""
import os
import re
import sys
import tempfile
import unittest

import checked
import recorded

PREFIX, LAUNCHES, PAIRS, STANDIN, OLD = map(os.path.abspath, sys.argv[1:6])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
COUNT = re.compile(r'^launches (\d+) (?:"(.*)"|-) object=1$', re.MULTILINE)
BYTES = re.compile(r"^launch_bytes (\d+) peer=1 accesses=\[w (0x[0-9a-f]+):(\d+)@", re.MULTILINE)
PARAMETERS = re.compile(r" params=([0-9a-f]{24})")
NODE = "it is a node of a graph that could not be distinguished from others"
BUSY = "all planes were in use by earlier launches"


def record(scenario, *options, library=STANDIN, program=LAUNCHES, env=None):
    """(result, dump) of a recorded run."""
    options = ["--footprints=recorded", "--sim-memory=128m", f"--sanitizer={library}", *options]
    with tempfile.TemporaryDirectory() as folder:
        return recorded.dump_of(PREFIX, [program, scenario], "sim", env or {}, options, folder)


class Launches(unittest.TestCase):
    """`check(scenario, recorded, reasons)`: how many launches and nodes were recorded, and why how many were not; what was
    recorded must be what the same launches touch when they are executed."""

    def check(self, scenario, count, **reasons):
        with tempfile.TemporaryDirectory() as folder:
            result, executed = recorded.dump_of(PREFIX, [LAUNCHES, scenario], "sim", {}, [], folder)
        self.assertEqual(result[0], 0, result[2])
        result, dump = record(scenario)
        self.assertEqual(result[0], 0, result[2])
        counts = {reason: int(number) for number, reason in COUNT.findall(dump)}
        self.assertEqual(counts.pop("", 0), count, result[2])
        self.assertEqual(counts, {globals()[name]: number for name, number in reasons.items()})
        launches = recorded.read(dump)
        self.assertEqual(recorded.differences(recorded.read(executed), launches)[1], [])
        self.assertEqual(sum(bool(launch.uses) for launch in launches.values()), count)
        return launches

    def check_nodes(self, scenario, count, **reasons):
        """Node n, from 0 on, writes n + 8 words of its buffer. (The executed run says each node's bytes once.)"""
        for (_, number), launch in self.check(scenario, count, **reasons).items():
            if launch.uses:
                self.assertEqual([(key[1], ranges) for key, ranges in launch.joined().items()],
                                 [("w", [[0, 4 * (number - 1 + 8)]])])

    def test_streams(self):
        self.check("streams", 48)

    def test_host_threads(self):
        """Each launch has its own bytes: those at the address that it is given, as many as its second parameter says."""
        result, dump = record("threads")
        self.assertEqual((result[0], COUNT.findall(dump)), (0, [("48", "")]), result[2])
        lines = dump.splitlines()
        for number, base, width in BYTES.findall(dump):
            given = bytes.fromhex(PARAMETERS.search(lines[int(number) - 1])[1])
            self.assertEqual((int.from_bytes(given[:8], "little"), 4 * int.from_bytes(given[8:12], "little")),
                             (int(base, 16), int(width)))
        self.assertEqual(len(BYTES.findall(dump)), 48)

    def test_two_devices(self):
        self.check("devices", 3)

    def test_context_that_comes_back(self):
        self.check("reset", 4)

    def test_many_contexts_one_after_the_other(self):
        self.check("resets", 20)

    def test_chain_of_other_nodes_and_an_upload(self):
        self.check_nodes("mixed", 4)

    def test_more_than_there_are_planes(self):
        self.check("queued", 64, BUSY=236)

    def test_modules_that_are_unloaded(self):
        self.check("unloaded", 5)

    def test_chain(self):
        self.check_nodes("chain", 15)

    def test_chain_whose_nodes_are_those_of_a_copy(self):
        self.check_nodes("chain_of_copies", 15)

    def test_chain_of_more_nodes_than_are_recorded(self):
        self.check_nodes("long_chain", 192, BUSY=18)

    def test_branches(self):
        self.check_nodes("branched", 10)

    def test_branches_whose_nodes_are_those_of_a_copy(self):
        self.check_nodes("branched_copies", 0, NODE=10)

    def test_node_that_is_off(self):
        self.check_nodes("switched", 7)

    def test_node_of_a_copy_that_is_off(self):
        """The third node of the chain is the second one to begin."""
        self.check_nodes("switched_copies", 0, NODE=7)


class Runs(unittest.TestCase):
    """What is said of runs, and what `verify` makes of a recorded one."""

    def without(self, sentence, library=STANDIN, env=None):
        """The program runs as usual, and the report says what is missing."""
        (code, out, err), dump = record("chain", library=library, env=env)
        self.assertEqual((code, out, COUNT.findall(dump)), (0, "", []), err)
        self.assertIn("footprints: kernels are not recorded: " + sentence, err)
        self.assertIn(f"recorded footprints ({sentence}", err)

    def test_no_library(self):
        self.without("NVIDIA's Sanitizer API, libsanitizer-public.so, was not found", library="/no/such/library.so")

    def test_library_of_another_version(self):
        self.without("NVIDIA's Sanitizer API, libsanitizer-public.so, was not found", library=OLD)

    def test_api_that_is_taken(self):
        self.without("another tool uses the Sanitizer API or CUPTI in this process", env={"LISTENED": "1"})

    def test_only_some_kernels(self):
        with tempfile.NamedTemporaryFile("w") as names:
            names.write("# none of the program\n_Z5otherv\n")
            names.flush()
            result, dump = record("streams", f"--record-kernels={names.name}")
            self.assertEqual((result[0], COUNT.findall(dump)), (0, [("0", "")]), result[2])
            names.write("_Z3putPii\n")
            names.flush()
            result, dump = record("streams", f"--record-kernels={names.name}")
            self.assertEqual((result[0], COUNT.findall(dump)), (0, [("48", "")]), result[2])

    def test_explain_needs_no_option(self):
        (_, _, err), _ = record("meet", program=PAIRS)
        self.assertIn("explain:  streamcheck explain 1 ", err)

    def verify(self, *arguments):
        """(exit code, standard error) of both runs: the first one knows no bytes."""
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "first.sct")
            env = checked.environment(PREFIX, "sim") | {"STREAMCHECK_SIM_KERNELS": "skip"}
            code, _, err = checked.run([COMMAND, "run", "--device=sim", "--html=no", "--trace=" + trace, "--", PAIRS,
                                        *arguments], env)
            self.assertEqual(code, 0, err)
            env.pop("STREAMCHECK_SIM_KERNELS")
            code, _, err = checked.run([COMMAND, "verify", "--device=sim", "--html=no", "--sim-memory=128m",
                                        "--sanitizer=" + STANDIN, trace, "--", PAIRS, *arguments], env)
            return code, err

    def test_verify(self):
        for arguments, counts, expected in ((["meet"], "1 proven, 0 not decided, 0 not seen", 66),
                                            (["apart"], "0 proven, 0 not decided, 1 not seen", 0),
                                            (["graph"], "1 proven, 0 not decided, 0 not seen", 66)):
            code, err = self.verify(*arguments)
            self.assertIn(counts, err)
            self.assertEqual(code, expected, err)
        self.assertIn("as recorded on the GPU", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
