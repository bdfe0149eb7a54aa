#!/usr/bin/env python3
"""Objects of one class are distinguished by the lines that made them; reports have no columns of nvcc's source.

usage: test_origins.py PREFIX PROGRAM   (origins.cu)
"""
import json
import os
import re
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))


def lines(name):
    """Places of the marked lines of a source file: {"up": "origins.cu:22", …}."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        marks = ((n, re.search(r"(?:line|made): (\w+) \*/", line)) for n, line in enumerate(file, 1))
        return {mark[1]: f"{name}:{n}" for n, mark in marks if mark}


def physical(part):
    """The places of a SARIF report in files of this folder."""
    if isinstance(part, dict) and os.path.basename(part.get("artifactLocation", {}).get("uri", "")) in ("own.h", "origins.cu"):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from physical(inner)


class Origins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        cls.at = {**lines("own.h"), **lines("origins.cu")}
        forms = ("text", "json", "gcc", "github", "sarif", "html")
        wanted = [f"--report={form}:{os.path.join(cls.folder.name, form)}" for form in forms]
        code, _, err = checked.run([os.path.join(PREFIX, "bin", "streamcheck"), "run", "--device=sim", *wanted, "--", PROGRAM],
                                   checked.environment(PREFIX, "sim"), cls.folder.name)
        assert code == 66, err
        cls.said = {}
        for form in forms:
            with open(os.path.join(cls.folder.name, form), encoding="utf-8") as file:
                cls.said[form] = file.read()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assertMade(self, said, *names):
        """That something is said to be made at the first line, and from the others."""
        self.assertRegex(said, ", from ".join(rf"\S*\b{re.escape(self.at[name])}" for name in names) + r"(;|\n|\"|$)")

    def test_streams(self):
        for form, inner in (("text", ["stream"]), ("html", [])):  # the page has the innermost line in the stack
            for name in ("up", "down"):
                self.assertMade(self.said[form], *inner, name)
            for name in ("left", "right"):
                self.assertMade(self.said[form], *inner, "worker", name)

    def test_memory(self):
        for form in ("text", "json"):
            self.assertMade(self.said[form], "buffer", "in")
            self.assertMade(self.said[form], "buffer", "worker", "right")

    def test_no_columns(self):
        self.assertNotIn("col=", self.said["github"])
        regions = list(physical(json.loads(self.said["sarif"])))
        self.assertTrue(regions)
        self.assertEqual([r for r in regions if "startColumn" in r["region"]], [])
        self.assertRegex(self.said["gcc"], r"origins\.cu:\d+: error: ")
        self.assertNotRegex(self.said["gcc"], r"\.(cu|h):\d+:\d+: ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
