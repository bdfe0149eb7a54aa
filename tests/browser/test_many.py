"""The HTML report of many findings: groups, rows, copy buttons, rules, links, marks. usage: test_many.py STREAMCHECK"""
import json
import os
import sys
import unittest

import browser
import test_html
import traces

SHOWN = "document.getElementById('shown').textContent"
ARTICLES = "[...document.querySelectorAll('article')].filter(a => a.getClientRects().length)"
TITLES = "[...document.querySelectorAll('.group > h3 .what')].map(e => e.textContent)"
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# What a copy button gets in place of the clipboard.
CLIPBOARD = ("Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {writeText: async text => { window.copied = text; }}})")
NO_CLIPBOARD = ("Object.defineProperty(navigator, 'clipboard', {configurable: true, value: undefined}); document.execCommand = () => false")


def choose(name, value):
    return (f"(() => {{ const e = document.getElementById('{name}'); e.value = '{value}';"
            " e.dispatchEvent(new Event('change')); })()")


def press(name, index=0):
    return f"[...document.querySelectorAll('button')].filter(b => b.textContent === '{name}')[{index}].click()"


class Many(test_html.Paged):
    def open_at(self, name, script, fragment="", options=()):
        self.page.complaints.clear()
        self.page.open("/dev/null")
        self.page.open(test_html.write(self.folder.name, name, script, options), fragment)

    def test_few_findings_stand_in_a_row(self):
        self.open_at("few", traces.many_findings(100))
        self.assertEqual(self.page.ask(ARTICLES + ".length"), 100)
        self.assertEqual(self.page.ask(TITLES), [])

    def test_head_says_why_no_finding_has_lines(self):
        self.open_at("bare", traces.stripped(2))
        self.assertIn("solver is stripped, or is not here as it ran; build it with -g", self.page.ask("document.getElementById('lineless').textContent"))
        self.open_at("placeless", traces.many_findings(2))
        self.assertIsNone(self.page.ask("document.getElementById('lineless')"))

    def test_many_findings_come_in_pages(self):
        self.open_at("pages", traces.many_findings(250), "#by=none")
        ask = self.page.ask
        self.assertEqual(ask(ARTICLES + ".length"), 100)
        self.assertIn("250 findings, the first 100 are shown", ask(SHOWN))
        ask(press("Show 100 more findings"))
        ask(press("Show 50 more findings"))
        self.assertEqual(ask(ARTICLES + ".length"), 250)
        self.assertEqual(ask("[...document.querySelectorAll('#findings button')].filter(b => b.textContent.includes(' more finding') && b.getClientRects().length).length"), 0)
        order = ask("[...document.querySelectorAll('article button[aria-controls]')].map(b => b.getAttribute('aria-controls'))")
        self.assertEqual(order, [f"d-{i}" for i in range(250)])

    def test_many_findings_are_grouped_by_rule(self):
        self.open_at("rules", traces.many_findings(250))
        ask = self.page.ask
        self.assertIn("250 findings in 2 groups, 100 are shown", ask(SHOWN))
        self.assertEqual(ask(TITLES), ["SC-106 cross-stream-read-write", "SC-105 cross-stream-write-write"])
        self.assertEqual(ask("[...document.querySelectorAll('.group > h3 .sure')].map(e => e.textContent)"), ["125 errors", "125 errors"])
        self.assertEqual(ask("[...document.querySelectorAll('.group > h3 button')].map(e => e.getAttribute('aria-expanded'))"), ["true", "false"])
        self.assertEqual(ask("document.querySelectorAll('article').length"), 100)  # a folded group has none
        ask("document.querySelectorAll('.group > h3 button')[1].click()")
        self.assertEqual(ask(ARTICLES + ".length"), 200)
        ask(press("Show 25 more findings"))
        self.assertIn("225 are shown", ask(SHOWN))
        ask("document.querySelectorAll('.group > h3 button')[0].click()")
        self.assertEqual(ask(ARTICLES + ".length"), 100)

    def test_groups_of_kernels_and_places_and_their_counts(self):
        self.open_at("kernels", traces.stripped(240, 120), "#by=kernel")
        ask = self.page.ask
        self.assertEqual(sorted(ask(TITLES)), ["No kernel", "stage1", "stage2", "stage3"])
        counts = dict(ask("[...document.querySelectorAll('.group > h3')].map(e => [e.querySelector('.what').textContent, e.querySelector('.sure').textContent])"))
        places = "[...document.querySelectorAll('#list .places')].map(e => e.textContent)"
        ask(choose("group-by", "place"))
        self.assertEqual(ask("location.hash"), "#by=place")
        self.assertTrue(all(" ↔ " in place and "solver+0x" in place for place in ask(places)))
        numbers = [int(words.split()[0]) for words in counts.values()]
        self.assertEqual(sum(numbers), int(ask(SHOWN).split()[0]), counts)

    def test_choice_of_groups_is_remembered(self):
        self.open_at("remembered", traces.stripped(240, 120))
        ask = self.page.ask
        ask(choose("group-by", "kernel"))
        before = ask(TITLES)
        for part in ("findings", "coverage"):
            ask(f"document.querySelector('nav a[href=\"#{part}\"]').click()")
            ask("new Promise(done => setTimeout(done))")
            self.assertEqual(ask("location.hash"), f"#{part},by=kernel")
        self.page.call("Page.reload")
        self.page.wait_for_load()
        self.assertEqual(ask(TITLES), before)
        self.assertEqual(ask("document.getElementById('group-by').value"), "kernel")

    def test_choice_is_kept_from_process_to_process(self):
        path = test_html.write_joint(self.folder.name, "ranks", [f'process {70 + i} "train" object={1 + i}\n' + traces.many_findings(3) for i in range(2)])
        ask = self.page.ask
        self.page.open("/dev/null")
        self.page.open(path, "#p1")
        ask(choose("group-by", "kernel"))
        ask("document.querySelectorAll('#processes a')[1].click()")
        self.page.wait_for_load()
        self.assertEqual(ask("location.hash"), "#p2,by=kernel")
        self.assertIn("rank 1, ", ask("document.getElementById('command').textContent"))
        self.assertEqual(ask("document.getElementById('group-by').value"), "kernel")

    def test_an_address_that_changes_opens_its_finding(self):
        self.open_at("changes", traces.many_findings(300))
        finding = self.page.ask("document.querySelectorAll('article')[40].id")
        self.page.ask(f"location.hash = '{finding}'")
        self.page.ask("new Promise(done => setTimeout(done))")
        self.assertEqual(self.page.ask("document.activeElement.closest('article').id"), finding)
        self.assertEqual(self.page.ask("document.activeElement.getAttribute('aria-expanded')"), "true")

    def test_hostile_choices_are_ignored(self):
        self.open_at("choices", traces.stripped(10), "#by=constructor,at=__proto__,f-<img>,by=")
        self.assertEqual(self.page.ask("document.getElementById('group-by').value"), "none")
        self.assertEqual(self.page.ask("document.getElementById('where').value"), "below")

    def test_a_finding_in_a_folded_group_is_opened_by_its_address(self):
        path = test_html.write(self.folder.name, "deep", traces.many_findings(900))
        finding = test_html.data_in(path)[0]["findings"][897]
        for by in ("rule", "none", "place"):
            self.page.open("/dev/null")
            self.page.open(path, f"#f-{finding['identity']},by={by}")
            opened = self.page.ask(ARTICLES + ".filter(a => a.querySelector('[aria-expanded=true]')).map(a => a.id)")
            self.assertEqual(opened, ["f-" + finding["identity"]], by)

    def test_names_of_groups_are_text(self):
        kernel = traces.quoted(traces.HOSTILE)
        self.open_at("hostile", traces.story().replace("kernel s2 f1", f'function f1 1 "{kernel}"\nkernel s2 f1'), "#by=kernel")
        self.assertIsNone(self.page.ask("window.hacked"))
        self.assertEqual(self.page.ask("document.querySelectorAll('img').length"), 0)
        self.assertTrue(any(traces.HOSTILE in title for title in self.page.ask(TITLES)))

    def test_rows_of_a_stripped_program_differ(self):
        self.open_at("stripped", traces.stripped(80), "#by=none")
        rows = self.page.ask("[...document.querySelectorAll('article h3 button')].map(b => [...b.children].slice(1).map(e => e.textContent).join(' | '))")
        self.assertEqual(len(rows), int(self.page.ask(SHOWN).split()[0]))
        self.assertEqual(len(rows), len(set(rows)))
        self.assertRegex(rows[0], r"solver\+0x[0-9a-f]+ ↔ solver\+0x[0-9a-f]+ \| operations \d+ ↔ \d+ · stream \d+ \"queue \d\".* ↔ stream \d+ .*bytes")

    def test_copy_buttons(self):
        self.open_at("copy", traces.stripped(4))
        ask = self.page.ask
        finding = test_html.data_in(test_html.write(self.folder.name, "copy", traces.stripped(4)))[0]["findings"][0]
        ask(CLIPBOARD)
        for name, words in (("command", "streamcheck explain 1 "), ("fingerprint", finding["fingerprint"]), ("suppression", "rule = SC-10")):
            ask(press("Copy " + name))
            ask("new Promise(done => setTimeout(done))")
            self.assertIn(words, ask("window.copied"))
            self.assertEqual(ask("document.querySelector('.copy [role=status]').textContent"), f"Copied the {name}.")
        self.assertRegex(ask("window.copied"), r"^\[[a-z-]+: write here why .*\]\nrule = SC-\d+\n")

    def test_text_to_copy_by_hand(self):
        self.open_at("by_hand", traces.stripped(4))
        ask = self.page.ask
        ask(NO_CLIPBOARD)
        ask("[...document.querySelectorAll('button')].find(b => b.textContent === 'Copy suppression').focus()")
        self.page.key("Enter", "\r")
        ask("new Promise(done => setTimeout(done))")
        self.assertEqual(ask("document.activeElement.tagName"), "TEXTAREA")
        self.assertEqual(ask("document.activeElement.selectionEnd - document.activeElement.selectionStart"), ask("document.activeElement.value.length"))
        self.assertIn("rule = SC-10", ask("document.activeElement.value"))
        self.assertIn("press Ctrl+C", ask("document.querySelector('.copy [role=status]').textContent"))
        self.assertEqual(json.loads(ask(test_html.ACCESSIBLE)), [])

    def test_pages_of_the_rules(self):
        self.open_at("pages_of_rules", traces.stripped(4))
        ask = self.page.ask
        used = ask("[...document.querySelectorAll('.rule')].map(e => e.id)")
        self.assertEqual(used, ["rule-105", "rule-106"])
        self.assertEqual(ask("document.querySelectorAll('.rule pre').length"), 0)  # made when opened
        rule = ask("document.querySelector('.facts .link').textContent")
        ask("document.querySelector('.facts .link').click()")
        ask("new Promise(done => setTimeout(done))")
        page = "document.querySelector('.rule[open]')"
        self.assertIn(rule, ask(page + ".textContent"))
        self.assertEqual(ask(f"[...{page}.querySelectorAll('h3')].map(e => e.textContent)"), ["Wrong", "Right", "References"])
        self.assertEqual(ask(f"{page}.querySelectorAll('pre').length"), 2)
        self.assertNotRegex(ask(f"[...{page}.querySelectorAll('p')].map(e => e.textContent).join(' ')"), r"```|\]\(|^#")
        self.assertEqual(ask(f"document.activeElement === {page}.querySelector('summary')"), True)

    def test_clean_run_has_no_rules(self):
        self.open_at("clean", "alloc d 64\nset s1 d 64\nstream_sync s1\nexit 0\n")
        self.assertEqual(self.page.ask("document.getElementById('rules').getClientRects().length"), 0)


class Links(test_html.Paged):
    """Source lines of Python frames, which a trace names itself."""

    def links(self, name, value, path="/home/u/my app/train#1.py"):
        self.page.complaints.clear()
        report = test_html.write(self.folder.name, name, traces.closed_kernels().replace("/home/u/train.py", path), [f"--html-links={value}"] if value else [])
        self.page.open("/dev/null")
        self.page.open(report)
        return self.page.ask("[...document.querySelectorAll('.stack a')].map(a => a.getAttribute('href'))")

    def test_no_links_unless_asked_for(self):
        self.assertEqual(self.links("plain", None), [])
        self.assertEqual(self.links("none", "none"), [])

    def test_links_to_an_editor(self):
        self.assertIn("vscode://file/home/u/my%20app/train%231.py:20", self.links("vscode", "vscode"))
        self.assertIn("file:///home/u/my%20app/train%231.py", self.links("file", "file"))
        self.assertIn("idea://open?file=/home/u/my%20app/train%231.py&line=20", self.links("idea", "idea://open?file={path}&line={line}"))

    def test_paths_of_the_program_lead_nowhere_else(self):
        for number, path in enumerate(("javascript:alert(1)//a.py", "/a/../../etc/passwd", "relative.py", "/a/./b.py")):
            self.assertEqual(self.links(f"hostile{number}", "vscode", path), [], path)
        self.assertEqual(set(self.links("quotes", "https://example.org{path}", "/a?b&c@d.org/x.py")), {"https://example.org/a%3Fb%26c%40d.org/x.py"})

    def test_a_relative_link_needs_a_file_below_the_folder(self):
        self.assertEqual(self.links("relative", "https://example.org/{relative}#L{line}"), [])
        here = os.path.join(os.getcwd(), "sub folder", "train.py")
        self.assertIn("https://example.org/sub%20folder/train.py#L20", self.links("below", "https://example.org/{relative}#L{line}", here))
        self.assertEqual(self.links("up", "https://example.org/{relative}#L{line}", "a/../../x.py"), [])


class Marks(test_html.Paged):
    def clicked(self, x):
        """Clicks on the marks at a part of the width; what is selected then."""
        return self.page.ask(
            "(() => { const c = document.querySelector('canvas'), box = c.getBoundingClientRect();"
            f" c.dispatchEvent(new MouseEvent('click', {{clientX: {x} + box.left, clientY: box.top + 15}})); }})()")

    def counts(self):
        """The numbers in the marks, and where they are, as they are painted."""
        return self.page.ask(
            "new Promise(done => { const draw = CanvasRenderingContext2D.prototype.fillText, marks = [];"
            " CanvasRenderingContext2D.prototype.fillText = function (text, x) { if (this.textAlign === 'center') marks.push([text, x]); return draw.apply(this, arguments); };"
            " dispatchEvent(new Event('resize'));"
            " requestAnimationFrame(() => requestAnimationFrame(() => { CanvasRenderingContext2D.prototype.fillText = draw; done(marks); })); })")

    def test_marks_that_overlap_are_one_with_their_number(self):
        self.open("marks", traces.many_findings(300))
        before = self.counts()
        self.assertGreater(len(before), 5)
        self.assertEqual(sum(int(count) for count, _ in before), 600)  # two operations of each finding
        self.assertGreater(min(b[1] - a[1] for a, b in zip(before, before[1:])), 24)
        while len(after := self.counts()) and int(after[len(after) // 2][0]) > 2:
            self.clicked(after[len(after) // 2][1])
            self.page.ask(PAINTED)
            self.assertLess(sum(int(count) for count, _ in self.counts()), sum(int(count) for count, _ in after))
        self.assertLess(len(after), len(before))

    def test_a_single_mark_selects_its_operation(self):
        self.open("single", traces.many_findings(1))
        self.assertEqual(self.counts(), [])
        self.page.ask("document.querySelector('canvas').focus()")
        self.page.key("n", "n")
        selected = self.page.ask("document.getElementById('operation').textContent")
        self.assertIn("Finding SC-", selected)

    def test_time_line_is_tall(self):
        for count in (1, 30):
            self.open("tall", traces.many_findings(count))
            self.assertGreaterEqual(self.page.ask("document.querySelector('canvas').clientHeight"), 140)

    def test_time_line_above_and_beside(self):
        self.open("where", traces.many_findings(12))
        ask = self.page.ask
        box = "(e => [e.left, e.top])(document.getElementById('{}').getBoundingClientRect())"
        places = {}
        for where in ("below", "above", "beside"):
            ask(choose("where", where))
            ask(PAINTED)
            places[where] = [ask(box.format(part)) for part in ("findings", "timeline")]
            self.assertLessEqual(ask("document.documentElement.scrollWidth"), 1240)
        self.assertLess(places["below"][0][1], places["below"][1][1])
        self.assertLess(places["above"][1][1], places["above"][0][1])
        self.assertLess(places["beside"][0][0], places["beside"][1][0])
        self.assertEqual(places["beside"][0][1], places["beside"][1][1])
        self.assertEqual(ask("location.hash"), "#at=beside")
        self.page.call("Page.reload")
        self.page.wait_for_load()
        self.assertEqual(ask("document.getElementById('where').value"), "beside")


class Most(test_html.Paged):
    def test_twenty_thousand_findings_answer(self):
        self.page.complaints.clear()
        self.page.open(test_html.write(self.folder.name, "most", traces.stripped(20000, 20000)))
        ask = self.page.ask
        count = int(ask(SHOWN).split()[0].replace(",", ""))
        self.assertEqual(count, 20000)
        for by in ("place", "kernel", "none", "rule"):
            ask(choose("group-by", by))
            self.assertLessEqual(ask("document.querySelectorAll('article').length"), 220)
            self.assertEqual(int(ask(SHOWN).split()[0].replace(",", "")), count)


if __name__ == "__main__":
    test_html.COMMAND = sys.argv.pop(1)
    if not browser.find():
        print("skipped: no chromium")
        sys.exit(test_html.SKIPPED)
    unittest.main(verbosity=2)
