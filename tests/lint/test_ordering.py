#!/usr/bin/env python3
"""The lint of the ordering rules sees what it is for: each test breaks one thing of a sound tree."""
import os
import sys
import tempfile
import unittest

import lint
import ordering

SOUND = {
    "docs/ordering.md": """\
# 0. The model
## 0.2 Calls
<a id="s-3"></a>**S-3 The legacy barrier.** See [C](#appendix-c-probes), 0.2 and PG12 §6.2.8.
## 15.1 Errors
| <a id="sc-101"></a>**[SC-101](rules/SC-101.md)** host reads early | S-3 |
| <a id="sc-107"></a>**[SC-107](rules/SC-107.md)** (cause) legacy | S-3 |
| <a id="sc-137"></a>**SC-137** overlap (not implemented: nothing sees it) | S-3 |
# Appendix C. Probes
| <a id="probe-1"></a>1 | S-3 |
""",
    "docs/rules/SC-101.md": "# SC-101\n",
    "docs/rules/SC-107.md": "# SC-107\n",
    "docs/coverage.md": "# Not in full\n| SC-137 | overlap | not seen |\n",
    "analyzer/finding/rule.def": 'SC_RULE(101, "read", ERROR, BASE,\nSC_RULE(107, "legacy", ERROR, CAUSE,\n',
    "tests/gpu/probes/01_copy.cu": "// Probe 1 (S-3)\n",
    "analyzer/a.c": "/* S-3 (0.2), SC-107, SC-137, appendix C, SC_RULE_101; specification 0.2. */\n",
}


class Ordering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, lint, "ROOT", lint.ROOT)
        lint.ROOT = folder.name
        for path, text in SOUND.items():
            self.write(path, text)

    def write(self, path, text):
        full = os.path.join(lint.ROOT, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def complaints(self):
        return [sentence for check in ordering.CHECKS for _, _, sentence in check()]

    def change(self, path, old, new):
        """The complaints once a text replaces another."""
        self.assertIn(old, SOUND[path])
        self.write(path, SOUND[path].replace(old, new))
        return self.complaints()

    def cite(self, text, path="trace/b.h"):
        self.write(path, text + "\n")
        found = self.complaints()
        os.remove(os.path.join(lint.ROOT, path))
        return len(found)

    def test_sound(self):
        self.assertEqual(self.complaints(), [])

    def test_dangling(self):
        for text in ("S-" + "44", "C-" + "A9", "SC-" + "198", "SC_RULE_" + "198", "probe " + "77",
                     "probes 1 and " + "77", "appendix " + "Z", "(7." + "7)", "(S-3, 7." + "7)",
                     "specification 7." + "7", "specification 0.2, 7." + "7",
                     "specification §7." + "7", "ordering.md 7." + "7", "S-3 to S-" + "44",
                     "/* see docs/ordering" + ".md, §7." + "7 */"):
            self.assertEqual(self.cite(text), 1, text)
        self.assertEqual(self.cite("[a](ordering" + ".md#s-44)", "docs/a.md"), 1)

    def test_no_citation(self):
        for text in ("UTF-8, CRC-32, 1E-9, x(1.0, 7.7)", "PG13 §2.3.8 and PG12 §5", "SC-" + "999"):
            self.assertEqual(self.cite(text), 0, text)
        self.assertEqual(self.cite("takes (0.13) seconds", "docs/a.md"), 0)

    def test_old_names(self):
        self.assertEqual(self.cite("/* V" + "-101 */"), 1)
        self.assertEqual(self.cite("cuda-ordering" + "-semantics.md"), 1)

    def test_defined_twice(self):
        row = '<a id="probe-1"></a>1'
        self.assertEqual(len(self.change("docs/ordering.md", row, row + row)), 1)

    def test_rule_without_row(self):
        rule = 'SC_RULE(101, "read", ERROR, BASE,'
        more = rule + "\n" + rule.replace("101", "102")
        self.assertEqual(len(self.change("analyzer/finding/rule.def", rule, more)), 1)

    def test_row_without_rule(self):
        rule = 'SC_RULE(101, "read", ERROR, BASE,'
        self.assertEqual(len(self.change("analyzer/finding/rule.def", rule, "")), 1)

    def test_row_without_reason(self):
        self.assertEqual(len(self.change("docs/ordering.md", "(not implemented: ", "(")), 1)

    def test_other_severity(self):
        self.assertEqual(len(self.change("analyzer/finding/rule.def", "ERROR, BASE", "ADVICE, BASE")), 1)

    def test_other_kind(self):
        self.assertEqual(len(self.change("docs/ordering.md", "(cause) ", "")), 1)

    def test_page_of_a_rule(self):
        os.remove(os.path.join(lint.ROOT, "docs/rules/SC-101.md"))
        self.assertEqual(len(self.complaints()), 1)

    def test_coverage(self):
        self.assertEqual(len(self.change("docs/coverage.md", "# Not in full\n", "| SC-" + "198 | a | b |\n")), 2)

    def test_probe_without_program(self):
        os.remove(os.path.join(lint.ROOT, "tests/gpu/probes/01_copy.cu"))
        self.assertEqual(len(self.complaints()), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
