#!/usr/bin/env python3
"""The reports of all test cases, compared with the tree tests/golden/cases.

usage: golden.py check|facts|write PREFIX PROGRAM...     `check` compares these programs, of which there may be others;
`facts` no words of theirs

Of every program with findings the facts are kept: rule, places, bytes, order, fix (the file "facts"); one that is not
there is clean. The programs of chosen.txt have their reports kept as well, as text for their words or in several formats;
that every format is sound for all programs is checked by tests/formats/check_programs.py. `write` writes the tree anew;
look at the difference before you commit it. What depends on the machine (paths, processes, addresses,
positions in the trace, frames of system libraries) is masked alike on both sides.
"""
import difflib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import expectation
import sound

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.join(HERE, "cases")
CHOSEN = os.path.join(HERE, "chosen.txt")
FACTS = "facts"  # the file, and what takes the place of a format in it
FORMATS = ("text", "json", "gcc", "github", "sarif", "junit", "perfetto", "html", "gitlab")
SECTION = re.compile(rf"^==== ({'|'.join((FACTS, *FORMATS))})\n", re.M)
WIDTH = 120
# Of one difference: how many lines, and of how many programs.
SHOWN_LINES, SHOWN_PROGRAMS = 12, 10
TIMEOUT_S = 120

RAN = r"\d+ launch(?:es)? ran on the simulated device"
MASKS = [
    (re.compile(r"(file://)?/[^\s\"'↔:,]*?/testcases/(sim/)?"), r"testcases/"),
    (re.compile(r"(file://)?/(?:[\w.+-]+/)+([\w.+-]+)"), r"…/\2"),
    # A thread's stack ends in libc, whose own functions have names where its debug symbols are installed.
    (re.compile(r"\bstart_thread\b|\blibc\.so\.6\+0x[0-9a-f]+"), "the end of a thread"),
    (re.compile(r"tmpxft_\w+"), "tmpxft"),
    (re.compile(r"\b0x[0-9a-f]+\b"), "0xN"),
    (re.compile(r"\boperation \d+"), "operation N"),
    (re.compile(r"\bprocess \d+"), "process N"),
    (re.compile(r"\bn\d+\b"), "n#"),
    # How many findings a busy program has before this one may be luck.
    (re.compile(r", finding \d+"), ""),
    (re.compile(r"\bfinding \d+, "), "finding N, "),
    (re.compile(r"\b(event|in thread|graph|allocation|thread) \d+"), r"\1 N"),
    (re.compile(r"\bin \d+ operations\b"), "in N operations"),
    # A busy machine makes milliseconds of microseconds.
    (re.compile(r"\b[\d.]+ (ns|µs|ms|s)\b"), "N s"),
    (re.compile(r"\b\d+ bytes of pageable memory"), "N bytes of pageable memory"),
    # How often a busy program polls is luck, and so is how much of its reading overlaps with the device's work.
    (re.compile(r"\b\d+ host access(es)?\b"), "N host accesses"),
    (re.compile(r"; only the first \d+ of the run are known here"), ""),
    # How many launches a program that does not wait gets to see is luck.
    (re.compile(rf"^  launches: {RAN}\n", re.M), ""),
    (re.compile(RAN), "N launches ran on the simulated device"),
]
DROPPED = {"identity", "sequence", "offset", "module", "id", "processId", "commandLine", "address",
           "originalUriBaseIds", "rules", "ruleIndex", "index", "coverage", "threadId", "pid", "tid", "ts",
           "seq", "number", "explain", "thread", "stream_id", "blocked_ns", "idle_ns", "when",
           # The same in every report, or said by its text.
           "$schema", "schema_version", "streamcheck", "tool", "version", "slug", "summary", "suppression"}
# What calls main and the functions of threads.
START = re.compile(r'"(__libc_start_|start_thread|_*clone3?"|libc\.so\.6\+0x)')
USUAL_SOURCES = ("driver hook", "libc hook", "page guard")


def masked(text):
    for pattern, into in MASKS:
        text = pattern.sub(into, text)
    return text


def plain(value):
    """A JSON value without what depends on the machine, and without what is empty, zero or false."""
    if isinstance(value, dict):
        # Numbers of findings depend on how many there are.
        kept = {k: k == "cause" or plain(v) for k, v in value.items() if k not in DROPPED}
        return {k: v for k, v in kept.items() if v}
    if isinstance(value, list):
        return [plain(v) for v in value if not is_foreign(v) and not is_usual(v)]
    return masked(value) if isinstance(value, str) else value


def is_usual(value):
    """A note on a source of ops that every run has."""
    if not isinstance(value, dict):
        return False
    if value.get("kind") == "launches" or re.fullmatch(RAN, str((value.get("message") or {}).get("text"))):
        return True
    return value.get("kind") == "source" and value.get("text") in USUAL_SOURCES


def is_foreign(value):
    """A frame that is not the program's."""
    if not isinstance(value, dict):
        return False
    uris = re.findall(r'"uri": "([^"]*)"', json.dumps(value))
    # Where nvcc's stubs lie, beside the program or not, is nvcc's choice.
    own = [uri for uri in uris if "testcases/" in uri and not uri.endswith(".stub.c")]
    return value.get("internal") is True or (uris and not own) or bool(START.search(json.dumps(value.get("location"))))


def laid_out(value, indent="", key=""):
    """The lines of a JSON value: in one where it fits, else a line (or more) for each member."""
    whole = indent + key + json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(whole) <= WIDTH or not isinstance(value, (dict, list)):
        return [whole]
    is_dict = isinstance(value, dict)
    members = [(f"{json.dumps(k)}: ", value[k]) for k in sorted(value)] if is_dict else [("", v) for v in value]
    lines = [indent + key + "[{"[is_dict]]
    for name, member in members:
        lines += laid_out(member, indent + " ", name)
        lines[-1] += ","
    lines[-1] = lines[-1][:-1]
    return lines + [indent + "]}"[is_dict]]


def of_json(text):
    return "\n".join(laid_out(plain(json.loads(text)))) + "\n"


def place_of(frames, name):
    """The innermost place of the program: its line, and its file if that is not the program's own."""
    frame = next((f for f in frames if f.get("file")), None)
    if not frame:
        return "?"
    file = frame["file"].rsplit("/", 1)[-1]
    return f"{'' if name.startswith(os.path.splitext(file)[0]) else file + ':'}{frame['line']}"


def of_side(side, name):
    kernel = f"kernel {side['kernel']}" if "kernel" in side else side["op"].split(",")[0]
    span = f", {'' if side.get('exact') else 'at most '}{side['bytes']} bytes" if "bytes" in side else ""
    return f"    {side['mode']} {place_of(side.get('frames', []), name)}: {kernel}, {side.get('stream', 'no stream')}{span}"


def of_finding(finding, name):
    """What is known, without the words that say it."""
    head = [finding["rule"], finding["severity"], finding["confidence"]]
    head += [finding[key] for key in ("doubt_id", "order_id") if key in finding]
    head += [f"cause {','.join(finding['causes'])}"] if "causes" in finding else []
    head += ["below another"] if "cause" in finding else []
    head += [f"{finding['count']} times"] if finding["count"] > 1 else []
    places = re.findall(r":(\d+)", finding["fix"])
    lines = [f"  {', '.join(head)}; fix {' '.join([finding['fix_id'], *places])}"]
    lines += [of_side(side, name) for side in finding["accesses"]]
    if "allocation" in finding:
        memory = finding["allocation"]
        lines.append(f"    in {memory.get('bytes', '?')} bytes of {memory.get('memory', 'memory')}"
                     f" {memory.get('variable', '?')} from {place_of(memory.get('frames', []), name)}")
    return lines + ([f"    {finding['fault']}"] if "fault" in finding else [])


def facts_of(text, name):
    """The lines of a JSON report's facts."""
    report = plain(json.loads(text))
    lines = ["  incomplete"] if "complete" not in report else []
    lines += [f"  not seen: {note['text']}" for note in report.get("notes", []) if report.get("findings")]
    lines += [f"  failed {place_of(call.get('frames', []), name)}: {call['call']}, {call['error']}"
              for call in report.get("failed_calls", [])]
    for finding in report.get("findings", []):
        lines += of_finding(finding, name)
    return "".join(line + "\n" for line in lines)


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


def of_html(text):
    """What the page says of each finding, its drawing in words, its fix with places."""
    data = sound.html_data(text)["processes"][0]
    report, lines = data["report"], []
    for finding, drawing in zip(report["findings"], data["page"]["drawings"]):
        lines.append(f"{finding['rule']} {finding['severity']} {finding['confidence']} "
                     f"{finding['fingerprint']} causes {finding['causes']}{' below another' if 'cause' in finding else ''}")
        lines += [f"  {s['mode']}: {s['op']}" for s in finding["accesses"]]
        said = {**finding, **{key: finding[key]["text"] for key in ("timing", "cost") if key in finding}}
        lines += [f"  {key}: {said[key]}" for key in ("bytes", "order", "timing", "cost", "doubt") if said.get(key)]
        lines += [f"  memory: {step['op']}" for step in (finding["allocation"], drawing.get("freed")) if step]
        lines.append(f"  fix: {finding['fix_id']}: {finding['fix']}")
        lines += [f"    {key}: {at['file']}:{at['line']}" for key, at in finding["fix_at"].items() if key in ("after", "before")]
        lines += [f"  node {i}: {n[4]} marks {n[3]}" for i, n in enumerate(drawing["nodes"])]
        lines += [f"  edge: {a} -> {b} {kind}" for a, b, kind in drawing["edges"]]
    lines += [f"repair: {report['repair']['text']}"] if "repair" in report else []
    lines += [f"kernel {k['name']}: {k['launches']} launches" for k in report["kernels"]]
    return masked("\n".join(lines) + "\n")


READERS = {"json": of_json, "sarif": of_json, "junit": of_junit, "perfetto": of_perfetto, "html": of_html}


def chosen():
    """The formats that are kept of a program: "FORMAT,...|all NAME  why", one a line."""
    with open(CHOSEN, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {name: FORMATS if formats == "all" else tuple(formats.split(",")) for formats, name, *_ in rows}


def reports(prefix, program, formats, folder):
    """The reports of one run, by format."""
    paths = {name: os.path.join(folder, name) for name in {*formats, "text", "json"}}
    source = expectation.source_of(program)
    env = {k: v for k, v in os.environ.items() if k not in ("STREAMCHECK_OPTIONS", "LD_PRELOAD")}
    subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", *sound.options(paths),
                    *("--" + option for option in source.options), "--", program],
                   stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=TIMEOUT_S, check=False, cwd=folder,
                   env={**env, **source.env, "STREAMCHECK_SIM_SCHEDULE": "lazy"})
    texts = {}
    for name, path in paths.items():
        with open(path, encoding="utf-8") as file:
            texts[name] = file.read()
        os.remove(path)
    return texts


def check_length(name, text):
    """A finding has at most 25 lines, a report a page."""
    longest = max((block.split("\n\n")[0].count("\n") + 1
                   for block in re.split(r"\n\n(?=error |warning |advice )", text)[1:]), default=0)
    if longest > 25 or text.count("\n") > 100:
        sys.exit(f"{name}: a finding of {longest} lines in a report of {text.count(chr(10))}")


def whole_tree(prefix, programs, formats):
    """{program: its facts, and what else is kept of it}."""
    tree = {}
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in programs:
            name = os.path.basename(program)
            kept = formats.get(name, ())
            texts = reports(prefix, program, kept, folder)
            check_length(name, texts["text"])
            tree[name] = joined({FACTS: facts_of(texts["json"], name), **{f: READERS.get(f, masked)(texts[f]) for f in kept}})
    return tree


def kept_tree(folder=TREE):
    tree = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            tree[name] = file.read()
    return tree


def kept_of(programs, tree):
    """What a tree keeps of these programs."""
    names = {os.path.basename(program) for program in programs}
    return {name: text for name, text in tree.items() if name in names}


def divided(tree):
    """The files that keep a tree: the facts of all programs are one; a line that is not indented names a program."""
    parts = {name: sections(text) for name, text in tree.items()}
    files = {FACTS: "".join(f"{name}\n{parts[name].pop(FACTS)}" for name in sorted(parts) if FACTS in parts[name])}
    return {**files, **{name: joined(texts) for name, texts in parts.items() if texts}}


def whole(files):
    """The tree that these files keep."""
    rest = re.split(r"^(?! )(.+)\n", files[FACTS], flags=re.M)[1:]
    facts = {name: joined({FACTS: text}) for name, text in zip(rest[::2], rest[1::2])}
    return {name: facts.get(name, "") + files.get(name, "") for name in facts.keys() | files.keys() - {FACTS}}


def write(tree, folder=TREE):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for name, text in tree.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"{len(tree)} files written to {folder}")


def joined(texts):
    return "".join(f"==== {form}\n{text}" for form, text in texts.items() if text)


def sections(text):
    """The parts of a file by format; a file that is not divided is one."""
    first, *rest = SECTION.split(text)
    return {**({"report": first} if first else {}), **dict(zip(rest[::2], rest[1::2]))}


def difference(name, old, new):
    """For each format that differs, its name and the first lines that do."""
    old, new = sections(old), sections(new)
    for form in sorted(old.keys() | new.keys(), key=lambda form: (FACTS, *FORMATS, form).index(form)):
        left, right = (side.get(form, "").splitlines() for side in (old, new))
        if left == right:
            continue
        lines = list(difflib.unified_diff(left, right, n=1, lineterm=""))[2:]
        yield f"{name}: {form} differs (- as kept, + now)"
        yield from (f"    {line}" for line in lines[:SHOWN_LINES])
        if len(lines) > SHOWN_LINES:
            yield f"    … {len(lines) - SHOWN_LINES} lines more"


def compare(tree, kept):
    differ = [name for name in sorted(tree.keys() | kept.keys()) if tree.get(name, "") != kept.get(name, "")]
    for name in differ[:SHOWN_PROGRAMS]:
        print("\n".join(difference(name, kept.get(name, ""), tree.get(name, ""))))
    if differ[SHOWN_PROGRAMS:]:
        print("and also: " + ", ".join(differ[SHOWN_PROGRAMS:]))
    print(f"{len(tree)} files compared, {len(differ)} differ; `ninja golden` takes the new ones, `git diff` shows all of it")
    return 1 if differ or not tree else 0


def main():
    way, prefix, *programs = sys.argv[1:]
    formats = {} if way == "facts" else chosen()
    tree = whole_tree(os.path.abspath(prefix), [os.path.abspath(p) for p in programs], formats)
    if way == "write":
        if chosen().keys() - tree.keys():
            sys.exit(f"chosen.txt: no such program: {', '.join(sorted(chosen().keys() - tree.keys()))}")
        write(divided(tree))
        return 0
    files = kept_tree()
    return compare(tree, kept_of(programs, whole({FACTS: files[FACTS]} if way == "facts" else files)))


if __name__ == "__main__":
    sys.exit(main())
