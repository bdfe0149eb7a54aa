#!/usr/bin/env python3
"""The joint report of several processes, in every format: sound, and each process as if it were alone.

usage: check_joint.py STREAMCHECK
"""
import collections
import glob
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import sound

COMMAND = None
RACE = "alloc d 1024\nalloc p 1024 pinned\ncopy s1 p <- d 1024\nhost_read p 4\nexit 0\n"
CLEAN = "alloc d 1024\nalloc p 1024 pinned\ncopy s1 p <- d 1024\nstream_sync s1\nhost_read p 4\nexit 0\n"
# Two ranks, of two machines that gave out the same process id, and a process without a rank.
TRACES = (
    'process 100 "train --rank 0" object=1\n' + RACE,
    'process 100 "train --rank 1" object=2\n' + RACE,
    'process 101 "launcher <b>"\n' + CLEAN,
)
NAMES = ["rank 0", "rank 1", "process 101"]
SUITES = ["train --rank 0, rank 0", "train --rank 1, rank 1", "launcher <b>"]


def louder_first(findings):
    """As formats have them that show each finding once."""
    return sorted(findings, key=lambda f: -("note", "warning", "error").index(sound.loudness(f)))


class Joint(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        cls.paths = []
        for number, script in enumerate(TRACES):
            cls.paths.append(os.path.join(cls.folder.name, f"{number}.sct.txt"))
            with open(cls.paths[-1], "w", encoding="utf-8") as file:
                file.write(script)
        cls.text = cls.analyze(cls.paths)
        cls.alone = [cls.analyze([path]) for path in cls.paths]
        cls.report = json.loads(cls.text["json"])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def analyze(cls, paths):
        files = {name: os.path.join(cls.folder.name, "report." + name)
                 for name in sound.FORMATS}
        subprocess.run([COMMAND, "analyze", *sound.options(files), *paths],
                       capture_output=True, check=False, timeout=60)
        texts = {}
        for name, path in files.items():
            with open(path, encoding="utf-8") as file:
                texts[name] = file.read()
        return texts

    def test_no_file_for_a_process(self):
        self.assertEqual([n for n in os.listdir(self.folder.name) if re.search(r"\.\d+$", n)], [])

    def test_json(self):
        self.assertEqual(sound.check_json(self.text["json"]), [])
        self.assertEqual(self.report["processes"], [json.loads(a["json"]) for a in self.alone])
        self.assertEqual([p["process"]["rank"] for p in self.report["processes"]], [0, 1, None])
        together = self.report["together"]
        self.assertEqual((together["processes"], together["ranks"], together["complete"]), (3, "0-1", True))
        alone = self.report["processes"][0]["findings"]
        self.assertEqual([f["fingerprint"] for f in together["findings"]], [f["fingerprint"] for f in alone])
        self.assertEqual({(f["processes"], f["ranks"]) for f in together["findings"]}, {(2, "0-1")})

    def test_sarif(self):
        log = json.loads(self.text["sarif"])
        self.assertEqual(len(log["runs"]), 1)
        run = log["runs"][0]
        self.assertEqual(list(sound.check_sarif(self.text["sarif"], self.report["together"])), [])
        result, alone = run["results"][0], json.loads(self.alone[0]["sarif"])["runs"][0]["results"][0]
        self.assertEqual(result["properties"].pop("firstProcess"), {"processId": 100, "rank": 0, "commandLine": "train --rank 0"})
        self.assertEqual([result["properties"].pop(key) for key in ("processes", "ranks", "processIds")], [2, "0-1", [100, 100]])
        self.assertEqual((result.pop("occurrenceCount"), alone.pop("occurrenceCount")), (2, 1))
        self.assertEqual(result.pop("message")["text"], alone.pop("message")["text"] + "; in ranks 0-1")
        self.assertEqual(result, alone)
        self.assertEqual([i["commandLine"] for i in run["invocations"]], ["train --rank 0", "train --rank 1", "launcher <b>"])
        self.assertEqual([i["processId"] for i in run["invocations"]], [100, 100, 101])
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        with open(os.path.join(sound.ROOT, "docs/rules", rule["id"] + ".md"), encoding="utf-8") as file:
            page = re.sub(r"\[(.*?)\]\(\S*\.md\S*\)", r"\1", file.read().partition("\n\n")[2])
        self.assertEqual(rule["fullDescription"]["markdown"], page)
        self.assertIn(page + "\n**Fix:** ", rule["help"]["markdown"])

    def test_junit(self):
        suites = xml.fromstring(self.text["junit"])
        self.assertEqual([s.get("name") for s in suites], ["all programs"])
        self.assertEqual(list(sound.check_junit(self.text["junit"], self.report["together"])), [])
        failures = suites.findall(".//failure")
        self.assertEqual(len(failures), 1)
        self.assertIn("\nprocesses: in ranks 0-1; first in 100: train --rank 0\n", failures[0].text)
        names = [(c.get("classname"), c.get("name")) for c in suites.iter("testcase")]
        self.assertEqual(max(collections.Counter(names).values()), 1)

    def junit_of(self, *scripts):
        paths = []
        for number, script in enumerate(scripts):
            paths.append(os.path.join(self.folder.name, f"junit.{number}.sct.txt"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(script)
        file = os.path.join(self.folder.name, "junit.xml")
        subprocess.run([COMMAND, "analyze", "--html=no", "--require-cuda", "--report=junit:" + file, *paths],
                       capture_output=True, check=False, timeout=60)
        return xml.parse(file).getroot()

    def outcomes(self, *scripts):
        """What the cases beside those of rules came to: {name: "failure", "skipped" or None}."""
        suites = self.junit_of(*scripts)
        return {c.get("name"): next((e.tag for e in c), None) for c in suites.iter("testcase") if not c.get("name").startswith("SC-")}

    def test_junit_has_a_case_for_each_command_line(self):
        """The same ones from run to run, whatever the process ids and folders."""
        for pid in (7, 800):
            scripts = [f'process {pid + 9 * i} "/tmp/{pid}/t --only={only}"\n' + (RACE if only == "c" else CLEAN)
                       for i, only in enumerate(("a.b", "a.b", "c"))]
            self.assertEqual(self.outcomes(*scripts), {"t --only=a.b": None, "t --only=c": "failure", "everything was seen": None,
                                                       "the device was used": None})
        self.assertEqual(self.outcomes(*scripts[:2]), {"everything was seen": None, "the device was used": None})
        suites = self.junit_of(*scripts)
        self.assertEqual([s.get("name") for s in suites], ["t"])
        self.assertEqual({c.get("classname") for c in suites[0]}, {"streamcheck.t"})

    def test_junit_has_a_case_for_each_test_that_the_program_names(self):
        """By ranges: the one around the later side of the race has it, the one of the copy that is never waited for a warning; equal names of
        several processes are one."""
        script = ('process 7 "python -m pytest"\nalloc d 1024\nalloc p 1024 pinned\n'
                  'range_push text="tests/test_a.py::test_fill"\ncopy s1 p <- d 1024\nrange_pop\n'
                  'range_push text="tests/test_a.py::test_read[1]"\nrange_push text="epoch 1"\nhost_read p 4\nrange_pop\nrange_pop\n'
                  'range_push text="test: Suite.Name"\nrange_pop\nexit 0\n')
        tests = {"tests/test_a.py::test_fill": "system-out", "tests/test_a.py::test_read[1]": "failure", "Suite.Name": None}
        for scripts in ([script], [script, script.replace("process 7", "process 8")]):
            self.assertEqual(self.outcomes(*scripts), {**tests, "everything was seen": None, "the device was used": None})
        suites = self.junit_of(script, script.replace("process 7", "process 8"))
        self.assertEqual([c.get("name") for c in suites.iter("testcase") if c.find("failure") is not None], ["tests/test_a.py::test_read[1]"])
        self.assertIn("\nprocesses: in 2 processes; first in 7: ", suites.find(".//failure").text)

    def test_junit_does_not_grow_with_the_number_of_processes(self):
        """A text of a finding stands there once, also where each process has a command line of its own."""
        suites = self.junit_of(*(f'process {9 + i} "t {i}"\n' + RACE for i in range(50)))
        failures = suites.findall(".//failure")
        self.assertEqual(len(failures), 50)
        self.assertEqual(sum("\nfix: " in f.text for f in failures), 1)
        self.assertEqual(sum("in full in the case t 0" in f.text for f in failures), 49)

    def test_junit_has_cases_that_can_fail(self):
        idle = 'process 5 "launcher"\nstream s1\nexit 0\n'
        suites = self.junit_of(idle, 'process 6 "app"\n' + CLEAN, idle)
        self.assertEqual([s.get("name") for s in suites], ["app"])
        self.assertEqual((suites.get("errors"), suites.get("skipped")), ("0", "0"))
        suites = self.junit_of(idle, idle)
        self.assertEqual([s.get("name") for s in suites], ["launcher"])
        self.assertEqual(suites.get("errors"), "1")
        self.assertEqual(int(suites.get("skipped")), int(suites.get("tests")) - 2)

    def test_perfetto(self):
        together = {"findings": [f for p in self.report["processes"] for f in p["findings"]]}
        self.assertEqual(list(sound.check_perfetto(self.text["perfetto"], together)), [])
        events = json.loads(self.text["perfetto"])["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
        self.assertEqual(len(names), 2 * len(TRACES))
        self.assertEqual(sorted({n.split(":")[0] for n in names.values()}), sorted(NAMES))
        self.assertEqual(sum(e.get("name") == "process_sort_index" for e in events), 2 * len(TRACES))

    def test_lines(self):
        """The finding once, in the words of the first process, and which processes have it."""
        who = "in ranks 0-1; first in 100: train --rank 0\n"
        self.assertEqual(self.text["github"], self.alone[0]["github"].replace("\n", "%0Aprocesses: " + who))
        note = "streamcheck: note: processes: " + who
        self.assertEqual(self.text["gcc"].replace(note, ""), self.alone[0]["gcc"])
        for rule in ("SC-101", "SC-401"):
            self.assertEqual([self.text["gcc"].count(f"[{rule}]"), self.text["github"].count(f"title={rule} ")], [1, 1])
        self.assertEqual(self.text["gcc"].count(note), 2)

    def merged(self, name, *scripts):
        """The report of these processes, each a line of a list."""
        paths = []
        for number, script in enumerate(scripts):
            paths.append(os.path.join(self.folder.name, f"merged.{number}.sct.txt"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(script)
        file = os.path.join(self.folder.name, "merged")
        subprocess.run([COMMAND, "analyze", "--html=no", f"--report={name}:{file}", *paths], capture_output=True, check=False, timeout=60)
        with open(file, encoding="utf-8") as file:
            return file.read()

    def test_the_surest_words_count_and_the_loudest_come_first(self):
        """A finding that is possible in one process and proven in another is an error; GitHub shows ten annotations of a step."""
        likely = RACE.replace("exit 0", "lost 3 text=\"calls of cuFoo have no decoder\"\nexit 0")
        advice = "alloc d 1024\nalloc p 1024\ncopy s1 p <- d 1024\nstream_sync s1\nexit 0\n"
        scripts = [f'process 1 "a"\n{advice}', f'process 2 "b"\n{likely}', f'process 3 "c"\n{RACE}']
        lines = self.merged("github", *scripts).splitlines()
        self.assertEqual(lines[0].split()[0], "::error")
        self.assertEqual([line for line in lines if "title=SC-101" in line], lines[:1])
        self.assertEqual([line.split()[0] for line in lines if "title=streamcheck" in line], ["::warning"])
        self.assertIn("in 1 process; first in 2: b", lines[-1])

    def test_text(self):
        heads = re.findall(r"^==== (.*)$", self.text["text"], re.M)
        self.assertEqual(heads, ["process 100, rank 0: train --rank 0",
                                 "process 100, rank 1: train --rank 1",
                                 "process 101: launcher <b>"])
        self.assertIn("in 2 of 3 processes: ranks 0-1\n", self.text["text"])
        self.assertEqual(self.text["text"].count("\nerror SC-101 "), 1)
        self.assertEqual(self.text["text"].count(" of processes above\n"), 1)

    def test_whole_text_shows_each_finding_of_each_process(self):
        done = subprocess.run([COMMAND, "analyze", "--html=no", "--text=all", *self.paths], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertEqual(done.stderr.count("\nerror SC-101 "), 2)
        self.assertNotIn("of processes above", done.stderr)

    def test_html(self):
        processes = sound.html_data(self.text["html"])["processes"]
        self.assertEqual([sound.plain(p["report"]) for p in processes], [sound.plain(p) for p in self.report["processes"]])
        self.assertEqual([len(p["report"]["findings"]) for p in processes],
                         [len(p["findings"]) for p in self.report["processes"]])
        alone = [sound.html_data(a["html"])["processes"][0] for a in self.alone]
        for process in processes + alone:  # several processes share the page's drawings
            self.assertGreater(process["page"].pop("drawn"), 0)
        self.assertEqual(processes, alone)


class Crowd(unittest.TestCase):
    """More processes than have a part of the report each: what they have together, from traces and from summaries alike."""
    RANKS = 100

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        for rank in range(cls.RANKS):
            script = CLEAN if rank == 7 else RACE.replace("exit 0", "set s2 d 64\nexit 0") if rank == 90 else RACE
            with open(os.path.join(cls.folder.name, f"{rank:03}.sct.txt"), "w", encoding="utf-8") as file:
                file.write(f'process {100 + rank} "train" object={rank + 1}\n' + script)
        cls.run_command("merge", "traces", ".")
        for shard in (1, 2, 3):
            cls.run_command("analyze", "unused", "--summary=%d.scs" % shard, "--shard=%d/3" % shard, ".")
        cls.run_command("merge", "summaries", *("%d.scs" % shard for shard in (1, 2, 3)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_command(cls, command, name, *words):
        reports = [f"--report={form}:{name}.{form}" for form in ("json", "gcc", "github", "gitlab", "sarif", "junit", "html")]
        done = subprocess.run([COMMAND, command, "--html=no", *reports, *words], cwd=cls.folder.name, capture_output=True, text=True, check=False,
                              timeout=60)
        if done.returncode != 66:
            raise AssertionError(done.stderr)

    def read(self, name):
        with open(os.path.join(self.folder.name, name), encoding="utf-8") as file:
            return file.read()

    def test_formats_are_sound_and_do_not_depend_on_the_way(self):
        together = json.loads(self.read("summaries.json"))["together"]
        self.assertEqual(together, json.loads(self.read("traces.json"))["together"])
        self.assertEqual((together["processes"], together["ranks"]), (self.RANKS, "0-99"))
        self.assertIn("0-6,8-99", [f["ranks"] for f in together["findings"]])
        self.assertEqual(sound.check_json(self.read("summaries.json")), [])
        for form in ("gcc", "github", "gitlab", "sarif", "junit"):
            for way in ("summaries.", "traces."):
                self.assertEqual(list(getattr(sound, "check_" + form)(self.read(way + form), {**together, "findings": louder_first(together["findings"])})),
                                 [], way + form)

    def test_traces_say_more_than_summaries(self):
        """All ranks have the place, the stacks and the fix of the first one that has the finding; of a summary the places are left."""
        for way, has_stacks in (("summaries", False), ("traces", True)):
            run = json.loads(self.read(way + ".sarif"))["runs"][0]
            self.assertEqual(["stacks" in result for result in run["results"]], [has_stacks] * len(run["results"]))
            self.assertIn("0-6,8-99", [result["properties"]["ranks"] for result in run["results"]])
            self.assertEqual(len(run["invocations"]), 1)
        self.assertIn("note: fix: ", self.read("traces.gcc"))

    def test_lines(self):
        for form, start in (("gcc", "note: "), ("github", "%0A")):
            self.assertEqual(self.read("summaries." + form).count(start + "processes: in ranks 0-99 except 7\n"), 1)
            self.assertEqual(self.read("traces." + form).count(start + "processes: in ranks 0-99 except 7; first in 100: train\n"), 1)

    def test_junit(self):
        for way in ("summaries", "traces"):
            suites = xml.fromstring(self.read(way + ".junit"))
            self.assertEqual([s.get("name") for s in suites], ["train"])
            self.assertEqual((suites.get("errors"), suites.get("skipped")), ("0", "0"))
            self.assertIn("processes: in ranks 0-99 except 7", suites.find(".//failure").text)

    def test_html(self):
        traces, summaries = (sound.html_data(self.read(name + ".html")) for name in ("traces", "summaries"))
        for key in ("processes", "ranks", "complete", "gaps", "groups", "findings"):
            self.assertEqual(traces["together"][key], summaries["together"][key], key)
        self.assertEqual(traces["counts"], summaries["counts"])
        self.assertEqual((summaries["processes"], summaries["summarized"]), ([], self.RANKS))
        # In full are the first processes, and the one with a finding that they do not have.
        self.assertEqual([p["report"]["process"]["rank"] for p in traces["processes"]], [*range(8), 90])
        self.assertLess(len(self.read("traces.html")), 400_000)

    def test_many_processes_without_ranks(self):
        """As those of a test runner, of which each may be another program: a case and a page for each, a finding once."""
        folder = os.path.join(self.folder.name, "programs")
        os.mkdir(folder)
        for number in range(70):
            with open(os.path.join(folder, f"{number}.sct.txt"), "w", encoding="utf-8") as file:
                file.write(f'process {100 + number} "test --case={number}"\n' + RACE)
        self.run_command("merge", "programs", "programs")
        self.assertEqual(len(xml.fromstring(self.read("programs.junit")).findall(".//failure")), 70)
        run = json.loads(self.read("programs.sarif"))["runs"][0]
        self.assertEqual((len(run["results"]), len(run["invocations"])), (2, 70))
        self.assertEqual(run["results"][0]["properties"]["processes"], 70)
        page = sound.html_data(self.read("programs.html"))
        self.assertEqual((len(page["processes"]), "together" in page), (70, False))

    def test_a_few_traces_beside_summaries(self):
        """Of what the trace has, its part of the report is enough."""
        self.run_command("merge", "mixed", "095.sct.txt", "3.scs", "1.scs", "2.scs")
        log = json.loads(self.read("mixed.sarif"))
        self.assertEqual([len(run["invocations"]) for run in log["runs"]], [2])
        together = json.loads(self.read("mixed.json"))["together"]["findings"]
        self.assertEqual([f["severity"] for f in together], sorted((f["severity"] for f in together), key=["error", "warning", "advice"].index))
        found = [(result["partialFingerprints"]["streamcheck/v3"], result["properties"]["processes"])
                 for run in log["runs"] for result in run["results"]]
        self.assertEqual(sorted(found), sorted((f["fingerprint"], f["processes"]) for f in together))
        page = sound.html_data(self.read("mixed.html"))
        self.assertEqual((len(page["processes"]), page["together"]["processes"]), (1, self.RANKS + 1))
        self.assertEqual(sum(page["counts"][:3]), len(found))

    def test_a_missing_shard_is_said(self):
        for form in ("sarif", "junit", "html"):
            done = subprocess.run([COMMAND, "merge", "--html=no", "--fail-on=none", f"--format={form}", "--output=cut." + form, "1.scs", "3.scs"],
                                  cwd=self.folder.name, capture_output=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 3)
            self.assertIn("of 3 shards only these were analyzed: 1,3", self.read("cut." + form))
        self.assertEqual(xml.fromstring(self.read("cut.junit")).get("errors"), "1")
        self.assertFalse(json.loads(self.read("cut.sarif"))["runs"][0]["invocations"][0]["executionSuccessful"])


class Diff(unittest.TestCase):
    """Which findings a trace has that another does not have."""
    ONE = RACE.replace("exit 0", "stream_sync s1\nexit 0")
    ADVICE = "stream_sync s1\nexit 0\n"

    def diff(self, old, new, *options):
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            for name, script in (("old", old), ("new", new)):
                with open(os.path.join(folder, name + ".sct.txt"), "w", encoding="utf-8") as file:
                    file.write("process 9\n" + script)
            done = subprocess.run([COMMAND, "diff", *options, "old.sct.txt", "new.sct.txt"], cwd=folder, capture_output=True, text=True,
                                  check=False, timeout=60)
            return done.returncode, done.stdout

    def test_text(self):
        code, said = self.diff(CLEAN, self.ONE)
        self.assertEqual((code, said.splitlines()[-1]), (66, "1 new, 0 gone, 0 same"))
        self.assertRegex(said, r"^new  streamcheck: error: .* \[SC-101\]\n")
        code, said = self.diff(self.ONE, CLEAN)
        self.assertEqual((code, said.splitlines()[-1]), (0, "0 new, 1 gone, 0 same"))
        self.assertTrue(said.startswith("gone streamcheck: error: "))
        self.assertEqual(self.diff(self.ONE, self.ONE), (0, "0 new, 0 gone, 1 same\n"))

    def test_gate(self):
        advice = self.ONE.replace("exit 0\n", self.ADVICE)
        self.assertEqual(self.diff(self.ONE, advice)[0], 0)
        self.assertEqual(self.diff(self.ONE, advice, "--fail-on=advice", "--exitcode=7")[0], 7)
        self.assertEqual(self.diff(CLEAN, self.ONE, "--format=gcc")[0], 2)

    def test_json(self):
        code, said = self.diff(self.ONE, self.ONE.replace("exit 0\n", self.ADVICE), "--format=json")
        got = json.loads(said)
        self.assertEqual((code, got["complete"], [f["rule"] for f in got["same"]]), (0, True, ["SC-101"]))
        self.assertEqual(({f["rule"] for f in got["new"]}, got["gone"]), ({"SC-303"}, []))
        self.assertRegex(got["new"][0]["fingerprint"], "^[0-9a-f]{16}$")

    def test_incomplete(self):
        self.assertEqual(self.diff(CLEAN, CLEAN.replace("exit 0", 'lost 3 text="calls"\nexit 0'))[0], 3)


def drained(terminal):
    """What was written to a terminal, until nobody has it open."""
    said = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so where others say that it has ended
            piece = b""
        if not piece:
            os.close(terminal)
            return said.decode()
        said += piece


class Beside(unittest.TestCase):
    """The HTML report that lies beside a text report."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(self.folder.cleanup)
        for name, script in (("race", RACE), ("clean", CLEAN)):
            with open(os.path.join(self.folder.name, name + ".sct.txt"), "w", encoding="utf-8") as file:
                file.write("process 9\n" + script)

    def analyze(self, *arguments):
        """Exit code, what was said, and the new files."""
        before = set(os.listdir(self.folder.name))
        done = subprocess.run([COMMAND, "analyze", *arguments], cwd=self.folder.name, timeout=60,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr, sorted(set(os.listdir(self.folder.name)) - before)

    def test_with_findings(self):
        code, said, files = self.analyze("--html", "race.sct.txt")
        self.assertEqual((code, files), (66, ["streamcheck-reports"]))
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder.name, *files))), [".gitignore", "report.9.html"])
        self.assertIn("streamcheck-reports/report.9.html shows these", said)

    def test_on_a_terminal(self):
        for options, wanted in (([], ["report.9.html"]), (["--html=no"], None)):
            with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
                ours, theirs = pty.openpty()
                with subprocess.Popen([COMMAND, "analyze", *options, os.path.join(self.folder.name, "race.sct.txt")],
                                      cwd=folder, stderr=theirs, stdout=subprocess.DEVNULL) as child:
                    os.close(theirs)
                    said = drained(ours)
                    self.assertEqual(child.wait(60), 66)
                kept = glob.glob(os.path.join(folder, "streamcheck-reports", "*"))
                self.assertEqual([os.path.basename(k) for k in kept], wanted or [], said)

    def test_beside_its_file(self):
        self.assertEqual(self.analyze("--html", "--output=r.txt", "clean.sct.txt", "race.sct.txt")[2],
                         ["r.txt", "r.txt.html"])

    def test_not_asked_for(self):
        for arguments in (["--html", "clean.sct.txt"], ["--html=no", "race.sct.txt"], ["race.sct.txt"],
                          ["--html", "--format=gcc", "race.sct.txt"], ["--output=/dev/null", "clean.sct.txt"]):
            self.assertEqual(self.analyze(*arguments)[2], [], arguments)

    def test_no_room_for_it_fails_nothing(self):
        os.mkdir(os.path.join(self.folder.name, "r.txt.html"))
        code, said, files = self.analyze("--html", "--output=r.txt", "race.sct.txt")
        self.assertEqual((code, files), (66, ["r.txt"]))
        self.assertIn("cannot write the HTML report r.txt.html: ", said)


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
