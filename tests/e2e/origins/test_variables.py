#!/usr/bin/env python3
"""Reports show the variables of streams, events, graphs and memory, and none where not exactly one fits.

usage: test_variables.py PREFIX PROGRAM   (of variables.cu, or variables.py)
"""
import json
import os
import re
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
COMMAND = [sys.executable, PROGRAM] if PROGRAM.endswith(".py") else [PROGRAM]
SOURCE = "variables.py" if PROGRAM.endswith(".py") else "variables.cu"
FORMS = ("text", "json", "gcc", "github", "sarif", "html")


def marked():
    """Variables of the marked lines: {80: "plain", 84: None, …}."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), SOURCE), encoding="utf-8") as file:
        marks = ((n, re.search(r"(?:/\*|#) variable: (\S+)", line)) for n, line in enumerate(file, 1))
        return {n: None if mark[1] == "none" else mark[1] for n, mark in marks if mark}


class Variables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        wanted = [f"--report={form}:{os.path.join(cls.folder.name, form)}" for form in FORMS]
        code, _, err = checked.run([os.path.join(PREFIX, "bin", "streamcheck"), "run", "--device=sim", "--text=all", *wanted, "--", *COMMAND],
                                   checked.environment(PREFIX, "sim"), cls.folder.name)
        assert code == 66, err
        cls.said = {}
        for form in FORMS:
            with open(os.path.join(cls.folder.name, form), encoding="utf-8") as file:
                cls.said[form] = file.read()
        cls.found = {}
        for finding in json.loads(cls.said["json"])["findings"]:
            for made in [*finding["objects"], finding["allocation"]]:
                lines = {int(n) for n in re.findall(re.escape(SOURCE) + r":(\d+)", made["text"])}
                for line in lines & set(marked()):
                    cls.found.setdefault(line, set()).add(made.get("variable"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_each_line(self):
        self.assertNotIn({"both"}, self.found.values())
        self.assertEqual({line: {name} for line, name in sorted(marked().items())}, dict(sorted(self.found.items())))

    @unittest.skipIf(SOURCE.endswith(".py"), "these names are in the other program")
    def test_formats(self):
        with_origin = {"plain": r"stream \d+", "ready": r"event \d+", "exec": r"executable graph \d+"}
        for form in FORMS[:-1]:
            for name, noun in with_origin.items():
                self.assertRegex(self.said[form], rf"{noun} \(`{name}`\) was (created|instantiated) at \S*variables\.cu:\d+", form)
            self.assertRegex(self.said[form], r"device memory \(`cast`\) allocated at \S*variables\.cu:\d+", form)
        self.assertRegex(self.said["html"], r"device memory \(`cast`\) allocated at \S*variables\.cu:\d+")
        for name in with_origin:
            self.assertIn(f'"{name}"', self.said["html"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
