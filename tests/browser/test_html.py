"""The HTML report, its bytes and how it behaves in a browser. usage: test_html.py STREAMCHECK bytes|browser"""
import glob
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import browser
import traces

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "formats"))
import sound  # pylint: disable=wrong-import-position

COMMAND = None
EXCERPTS_MAX = 640 << 10  # bytes of source that a report may carry, reports/html/html.h
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


def write_joint(folder, name, scripts):
    """The same of several processes."""
    paths = []
    for number, script in enumerate(scripts):
        paths.append(os.path.join(folder, f"{name}.{number}.sct.txt"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(script)
    report = os.path.join(folder, name + ".html")
    subprocess.run([COMMAND, "analyze", "--format=html", "--output=" + report, *paths],
                   capture_output=True, check=False, timeout=100)
    return report


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rewrite(path, change):
    """Changes the data of a report as a function says."""
    text = read(path)
    start = text.index(">", text.index('<script type="application/json"')) + 1
    end = text.index("</script>", start)
    data = sound.html_data(text)
    change(data)
    data["processes"] = [{"shared": [], **process} for process in data["processes"]]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:start] + json.dumps(data).replace("<", "\\u003c") + text[end:])


def data_in(path):
    """What a page says of each process: the members of its report and of what is beside it, and of each finding with its drawing."""
    processes = []
    for process in sound.html_data(read(path))["processes"]:
        report, page = process["report"], process["page"]
        report["findings"] = [{**finding, **drawing} for finding, drawing in zip(report["findings"], page["drawings"])]
        processes.append({**report, **page})
    return processes


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
        return data_in(write(self.folder.name, "data", script))[0]

    def test_markup_in_names_stays_text(self):
        outline = Outline(read(write(self.folder.name, "story", traces.story())))
        self.assertEqual([kind for kind, _ in outline.scripts], ["application/json", None, None])
        self.assertNotIn("img", outline.tags)
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        data = self.data_of(traces.story())
        self.assertIn(traces.HOSTILE, data["process"]["command"])
        self.assertTrue(any(traces.HOSTILE in side["op"] for side in data["findings"][0]["accesses"]))

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

    def test_no_drawing_leads_from_the_first_to_the_second(self):
        folder, lacking = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "traces"), 0
        for name in sorted(name for rule in ("106", "125", "139", "134") for name in glob.glob(os.path.join(folder, rule + "-*", "*.sct.txt"))):
            for finding in self.data_of(read(name))["findings"]:
                marks = [node[3] for node in finding["nodes"]]
                reached = {i for i, mark in enumerate(marks) if mark & 1 and not mark & 2}
                for start, end, _ in sorted(finding["edges"], key=lambda edge: edge[1]):
                    reached |= {end} if start in reached else set()
                if finding["order"] is not None:
                    lacking += 1
                    self.assertFalse([i for i in reached if marks[i] & 2], name)
        self.assertGreater(lacking, 20)

    def test_device_times_stand_with_the_finding(self):
        here = os.path.dirname(os.path.abspath(__file__))
        data = self.data_of(read(os.path.join(here, "..", "traces", "timing", "overlapped.sct.txt")))
        finding = data["findings"][0]
        self.assertIn("overlapped in this run by", finding["timing"]["text"])
        for side in finding["accesses"]:
            when = side["when"]
            self.assertLess(when["called_ns"], when["from_ns"])
            self.assertLess(when["from_ns"], when["to_ns"])
        self.assertNotIn("timing", self.data_of(traces.story())["findings"][0])

    def test_streams_that_were_held_up(self):
        here = os.path.dirname(os.path.abspath(__file__))
        data = self.data_of(read(os.path.join(here, "..", "traces", "timing", "held_by_default_stream.sct.txt")))
        self.assertEqual([(held["ns"], held["count"]) for held in data["findings"][0]["cost"]["held"]], [(16000, 4), (12000, 4)])

    def test_the_worst_findings_of_too_many_are_shown(self):
        data = data_in(write_joint(self.folder.name, "joint", [f'process {70 + i} "train" object={1 + i}\n' + traces.many_findings(10200) for i in range(2)]))
        self.assertEqual([(len(p["findings"]), sum(p["counts"][:3])) for p in data], 2 * [(10000, 10200)])

    def test_the_first_findings_have_drawings(self):
        data = self.data_of(traces.many_findings(5200))
        self.assertEqual(data["drawn"], 5000)
        self.assertEqual([bool(finding["nodes"]) for finding in data["findings"]], 5000 * [True] + 200 * [False])

    def test_twenty_thousand_findings(self):
        path = write(self.folder.name, "most", traces.many_findings(20000))
        self.assertEqual(len(data_in(path)[0]["findings"]), 20000)
        self.assertLess(os.path.getsize(path) + EXCERPTS_MAX, 30 << 20)

    def test_one_finding_is_small(self):
        for count, kib in ((1, 256), (10, 280)):
            self.assertLess(os.path.getsize(write(self.folder.name, "small", traces.many_findings(count))), kib << 10)

    def test_same_trace_same_bytes(self):
        first = read(write(self.folder.name, "one", traces.story()))
        self.assertEqual(first, read(write(self.folder.name, "one", traces.story())))

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


# Faults of the page, as sentences: names, headings, tables, ids, references, contrast of text.
ACCESSIBLE = r"""(() => {
    const faults = [], all = [...document.querySelectorAll('body *')];
    const shown = e => e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden';
    const name = e => (e.getAttribute('aria-label') || (e.labels && [...e.labels].map(l => l.textContent).join('')) || e.textContent || '').trim();
    for (const e of all.filter(shown)) {
        if (e.matches('button, a[href], input, select, summary, [role=img], [role=region], [tabindex="0"], canvas') && !name(e))
            faults.push(`${e.localName} has no name: ${e.outerHTML.slice(0, 80)}`);
        for (const key of ['aria-controls', 'aria-labelledby', 'aria-describedby'])
            for (const id of (e.getAttribute(key) || '').split(' ').filter(i => i))
                if (!document.getElementById(id)) faults.push(`${key} names nothing: ${id}`);
    }
    for (const table of document.querySelectorAll('table'))
        if (!table.caption || !table.querySelector('th[scope]')) faults.push('a table without caption or heads');
    const ids = all.filter(e => e.id).map(e => e.id);
    for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) faults.push(`id ${id} occurs twice`);
    let depth = 0;
    for (const h of [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(shown)) {
        const level = Number(h.localName[1]);
        if (level > depth + 1) faults.push(`heading ${h.textContent.slice(0, 20)} is ${level} below ${depth}`);
        depth = level;
    }
    if (!document.documentElement.lang) faults.push('no language');
    if (document.querySelectorAll('main').length !== 1) faults.push('not one main part');
    const rgb = c => (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const background = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
    for (const e of all.filter(shown)) {
        if (e.closest('svg, canvas, noscript') || e.disabled || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
        const style = getComputedStyle(e), a = light(rgb(style.color)), b = light(background(e));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
        if (ratio < (size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : 4.5))
            faults.push(`contrast ${ratio.toFixed(2)}: ${e.textContent.trim().slice(0, 30)}`);
    }
    return JSON.stringify(faults);
})()"""


class Paged(unittest.TestCase):
    """A test with a page of a browser, which complains of nothing and loads nothing."""

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


class InBrowser(Paged):
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

    def test_texts_of_the_drawing_fit_their_boxes(self):
        self.open("fits", traces.story().replace(traces.quoted(traces.HOSTILE), "W" * 60))
        too_wide = self.page.ask(
            "[...document.querySelectorAll('.drawing .node')].flatMap(node => [...node.querySelectorAll('text')]"
            ".filter(t => t.getComputedTextLength() > node.querySelector('rect').getBBox().width - 16).map(t => t.textContent))")
        self.assertEqual(too_wide, [])
        self.assertGreater(self.page.ask("document.querySelectorAll('.drawing .node').length"), 2)

    def test_legend_has_what_is_drawn(self):
        self.open("legend", traces.story())
        legend = self.page.ask("document.querySelector('.legend').textContent")
        for shade, words in (("after", "ordered after the first"), ("before", "ordered before the second"), ("nearest", "came closest")):
            drawn = self.page.ask(
                "(() => { const probe = document.createElement('i'); document.body.append(probe);"
                f" probe.style.color = 'var(--{shade})'; const color = getComputedStyle(probe).color; probe.remove();"
                " return [...document.querySelectorAll('.drawing .node rect')].filter(r => getComputedStyle(r).stroke === color).length; })()")
            self.assertEqual(words in legend, drawn > 0, (shade, legend))

    def test_fix_names_the_device(self):
        self.page.complaints.clear()
        path = write(self.folder.name, "device", traces.story())

        def change(data):
            report, page = data["processes"][0].values()
            page["sources"] = [["a.cu", [7, "launch();", 8, "  sum(result);"], False]]
            page["drawings"][0]["code"]["choosesDevice"] = choice
            report["findings"][0].update(fix_id="sync_device", fix_at={"device": 1, "before": {"file": "a.cu", "line": 8}})

        for choice, added in ((True, ["+  cudaSetDevice(1);", "+  cudaDeviceSynchronize();"]), (False, ["+  cudaDeviceSynchronize();"])):
            rewrite(path, change)
            self.page.open("/dev/null")
            self.page.open(path)
            self.assertEqual(self.page.ask("[...document.querySelectorAll('.fix .add')].map(e => e.textContent)"), added)

    def test_fix_stands_in_front_of_a_loop(self):
        self.page.complaints.clear()
        path = write(self.folder.name, "loop", traces.story())
        lines = ["start();", "for (int i = 0; i < n; i++) // all", "\tif (data[i])", "\t\ttotal += data[i];"]

        def change(data):
            report, page = data["processes"][0].values()
            page["sources"] = [["a.cu", [item for n, line in enumerate(lines) for item in (4 + n, line)], False]]
            report["findings"][0].update(fix_id="sync_device", fix_at={"device": 0, "before": {"file": "a.cu", "line": 7}})

        rewrite(path, change)
        self.page.open(path)
        self.assertEqual(self.page.ask("[...document.querySelectorAll('.fix pre div')].map(e => e.textContent)"),
                         ["4start();", "+cudaDeviceSynchronize();", "5" + lines[1]])

    def shown_fix(self, name, file, lines, kind, code=None, **places):
        """The fix as a difference, of a story whose source is `lines`, from line 4 on."""
        self.page.complaints.clear()
        path = write(self.folder.name, name, traces.story())

        def change(data):
            report, page = data["processes"][0].values()
            page["sources"] = [[file, [item for n, line in enumerate(lines) for item in (4 + n, line)], False]]
            page["drawings"][0]["code"].update(code or {})
            report["findings"][0].update(fix_id=kind, fix_at={"stream_id": 1, **{key: {"file": file, "line": line} for key, line in places.items()}})

        rewrite(path, change)
        self.page.open(path)
        return self.page.ask("[...document.querySelectorAll('.fix pre div')].map(e => e.textContent)")

    def test_fix_between_two_lines(self):
        shown = self.shown_fix("between", "a.cu", ["first();", "second();", "third();"], "event", after=4, before=5)
        self.assertEqual([line.split("(")[0] for line in shown],
                         ["4first", "+cudaEventRecord", "+cudaStreamWaitEvent", "5second"])

    def test_fix_in_python(self):
        lines = ["for step in range(3):", "    first()", "    second()"]
        code = {"record": "done.record($)", "wait": "$.wait_event(done)"}
        shown = self.shown_fix("python", "a.py", lines, "event", code, after=5, before=6)
        self.assertEqual(shown[2].startswith("+    done.record("), True, shown)
        self.assertEqual(shown[3].endswith(".wait_event(done)"), True, shown)
        self.assertEqual(shown[4:], ["6    second()"])

    def test_no_code_is_guessed(self):
        self.assertEqual(self.shown_fix("plain", "a.py", ["first()", "second()"], "sync_stream", {"streamSync": ""}, before=5), [])

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

    def test_device_time_of_an_operation(self):
        here = os.path.dirname(os.path.abspath(__file__))
        self.open("times", read(os.path.join(here, "..", "traces", "timing", "overlapped.sct.txt")))
        self.page.ask("document.querySelector('canvas').focus()")
        notes = set()
        for key in 4 * ["ArrowLeft"] + 4 * ["ArrowRight"]:
            self.page.key(key)
            notes.add(self.page.ask("document.getElementById('operation').textContent"))
        for times in ("2.0 µs after the call, for 5.0 µs", "2.0 µs after the call, for 9.0 µs"):
            self.assertEqual(sum(times in text for text in notes), 1, notes)

    def test_time_line_is_painted_in_both_schemes(self):
        colors = []
        for scheme, count in (("light", 400), ("dark", 400), ("light", 20000), ("dark", 20000)):
            self.page.scheme(scheme)
            self.open("ops", traces.many_ops(count))
            self.page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            colors.append(self.page.ask(
                "(() => { const c = document.querySelector('canvas'), d = c.getContext('2d')"
                ".getImageData(0, 0, c.width, c.height).data, s = new Set();"
                " for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);"
                " return s.size; })()"))
        self.page.scheme("light")
        self.assertGreater(min(colors), 4)

    def test_one_failure_among_many_operations_is_seen(self):
        lines = traces.many_ops(20000).split("\n")
        lines.insert(9000, "record e99 s3 result=999")
        red = ("(() => { const c = document.querySelector('canvas'), d = c.getContext('2d')"
               ".getImageData(0, 46, c.width, c.height - 46).data, count = [0]; const want = [%s];"
               " for (let i = 0; i < d.length; i += 4) count[0] += want.every((v, n) => d[i + n] === v);"
               " return count[0]; })()")
        counts = []
        for script in (traces.many_ops(20000), "\n".join(lines)):
            self.open("failure", script.replace("copy s20 d <- p 4096\nkernel s21 reads d\n", ""))
            self.page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            color = self.page.ask("getComputedStyle(document.documentElement).getPropertyValue('--error').trim()")
            counts.append(self.page.ask(red % ",".join(str(int(color[i:i + 2], 16)) for i in (1, 3, 5))))
        self.assertEqual(counts[0], 0)
        self.assertGreater(counts[1], 8)

    def test_accessible(self):
        for scheme in ("light", "dark"):
            self.page.scheme(scheme)
            self.open("story", traces.story())
            self.page.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
            with self.subTest(scheme=scheme):
                self.assertEqual(json.loads(self.page.ask(ACCESSIBLE)), [])
        self.page.scheme("light")

    def test_faults_of_accessibility_are_seen(self):
        self.open("story", traces.story())
        self.page.ask("""(() => {
            document.querySelector('main').insertAdjacentHTML('beforeend',
                '<button></button><h6>deep</h6><table><tr><td>x</td></tr></table><p id="top">twice</p>'
                + '<input><p style="color:#888;background:#999">pale</p><i aria-controls="nothing"></i>');
        })()""")
        faults = "\n".join(json.loads(self.page.ask(ACCESSIBLE)))
        for word in ("button has no name", "heading", "caption", "id top", "input has no name", "contrast",
                     "aria-controls"):
            self.assertIn(word, faults)

    def test_every_part_is_reached_by_tab(self):
        self.open("story", traces.story())
        ask, focused = self.page.ask, set()
        ask("document.body.focus()")
        for _ in range(60):
            self.page.key("Tab")
            focused.add(ask("(e => e.id || e.className || e.tagName + ':' + e.textContent.slice(0, 12))"
                            "(document.activeElement)"))
        for part in ("skip", "search", "filter-rule", "find", "CANVAS:"):
            self.assertTrue(any(part in name for name in focused), (part, focused))

    def test_the_missing_order_is_seen_on_a_small_screen(self):
        """Also of operations in the third and fourth lane, and in the wide form once there is room again."""
        lanes = ("stream s1\nstream s2\nstream s3\nalloc d 64\nalloc e 64\nset s1 e 64\nrecord e1 s1\nwait s2 e1\nset s2 d 64\nset s3 d 64\n"
                 "context_sync c1\nexit 0\n")
        shown = ("(() => { const holder = document.querySelector('.detail .scroll'), box = holder.getBoundingClientRect();"
                 " return ['.broken', '.cross', '.crossmark', 'text.name', '.side rect'].map(s => [...holder.querySelectorAll(s)].map(e => e.getBoundingClientRect())"
                 ".map(r => r.left >= box.left && r.right <= box.right && r.right <= innerWidth)); })()")
        for script in (traces.story(), lanes):
            self.open("small", script)
            self.page.size(400, 800)
            self.page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # drawn anew in the next frame
            inside = self.page.ask(shown)
            self.assertEqual([len(each) > 0 for each in inside], [True] * 5, inside)
            self.assertTrue(all(all(each) for each in inside), inside)
            self.assertEqual(json.loads(self.page.ask(ACCESSIBLE)), [])
            self.page.size(1240, 900)
            self.page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.assertGreater(self.page.ask("document.querySelector('.drawing .side rect').getBBox().width"), 200)

    def test_what_findings_of_a_list_share_is_small(self):
        size = "(s => [...document.querySelectorAll('article ' + s)].filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize))[0])"
        for script, most in ((traces.many_findings(200), 1), (traces.many_findings(1), -1)):
            self.open("sizes", script)
            sizes = [self.page.ask(f"{size}('{part}')") for part in (".what", ".apart")]
            self.assertEqual((sizes[1] > sizes[0]) - (sizes[1] < sizes[0]), most, sizes)

    def test_many_findings_are_few_pages(self):
        path = os.path.join(self.folder.name, "many.pdf")
        self.open("pages", traces.many_findings(200))
        self.page.pdf(path)
        with open(path, "rb") as file:
            pages = re.findall(rb"/Type /Page\b", file.read())
        self.assertIn(len(pages), range(1, 11))

    def test_prints_whole(self):
        self.open("story", traces.story())
        path = os.path.join(self.folder.name, "print.pdf")
        self.page.pdf(path)
        self.assertGreater(os.path.getsize(path), 10000)
        self.assertTrue(self.page.ask("matchMedia('print') !== null"))

    def test_processes(self):
        self.page.complaints.clear()
        ranks = [f'process {70 + i} "train" object={1 + i}\n' + traces.many_findings(1 + i) for i in range(3)]
        path = write_joint(self.folder.name, "ranks", ranks)
        ask = self.page.ask
        for hash_, rank, findings in (("", 0, 1), ("#p3", 2, 3)):
            self.page.open("/dev/null")
            self.page.open(path, hash_)
            self.assertIn(f"rank {rank}, ", ask("document.getElementById('command').textContent"))
            self.assertEqual(ask("document.querySelectorAll('article').length"), findings)
            self.assertEqual(ask("document.querySelectorAll('#processes a[aria-current]').length"), 1)
        self.assertIn("3 of 3", ask("document.getElementById('common').textContent"))
        order = ask("[...document.querySelectorAll('main > section')].filter(s => !s.hidden).map(s => s.id)")
        self.assertEqual([part for part in order if part in ("common", "findings", "processes")], ["common", "findings", "processes"])
        rows = ask("[...document.querySelectorAll('.matrix tbody tr')].map(r => [...r.cells].slice(1).map(c => c.textContent).join(''))")
        self.assertEqual(rows, ["●●●", "·●●", "··●"])
        self.assertEqual(ask("[...document.querySelectorAll('.matrix th')].map(h => h.textContent).join(' ')"), "Finding 0 1 2")
        ask("document.querySelector('.matrix tbody tr:last-child a').click()")
        self.page.wait_for_load()
        self.assertIn("rank 2, ", ask("document.getElementById('command').textContent"))
        ask("document.querySelector('#processes a').click()")
        self.page.wait_for_load()
        self.assertIn("rank 0, ", ask("document.getElementById('command').textContent"))

    def test_heading_is_of_the_whole_run(self):
        clean = 'process 70 "train" object=1\nalloc d 64\nset s1 d 64\nstream_sync s1\nexit 0\n'
        ranks = [clean] + [f'process {71 + i} "train" object={2 + i}\n' + traces.many_findings(n) for i, n in enumerate((3, 1))]
        path = write_joint(self.folder.name, "heading", ranks)
        ask = self.page.ask
        for hash_, rank in (("", 1), ("#p1", 0), ("#p2", 1), ("#p3", 2)):
            self.page.open("/dev/null")
            self.page.open(path, hash_)
            self.assertEqual(ask("document.getElementById('verdict').textContent"), "3 proven errors in 3 processes")
            self.assertEqual(ask("document.querySelector('.number.error b').textContent"), "3")
            self.assertIn("3 proven errors", ask("document.title"))
            self.assertIn(f"rank {rank}, ", ask("document.getElementById('command').textContent"))
        verdicts = ask("[...document.querySelectorAll('#processes tbody tr')].slice(0, 3).map(r => r.cells[1].textContent)")
        self.assertEqual(verdicts, ["Nothing found", "3 proven errors", "1 proven error"])

    def test_head_shows_what_any_process_lacks(self):
        ranks = [f'process {70 + i} "train" object={1 + i}\n' + traces.many_findings(1) for i in range(2)]
        path = write_joint(self.folder.name, "gaps", [ranks[0], ranks[1] + 'lost 5 "no room"\n'])
        self.page.open("/dev/null")
        self.page.open(path)
        gaps = self.page.ask("document.getElementById('gaps').textContent")
        self.assertIn("rank 1, process 71: Incomplete: 5 events lost", gaps)
        self.assertNotIn("rank 0", gaps)

    def test_pairs_of_closed_kernels_are_one_card(self):
        self.open("closed", traces.closed_kernels())
        ask = self.page.ask
        self.assertEqual(ask("[...document.querySelectorAll('article .sure')].map(e => e.textContent)"),
                         ["likely", "possible · 3 findings", "possible"])
        self.assertIn("5 findings", ask("document.getElementById('shown').textContent"))
        ask("document.querySelectorAll('article button[aria-controls]')[1].click()")
        self.assertEqual(ask("document.querySelectorAll('article details.more').length"), 2)
        self.assertIn("streamcheck verify", ask("document.querySelectorAll('article .facts')[1].textContent"))
        last = ask("document.querySelectorAll('article details.more')[1].id")[2:]
        self.page.open(write(self.folder.name, "linked", traces.closed_kernels()), "#f-" + last)
        self.assertTrue(ask(f"document.getElementById('f-{last}').open"))
        ask("new Promise(done => setTimeout(done))")
        self.assertIn("First", ask(f"document.getElementById('f-{last}').textContent"))
        self.assertEqual(json.loads(ask(ACCESSIBLE)), [])

    def test_what_has_one_cause_is_one_card(self):
        self.open("cause", traces.one_cause())
        ask = self.page.ask
        self.assertEqual(ask("[...document.querySelectorAll('article .sure')].map(e => e.textContent)"), ["proven · 3 findings", "proven"])
        self.assertIn("4 findings", ask("document.getElementById('shown').textContent"))
        self.assertEqual(ask("[...document.querySelectorAll('article details.more summary')].map(e => e.textContent.split(',')[1])"),
                         [" for the same reason: 2 · SC-106", " for the same reason: 3 · SC-106"])
        self.assertIn("2 edits end these 4 findings: streamcheck repair", ask("document.getElementById('repair').textContent"))
        last = ask("document.querySelectorAll('article details.more')[1].id")[2:]
        ask("document.getElementById('search').value = 'no such word'")
        ask("document.getElementById('search').dispatchEvent(new Event('input'))")
        self.assertEqual(ask("[...document.querySelectorAll('article')].filter(a => !a.hidden).length"), 0)
        self.page.open(write(self.folder.name, "linked", traces.one_cause()), "#f-" + last)
        self.assertTrue(ask(f"document.getElementById('f-{last}').open"))
        ask("new Promise(done => setTimeout(done))")
        self.assertIn("First", ask(f"document.getElementById('f-{last}').textContent"))
        self.assertEqual(json.loads(ask(ACCESSIBLE)), [])

    def test_findings_tried_again(self):
        path = write(self.folder.name, "verified", traces.story())
        rows = [{"rule": "SC-209", "verdict": "proven", "found_rule": "SC-105", "what": traces.HOSTILE}]
        rows += [{"rule": "SC-106", "verdict": "not-decided", "what": "k", "reason": "why"}] * 250
        rewrite(path, lambda data: data["processes"][0]["report"].update(verified={
            "trace": traces.HOSTILE, "proven": 1, "not_decided": 250, "not_seen": 0, "findings": rows}))
        self.page.open(path)
        ask = self.page.ask
        ask("document.querySelector('.verified').open = true")
        self.assertIn("251 findings", ask("document.querySelector('.verified summary').textContent"))
        self.assertEqual(ask("document.querySelectorAll('.verified tbody tr').length"), 200)
        self.assertIn("now SC-105", ask("document.querySelector('.verified tbody tr').textContent"))
        self.assertIn("51 more findings", ask("document.querySelector('.verified').textContent"))
        self.assertEqual(json.loads(ask(ACCESSIBLE)), [])

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
