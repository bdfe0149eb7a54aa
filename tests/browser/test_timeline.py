"""The overview of the HTML report: by time or by order, one process or all. usage: test_timeline.py STREAMCHECK"""
import base64
import json
import os
import sys
import unittest

import browser
import test_html
import traces

HERE = os.path.dirname(os.path.abspath(__file__))
LABEL = "document.querySelector('canvas').getAttribute('aria-label')"
SHOWN = "document.getElementById('operation').textContent"
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
            process = test_html.data_in(test_html.write(folder, "thin", clock.text()))[0]
        self.assertGreater(process["stride"], 1)
        phases = [process["shapes"][shape][2] for shape in list(numbers(process["ops"]))[1::2]]
        waits = [phase for phase in phases if phase]
        self.assertGreater(len(waits), 1000)
        self.assertEqual(waits, [1, 2] * (len(waits) // 2))
        self.assertEqual(len(list(numbers(process["times"]))), len(phases))


class TimeLine(test_html.Paged):
    def open_ranks(self, name, count=3, starts=None):
        self.page.complaints.clear()
        scripts = [traces.timed(rank, starts[rank] if starts else 1000000) for rank in range(count)]
        self.path = test_html.write_joint(self.folder.name, name, scripts)
        self.page.open("/dev/null")
        self.page.open(self.path)

    def open_trace(self, name):
        self.open(name, test_html.read(os.path.join(HERE, "..", "traces", "timing", name + ".sct.txt")))

    def shown_by(self, key, times):
        """What is shown of each operation that a key selects."""
        self.page.ask("document.querySelector('canvas').focus()")
        shown = []
        for _ in range(times):
            self.page.key(key, key if len(key) == 1 else "")
            shown.append(self.page.ask(SHOWN))
        return shown

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
        self.assertIn("not a time scale", ask("document.getElementById('timeline-notes').textContent"))

    def test_device_times_of_a_clean_run(self):
        clock = traces.Clock(0)
        clock.work("kernel s1 f1 writes d", "kernel", 9000)
        clock.wait("s1")
        self.open("clean", clock.text())
        self.assertEqual(self.page.ask("document.querySelectorAll('article').length"), 0)
        self.assertEqual(self.page.ask("document.getElementById('filters').getClientRects().length"), 0)
        shown = self.shown_by("ArrowRight", 12)
        self.assertTrue(any("on the device 2.0 µs after the call, for 9.0 µs" in text for text in shown), shown)

    def lanes(self):
        """The names of the lanes, as they are painted."""
        return self.page.ask(
            "new Promise(done => { const draw = CanvasRenderingContext2D.prototype.fillText, names = [];"
            " CanvasRenderingContext2D.prototype.fillText = function (text, x) { if (x === 8) names.push(text); return draw.apply(this, arguments); };"
            " dispatchEvent(new Event('resize'));"
            " requestAnimationFrame(() => requestAnimationFrame(() => { CanvasRenderingContext2D.prototype.fillText = draw; done(names); })); })")

    def click(self, lane, place):
        """What is shown after a click into a lane, at a part of its width."""
        return self.page.ask(
            f"(() => {{ const c = document.querySelector('canvas'), box = c.getBoundingClientRect(), lanes = {json.dumps(self.lanes())};"
            " const names = document.createElement('canvas').getContext('2d'); names.font = '12px system-ui, sans-serif';"
            " const axis = document.getElementById('scale').value === 'time' ? 44 : 26;"
            " const left = Math.round(Math.min(Math.max(80, ...lanes.map(n => names.measureText(n).width + 20)), 300, 0.42 * c.clientWidth));"
            f" c.dispatchEvent(new MouseEvent('click', {{clientX: box.left + left + {place} * (c.clientWidth - left),"
            f" clientY: box.top + axis + ({lane} + 0.5) * (c.clientHeight - axis - 4) / lanes.length}}));"
            " return document.getElementById('operation').textContent; })()")

    def test_ranges_of_the_program_have_lanes(self):
        self.open("ranged", traces.ranged())
        lanes = self.lanes()
        self.assertEqual(lanes[:6], ["ranges of the process", "host thread 1", "ranges of host thread 1", "ranges of host thread 1, level 2",
                                     "host thread 2", "ranges of host thread 2"])
        self.assertEqual(self.click(0, 0.3).split("range of")[0], "epoch 1")
        self.assertIn("forward <b>range of host thread 1 · took", self.click(3, 0.28))
        self.assertIn("loaderrange of host thread 2 · never ended", self.click(5, 0.9))
        shown = self.shown_by("ArrowRight", 14)
        self.assertTrue(any("kernel" in t and 'in "epoch 1 > step > forward <b>"' in t for t in shown), shown)
        self.page.ask(choose("scale", "order"))
        self.assertEqual(self.lanes()[:6], lanes[:6])
        self.assertIn("range that the program named", self.page.ask("document.querySelector('#timeline .legend').textContent"))
        self.open("timed", traces.timed(0))
        self.assertFalse([name for name in self.lanes() if "ranges" in name])

    def test_too_many_ranges_are_counted(self):
        pushes = "".join(f'range_push "r{i}"\n' for i in range(12))
        self.open("deep", pushes + "alloc d 64\nset s1 d 64\n" + "range_pop\n" * 12 + 'range_push "last"\nstream_sync s1\nrange_pop\nexit 0\n')
        self.assertEqual(len([name for name in self.lanes() if "ranges" in name]), 8)
        self.assertIn("4 ranges of the program not shown", self.page.ask("document.getElementById('timeline-notes').textContent"))

    def test_key_changes_the_scale_and_keeps_the_selection(self):
        self.open("timed", traces.timed(0))
        shown = self.shown_by("n", 1)[0]
        self.assertRegex(shown, "called .* after the first call · on the device .* after the call, for ")
        self.page.key("t", "t")
        self.assertIn("by the order", self.page.ask(LABEL))
        self.assertEqual(self.page.ask(SHOWN), shown)

    def test_order_where_there_are_no_times(self):
        self.open("story", traces.story())
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scale').value"), "order")
        self.assertTrue(ask("document.querySelector('#scale option[value=time]').disabled"))
        self.shown_by("t", 1)
        self.assertIn("by the order", ask(LABEL))
        self.assertIn("The trace has no times", ask("document.getElementById('timeline-notes').textContent"))

    def test_calls_without_device_times_can_be_placed_by_time(self):
        self.open("calls", "alloc d 64 time_ns=5000\nset s1 d 64 time_ns=7000\nexit 0 time_ns=9000\n")
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scale').value"), "order")
        ask(choose("scale", "time"))
        self.assertIn("by time", ask(LABEL))
        self.assertIn("device-times=yes records them", ask("document.getElementById('timeline-notes').textContent"))
        self.assertEqual(sum("called 2.0 µs after the first call" in t for t in self.shown_by("ArrowRight", 3)), 1)

    def test_all_processes_on_one_clock(self):
        self.open_ranks("ranks")
        ask = self.page.ask
        self.assertEqual(ask("document.getElementById('scope').value"), "all")
        self.assertRegex(ask(LABEL), "in 15 lanes, by time$")
        shown = self.shown_by("n", 6)
        for rank in range(3):
            self.assertEqual(sum(f"rank {rank}, process" in text for text in shown), 2, shown)
        self.assertNotIn("several machines", ask("document.getElementById('timeline-notes').textContent"))
        ask(choose("scope", "one"))
        self.assertRegex(ask(LABEL), "in 5 lanes, by time$")

    def test_from_an_operation_to_the_finding_of_another_process(self):
        self.open_ranks("links")
        shown = self.shown_by("n", 6)
        at = next(i for i, text in enumerate(shown) if "rank 2, process" in text)
        self.shown_by("n", 1 + at)
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
        ranks = [self.page.ask(SHOWN)] + self.shown_by("ArrowRight", 3)
        self.assertEqual(["rank 1" in text for text in ranks], [False, True, False, True])

    def test_several_machines_are_distinguished(self):
        self.open_ranks("machines")
        test_html.rewrite(self.path, lambda data: data["processes"][1]["page"].update(boot=data["processes"][1]["page"]["boot"] + 500))
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
