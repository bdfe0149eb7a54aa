#!/usr/bin/env python3
"""What `run --confirm` says of pairs that nothing orders, and what it leaves as it was.

usage: test_confirm.py PREFIX PROGRAM   (pairs.cu, see there for its arguments)
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

import checked
import schema

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "..", "docs", "user", "json-report.schema.json")
PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
ZERO = "00 00 00 00"


def words(value):
    """Four times the 32-bit number, as reports show it."""
    return " ".join([f"{value:02x} 00 00 00"] * 4)


class Run:
    """One run under streamcheck, in a folder of its own for temporary files."""

    def __init__(self, scenario, *options, schedule=None, stdin=subprocess.DEVNULL, confirm=True):
        with tempfile.TemporaryDirectory() as folder:
            env = checked.environment(PREFIX, "sim", schedule)
            env["TMPDIR"] = os.path.join(folder, "tmp")
            os.mkdir(env["TMPDIR"])
            report = os.path.join(folder, "report.json")
            html = os.path.join(folder, "report.html")
            command = [os.path.join(PREFIX, "bin", "streamcheck"), "run", "--device=sim",
                       f"--report=json:{report}", f"--report=html:{html}",
                       *(["--confirm"] if confirm else []), *options, "--", PROGRAM, scenario]
            done = subprocess.run(command, env=env, cwd=HERE, stdin=stdin, timeout=checked.TIMEOUT_S,
                                  capture_output=True, check=False)
            self.code = done.returncode
            self.out = done.stdout.decode()
            self.text = done.stderr.decode()
            self.left = os.listdir(env["TMPDIR"])
            self.report = checked.read_report(report)
            with open(html, encoding="utf-8") as file:
                self.html = file.read()

    @property
    def findings(self):
        processes = self.report.get("processes", [self.report])
        return [finding for process in processes for finding in process["findings"]]

    @property
    def reruns(self):
        return [f["reruns"] for f in self.findings if "reruns" in f]


class Confirm(unittest.TestCase):
    """Each scenario is a program with one unordered pair, unless it says otherwise."""

    def one(self, scenario, *options, **more):
        run = Run(scenario, *options, **more)
        self.assertEqual(len(run.reruns), 1, run.text)
        self.assertEqual(run.left, [])
        self.assertIn(run.reruns[0]["text"].split(":")[0], run.text)
        return run.reruns[0]

    def confirmed(self, rerun, shown, first, second, offset=0):
        self.assertEqual(rerun["verdict"], "confirmed", rerun)
        self.assertEqual((rerun["shown"], rerun["offset"]), (shown, offset), rerun)
        self.assertEqual((rerun["first"], rerun["second"]), (first, second), rerun)
        self.assertIn(shown, rerun["differs"])

    def not_tried(self, rerun, reason):
        self.assertEqual(rerun["verdict"], "not-tried", rerun)
        self.assertIn(reason, rerun["text"])
        self.assertEqual(rerun["compared"], [])

    def test_two_kernels_write_different_values(self):
        for schedule in (None, "eager", "random:1", "random:2", "lazy"):
            rerun = self.one("different", schedule=schedule)
            self.confirmed(rerun, "memory", words(0x22), words(0x11))
            self.assertEqual(rerun["differs"], ["memory", "copy"])

    def test_two_kernels_write_equal_values(self):
        rerun = self.one("equal")
        self.assertEqual(rerun["verdict"], "no-difference")
        self.assertEqual(rerun["compared"], ["memory", "copy", "output", "exit"])
        self.assertNotIn("shown", rerun)

    def test_output_and_exit_code(self):
        self.assertEqual(self.one("prints")["differs"], ["memory", "copy", "output"])
        self.assertEqual(self.one("exits")["differs"], ["memory", "copy", "exit"])

    def test_what_differs_anyway_confirms_nothing(self):
        rerun = self.one("unsteady")
        self.assertEqual(rerun["verdict"], "no-difference")
        self.assertEqual(rerun["unsteady"], ["output"])
        self.assertNotIn("output", rerun["compared"])

    def test_scatters(self):
        self.confirmed(self.one("scatters"), "memory", words(0x55), words(0x44), 4 * 32)

    def test_the_host_reads_too_early(self):
        self.confirmed(self.one("read_early"), "host", ZERO, "66 00 00 00")

    def test_the_host_writes_too_early(self):
        self.confirmed(self.one("write_early"), "read", "66 00 00 00", "77 00 00 00")

    def test_host_and_device_write(self):
        self.confirmed(self.one("both_write"), "memory", "77 00 00 00", ZERO)

    def test_pageable_memory(self):
        for schedule in ("eager", "lazy"):
            rerun = self.one("pageable", schedule=schedule)
            self.confirmed(rerun, "copy", " ".join([ZERO] * 4),
                           " ".join(["66 00 00 00"] + [ZERO] * 3))

    def test_a_node_of_a_graph(self):
        self.confirmed(self.one("graph"), "memory", words(0x22), words(0x11))

    def test_two_nodes_of_a_graph(self):
        self.confirmed(self.one("nodes"), "memory", words(0x22), words(0x11))

    def test_an_order_that_cannot_be_made(self):
        self.not_tried(self.one("handed_over", "--hosts=strict"), "the program waits for one")

    def test_an_order_in_which_the_program_hangs(self):
        self.not_tried(self.one("endless"), "did not end in")

    def test_standard_input_from_a_file(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"skipped\n17 18\n")
            file.flush()
            os.lseek(file.fileno(), len(b"skipped\n"), os.SEEK_SET)
            self.confirmed(self.one("input", stdin=file), "memory", words(18), words(17))

    def test_standard_input_from_a_pipe(self):
        reading, writing = os.pipe()
        os.write(writing, b"17 18\n")
        os.close(writing)
        with os.fdopen(reading) as pipe:
            run = Run("input", stdin=pipe)
        self.assertIn("standard input is a pipe", run.text)
        self.not_tried(run.reruns[0], "took another path")

    def test_several_processes(self):
        run = Run("twice")
        self.assertEqual(len(run.reruns), 2)
        for rerun in run.reruns:
            self.not_tried(rerun, "several processes")
        self.assertEqual(run.left, [])

    def test_a_run_that_was_interrupted(self):
        """The program is not run again by somebody who has just ended it."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            command = [os.path.join(PREFIX, "bin", "streamcheck"), "run", "--device=sim",
                       f"--report=json:{report}", "--html=no", "--confirm", "--", PROGRAM, "waits"]
            with subprocess.Popen(command, env=checked.environment(PREFIX, "sim"), cwd=HERE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                self.assertEqual(process.stdout.readline(), b"waiting\n")
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=checked.TIMEOUT_S)
            found = checked.read_report(report)["findings"]
        self.not_tried([f["reruns"] for f in found if "reruns" in f][0], "ended by a signal")

    def test_many_findings(self):
        run = Run("many")
        verdicts = [rerun["verdict"] for rerun in run.reruns]
        self.assertEqual(verdicts, ["no-difference"] * 16 + ["not-tried"] * 2)

    def test_findings_stay_as_they_are(self):
        """Findings, exit code and the program's own output are those without the option."""
        for scenario in ("equal", "prints", "read_early"):
            with_it = Run(scenario, schedule="lazy")
            without = Run(scenario, schedule="lazy", confirm=False)
            self.assertEqual(without.reruns, [])
            self.assertEqual(with_it.code, without.code)
            self.assertEqual(with_it.out, without.out)
            for key in ("rule", "severity", "confidence", "identity", "fingerprint", "count"):
                self.assertEqual([f[key] for f in with_it.findings],
                                 [f[key] for f in without.findings])

    def test_the_text_is_the_golden_one(self):
        lines = Run("different", "--html=no").text.splitlines(keepends=True)
        got = "".join(line for line in lines if line.startswith("  reruns:"))
        with open(os.path.join(HERE, "different.txt"), encoding="utf-8") as file:
            self.assertEqual(got, file.read())

    def test_json_is_as_its_schema_says(self):
        with open(SCHEMA, encoding="utf-8") as file:
            validator = schema.Validator(json.load(file))
        for scenario in ("different", "equal", "exits", "graph", "unsteady"):
            validator.check(Run(scenario).report)
        self.assertEqual((validator.wrong, validator.unnamed), ([], set()))

    def test_html_has_it(self):
        self.assertIn("confirmed: bytes 0–15 of the memory are left as 22 00 00 00", Run("different").html)

    def test_it_needs_the_simulated_device(self):
        for options in (["--device=gpu"], ["--device=sim", "--analyze=no"]):
            done = subprocess.run([os.path.join(PREFIX, "bin", "streamcheck"), "run", *options,
                                   "--confirm", "--", PROGRAM, "equal"],
                                  capture_output=True, check=False, timeout=checked.TIMEOUT_S)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"option confirm", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
