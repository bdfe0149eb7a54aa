#!/usr/bin/env python3
"""Host reads of what kernels write are judged with --live-disk as they are from the whole trace.

usage: test_reads.py PREFIX PROGRAM [SEEDS]   (reads.cu; SEEDS: so many random programs, for a person)
"""
import sys
import tempfile
import unittest

from bounded import SMALL, check, findings_of

SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
ROUNDS = 60_000  # of 6 operations
POLLS = "look_twice", "look_around_work", "look_much_later", "look_at_announced", "look_before_write"
READS = "look_once", "look_in_thread", "look_then_rest"


def reads_of(report):
    """By function: rule and confidence of its reads."""
    found = {}
    for finding in report["findings"]:
        function = finding["accesses"][-1]["frames"][0]["function"]
        if function.startswith("look_"):
            found[function] = finding["rule"], finding["confidence"]
    return found


class Reads(unittest.TestCase):
    def compare(self, seed):
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            whole = check(folder, "--live=no", arguments=(str(seed), str(ROUNDS)))
            bounded = check(folder, f"--live-disk={SMALL}", arguments=(str(seed), str(ROUNDS)))
        self.assertGreater(whole[3], SMALL)
        self.assertLessEqual(bounded[3], SMALL)
        self.assertEqual((whole[0], bounded[0]), (66, 66), bounded[2])
        self.assertEqual(findings_of(bounded[1]), findings_of(whole[1]))
        self.assertEqual(bounded[1]["coverage"], whole[1]["coverage"])
        self.assertTrue(bounded[1]["complete"], bounded[2])
        return reads_of(bounded[1])

    def test_random_programs(self):
        found = {}
        for seed in range(1, SEEDS + 1):
            with self.subTest(seed=seed):
                found.update(self.compare(seed))
        for name in READS:
            self.assertEqual(found[name], ("SC-101", "proven"), name)
        for name in POLLS:
            self.assertEqual(found[name], ("SC-216", "possible"), name)
        self.assertNotIn("look_after", found)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
