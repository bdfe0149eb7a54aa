#!/usr/bin/env python3
"""Calls that fail, and children that their parent ends: what a report says, and what the run is.

usage: test_failed.py PREFIX PROGRAM   (failed.cu)
"""
import ctypes
import os
import signal
import sys
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
NO_DEVICE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "no_device.py")
CHILDREN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children.py")
MODES = ("run", "bare")


def calls(result):
    """(call, error, count, line) of each failed call."""
    found = []
    for call in result.processes[0].get("failed_calls", []):
        lines = [f["line"] for f in call["frames"] if (f["file"] or "").endswith("failed.cu")]
        found.append((call["call"], call["error"], call["count"], bool(lines and lines[0])))
    return found


class Calls(unittest.TestCase):
    def check(self, way, mode, options=(), extra=None):
        return checked.check(PREFIX, PROGRAM, mode=mode, arguments=[way], options=("html=no", *options), extra=extra)

    def test_each_is_listed(self):
        for mode in MODES:
            result = self.check("unchecked", mode)
            self.assertEqual(calls(result), [("cuLaunchKernel", "CUDA_ERROR_INVALID_VALUE", 3, True),
                                             ("cudaMemcpyAsync", "cudaErrorInvalidValue", 1, True)], result.err)
            self.assertEqual(result.processes[0]["coverage"]["left_out"]["failed_calls"], 4)
            self.assertTrue(result.processes[0]["complete"])

    def test_the_first_line_has_the_first(self):
        code, _, err = checked.run([os.path.join(PREFIX, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--", PROGRAM,
                                    "unchecked"], checked.environment(PREFIX, "sim"))
        said = " ".join(err.split())
        self.assertRegex(said, r"note: 4 calls failed, the first the launch of fill\(int\*\) at \S*failed.cu:24: CUDA_ERROR")
        self.assertRegex(said, r"failed: the launch of fill\(int\*\) at \S*failed.cu:24: CUDA_ERROR_INVALID_VALUE, 3 times; "
                         "2048 threads in a block, where 1 to 1024 are possible")
        self.assertRegex(said, r"failed: cudaMemcpyAsync at \S*failed.cu:25: cudaErrorInvalidValue")
        self.assertEqual(code, 0, err)

    def test_memory_that_was_refused(self):
        for mode in MODES:
            result = self.check("refused", mode)
            self.assertEqual(calls(result), [("cudaMalloc", "cudaErrorMemoryAllocation", 1, True)], result.err)
            self.assertIn("--sim-memory=32g gives each device more", result.err)

    def test_call_in_which_the_program_died(self):
        for way, call in ("faults", "cudaGraphInstantiate"), ("faults_in_copy", "cudaMemcpyAsync"):
            for mode in MODES:
                result = self.check(way, mode)
                self.assertEqual(calls(result), [(call, "signal 11 (SIGSEGV) ended the program in it", 1, True)], result.err)
                self.assertEqual(result.code, {"run": 139, "bare": -signal.SIGSEGV}[mode], result.err)

    def test_graph_in_which_the_program_died(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "failed.cu"), encoding="utf-8") as source:
            dead = [number for number, line in enumerate(source, 1) if "/* dead */" in line]
        for mode in MODES:
            result = self.check("faults_in_graph", mode)
            found = result.processes[0]["findings"]
            self.assertEqual([(f["rule"], f["confidence"]) for f in found], [("SC-136", "proven")], result.err)
            lines = [frame["line"] for frame in found[0]["accesses"][-1]["frames"]]
            self.assertIn(dead[0], lines, result.err)

    def test_expected_answers_are_no_failures(self):
        for way in ("tried_again", "expected"):
            for mode in MODES:
                result = self.check(way, mode)
                self.assertEqual(calls(result), [], result.err)
                self.assertEqual(result.code, 0, result.err)

    def test_size_of_the_device(self):
        result = self.check("refused", "run", options=("sim-memory=64m",))
        self.assertIn("of 64 MiB are in use", result.err)

    def test_without_a_device_nothing_is_checked(self):
        for mode in MODES:
            result = self.check("", mode, extra={"STREAMCHECK_SIM_DEVICES": "0"})
            self.assertEqual(result.code, 3, result.err)
            self.assertEqual([error for _, error, *_ in calls(result)][:1], ["cudaErrorNoDevice"], result.err)
            self.assertFalse(result.processes[0]["complete"])

    def test_a_fill_that_was_refused_is_no_work(self):
        for mode in MODES:
            result = checked.check(PREFIX, sys.executable, mode=mode, arguments=[NO_DEVICE], options=("html=no",),
                                   extra={"STREAMCHECK_SIM_DEVICES": "0"})
            self.assertEqual(result.code, 3, result.err)
            self.assertEqual(calls(result)[0][:2], ("cuInit", "CUDA_ERROR_NO_DEVICE"))
            self.assertFalse(result.processes[0]["complete"])

    def test_without_memory_nothing_is_checked(self):
        result = self.check("", "run", options=("sim-memory=1k",))
        self.assertEqual(result.code, 3, result.err)
        self.assertEqual([error for _, error, *_ in calls(result)][:1], ["cudaErrorMemoryAllocation"], result.err)


class Options(unittest.TestCase):
    def test_an_empty_level(self):
        """As an unset variable of CI gives it."""
        result = checked.check(PREFIX, PROGRAM, mode="bare", arguments=["expected"], options=("fail-on=", "html=no"))
        self.assertEqual(result.code, 2, result.err)
        self.assertIn("option fail-on: the value is empty; it takes LEVEL", result.err)

    def test_what_only_the_command_can(self):
        result = checked.check(PREFIX, PROGRAM, mode="bare", arguments=["expected"], options=("device=sim", "html=no"))
        self.assertIn("option device has no effect with LD_PRELOAD alone: use streamcheck run", result.err)
        self.assertEqual(result.code, 0, result.err)

    def test_a_launch_that_takes_longer_than_its_budget(self):
        """With 0 seconds no launch begins, on any machine. The option comes before the variable."""
        result = checked.check(PREFIX, PROGRAM, mode="run", arguments=["expected"], options=("sim-kernels=budget:0", "html=no"),
                               extra={"STREAMCHECK_SIM_KERNELS": "run"})
        self.assertIn("kernel _Z4fillPi is given up after 0 s, as --sim-kernels=budget:0 asks", result.err)
        self.assertEqual(result.err.count("is given up"), 1, result.err)
        self.assertIn("what the program computed after the launch that the device gave up is not its own", result.err)
        self.assertEqual(result.processes[0]["coverage"]["left_out"]["given_up"], 1, result.err)
        self.assertFalse(result.processes[0]["complete"])
        self.assertEqual(result.code, 3, result.err)

    def test_a_variable_that_there_is_not(self):
        result = checked.check(PREFIX, PROGRAM, mode="bare", arguments=["expected"], options=("html=no",),
                               extra={"STREAMCHECK_SIM_SHEDULE": "lazy"})
        self.assertIn("did you mean STREAMCHECK_SIM_SCHEDULE?", result.err)
        self.assertEqual(result.code, 3, result.err)


class Children(unittest.TestCase):
    def check(self, way, schedule=None):
        return checked.check(PREFIX, sys.executable, schedule=schedule, arguments=[CHILDREN, way], options=("html=no", "advice=no"))

    def ended(self, result):
        """Of each process that used the device: whether its part is complete, and its parent ended it."""
        return [(p["complete"], p["coverage"].get("ended_by_parent", False)) for p in result.processes if p["coverage"]["contexts"]]

    def test_workers_of_a_pool(self):
        """Some of them leave by themselves before the pool ends them."""
        result = self.check("pool")
        self.assertEqual(result.out.strip(), "[0, 0]")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual([p["complete"] for p in result.processes], [True] * len(result.processes), result.err)

    def test_its_parent_ends_it(self):
        """By the process, by its group, by a descriptor."""
        ways = ["parent", "group", "group_of_two", "killpg", "own_group", "queue", "descriptor", *(["system_call"] if os.uname().machine == "x86_64" else [])]
        ways += ["call"] if hasattr(ctypes.CDLL(None), "pidfd_send_signal") else []
        for way in ways:
            result = self.check(way)
            self.assertEqual(self.ended(result), [(True, True)], (way, result.err))
            self.assertEqual(result.code, 0, (way, result.err))

    def test_with_work_in_flight(self):
        result = self.check("at_work", schedule="lazy")
        self.assertEqual(self.ended(result), [(False, True)], result.err)
        self.assertEqual(result.code, 3, result.err)

    def test_a_stranger_ends_it(self):
        result = self.check("stranger")
        self.assertEqual(self.ended(result), [(False, False)], result.err)
        self.assertEqual(result.code, 3, result.err)

    def test_it_catches_the_signal(self):
        """It leaves in order, or dies later of something else."""
        for way, complete in (("catches", True), ("catches_and_dies", False)):
            result = self.check(way)
            self.assertEqual(self.ended(result), [(complete, False)], result.err)
            self.assertEqual(result.code, 0 if complete else 3, result.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
