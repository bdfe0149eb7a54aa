#!/usr/bin/env python3
"""Options that narrow which findings are reported: by kernel, stream, process.

usage: test_filters.py PREFIX PROGRAM   (windows.cu: races of `scale`, then of `add`)
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")


def kernels(report):
    """Names of the kernels of the reported races, each once."""
    said = [json.dumps(f["accesses"]) for f in report["findings"]]
    return {name for name in ("scale", "add") if any(f"{name}(" in text for text in said)}


class Filters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        cls.trace = os.path.join(cls.folder.name, "t.sct")
        code, _, err = checked.run([COMMAND, "run", "--device=sim", "--html=no", f"--trace={cls.trace}", "--", PROGRAM],
                                   checked.environment(PREFIX, "sim"), cls.folder.name)
        assert code == 66, err

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def analyze(self, *options):
        """(exit code, JSON report, text report)"""
        done = [subprocess.run([COMMAND, "analyze", "--html=no", "--advice=no", f"--format={form}", *options, self.trace],
                               cwd=self.folder.name, capture_output=True, text=True, check=False)
                for form in ("json", "text")]
        self.assertEqual(done[0].returncode, done[1].returncode)
        return done[0].returncode, json.loads(done[0].stdout), done[1].stderr

    def test_all_is_reported_without(self):
        code, report, said = self.analyze()
        self.assertEqual((code, kernels(report)), (66, {"scale", "add"}))
        self.assertNotIn("filtered", report)
        self.assertNotIn("hidden by", said)

    def test_kernel_name(self):
        code, report, said = self.analyze("--kernel-name=^sca")
        self.assertEqual((code, kernels(report), report["filtered"]), (66, {"scale"}, 1))
        self.assertIn("1 hidden by --kernel-name", said)

    def test_exclude_kernel(self):
        code, report, said = self.analyze("--exclude-kernel=add|scale")
        self.assertEqual((code, kernels(report), report["filtered"]), (0, set(), 2))
        self.assertIn("2 hidden by --exclude-kernel", said)

    def test_each_option_has_its_count(self):
        _, report, said = self.analyze("--kernel-name=add", "--stream-name=nothing")
        self.assertEqual(report["filtered"], 2)
        self.assertIn("1 hidden by --kernel-name, 1 hidden by --stream-name", said)

    def test_sarif_says_why(self):
        done = subprocess.run([COMMAND, "analyze", "--html=no", "--advice=no", "--format=sarif", "--kernel-name=add", self.trace],
                              cwd=self.folder.name, capture_output=True, text=True, check=False)
        results = json.loads(done.stdout)["runs"][0]["results"]
        why = [s["justification"] for r in results for s in r["suppressions"]]
        self.assertEqual((len(results), why), (2, ["hidden by option kernel-name"]))
        self.assertFalse(any("baselineState" in r for r in results))

    def test_processes(self):
        for option, shown in (("all", 3), ("root", 1), ("children:windows", 2), ("children:other", 0)):
            result = checked.check(PREFIX, PROGRAM, arguments=("child",), options=(f"processes={option}", "advice=no", "html=no"))
            self.assertEqual(len(result.findings), shown, result.err)
            self.assertEqual(sum(p.get("filtered", 0) for p in result.processes), 3 - shown)
            self.assertEqual(result.code, 66 if shown else 0)
            self.assertEqual("hidden by filters" in result.err, shown < 3)

    def test_bad_values(self):
        for option, said in (("--kernel-name=(", "kernel-name: \"(\" is no extended regular expression"),
                             ("--exclude-kernel=(a)\\1", "back-references"), ("--processes=some", "is none of all")):
            for words in (("analyze", option, self.trace), ("run", "--device=sim", option, "--", PROGRAM)):
                done = subprocess.run([COMMAND, *words], cwd=self.folder.name, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
