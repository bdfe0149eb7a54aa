#!/usr/bin/env python3
"""streamcheck top: what a process has in flight, as text and on a terminal.

usage: test_top.py PREFIX PROGRAM   (waiting.cu; and testcases/live/live_service.cu, built beside)
"""
import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
import termios
import unittest

import checked
import followed
import screen

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
SERVICE = os.path.join(os.path.dirname(PREFIX), "testcases", "sim", "live_service")
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "waiting.cu")


# A trace by its head, of the process itself; but its operations are of a size that there never was.
MAPS = """
import mmap, os, struct, sys
head = bytearray.fromhex(sys.argv[2])
struct.pack_into("<II", head, 12, 1, os.getpid())
with open(sys.argv[1], "w+b") as file:
    file.write(head)
    file.flush()
    kept = mmap.mmap(file.fileno(), len(head))
print("mapped", flush=True)
sys.stdin.read()
"""


def trace_of(process):
    with open(f"/proc/{process}/maps", encoding="utf-8") as maps:
        return next((line.split()[-1] for line in maps if line.rstrip().endswith(".sct")), None)


def line_of(mark):
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if f"// @{mark}" in line)


def own(terminal):
    """Makes a terminal the own one of a new process, so that its keys become signals."""
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def once(*processes):
    done = subprocess.run([COMMAND, "top", *map(str, processes)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Top(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, program, *options):
        # each operation runs at the last moment: the host function in the wait
        run = followed.Followed(PREFIX, program, self.folder, "--html=no", *options, extra={"STREAMCHECK_SIM_SCHEDULE": "lazy"})
        self.addCleanup(run.watchdog.cancel)
        self.addCleanup(run.kill)
        return run

    def test_host_waits_for_a_stream(self):
        self.check_wait()

    def test_follower_says_the_same(self):
        self.check_wait("--live=yes")

    def check_wait(self, *options):
        run = self.start(PROGRAM, *options)
        wait = re.compile(r"^thread 1 +cudaStreamSynchronize +for [\d.]+ (ms|s|min) at .*waiting\.cu:" + str(line_of("wait")) + "$", re.M)
        text = followed.until(lambda: (t := once(run.service)) and wait.search(t) and t, "the wait")
        self.assertRegex(text.splitlines()[0], rf"^process {run.service}: .*waiting, since ")
        self.assertIn("findings: 0 errors, 0 warnings, 0 possible", text)
        self.assertIn("memory: device 1.0 MiB in 2", text)
        self.assertRegex(text, rf'(?m)^stream \d+ "requests" +3 +0 +3  twice\(float\*, int\) at .*waiting\.cu:{line_of("launch")}$')
        self.assertRegex(text, r"(?m)^stream \d+ +2 +2 +0  cudaMemsetAsync at ")
        self.assertNotIn("\x1b", text)  # of the hostile name
        self.assertNotIn("\x07", text)
        self.assertRegex(text, r'(?m)^stream \d+ "\?\[2J\?\]0;gone\? and')
        run.request(1)
        self.assertEqual(run.process.stdout.readline(), "waited\n")
        text = followed.until(lambda: (t := once(run.service)) and re.search(r"thread 1 +-$", t, re.M) and t, "no wait")
        self.assertRegex(text, r'(?m)^stream \d+ "requests" +3 +3 +0  twice')
        self.assertIn("memory: device 16.0 KiB in 1", text)
        self.assertEqual(run.end()[0], 0)

    def test_findings_are_counted(self):
        run = self.start(SERVICE)
        run.serve(50)
        self.assertIn("findings: 0 errors", once(run.service))
        run.serve(100)
        self.assertIn("findings: 1 error, 0 warnings, 0 possible", once(run.service))
        self.assertEqual(run.end()[0], 66)

    def test_several_processes(self):
        """By their ids, or by what started them; those that end are left out."""
        for options in (), ("--live=yes",):
            first, second = self.start(PROGRAM, *options), self.start(PROGRAM)
            both = once(first.service, second.service)
            heads = [line for line in both.splitlines() if line.startswith("process ")]
            self.assertEqual([int(re.match(r"process (\d+)", line)[1]) for line in heads], [first.service, second.service])
            self.assertEqual(both.count('"requests"'), 2)
            self.assertIn(f"process {first.service}: ", once(first.process.pid))
            known = second.service
            shown, terminal, top, before = self.watch(first.process.pid, known)
            followed.until(lambda: sum("process " in line for line in shown.lines()) == 2, "both")  # pylint: disable=cell-var-from-loop
            first.request(1)
            self.assertEqual(first.end()[0], 0)
            followed.until(lambda: sum("process " in line for line in shown.lines()) == 1, "the other one")  # pylint: disable=cell-var-from-loop
            self.assertTrue(any(f"process {known}: " in line for line in shown.lines()))
            second.request(1)
            self.assertEqual(second.end()[0], 0)
            self.assertEqual(self.finish(shown, terminal, top, before), 0)

    def test_trace_of_another_that_makes_no_sense(self):
        """Of the processes that one started those are shown whose traces can be read."""
        run = self.start(PROGRAM)
        path = followed.until(lambda: trace_of(run.service), "the trace")
        with open(path, "rb") as trace:
            head = trace.read(4096)
        child = subprocess.Popen([sys.executable, "-c", MAPS, os.path.join(self.folder, "odd.sct"), head.hex()],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.communicate)
        self.assertEqual(child.stdout.readline(), "mapped\n")
        text = followed.until(lambda: (t := once(os.getpid())) and f"process {run.service}:" in t and t, "the other one")
        self.assertNotIn(f"process {child.pid}", text)
        done = subprocess.run([COMMAND, "top", str(child.pid)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("top: cannot read ", done.stderr)

    def test_follower_that_is_stopped(self):
        run = self.start(PROGRAM, "--live=yes")
        os.kill(run.follower, signal.SIGSTOP)
        done = subprocess.run([COMMAND, "top", str(run.service)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did not answer within 5 s", done.stderr)
        os.kill(run.follower, signal.SIGCONT)
        self.assertIn(f"process {run.service}: ", once(run.service))
        run.request(1)
        self.assertEqual(run.end()[0], 0)

    def test_process_that_is_none(self):
        for words, said in (([], "no process id given"), (["x"], "is no process id"), (["0"], "is no process id"),
                            ([str(os.getpid())], "writes no trace"), (["4194305"], "there is no process")):
            done = subprocess.run([COMMAND, "top", *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)

    def watch(self, *processes, rows=20, columns=100):
        shown = screen.Screen(rows, columns)
        terminal = followed.Terminal(shown.feed, rows, columns)
        before = termios.tcgetattr(terminal.slave)
        top = subprocess.Popen([COMMAND, "top", *map(str, processes)], stdin=terminal.slave, stdout=terminal.slave,
                               stderr=subprocess.PIPE, text=True, env={**os.environ, "TERM": "xterm"},
                               preexec_fn=lambda: own(terminal.slave))
        self.addCleanup(top.kill)
        return shown, terminal, top, before

    def finish(self, shown, terminal, top, before):
        top.wait(checked.TIMEOUT_S)
        self.assertEqual(top.stderr.read(), "")
        top.stderr.close()
        self.assertEqual(termios.tcgetattr(terminal.slave), before)
        terminal.close()
        self.assertNotIn(1049, shown.modes)  # the screen that was there before
        self.assertIn(25, shown.modes)  # and the cursor
        return top.returncode

    def test_terminal_is_given_back(self):
        run = self.start(PROGRAM)
        for key, number in ((b"q", None), (b"\x03", None), (None, signal.SIGTERM), (None, signal.SIGHUP)):
            shown, terminal, top, before = self.watch(run.service)
            followed.until(lambda: any('"requests"' in line for line in shown.lines()), "the view")  # pylint: disable=cell-var-from-loop
            self.assertIn(1049, shown.modes)
            self.assertNotEqual(termios.tcgetattr(terminal.slave), before)
            if key:
                os.write(terminal.master, key)
            else:
                top.send_signal(number)
            self.assertEqual(self.finish(shown, terminal, top, before), 0)
        run.request(1)
        self.assertEqual(run.end()[0], 0)

    def test_narrow_terminal_and_new_size(self):
        run = self.start(PROGRAM)
        shown, terminal, top, before = self.watch(run.service, rows=8, columns=30)
        followed.until(lambda: any("…" in line for line in shown.lines()), "a line that is cut")
        self.assertEqual(shown.history, [])  # nothing scrolled: no line was too long
        terminal.take = lambda text: None  # what comes from here on is for the larger one
        shown.__init__(30, 200)
        terminal.take = shown.feed
        followed.resize(terminal.master, 30, 200)
        followed.until(lambda: any(re.search(r"twice\(float\*, int\) at .*waiting\.cu:\d+$", line) for line in shown.lines()),
                       "the whole line")
        os.write(terminal.master, b"q")
        shown.modes.add(25)
        self.assertEqual(self.finish(shown, terminal, top, before), 0)
        run.request(1)
        run.end()

    def test_process_ends_meanwhile(self):
        run = self.start(PROGRAM)
        shown, terminal, top, before = self.watch(run.service)
        followed.until(lambda: any('"requests"' in line for line in shown.lines()), "the view")
        os.kill(run.service, signal.SIGKILL)
        self.assertEqual(self.finish(shown, terminal, top, before), 0)
        self.assertTrue(any("has ended" in line for line in shown.lines()), shown.lines())
        self.assertEqual(run.end()[0], 128 + signal.SIGKILL)

    def test_stopped_and_continued(self):
        run = self.start(PROGRAM)
        shown, terminal, top, before = self.watch(run.service)
        followed.until(lambda: any('"requests"' in line for line in shown.lines()), "the view")
        top.send_signal(signal.SIGTSTP)
        followed.until(lambda: 1049 not in shown.modes, "the screen before")
        self.assertEqual(termios.tcgetattr(terminal.slave), before)
        top.send_signal(signal.SIGCONT)
        followed.until(lambda: 1049 in shown.modes, "the view again")
        os.write(terminal.master, b"q")
        self.assertEqual(self.finish(shown, terminal, top, before), 0)
        run.request(1)
        run.end()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
