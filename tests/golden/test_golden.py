#!/usr/bin/env python3
"""The comparison of goldens finds what differs, says it shortly, and loses nothing on the way."""
import contextlib
import io
import json
import os
import re
import sys
import unittest

import golden

KEPT = "==== text\none\n==== process 1\ntwo\n==== json\n{}\n"


def said(tree, kept):
    """The result of a comparison and the lines that it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = golden.compare(tree, kept)
    return result, out.getvalue().splitlines()


class Comparison(unittest.TestCase):
    def test_sections_are_those_of_formats(self):
        self.assertEqual(golden.sections(KEPT), {"text": "one\n==== process 1\ntwo\n", "json": "{}\n"})
        self.assertEqual(golden.sections("plain\n"), {"report": "plain\n"})

    def test_equal_trees(self):
        self.assertEqual(said({"a": KEPT, "clean": ""}, {"a": KEPT, "clean": ""})[0], 0)

    def test_a_difference_is_named_by_program_and_format(self):
        result, lines = said({"a": KEPT.replace("{}", "[]"), "clean": ""}, {"a": KEPT, "clean": ""})
        self.assertEqual(result, 1)
        self.assertEqual(lines[:2], ["a: json differs (- as kept, + now)", "    @@ -1 +1 @@"])
        self.assertEqual(lines[2:4], ["    -{}", "    +[]"])

    def test_a_format_or_a_program_too_many(self):
        for tree in ({"a": KEPT + "==== dot\nx\n", "clean": ""}, {"a": KEPT, "b": KEPT, "clean": ""}, {"clean": ""}):
            self.assertEqual(said(tree, {"a": KEPT, "clean": ""})[0], 1)

    def test_nothing_compared_has_not_passed(self):
        self.assertEqual(said({"clean": ""}, {"clean": ""})[0], 1)

    def test_messages_are_short(self):
        long = "".join(f"{i}\n" for i in range(1000))
        _, lines = said({f"p{i}": long for i in range(100)}, {f"p{i}": KEPT for i in range(100)})
        self.assertLess(len(lines), 400)
        self.assertIn("p99", lines[-2])


class Length(unittest.TestCase):
    """What is kept as text is short: 25 lines a finding, 100 lines a report."""

    def kept_texts(self):
        for folder in ("cases", "gpu", "timing", "closed", "152-kernel-failed"):
            for name, text in golden.kept_tree(os.path.join(golden.HERE, folder)).items():
                parts = golden.sections(text)
                if name != "clean":
                    yield f"{folder}/{name}", parts.get("text", parts.get("report", ""))

    def test_no_finding_is_longer_than_25_lines(self):
        findings = 0
        for name, text in self.kept_texts():
            for block in re.split(r"\n\n(?=error |warning |advice )", text)[1:]:
                findings += 1
                self.assertLessEqual(block.split("\n\n")[0].count("\n") + 1, 25, name)
        self.assertGreater(findings, 150)

    def test_no_report_is_longer_than_a_page(self):
        for name, text in self.kept_texts():
            self.assertLessEqual(text.count("\n"), 100, name)


class Json(unittest.TestCase):
    value = {"b": [{"c": "x" * 50, "d": [1, 2]}] * 4, "a": {"e": "ü" * golden.WIDTH}, "f": []}

    def test_all_of_it_is_there(self):
        self.assertEqual(json.loads("\n".join(golden.laid_out(self.value))), self.value)

    def test_what_fits_has_one_line(self):
        lines = golden.laid_out(self.value)
        self.assertEqual(lines[0], "{")
        self.assertIn('  {"c": "' + "x" * 50 + '", "d": [1, 2]},', lines)

    def test_what_is_empty_or_repeated_goes(self):
        value = {"slug": "s", "doubt": None, "known": 0, "notes": [{"kind": "source", "text": "page guard"}],
                 "causes": ["SC-111"]}
        self.assertEqual(golden.plain(value), {"causes": ["SC-111"]})


if __name__ == "__main__":
    sys.exit(unittest.main())
