#!/usr/bin/env python3
"""Many warnings: the lines for people end, those for programs do not, and an error counts however many came before it.

usage: test_warned.py PREFIX PROGRAM   (warned.cu)
"""
import json
import os
import sys
import tempfile
import unittest

import checked
import followed

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
WARNINGS, PRINTED = 13 * 10, 100  # pairs of lines of warned.cu, and at most


class Warned(unittest.TestCase):
    def test_error_after_more_warnings_than_are_printed(self):
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            run = followed.Followed(PREFIX, PROGRAM, folder, "--halt-on-error=yes", "--live-output=live.jsonl", "--html=no")
            self.addCleanup(run.watchdog.cancel)
            self.addCleanup(run.kill)
            path = os.path.join(folder, "live.jsonl")

            def findings():
                with open(path, encoding="utf-8") as file:
                    lines = [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]
                return [line["finding"]["rule"] for line in lines if line["kind"] == "finding"]

            followed.until(lambda: findings().count("SC-204") == WARNINGS, "all warnings")
            self.assertIsNone(run.process.poll())
            run.request(1)
            run.process.wait(checked.TIMEOUT_S)  # nobody told it to end
            code, out, err = run.end()
            self.assertEqual((code, out), (66, ""), err)
            self.assertEqual(findings().count("SC-102"), 1)
            self.assertEqual(err.count("streamcheck: after "), PRINTED)
            self.assertIn("further findings are in the report at the end", err)
            self.assertIn("halt-on-error: process", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
