"""The HTML report of many ranks: summaries, and traces that are not all in the page. usage: test_together.py STREAMCHECK"""
import json
import os
import subprocess
import sys
import unittest

import browser
import test_html
import traces

RANKS = 1024
ROWS = "[...document.querySelectorAll('.matrix tbody tr')].map(r => [...r.cells].slice(1).map(c => c.textContent).join(''))"
HEADS = "[...document.querySelectorAll('.matrix th')].slice(1).map(h => h.textContent)"
SHOWN = "[...document.querySelectorAll('main > section')].filter(s => s.getClientRects().length).map(s => s.id)"
TITLES = "[...document.querySelectorAll('#processes caption')].map(c => c.textContent)"


def finding(number, rule, severity, confidence, ranks, count, text):
    return (f"finding {number:016x} SC-{rule} {severity} {confidence} {count} {ranks} {text}\nat {number} 3 field.cu\nin step\n"
            f"| {severity} SC-{rule} {text}\n|   then:     {text}\n")


def summary(*findings, text="message"):
    lines = "".join(finding(number + 1, *one, text) for number, one in enumerate(findings))
    return (f"# streamcheck summary 2 of fingerprints 3\nprocesses {RANKS - 1} 0-6,8-{RANKS - 1} 2 0 1 3 0 0 1 0 ./app {text}\n"
            f"processes 1 7 1 0 0 0 0 0 0 11 ./app {text}\n{lines}end\n")


EVEN = ",".join(str(rank) for rank in range(0, RANKS, 2))
FINDINGS = ((160, "error", "proven", f"0-6,8-{RANKS - 1}", RANKS - 1), (101, "error", "proven", f"0-{RANKS - 1}", RANKS),
            (301, "advice", "likely", EVEN, RANKS // 2))


class Together(test_html.Paged):
    def merge(self, name, *paths):
        report = os.path.join(self.folder.name, name + ".html")
        subprocess.run([test_html.COMMAND, "merge", "--html=no", "--format=html", "--output=" + report, *paths], capture_output=True, check=False, timeout=100)
        return report

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def open_page(self, path):
        self.page.complaints.clear()
        self.page.open("/dev/null")
        self.page.open(path)

    def test_summaries_alone(self):
        path = self.merge("summaries", self.write("all.scs", summary(*FINDINGS)))
        self.open_page(path)
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('verdict').textContent"), f"2 proven errors in {RANKS:,} processes")
        self.assertEqual(ask("document.getElementById('command').textContent"), "./app message")
        self.assertIn("rank 7 is incomplete, ended by signal 11 (SIGSEGV)", ask("document.getElementById('gaps').textContent"))
        self.assertEqual(ask(SHOWN), ["common", "processes", "rules"])
        self.assertEqual(ask("[...document.querySelectorAll('nav a')].filter(a => a.getClientRects().length).map(a => a.textContent)"), ["All processes", "Processes", "Rules"])
        self.assertIn("no time line", ask("document.getElementById('together-note').textContent"))
        self.assertIn(f"{3 * (RANKS - 1):,}suppressed", ask("document.getElementById('numbers').textContent"))
        # Ranks with the same findings are a column; the worst findings come first.
        self.assertEqual(ask(HEADS), ["0, 2, 4, … (512 ranks)", "1, 3, 5, … (511 ranks)", "7"])
        self.assertEqual(ask(ROWS), ["●●·", "●●●", "●··"])
        self.assertIn(f"ranks 0-{RANKS - 1} except 7", ask("document.querySelector('#common table').textContent"))
        self.assertIn("then:     message", ask("document.querySelector('#common details[open] pre').textContent"))
        for width in (1240, 400):
            self.page.size(width, 900)
            self.assertEqual(json.loads(ask(test_html.ACCESSIBLE)), [])
            self.assertLessEqual(ask("document.documentElement.scrollWidth"), width)
        self.page.size(1240, 900)

    def test_a_clean_run(self):
        self.open_page(self.merge("clean", self.write("clean.scs", "# streamcheck summary 2 of fingerprints 3\nprocesses 9 0-8 0 0 0 0 0 0 1 0 ./app\nend\n")))
        self.assertEqual(self.page.ask("document.getElementById('verdict').textContent"), "Nothing found in 9 processes")
        self.assertEqual(self.page.ask(TITLES), ["Processes with equal numbers of findings"])

    def test_text_of_a_summary_is_text(self):
        self.open_page(self.merge("hostile", self.write("hostile.scs", summary(*FINDINGS, text=traces.HOSTILE))))
        self.assertIsNone(self.page.ask("window.hacked"))
        self.assertEqual(self.page.ask("document.querySelectorAll('img').length"), 0)
        self.assertIn(traces.HOSTILE, self.page.ask("document.querySelector('#common pre').textContent"))

    def test_many_different_findings_stay_small(self):
        """A thousand findings, each in ranks of its own."""
        many = [(101, "error", "proven", f"{n}-{n + n % 7}", n % 7 + 1) for n in range(1000)]
        path = self.merge("many", self.write("many.scs", summary(*many)))
        self.assertLess(os.path.getsize(path), 800_000)
        self.open_page(path)
        self.assertLessEqual(len(self.page.ask(HEADS)), 32)
        self.assertEqual(len(self.page.ask(ROWS)), 100)
        text = self.page.ask("document.getElementById('common').textContent")
        self.assertRegex(text, r"Not in this table: \d+ more groups of ranks and 900 more findings\.")
        self.assertIn("And 500 more findings; the JSON report has all.", text)

    def test_a_thousand_traces(self):
        """Eight are in full, and the one with a finding of its own; a finding leads to the first process that has it."""
        paths = []
        for rank in range(1000):
            script = traces.many_findings(1 + (rank == 500))
            paths.append(self.write(f"{rank}.sct.txt", f'process {5000 + rank} "train" object={rank + 1}\n' + script))
        path = self.merge("thousand", *paths)
        self.assertLess(os.path.getsize(path), 600_000)
        self.open_page(path)
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('verdict').textContent"), "2 proven errors in 1,000 processes")
        self.assertIn("9 processes in full", ask(TITLES))
        self.assertIn("Of 1,000 processes 9 are in this file in full", ask("document.getElementById('together-note').textContent"))
        self.assertEqual(sorted(zip(ask(HEADS), ask(ROWS)[1])), [("0-499, 501-999", "·"), ("500", "●")])
        self.assertEqual(ask(SHOWN), ["common", "findings", "timeline", "processes", "rules", "coverage"])
        ask("[...document.querySelectorAll('#common a')].find(a => a.textContent === 'in full: rank 500, process 5500').click()")
        self.page.wait_for_load()
        self.assertIn("rank 500, ", ask("document.getElementById('command').textContent"))
        self.assertEqual(json.loads(ask(test_html.ACCESSIBLE)), [])


if __name__ == "__main__":
    test_html.COMMAND = sys.argv.pop(1)
    if not browser.find():
        print("skipped: no chromium")
        sys.exit(test_html.SKIPPED)
    unittest.main(verbosity=2)
