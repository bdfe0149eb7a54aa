"""The HTML report, its bytes and how it behaves in a browser. usage: test_html.py STREAMCHECK bytes|browser"""
import html.parser
import json
import os
import subprocess
import sys
import tempfile
import unittest

import browser
import traces

COMMAND = None
EXCERPTS_MAX = 640 << 10  # bytes of source that a report may carry, reports/html_source.c
SKIPPED = 77


def write(folder, name, script, options=()):
    """Path of the HTML report of a trace in text form."""
    trace, report = os.path.join(folder, name + ".sct.txt"), os.path.join(folder, name + ".html")
    with open(trace, "w", encoding="utf-8") as file:
        file.write(script)
    result = subprocess.run([COMMAND, "analyze", "--format=html", "--output=" + report, *options, trace],
                            capture_output=True, check=False, timeout=100)
    if not os.path.exists(report):
        raise AssertionError(result.stderr.decode())
    return report


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Outline(html.parser.HTMLParser):
    """Elements, ids, addresses, and the text of scripts as a parser sees them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.addresses, self.scripts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.addresses += [values[key] for key in ("src", "href") if key in values]
        if tag == "script":
            self.scripts.append([values.get("type"), ""])

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script" and self.scripts:
            self.scripts[-1][1] += data


class Bytes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def data_of(self, script):
        outline = Outline(read(write(self.folder.name, "data", script)))
        return json.loads(next(text for kind, text in outline.scripts if kind == "application/json"))

    def test_markup_in_names_stays_text(self):
        outline = Outline(read(write(self.folder.name, "story", traces.story())))
        self.assertEqual([kind for kind, _ in outline.scripts], ["application/json", None, None])
        self.assertNotIn("img", outline.tags)
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        data = json.loads(outline.scripts[0][1])
        self.assertIn(traces.HOSTILE, data["command"])
        self.assertTrue(any(traces.HOSTILE in text for text in data["texts"]))

    def test_nothing_is_loaded(self):
        outline = Outline(read(write(self.folder.name, "story", traces.story())))
        self.assertTrue(outline.addresses)
        self.assertEqual([a for a in outline.addresses if not a.startswith("#")], [])

    def test_drawing_has_both_sides_and_the_late_wait(self):
        finding = self.data_of(traces.story())["findings"][0]
        marks = [node[3] for node in finding["nodes"]]
        self.assertEqual([m & 1 for m in marks].count(1), 1)
        self.assertEqual([m & 2 for m in marks].count(2), 1)
        self.assertEqual([m & 16 for m in marks].count(16), 1)
        first, second = [i for i, m in enumerate(marks) if m & 3]
        reached = {first}
        for start, end, _ in finding["edges"]:
            if start in reached:
                reached.add(end)
        self.assertNotIn(second, reached)

    def test_same_trace_same_bytes(self):
        first = read(write(self.folder.name, "one", traces.story()))
        self.assertEqual(first, read(write(self.folder.name, "two", traces.story())))

    def test_thousand_findings_are_small(self):
        path = write(self.folder.name, "many", traces.many_findings(1000))
        self.assertLess(os.path.getsize(path) + EXCERPTS_MAX, 2 << 20)
        self.assertEqual(len(self.data_of(traces.many_findings(1000))["findings"]), 1000)

    def test_long_run_is_thinned_and_says_so(self):
        whole = self.data_of(traces.many_ops(4000))
        self.assertEqual(whole["stride"], 1)
        thin = self.data_of(traces.many_ops(260000))
        self.assertGreater(thin["stride"], 1)
        self.assertGreater(thin["total"], 260000)
        self.assertLess(os.path.getsize(os.path.join(self.folder.name, "data.html")), 1 << 20)


class InBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = browser.Browser()
        cls.page.size(1240, 900)

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.folder.cleanup()

    def open(self, name, script):
        self.page.complaints.clear()
        self.page.open(write(self.folder.name, name, script))

    def tearDown(self):
        self.assertEqual(self.page.complaints, [])
        self.assertEqual([u for u in self.page.requests if not u.startswith("file://")], [])

    def test_story(self):
        self.open("story", traces.story())
        ask = self.page.ask
        self.assertIsNone(ask("window.hacked"))
        self.assertEqual(ask("document.querySelectorAll('img').length"), 0)
        self.assertIn(traces.HOSTILE, ask("document.getElementById('command').textContent"))
        self.assertIn("proven error", ask("document.getElementById('verdict').textContent"))
        self.assertEqual(ask("document.querySelectorAll('.drawing .broken').length"), 1)
        self.assertEqual(ask("document.querySelectorAll('.drawing .side').length"), 2)
        self.assertIn("Nothing was lost", ask("document.getElementById('coverage-body').textContent"
                                              " + document.getElementById('gaps').textContent"))

    def test_filters_and_keyboard(self):
        self.open("many", traces.many_findings(40))
        ask = self.page.ask
        shown = "[...document.querySelectorAll('article')].filter(a => !a.hidden).length"
        self.assertEqual(ask(shown), 40)
        ask("(() => { const s = document.getElementById('search'); s.value = 'kernel';"
            " s.dispatchEvent(new Event('input')); })()")
        self.assertEqual(ask(shown), 20)
        self.assertIn("20 of 40", ask("document.getElementById('shown').textContent"))
        ask("document.querySelector('#filters button').click()")
        ask("new Promise(done => setTimeout(done))")
        self.assertEqual(ask(shown), 40)
        ask("document.querySelectorAll('article button')[0].focus()")
        self.page.key("ArrowDown")
        self.page.key("Enter", "\r")
        self.assertEqual(ask("document.activeElement.getAttribute('aria-expanded')"), "true")
        self.assertEqual(ask("document.activeElement.closest('article') ==="
                             " document.querySelectorAll('article')[1]"), True)

    def test_from_finding_to_time_line_and_back(self):
        self.open("ops", traces.many_ops(20000))
        ask = self.page.ask
        ask("document.querySelector('.detail > p .button').click()")
        self.assertEqual(ask("document.activeElement.tagName"), "CANVAS")
        self.assertIn("Finding SC-", ask("document.getElementById('operation').textContent"))
        before = ask("document.getElementById('operation').textContent")
        self.page.key("ArrowRight")
        self.assertNotEqual(ask("document.getElementById('operation').textContent"), before)
        ask("(() => { const f = document.getElementById('find'); f.value = 'no such thing';"
            " f.dispatchEvent(new Event('input')); })()")
        self.assertIn("0 operations match", ask("document.getElementById('matches').textContent"))
        self.page.ask("document.querySelector('canvas').focus()")
        self.page.key("p", "p")
        self.page.key("Enter", "\r")
        self.assertEqual(ask("document.activeElement.getAttribute('aria-expanded')"), "true")

    def test_time_line_is_painted_in_both_schemes(self):
        colors = []
        for scheme in ("light", "dark"):
            self.page.scheme(scheme)
            self.open("ops", traces.many_ops(400))
            self.page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            colors.append(self.page.ask(
                "(() => { const c = document.querySelector('canvas'), d = c.getContext('2d')"
                ".getImageData(0, 0, c.width, c.height).data, s = new Set();"
                " for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);"
                " return s.size; })()"))
        self.page.scheme("light")
        self.assertGreater(min(colors), 4)

    def test_narrow_page_does_not_scroll_sideways(self):
        self.page.size(400, 800)
        self.open("story", traces.story())
        self.assertLessEqual(self.page.ask("document.documentElement.scrollWidth"), 400)
        self.page.size(1240, 900)


if __name__ == "__main__":
    COMMAND, part = sys.argv[1], sys.argv[2]
    if part == "browser" and not browser.find():
        print("skipped: no chromium")
        sys.exit(SKIPPED)
    case = Bytes if part == "bytes" else InBrowser
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
