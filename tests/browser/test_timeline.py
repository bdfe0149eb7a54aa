"""The overview of the HTML report: by time or by order, one process or all. usage: test_timeline.py STREAMCHECK"""
import base64
import html.parser
import json
import os
import sys
import unittest

import browser
import test_html
import traces

HERE = os.path.dirname(os.path.abspath(__file__))
LABEL = "document.querySelector('canvas').getAttribute('aria-label')"
TOLD = "document.getElementById('operation').textContent"
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
PIXELS = "document.querySelector('canvas').toDataURL()"


def choose(name, value):
    return (f"(() => {{ const e = document.getElementById('{name}'); e.value = '{value}';"
            " e.dispatchEvent(new Event('change')); })()")


def numbers(text):
    """Numbers of seven bits a byte, the lowest first."""
    value, scale = 0, 1
    for byte in base64.b64decode(text):
        value += (byte & 127) * scale
        scale *= 128
        if byte < 128:
            yield value
            value, scale = 0, 1


class Data(unittest.TestCase):
    def test_a_thinned_run_keeps_waits_whole(self):
        clock = traces.Clock(0)
        for _ in range(90000):
            clock.work("kernel s1 f1 writes d", "kernel", 10)
            clock.wait("s1")
        with test_html.tempfile.TemporaryDirectory() as folder:
            text = test_html.read(test_html.write(folder, "thin", clock.text()))
        process = json.loads(Script(text).data)["processes"][0]
        self.assertGreater(process["stride"], 1)
        phases = [process["shapes"][shape][2] for shape in list(numbers(process["ops"]))[1::2]]
        waits = [phase for phase in phases if phase]
        self.assertGreater(len(waits), 1000)
        self.assertEqual(waits, [1, 2] * (len(waits) // 2))
        self.assertEqual(len(list(numbers(process["times"]))), len(phases))


class Script(html.parser.HTMLParser):
    """The data of a report."""

    def __init__(self, text):
        super().__init__()
        self.is_data, self.data = False, ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.is_data = tag == "script" and ("type", "application/json") in attrs

    def handle_data(self, data):
        self.data += data if self.is_data else ""


class TimeLine(test_html.Paged):
    def open_ranks(self, name, count=3, starts=None):
        self.page.complaints.clear()
        scripts = [traces.timed(rank, starts[rank] if starts else 1000000) for rank in range(count)]
        self.path = test_html.write_joint(self.folder.name, name, scripts)
        self.page.open("/dev/null")
        self.page.open(self.path)

    def open_trace(self, name):
        self.open(name, test_html.read(os.path.join(HERE, "..", "traces", "timing", name + ".sct.txt")))

    def told_by(self, key, times):
        """What is told of each operation that a key leads to."""
        self.page.ask("document.querySelector('canvas').focus()")
        told = []
        for _ in range(times):
            self.page.key(key, key if len(key) == 1 else "")
            told.append(self.page.ask(TOLD))
        return told

    def test_time_where_device_times_are_known(self):
        self.open("timed", traces.timed(0))
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scale').value"), "time")
        self.assertRegex(ask(LABEL), "in 5 lanes, by time$")  # a thread, two streams, two engines
        ask(PAINTED)
        by_time = ask(PIXELS)
        ask(choose("scale", "order"))
        self.assertRegex(ask(LABEL), "in 3 lanes, by the order of the calls$")
        ask(PAINTED)
        self.assertNotEqual(ask(PIXELS), by_time)
        self.assertIn("no time scale", ask("document.getElementById('timeline-notes').textContent"))

    def test_device_times_of_a_clean_run(self):
        clock = traces.Clock(0)
        clock.work("kernel s1 f1 writes d", "kernel", 9000)
        clock.wait("s1")
        self.open("clean", clock.text())
        self.assertEqual(self.page.ask("document.querySelectorAll('article').length"), 0)
        told = self.told_by("ArrowRight", 12)
        self.assertTrue(any("on the device 2.0 µs after the call, for 9.0 µs" in text for text in told), told)

    def test_key_changes_the_scale_and_keeps_the_selection(self):
        self.open("timed", traces.timed(0))
        told = self.told_by("n", 1)[0]
        self.assertRegex(told, "called .* after the first call · on the device .* after the call, for ")
        self.page.key("t", "t")
        self.assertIn("by the order", self.page.ask(LABEL))
        self.assertEqual(self.page.ask(TOLD), told)

    def test_order_where_there_are_no_times(self):
        self.open("story", traces.story())
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scale').value"), "order")
        self.assertTrue(ask("document.querySelector('#scale option[value=time]').disabled"))
        self.told_by("t", 1)
        self.assertIn("by the order", ask(LABEL))
        self.assertIn("The trace has no times", ask("document.getElementById('timeline-notes').textContent"))

    def test_calls_without_device_times_can_stand_by_time(self):
        self.open("calls", "alloc d 64 time_ns=5000\nset s1 d 64 time_ns=7000\nexit 0 time_ns=9000\n")
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scale').value"), "order")
        ask(choose("scale", "time"))
        self.assertIn("by time", ask(LABEL))
        self.assertIn("device-times=yes records it", ask("document.getElementById('timeline-notes').textContent"))
        self.assertEqual(sum("called 2.0 µs after the first call" in t for t in self.told_by("ArrowRight", 3)), 1)

    def test_all_processes_on_one_clock(self):
        self.open_ranks("ranks")
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scope').value"), "all")
        self.assertRegex(ask(LABEL), "in 15 lanes, by time$")
        told = self.told_by("n", 6)
        for rank in range(3):
            self.assertEqual(sum(f"rank {rank}, process" in text for text in told), 2, told)
        self.assertNotIn("several machines", ask("document.getElementById('timeline-notes').textContent"))
        ask(choose("scope", "one"))
        self.assertRegex(ask(LABEL), "in 5 lanes, by time$")

    def test_from_an_operation_to_the_finding_of_another_process(self):
        self.open_ranks("links")
        told = self.told_by("n", 6)
        at = next(i for i, text in enumerate(told) if "rank 2, process" in text)
        self.told_by("n", 1 + at)
        self.page.ask("document.querySelector('#operation a').click()")
        self.page.wait_for_load()
        self.assertIn("rank 2, ", self.page.ask("document.getElementById('command').textContent"))
        self.assertEqual(self.page.ask("document.activeElement.getAttribute('aria-expanded')"), "true")
        self.assertEqual(self.page.ask("document.getElementById('scope').value"), "one")

    def test_order_of_calls_over_all_processes(self):
        self.open_ranks("interleaved", 2, [1000000, 1000700])
        self.page.ask(choose("scale", "order"))
        self.page.ask("document.querySelector('canvas').focus()")
        self.page.key("Home")
        ranks = [self.page.ask(TOLD)] + self.told_by("ArrowRight", 3)
        self.assertEqual(["rank 1" in text for text in ranks], [False, True, False, True])

    def test_several_machines_are_told_apart(self):
        self.open_ranks("machines")
        text = test_html.read(self.path)
        data = json.loads(Script(text).data)
        data["processes"][1]["boot"] += 500
        start = text.index(">", text.index('<script type="application/json"')) + 1
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text[:start] + json.dumps(data).replace("<", "\\u003c") + text[text.index("</script>", start):])
        self.page.open("/dev/null")
        self.page.open(self.path)
        self.assertIn("several machines", self.page.ask("document.getElementById('timeline-notes').textContent"))

    def test_processes_without_times_are_not_mixed(self):
        self.page.complaints.clear()
        path = test_html.write_joint(self.folder.name, "mixed", [traces.timed(0), "process 9\n" + traces.story().split("\n", 1)[1]])
        self.page.open(path)
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scope').value"), "one")
        self.assertTrue(ask("document.querySelector('#scope option[value=all]').disabled"))
        self.assertIn("Not all processes have times", ask("document.getElementById('timeline-notes').textContent"))

    def test_drawing_of_when_they_ran(self):
        for name, overlaps in (("overlapped", 1), ("apart", 0)):
            self.open_trace(name)
            with self.subTest(name):
                self.assertEqual(self.page.ask("document.querySelectorAll('.times .side').length"), 2)
                self.assertEqual(self.page.ask("document.querySelectorAll('.times .overlap').length"), overlaps)
                self.assertEqual(self.page.ask("[...document.querySelectorAll('dt')].filter(e => e.textContent === 'Timing').length"), 1)
        self.open_trace("without_times")
        self.assertEqual(self.page.ask("document.querySelectorAll('.times').length"), 0)


if __name__ == "__main__":
    test_html.COMMAND = sys.argv.pop(1)
    if not browser.find():
        print("skipped: no chromium")
        sys.exit(test_html.SKIPPED)
    unittest.main(verbosity=2)
