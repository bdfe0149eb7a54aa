#!/usr/bin/env python3
"""A process ends, by a fault of one thread or otherwise, while other threads go on calling: each call that returned is in the trace.

usage: test_endings.py PREFIX PROGRAM [TRIALS]   (endings.cu; for a person: so many trials of each way)
"""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
TRIALS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
WAYS = {"segv": signal.SIGSEGV, "bus": signal.SIGBUS, "abort": signal.SIGABRT, "fpe": signal.SIGFPE, "exit": 0, "_exit": 0, "exec": 0}
if checked.DEVICE == "gpu":
    del WAYS["exit"]  # half of such processes die in NVIDIA's driver, without us too (H200, 60 of each)
CALLS = 3000


class Endings(unittest.TestCase):
    def end(self, way, mode, calls):
        """(calls that returned, calls of the trace), each of two kinds."""
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            counts, trace = os.path.join(folder, "counts"), os.path.join(folder, "run.sct")
            result = checked.check(PREFIX, PROGRAM, mode=mode, arguments=[counts, way, str(calls)], options=("html=no", f"trace={trace}"),
                                   extra={"STREAMCHECK_SIM_KERNELS": "skip"})
            number = WAYS[way]
            self.assertIn(result.code, (-number, 128 + number) if number else (0,), result.err)
            self.assertEqual(result.processes[0]["coverage"]["closed"], True, result.err)
            with open(counts, "rb") as file:
                returned = struct.unpack("QQ", file.read(16))
            dumped = subprocess.run([os.path.join(PREFIX, "bin", "streamcheck"), "dump", trace], capture_output=True, text=True,
                                    check=False).stdout  # exit code 3: a thread was just writing, in a call that has not returned
        return returned, tuple(len(re.findall(pattern, dumped, re.MULTILINE)) for pattern in (r"^t\d+: record ", r"^t\d+: alloc "))

    def test_each_call_that_returned_is_there(self):
        for way in WAYS:
            for mode in ("run", "bare"):
                for trial in range(TRIALS):
                    with self.subTest(way=way, mode=mode, trial=trial):
                        returned, recorded = self.end(way, mode, CALLS + 100 * trial)
                        self.assertGreater(returned[0], CALLS)
                        for kind in range(2):
                            self.assertGreaterEqual(recorded[kind], returned[kind])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
