#!/usr/bin/env python3
"""Parts of a run that are recorded in full: option window in all its forms, and streamcheck window.

usage: test_windows.py PREFIX PROGRAM   (windows.cu: a race of `scale`, then one of `add`)
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")


def raced(findings):
    """Names of the kernels of the findings, each once."""
    said = [json.dumps(f["accesses"]) for f in findings]
    return {name for name in ("scale", "add") if any(f"{name}(" in text for text in said)}


def check(*ways, window=None, mode="run", options=()):
    chosen = [f"window={window}".replace(":", "\\:") if mode == "bare" else f"window={window}"] if window else []
    return checked.check(PREFIX, PROGRAM, mode=mode, arguments=ways, options=(*chosen, "advice=no", "html=no", *options))


class Windows(unittest.TestCase):
    def expect(self, result, kernels, windows):
        """That these kernels raced, in so many windows; returns what the report says of them."""
        self.assertEqual(raced(result.findings), kernels, result.err)
        seen = result.processes[0]["coverage"].get("windows")
        self.assertEqual(seen and seen["count"], windows)
        self.assertEqual(result.code, 66 if kernels else 0, result.err)
        self.assertTrue(result.processes[0]["complete"])
        return seen

    def test_all_of_a_run_without(self):
        self.expect(check(), {"scale", "add"}, None)

    def test_each_source(self):
        for way, window in (("profiler", "cudaProfilerApi"), ("nvtx", "nvtx:step"), ("started", "nvtx:step"), ("calls", "calls")):
            result = check(way, window=window)
            seen = self.expect(result, {"add"}, 1)
            self.assertLess(0, seen["ops"])
            self.assertLess(seen["ops"], result.processes[0]["coverage"]["ops"])
            self.assertRegex(result.err, r"windows: +1 window with \d+ of \d+")
            # Inside there are stacks, parameters and their bytes as ever.
            self.assertEqual([f["confidence"] for f in result.findings], ["proven"])
            self.assertIn("windows.cu", json.dumps(result.findings))

    def test_host_accesses_are_seen_inside(self):
        found = [check("reads", "calls", window=window).findings for window in (None, "calls")]
        self.assertEqual([sum(f["count"] for f in findings if f["rule"] == "SC-101") for findings in found], [2, 1])

    def test_domain(self):
        self.expect(check("nvtx", window="nvtx:step@other"), {"scale"}, 1)
        self.expect(check("nvtx", window="nvtx:step@none"), set(), 0)

    def test_without_the_command(self):
        self.expect(check("nvtx", "profiler", window="cudaProfilerApi", mode="bare"), {"add"}, 1)

    def test_clocks_of_the_first_operation_are_true(self):
        self.expect(check("ordered", "calls", window="calls"), set(), 1)

    def test_one_side_outside(self):
        """What is outside is known if its call says its bytes; then the finding is possible."""
        result = check("loose", "calls", window="calls", options=("fail-on=none",))
        self.assertEqual([(f["confidence"], f["doubt_id"]) for f in result.findings], [("possible", "outside_window")], result.err)

    def test_times(self):
        self.expect(check(window="after:100000s"), set(), 0)
        self.expect(check(window="after:0s,for:100000s"), {"scale", "add"}, None)
        self.expect(check(window="every:10h,for:5h"), {"scale", "add"}, None)

    def test_every(self):
        seen = self.expect(check("loop", window="nvtx:step,every:4"), {"add"}, 3)
        self.assertEqual(seen["ops"] % 3, 0)
        self.expect(check("loop", window="nvtx:step"), {"add"}, 10)

    def test_children_have_windows_of_their_own(self):
        result = check("child", "nvtx", window="nvtx:step")
        self.assertEqual([p["coverage"]["windows"]["count"] for p in result.processes], [0, 1])
        self.assertEqual(raced(result.findings), {"add"})

    def test_requests(self):
        """To the process, and to the run, which stands for it."""
        for window, word, kernels, by_run in (("calls", "on", {"add"}, False), ("after:0s,for:10h", "off", {"scale"}, True)):
            with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
                path = os.path.join(folder, "report.json")
                with subprocess.Popen(
                        [COMMAND, "run", f"--device={checked.DEVICE}", "--html=no", "--advice=no", f"--window={window}", f"--report=json:{path}",
                         "--", PROGRAM, "waits"],
                        env=checked.environment(PREFIX, checked.DEVICE), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, text=True) as run:
                    self.assertEqual(run.stdout.readline(), "ready\n")
                    with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as file:
                        children = file.read().split()
                    process = next(c for c in children if os.path.realpath(f"/proc/{c}/exe") == os.path.realpath(PROGRAM))
                    done = subprocess.run([COMMAND, "window", str(run.pid) if by_run else process, word], capture_output=True, text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    _, err = run.communicate("go\n", timeout=checked.TIMEOUT_S)
                report = checked.read_report(path)
                self.assertEqual(raced(report["findings"]), kernels, err)
                self.assertEqual(report["coverage"]["windows"]["count"], 1)

    def test_bad_plans(self):
        for window in ("cudaProfiler", "nvtx:", "nvtx:a@", "every:0", "after:1", "for:0s", "calls,for:1s", "every:1s,for:2s",
                       "after:99999999999999999999s", "after:1s,after:2s", ","):
            done = subprocess.run([COMMAND, "run", f"--device={checked.DEVICE}", f"--window={window}", "--", PROGRAM], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 2, window)
            self.assertRegex(done.stderr, r"window: \"" + re.escape(window))

    def test_bad_requests(self):
        for words, said in ((["1"], "usage"), (["x", "on"], "is no process id"), (["1", "maybe"], "neither on nor off"),
                            ([str(os.getpid()), "on"], "writes no trace")):
            done = subprocess.run([COMMAND, "window", *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
