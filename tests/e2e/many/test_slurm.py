#!/usr/bin/env python3
"""docs/ci/ranks-slurm.sh with Slurm's own sbatch, srun, arrays and dependencies, on one node with several tasks.

usage: test_slurm.py PREFIX PROGRAM   (rank.cu)
"""
import json
import os
import re
import sys
import tempfile
import unittest

import checked
import slurm_cluster

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATE = os.path.join(HERE, "../../../docs/ci/ranks-slurm.sh")
JOBS = re.compile(r"jobs (\d+) \(record\), (\d+) \(analyze, 2 shards\), (\d+) \(merge: ")


class Slurm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(folder.cleanup)
        self.traces = os.path.join(folder.name, "traces")
        os.mkdir(os.path.join(folder.name, "slurm"))
        self.cluster = self.enterContext(slurm_cluster.Cluster(os.path.join(folder.name, "slurm")))
        env = {name: value for name, value in checked.environment(PREFIX, "sim", "lazy").items()
               if not name.startswith(("SLURM_", "PMI", "OMPI_"))}
        self.env = {**env, "SLURM_CONF": self.cluster.env["SLURM_CONF"], "STREAMCHECK_SIM_WORKERS": "1",
                    "STREAMCHECK_OPTIONS": "device=sim:html=no", "SHARDS": "2",
                    "PATH": os.pathsep.join([os.path.join(PREFIX, "bin"), slurm_cluster.PLACES])}
        self.folder = folder.name

    def run_template(self, *arguments):
        """Submits the three jobs; returns their exit codes as Slurm has them, the report as text and as JSON."""
        code, out, err = checked.run([TEMPLATE, self.traces, "--ntasks=4 --output=record.out", PROGRAM, *arguments],
                                     {**self.env, "ANALYZE_OPTIONS": "--output=other.%j.out"}, cwd=self.folder)
        self.assertEqual(code, 0, err)
        match = JOBS.match(out)
        self.assertTrue(match, out)
        self.cluster.wait_for_jobs()
        codes = [re.findall(r"ExitCode=(\d+):", self.cluster.ask("scontrol", "show", "job", job).stdout)
                 for job in match.groups()]
        with open(os.path.join(self.traces, "report.txt"), encoding="utf-8") as text, \
                open(os.path.join(self.traces, "report.json"), encoding="utf-8") as parsed:
            return codes, text.read(), json.load(parsed)

    def test_rank_that_crashes(self):
        """A rank that dies keeps the traces of the others, and the jobs after it begin; one that waits has no finding."""
        codes, text, report = self.run_template("1", "2")
        self.assertNotEqual(codes[0], ["0"])
        self.assertEqual(codes[1:], [["0", "0"], ["66"]])
        self.assertRegex(text, r"error SC-101 .* in 3 of 4 processes: ranks 0, 2-3\n")
        self.assertEqual(report["together"]["ranks"], "0-3")
        self.assertEqual([(run["run"].split()[0], run["processes"], run["ranks"]) for run in report["together"]["runs"]], [("slurm", 4, "0-3")])


if __name__ == "__main__":
    MISSING = slurm_cluster.what_is_missing()
    if MISSING:
        print(MISSING)
        sys.exit(77)
    del sys.argv[1:3]
    unittest.main()
