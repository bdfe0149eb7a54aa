#!/usr/bin/env python3
"""The reports of all test cases in every format, compared with the tree tests/golden/cases.

usage: golden.py check|write PREFIX PROGRAM...

`write` writes the tree anew; look at the difference before you commit it. What depends on the machine
(paths, processes, addresses, positions in the trace, frames of system libraries) is masked alike on both
sides. Programs without findings have one line in the file "clean".
"""
import difflib
import glob
import html.parser
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.join(HERE, "cases")
FORMATS = ("text", "json", "gcc", "github", "sarif", "junit", "perfetto", "dot", "html")
TIMEOUT_S = 120

MASKS = [
    (re.compile(r"(file://)?/[^\s\"'↔:,]*?/testcases/(sim/)?"), r"testcases/"),
    (re.compile(r"(file://)?/(?:[\w.+-]+/)+([\w.+-]+)"), r"…/\2"),
    # A thread's stack ends in libc, which has another line there in each version.
    (re.compile(r"[\w./…-]*nptl[\w./…-]*/pthread_create\.c(:\d+(:\d+)?|,line=\d+,col=\d+)"), "the end of a thread"),
    (re.compile(r"tmpxft_\w+"), "tmpxft"),
    (re.compile(r"\b0x[0-9a-f]+\b"), "0xN"),
    (re.compile(r"\boperation \d+"), "operation N"),
    (re.compile(r"\bprocess \d+"), "process N"),
    (re.compile(r"\bn\d+\b"), "n#"),
    (re.compile(r"\b(event|in thread|graph|allocation|thread) \d+"), r"\1 N"),
    (re.compile(r"\bin \d+ operations\b"), "in N operations"),
    # A busy machine makes milliseconds of microseconds.
    (re.compile(r"\b[\d.]+ (ns|µs|ms|s)\b"), "N s"),
    (re.compile(r"\b\d+ bytes of pageable memory"), "N bytes of pageable memory"),
    # How often a busy program polls is luck, and so is how much of its reading meets the device's work.
    (re.compile(r"\b\d+ host access(es)?\b"), "N host accesses"),
    (re.compile(r"; only the first \d+ of the run are known here"), ""),
]
DROPPED = {"identity", "sequence", "offset", "module", "id", "processId", "commandLine", "address",
           "originalUriBaseIds", "rules", "ruleIndex", "index", "coverage", "threadId", "pid", "tid", "ts",
           "seq", "thread", "stream_id", "blocked_ns", "idle_ns", "artifacts"}


def masked(text):
    for pattern, into in MASKS:
        text = pattern.sub(into, text)
    return text


def plain(value):
    """A JSON value without what depends on the machine; frames that are not the program's are left out."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k not in DROPPED}
    if isinstance(value, list):
        return [plain(v) for v in value if not is_foreign(v)]
    return masked(value) if isinstance(value, str) else value


def is_foreign(value):
    if not isinstance(value, dict):
        return False
    uris = re.findall(r'"uri": "([^"]*)"', json.dumps(value))
    # Where nvcc's stubs lie, beside the program or not, is nvcc's choice.
    own = [uri for uri in uris if "testcases/" in uri and not uri.endswith(".stub.c")]
    return value.get("internal") is True or (uris and not own)


def of_json(text):
    return json.dumps(plain(json.loads(text)), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def of_junit(text):
    """Suites with the cases that say something."""
    suites = xml.fromstring(text)
    lines = []
    for case in suites.iter("testcase"):
        for part in case:
            lines.append(f"{case.get('name')}: {part.tag} {part.get('message') or ''}\n{part.text or ''}")
    return masked("".join(lines))


def of_perfetto(text):
    """Names by lane, in the order of each lane; lanes by name, those of one name by what they hold."""
    events = json.loads(text)["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    lanes = {}
    for event in events:
        if event["ph"] in "Bi":
            lane = lanes.setdefault(names.get((event["pid"], event["tid"]), "?"), [])
            lane.append(event["name"] + (" — " + event["args"]["fix"] if event["ph"] == "i" else ""))
    # How often a program polls is luck, and so is which thread is the second.
    return "".join(sorted(masked(f"{lane}\n" + "".join(f"  {name}\n" for name, _ in itertools.groupby(lanes[lane])))
                          for lane in lanes))


class Data(html.parser.HTMLParser):
    """The data inside an HTML report."""

    def __init__(self, text):
        super().__init__()
        self.is_data, self.text = False, ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.is_data = tag == "script" and ("type", "application/json") in attrs

    def handle_data(self, data):
        self.text += data if self.is_data else ""


def of_html(text):
    """What the page tells of each finding, its drawing in words, its fix with places."""
    data = json.loads(Data(text).text)["processes"][0]
    words = data["texts"]
    say = lambda index: "" if index is None else words[index]
    lines = []
    for finding in data["findings"]:
        lines.append(f"SC-{finding['rule']} {say(finding['severity'])} {say(finding['confidence'])} "
                     f"{finding['print']} causes {finding['causes']}")
        lines += [f"  {say(s['mode'])}: {say(s['op'])}" for s in finding["sides"]]
        lines += [f"  {key}: {say(finding[key])}" for key in ("bytes", "order", "timing", "cost", "doubt") if say(finding[key])]
        lines += [f"  memory: {say(step['what'])}" for step in finding["history"]]
        fix = finding["fix"]
        lines.append(f"  fix: {say(fix['kind'])}: {say(fix['text'])}")
        lines += [f"    {key}: {say(fix[key][0])}:{fix[key][1]}" for key in ("after", "before") if fix[key]]
        lines += [f"  node {i}: {say(n[4])} marks {n[3]}" for i, n in enumerate(finding["nodes"])]
        lines += [f"  edge: {a} -> {b} {kind}" for a, b, kind in finding["edges"]]
    lines += [f"kernel {say(k['name'])}: {k['launches']} launches" for k in data["kernelList"]]
    return masked("\n".join(lines) + "\n")


READERS = {"json": of_json, "sarif": of_json, "junit": of_junit, "perfetto": of_perfetto, "html": of_html}


def options_of(program):
    """The options that the head comment of the program asks for."""
    stem = os.path.basename(program).partition("-")[0]
    for path in glob.glob(os.path.join(HERE, "../../testcases/*", stem + ".cu")):
        with open(path, encoding="utf-8") as file:
            lines = [line.split(":", 1)[1] for line in file if line.startswith("// options:")]
        return ["--" + option for line in lines for option in line.split()]
    return []


def reports(prefix, program, folder):
    """The masked reports of one run, by format; empty if there is no finding."""
    paths = {name: os.path.join(folder, name) for name in FORMATS}
    env = {k: v for k, v in os.environ.items() if k not in ("STREAMCHECK_OPTIONS", "LD_PRELOAD")}
    subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no",
                    "--output=" + paths["text"],
                    *(f"--report={n}:{p}" for n, p in paths.items() if n != "text"),
                    *options_of(program), "--", program],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   timeout=TIMEOUT_S, check=False, cwd=folder, env={**env, "STREAMCHECK_SIM_SCHEDULE": "lazy"})
    texts = {}
    for name, path in paths.items():
        with open(path, encoding="utf-8") as file:
            texts[name] = READERS.get(name, masked)(file.read())
        os.remove(path)
    return texts if "SC-" in texts["gcc"] else {}


def whole_tree(prefix, programs):
    """All files of the tree by name."""
    tree, clean = {}, []
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in programs:
            name = os.path.basename(program)
            texts = reports(prefix, program, folder)
            if texts:
                tree[name] = "".join(f"==== {form}\n{texts[form]}" for form in FORMATS)
            else:
                clean.append(name)
    tree["clean"] = "".join(name + "\n" for name in sorted(clean))
    return tree


def kept_tree(folder=TREE):
    tree = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            tree[name] = file.read()
    return tree


def write(tree, folder=TREE):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for name, text in tree.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"{len(tree)} files written to {folder}")


def compare(tree, kept):
    failed = 0
    for name in sorted(tree.keys() | kept.keys()):
        old, new = kept.get(name, ""), tree.get(name, "")
        if old == new:
            continue
        failed += 1
        lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), "golden/" + name, name, n=1)
        sys.stdout.writelines(list(lines)[:60])
    print(f"{len(tree)} files compared, {failed} differ; golden.py write takes them as they are")
    return 1 if failed or len(tree) < 2 else 0


def main():
    way, prefix, *programs = sys.argv[1:]
    tree = whole_tree(os.path.abspath(prefix), [os.path.abspath(p) for p in programs])
    if way == "write":
        write(tree)
        return 0
    return compare(tree, kept_tree())


if __name__ == "__main__":
    sys.exit(main())
