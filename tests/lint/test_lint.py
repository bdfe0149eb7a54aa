#!/usr/bin/env python3
"""The lint sees what it is for: each check complains about a tree made to displease it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import links
import lint
import symbols
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
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

    def test_rooms(self):
        rows = "base/one:\nbase/two: one\n"
        self.complaints("words", "tests/lint/rooms.txt", rows)
        self.complaints("words", "base/one/a.h", CLEAN)
        down = CLEAN + '#include "base/one/a.h"\n'
        self.assertEqual(self.complaints("rooms", "base/two/b.c", down), 0)
        self.assertEqual(self.complaints("rooms", "base/three/c.c", down), 1)
        os.unlink(os.path.join(lint.ROOT, "base/three/c.c"))
        up = CLEAN + '#include "base/two/b.h"\n'
        self.assertEqual(self.complaints("rooms", "base/one/a.c", up), 1)
        self.complaints("words", "tests/lint/rooms.txt", "base/one: | two: the reason\nbase/two: one\n")
        self.assertEqual(self.complaints("rooms", "base/one/a.c", up), 0)
        self.assertEqual(self.complaints("rooms", "base/one/a.c", CLEAN), 1)
        self.complaints("words", "tests/lint/rooms.txt", "base/one: two\nbase/two: one\n")
        self.assertEqual(self.complaints("rooms", "base/one/a.c", up), 1)
        self.complaints("words", "tests/lint/rooms.txt", rows + "base/four none\n")
        self.assertEqual(self.complaints("rooms", "base/one/a.c", CLEAN), 1)

    def test_rooms_of_a_room(self):
        self.complaints("words", "tests/lint/rooms.txt", "base/one/inner:\nbase/one: one/inner\n")
        self.complaints("words", "base/one/inner/a.h", CLEAN)
        self.assertEqual(self.complaints("rooms", "base/one/b.c", CLEAN + '#include "base/one/inner/a.h"\n'), 0)
        self.complaints("words", "base/one/b.h", CLEAN)
        self.assertEqual(self.complaints("rooms", "base/one/inner/a.c", CLEAN + '#include "base/one/b.h"\n'), 1)

    def test_named_files(self):
        self.complaints("named", "base/b.h", CLEAN)
        self.assertEqual(self.complaints("named", "base/a.c", "/* As b.h and base/b.h say. */\n"), 0)
        self.assertEqual(self.complaints("named", "base/a.c", "/* As c.h says, and other/b.h. */\n"), 2)

    def test_cycles(self):
        self.complaints("cycles", "reports/a.h", CLEAN + '#include "reports/b.h"\n')
        self.complaints("cycles", "reports/b.h", CLEAN)
        self.assertEqual(self.complaints("cycles", "reports/c.c", CLEAN + '#include "reports/a.h"\n'), 0)
        self.assertEqual(self.complaints("cycles", "reports/b.c", CLEAN + '#include "reports/c.h"\n'), 3)

    def test_types(self):
        text = CLEAN + "struct sc_thing {\n\tint a;\n};\n"
        self.assertEqual(self.complaints("types", "base/a.h", text), 0)
        self.assertEqual(self.complaints("types", "trace/b.h", text), 1)
        self.complaints("types", "trace/b.h", CLEAN + "struct thing {\n\tint a;\n};\n")
        self.assertEqual(self.complaints("types", "trace/c.c", CLEAN + "static _Bool a;\n"), 1)

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

    def test_formats(self):
        named = {"base/option.def": '"text|json", "format of that report"', "bench/report.py": 'FORMATS = ("text", "json")',
                 "tests/golden/golden.py": 'FOR_ALL = ("text",)\nFORMATS = (*FOR_ALL, "json")',
                 "tests/formats/sound.py": 'FORMATS = ("text", "json")\ndef check_text(text):\ndef check_json(text):',
                 "tests/formats/test_formats.c": 'GOLDEN("json")', "docs/user/reports.md": "| `text` |\n| `json` |",
                 "README.md": "Reports: text, json."}
        for path, text in named.items():
            self.complaints("words", path, text)
        rows = 'SC_REPORT(TEXT, "text", a, b, 1, "c")\nSC_REPORT(JSON, "json", a, b, 0, "c")\n'
        self.assertEqual(self.complaints("formats", "reports/report.def", rows), 0)
        for path, text in named.items():
            self.assertEqual(self.complaints("formats", path, text.replace("json", "jsn", 1)), 1, path)
            self.complaints("formats", path, text)
        self.assertEqual(self.complaints("formats", "reports/report.def", rows + rows[:34].replace("text", "new")), 8)

    def test_traces(self):
        rows = 'SC_RULE(101, "early-read", ERROR, BASE,\nSC_RULE(309, "polling", ADVICE, ALONE,\n'
        trace = "tests/traces/101-early-read/a.sct.txt"
        self.assertEqual(self.complaints("traces", "analyzer/finding/rule.def", rows), 1)
        self.assertEqual(self.complaints("traces", trace, "expect none\n"), 1)
        self.assertEqual(self.complaints("traces", trace, "expect SC-101 proven 1 2\n"), 0)
        self.assertEqual(self.complaints("traces", "tests/traces/silent/b.sct.txt", "expect none\n"), 0)
        self.assertEqual(self.complaints("traces", "analyzer/finding/rule.def", rows.replace("101", "102")), 2)
        self.assertEqual(self.complaints("traces", "analyzer/finding/rule.def", rows), 0)
        self.assertEqual(self.complaints("traces", "tests/traces/309-polling/c.sct.txt", "expect SC-309\n"), 1)

    def test_words(self):
        self.assertEqual(self.complaints("words", "base/a.c", CLEAN + "/* TO" + "DO */\n"), 1)

    def test_heads(self):
        self.assertEqual(self.complaints("heads", "base/a.c", "#include <x.h>\n"), 1)

    def test_unguarded_header(self):
        self.assertEqual(self.complaints("heads", "base/a.h", CLEAN), 1)


class Links(unittest.TestCase):
    setUp = Lint.setUp

    def write(self, path, text):
        full = os.path.join(lint.ROOT, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def sentences(self, text, path="docs/a.md"):
        self.write(path, text)
        return [sentence for _, _, sentence in links.complaints()]

    def test_link(self):
        self.write("docs/b.md", "# A `b`, and more\n")
        self.assertEqual(self.sentences("[b](b.md) [c](https://c) [d](b.md#a-b-and-more)\n"), [])
        self.assertIn("no file", self.sentences("see [c](c.md)\n")[0])
        self.assertIn("no heading", self.sentences("see [b](b.md#a)\n")[0])
        self.assertIn("no heading", self.sentences("# One\n\n[two](#two)\n")[0])

    def test_path_in_backticks(self):
        self.write("base/a.h", CLEAN)
        found = "`base/a.h` `base/` `base/*.h` `base/a` `base/NAME.c` `x/y`\n"
        self.assertEqual(self.sentences(found), [])
        self.assertIn("no base/b.h", self.sentences("`base/b.h`\n")[0])
        self.assertEqual(self.sentences("```\n`base/b.h`\n```\n"), [])

    def test_page_that_a_source_names(self):
        self.write("docs/a.md", "# A\n")
        self.assertEqual(self.sentences("/* See docs/a.md. */\n", "base/a.c"), [])
        self.assertIn("no page", self.sentences("/* See docs/b.md. */\n", "base/a.c")[0])

    def test_index(self):
        self.write("docs/user/a.md", "# A\n")
        self.assertIn("no list", self.sentences("# B\n", "docs/user/b.md")[0])
        self.assertIn("leads to b.md", self.sentences("[a](a.md)\n", "docs/user/README.md")[0])

    def test_history(self):
        self.assertEqual(self.sentences("`base/gone.h` docs/gone.md\n", "CHANGELOG.md"), [])
        self.assertIn("no file", self.sentences("[b](b.md)\n", "CHANGELOG.md")[0])


class Symbols(unittest.TestCase):
    def test_names(self):
        found = {"base/CMakeFiles/sc_base.dir/a.c.o": ["sc_a", "main"], "trace/CMakeFiles/sc_trace.dir/b.c.o": ["sc_b", "main"],
                 "reports/CMakeFiles/sc_symbol.dir/__/trace/c.c.o": ["sc_b"]}
        self.addCleanup(setattr, symbols, "objects", symbols.objects)
        self.addCleanup(setattr, symbols, "globals_of", symbols.globals_of)
        symbols.objects = lambda build: list(found)
        symbols.globals_of = lambda build, paths: [(path, name) for path in paths for name in found[path]]
        self.assertEqual(list(symbols.complaints(".")), [])
        found["cmds/CMakeFiles/sc_cmds.dir/d.c.o"] = ["sc_a"]
        self.assertEqual(list(symbols.complaints(".")), ["sc_a: is global in base/ (a.c) and cmds/ (d.c)"])
        found.clear()
        self.assertEqual(len(list(symbols.complaints("."))), 1)

    def test_objects(self):
        tool = shutil.which("cc")
        if not tool:
            self.skipTest("no compiler")
        with tempfile.TemporaryDirectory() as build:
            for folder in ("base", "trace"):
                at = os.path.join(build, folder, "CMakeFiles", "x.dir", "a.c.o")
                os.makedirs(os.path.dirname(at))
                subprocess.run([tool, "-xc", "-", "-c", "-o", at], input=b"int sc_same; static int sc_own;", check=True)
            self.assertEqual(list(symbols.complaints(build)), ["sc_same: is global in base/ (a.c) and trace/ (a.c)"])


class Tables(unittest.TestCase):
    setUp = Lint.setUp
    write = Links.write

    def test_rows(self):
        self.write("a.def", '/* A("no row") */\n#define A(x)\nA(one, "a " /* and */\n  "b, (c)")\nB(two)\nA(three, "")\n')
        self.assertEqual(tables.rows("a.def", "A"), [["one", "a b, (c)"], ["three", ""]])

    def test_pages_are_those_of_the_tables(self):
        for path in (tables.PAGE, tables.SCHEMA, *tables.TABLES):
            with open(os.path.join(HERE, "..", "..", path), encoding="utf-8") as file:
                self.write(path, file.read())
        self.assertEqual(list(tables.complaints()), [])
        for path, old, new in ((tables.GAPS, "SC_GAP(damaged, LOSS", "SC_GAP(damaged, NOTE"),
                               (tables.SEEN, "calls in which the host waits", "waits"),
                               (tables.PAGE, "<!-- gaps:", "<!-- caps:")):
            whole = "\n".join(lint.lines_of(path))
            self.assertIn(old, whole)
            self.write(path, whole.replace(old, new))
            self.assertTrue(list(tables.complaints()), path)
            self.write(path, whole)


if __name__ == "__main__":
    sys.exit(unittest.main())
