#!/usr/bin/env python3
"""Programs of testcases/ranks under mpirun, each rank under streamcheck on the simulated device, against their head
comments. All programs of a variant run in one process of each rank, so that mpirun starts once.

usage: test_ranks.py PREFIX NAME MPIRUN SOURCES PROGRAMS, which are called PROGRAMS-racy and so on
"""
import glob
import os
import re
import shutil
import sys
import tempfile
import unittest

import checked
import expectation

PREFIX = NAME = MPIRUN = SOURCES = PROGRAMS = ""
RANKS = 2
# Open MPI counts cores, and wants to be told that a container's user may be root.
OPTIONS = {"openmpi": ["--oversubscribe", "--allow-run-as-root"], "mpich": []}
ENV = {"openmpi": {"OMPI_MCA_btl": "self,vader"}, "mpich": {}}


class Run:
    """One run: the exit code, what was printed, and the report of each rank."""

    def __init__(self, program, host_access=True, ranks=RANKS, arguments=(), preload=None):
        env = checked.environment(PREFIX, "sim", "lazy")
        env.update(ENV[NAME], STREAMCHECK_SIM_HOST_ACCESS="1" if host_access else "0",
                   STREAMCHECK_SIM_WORKERS="1")
        if preload:
            env["LD_PRELOAD"] = preload
        command = os.path.join(PREFIX, "bin", "streamcheck")
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            self.code, self.out, self.err = checked.run(
                [MPIRUN, *OPTIONS[NAME], "-n", str(ranks), command, "run", "--device=sim",
                 f"--report=json:{folder}/%r.json", "--", f"{PROGRAMS}-{program}", *arguments], env, cwd=folder)
            self.reports = [checked.read_report(path) for path in sorted(glob.glob(folder + "/*.json"))]

    @property
    def findings(self):
        """Those of all ranks; what several ranks have is one."""
        found = {}
        for report in self.reports:
            for finding in report["findings"]:
                found.setdefault(expectation.describe(finding), finding)
        return list(found.values())


def is_for_this(path):
    """Whether the program is one for the library that is tested: a comment `only:` names one."""
    with open(path, encoding="utf-8") as file:
        match = re.search(r"^// only: (\w+)$", file.read(), re.MULTILINE)
    return not match or match.group(1) == NAME


def line_of(finding, name):
    """What the comment says of the line of this file that the second side is in."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for frame in finding["accesses"][-1]["frames"]:
        if os.path.basename(frame.get("file") or "") == name:
            return lines[frame["line"] - 1].rpartition("! ")[2]
    return None


class Ranks(unittest.TestCase):
    """Expectations, and what is around them."""

    def setUp(self):
        self.sources = {os.path.basename(path): expectation.Source(path)
                        for path in sorted(glob.glob(os.path.join(SOURCES, "*.c")))
                        if os.path.basename(path) != "all.c" and is_for_this(path)}

    def check_variant(self, run, variant):
        self.assertEqual(len(run.reports), RANKS, run.err)
        self.assertTrue(all(report["complete"] for report in run.reports), run.err)
        wrong = expectation.compare_programs(self.sources, variant, run.findings)
        self.assertFalse(wrong, "\n".join(["", *wrong]))

    def test_racy(self):
        run = Run("racy")
        self.assertGreaterEqual(len(self.sources), 15)
        self.check_variant(run, "")
        self.assertNotEqual(run.code, 0)

    def test_fixed(self):
        run = Run("fixed")
        self.assertEqual(run.code, 0, run.err)
        self.check_variant(run, "FIXED")

    def test_fortran(self):
        """The Fortran bindings, whichever of its functions the library lets them call; each call counts once."""
        if not os.path.exists(f"{PROGRAMS}-exchange"):
            self.skipTest("there is no compiler of Fortran")
        run = Run("exchange", arguments=("fixed",))
        self.assertEqual((run.code, run.findings), (0, []), run.err)
        run = Run("exchange", arguments=("racy",))
        found = sorted((f["rule"], line_of(f, "exchange.f90")) for f in run.findings)
        self.assertEqual(found, [("SC-160", "sends"), ("SC-161", "adds")], run.err)
        self.assertEqual({f["count"] for f in run.findings}, {1})

    def test_tool_between(self):
        """A tool with functions of MPI of its own, after ours or, in the program, before ours, sees each call; so do we, once."""
        for program in ("racy", "own"):
            with self.subTest(program=program):
                run = Run(program, arguments=("send_while_packing",), preload=f"{PROGRAMS}-tool.so" if program == "racy" else None)
                self.assertEqual([f["rule"] for f in run.findings], ["SC-160"], run.err)
                self.assertEqual([f["count"] for f in run.findings], [1])
                self.assertEqual(run.err.count("the tool saw 1 send"), RANKS, run.err)

    def test_without_cuda(self):
        """A rank that uses no CUDA is let alone, and computes what it would."""
        run = Run("host_only", arguments=("host",))
        self.assertIn("sum 6 6", run.out, run.err)
        self.assertEqual(run.reports, [])

    def test_device_memory_for_the_host_only(self):
        """Neither library here is CUDA-aware, and here the host cannot touch device memory."""
        run = Run("host_only", host_access=False, arguments=("device",))
        found = [f["rule"] for f in run.findings]
        self.assertIn("SC-165", found, run.err)
        self.assertNotEqual(run.code, 0)

    def test_device_memory_for_ucx(self):
        """The library says no, but UCX below it may be able to: nobody knows."""
        run = Run("host_only", host_access=False, arguments=("device",),
                  preload=os.path.join(os.path.dirname(PROGRAMS), "libuct_cuda.so.0"))
        self.assertTrue(run.reports, run.err)  # a rank that mpirun kills leaves none
        self.assertNotIn("SC-165", [f["rule"] for f in run.findings], run.err)
        self.assertNotEqual(run.code, 0)

    def test_numbers(self):
        """What is written down of the library's form is what its header has."""
        code, out, _ = checked.run([f"{PROGRAMS}-abi"], checked.environment(PREFIX, "sim"))
        self.assertEqual((code, out), (0, ""))

    def test_errors_stay(self):
        """Return values and errno are the library's; requests that are no requests stay so."""
        run = Run("host_only", arguments=("errors",))
        self.assertEqual(run.code, 0, run.err + run.out)
        self.assertEqual(run.out.count("same as without"), RANKS, run.err + run.out)


def main():
    global PREFIX, NAME, MPIRUN, SOURCES, PROGRAMS
    if not shutil.which(sys.argv[3] or "none"):
        print(f"{sys.argv[2]} is not installed: tools/setup.sh all")
        return 77
    PREFIX, NAME, MPIRUN, SOURCES, PROGRAMS = sys.argv[1:6]
    return not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
