#!/usr/bin/env python3
"""The lint sees what it is for: each check complains about a tree made to displease it."""
import os
import sys
import tempfile
import unittest

import lint

CLEAN = "/* What this file is for. */\n"


class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, lint, "ROOT", lint.ROOT)
        lint.ROOT = folder.name

    def complaints(self, check, path, text):
        full = os.path.join(lint.ROOT, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return len(list(lint.CHECKS[check]()))

    def test_layers(self):
        self.complaints("layers", "reports/report.h", CLEAN)
        up = CLEAN + '#include "reports/report.h"\n'
        self.assertEqual(self.complaints("layers", "base/a.c", up), 1)
        self.assertEqual(self.complaints("layers", "base/a.c", CLEAN), 0)

    def test_cuda_is_for_the_recorder(self):
        text = CLEAN + "#include <cuda.h>\n"
        self.assertEqual(self.complaints("layers", "interposer/a.c", text), 0)
        self.assertEqual(self.complaints("layers", "analyzer/a.c", text), 1)

    def test_includes_from_the_root(self):
        text = CLEAN + '#include "b.h"\n'
        self.complaints("layers", "base/b.h", CLEAN)
        self.assertEqual(self.complaints("layers", "base/a.c", text), 1)

    def test_long_function(self):
        text = CLEAN + "int f(void)\n{\n" + "\tg();\n" * 81 + "}\n"
        self.assertEqual(self.complaints("lengths", "base/a.c", text), 1)

    def test_long_file(self):
        self.assertEqual(self.complaints("lengths", "base/a.h", CLEAN + "\n" * 160), 1)

    def test_long_line(self):
        self.assertEqual(self.complaints("lengths", "base/a.c", CLEAN + "\t" * 12 + "int abcd"), 1)

    def test_limits(self):
        listed = "analyzer/a.c THINGS_MAX counted: things\n"
        self.complaints("words", "tests/lint/limits.txt", listed)
        self.assertEqual(self.complaints("limits", "analyzer/a.c", "#define THINGS_MAX 4\n"), 0)
        self.assertEqual(self.complaints("limits", "analyzer/b.c", "#define MOST_THINGS 4\n"), 1)
        self.complaints("words", "tests/lint/limits.txt", listed + "analyzer/b.c MOST_THINGS\n")
        self.assertEqual(self.complaints("limits", "analyzer/b.c", "#define MOST_THINGS 4\n"), 2)
        self.complaints("words", "tests/lint/limits.txt",
                        listed + "analyzer/b.c MOST_THINGS fixed: by the driver\n")
        self.assertEqual(self.complaints("limits", "analyzer/b.c", "#define MOST_THINGS 4\n"), 0)
        self.assertEqual(self.complaints("limits", "analyzer/b.c", "int things;\n"), 1)

    def test_words(self):
        self.assertEqual(self.complaints("words", "base/a.c", CLEAN + "/* TO" + "DO */\n"), 1)

    def test_heads(self):
        self.assertEqual(self.complaints("heads", "base/a.c", "#include <x.h>\n"), 1)

    def test_unguarded_header(self):
        self.assertEqual(self.complaints("heads", "base/a.h", CLEAN), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
