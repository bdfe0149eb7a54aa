#!/usr/bin/env python3
"""Every function of libc that hands a buffer to the kernel: never refused, and seen.

usage: test_functions.py PREFIX PROGRAM PLACES ROWS   (ROWS is interposer/libc/libc.def)
"""
import os
import re
import sys
import unittest

import checked

PREFIX = PROGRAM = PLACES = ROWS = None
RULE = {"reads": "SC-101", "writes": "SC-102"}


def rows():
    with open(ROWS, encoding="utf-8") as file:
        return re.findall(r"^(?!NONE)[A-Z]+\((\w+),", file.read(), re.MULTILINE)


def lines(program):
    code, out, err = checked.run([program, "--list"], checked.environment(PREFIX, "sim", bare=True))
    if code:
        sys.exit(err)
    return out.splitlines()


def listed():
    """Name, what it does to the buffer, and whether the guard switches itself off after it."""
    return [line.split() for line in lines(PROGRAM)]


class Functions(unittest.TestCase):
    def check(self, names=()):
        result = checked.check(PREFIX, PROGRAM, "bare", "sim", "lazy", names)
        self.assertNotIn("refused", result.out)
        self.assertIsNotNone(result.report, result.err)
        return result

    def uses(self, finding):
        """The functions of the program in the stacks of a finding."""
        return {found.group(1) for access in finding["accesses"] for frame in access["frames"]
                for found in [re.match(r"use_(\w+?)(?:\(|$)", frame["function"])] if found}

    def seen(self, result):
        return sorted((f["rule"], f["confidence"], *sorted(self.uses(f))) for f in result.findings)

    def test_each_row_is_tried(self):
        tried = {name for name, _, _ in listed()} | set(lines(PLACES))
        print(f"{len(rows())} rows, {len(tried)} functions tried")
        self.assertEqual(set(rows()) - tried, set())

    def test_each_works_beside_an_operand(self):
        for schedule in ("lazy", "eager"):
            result = checked.check(PREFIX, PLACES, "bare", "sim", schedule)
            self.assertEqual(result.code, 0, result.err)
            self.assertRegex(result.err, r"\n(\d+) places, \1 protected, 0 wrong\n")
            self.assertEqual(result.findings, [])

    def test_each_is_seen_once(self):
        want = sorted((RULE[mode], "proven", name) for name, mode, lasts in listed()
                      if lasts == "once" and mode != "nothing")
        self.assertEqual(self.seen(self.check()), want)

    def test_what_lasts_makes_the_guard_stand_down(self):
        for name, mode, lasts in listed():
            if lasts == "once":
                continue
            with self.subTest(name=name):
                result = self.check([name])
                want = [] if mode == "nothing" else [(RULE[mode], "proven", name)]
                self.assertEqual(self.seen(result), want, result.err)
                self.assertTrue(any(n["text"].startswith("page guard: ")
                                    for n in result.report["notes"]), result.report["notes"])


if __name__ == "__main__":
    PREFIX, PROGRAM, PLACES, ROWS = map(os.path.abspath, sys.argv[1:5])
    unittest.main(argv=sys.argv[:1])
