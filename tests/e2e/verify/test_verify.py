#!/usr/bin/env python3
"""What `verify` decides of the findings of a first run, and how it ends.

usage: test_verify.py PREFIX PROGRAM   (pairs.cu, see there for its arguments)

The first run executes no kernel, or keeps no device code, so the bytes of its kernels are not known; the
second executes them on the simulated device, which reports the bytes.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

import checked
import schema

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "..", "docs", "user", "json-report.schema.json")
PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
SKIP = {"STREAMCHECK_SIM_KERNELS": "skip"}


class Verify(unittest.TestCase):
    """Each scenario is a program with one unordered pair, unless it says otherwise."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.trace = os.path.join(self.folder.name, "first.sct")
        self.json = os.path.join(self.folder.name, "report.json")
        self.temporary = os.path.join(self.folder.name, "tmp")
        os.mkdir(self.temporary)

    def tearDown(self):
        self.assertEqual(os.listdir(self.temporary), [])
        self.folder.cleanup()

    def call(self, arguments, extra=None):
        env = checked.environment(PREFIX, "sim") | {"TMPDIR": self.temporary} | (extra or {})
        done = subprocess.run([COMMAND, *arguments], env=env, cwd=self.folder.name, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=checked.TIMEOUT_S)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def first(self, scenario, *options, extra=None, program=PROGRAM):
        """The findings of the first run that are not proven."""
        code, _, err = self.call(["run", "--device=sim", "--html=no", "--trace=" + self.trace, *options,
                                  "--report=json:" + self.json, "--", program, scenario], SKIP if extra is None else extra)
        self.assertEqual(code, 0, err)
        return [f for f in checked.read_report(self.json)["findings"]
                if f["severity"] != "advice" and f["confidence"] != "proven"]

    def verify(self, *arguments, options=(), extra=None, program=PROGRAM):
        """(exit code, standard output, text report, what the JSON report says of the first run)"""
        os.path.exists(self.json) and os.unlink(self.json)
        code, out, err = self.call(["verify", "--device=sim", "--html=no", *options, "--report=json:" + self.json,
                                    self.trace, "--", program, *arguments], extra)
        report = checked.read_report(self.json)
        if report:
            with open(SCHEMA, encoding="utf-8") as file:
                self.assertEqual(schema.complaints(report, json.load(file), name_all=True), [])
        return code, out, err, report and report["verified"]

    def one(self, verified, verdict):
        """The only row, of this verdict."""
        counts = {"proven": 0, "not_decided": 0, "not_seen": 0} | {verdict.replace("-", "_"): 1}
        self.assertEqual({key: verified[key] for key in counts}, counts, verified)
        self.assertEqual([row["verdict"] for row in verified["findings"]], [verdict])
        self.assertEqual(verified["trace"], self.trace)
        return verified["findings"][0]

    def test_frames_of_the_runtime_do_not_count(self):
        """They differ when a tool listens, as in the second run."""
        self.first("listened", "--images=no")
        _, _, err, verified = self.verify("listened", "again")
        self.assertEqual(self.one(verified, "proven")["confidence"], "likely", err)

    def test_becomes_proven(self):
        first = self.first("meet")
        self.assertEqual([(f["confidence"], f["doubt_id"]) for f in first], [("possible", "footprint")])
        code, out, err, verified = self.verify("meet", extra=SKIP)
        row = self.one(verified, "proven")
        self.assertEqual((row["rule"], row["fingerprint"]), (first[0]["rule"], first[0]["fingerprint"]))
        self.assertEqual(row["found"], checked.read_report(self.json)["findings"][0]["fingerprint"])
        self.assertIn("pairs.cu", row["what"])
        self.assertEqual((code, out), (66, "meet\n"), err)
        self.assertLess(err.index("1 proven, 0 not decided, 0 not seen"), err.index("error SC-1"))

    def test_bytes_apart(self):
        self.first("apart")
        code, out, err, verified = self.verify("apart")
        row = self.one(verified, "not-seen")
        self.assertNotIn("found", row)
        self.assertIn("the bytes were apart in this run", err)
        self.assertEqual((code, out), (0, "apart\n"), err)

    def test_ordered_by_a_query(self):
        """That it succeeded says nothing of the bytes."""
        self.first("asks")
        code, _, err, verified = self.verify("asks", "again")
        self.assertIn("in this run a query that succeeded (cudaEventQuery, cudaStreamQuery) orders the two",
                      self.one(verified, "not-decided")["reason"])
        self.assertEqual(code, 3, err)

    def test_apart_beside_a_query(self):
        self.first("asks_apart")
        code, _, err, verified = self.verify("asks_apart", "again")
        self.one(verified, "not-seen")
        self.assertEqual(code, 0, err)

    def test_html_has_the_table(self):
        self.first("meet")
        path = os.path.join(self.folder.name, "report.html")
        self.call(["verify", "--device=sim", "--report=html:" + path, self.trace, "--", PROGRAM, "meet"])
        with open(path, encoding="utf-8") as file:
            self.assertIn('"verified":{"trace":', file.read())

    def test_nodes_of_a_graph(self):
        first = self.first("graph")
        self.assertEqual([(f["rule"], f["confidence"]) for f in first], [("SC-134", "possible")])
        code, _, err, verified = self.verify("graph")
        self.one(verified, "proven")
        self.assertEqual(code, 66, err)
        code, _, err, verified = self.verify("graph", "apart")
        self.one(verified, "not-seen")
        self.assertEqual(code, 0, err)

    def test_input_of_a_graph_died(self):
        first = self.first("graph_input", "--images=no")
        self.assertEqual([(f["rule"], f["confidence"]) for f in first], [("SC-136", "likely")])
        code, _, err, verified = self.verify("graph_input")
        self.one(verified, "proven")
        self.assertEqual(code, 66, err)
        code, _, err, verified = self.verify("graph_input", "apart")
        self.one(verified, "not-seen")
        self.assertEqual(code, 0, err)

    def test_without_device_code(self):
        """By its parameters only, each kernel may use all of the memory: another rule than with bytes."""
        first = self.first("meet", "--images=no")
        rules = {f["rule"] for f in first if f.get("group")}
        self.assertIn("SC-209", rules)
        code, _, err, verified = self.verify("meet")
        rows = [row for row in verified["findings"] if row["rule"] == "SC-209" and row["verdict"] == "proven"]
        self.assertEqual({row["found_rule"] for row in rows}, {"SC-105"}, err)
        self.assertEqual(code, 66, err)
        self.assertIn("SC-209, now SC-105", err)

    def test_likely_becomes_proven(self):
        first = self.first("rewritten", "--images=no")
        self.assertEqual([f["confidence"] for f in first], ["likely"])
        code, _, err, verified = self.verify("rewritten")
        self.assertEqual(self.one(verified, "proven")["confidence"], "likely")
        self.assertEqual(code, 66, err)

    def test_not_launched_again(self):
        self.first("not_again")
        code, _, err, verified = self.verify("not_again", "again")
        self.assertIn("gather(int*, int const*, int) was not launched in this run", self.one(verified, "not-decided")["reason"])
        self.assertEqual(code, 3, err)

    def test_other_path(self):
        self.first("other_path")
        code, _, err, verified = self.verify("other_path", "again")
        self.assertIn("took another path", self.one(verified, "not-decided")["reason"])
        self.assertEqual(code, 66, err)  # the pair of the other path is found, too

    def test_bytes_that_stay_unknown(self):
        self.first("meet", "--images=no")
        code, _, err, verified = self.verify("meet", options=["--images=no"],
                                             extra={"STREAMCHECK_SIM_FAILING_KERNEL": "gather"})
        # the kernel of the other stream may not have run yet when `gather` fails
        self.assertRegex(self.one(verified, "not-decided")["reason"], r"launches of (gather|scatter).* are not known")
        self.assertNotEqual(code, 66, err)

    def test_kernels_that_the_device_does_not_execute(self):
        closed = os.path.join(os.path.dirname(PROGRAM), "closed")
        self.first("meet", program=closed)
        code, _, err, verified = self.verify("meet", program=closed)
        self.assertEqual(self.one(verified, "not-decided")["reason"],
                         "the bytes of 1 of 1 launches of scatter(int*, int const*, int) are not known in this run (it has no PTX)")
        self.assertEqual(code, 3, err)

    def test_program_fails(self):
        for scenario, expected in (("fails", 5), ("killed", 134)):
            self.first(scenario)
            code, _, err, verified = self.verify(scenario, "again")
            if verified:  # a program that made no CUDA call leaves no report
                self.one(verified, "not-decided")
            self.assertIn("0 proven, 1 not decided, 0 not seen", err)
            self.assertEqual(code, expected, err)

    def test_second_run_loses_something(self):
        self.first("flood")
        code, _, err, verified = self.verify("flood", "again", options=["--max-trace=4m"])
        self.assertIn("was lost", self.one(verified, "not-decided")["reason"])
        self.assertEqual(code, 3, err)

    def test_nothing_is_recorded(self):
        self.first("apart")
        code, out, err, verified = self.verify("apart", options=["--max-trace=64k"])
        self.assertEqual((code, out), (3, "apart\n"), err)
        self.assertEqual([row["reason"] for row in verified["findings"]], ["nothing was recorded in this run"])
        self.assertEqual(err.count("nothing was recorded in this run"), 1, err)

    def test_kernels_are_named_to_the_recorder(self):
        """On a GPU their launches are recorded; a program that makes no CUDA call shows what it is given."""
        self.first("meet")
        code, out, _ = self.call(["verify", "--device=gpu", "--html=no", self.trace, "--", "sh", "-c",
                                  'echo "$STREAMCHECK_OPTIONS"; cat "$STREAMCHECK_COLLECT/kernels"'])
        options, *kernels = out.splitlines()
        self.assertIn("footprints=recorded", options)
        self.assertIn("record-kernels=" + self.temporary, options)
        self.assertEqual(kernels, ["_Z7scatterPiPKii", "_Z6gatherPiPKii"])
        self.assertEqual(code, 3)

    def again_as(self, options, first=("--device=sim", "--allocators=visible", "--hosts=strict", "--guard=sparse")):
        """Options of the second run's program, and what `verify` says of them; the first run had others."""
        code, _, err = self.call(["run", "--html=no", "--images=no", "--trace=" + self.trace, *first, "--", PROGRAM, "meet"], SKIP)
        self.assertEqual(code, 0, err)
        _, out, err = self.call(["verify", "--html=no", *options, self.trace, "--", "sh", "-c",
                                 'echo "$STREAMCHECK_OPTIONS:$PYTORCH_ALLOC_CONF"'])
        return out.strip().split(":"), [line for line in err.splitlines() if f"{self.trace} was recorded" in line]

    def test_options_of_the_trace(self):
        given, said = self.again_as([])
        self.assertLessEqual({"device=sim", "allocators=visible", "hosts=strict", "guard=sparse", "backend"}, set(given))
        self.assertNotIn("images=no", given)  # the second run is to know more bytes than the first
        self.assertEqual(said, [f"streamcheck: as {self.trace} was recorded: "
                                "--device=sim --allocators=visible --guard=sparse --hosts=strict"])

    def test_given_options_come_first(self):
        given, said = self.again_as(["--allocators=own", "--hosts=strict", "--device=sim"])
        self.assertNotIn("allocators=visible", given)
        self.assertEqual(said, [f"streamcheck: --allocators=own, but {self.trace} was recorded with allocators=visible; "
                                "its findings may not be met again",
                                f"streamcheck: as {self.trace} was recorded: --guard=sparse"])

    def test_given_options_beside_defaults(self):
        given, said = self.again_as(["--allocators=visible"], ["--device=sim"])
        self.assertIn("allocators=visible", given)
        self.assertEqual(said, [f"streamcheck: --allocators=visible, but {self.trace} was recorded with allocators=own; "
                                "its findings may not be met again",
                                f"streamcheck: as {self.trace} was recorded: --device=sim"])

    def test_environment_counts_as_given(self):
        code, _, err = self.call(["run", "--html=no", "--images=no", "--device=sim", "--stack-depth=9",
                                  "--trace=" + self.trace, "--", PROGRAM, "meet"], SKIP)
        self.assertEqual(code, 0, err)
        _, out, err = self.call(["verify", "--html=no", self.trace, "--", "sh", "-c", 'echo "$STREAMCHECK_OPTIONS"'],
                                {"STREAMCHECK_OPTIONS": "stack-depth=32"})
        self.assertNotIn("stack-depth", out)
        self.assertIn("--stack-depth=32, but", err)

    def test_trace_without_options(self):
        """As older versions wrote it: nothing is known of its options, and all is as given."""
        self.first("meet", "--allocators=visible")
        text = self.dump()
        self.assertIn('\noptions "allocators=visible"\n', text)
        self.write(text.replace('\noptions "allocators=visible"\n', '\nsource 1 "of another time"\n'))
        code, _, err, verified = self.verify("meet", options=["--allocators=followed"])
        self.one(verified, "proven")
        self.assertNotIn("streamcheck: verify:", err)

    def test_hostile_options(self):
        """A trace chooses no files, and what makes no sense is not taken."""
        self.first("meet")
        text = self.dump()
        for options, said in (("sanitizer=/tmp/evil.so:output=/tmp/evil:guard=off", "--guard=off"),
                              ("allocators=none", "allocators"), ("window=none", "window"), ("x", "no value"),
                              ("config=/tmp/evil:guard=" + 4000 * "a", "too long")):
            self.write(text.replace('\noptions ""\n', f'\noptions "{options}"\n'))
            _, out, err = self.call(["verify", "--device=sim", "--html=no", self.trace, "--", "sh", "-c",
                                     'echo "$STREAMCHECK_OPTIONS"'])
            self.assertIn(said, err)
            self.assertNotIn("evil", out + err)
            self.assertEqual("guard=off" in out, said == "--guard=off", out)

    def test_hostile_text_of_an_option(self):
        """What a trace has is shown without the terminal's own signs."""
        self.first("meet")
        self.write(self.dump().replace('\noptions ""\n', '\noptions "window=nvtx\\\\:\\x1b[31m"\n'))
        _, _, err = self.call(["verify", "--device=sim", "--html=no", "--window=calls", self.trace, "--", "true"])
        self.assertIn("was recorded with window=nvtx:", err)
        self.assertNotIn("\x1b", err)

    def test_trace_through_a_pipe(self):
        """It can be read only once, so that is for its findings."""
        self.first("meet")
        pipe = os.path.join(self.folder.name, "pipe")
        os.mkfifo(pipe)
        for command, program, said in (("analyze", [], "1 warning"), ("verify", ["--", PROGRAM, "meet"], "options in " + pipe)):
            with subprocess.Popen(["cp", self.trace, pipe]) as writer:
                code, _, err = self.call([command, *(["--device=sim"] if program else []), "--html=no", pipe, *program])
                self.assertEqual(writer.wait(), 0)
            self.assertIn(said, err)
            self.assertEqual(code, 66 if program else 0, err)
        with subprocess.Popen(["cp", self.trace, pipe]) as writer:
            _, _, err = self.call(["analyze", "--html=no", self.trace, pipe])
            self.assertEqual(writer.wait(), 0)
        self.assertIn(f"ranks are not compared: {pipe} can be read only once", err)

    def test_traces_that_differ(self):
        other = os.path.join(self.folder.name, "other.sct")
        self.first("meet", "--stack-depth=9")
        os.rename(self.trace, other)
        self.first("meet")
        code, _, err = self.call(["verify", "--device=sim", "--html=no", self.trace, other, "--", PROGRAM, "meet"])
        self.assertIn(f"{other} was recorded with --stack-depth=9, unlike {self.trace}", err)
        self.assertEqual(code, 66, err)

    def dump(self):
        code, out, err = self.call(["dump", self.trace])
        self.assertEqual(code, 0, err)
        return out

    def write(self, text):
        with open(self.trace, "w", encoding="utf-8") as file:
            file.write(text)

    def test_several_processes(self):
        """One table for the run, before the summary of the processes."""
        self.first("meet")
        code, _, err = self.call(["verify", "--device=sim", "--html=no", "--report=json:" + self.json, self.trace, "--",
                                  "sh", "-c", '"$0" apart; "$0" meet', PROGRAM])
        self.assertEqual(code, 66, err)
        self.assertEqual(err.count("tried again:"), 1, err)
        self.assertLess(err.index("tried again: 1 proven"), err.index("2 processes"))
        for process in checked.read_report(self.json)["processes"]:
            self.assertEqual(process["verified"]["proven"], 1)

    def test_several_traces(self):
        pattern = os.path.join(self.folder.name, "%p.sct")
        script = ["sh", "-c", '"$0" apart; "$0" meet', PROGRAM]
        code, _, err = self.call(["run", "--device=sim", "--html=no", "--trace=" + pattern, "--", *script], SKIP)
        self.assertEqual(code, 0, err)
        traces = sorted(os.path.join(self.folder.name, name) for name in os.listdir(self.folder.name) if name.endswith(".sct"))
        self.assertEqual(len(traces), 2)
        code, _, err = self.call(["verify", "--device=sim", "--html=no", *traces, "--", *script])
        self.assertIn("2 findings of " + traces[0], err)
        self.assertIn("2 proven, 0 not decided, 0 not seen", err)  # one pair of lines in both
        self.assertEqual(code, 66, err)

    def test_reports_say_the_command(self):
        command = f"streamcheck verify {self.trace} -- {PROGRAM} meet"
        for options in ((), ("--images=no",)):
            first = self.first("meet", *options)
            self.assertEqual(first[0]["decided_by"][0], command)
            for arguments in (["analyze", "--html=no", self.trace], ["explain", "1", self.trace]):
                _, out, err = self.call(arguments)
                self.assertIn(command.replace(self.folder.name + "/", ""), out + err)

    def test_command_of_a_child_is_that_of_the_run(self):
        script = ["sh", "-c", '"$0" meet; : ' + "x" * 200, PROGRAM]
        pattern = os.path.join(self.folder.name, "%p.sct")
        code, _, err = self.call(["run", "--device=sim", "--html=no", "--trace=" + pattern, "--report=json:" + self.json,
                                  "--", *script], SKIP)
        self.assertEqual(code, 0, err)
        report = checked.read_report(self.json)
        found = [f for p in report.get("processes", [report]) for f in p["findings"] if "decided_by" in f]
        program = found[0]["decided_by"][0].split(" -- ", 1)[1]
        self.assertEqual(shlex.split(program), script)

    def test_other_findings_of_the_second_run_are_said(self):
        self.first("meet")
        _, _, err, _ = self.verify("apart")
        self.assertNotIn("other finding", err)

    def test_listed_findings_count_for_the_gate(self):
        code, _, err = self.call(["run", "--device=sim", "--html=no", "--images=no", "--fail-on=possible", "--", PROGRAM, "meet"], SKIP)
        self.assertIn("1 possible finding about kernels without PTX", err)
        self.assertIn("1 warning", err)
        self.assertEqual(code, 66)

    def test_order_by_an_atomic_is_a_warning_that_stays(self):
        first = self.first("handed_over")
        self.assertEqual([(f["severity"], f["doubt_id"]) for f in first], [("warning", "handed_over")])
        code, out, err, verified = self.verify("handed_over")
        self.assertEqual((code, out, verified), (0, "", None), err)
        self.assertIn("verify cannot decide 1 finding that is not proven", err)

    def test_first_finding_says_how_many_are_decided(self):
        """By one more run."""
        _, _, err = self.call(["run", "--device=sim", "--html=no", "--", PROGRAM, "two_pairs"], SKIP | {"COLUMNS": "1000"})
        self.assertEqual(err.count("  decide: "), 2, err)
        self.assertEqual(err.count("(decides all 2 such findings)"), 1, err)
        self.assertLess(err.index("(decides all 2 "), err.rindex("  decide: "))

    def test_nothing_to_verify(self):
        self.first("silent")
        code, out, err, verified = self.verify("silent")
        self.assertEqual((code, out, verified), (0, "", None))
        self.assertIn("nothing to verify", err)

    def test_trace_that_cannot_be_read(self):
        for text in (None, b"", b"no trace"):
            if text is not None:
                with open(self.trace, "wb") as file:
                    file.write(text)
            code, out, err, verified = self.verify("meet")
            self.assertEqual((code, out, verified), (2, "", None), err)
            self.assertIn("cannot read trace", err)

    def test_usage(self):
        for arguments in ([], ["a.sct"], ["--", "a"], ["a.sct", "--"], ["--analyze=no", "a.sct", "--", "a"]):
            code, _, err = self.call(["verify", *arguments])
            self.assertEqual(code, 2, err)
            self.assertIn("verify: ", err)

    def test_suppressed_findings_stay_suppressed(self):
        self.first("meet")
        rules = os.path.join(self.folder.name, "hide.txt")
        with open(rules, "w", encoding="utf-8") as file:
            file.write('[benign]\nrule = *\n')
        code, _, err, _ = self.verify("meet", options=["--suppressions=" + rules])
        self.assertEqual(code, 0, err)
        self.assertIn("nothing to verify", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
