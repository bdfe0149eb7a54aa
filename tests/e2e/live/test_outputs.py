#!/usr/bin/env python3
"""What a run shows while it goes on: lines of JSON, a status row, reports on SIGUSR1, a page that is made anew.

usage: test_outputs.py PREFIX RACY FIXED   (both of testcases/live/live_service.cu)
"""
import json
import os
import re
import signal
import sys
import tempfile
import unittest

import checked
import followed
import screen

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "formats"))
import schema  # pylint: disable=wrong-import-position

PREFIX, RACY, FIXED = map(os.path.abspath, sys.argv[1:4])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
PLENTY = 120  # requests after which the mistake has been made


def complaints(line):
    with open(os.path.join(ROOT, "docs", "user", "json-report.schema.json"), encoding="utf-8") as file:
        whole = json.load(file)
    kind = f"#/$defs/live_{line['kind']}"
    return schema.complaints(line, {"$defs": {**whole["$defs"], "report_again": {}}, "$ref": kind}, name_all=True)


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, program, *options, **more):
        run = followed.Followed(PREFIX, program, self.folder, *options, **more)
        self.addCleanup(run.watchdog.cancel)
        self.addCleanup(run.kill)
        return run

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def lines(self, name="live.jsonl"):
        """The whole lines so far; each must be JSON."""
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]
        except FileNotFoundError:
            return []

    def first(self, kind):
        return followed.until(lambda: [line for line in self.lines() if line["kind"] == kind], kind)[0]

    def test_finding_comes_as_json_while_the_service_runs(self):
        run = self.start(RACY, "--live-output=live.jsonl", "--html=no", "--report=json:end.json")
        run.serve(50)  # nothing wrong so far
        self.first("status")
        self.assertEqual({line["kind"] for line in self.lines()}, {"status"})
        run.serve(PLENTY)
        line = self.first("finding")
        self.assertIsNone(run.process.poll())
        self.assertEqual(line["process"], run.service)
        code, _, err = run.end()
        self.assertEqual(code, 66, err)
        self.assertNotIn("after ", err)  # the lines for people were not asked for
        lines = self.lines()
        for each in lines:
            self.assertEqual(list(complaints(each)), [])
        self.assertEqual([each["kind"] for each in lines].count("summary"), 1)
        self.assertEqual(lines[-1]["kind"], "summary")
        self.assertEqual([each["kind"] for each in lines].count("finding"), 1)
        with open(self.path("end.json"), encoding="utf-8") as file:
            whole = [f for f in json.load(file)["findings"] if f["severity"] == "error"]
        for member in ("rule", "severity", "confidence", "identity", "fingerprint", "causes", "order_id"):
            self.assertEqual(line["finding"][member], whole[0][member], member)
        (counted,) = lines[-1]["findings"]
        self.assertEqual((counted["rule"], counted["count"]), ("SC-102", whole[0]["count"]))
        self.assertEqual(counted["fingerprint"], whole[0]["fingerprint"])
        self.assertEqual((lines[-1]["errors"], lines[-1]["warnings"]), (1, 0))
        self.assertGreater(lines[-1]["operations"], 500)

    def test_fixed_service_has_no_finding(self):
        run = self.start(FIXED, "--live-output=live.jsonl", "--html=no")
        run.serve(PLENTY)
        self.first("status")
        code, _, err = run.end()
        self.assertEqual(code, 0, err)
        self.assertEqual({line["kind"] for line in self.lines()}, {"status", "summary"})
        self.assertEqual(self.lines()[-1]["findings"], [])

    def test_lines_and_output_of_the_program_share_a_pipe(self):
        run = self.start(RACY, "--live-output=-", "--html=no")
        run.request(PLENTY)
        code, out, err = run.end()
        self.assertEqual(code, 66, err)
        kinds = [json.loads(line)["kind"] for line in out.splitlines() if line.startswith("{")]
        self.assertEqual((kinds.count("finding"), kinds[-1]), (1, "summary"))
        plain = [line for line in out.splitlines() if not line.startswith("{")]
        self.assertEqual(len([line for line in plain if re.fullmatch(r"request \d+", line)]), PLENTY)

    def test_file_that_cannot_be_written(self):
        for path, why in (("no/such/live.jsonl", "No such file"), (".", "Is a directory")):
            result = checked.run([os.path.join(PREFIX, "bin", "streamcheck"), "run", f"--live-output={path}", RACY],
                                 checked.environment(PREFIX, "sim"), cwd=self.folder)
            self.assertEqual(result[0], 2)
            self.assertIn(f"option live-output: cannot write {path}: {why}", result[2])

    def test_report_on_signal(self):
        for number in (1, 2):
            run = self.start(RACY, "--live=yes", "--html=no")
            run.serve(PLENTY)
            followed.until(lambda: "after " in "".join(run.said), "the finding")  # pylint: disable=cell-var-from-loop
            os.kill(run.process.pid, signal.SIGUSR1)
            name = f"report.{run.process.pid}.1"
            followed.until(lambda: f"{name}.txt and " in "".join(run.said), "the report")  # pylint: disable=cell-var-from-loop
            self.assertIsNone(run.process.poll())
            self.assertEqual(run.serve(1), [f"request {PLENTY + 1}\n"])  # the service did not notice
            with open(self.path("streamcheck-reports", name + ".txt"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("the process is still running, and this is what it did so far", text)
            self.assertIn("error SC-102", text)
            with open(self.path("streamcheck-reports", name + ".html"), encoding="utf-8") as file:
                page = file.read()
            self.assertIn("SC-102", page)
            self.assertNotIn('http-equiv="refresh"', page)
            self.assertEqual(run.end()[0], 66)
            self.assertEqual(len(os.listdir(self.path("streamcheck-reports"))), 1 + 2 * number)

    def test_signal_without_follower_is_the_programs(self):
        run = self.start(RACY, "--html=no")
        os.kill(run.process.pid, signal.SIGUSR1)
        run.process.wait(checked.TIMEOUT_S)
        self.assertEqual(run.process.returncode, 128 + signal.SIGUSR1)

    def test_page_is_made_anew_until_the_end(self):
        run = self.start(RACY, "--live-html=page.html", "--html=no")
        run.serve(PLENTY)

        def page():
            try:
                with open(self.path("page.html"), encoding="utf-8") as file:
                    return file.read()
            except FileNotFoundError:
                return ""

        now = followed.until(lambda: "host-write-in-flight" in page() and page(), "a page with the finding")
        self.assertTrue(now.startswith("<!DOCTYPE html>") and now.rstrip().endswith("</html>"))
        self.assertRegex(now, r'<noscript><meta http-equiv="refresh" content="\d+"></noscript>')
        self.assertRegex(now, r'"refresh":\d+')
        self.assertIsNone(run.process.poll())
        run.serve(1)
        followed.until(lambda: page() != now, "another page")
        self.assertEqual(run.end()[0], 66)
        self.assertIn("host-write-in-flight", page())
        self.assertNotIn('http-equiv="refresh"', page())
        self.assertNotRegex(page(), r'"refresh":\d')
        self.assertEqual(os.listdir(self.folder), ["page.html"])  # and nothing beside it

    def test_status_row(self):
        shown = screen.Screen(12, 100)
        terminal = followed.Terminal(shown.feed, 12, 100)
        run = self.start(RACY, "--live=yes", "--html=no", "--color=never", terminal=terminal)
        run.request(PLENTY)
        followed.until(lambda: any("1 error, 0 warnings" in line for line in shown.seen), "the row")
        self.assertEqual(shown.bottom, shown.rows - 2)  # what the program prints scrolls above it
        code, _, _ = run.end()
        terminal.close()
        self.assertEqual(code, 66)
        row = re.compile(r"streamcheck: \d+ operations?, \d+ errors?, \d+ warnings?, trace [\d.]+ MiB, \d+ operations? behind")
        for line in shown.seen:
            if line.startswith("streamcheck: ") and "operations," in line:
                self.assertRegex(line, row)
        lines = shown.lines()
        self.assertEqual([line for line in lines if line.startswith("request ")],
                         [f"request {i + 1}" for i in range(PLENTY)])  # readable, each a line of its own
        self.assertTrue(any(re.match(r"streamcheck: after [\d.]+ s, process \d+: ", line) for line in lines))
        self.assertFalse(any(row.search(line) for line in lines))  # it is gone
        self.assertEqual((shown.top, shown.bottom), (0, shown.rows - 1))

    def test_terminal_after_the_follower_was_killed(self):
        shown = screen.Screen(12, 100)
        terminal = followed.Terminal(shown.feed, 12, 100)
        run = self.start(RACY, "--live=yes", "--html=no", "--color=never", terminal=terminal)
        run.request(PLENTY)
        followed.until(lambda: any("1 error, 0 warnings" in line for line in shown.seen), "the row")
        os.kill(run.follower, signal.SIGKILL)
        code, _, _ = run.end()
        terminal.close()
        self.assertEqual(code, 66)  # of the report, as always
        self.assertEqual((shown.top, shown.bottom), (0, shown.rows - 1))
        self.assertFalse(any("operations behind" in line for line in shown.lines()))
        self.assertTrue(any("the process that follows the traces ended early" in line for line in shown.lines()))

    def test_signal_to_the_follower(self):
        run = self.start(RACY, "--halt-on-error=stop", "--format=json", "--output=end.json")
        run.serve(50)
        os.kill(run.follower, signal.SIGUSR1)
        path = self.path("streamcheck-reports", f"report.{run.process.pid}.1.json")
        followed.until(lambda: os.path.exists(path), "the report")
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual((report["findings"], report["coverage"]["closed"]), ([], False))
        self.assertEqual(run.end()[0], 0)

    def test_no_status_row_without_a_terminal_that_moves_its_cursor(self):
        run = self.start(RACY, "--live=yes", "--html=no")
        run.serve(PLENTY)
        _, out, err = run.end()
        self.assertNotIn("\x1b", out + err)
        terminal = followed.Terminal(lambda text: None)
        run = self.start(RACY, "--live=yes", "--html=no", "--color=never", terminal=terminal, term="dumb")
        run.request(PLENTY)
        followed.until(lambda: b"after " in terminal.data, "the finding")
        run.end()
        terminal.close()
        self.assertNotIn(b"operations behind", terminal.data)

    def test_lines_end_well_when_an_error_halts(self):
        run = self.start(RACY, "--halt-on-error=yes", "--live-output=live.jsonl", "--html=no")
        run.serve(50)
        run.request(PLENTY)
        run.process.wait(checked.TIMEOUT_S)  # nobody told it to end
        self.assertEqual(run.process.returncode, 66)
        self.assertEqual(self.lines()[-1]["kind"], "summary")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
