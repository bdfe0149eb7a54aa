#!/usr/bin/env python3
"""The comparison of goldens finds what differs, says it shortly, and loses nothing on the way."""
import contextlib
import io
import json
import os
import sys
import unittest
import unittest.mock

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
        for tree in ({"a": KEPT + "==== gcc\nx\n", "clean": ""}, {"a": KEPT, "b": KEPT, "clean": ""}, {"clean": ""}):
            self.assertEqual(said(tree, {"a": KEPT, "clean": ""})[0], 1)

    def test_findings_of_a_program_that_is_kept_as_clean(self):
        self.assertEqual(said({"clean": KEPT}, {})[0], 1)
        self.assertEqual(said({"clean": ""}, {"clean": KEPT})[0], 1)

    def test_nothing_compared_has_not_passed(self):
        self.assertEqual(said({}, {})[0], 1)

    def test_messages_are_short(self):
        long = "".join(f"{i}\n" for i in range(1000))
        _, lines = said({f"p{i}": long for i in range(100)}, {f"p{i}": KEPT for i in range(100)})
        self.assertLess(len(lines), 400)
        self.assertIn("p99", lines[-2])


class Length(unittest.TestCase):
    def test_what_is_kept_as_text_is_short(self):
        """What a program prints is looked at when it runs."""
        for folder in ("gpu", "timing", "closed", "152-kernel-failed"):
            for name, text in golden.kept_tree(os.path.join(golden.HERE, folder)).items():
                golden.check_length(f"{folder}/{name}", text)

    def test_a_long_finding_or_report_is_refused(self):
        for text in ("streamcheck: 1 error\n\nerror SC-101 x [proven]\n" + "  also\n" * 25, "line\n" * 101):
            with self.assertRaises(SystemExit):
                golden.check_length("long", text)
        golden.check_length("short", "streamcheck: 2 errors\n" + "\n\nerror SC-101 x [proven]\n" * 2 + "  also\n" * 23)


class Facts(unittest.TestCase):
    finding = {"rule": "SC-102", "severity": "error", "confidence": "likely", "doubt_id": "footprint", "order_id": "none",
               "causes": ["SC-111"], "count": 3, "fix_id": "move", "fix": "move it after /a/app.cu:9", "order": "words",
               "accesses": [{"mode": "write", "op": "kernel k(int*), stream 1", "kernel": "k(int*)", "bytes": 8, "exact": False,
                             "stream": "stream 1", "frames": [{"file": "/a/app.cu", "line": 7, "function": "main"}]},
                            {"mode": "read", "op": "read by the host, at once", "stream": "the host", "bytes": 4, "exact": True,
                             "frames": [{"file": "/a/helper.h", "line": 3, "function": "get"}]}],
               "allocation": {"bytes": 8, "memory": "managed", "variable": "p", "frames": []}}

    def test_words_leave_and_facts_stay(self):
        with unittest.mock.patch.object(golden, "is_foreign", lambda _: False):
            text = golden.facts_of(json.dumps({"complete": True, "findings": [self.finding]}), "app-fixed")
        self.assertEqual(text.splitlines(), [
            "  SC-102, error, likely, footprint, none, cause SC-111, 3 times; fix move 9",
            "    write 7: kernel k(int*), stream 1, at most 8 bytes",
            "    read helper.h:3: read by the host, the host, 4 bytes",
            "    in 8 bytes of managed p from ?"])

    def test_a_clean_and_an_incomplete_report(self):
        self.assertEqual(golden.facts_of('{"complete": true, "findings": []}', "app"), "")
        self.assertEqual(golden.facts_of('{"complete": false, "findings": []}', "app"), "  incomplete\n")

    def test_files_keep_what_a_tree_has(self):
        tree = {"a": "==== facts\n  z\n", "b": "==== facts\n  x\n    y\n==== text\nwords\n==== json\n{}\n"}
        files = golden.divided({**tree, "clean": golden.joined({"facts": ""})})
        self.assertEqual(files, {"facts": "a\n  z\nb\n  x\n    y\n", "b": "==== text\nwords\n==== json\n{}\n"})
        self.assertEqual(golden.whole(files), tree)
        self.assertEqual(golden.kept_of(["/bin/b"], tree).keys(), {"b"})


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
