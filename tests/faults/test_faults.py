#!/usr/bin/env python3
"""Fails allocations and system calls of the recorder and of the command, one after the other, and judges each run.

usage: test_faults.py PREFIX FOLDER recorder|command|files|questions|again|meanwhile [--all] [SUBJECT KIND FIRST COUNT]

FOLDER has what CMakeLists.txt builds here. Of each kind the first call of each place fails, and some between these, once and for good;
with --all every one. With four more words that one run is shown, and its files stay. A run is right if

* the program prints what it prints alone, ends so, and no process dies by a signal or hangs;
* no report reads as complete and lacks a finding, an operation or a process; none has a proven finding that the program has not;
* no report is there in part;
* a command that answers a question gives the whole answer, or says what it lacks, or does not end with exit code 0.
"""
import collections
import concurrent.futures
import contextlib
import json
import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PREFIX, BUILT = map(os.path.abspath, sys.argv[1:3])
SOURCES = os.path.dirname(os.path.abspath(__file__))
LIMIT_S = 30
WORKERS = 2
MOST = 5  # calls of a kind that fail, beside the first of each place
MOST_WHOLE = 1000  # with --all: all system calls, and one of so many allocations
ONCE = ("EINTR", "split")  # a call that is always interrupted never ends; to open all pages there is always room
INSTEAD = 3  # calls that fail in a row: one, its message, and what is done instead
COMPLETE = (0, 66)  # exit codes of a report that lacks nothing
WORK = ("streams", "copies", "kernels", "host_accesses", "waits")  # of a report's coverage
CALLS = ("ENOSPC", "EMFILE", "EINTR", "short", "ENOMEM", "split", "EIO")
KINDS = (*CALLS, "memory")
PLACES = 262144  # fault.h
COMMAND = "exe:streamcheck"
WAYS = ("racy", "fixed")
KEPT = "streamcheck-reports"
SAID = ("could not be read", "cannot be read", "cannot read", "cannot find", "were not recorded", "is not complete", "is incomplete")  # of what an answer lacks
NOT_OURS = (("doctor", "memory"),)  # CUPTI, which it loads, ends the process
LONG = ("run-fixed", "analyze-fixed", "merge-racy")  # only with --all


class Run:
    """One run: what failed, how it ended, what it printed and wrote."""

    def __init__(self, folder, kind, count, code, out, err, ends, places):
        self.folder, self.kind, self.code, self.out, self.err, self.ends, self.places = folder, kind, code, out, err, ends, places
        self.is_lasting = count != 1

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None


def prefix_with(folder, library):
    """An install tree that has another recorder."""
    for name in ("bin", "lib"):
        os.makedirs(os.path.join(folder, name))
    shutil.copy(os.path.join(PREFIX, "bin", "streamcheck"), os.path.join(folder, "bin"))
    shutil.copy(library, os.path.join(folder, "lib"))
    for name in ("lib/streamcheck", "share"):
        os.symlink(os.path.join(PREFIX, name), os.path.join(folder, name))
    return folder


class Subject:
    """A command that is run again and again: its words, and how its processes are chosen."""

    def __init__(self, name, way, who, words, reports):
        self.name, self.way, self.who, self.words, self.reports = name, way, who, words, reports
        self.answers = False  # what it prints is what it is for
        self.is_of_now = False  # it is about a process that goes on
        self.hides = False  # findings by their names, so that where names are missing, and that is said, they are there
        self.variables = {}  # of a program without the command, which ends with the report's code
        self.alone = self.sound = None

    def program(self):
        """The words from the program on."""
        return self.words[self.words.index("--") + 1:] if "--" in self.words else self.words

    def plain(self, text):
        """An answer without what changes from moment to moment."""
        return re.sub(r"[ ]+", " ", re.sub(r"\d[\d.]*", "N", text)).replace("N error,", "N errors,") if self.is_of_now else text

    def environment(self, folder, kind, first, count):
        env = {name: value for name, value in os.environ.items() if not name.startswith("STREAMCHECK")}
        env.update(STREAMCHECK_SIM_SCHEDULE="eager", HOME=folder, TMPDIR=folder)
        env.update({name: value.replace("FOLDER", folder) for name, value in self.variables.items()})
        if kind == "memory":
            path = os.path.join(folder, "faults")
            with open(path, "wb") as file:
                file.write(struct.pack("qqq", first, count, 0))
                file.truncate(24 + 8 * PLACES)
            env["STREAMCHECK_TEST_FAULTS"] = path
            if self.who.startswith("exe:"):
                env["LD_PRELOAD"] = os.path.join(BUILT, "libfault_heap.so")
        return env

    def run(self, folder, kind, first, count):
        log = os.path.join(folder, "log")
        words = [word.replace("FOLDER", folder) for word in self.words]
        if kind == "memory" and self.who.startswith("lib:") and not self.variables:
            words[0] = os.path.join(self.other_prefix, "bin", "streamcheck")
        traced = [os.path.join(BUILT, "fault_calls"), log, self.who, "EINTR" if kind == "memory" else kind,
                  "-1" if kind == "memory" else str(first), "1" if kind == "memory" else str(count)]
        with open(os.path.join(folder, "out"), "w+b") as out, open(os.path.join(folder, "err"), "w+b") as err:
            with subprocess.Popen(traced + words, env=self.environment(folder, kind, first, count), cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=out, stderr=err, start_new_session=True) as process:
                try:
                    code = process.wait(LIMIT_S)
                except subprocess.TimeoutExpired:
                    process.kill()  # and what it traces with it
                    process.wait()
                    code = None
        return Run(folder, kind, count, code, read(folder, "out"), read(folder, "err"), *self.read_log(folder, kind))

    def read_log(self, folder, kind):
        ends, places = [], []
        for line in read(folder, "log").splitlines():
            words = line.split()
            if words[0] == "end" and len(words) == 5:
                ends.append((words[2], words[3], int(words[4])))
            elif words[0] == "call" and len(words) == 5:
                places.append((words[2], words[4]))
        if kind == "memory":
            with open(os.path.join(folder, "faults"), "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
                passed = min(struct.unpack_from("q", data, 16)[0], PLACES)
                places = [("", hex(place)) for place in struct.unpack_from(f"{passed}Q", data, 24)]
        return ends, places


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read()


# ---- what a report says ----

def facts(process):
    """What a report must not lack: findings by rule and confidence, as often as each was seen; the work."""
    found = collections.Counter()
    for f in process["findings"]:
        if f["severity"] != "advice":
            found[f["rule"], f["confidence"]] += f["count"]
    return found, [process["coverage"][name] for name in WORK]


def proven(report):
    found = collections.Counter()
    for process in processes(report):
        for f in process["findings"]:
            if f["severity"] == "error" and f["confidence"] == "proven":
                found[f["rule"]] += f["count"]
    return found


def processes(report):
    return report.get("processes", [report])


def judge_json(text, code, sound, err):
    """What is wrong with a JSON report, or None; `sound` is that of the run without a fault."""
    try:
        report = json.loads(text)
    except ValueError:
        return "a report is there in part"
    want = json.loads(sound)
    if proven(report) - proven(want):
        return f"proven, and not so: {dict(proven(report) - proven(want))}"
    if not all(p["complete"] for p in processes(report)) or code not in COMPLETE:
        return None
    lacking = lack(report, want) or (places(report) < places(want) and "could not be read" not in err and "lines of the sources")
    return f"reads as complete, and lacks {lacking}" if lacking else None


def lack(report, want):
    """What a report has not, and should have; what it has, and should not."""
    count = [len(processes(each)) for each in (report, want)]
    if count[0] != count[1]:
        return f"{count[1] - count[0]} processes"
    has, should = (sorted(map(facts, processes(each)), key=lambda pair: pair[1]) for each in (report, want))
    return [(dict(s[0] - h[0]), dict(h[0] - s[0]), s[1], h[1]) for h, s in zip(has, should) if h != s]


def places(report):
    """Lines of the sources in a report."""
    return sum("line" in frame and not frame["internal"] for p in processes(report) for f in p["findings"] for a in f["accesses"] for frame in a["frames"])


def judge_end(text, tail):
    return None if text.endswith(tail) else "a report is there in part"


def judge_sarif(text, code, sound, _):
    try:
        report = json.loads(text)
    except ValueError:
        return "a report is there in part"
    count = [sum(len(run["results"]) for run in log["runs"]) for log in (report, json.loads(sound))]
    return "SARIF lacks results" if code in COMPLETE and count[0] < count[1] else None


def summary_of(text):
    """Findings of the last line of --live-output, where that is the summary; else None."""
    last = json.loads(text.splitlines()[-1]) if text.endswith("\n") else {}
    return sorted((f["rule"], f["confidence"], f["count"]) for f in last["findings"]) if last.get("kind") == "summary" else None


def judge_lines(text, code, sound, err):
    """Lines that end early are said to; a summary has all."""
    try:
        summary = summary_of(text)
        for line in text.splitlines(True):
            line.endswith("\n") and json.loads(line)
    except ValueError:
        return "a line is there in part, and others come after it"
    if summary is None:
        return None if "option live" in err or code not in COMPLETE else "lines end, and nobody says so"
    return None if summary == summary_of(sound) or code not in COMPLETE or "option live" in err else "the summary lacks findings"


def judge_same(text, code, sound, err):
    return None if text == sound or code not in COMPLETE or any(said in err for said in SAID) else "something else is written"


JUDGES = {"json": judge_json, "sarif": judge_sarif, "html": lambda text, *_: judge_end(text, "</html>\n"),
          "text": lambda text, *_: judge_end(text, "\n"), "jsonl": judge_lines, "baseline": judge_same, "gen": judge_same, "summary": judge_same}


def judge_reports(subject, run):
    for name in subject.reports:
        text = run.read(name)
        if text is None:
            if run.code in COMPLETE:
                return f"exit {run.code}, and no {name}"
            continue
        wrong = JUDGES[name.split(".")[-1]](text, run.code, subject.sound.read(name), run.err)
        if wrong:
            return f"{name}: {wrong}"
    left = [name for name in os.listdir(run.folder) if re.search(r"\.(json|html|sarif|baseline)\.", name)]
    return f"left behind: {left}" if left and run.code in COMPLETE else judge_kept(subject, run)


def kept(run):
    folder = os.path.join(run.folder, KEPT)
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".sct.zst")] if os.path.isdir(folder) else []


def judge_kept(subject, run):
    """Of packed traces: none that cannot be read, and none is missing without a word."""
    if len(kept(run)) < len(kept(subject.sound)) and run.code in COMPLETE and (run.kind == "short" or "cannot keep the trace" not in run.err):
        return "no trace is kept"
    for path in kept(run):
        done = subprocess.run(tool("dump", path), capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3) or (done.returncode and run.code in COMPLETE):
            return f"the trace that is kept: {done.stderr}"
    return None


def judge(subject, run):
    """What is wrong with the run, or None."""
    if run.code is None:
        return "hangs"
    # of debug information that ends its reader, a process of its own, there are no names: that is so by design
    died = [end for end in run.ends if end[1] == "signal" and end[0] == subject.way]
    if died or run.code >= 128:
        return f"died: {died or run.code}"
    if subject.alone is not None:
        own = [end for end in run.ends if end[0] == subject.way and end[2] and not subject.variables]
        if own:
            return f"the program ends otherwise: {own}"
        if run.out != subject.alone and (own or run.code not in (2, 126, 127)):
            return "the program prints something else"
    if subject.answers and run.code == subject.sound.code and judge_same(subject.plain(run.out), 0, subject.plain(subject.sound.out),
                                                                         run.err + run.out):
        return "the answer is another one"
    if run.code not in COMPLETE and not run.err and not (subject.answers and run.out) and not run.is_lasting:  # where all writes fail, there is no message either
        return f"exit {run.code} without a message"
    if run.code not in COMPLETE and run.code not in (2, 3):
        return None if run.code in (1, 126, 127) else f"exit {run.code}"
    if subject.hides and run.code == 66 and any(said in run.err for said in SAID):
        return None
    if run.code in COMPLETE and run.code != subject.sound.code:
        return f"exit {run.code} and not {subject.sound.code}"
    return judge_reports(subject, run)


# ---- which calls fail ----

def spread(count, most):
    return range(1, count + 1, max(1, -(-count // most)))


def chosen(places, kind, whole, is_recorder):
    """[(first, count)]: the first call of each place fails, and some between these, there also all from it on; the recorder's first ones also
    with what it does instead."""
    firsts = {}
    for number, place in enumerate(places, 1):
        firsts.setdefault(place, number)
    some = spread(len(places), MOST_WHOLE if whole else MOST)
    lasting = [] if kind in ONCE else [(first, 0) for first in sorted(set(some) | set(firsts.values() if whole else ()))]
    instead = [(first, INSTEAD) for first in sorted(firsts.values())] if kind == "ENOSPC" and is_recorder else []
    return [(first, 1) for first in sorted(set(some) | set(firsts.values()))] + instead + lasting


def one(subject, kind, first, count, folder=None):
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as temporary:
        run = subject.run(folder or temporary, kind, first, count)
        return judge(subject, run), run


def try_kind(subject, kind, whole, pool):
    """Runs of one kind: (how many, [(first, count, what is wrong)])."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        places = subject.run(folder, kind, 0, 0).places
    tries = chosen(places, kind, whole, subject.who.startswith("lib:"))
    wrong = []
    for (first, count), (fault, run) in zip(tries, pool.map(lambda t: one(subject, kind, *t), tries)):
        if fault:
            at = [p for p in (places[first - 1:first] if kind == "memory" else run.places[:1])]
            wrong.append((first, count, fault, at))
    return len(tries), len(places), wrong


# ---- what is run ----

def tool(*words):
    return [os.path.join(PREFIX, "bin", "streamcheck"), *words]


def run_words(way, *options):
    return tool("run", *(options or ("--device=sim", "--html=no")), "--report=json:FOLDER/r.json", "--", os.path.join(BUILT, way))


def record(folder, way, options=(), words=(), **environment):
    """Paths of the traces of a run, the smallest first."""
    subprocess.run(tool("run", "--device=sim", "--html=no", f"--trace={folder}/{way}.%p.sct", *options, "--", os.path.join(BUILT, way), *words),
                   check=False, capture_output=True, env=dict(os.environ, STREAMCHECK_SIM_SCHEDULE="eager", **environment))
    return sorted((os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(way + ".")), key=os.path.getsize)


def alone(library):
    """The environment of a program without the command."""
    return {"LD_PRELOAD": library, "LD_LIBRARY_PATH": os.path.join(PREFIX, "lib", "streamcheck", "sim")}


def of_recorder(folder):
    other = prefix_with(os.path.join(folder, "other"), os.path.join(BUILT, "libstreamcheck.so"))
    for way in WAYS:
        subject = Subject(f"recorder-{way}", way, "lib:libstreamcheck.so", run_words(way), ["r.json"])
        subject.other_prefix = other
        yield subject
    subject = Subject("bare", "racy", "lib:libstreamcheck.so", [os.path.join(BUILT, "racy"), "single"], ["r.json"])
    subject.variables = alone(os.path.join(other, "lib", "libstreamcheck.so")) | {
        "STREAMCHECK_OPTIONS": "html=no:report=json\\:FOLDER/r.json"}
    yield subject


def of_command(folder):
    """Reports of what was recorded."""
    for way in WAYS:
        traces = record(folder, way)
        reports = [f"r.{name}" for name in ("json", "sarif", "html", "text")]
        asked = [f"--report={name[2:]}:FOLDER/{name}" for name in reports]
        yield Subject(f"run-{way}", way, COMMAND, run_words(way), ["r.json"])
        yield Subject(f"analyze-{way}", None, COMMAND, tool("analyze", *asked, traces[-1]), reports)
        yield Subject(f"merge-{way}", None, COMMAND, tool("merge", *asked, *traces), reports)


def of_files(folder):
    """What else is read and written: what is known, what is hidden, declarations, a summary, and how it is merged."""
    trace = record(folder, "racy")[-1]
    known, hidden, declared, summary = (os.path.join(folder, name) for name in ("known.txt", "hidden.txt", "declared.txt", "first.summary"))
    subprocess.run(tool("baseline", "-o", known, trace), check=True, capture_output=True)
    for path, text in ((hidden, "[one]\nrule = SC-106\n\n[other]\nrule = SC-101\nfunction = use_streams*\n"), (declared, "")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    written = ["r.json", "r.gen", "r.summary"]
    analyze = tool("analyze", "--html=no", "--report=json:FOLDER/r.json", "--gen-suppressions=FOLDER/r.gen", "--summary=FOLDER/r.summary",
                   f"--footprints-file={declared}")
    for subject in (Subject("known", None, COMMAND, [*analyze, f"--baseline={known}", trace], [name for name in written if name != "r.gen"]),
                    Subject("hidden", None, COMMAND, [*analyze, f"--suppressions={hidden}", trace], written)):
        subject.hides = True
        yield subject
    subprocess.run(tool("analyze", "--html=no", f"--summary={summary}", trace), check=False, capture_output=True)
    yield Subject("summary", None, COMMAND, tool("merge", "--html=no", "--report=json:FOLDER/r.json", summary), ["r.json"])


def of_questions(folder):
    """Commands that answer a question about a trace."""
    trace = record(folder, "racy")[-1]
    for name, *words in (("explain", "explain", "1", trace), ("repair", "repair", trace), ("reproduce", "reproduce", "1", trace), ("plan", "repair", "--format=json", f"--source-root={SOURCES}", trace),
                         ("sites", "sites", trace), ("syncs", "syncs", trace), ("order", "order", trace, "fill", "store"),
                         ("page", "order", "--format=html", trace, "fill", "store"), ("graph", "graph", trace),
                         ("dump", "dump", trace), ("doctor", "doctor", os.path.join(BUILT, "racy")), ("rules", "rules", "SC-106"),
                         ("manual", "manual"), ("completion", "completion", "bash"), ("help", "help", "run")):
        subject = Subject(name, None, COMMAND, tool(*words), [])
        subject.answers = True
        yield subject
    yield Subject("baseline", None, COMMAND, tool("baseline", "-o", "FOLDER/r.baseline", trace), ["r.baseline"])


def of_again(folder):
    """A run that is followed, one that keeps its trace, and commands that run the program again."""
    way, live = "racy", ("--device=sim", "--html=no", "--live=yes", "--live-output=FOLDER/lines.jsonl", "--live-html=FOLDER/page.html")
    yield Subject("live", way, COMMAND, run_words(way, *live), ["r.json", "lines.jsonl", "page.html"])
    yield Subject("disk", way, COMMAND, run_words(way, *live, "--live-disk=32m"), ["r.json", "lines.jsonl", "page.html"])
    yield Subject("kept", way, COMMAND, run_words(way, "--device=sim", "--html=yes"), ["r.json"])
    yield Subject("confirm", way, COMMAND, [*run_words(way, "--device=sim", "--html=no", "--confirm=yes"), "single"], ["r.json"])
    if b"GPU: none" in subprocess.run(tool("doctor"), capture_output=True, check=False).stdout:
        yield Subject("auto", way, COMMAND, [*run_words(way, "--html=no"), "single"], ["r.json"])
    trace = record(folder, way, ["--images=no"], ["single"], STREAMCHECK_SIM_KERNELS="skip")[-1]
    yield Subject("verify", way, COMMAND, tool("verify", "--device=sim", "--html=no", "--report=json:FOLDER/r.json", trace, "--",
                                               os.path.join(BUILT, way), "single"), ["r.json"])


@contextlib.contextmanager
def waiting(*words, **environment):
    """A process that has used its streams, and goes on until nobody needs it any more."""
    env = dict(os.environ, STREAMCHECK_SIM_SCHEDULE="eager", **environment)
    with subprocess.Popen([*words, os.path.join(BUILT, "racy"), "waiting"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        yield process
        _, err = process.communicate()
        if process.returncode not in COMPLETE:
            sys.exit(f"{words}: exit {process.returncode}: {err}")


def child_of(process):
    """The one that executes the program."""
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return next(child for child in file.read().split() if os.readlink(f"/proc/{child}/exe").endswith("racy"))


def of_meanwhile(folder):
    """Commands about a process that goes on: alone, with windows, and followed by the command, which gives its trace back."""
    bare = alone(os.path.join(PREFIX, "lib", "libstreamcheck.so")) | {"TMPDIR": folder}
    with waiting(**bare) as process, waiting(**bare, STREAMCHECK_OPTIONS="window=calls") as windows, \
         waiting(*tool("run", "--device=sim", "--html=no", "--live-disk=32m", "--"), TMPDIR=folder) as run:
        for name, pid in (("alone", process.pid), ("followed", child_of(run.pid))):
            yield Subject(f"report-{name}", None, COMMAND, tool("report", "--html=no", "--report=json:FOLDER/r.json", str(pid)), ["r.json"])
            subject = Subject(f"top-{name}", None, COMMAND, tool("top", str(pid)), [])
            subject.answers = subject.is_of_now = True
            yield subject
        yield Subject("window", None, COMMAND, tool("window", str(windows.pid), "on"), [])


SUBJECTS = {"recorder": of_recorder, "command": of_command, "files": of_files, "questions": of_questions, "again": of_again, "meanwhile": of_meanwhile}


def prepare(subject, folder):
    """The run without a fault, and what the program prints alone."""
    if subject.way:
        env = dict(os.environ, STREAMCHECK_SIM_SCHEDULE="eager", LD_LIBRARY_PATH=os.path.join(PREFIX, "lib", "streamcheck", "sim"))
        subject.alone = subprocess.run(subject.program(), env=env, capture_output=True, text=True, check=True).stdout
    sound = os.path.join(folder, subject.name)
    os.mkdir(sound)
    subject.sound = subject.run(sound, "EIO", 0, 0)
    wrong = judge(subject, subject.sound)
    if wrong or subject.sound.code not in COMPLETE:
        sys.exit(f"{subject.name}: wrong without a fault: {wrong}, exit {subject.sound.code}\n{subject.sound.err}")


def show(subject, kind, first, count):
    folder = tempfile.mkdtemp(prefix="streamcheck-fault-")
    wrong, run = one(subject, kind, first, count, folder)
    print(f"{wrong}\nexit {run.code}, {run.ends}, {run.places[:4]}\n{run.err}\n{folder}")


def main():
    part, words = sys.argv[3], [word for word in sys.argv[4:] if word != "--all"]
    total = faults = 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for subject in SUBJECTS[part](folder):
            if words and not subject.name.startswith(words[0]):
                continue
            if not words and "--all" not in sys.argv and subject.name in LONG:
                continue
            prepare(subject, folder)
            if len(words) == 4:
                show(subject, words[1], int(words[2]), int(words[3]))
                continue
            for kind in KINDS:
                if (len(words) > 1 and kind != words[1]) or (subject.name, kind) in NOT_OURS:
                    continue
                tries, calls, wrong = try_kind(subject, kind, "--all" in sys.argv, pool)
                print(f"{subject.name} {kind}: {calls} calls, {tries} runs, {len(wrong)} wrong", flush=True)
                for line in wrong:
                    print("  FIRST COUNT", *line, flush=True)
                total, faults = total + tries, faults + len(wrong)
    print(f"{total} runs, {faults} wrong")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
