#!/usr/bin/env python3
"""Traces whose space is given back while the program runs: run --live-disk.

usage: test_disk.py PREFIX PROGRAM   (busy.cu)
"""
import glob
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import checked
from bounded import BLOCK, COMMAND, PROGRAM, SMALL, Run, check, findings_of

BOUND = 64 << 20
LONG = 170_000  # rounds of 6 operations
HEAD = 32  # bytes of a file of findings before the first one (cmds/files/follower_findings.c)
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "busy.cu")
with open(SOURCE, encoding="utf-8") as source:
    LINE = next(number for number, text in enumerate(source, 1) if "// @request" in text)


class Disk(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(self.folder.cleanup)

    def start(self, way, bound, *options):
        run = Run(self.folder.name, way, bound, *options)
        self.addCleanup(run.watchdog.cancel)
        return run

    def check(self, *options, rounds, way="races", schedule=None):
        return check(self.folder.name, *options, arguments=(way, str(rounds)), schedule=schedule)

    def test_verdict_is_that_of_the_whole_trace(self):
        lines = os.path.join(self.folder.name, "lines.jsonl")
        whole = self.check("--live=no", rounds=LONG)
        bounded = self.check(f"--live-disk={BOUND}", f"--live-output={lines}", rounds=LONG)
        self.assertGreater(whole[3], 2 * BOUND)
        self.assertLessEqual(bounded[3], BOUND)
        self.assertEqual((whole[0], bounded[0]), (66, 66), bounded[2])
        self.assertEqual([f["rule"] for f in whole[1]["findings"]], ["SC-106"] * 3)
        self.assertEqual(findings_of(bounded[1]), findings_of(whole[1]))
        self.assertEqual(bounded[1]["coverage"], whole[1]["coverage"])
        self.assertGreater(whole[1]["coverage"]["ops"], 1_000_000)
        self.assertTrue(bounded[1]["complete"])
        with open(lines, encoding="utf-8") as file:
            told = [json.loads(line) for line in file]
        self.assertEqual([line["finding"]["rule"] for line in told if line["kind"] == "finding"], ["SC-106"] * 3)
        self.assertEqual(told[-1]["kind"], "summary")

    def test_bytes_that_come_late(self):
        """The simulated device executes launches at the last moment, or at any."""
        for schedule in ("lazy", "random:1"):
            whole = self.check("--live=no", rounds=60_000, schedule=schedule)
            bounded = self.check(f"--live-disk={SMALL}", rounds=60_000, schedule=schedule)
            self.assertGreater(whole[3], SMALL)
            self.assertLessEqual(bounded[3], SMALL)
            self.assertEqual(findings_of(bounded[1]), findings_of(whole[1]))
            self.assertEqual(bounded[1]["coverage"], whole[1]["coverage"])
            self.assertGreater(bounded[1]["coverage"]["exact_launches"], 120_000)

    def test_short_run_is_judged_as_a_whole(self):
        whole = self.check("--live=no", rounds=2000)
        bounded = self.check(f"--live-disk={BOUND}", rounds=2000)
        self.assertEqual(bounded[0], 66, bounded[2])
        self.assertEqual(findings_of(bounded[1]), findings_of(whole[1]))

    def test_processes_share_the_bound(self):
        """Several at a time, and one after the other, whose traces do not stay whole."""
        few = f"{PROGRAM} clean 40000 & " * 3 + "wait; " + f"{PROGRAM} clean 20000; " * 3
        code, report, said, most = check(self.folder.name, f"--live-disk={BOUND}", command=("sh", "-c", few))
        self.assertEqual(code, 0, said)
        self.assertEqual(len(report["processes"]), 6, said)
        for process in report["processes"]:
            self.assertTrue(process["complete"], said)
        # More than twice the bound, as test_verdict_is_that_of_the_whole_trace measures it.
        self.assertGreater(sum(process["coverage"]["ops"] for process in report["processes"]), 6 * LONG)
        self.assertLessEqual(most, BOUND)

    def test_program_waits(self):
        run = self.start("steps", SMALL)
        run.stop_follower()
        run.begin(20_000)
        while not run.is_waiting():
            time.sleep(0.01)
        self.assertGreater(run.used(), SMALL // 2)
        self.assertLessEqual(run.used(), SMALL)
        self.assertIsNone(run.process.poll())
        os.kill(run.follower, signal.SIGCONT)
        self.assertEqual(run.process.stdout.readline(), "done\n")
        code, report, said = run.end()
        self.assertEqual(code, 0, said)
        self.assertTrue(report["complete"], said)
        self.assertGreater(report["coverage"]["ops"], 6 * 20_000)
        self.assertNotIn("left_out", report["coverage"])

    def test_thread_with_a_lock_does_not_wait(self):
        run = self.start("locked", SMALL, "--hosts=strict")
        run.stop_follower()
        run.fill(0.8)
        run.step()
        os.kill(run.follower, signal.SIGCONT)
        run.wait_for(0.6)
        run.step()
        code, report, said = run.end()
        self.assertEqual(code, 0, said)
        self.assertTrue(report["complete"], said)
        self.assertGreater(report["coverage"]["left_out"]["unpaced"], 0)
        self.assertGreater(report["coverage"]["ops"], 6 * run.rounds)

    def command(self, *words, code=0):
        """(standard output, standard error) of a command beside the run."""
        done = subprocess.run([COMMAND, *map(str, words)], cwd=self.folder.name, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def test_top_and_report_while_space_is_given_back(self):
        """The follower says what there is; of a trace with holes nobody else could."""
        run = self.start("steps", SMALL)
        run.say("race")
        while not run.gave_back():
            run.step(20_000)
        for process in run.program, run.process.pid:
            text, count = "", 0
            while count < 3 * run.rounds:  # the follower may be behind; the watchdog ends a test that waits in vain
                text, _ = self.command("top", process)
                self.assertRegex(text, rf"^process {run.program}: .*busy steps, since ")
                self.assertIn("findings: 1 error, 0 warnings", text)
                self.assertRegex(text, r"memory: device 384 bytes in 3, pinned 128 bytes in 1")
                count = int(re.search(r"(?m)^stream 1 +(\d+) +\d+ +\d+  fill\(float\*, float\) at .*busy\.cu:\d+$", text)[1])
            self.assertLess(count, 4 * run.rounds)
        _, said = self.command("report", "--format=json", "--output=now.json", "--report=html:now.html", run.program, code=66)
        self.assertEqual(said, "")
        report = checked.read_report(os.path.join(self.folder.name, "now.json"))
        self.assertFalse(report["coverage"]["closed"])
        self.assertEqual([finding["rule"] for finding in report["findings"]], ["SC-106"])
        self.assertGreaterEqual(report["coverage"]["ops"], 4 * run.rounds)
        with open(os.path.join(self.folder.name, "now.html"), encoding="utf-8") as file:
            self.assertIn("SC-106", file.read())
        _, said = self.command("report", "--fail-on=none", run.program)
        self.assertIn("1 error", said)
        _, said = self.command("report", "--fail-on=nonsense", run.program, code=2)
        self.assertIn("fail-on: unknown level", said)
        path = glob.glob(os.path.join(self.folder.name, "streamcheck*", "*.sct"))[0]
        self.assertIn("option live-disk", self.command("analyze", path, code=2)[1])
        run.step(20_000)
        code, report, said = run.end()
        self.assertEqual(code, 66, said)
        self.assertTrue(report["complete"], said)

    def test_hostile_requests(self):
        """Whoever sends nonsense is not answered, and nothing becomes of it."""
        run = self.start("steps", SMALL)
        while not run.is_followed():
            time.sleep(0.01)
        folder = glob.glob(os.path.join(self.folder.name, "streamcheck*"))[0]
        head = struct.pack("8sIIII", b"SCASK001", 0, 0, 1, 0)
        processes = struct.pack("64i", run.program, *[0] * 63)
        requests = [b"", b"x", bytes(70_000), head, head + processes[:-1], head + processes + b"x"]
        for kind, rows, count, options in ((7, 0, 1, 0), (0, 0, 0, 0), (0, 0, 65, 0), (0, 0, 2, 0), (1, 0, 1, 0), (1, 0, 1, 4), (1, 0, 1, 1 << 31),
                                           (0, 0, 1, 0xffffffff)):
            requests.append(struct.pack("8sIIII", b"SCASK001", kind, rows, count, options) + processes + b"abcd"[:options % 8])
        for request in requests:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asker:
                asker.settimeout(100)
                asker.connect(os.path.join(folder, "ask"))
                asker.send(request)
                self.assertEqual(asker.recv(100), b"", request[:40])
        idle = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(12)]
        for asker in idle:  # they say nothing, and disturb nobody
            asker.connect(os.path.join(folder, "ask"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asker:
            asker.connect(os.path.join(folder, "ask"))
            asker.send(head + struct.pack("64i", 1, *[0] * 63))
            asker.settimeout(100)
            self.assertEqual(struct.unpack("Ii", asker.recv(100)), (2, 1))  # process 1 is not known
        self.assertIn(f"process {run.program}", self.command("top", run.program)[0])
        for asker in idle:
            asker.close()
        run.step()
        code, report, said = run.end()
        self.assertEqual((code, report["complete"]), (0, True), said)

    def test_top_and_report_without_a_follower(self):
        run = self.start("steps", SMALL)
        while not run.gave_back():
            run.step(20_000)
        os.kill(run.follower, signal.SIGKILL)
        while run.is_alive(run.follower):
            time.sleep(0.01)
        self.assertIn("follows it has ended", self.command("top", run.program, code=2)[1])
        _, said = self.command("report", run.program, code=3)
        self.assertIn("judged while the program ran", said)
        run.end()

    def ask(self, run, number):
        """The report that SIGUSR1 asks for, and the page beside it."""
        name = os.path.join("streamcheck-reports", f"report.{run.process.pid}.{number}")
        os.kill(run.process.pid, signal.SIGUSR1)
        while f"{name}.html have what was seen so far" not in run.said():
            self.assertNotIn("no report was written", run.said())
            time.sleep(0.01)
        with open(os.path.join(self.folder.name, name + ".json"), encoding="utf-8") as file:
            report = json.load(file)
        with open(os.path.join(self.folder.name, name + ".html"), encoding="utf-8") as file:
            return report, file.read()

    def test_reports_in_between(self):
        """From what the follower knows, also of what was given back."""
        page = os.path.join(self.folder.name, "now.html")
        run = self.start("steps", SMALL, f"--live-html={page}")
        run.say("race")
        while not run.is_followed():
            time.sleep(0.01)
        early, _ = self.ask(run, 1)
        while not run.gave_back():
            run.step(20_000)
        late, text = self.ask(run, 2)
        for report in early, late:
            self.assertFalse(report["coverage"]["closed"])
            self.assertEqual([finding["rule"] for finding in report["findings"]], ["SC-106"])
            self.assertNotIn("left_out", report["coverage"])
            self.assertEqual(report["coverage"]["damaged"], 0)
        self.assertGreater(late["coverage"]["ops"], early["coverage"]["ops"])
        self.assertIn("SC-106", text)
        while not os.path.exists(page):
            time.sleep(0.01)
        with open(page, encoding="utf-8") as file:
            self.assertIn('http-equiv="refresh"', file.read())
        run.step(20_000)
        code, report, said = run.end()
        self.assertEqual(code, 66, said)
        self.assertTrue(report["complete"], said)
        self.assertEqual(findings_of(report), findings_of(late))
        with open(page, encoding="utf-8") as file:
            self.assertNotIn('http-equiv="refresh"', file.read())

    def test_call_that_returns_after_it_was_judged(self):
        """It began before a part that was given back, and ends after it."""
        run = self.start("steps", SMALL)
        run.say("call")
        run.step(80_000)  # more than there is room for: it waits until the call is judged
        self.assertTrue(run.gave_back())
        run.say("gate")
        run.say("race")
        run.step(20_000)
        self.assertLessEqual(run.used(), SMALL)
        code, report, said = run.end()
        self.assertEqual(code, 3, said)
        self.assertFalse(report["complete"])
        self.assertEqual(report["coverage"]["left_out"], {"late_calls": 1})
        for count in "damaged", "lost", "calls_in_flight":
            self.assertEqual(report["coverage"][count], 0, count)
        self.assertEqual([(f["rule"], f["confidence"]) for f in report["findings"]], [("SC-106", "possible")])

    def test_what_goes_beyond_is_lost_and_said(self):
        run = self.start("locked", SMALL, "--hosts=strict")
        run.stop_follower()
        run.step(40_000)  # it does not wait, and it is more than there is room for
        self.assertLessEqual(run.used(), SMALL)
        os.kill(run.follower, signal.SIGCONT)
        run.wait_for(0.6)
        run.step()
        code, report, said = run.end()
        self.assertEqual(code, 3, said)
        self.assertGreater(report["coverage"]["lost"], 0)
        self.assertFalse(report["complete"])

    def test_follower_dies(self):
        run = self.start("steps", SMALL)
        run.step(100_000)
        run.stop_follower()
        run.begin(100_000)
        while not run.is_waiting():
            time.sleep(0.01)
        os.kill(run.follower, signal.SIGKILL)
        self.assertEqual(run.process.stdout.readline(), "done\n")
        self.assertLessEqual(run.used(), SMALL)
        code, report, said = run.end()
        self.assertEqual(code, 3, said)
        self.assertIn("ended early", said)
        self.assertFalse(report["complete"])
        self.assertGreater(report["coverage"]["left_out"]["given_back"], 0)
        self.assertGreater(report["coverage"]["lost"], 0)
        self.assertEqual(report["findings"], [])

    def test_findings_stay_when_the_follower_dies(self):
        run = self.start("steps", SMALL)
        run.say("race")
        while not run.gave_back():
            run.step(20_000)
        while "[SC-106]" not in run.said():
            time.sleep(0.01)
        os.kill(run.follower, signal.SIGKILL)
        code, report, said = run.end()
        (finding,) = report["findings"]
        self.assertEqual((code, finding["rule"], finding["confidence"]), (66, "SC-106", "proven"), said)
        self.assertFalse(report["complete"])
        self.assertEqual(report["coverage"]["cut"]["findings"], 1)
        self.assertGreater(report["coverage"]["cut"]["to_ns"], 1)
        places = [next(frame["line"] for frame in side["frames"] if not frame["internal"]) for side in finding["accesses"]]
        self.assertEqual(places, [LINE - 1, LINE], finding)

    def test_file_of_findings_that_was_damaged(self):
        """What makes no sense ends it; what comes before counts."""
        path = os.path.join(self.folder.name, "kept.sct")
        code, report, said, _ = self.check(f"--live-disk={SMALL}", f"--trace={path}", rounds=100_000)
        self.assertEqual(code, 66, said)
        with open(path + ".found", "rb") as file:
            whole = file.read()
        first = HEAD + int.from_bytes(whole[HEAD:HEAD + 4], "little")
        least = self.analyze(path, b"")[1]["coverage"]["cut"]["findings"]
        self.assertEqual(least, 0)
        for text, kept in ((whole, 2), (whole[:first], 1), (whole[:first + 9], 1), (whole[:first - 1], 0), (whole[:HEAD], 0),
                           (b"x" + whole[1:], 0), (whole[:8] + bytes(8) + whole[16:], 0),
                           (whole[:HEAD] + b"\xff" * (first - HEAD) + whole[first:], 0),
                           (whole[:HEAD + 8] + b"\xff\xff" + whole[HEAD + 10:], 0)):
            code, judged, said = self.analyze(path, text)
            self.assertGreaterEqual(judged["coverage"]["cut"]["findings"], kept, said)
            self.assertEqual(bool(judged["coverage"]["cut"]["findings"]), bool(kept), said)
        random_ = random.Random(1)
        for _ in range(40):
            text = bytearray(whole)
            for _ in range(4):
                text[random_.randrange(HEAD, len(text))] = random_.randrange(256)
            self.assertIn(self.analyze(path, bytes(text))[0], (3, 66))

    def analyze(self, path, found):
        """(exit code, report, standard error) of a trace that is kept, with what was found before."""
        with open(path + ".found", "wb") as file:
            file.write(found)
        done = subprocess.run([COMMAND, "analyze", "--html=no", "--format=json", "--output=judged.json", path], cwd=self.folder.name,
                              capture_output=True, text=True, check=False)
        return done.returncode, checked.read_report(os.path.join(self.folder.name, "judged.json")), done.stderr

    def test_kept_trace_has_what_was_found(self):
        path = os.path.join(self.folder.name, "kept.sct")
        code, report, said, _ = self.check(f"--live-disk={SMALL}", f"--trace={path}", rounds=100_000)
        self.assertEqual(code, 66, said)
        done = subprocess.run([COMMAND, "analyze", "--html=no", path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 66, done.stderr)
        self.assertRegex(done.stderr, r"what came before \d+\.\d s was judged while the program ran .*: \d findings?, proven or likely")
        with open(path + ".found", "rb") as file:
            _, judged, said = self.analyze(path, file.read())
        self.assertEqual({finding["fingerprint"] for finding in judged["findings"]},
                         {finding["fingerprint"] for finding in report["findings"]}, said)

    def test_trace_with_holes_is_not_judged_as_whole(self):
        path = os.path.join(self.folder.name, "kept.sct")
        code, _, said, _ = self.check(f"--live-disk={SMALL}", f"--trace={path}", "--advice=no", rounds=100_000, way="clean")
        self.assertEqual(code, 0, said)
        self.assertLess(os.stat(path).st_blocks * BLOCK, SMALL)
        done = subprocess.run([COMMAND, "analyze", "--html=no", path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("given back while the program ran", done.stderr)
        self.assertIn("0 errors", done.stderr)
        for ending in (".rest", ".found"):  # whoever unpacked the trace may have got anything beside it
            if os.path.exists(path + ending):
                os.unlink(path + ending)
            os.mkfifo(path + ending)
        done = subprocess.run([COMMAND, "analyze", "--html=no", path], capture_output=True, check=False, timeout=checked.TIMEOUT_S)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_bad_values(self):
        for option in ("live-disk=31m", "live-disk=x", "live-disk=64m --confirm=yes", "live-disk=64m --budget=copies=1",
                       "live-disk=64m --device-times=yes", "live-disk=64m --analyze=no"):
            done = subprocess.run([COMMAND, "run", "--device=sim", *f"--{option}".split(), "--", PROGRAM, "clean", "1"],
                                  cwd=self.folder.name, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, option)
            self.assertIn(option.split()[0].partition("=")[0], done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
