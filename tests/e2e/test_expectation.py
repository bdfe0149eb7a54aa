#!/usr/bin/env python3
"""The reader of head comments finds what is wrong; every test case can be read."""
import os
import re
import sys
import tempfile
import unittest
import unittest.mock

import expectation

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEAD = """// What it is.
// expect: SC-101 cause=SC-112 at=read proven
// expect[FIXED]: clean
// exit: SIGSEGV
int main()
{
	first(1);
	second(2,
	       3); // @read
}
"""


def finding(rule="SC-101", line=8, confidence="proven", causes=("SC-112",), doubt=None, order=None):
    frames = [{"function": "main", "file": "/somewhere/case.cu", "line": line}]
    return {"rule": rule, "severity": "error", "confidence": confidence, "doubt_id": doubt,
            "order_id": order, "causes": list(causes), "accesses": [{"mode": "read", "frames": frames}]}


class Expectations(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def source(self, text=HEAD):
        path = os.path.join(self.folder.name, "case.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return expectation.Source(path)

    def test_the_expected_finding_is_accepted(self):
        self.assertEqual(self.source().compare("", [finding()]), [])

    def test_each_line_of_the_statement_is_its_place(self):
        self.assertEqual(self.source().compare("", [finding(line=9)]), [])

    def test_another_line_is_not(self):
        self.assertEqual(len(self.source().compare("", [finding(line=7)])), 2)

    def test_the_place_of_the_allocation_counts(self):
        source = self.source(HEAD.replace("at=read", "allocated=read"))
        for line, wrong in ((8, 0), (7, 2)):
            found = {**finding(), "allocation": {"frames": [{"file": "/somewhere/case.cu", "line": line}]}}
            self.assertEqual(len(source.compare("", [found])), wrong)
        self.assertEqual(len(source.compare("", [{**finding(), "allocation": None}])), 2)

    def test_another_repair_is_refused(self):
        source = self.source(HEAD.replace("at=read", "fix=move"))
        for fix, wrong in (("move", 0), ("event", 2)):
            self.assertEqual(len(source.compare("", [{**finding(), "fix_id": fix}])), wrong)

    def test_a_missing_finding_is_said(self):
        self.assertEqual(len(self.source().compare("", [])), 1)

    def test_another_rule_is_missing_and_unexpected(self):
        self.assertEqual(len(self.source().compare("", [finding("SC-102")])), 2)

    def test_another_confidence_is_refused(self):
        self.assertEqual(len(self.source().compare("", [finding(confidence="possible")])), 2)

    def test_another_doubt_is_refused(self):
        text = HEAD.replace("at=read proven", "at=read proven|possible doubt=footprint")
        for doubt, wrong in (("footprint", 0), ("unseen_record", 2)):
            found = finding(confidence="possible", doubt=doubt)
            self.assertEqual(len(self.source(text).compare("", [found])), wrong)
        self.assertEqual(self.source(text).compare("", [finding()]), [])

    def test_another_order_is_refused(self):
        text = HEAD.replace("proven", "proven order=none|no_event")
        for order, wrong in (("none", 0), ("no_event", 0), ("earlier_work", 2), (None, 2)):
            self.assertEqual(len(self.source(text).compare("", [finding(order=order)])), wrong, order)

    def test_a_proven_collision_has_a_cause_or_an_order(self):
        self.assertEqual(self.source().compare("", [finding(order="none")]), [])
        text = HEAD.replace("cause=SC-112 ", "")
        self.assertEqual(self.source(text).compare("", [finding()]), [])
        self.assertEqual(len(self.source(text).compare("", [finding(order="none")])), 2)

    def test_a_missing_cause_is_refused(self):
        self.assertEqual(len(self.source().compare("", [finding(causes=())])), 2)

    def test_the_same_finding_twice_is_refused(self):
        self.assertEqual(len(self.source().compare("", [finding(), finding()])), 1)

    def test_findings_are_paired_whatever_their_order(self):
        text = HEAD.replace("// exit", "// expect: SC-101 at=read proven\n// exit")
        loose, sure = finding(line=9, causes=()), finding(line=9)
        self.assertEqual(self.source(text).compare("", [sure, loose]), [])
        self.assertEqual(self.source(text).compare("", [loose, sure]), [])

    def test_a_clean_variant_accepts_nothing(self):
        self.assertEqual(len(self.source().compare("FIXED", [finding()])), 1)

    def test_exit_by_signal(self):
        self.assertEqual(self.source().exit_codes(""), [-11])
        self.assertEqual(self.source().exit_codes("FIXED"), [0])

    def test_bad_comments_are_refused(self):
        for line in ("101", "SC-101 at=nowhere proven", "SC-101 maybe", "SC-101", "SC-101 possible",
                     "SC-101 proven doubt=footprint"):
            with self.assertRaises(expectation.BadComment):
                self.source(f"// expect: {line}\n")

    def test_every_test_case_can_be_read(self):
        self.assertGreater(len(expectation.paths()), 30)
        for path in expectation.paths():
            with self.subTest(path=path):
                source = expectation.Source(path)
                self.assertTrue(source.about)
                for want in (want for wanted in source.expected.values() for want in wanted):
                    self.assertLessEqual({want.doubt} - {None}, self.ids("DOUBT"))
                    self.assertLessEqual(set(want.orders), self.ids("REACH"))

    def test_a_room_is_a_part_of_its_folder(self):
        path = os.path.join(self.folder.name, "rules", "host", "case.cu")
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD)
        with unittest.mock.patch.object(expectation, "FOLDERS", self.folder.name):
            self.assertEqual(expectation.paths(), [path])
            self.assertEqual(expectation.folder_of(path), "rules")
            self.assertEqual(expectation.source_of("build/sim/case-fixed").path, path)

    @staticmethod
    def ids(macro):
        """The ids of one kind in analyzer/finding/verdict.def."""
        with open(os.path.join(ROOT, "analyzer", "finding", "verdict.def"), encoding="utf-8") as file:
            return set(re.findall(rf'^SC_{macro}\(\w+, "(\w+)"', file.read(), re.M))


if __name__ == "__main__":
    sys.exit(unittest.main())
