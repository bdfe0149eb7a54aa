#!/usr/bin/env python3
"""Findings while the program still runs: run --live, --halt-on-error, report PID.

usage: test_live.py PREFIX PROGRAM   (service.cu, which ends when this test tells it to)
"""
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
NOTICE = re.compile(r"^streamcheck: after [\d.]+ s, process (\d+): .*\[SC-(\d+)\]$")


def service_below(process):
    """The child of a process that is the service; another one follows its traces."""
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        for child in file.read().split():
            if os.path.realpath(f"/proc/{child}/exe") == os.path.realpath(PROGRAM):
                return child
    raise AssertionError("no service runs")


def state_of(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0]


class Run:
    """A service under `streamcheck run`; lines of its standard error as they come."""

    def __init__(self, folder, way, *options, device=checked.DEVICE):
        self.process = subprocess.Popen(
            [COMMAND, "run", f"--device={device}", "--html=no", *options, "--", PROGRAM, way], cwd=folder,
            env=checked.environment(PREFIX, device), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.lines, self.said = queue.Queue(), []
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()
        # Whatever happens, no test waits for ever.
        self.watchdog = threading.Timer(checked.TIMEOUT_S, os.killpg, (self.process.pid, signal.SIGKILL))
        self.watchdog.start()
        assert self.process.stdout.readline() == "ready\n"

    def listen(self):
        for line in self.process.stderr:
            self.said.append(line)
            self.lines.put(line)
        self.lines.put(None)

    def notice(self):
        """(process, rule) of the next notice; None if there is none before the program's end."""
        while (line := self.lines.get()) is not None:
            match = NOTICE.match(line.rstrip("\n"))
            if match:
                return int(match[1]), int(match[2])
        return None

    def end(self):
        """(exit code, standard output, standard error), told to end unless it has."""
        try:
            self.process.stdin.write("end\n")
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        out = self.process.stdout.read()
        self.process.wait()
        self.listener.join()
        self.watchdog.cancel()
        return self.process.returncode, out, "".join(self.said)


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(self.folder.cleanup)

    def start(self, way, *options):
        run = Run(self.folder.name, way, *options)
        self.addCleanup(run.watchdog.cancel)
        return run

    def test_finding_comes_while_the_program_runs(self):
        run = self.start("writes", "--live=yes")
        self.assertEqual(run.notice()[1], 102)
        self.assertIsNone(run.process.poll())
        code, out, err = run.end()
        self.assertEqual((code, out), (66, "ended\n"), err)
        self.assertIn("1 error, 0 warnings", err)
        self.assertEqual(len(re.findall(r"(?m)^streamcheck: after ", err)), 1)

    def test_finding_of_a_child(self):
        run = self.start("child", "--live=yes")
        process, rule = run.notice()
        self.assertEqual(rule, 102)
        self.assertNotEqual(process, run.process.pid)
        self.assertEqual(run.end()[0], 66)

    def test_clean_program_has_none(self):
        for way in ("clean", "polls"):
            run = self.start(way, "--live=yes")
            try:
                run.process.wait(1.5)  # it serves some hundred requests meanwhile
            except subprocess.TimeoutExpired:
                pass
            code, out, err = run.end()
            self.assertEqual((code, out), (0, "ended\n"), err)
            self.assertNotIn("after ", err)

    def test_suppressed_finding_is_not_said(self):
        path = os.path.join(self.folder.name, "known.supp")
        with open(path, "w", encoding="utf-8") as file:
            file.write("[known here]\nrule = SC-102\n")
        run = self.start("writes", "--live=yes", f"--suppressions={path}")
        try:
            run.process.wait(1.5)
        except subprocess.TimeoutExpired:
            pass
        code, _, err = run.end()
        self.assertEqual(code, 0, err)
        self.assertNotIn("after ", err)

    def test_halt(self):
        run = self.start("writes", "--halt-on-error=yes")
        self.assertEqual(run.notice()[1], 102)
        run.process.wait(checked.TIMEOUT_S)  # nobody told it to end
        code, out, err = run.end()
        self.assertEqual((code, out), (66, ""), err)
        self.assertIn("halt-on-error: process", err)
        self.assertIn("SC-102", err)

    def test_stop(self):
        run = self.start("writes", "--halt-on-error=stop")
        service = int(run.notice()[0])
        for process in (service, run.process.pid):  # the command stops along with its program
            while state_of(process) != "T":  # the watchdog ends a test that waits in vain
                time.sleep(0.01)
        os.kill(run.process.pid, signal.SIGCONT)  # it lets the program go on, as a shell's fg does
        code, out, err = run.end()
        self.assertEqual((code, out), (66, "ended\n"), err)
        self.assertIn(f"gdb -p {service}", err)

    def test_report_of_a_running_process(self):
        run = self.start("writes", "--live=yes")
        process, _ = run.notice()
        for way, rule, code, asked in (("json", None, 66, process), ("text", "SC-102", 66, process), ("text", "SC-102", 66, run.process.pid)):
            done = subprocess.run([COMMAND, "report", "--html=no", f"--format={way}", "--output=out", str(asked)],
                                  cwd=self.folder.name, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            with open(os.path.join(self.folder.name, "out"), encoding="utf-8") as file:
                text = file.read()
            if rule:
                self.assertIn("the process is still running, and this is what it did so far", text)
                self.assertIn(rule, text)
            else:
                report = json.loads(text)
                self.assertEqual([f["rule"] for f in report["findings"]], ["SC-102"])
                self.assertFalse(report["coverage"]["closed"])
                self.assertTrue(report["complete"])
        self.assertIsNone(run.process.poll())
        self.assertEqual(run.end()[0], 66)

    def test_report_of_a_clean_process(self):
        run = self.start("clean", "--live=yes")
        done = subprocess.run([COMMAND, "report", service_below(run.process.pid)], cwd=self.folder.name, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 errors", done.stderr)
        self.assertEqual(run.end()[0], 0)

    def test_report_of_none(self):
        for words, said in ((["report"], "no process id given"), (["report", "x"], "is no process id"),
                            (["report", str(os.getpid())], "writes no trace"),
                            (["report", "4194305"], "there is no process")):
            done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
