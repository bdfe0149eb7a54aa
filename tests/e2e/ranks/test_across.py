#!/usr/bin/env python3
"""Programs of testcases/ranks/across under mpirun under streamcheck, whose ranks are compared with each other, against
their head comments. Programs that never end say so ("// hangs:", with the ranks that wait): they are asked while they
go on, until each of these ranks is known to wait, and ended then.

usage: test_across.py PREFIX NAME MPIRUN SOURCES PROGRAMS, which are called PROGRAMS-racy and PROGRAMS-fixed
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import checked
import expectation

PREFIX = NAME = MPIRUN = SOURCES = PROGRAMS = COMMAND = ""
# Open MPI counts cores, and wants to be told that a container's user may be root.
OPTIONS = {"openmpi": ["--oversubscribe", "--allow-run-as-root"], "mpich": []}
ENV = {"openmpi": {"OMPI_MCA_btl": "self,vader"}, "mpich": {}}
HANGS = re.compile(r"^// hangs: (.*)$", re.M)
RANKS = re.compile(r"^// ranks: (\d+)$", re.M)


def environment():
    env = checked.environment(PREFIX, "sim", "lazy")
    env.update(ENV[NAME], STREAMCHECK_SIM_HOST_ACCESS="1", STREAMCHECK_SIM_WORKERS="1")
    return env


def launch(variant, ranks, names, mark, options):
    """The words of a command that runs these programs, and `mark`, which names none, one after the other."""
    return [COMMAND, "run", "--device=sim", "--html=no", *options, "--", MPIRUN, *OPTIONS[NAME], "-n", str(ranks),
            f"{PROGRAMS}-{variant}", *names, mark]


def processes_of(report):
    return report.get("processes", [report]) if report else []


def processes_with(mark):
    """Ids of the processes that have this argument, but for those that started them."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and words[0].startswith(PROGRAMS.encode()) and words[1] != b"-n":
            found.append(int(path.split("/")[2]))
    return found


class Program:
    """A program, its expectation, how many ranks it has and which of them wait forever."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.source = expectation.Source(path)
        self.ranks = int(RANKS.search(text)[1]) if RANKS.search(text) else 2
        self.waiting = re.findall(r"rank (\d+)", HANGS.search(text)[1]) if HANGS.search(text) else []
        self.wants_doubtful = any("SC-174" in want.rules and "possible" in want.confidences for want in self.source.expected[""])

    def is_asked(self, finding):
        """Where the library ends the program at an error, others may wait just then: that is possible, and not asked for."""
        return finding["rule"] != "SC-174" or finding["confidence"] == "proven" or self.wants_doubtful

    def findings_of(self, report):
        """Equal findings of several ranks are one."""
        found = {}
        for process in processes_of(report):
            for finding in process["findings"]:
                if self.is_asked(finding):
                    lines = [(frame.get("file"), frame.get("line")) for frame in finding["accesses"][-1]["frames"]]
                    found.setdefault((finding["rule"], *lines), finding)
        return list(found.values())


class Across(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.programs = [Program(path) for path in sorted(glob.glob(os.path.join(SOURCES, "*.c")))]
        self.assertGreaterEqual(len(self.programs), 10)

    def run_programs(self, variant, ranks, names, options=()):
        """A whole run: exit code, report of all ranks, what was printed."""
        path = os.path.join(self.folder, "report.json")
        code, _, err = checked.run(launch(variant, ranks, names, "-", [f"--report=json:{path}", *options]), environment(),
                                   cwd=self.folder)
        return code, checked.read_report(path), err

    def compare(self, program, variant, report, err):
        """Complaints about what was found."""
        self.assertEqual(len(processes_of(report)), program.ranks, err)
        return [f"{program.name}: {line}" for line in program.source.compare(variant, program.findings_of(report), True)]

    def test_racy(self):
        for program in self.programs:
            if program.waiting:
                continue
            with self.subTest(program=program.name):
                code, report, err = self.run_programs("racy", program.ranks, [program.name])
                self.assertEqual(self.compare(program, "", report, err), [], err)
                is_quiet = all(want.rules == ["SC-408"] or "proven" not in want.confidences
                               for want in program.source.expected[""])
                # MPICH 4.2 and later abort at the end where a message was lost.
                self.assertEqual(code == 0, is_quiet and "MPI_Finalize failed" not in err, err)

    def test_fixed(self):
        """Those of as many ranks run in one process of each rank."""
        for ranks in sorted({program.ranks for program in self.programs}):
            programs = [program for program in self.programs if program.ranks == ranks]
            code, report, err = self.run_programs("fixed", ranks, [program.name for program in programs])
            self.assertEqual((code, [process["findings"] for process in processes_of(report)]), (0, [[]] * ranks), err)

    def test_hangs(self):
        for program in self.programs:
            if program.waiting:
                with self.subTest(program=program.name):
                    self.check_hang(program)

    def report_of(self, pids):
        """The findings of processes that go on, or None if one of them does not write a trace yet."""
        done = subprocess.run([COMMAND, "report", "--format=json", "--output=-", "--html=no", *map(str, pids)], env=environment(),
                              cwd=self.folder, capture_output=True, text=True, check=False)
        try:
            return json.loads(done.stdout)
        except ValueError:
            return None

    def ranks_that_wait(self, program, pids):
        sure = ("possible", "proven") if program.wants_doubtful else ("proven",)
        return sorted(str(process["process"].get("rank")) for process in processes_of(self.report_of(pids))
                      if any(f["rule"] in ("SC-174", "SC-177") and f["confidence"] in sure for f in process["findings"]))

    def check_hang(self, program):
        path, mark = os.path.join(self.folder, f"{program.name}.json"), f"{program.name}-{os.getpid()}"
        with subprocess.Popen(launch("racy", program.ranks, [program.name], mark, [f"--report=json:{path}"]),
                              env=environment(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as run:
            try:
                until, waiting, pids = time.monotonic() + checked.TIMEOUT_S, [], []
                while waiting != program.waiting and time.monotonic() < until and run.poll() is None:
                    pids = processes_with(mark)
                    waiting = self.ranks_that_wait(program, pids) if len(pids) == program.ranks else []
            finally:
                for pid in pids:
                    os.kill(pid, signal.SIGTERM)
            out, _ = run.communicate(timeout=checked.TIMEOUT_S)
        self.assertEqual(waiting, program.waiting, out)
        self.assertEqual(self.compare(program, "", checked.read_report(path), out), [], out)
        self.assertNotEqual(run.returncode, 0)

    def test_words(self):
        """Each finding names the other rank, its call and where that is, in every format."""
        formats = ("json", "html", "sarif", "text", "gcc", "github", "junit")
        options = [f"--report={name}:{self.folder}/out.{name}" for name in formats]
        code, _, err = checked.run(launch("racy", 2, ["truncated_message"], "-", options), environment(), cwd=self.folder)
        self.assertEqual(code, 66, err)
        for name in formats:
            with open(os.path.join(self.folder, f"out.{name}"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("SC-172", text, name)
            if name in ("json", "html", "text", "sarif"):
                self.assertRegex(text, r"rank 0 sends 16384 bytes by MPI_Send at [^ ]*truncated_message\.c:\d+, and this receive "
                                 "has room for 8192", name)

    def test_words_of_shared_memory(self):
        formats = ("json", "html", "sarif", "text")
        options = [f"--report={name}:{self.folder}/out.{name}" for name in formats]
        code, _, err = checked.run(launch("racy", 2, ["shared_read_after_message"], "-", options), environment(), cwd=self.folder)
        self.assertEqual(code, 66, err)
        for name in formats:
            with open(os.path.join(self.folder, f"out.{name}"), encoding="utf-8") as file:
                text = file.read()
            for words in ("rank 0 writes 16384 of these bytes by cuLaunchKernel", "rank 1 reads 16384 of these bytes by cuMemcpyDtoDAsync_v2"):
                self.assertRegex(text, words + r" at [^ ]*shared_read_after_message\.c:\d+; no message", name)

    def test_traces(self):
        """Traces of all ranks, compared later, in shards too; those of two runs are not compared."""
        traces = os.path.join(self.folder, "traces")
        os.mkdir(traces)
        for number in (1, 2):
            code, _, err = checked.run(launch("racy", 2, ["different_roots"], "-", [
                "--analyze=no", f"--trace={traces}/{number}-%p.sct"]), environment(), cwd=self.folder)
            self.assertEqual(code, 0, err)
        first = sorted(glob.glob(f"{traces}/1-*.sct"))
        self.assertEqual(len(first), 2)
        for words in (["merge", *first], ["analyze", *first], ["analyze", "--shard=1/2", "--summary=s.scs", *first]):
            code, _, err = checked.run([COMMAND, words[0], "--html=no", *words[1:]], environment(), cwd=self.folder)
            self.assertEqual((code, "error SC-170" in err), (66, True), err)
        code, _, err = checked.run([COMMAND, "merge", "--html=no", traces], environment(), cwd=self.folder)
        self.assertEqual((code, "of the same rank" in err, "ranks of 2 runs" in err), (3, True, True), err)
        code, _, err = checked.run([COMMAND, "analyze", "--html=no", first[0]], environment(), cwd=self.folder)
        self.assertEqual(code, 0, err)


def main():
    global PREFIX, NAME, MPIRUN, SOURCES, PROGRAMS, COMMAND
    if not shutil.which(sys.argv[3] or "none"):
        print(f"{sys.argv[2]} is not installed: tools/setup.sh all")
        return 77
    PREFIX, NAME, MPIRUN, SOURCES, PROGRAMS = sys.argv[1:6]
    COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
    return not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
