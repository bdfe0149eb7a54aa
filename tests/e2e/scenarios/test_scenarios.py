#!/usr/bin/env python3
"""Life and death of checked processes: exits, signals, forks, daemons, handlers, silence.

usage: test_scenarios.py PREFIX PROGRAMS [Class.test]   (folder of the built actor and plain)
"""
import ctypes
import glob
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import checked

PREFIX = PROGRAMS = None
COMMAND_MODES = ("run", "bare")


def rules(result):
    return sorted({f["rule"] for f in result.findings})


class Scenario(unittest.TestCase):
    """One actor in a folder of its own, on the simulated device."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="streamcheck-scenario-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.actor = os.path.join(PROGRAMS, "actor")
        self.plain = os.path.join(PROGRAMS, "plain")

    def check(self, way, mode, schedule="lazy"):
        return checked.check(PREFIX, self.actor, mode, "sim", schedule, [way])

    def bare(self, program, options, way=None, **variables):
        """Runs with LD_PRELOAD in the folder of the test; returns code, stdout, stderr."""
        env = checked.environment(PREFIX, "sim", "lazy", True, options)
        env.update(variables)
        return checked.run([program] + ([way] if way else []), env, cwd=self.folder)

    def alone(self, way):
        """Runs the actor on the simulated device without streamcheck."""
        env = checked.environment(PREFIX, "sim", "lazy", True)
        del env["LD_PRELOAD"]
        return checked.run([self.actor, way], env, cwd=self.folder)

    def streamcheck(self, *arguments, **variables):
        command = [os.path.join(PREFIX, "bin", "streamcheck"), *arguments]
        env = checked.environment(PREFIX, "sim", "lazy")
        env.update(variables)
        return checked.run(command, env, cwd=self.folder)

    def reports(self):
        found = []
        for path in glob.glob(os.path.join(self.folder, "report.*.json")):
            with open(path, encoding="utf-8") as file:
                found.append(json.load(file))
        return found

    def start(self, way, options):
        """Starts the actor bare and waits for its first line."""
        env = checked.environment(PREFIX, "sim", "lazy", True, options)
        process = subprocess.Popen([self.actor, way], env=env, cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process


class Exit(Scenario):
    def expect(self, way, codes, found=("SC-101",)):
        for mode in COMMAND_MODES:
            with self.subTest(mode=mode):
                result = self.check(way, mode)
                self.assertIsNotNone(result.report, result.err)
                self.assertEqual(rules(result), sorted(found), result.err)
                self.assertEqual(result.code, codes[mode], result.err)

    def test_clean(self):
        self.expect("clean", {"run": 0, "bare": 0}, ())

    def test_racy(self):
        self.expect("racy", {"run": 66, "bare": 66})

    def test_own_exit_code(self):
        self.expect("seven", {"run": 7, "bare": 7})

    def test_underscore_exit(self):
        self.expect("_exit", {"run": 66, "bare": 66})

    def test_quick_exit(self):
        self.expect("quick_exit", {"run": 66, "bare": 66})

    def test_abort(self):
        self.expect("abort", {"run": 134, "bare": -signal.SIGABRT})

    def test_crash(self):
        self.expect("segv", {"run": 139, "bare": -signal.SIGSEGV})

    def test_breakpoint(self):
        self.expect("breakpoint", {"run": 133, "bare": -signal.SIGTRAP})

    def test_device_memory_crash(self):
        self.expect("device_store", {"run": 139, "bare": -signal.SIGSEGV}, ("SC-126",))

    def test_threads(self):
        self.expect("threads", {"run": 66, "bare": 66})

    def test_children_that_nobody_waits_for(self):
        self.expect("childless", {"run": 66, "bare": 66})

    def test_threads_that_run_on(self):
        self.expect("left_running", {"run": 66, "bare": 66})

    def test_two_threads_at_a_time(self):
        for _ in range(5):
            self.expect("ended_twice", {"run": 66, "bare": 66})

    def test_threads_that_exit_at_once(self):
        self.expect("left_at_once", {"run": 66, "bare": 66})

    def test_environment_that_is_cleared(self):
        self.expect("cleared", {"run": 66, "bare": 66})

    def test_no_other_program_to_become(self):
        self.expect("exec_fails", {"run": 66, "bare": 66})

    def test_exitcode_option(self):
        result = checked.check(PREFIX, self.actor, "bare", "sim", "lazy", ["racy"],
                               ["exitcode=9"])
        self.assertEqual(result.code, 9, result.err)


class PastTheLibrary(Scenario):
    """Go programs end by a system call of their own; the guard switches itself off unless it is forced on."""

    def leave(self, *arguments):
        return checked.check(PREFIX, os.path.join(PROGRAMS, "leaver"), "run", "sim", "lazy",
                             arguments, ["guard=always"])

    def test_run_knows_that_it_ended(self):
        result = self.leave()
        self.assertEqual(result.code, 0, result.err)
        self.assertTrue(result.report["complete"], result.err)

    def test_run_reports_what_it_found(self):
        result = self.leave("racy")
        self.assertEqual(rules(result), ["SC-101"], result.err)
        self.assertEqual(result.code, 66, result.err)

    def test_run_reports_pending_work(self):
        result = self.leave("pending")
        self.assertEqual(rules(result), ["SC-401"], result.err)
        self.assertTrue(result.report["complete"], result.err)
        self.assertEqual(result.code, 0, result.err)

    def test_alone_says_how_to_check_it(self):
        code, _, err = self.bare(os.path.join(PROGRAMS, "leaver"),
                                 "trace=kept.sct:guard=always", "racy")
        self.assertEqual(code, 0, err)
        self.assertIn("streamcheck analyze", err)
        code, _, err = self.streamcheck("analyze", "--format=json", "--output=report.1.json",
                                        "kept.sct")
        self.assertEqual([rules_of(r) for r in self.reports()], [["SC-101"]], err)


class Names(Scenario):
    """What the program says by NVTX, in findings and in lanes."""

    def test_of_the_program_are_reported(self):
        lanes = os.path.join(self.folder, "lanes.json")
        code, out, err = self.streamcheck("run", "--device=sim", "--html=no",
                                          f"--report=perfetto:{lanes}", "--", self.actor, "named")
        self.assertEqual(code, 66, err)
        with open(lanes, encoding="utf-8") as file:
            drawn = file.read()
        for name, where in (("uploads", drawn), ("leader", drawn), ("epoch 3", drawn),
                            ("uploads", err), ("epoch 3", err),
                            ('"weights"', err)):
            with self.subTest(name=name):
                self.assertIn(name, where)
        self.assertNotIn("set-up", err)  # it ended before, by another function of NVTX

    def test_of_what_a_heap_hands_out_are_pieces(self):
        program = os.path.join(PROGRAMS, *[".."] * 3, "testcases/sim/heap_hands_out_too_early")
        code, out, err = self.streamcheck("run", "--device=sim", "--html=no", "--format=json",
                                          "--output=report.1.json", "--", program)
        self.assertEqual(code, 66, out + err)
        found = self.reports()[0]["findings"]
        self.assertEqual([f["order_id"] for f in found], ["reused"])
        self.assertIn("handed out by a pool", found[0]["allocation"]["text"])


class Killed(Scenario):
    def test_trace_of_a_killed_program_can_be_analyzed(self):
        process = self.start("killed", "trace=kept.sct")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        code, out, err = self.streamcheck("analyze", "--format=json", "--output=report.1.json",
                                          "kept.sct")
        self.assertEqual([rules_of(r) for r in self.reports()], [["SC-101"]], out + err)
        self.assertEqual(code, 66, err)

    def test_run_reports_a_killed_program(self):
        path = os.path.join(self.folder, "report.1.json")
        command = [os.path.join(PREFIX, "bin", "streamcheck"), "run", "--device=sim",
                   f"--report=json:{path}", "--", self.actor, "killed"]
        env = checked.environment(PREFIX, "sim", "lazy")
        with subprocess.Popen(command, env=env, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            self.addCleanup(process.kill)
            self.assertEqual(process.stdout.readline(), b"ready\n")
            with open(f"/proc/{process.pid}/task/{process.pid}/children",
                      encoding="ascii") as file:
                child = int(file.read().split()[0])
            os.kill(child, signal.SIGKILL)
            _, err = process.communicate(timeout=checked.TIMEOUT_S)
        self.assertEqual([rules_of(r) for r in self.reports()], [["SC-101"]], err)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, err)


class Interrupted(Scenario):
    """Signals that come while run reports: pipes say where it is."""

    def setUp(self):
        super().setUp()
        self.pipes = [os.path.join(self.folder, name) for name in ("first", "second")]
        for pipe in self.pipes:
            os.mkfifo(pipe)

    def start_and_end(self):
        """Ends the program by a signal to run, and stops run between its two reports."""
        command = [os.path.join(PREFIX, "bin", "streamcheck"), "run", "--device=sim",
                   f"--output={self.pipes[0]}", f"--report=json:{self.pipes[1]}", "--html=no", "--",
                   self.actor, "killed"]
        env = {**checked.environment(PREFIX, "sim", "lazy"), "TMPDIR": self.folder}
        process = subprocess.Popen(command, env=env, cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        self.read(0)
        return process

    def read(self, index):
        with open(self.pipes[index], encoding="utf-8") as file:
            return file.read()

    def test_signal_that_comes_twice_ends_the_program_only(self):
        """As timeout sends it: to run, and to run's group."""
        process = self.start_and_end()
        process.send_signal(signal.SIGTERM)
        report = json.loads(self.read(1))
        _, err = process.communicate(timeout=checked.TIMEOUT_S)
        self.assertEqual(rules_of(report), ["SC-101"], err)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)

    def test_another_signal_ends_the_analysis_and_keeps_the_trace(self):
        process = self.start_and_end()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=checked.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGINT, err)
        kept = err.split("streamcheck merge ")[1].split(" ")[0]
        code, _, err = self.streamcheck("merge", "--html=no", kept)
        self.assertIn("SC-101", err)
        self.assertEqual(code, 66, err)


def rules_of(report):
    return sorted({f["rule"] for f in report["findings"]})


class Family(Scenario):
    """Processes that make processes; each process that used CUDA has a report of its own."""

    OPTIONS = "format=json:output=report.%p.json"

    def found(self):
        return sorted(rules_of(r) for r in self.reports())

    def test_fork_reports_once(self):
        code, _, err = self.bare(self.actor, self.OPTIONS, "fork")
        self.assertEqual(code, 0, err)
        self.assertEqual(self.found(), [[]], err)

    def test_fork_before_cuda_reports_both(self):
        code, _, err = self.bare(self.actor, self.OPTIONS, "fork_first")
        self.assertEqual(self.found(), [["SC-101"], ["SC-101"]], err)
        self.assertEqual(code, 66, err)

    def test_fork_exec(self):
        code, _, err = self.bare(self.actor, self.OPTIONS, "fork_exec")
        self.assertEqual(self.found(), [[], ["SC-101"]], err)
        self.assertEqual(code, 66, err)

    def test_fork_on_a_small_stack(self):
        code, _, err = self.bare(self.actor, self.OPTIONS, "fork_low")
        self.assertEqual(code, 0, err)
        self.assertEqual(self.found(), [[]], err)

    def test_one_name_for_two_reports(self):
        """The second to write it gets its process id, and a later run writes both anew."""
        for _ in range(2):
            code, _, err = self.bare(self.actor, "html=no:format=json:output=report.json", "fork_first")
            self.assertEqual(code, 66, err)
            names = sorted(n for n in os.listdir(self.folder) if n in err or n == "report.json")
            self.assertEqual(len(names), 2, err)
            for name in names:
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    self.assertEqual(rules_of(json.load(file)), ["SC-101"])
            self.end_run("report.json")

    def end_run(self, name):
        """Without marks (base/run_start.h) a run is told from one that ended 20 ms before only."""
        if not os.listxattr(os.path.join(self.folder, name)):
            time.sleep(0.05)

    def test_runs_at_once_after_each_other_write_the_same_files(self):
        for _ in range(20):
            _, _, err = self.bare(self.actor, "html=no:output=report.txt:trace=kept.sct", "racy")
            self.assertNotIn("another process", err)
            self.assertEqual(sorted(os.listdir(self.folder)), ["kept.sct", "report.txt"], err)
            self.end_run("kept.sct")

    def test_one_name_for_reports_one_after_the_other(self):
        script = f"{self.actor} racy; {self.actor} clean; :"
        env = checked.environment(PREFIX, "sim", "lazy", True, "html=no:output=report.txt:trace=kept.sct")
        for _ in range(2):
            _, _, err = checked.run(["/bin/sh", "-c", script], env, cwd=self.folder)
            with open(os.path.join(self.folder, "report.txt"), encoding="utf-8") as file:
                self.assertIn("SC-101", file.read())
            process = re.search(r"the report of process (\d+) is in \S*report\.\1\.txt", err)[1]
            self.assertEqual(self.streamcheck("analyze", "--html=no", "kept.sct")[0], 66)
            self.assertEqual(self.streamcheck("analyze", f"kept.{process}.sct")[0], 0)
            self.end_run("kept.sct")

    def test_one_name_for_the_reports_of_one_rank(self):
        env = {"RANK": "0"}
        _, _, err = self.streamcheck("run", "--device=sim", "--report=json:report.%r.json", "--",
                                     self.actor, "fork_first", **env)
        self.assertEqual(self.found(), [["SC-101"], ["SC-101"]], err)

    def test_run_collects_the_family(self):
        path = os.path.join(self.folder, "report.%p.json")
        code, _, err = self.streamcheck("run", "--device=sim", f"--report=json:{path}", "--",
                                        self.actor, "fork_first")
        self.assertEqual(self.found(), [["SC-101"], ["SC-101"]], err)
        self.assertEqual(code, 66, err)

    def test_exec_keeps_what_was_before(self):
        path = os.path.join(self.folder, "report.%p.json")
        code, _, err = self.streamcheck("run", "--device=sim", "--trace=kept.%p.sct",
                                        f"--report=json:{path}", "--", self.actor, "exec")
        self.assertIn("SC-101", err)
        self.assertEqual(code, 66, err)

    def test_exec_reports_what_was_before(self):
        for way in ("exec", "exec_by_call"):
            with self.subTest(way=way):
                code, out, err = self.bare(self.actor, "html=no", way)
                self.assertEqual((code, out), (0, "clean\n"), err)
                self.assertIn("SC-101", err)

    def test_daemon(self):
        """The grandchild holds the pipe of stdout open until its report is written."""
        env = checked.environment(PREFIX, "sim", "lazy", True, self.OPTIONS)
        with subprocess.Popen([self.actor, "daemon"], env=env, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            ready, _, _ = select.select([process.stdout], [], [], checked.TIMEOUT_S)
            self.assertTrue(ready, "the daemon never ended")
            self.assertEqual(process.stdout.read(), b"")
            self.assertEqual(process.wait(), 0)
        self.assertEqual(self.found(), [["SC-101"]])


class Unchanged(Scenario):
    def test_stdout_and_exit_code(self):
        alone = self.alone("output")
        code, out, err = self.bare(self.actor, "exitcode=0", "output")
        self.assertEqual((code, out), alone[:2], err)
        self.assertIn("to stderr\n", err)
        self.assertIn("SC-101", err)

    def test_own_fault_handler(self):
        self.assertEqual(self.alone("handler")[0], 0)
        result = self.check("handler", "bare")
        self.assertEqual(rules(result), ["SC-101"], result.err)
        self.assertEqual(result.code, 66, result.err)

    def test_errno(self):
        self.assertEqual(self.alone("errno")[0], 0)
        result = self.check("errno", "bare")
        self.assertEqual(rules(result), ["SC-101"], result.err)
        self.assertEqual(result.code, 66, result.err)

    def test_userfaultfd(self):
        alone = self.alone("userfaultfd")[0]
        if alone == 77:
            self.skipTest("this machine does not let programs serve page faults")
        self.assertEqual(alone, 0)
        result = self.check("userfaultfd", "bare")
        self.assertEqual(rules(result), ["SC-102"], result.err)
        self.assertEqual(result.code, 66, result.err)

    def test_allocator_that_reports_no_sizes(self):
        libraries = [checked.library(PREFIX), os.path.join(PROGRAMS, "liballocator.so")]
        for order in (libraries, libraries[::-1]):
            with self.subTest(order=order):
                result = checked.check(PREFIX, self.actor, "bare", "sim", "lazy", ["frees"],
                                       extra={"LD_PRELOAD": ":".join(order)})
                self.assertEqual(rules(result), ["SC-301"], result.err)
                self.assertEqual(result.code, 0, result.err)

    def test_analyzer_is_no_child_that_it_hears_of(self):
        result = self.check("parent", "bare")
        self.assertEqual((result.out, result.code), ("", 66), result.err)

    def test_rest_of_the_input_is_left(self):
        path = os.path.join(self.folder, "input.txt")
        with open(path, "w", encoding="ascii") as file:
            file.write("first\nsecond\n")
        env = checked.environment(PREFIX, "sim", "lazy", True, "output=report.txt")
        with open(path, "rb") as file:
            done = subprocess.run([self.actor, "reader"], env=env, cwd=self.folder, stdin=file,
                                  timeout=checked.TIMEOUT_S, check=False)
            self.assertEqual((done.returncode, os.read(file.fileno(), 99)), (66, b"second\n"))

    def test_neighbours_may_read_our_memory(self):
        """Beside an operand in flight they would get EFAULT."""
        result = self.check("peeks", "bare")
        self.assertEqual(rules(result), [], result.err)
        self.assertTrue(any("each other's memory" in n["text"] for n in result.report["notes"]),
                        result.err)

    def test_driver_found_by_dlopen(self):
        result = self.check("dlopen", "bare")
        self.assertEqual(rules(result), ["SC-101"], result.err)
        self.assertEqual(result.code, 66, result.err)


class Silence(Scenario):
    def test_program_without_cuda(self):
        code, out, err = self.bare(self.plain, "trace=kept.%p.sct")
        self.assertEqual((code, out, err), (5, "plain\n", "plain error\n"))
        self.assertEqual(os.listdir(self.folder), [])

    def asked(self, program, way=None):
        """{format: text of its report}, the exit code and stderr, of a bare run with reports in files."""
        for path in glob.glob(os.path.join(self.folder, "r*.*")):
            os.utime(path, (0, 0))  # of an earlier run: what is younger than two ticks of the clock may be this one's
        options = ":".join(f"report={name}\\:r.{name}" for name in ("json", "sarif", "junit", "html"))
        code, _, err = self.bare(program, options, way)
        texts = {}
        for path in glob.glob(os.path.join(self.folder, "r*.*")):
            with open(path, encoding="utf-8") as file:
                texts[os.path.basename(path)] = file.read()
        return texts, code, err

    def test_a_report_that_is_asked_for_is_there_without_cuda(self):
        """It says that nothing was recorded; the status is the program's own."""
        texts, code, err = self.asked(self.plain)
        self.assertEqual(sorted(texts), ["r.html", "r.json", "r.junit", "r.sarif"])
        self.assertEqual(code, 5, err)
        report = json.loads(texts["r.json"])
        self.assertEqual((report["findings"], report["complete"], report["process"]["command"]), ([], False, self.plain))
        invocation = json.loads(texts["r.sarif"])["runs"][0]["invocations"][0]
        self.assertEqual((invocation["executionSuccessful"], invocation["toolExecutionNotifications"][0]["message"]["text"]),
                         (False, "no CUDA driver was seen"))
        self.assertIn('<skipped message="nothing was recorded"/>', texts["r.junit"])
        self.assertIn("incomplete: no CUDA driver was seen", err)

    def test_what_a_process_with_cuda_reported_stays(self):
        """Of a shell that the library is in, the program is a child; of one after the other, each is a run of its own."""
        shell = os.path.join(self.folder, "shell.sh")
        for line in (f"{self.actor} racy; {self.plain}; true", f"{self.plain}; {self.actor} racy; true"):
            with open(shell, "w", encoding="utf-8") as file:
                file.write(line + "\n")
            texts, _, err = self.asked("/bin/sh", shell)
            self.assertEqual(sorted(texts), ["r.html", "r.json", "r.junit", "r.sarif"], err)
            self.assertEqual([f["rule"] for f in json.loads(texts["r.json"])["findings"]], ["SC-101"], err)
        texts, _, err = self.asked(self.plain)
        self.assertEqual([f["rule"] for f in json.loads(texts["r.json"])["findings"]], ["SC-101"], err)
        self.assertNotIn("no CUDA driver", err)

    def test_no_report_of_each_process_without_cuda(self):
        self.bare(self.plain, "report=json\\:r.%p.json")
        self.assertEqual(os.listdir(self.folder), [])

    def test_run_misses_a_process_that_had_no_room(self):
        script = f"{self.actor} clean; STREAMCHECK_OPTIONS=max-trace=1k {self.actor} clean"
        code, _, err = self.streamcheck("run", "--device=sim", "--html=no", "--", "/bin/sh", "-c", script)
        self.assertIn("could not be recorded", err)
        self.assertEqual(code, 3, err)

    def test_program_that_finds_no_driver(self):
        """It says so once, and only where it was looked for."""
        try:
            ctypes.CDLL("libcuda.so.1")
            self.skipTest("this machine has a driver")
        except OSError:
            pass
        for way, times in (("seeks", 1), ("seeks_and_forks", 1), ("", 0)):
            env = checked.environment(PREFIX, "gpu", bare=True)
            code, out, err = checked.run([self.plain] + [way] * bool(way), env, cwd=self.folder)
            self.assertEqual((code, out), (5, "plain\n"), err)
            self.assertEqual(err.count("streamcheck: "), times, err)
            self.assertEqual("--device=sim" in err, times == 1, err)

    def test_run_says_that_nothing_was_recorded(self):
        code, out, err = self.streamcheck("run", "--device=sim", "--", "/bin/true")
        self.assertEqual((code, out), (3, ""), err)
        self.assertIn("nothing was recorded", err)

    def test_static_runtime_that_is_loaded_late(self):
        """It refuses the simulated device, so that nothing is seen of it."""
        library = os.path.join(PROGRAMS, "libstatic.so")
        for mode in COMMAND_MODES:
            result = checked.check(PREFIX, sys.executable, mode, "sim", "lazy", [
                "-c", f"import ctypes; print(ctypes.CDLL('{library}').allocate())"])
            self.assertNotEqual(result.out, "0\n", result.err)
            self.assertEqual(result.code, 3, result.err)
            self.assertFalse(result.report["complete"], result.err)
            self.assertTrue(any("libstatic.so" in n["text"] and "--cudart shared" in n["text"]
                                for n in result.report["notes"]), result.report["notes"])

    def test_static_runtime_in_a_package_of_python(self):
        """Nobody builds it again: what can be done instead is said."""
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "site-packages", "libstatic.so")
            os.mkdir(os.path.dirname(library))
            shutil.copy(os.path.join(PROGRAMS, "libstatic.so"), library)
            result = checked.check(PREFIX, sys.executable, "bare", "sim", "lazy", [
                "-c", f"import ctypes; print(ctypes.CDLL('{library}').allocate())"])
        self.assertTrue(any("check it on a GPU" in n["text"] for n in result.report["notes"]), result.report["notes"])

    def test_recorded_footprints_on_the_simulated_device(self):
        """It knows the bytes of what it executes, so that nothing is looked for, and nothing is missing."""
        options = "footprints=recorded:record-kernels=/no/such/list"
        code, out, err = self.bare(self.actor, options, "clean")
        self.assertEqual((code, out), self.alone("clean")[:2], err)
        self.assertNotIn("missing", err)
        self.assertNotIn("footprints:", err)

    def test_launches_by_the_device_are_missing(self):
        for way, is_said in (("launchable", True), ("clean", False)):
            code, _, err = self.bare(self.actor, "", way)
            self.assertEqual(code, 0, err)
            said = "missing: launches of graphs by the device itself" in err
            self.assertEqual(said, is_said, err)

    def test_nothing_is_left_over(self):
        self.bare(self.actor, "html=yes:output=report.txt", "racy")
        left = sorted(re.sub(r"\d+", "N", name) for name in os.listdir(self.folder))
        self.assertEqual(left, ["report.txt", "report.txt.N.sct.zst", "report.txt.html"])


class Command(Scenario):
    def test_words_are_quoted(self):
        """What a report says of the process can be pasted."""
        code, _, err = self.bare(self.actor, "report=json\\:r.json", "racy it's")
        self.assertNotEqual(code, 66, err)  # there is no such way
        with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["process"]["command"], self.actor + " 'racy it'\\''s'")


class Kept(Scenario):
    """What a run with findings leaves in the folder streamcheck-reports."""

    def left(self):
        return sorted(os.listdir(os.path.join(self.folder, "streamcheck-reports")))

    def test_ten_runs_stay(self):
        os.mkdir(os.path.join(self.folder, "streamcheck-reports"))
        for number in range(1, 13):
            path = os.path.join(self.folder, "streamcheck-reports", f"report.{number}.html")
            with open(path, "w", encoding="utf-8"):
                pass
            os.utime(path, (number, number))
        self.bare(self.actor, "html=yes", "racy")
        names = self.left()
        new = [n for n in names if not re.fullmatch(r"report\.\d{1,2}\.html", n)]
        self.assertEqual([re.sub(r"\d+", "N", n) for n in new], ["report.N.html", "report.N.sct.zst"])
        self.assertEqual(len(names) - len(new), 9)
        self.assertNotIn("report.3.html", names)
        code, out, err = self.streamcheck("explain", "1")
        self.assertEqual(code, 0, err)
        self.assertIn("SC-101", out)

    def test_nothing_without_a_terminal(self):
        code, _, err = self.bare(self.actor, "", "racy")
        self.assertEqual(code, 66, err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_others_planted_is_left_alone(self):
        if os.geteuid():
            self.skipTest("only root can give files to others")
        other, planted = 65534, os.path.join(self.folder, "streamcheck-reports")
        with tempfile.TemporaryDirectory() as elsewhere:
            os.symlink(elsewhere, planted)
            os.chown(planted, other, other, follow_symlinks=False)
            code, _, err = self.bare(self.actor, "html=yes", "racy")
            self.assertEqual(os.listdir(elsewhere), [], err)
            self.assertNotEqual(code, 0, err)
        os.unlink(planted)
        os.mkdir(planted)
        os.chown(planted, other, other)
        os.chmod(self.folder, 0o1777)
        self.bare(self.actor, "html=yes", "racy")
        self.assertEqual(self.left(), [])

    def test_processes_of_one_run(self):
        script = f"{self.actor} racy; {self.actor} racy; true"
        code, _, err = self.streamcheck("run", "--device=sim", "--html", "--", "/bin/sh", "-c", script)
        self.assertEqual(code, 66, err)
        self.assertEqual([re.sub(r"\d+", "N", n) for n in self.left()],
                         [".gitignore", "report.N.N.sct.zst", "report.N.N.sct.zst", "report.N.html"])


class Config(Scenario):
    """A file streamcheck.toml above the current folder."""

    def setUp(self):
        super().setUp()
        self.above = self.folder
        self.folder = os.path.join(self.above, "build", "tests")
        os.makedirs(self.folder)

    def write(self, text):
        with open(os.path.join(self.above, "streamcheck.toml"), "w", encoding="utf-8") as file:
            file.write(text)

    def test_is_read_by_the_preloaded_library_alone(self):
        self.write('exitcode = 5\nsuppressions = ["known.txt"]\n')
        with open(os.path.join(self.above, "known.txt"), "w", encoding="utf-8") as file:
            file.write("[why]\nrule = SC-105\n")
        code, _, err = self.bare(self.actor, "html=no", "racy")
        self.assertEqual(code, 5, err)
        self.assertIn("known.txt:1: the suppression [why] was not used", err)
        (names,) = re.findall(r"^ +options: +from .*/streamcheck\.toml: (.*)$", err, re.M)
        self.assertEqual(sorted(names.split(", ")), ["exitcode", "suppressions"], err)
        self.assertEqual(self.bare(self.actor, "exitcode=6", "racy")[0], 6)
        self.assertEqual(self.bare(self.actor, "config=none", "racy")[0], 66)

    def test_command_line_and_environment_come_first(self):
        self.write("exitcode = 5\nstack-depth = 0\n")
        run = ("run", "--device=sim")
        self.assertEqual(self.streamcheck(*run, self.actor, "racy")[0], 5)
        self.assertEqual(self.streamcheck(*run, "--exitcode=66", self.actor, "racy")[0], 66)
        self.assertEqual(self.streamcheck(*run, self.actor, "racy", STREAMCHECK_OPTIONS="exitcode=66")[0], 66)

    def test_report_says_what_the_file_set(self):
        self.write("exitcode = 5\nstack-depth = 7\nadvice = false\n")
        report = os.path.join(self.folder, "r.json")
        self.streamcheck("run", "--device=sim", "--format=json", f"--output={report}", "--stack-depth=9", self.actor, "racy",
                         STREAMCHECK_OPTIONS="advice=yes")
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
        self.assertEqual((told["config"], told["config_options"]),
                         (os.path.join(self.above, "streamcheck.toml"), ["exitcode"]))

    def test_an_error_in_it_is_said_with_file_and_line(self):
        self.write("\n\nguards = 1\n")
        code, _, err = self.bare(self.actor, "", "racy")
        self.assertEqual(code, 2, err)
        self.assertIn("streamcheck.toml:3: ", err)
        code, out, err = self.streamcheck("run", "--device=sim", self.actor, "racy")
        self.assertEqual((code, out), (2, ""), err)
        self.assertIn("streamcheck.toml:3: ", err)

    def test_of_everybody_is_not_read(self):
        self.write("exitcode = 5\n")
        os.chmod(os.path.join(self.above, "streamcheck.toml"), 0o666)
        code, _, err = self.bare(self.actor, "", "racy")
        self.assertEqual(code, 66, err)
        self.assertIn("another user may write it", err)


class Usage(Scenario):
    def test_help_lists_options_and_the_program_runs(self):
        code, out, err = self.bare(self.actor, "help=1", "clean")
        self.assertEqual((code, out), self.alone("clean")[:2], err)
        self.assertEqual(err.count("--fail-on="), 1, err)

    def test_wrong_option(self):
        self.assertEqual(self.streamcheck("run", "--no-such-option", "--", "/bin/true")[0], 2)

    def test_no_program(self):
        self.assertEqual(self.streamcheck("run")[0], 2)

    def test_unknown_command(self):
        self.assertEqual(self.streamcheck("frobnicate")[0], 2)

    def test_rules_are_explained(self):
        code, out, err = self.streamcheck("rules", "SC-101")
        self.assertEqual(code, 0, err)
        self.assertIn("host-read-before-sync", out)

    def test_kept_trace_gives_the_same_report(self):
        self.bare(self.actor, "trace=kept.sct:format=json:output=report.1.json", "racy")
        sources = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
            os.path.abspath(__file__)))))  # which the run itself read
        self.streamcheck("analyze", "--source-root=" + sources, "--format=json",
                         "--output=report.2.json", "kept.sct")
        first, second = self.reports()
        for finding in first["findings"] + second["findings"]:
            self.assertRegex(finding.pop("explain"), r"^streamcheck explain \d+ (/.*/)?kept.sct$")
        self.assertEqual(first["findings"], second["findings"])

    def test_dump_reads_what_was_kept(self):
        self.bare(self.actor, "trace=kept.sct", "racy")
        code, out, err = self.streamcheck("dump", "kept.sct")
        self.assertEqual(code, 0, err)
        self.assertGreater(out.count("\n"), 5)

    def test_failed_analysis_is_no_success(self):
        for options in ("fail-on=errors", "budget=wishes=1", "baseline=missing", "suppressions=missing",
                        "footprints-file=missing", "output=missing/report.txt", "output=/dev/full",
                        "report=json\\:missing/report.json", "report=frob:report.txt"):
            for way, own in (("clean", 0), ("racy", 0), ("seven", 7)):
                with self.subTest(options=options, way=way):
                    code, _, err = self.bare(self.actor, "html=no:" + options, way,
                                             TMPDIR=self.folder)
                    self.assertEqual(code, own or 2, err)
                    self.assertIn("the trace is kept in", err)

    def test_no_place_for_the_trace(self):
        for way, own in (("clean", 0), ("seven", 7)):
            code, _, err = self.bare(self.actor, "", way, TMPDIR=os.path.join(self.folder, "missing"))
            self.assertEqual(code, own or 3, err)
            self.assertIn("nothing is recorded", err)

    def test_unknown_option_is_said_once(self):
        for options, way, own in (("fail_on=error", "clean", 0), ("fail_on=error", "seven", 7),
                                  ("guard=sometimes:analyze=no", "clean", 0)):
            with self.subTest(options=options, way=way):
                code, _, err = self.bare(self.actor, options, way, TMPDIR=self.folder)
                self.assertEqual(code, own or 2, err)
                self.assertEqual(err.count("STREAMCHECK_OPTIONS"), 1, err)
        self.assertIn("SC-101", self.bare(self.actor, "html=no:fail_on=error", "racy")[2])

    def test_run_looks_before_the_program_starts(self):
        missing = os.path.join(self.folder, "missing")
        os.mkdir(os.path.join(self.folder, "folder"))
        for arguments, variables in (
                ([], {"STREAMCHECK_OPTIONS": "fail_on=error"}), ([], {"TMPDIR": missing}),
                (["--fail-on=errors"], {}), (["--budget=wishes=1"], {}),
                ([f"--baseline={missing}"], {}), ([f"--suppressions={missing}"], {}),
                ([f"--footprints-file={missing}"], {}), ([f"--output={missing}/report.txt"], {}),
                (["--output=folder"], {}), ([f"--report=json:{missing}/report.json"], {}),
                (["--report=frob:report.txt"], {}), ([f"--trace={missing}/kept.sct"], {})):
            with self.subTest(arguments=arguments, variables=variables):
                code, out, err = self.streamcheck("run", *arguments, "--", "/bin/echo", "started",
                                                  **variables)
                self.assertEqual((code, out), (2, ""), err)

    def test_trace_of_a_failed_analysis_is_kept(self):
        _, _, err = self.bare(self.actor, "output=no/such/folder.txt", "racy")
        kept = err.split("the trace is kept in ")[-1].strip()
        self.addCleanup(os.unlink, kept)
        self.assertEqual(self.streamcheck("analyze", "--html=no", kept)[0], 66, err)

    def test_damaged_trace_is_refused_or_said(self):
        with open(os.path.join(self.folder, "noise.sct"), "wb") as file:
            file.write(bytes(range(256)) * 64)
        code, _, err = self.streamcheck("analyze", "noise.sct")
        self.assertIn(code, (2, 3), err)
        self.assertTrue(err)

    def test_two_reports_at_once(self):
        code, _, err = self.streamcheck(
            "run", "--device=sim", "--report=json:report.1.json", "--report=text:report.txt",
            "--output=more.txt", "--", self.actor, "racy")
        self.assertEqual(code, 66, err)
        self.assertEqual([rules_of(r) for r in self.reports()], [["SC-101"]])
        for name in ("report.txt", "more.txt"):
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                self.assertIn("SC-101", file.read())


class Python(Scenario):
    SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "race.py")

    def race(self, lock, *options):
        result = checked.check(PREFIX, sys.executable, "bare", "sim", "lazy",
                               ["-X", "dev", self.SCRIPT, lock], options)
        self.assertEqual(result.out, "True kept\n", result.err)
        self.assertEqual(rules(result), ["SC-106"], result.err)
        return result

    def users_frames(self, result):
        return [[(f["function"], os.path.basename(f["file"] or ""), f["line"])
                 for f in access["frames"] if not f["internal"]]
                for access in result.findings[0]["accesses"]]

    def line(self, text):
        with open(self.SCRIPT, encoding="utf-8") as file:
            script = file.read()
        at = script.index(text)
        return script.count("\n", 0, at + len(text) - len(text.lstrip("\n"))) + 1

    def test_lines_under_the_lock(self):
        frames = self.users_frames(self.race("PyDLL"))
        copies = ("TO_HOST, self.stream", "TO_DEVICE, None")
        for frame, copy, name, call in zip(frames, copies, ("fetch", "upload"),
                                           ("\n    buffer.fetch()", "\n    buffer.upload()")):
            # The qualified name of a code object is known since 3.11.
            self.assertEqual([(f.split(".")[-1], *rest) for f, *rest in frame],
                             [(name, "race.py", self.line(copy)), ("main", "race.py", self.line(call)),
                              ("<module>", "race.py", self.line("\nmain()\n"))])

    def test_lines_without_the_lock(self):
        frames = self.users_frames(self.race("CDLL"))
        self.assertEqual(frames, self.users_frames(self.race("PyDLL")))

    def test_switched_off(self):
        result = self.race("PyDLL", "python=no")
        self.assertEqual(self.users_frames(result), [[("(Python code)", "", 0)]] * 2)
        self.assertFalse(any("lock" in n["text"] for n in result.report["notes"]))


class Libraries(unittest.TestCase):
    """What code inside NVIDIA's libraries does among itself is its own business (0.4)."""

    def found(self, library, way):
        result = checked.check(PREFIX, os.path.join(PROGRAMS, "library_user"), "run", "sim", "lazy",
                               [os.path.join(PROGRAMS, library), way])
        self.assertIsNotNone(result.report, result.err)
        return rules(result)

    def test_within_one_of_nvidias(self):
        self.assertEqual(self.found("libcublas.so.13", "within"), [])

    def test_within_any_other(self):
        self.assertEqual(self.found("libordinary.so", "within"), ["SC-105"])

    def test_with_its_caller(self):
        self.assertEqual(self.found("libcublas.so.13", "with_caller"), ["SC-106"])


if __name__ == "__main__":
    PREFIX, PROGRAMS = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
