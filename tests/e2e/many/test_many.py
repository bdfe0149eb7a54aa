#!/usr/bin/env python3
"""Runs of many ranks: launchers, shards, summaries, one report; and the templates of docs/ci, run literally.

usage: test_many.py PREFIX PROGRAM   (rank.cu)
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATES = os.path.join(HERE, "../../../docs/ci")
# Open MPI counts cores, and wants to be told that a container's user may be root.
MPI = {"mpirun.openmpi": ["--oversubscribe", "--allow-run-as-root"], "mpirun.mpich": []}
PAGE = 110  # lines
MAP = re.compile(r'^(map .*")/', re.M)
PROCESS = re.compile(r"^(.*\bprocess\b.*? )object=\d+", re.M)


def python_with_dask():
    """An interpreter that has it: this one, or the system's, for which setup.sh installs it."""
    for path in (sys.executable, "/usr/bin/python3"):
        if not subprocess.run([path, "-c", "import dask.bag"], capture_output=True, check=False).returncode:
            return path
    return None


class Many(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.env = checked.environment(PREFIX, "sim", "lazy")
        for name in ("RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "TORCHELASTIC_RUN_ID",
                     "SLURM_JOB_ID", "SLURM_STEP_ID", "PMIX_NAMESPACE", "STREAMCHECK_RUN"):
            self.env.pop(name, None)
        # A folder of commands: what a template calls by name.
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        os.symlink(COMMAND, os.path.join(self.bin, "streamcheck"))
        for name, script in (("mpirun", "launch.py"), ("srun", "launch.py"), ("sbatch", "sbatch.py")):
            os.symlink(os.path.join(HERE, script), os.path.join(self.bin, name))
        self.env.update(PATH=f"{self.bin}:{self.env['PATH']}", STREAMCHECK_SIM_WORKERS="1",
                        SBATCH_LOG=os.path.join(self.folder, "jobs"), STREAMCHECK_OPTIONS="device=sim:html=no")
        self.traces = os.path.join(self.folder, "traces")

    def run_words(self, *words, **more):
        return checked.run([str(word) for word in words], {**self.env, **more}, cwd=self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def simulate(self, ranks, clean=7):
        """Traces of so many ranks, made of two that were recorded: of a rank that waits, and of one that does not. They are
        as on another machine, where the program is not: to look names up takes most of the time."""
        os.mkdir(self.traces)
        forms = []
        for waits in (-1, 0):
            self.run_words(COMMAND, "run", "--analyze=no", "--trace=one.sct", "--", PROGRAM, waits, PMI_RANK="0")
            code, text, err = self.run_words(COMMAND, "dump", "one.sct")
            self.assertEqual(code, 0, err)
            self.assertEqual(len(PROCESS.findall(text)), 1, text)
            forms.append(MAP.sub(r"\1/elsewhere/", text))
        for rank in range(ranks):
            with open(os.path.join(self.traces, f"{rank}-1.sct.txt"), "w", encoding="utf-8") as file:
                file.write(PROCESS.sub(rf"\g<1>object={rank + 1}", forms[rank == clean]))

    def analyze_shards(self, count):
        """The exit codes of the jobs, which run side by side, two at a time."""
        codes = []
        for first in range(1, count + 1, 2):
            jobs = [subprocess.Popen([COMMAND, "analyze", f"--shard={i}/{count}", self.traces], env=self.env, cwd=self.folder,
                                     stderr=subprocess.DEVNULL) for i in range(first, min(first + 2, count + 1))]
            codes += [job.wait(checked.TIMEOUT_S) for job in jobs]
        return codes

    def check_report(self, text, ranks):
        self.assertIn(f"streamcheck: {ranks} processes, together 1 error, ", text)
        self.assertRegex(text, rf"(?m)^  error SC-101 .* in {ranks - 1} of {ranks} processes: ranks 0-{ranks - 1} except 7$")
        self.assertEqual(text.count("\nerror SC-101 "), 1, text)
        self.assertLessEqual(len(text.splitlines()), PAGE)

    def test_a_thousand_ranks_are_a_page(self):
        self.simulate(1000)
        self.assertEqual(self.analyze_shards(4), [66] * 4)
        code, _, text = self.run_words(COMMAND, "merge", "traces")
        self.assertEqual(code, 66, text)
        self.assertNotIn("not read", text)
        self.check_report(text, 1000)
        # Without summaries it is the same report, from the traces.
        for name in os.listdir(self.traces):
            if name.endswith(".scs"):
                os.rename(os.path.join(self.traces, name), self.path(name))
        code, _, text = self.run_words(COMMAND, "merge", "traces")
        self.assertEqual(code, 66)
        self.check_report(text, 1000)
        # In a tree.
        for number, pair in enumerate(((1, 2), (3, 4))):
            self.run_words(COMMAND, "merge", f"--summary=tree-{number}.scs", *(f"shard-{i}-of-4.scs" for i in pair))
        code, out, _ = self.run_words(COMMAND, "merge", "--format=json", "--summary=all.scs", "tree-0.scs", "tree-1.scs")
        together = json.loads(out)["together"]
        self.assertEqual((code, together["processes"], together["ranks"], together["complete"]), (66, 1000, "0-999", True))
        self.assertIn("0-6,8-999", [f["ranks"] for f in together["findings"]])
        # The file holds the ranks as ranges: it is no longer than that of a shard, but for the digits.
        self.assertLess(abs(len(self.read("all.scs")) - len(self.read("shard-1-of-4.scs"))), 200)

    def peak_of_merge(self, count):
        """Most bytes that a merge of so many summaries had in memory."""
        folder = self.path(f"summaries-{count}")
        os.mkdir(folder)
        text = self.read("one.scs")
        for rank in range(count):
            with open(os.path.join(folder, f"{rank}.scs"), "w", encoding="utf-8") as file:
                file.write(re.sub(r"^((?:processes 1|finding \S+ \S+ \S+ \S+ 1)) 0 ", rf"\1 {rank} ", text, flags=re.M))
        process = subprocess.Popen([COMMAND, "merge", "--output=merged.txt", folder], env=self.env, cwd=self.folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 66)
        self.assertIn(f" in {count} of {count} processes: ranks 0-{count - 1}\n", self.read("merged.txt"))
        return usage.ru_maxrss * 1024

    def test_memory_of_a_merge_is_flat(self):
        self.run_words(COMMAND, "run", "--summary=one.scs", "--", PROGRAM, PMI_RANK="0")
        few, many = self.peak_of_merge(20), self.peak_of_merge(2000)
        self.assertLess(many - few, 2 << 20)

    def test_summaries_come_before_traces(self):
        os.mkdir(self.traces)
        code, _, text = self.run_words(COMMAND, "run", "--summary=traces/%r.scs", "--trace=traces/%r.sct", "--", PROGRAM, PMI_RANK="3")
        self.assertEqual((code, sorted(os.listdir(self.traces))), (66, ["3.scs", "3.sct"]), text)
        code, _, text = self.run_words(COMMAND, "merge", "traces")
        self.assertEqual(code, 66)
        self.assertIn("streamcheck: 1 process, together 1 error", text)
        self.assertIn("1 traces beside summaries are not read", text)
        code, _, text = self.run_words(COMMAND, "merge", "traces/3.scs", "traces/3.sct")
        self.assertIn("streamcheck: 2 processes, together 1 error", text)
        self.assertEqual(text.count("\nerror SC-101 "), 1, text)

    def test_a_missing_shard_is_named(self):
        self.simulate(12)
        self.analyze_shards(3)
        os.unlink(os.path.join(self.traces, "shard-2-of-3.scs"))
        code, _, text = self.run_words(COMMAND, "merge", "--fail-on=none", "traces")
        self.assertEqual(code, 3)
        self.assertIn("of 3 shards only these were analyzed: 1,3\n", text)
        for bad in ("0/3", "4/3", "1", "1/", "a/b", "1/3x", "1/99999999"):
            code, _, text = self.run_words(COMMAND, "analyze", f"--shard={bad}", "traces")
            self.assertEqual((code, "expected I/N" in text), (2, True), text)

    def test_summaries_that_are_wrong_are_refused(self):
        with open(self.path("bad.scs"), "w", encoding="utf-8") as file:
            file.write("# streamcheck summary 2 of fingerprints 3\nprocesses 1 0 0 0 0 0 0 0 1 0 app\n")
        code, _, text = self.run_words(COMMAND, "merge", "bad.scs")
        self.assertEqual((code, "bad.scs:2: the file has no end" in text), (2, True), text)
        code, _, text = self.run_words(COMMAND, "merge", "--format=perfetto", "bad.scs")
        self.assertEqual((code, "format perfetto shows traces" in text), (2, True), text)

    def record(self, job, folder="traces"):
        """Two ranks of a job, into a folder."""
        os.makedirs(self.path(folder), exist_ok=True)
        code, _, text = self.run_words("srun", "-n", "2", "streamcheck", "run", "--analyze=no", f"--trace={folder}/%r-%p.sct", "--",
                                       PROGRAM, "-1", LAUNCH_JOB=job)
        self.assertEqual(code, 0, text)

    def test_ranks_of_two_runs_are_said(self):
        self.record("7")
        code, out, text = self.run_words(COMMAND, "merge", "--format=json", "traces")
        self.assertEqual((code, "runs" in text), (66, False), text)
        self.assertEqual(json.loads(out)["together"]["runs"], [{"run": "slurm 7.0", "processes": 2, "ranks": "0-1"}])
        self.record("8")
        said = "ranks of 2 runs: 2 processes, ranks 0-1, of slurm 7.0; 2 processes, ranks 0-1, of slurm 8.0"
        # By the traces, and by the summaries of shards, which need not meet: it is said, and the gate does not pass.
        for _ in range(2):
            for options, wanted in (([], 66), (["--fail-on=none"], 3)):
                code, _, text = self.run_words(COMMAND, "merge", *options, "traces")
                self.assertEqual(code, wanted, text)
                self.assertIn(f"\n  these are {said}\n", text)
                self.assertIn("name the files of one run", text)
            code, _, text = self.run_words(COMMAND, "merge", "--fail-on=none", "--format=sarif", "--output=x.sarif", "traces")
            self.assertEqual((code, said in text), (3, True), text)
            self.analyze_shards(4)

    def test_a_launcher_without_names_of_runs(self):
        """Below `streamcheck run`, ranks of one command are of one run."""
        for folder in ("first", "second"):
            os.mkdir(self.path(folder))
            code, _, text = self.run_words(COMMAND, "run", "--fail-on=none", f"--trace={folder}/%p.sct", "--", "mpirun", "-n", "2", PROGRAM, "-1")
            self.assertEqual((code, "runs" in text), (0, False), text)
            code, out, text = self.run_words(COMMAND, "merge", "--format=json", folder)
            self.assertEqual([(run["processes"], run["ranks"]) for run in json.loads(out)["together"]["runs"]], [(2, "0-1")], text)
        code, _, text = self.run_words(COMMAND, "merge", "--fail-on=none", "first", "second")
        self.assertEqual((code, "ranks of 2 runs" in text), (3, True), text)

    def test_one_report_of_a_launcher(self):
        code, _, text = self.run_words(COMMAND, "run", "--", "mpirun", "-n", "3", PROGRAM, "1")
        self.assertEqual(code, 66, text)
        self.assertRegex(text, r"error SC-101 .* in 2 of 3 processes: ranks 0, 2\n")
        self.assertEqual(text.count("\nerror SC-101 "), 1, text)

        code, _, text = self.run_words(COMMAND, "run", "--", "mpirun", "-n", "3", PROGRAM, "-1", "1")
        self.assertEqual(code, 128 + 11, text)
        self.assertRegex(text, r"error SC-101 .* in 3 of 3 processes: ranks 0-2\n")
        self.assertRegex(text, r"(?m)^  process \d+, rank 1: 1 error.* ended by signal 11 \(SIGSEGV\)")

    def test_a_crash_of_one_rank_keeps_the_others(self):
        code, _, text = self.run_words(os.path.join(TEMPLATES, "ranks-mpirun.sh"), "traces", "mpirun", "-n", "4", "--",
                                       PROGRAM, "-1", "2", JOBS="2")
        self.assertEqual(code, 128 + 11, text)
        self.assertRegex(text, r"error SC-101 .* in 4 of 4 processes: ranks 0-3\n")
        self.assertRegex(text, r"(?m)^  rank 2: 1 error.* ended by signal 11 \(SIGSEGV\)")

    def test_template_for_launchers(self):
        run = [os.path.join(TEMPLATES, "ranks-mpirun.sh"), "traces", "mpirun", "-n", "2", "--", PROGRAM]
        code, _, text = self.run_words(*run, "1", JOBS="2")
        self.assertEqual(code, 66, text)
        self.assertRegex(text, r"error SC-101 .* in 1 of 2 processes: rank 0\n")
        self.assertIn('"who":"rank 0"', self.read("traces", "report.html"))
        code, _, text = self.run_words(*run, JOBS="1", GATE="--fail-on=none")
        self.assertEqual(code, 0, text)
        code, _, text = self.run_words(*run[:2], "mpirun", "-n", "2", PROGRAM)
        self.assertEqual((code, "no -- between" in text), (2, True), text)

    def test_template_for_slurm(self):
        code, out, text = self.run_words(os.path.join(TEMPLATES, "ranks-slurm.sh"), self.traces, "--nodes=1 --ntasks=5",
                                         PROGRAM, "-1", "3", SHARDS="3", LAUNCH_RANKS="5")
        self.assertEqual(code, 0, text)
        self.assertIn("jobs 1 (record), 2 (analyze, 3 shards), 3 (merge: ", out)
        self.assertEqual(self.read("jobs"), "streamcheck-record - -\nstreamcheck-analyze afterany:1 1-3\n"
                         "streamcheck-merge afterany:2 -\n")
        self.assertEqual(self.read("jobs.codes"), "streamcheck-record [139]\nstreamcheck-analyze [0, 0, 0]\n"
                         "streamcheck-merge [66]\n")
        self.assertRegex(self.read("traces", "report.txt"), r"error SC-101 .* in 5 of 5 processes: ranks 0-4\n")
        self.assertEqual(json.loads(self.read("traces", "report.json"))["together"]["ranks"], "0-4")
        self.assertIn('"who":"ranks 0-4"', self.read("traces", "report.html"))

    def test_launchers_of_mpi(self):
        """The real ones, of a program that does not use MPI."""
        launchers = [name for name in MPI if shutil.which(name)]
        if not launchers:
            self.skipTest("neither Open MPI nor MPICH is installed")
        for name in launchers:
            code, _, text = self.run_words(os.path.join(TEMPLATES, "ranks-mpirun.sh"), name, name, *MPI[name], "-n", "2", "--",
                                           PROGRAM, "1", JOBS="1")
            self.assertEqual(code, 66, text)
            self.assertRegex(text, r"error SC-101 .* in 1 of 2 processes: rank 0\n")

    def test_open_mpi_names_its_runs(self):
        if not shutil.which("mpirun.openmpi"):
            self.skipTest("Open MPI is not installed")
        os.mkdir(self.traces)
        for count in (1, 2):
            self.run_words("mpirun.openmpi", *MPI["mpirun.openmpi"], "-n", "2", "streamcheck", "run", "--analyze=no", "--trace=traces/%r-%p.sct", "--", PROGRAM)
            code, out, text = self.run_words(COMMAND, "merge", "--fail-on=none", "--format=json", "traces")
            runs = json.loads(out)["together"]["runs"]
            self.assertEqual([(run["run"].split()[0], run["processes"], run["ranks"]) for run in runs], [("pmix", 2, "0-1")] * count, text)
            self.assertEqual((code, "ranks of 2 runs" in text), (0, False) if count == 1 else (3, True), text)

    def test_template_for_dask(self):
        python = python_with_dask()
        if not python:
            self.skipTest("python3-dask is not installed")
        self.simulate(40)
        for options, wanted in ((["--format=json"], 66), (["--format=json", "--fail-on=none"], 0)):
            code, out, text = self.run_words(python, os.path.join(TEMPLATES, "ranks-dask.py"), "traces", "20", "--",
                                             *options, STREAMCHECK=COMMAND)
            self.assertEqual(code, wanted, text)
            together = json.loads(out)["together"]
            self.assertEqual((together["processes"], together["complete"]), (40, True))
            self.assertIn("0-6,8-39", [f["ranks"] for f in together["findings"]])
        self.assertEqual([name for name in os.listdir(self.traces) if name.endswith(".scs")], [])

    def test_templates_are_short(self):
        with open(os.path.join(TEMPLATES, "ranks-dask.py"), encoding="utf-8") as file:
            self.assertLessEqual(len(file.readlines()), 100)
        if shutil.which("shellcheck"):
            for name in ("ranks-mpirun.sh", "ranks-slurm.sh"):
                done = subprocess.run(["shellcheck", os.path.join(TEMPLATES, name)], capture_output=True, text=True, check=False)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
