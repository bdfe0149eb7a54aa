#!/usr/bin/env python3
"""Checks the sources against the rules of the house. usage: lint.py CHECK (a name below, or all)

Exit code 0: nothing wrong; 1: each complaint is one line FILE:LINE: sentence; 77: cannot check.
"""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDERS = ("base", "image", "trace", "ptx", "footprint", "interposer", "analyzer", "reports", "cmds", "extensions", "simulator",
           "kernels", "testcases", "tests", "bench", "include", "tools", "packaging")
SKIPPED = 77

# Folder: the folders whose headers it may include, or single headers. The core includes an extension by its one header
# (and its one table), and extensions do not include each other.
LAYERS = {
    "base": ("base",),
    "image": ("image", "base"),
    "trace": ("trace", "base"),
    "interposer": ("interposer", "image", "ptx/loaded_address.h", "trace", "base", "include", "kernels/recording.h",
                   "extensions/agents/agent.h", "extensions/agents/agent.def"),
    "ptx": ("ptx", "base"),
    "footprint": ("footprint", "ptx", "base"),
    "analyzer": ("analyzer", "footprint", "image", "trace", "base"),
    "reports": ("reports", "analyzer/analysis.h", "analyzer/finding/finding.h", "analyzer/finding/rule.h",
                "analyzer/finding/rule.def", "analyzer/model/coverage.def", "analyzer/finding/verdict.h", "analyzer/symbol/symbol.h", "analyzer/symbol/demangle.h", "analyzer/symbol/stub.h", "trace", "base"),
    "cmds": ("cmds", "reports", "analyzer", "footprint", "trace", "base", "extensions/live/live.h", "extensions/ranks/ranks.h",
             "extensions/repair/repair.h"),
    "extensions/anonymize": ("extensions/anonymize", "cmds", "reports", "analyzer", "footprint", "ptx/lexer.h", "image", "trace", "base"),
    "extensions/live": ("extensions/live", "cmds", "reports", "analyzer", "footprint", "trace", "base"),
    "extensions/questions": ("extensions/questions", "cmds", "reports", "analyzer", "footprint", "trace", "base"),
    "extensions/ranks": ("extensions/ranks", "cmds", "reports", "analyzer", "trace", "base"),
    "extensions/repair": ("extensions/repair", "cmds", "reports", "analyzer", "trace", "base"),
    "extensions/agents": ("extensions/agents", "interposer", "trace", "base", "include"),
    "simulator": ("simulator", "image", "ptx", "base"),
    "kernels": ("kernels",),
    "testcases": ("testcases", "kernels", "include"),
    "include": ("include",),
}
CUDA_FOLDERS = ("interposer", "extensions/agents", "simulator", "kernels", "testcases", "tests", "bench", "include")
CUDA_HEADER = re.compile(r"^(cuda|cupti|sanitizer|nvtx|driver_types|vector_types|crt/)")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
WORDS = re.compile(r"\b(TODO|FIXME|XXX|HACK|kludge)\b|@author")
LENGTHS = {".c": 700, ".h": 160, ".cuh": 160}
FUNCTION_LINES = 80
COLUMNS = 100
CLANG_FORMAT_MAJOR = 14


def sources(*suffixes, folders=FOLDERS):
    """Files of ours with these suffixes, as paths from the root, sorted."""
    found = [name for name in os.listdir(ROOT) if name.endswith(suffixes)]
    for folder in folders:
        for at, subfolders, names in os.walk(os.path.join(ROOT, folder)):
            subfolders[:] = [s for s in subfolders if not s.startswith((".", "__"))]
            found += [os.path.relpath(os.path.join(at, n), ROOT) for n in names
                      if n.endswith(suffixes)]
    return sorted(found)


def products(*suffixes, folders):
    """The same without tests, of which an extension has its own."""
    return [path for path in sources(*suffixes, folders=folders) if "/tests/" not in path]


def lines_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read().split("\n")


def allowed(header, layers):
    return any(header == layer or header.startswith(layer + "/") for layer in layers)


def top_of(path):
    """The folder that a path is in: of an extension, that of the extension."""
    return "/".join(path.split("/")[:2 if path.startswith("extensions/") else 1])


def layer_complaint(path, folder, quote, header):
    if folder not in CUDA_FOLDERS and CUDA_HEADER.match(header):
        return f"{folder}/ must not know CUDA: {header}"
    if quote == "<" or folder not in LAYERS or "/tests/" in path:
        return None
    if folder == "include" and os.path.exists(os.path.join(ROOT, os.path.dirname(path), header)):
        return None  # installed headers are elsewhere, but together
    if not os.path.exists(os.path.join(ROOT, header)):
        if os.path.exists(os.path.join(ROOT, os.path.dirname(path), header)):
            return f'"{header}": includes are written from the root'
        return None
    if not allowed(header, LAYERS[folder]):
        return f"{folder}/ must not include {header}"
    return None


def check_layers():
    """Includes go down the layers only, and are written from the root."""
    for path in sources(".c", ".h", ".def", ".cu", ".cuh"):
        folder = top_of(path)
        for number, line in enumerate(lines_of(path), 1):
            match = INCLUDE.match(line)
            complaint = match and layer_complaint(path, folder, *match.groups())
            if complaint:
                yield path, number, complaint


def width(line):
    return len(line.expandtabs(8))


def check_lengths():
    """Files, functions and lines are not too long."""
    for path in sources(".c", ".h", ".cu", ".cuh"):
        lines = lines_of(path)
        limit = LENGTHS.get(os.path.splitext(path)[1])
        if limit and len(lines) - 1 > limit:
            yield path, len(lines) - 1, f"the file has more than {limit} lines"
        start = None
        for number, line in enumerate(lines, 1):
            if width(line) > COLUMNS:
                yield path, number, f"the line has more than {COLUMNS} columns"
            if line == "{":
                start = number
            elif line == "}" and start:
                if number - start - 1 > FUNCTION_LINES:
                    yield path, start, f"the function has more than {FUNCTION_LINES} lines"
                start = None


def check_words():
    """Nothing is left for later, and nobody is named."""
    own = os.path.relpath(os.path.abspath(__file__), ROOT)
    for path in sources(".c", ".h", ".def", ".cu", ".cuh", ".py", ".sh", ".S", ".awk", ".md"):
        if path == own:
            continue
        for number, line in enumerate(lines_of(path), 1):
            match = WORDS.search(line)
            if match:
                yield path, number, f"must not be said: {match.group(0)}"


def check_heads():
    """A file begins with a comment that says what it is for; headers are guarded."""
    for path in sources(".c", ".h", ".def", ".cu", ".cuh"):
        lines = lines_of(path)
        if lines[0] == "/*" and len(lines) > 1 and lines[1].startswith(" * "):
            lines = lines[1:]
        elif not lines[0].startswith(("/* ", "// ")):
            yield path, 1, "the first line is no comment with the purpose of the file"
        if len(lines[0]) < 12:
            yield path, 1, "the purpose is too short to be one"
        if path.endswith((".h", ".cuh")) and not any("#ifndef" in l or "#pragma once" in l
                                                     for l in lines):
            yield path, 1, "the header is not guarded"
    for path in sources("CMakeLists.txt"):
        if not lines_of(path)[0].startswith("# "):
            yield path, 1, "the first line is no comment with the purpose of the file"


def check_format():
    """clang-format, of the version whose opinion is law, has nothing to change."""
    tool = shutil.which(f"clang-format-{CLANG_FORMAT_MAJOR}") or shutil.which("clang-format")
    version = tool and subprocess.run([tool, "--version"], capture_output=True, text=True,
                                      check=True).stdout
    if not tool or f"version {CLANG_FORMAT_MAJOR}." not in version:
        print(f"needs clang-format {CLANG_FORMAT_MAJOR}, has {version or 'none'}")
        sys.exit(SKIPPED)
    paths = sources(".c", ".h", ".cu", ".cuh")
    got = subprocess.run([tool, "--dry-run", *paths], cwd=ROOT, capture_output=True, text=True,
                         check=False)
    seen = set()
    for line in got.stderr.splitlines():
        match = re.match(r"(.+?):(\d+):\d+: warning: ", line)
        if match and match.group(1) not in seen:
            seen.add(match.group(1))
            yield match.group(1), int(match.group(2)), "not as clang-format has it"


LIMIT_LIST = "tests/lint/limits.txt"
LIMIT_FOLDERS = ("base", "ptx", "footprint", "interposer", "analyzer", "trace", "reports", "cmds", "extensions", "image", "simulator")
LIMIT_KINDS = ("counted", "said", "doubt", "fixed", "cost", "shown", "advice")
LIMIT = re.compile(r"^\s*#\s*define\s+(\w*(?:MAX|MOST|LIMIT|KEPT)\w*)\b")
LIMIT_ROW = re.compile(r"(\S+) (\w+) (\w+): \S.*")


def listed_limits():
    """(path, name) of each row, and its line; complaints about rows."""
    rows, wrong = {}, []
    for number, line in enumerate(lines_of(LIMIT_LIST), 1):
        match = LIMIT_ROW.fullmatch(line)
        if match and match[3] in LIMIT_KINDS:
            rows[match[1], match[2]] = number
        elif line and not line.startswith("#"):
            wrong.append((LIMIT_LIST, number, "a row is FILE NAME KIND: reason"))
    return rows, wrong


def check_limits():
    """Each limit of what is recorded, analyzed or reported is reviewed: it has a row with a reason."""
    rows, wrong = listed_limits()
    yield from wrong
    for path in products(".c", ".h", folders=LIMIT_FOLDERS):
        for number, line in enumerate(lines_of(path), 1):
            match = LIMIT.match(line)
            if match and not match[1].endswith("_H") and (path, match[1]) not in rows:
                yield path, number, f"{match[1]} has no row in {LIMIT_LIST}: what becomes of the rest?"
    for (path, name), number in rows.items():
        text = "\n".join(lines_of(path)) if os.path.exists(os.path.join(ROOT, path)) else ""
        if not re.search(rf"#\s*define\s+{name}\b", text):
            yield LIMIT_LIST, number, f"{path} has no {name}"


ROOM_LIST = "tests/lint/rooms.txt"
PROCESSORS = re.compile(r"/x86_64$")  # a folder for each is a part of its room
ROOM_ROW = re.compile(r"([\w/]+):([\w/ ]*)(?:\|([\w/ ]+): \S.*)?")


def listed_rooms():
    """The rooms that each may include, as folders; complaints about rows."""
    rooms, wrong, seen = {}, [], []
    for number, line in enumerate(lines_of(ROOM_LIST), 1):
        match = ROOM_ROW.fullmatch(line)
        if not match:
            if line and not line.startswith("#"):
                wrong.append((ROOM_LIST, number, "a row is ROOM: BEFORE | AFTER: reason"))
            continue
        top = top_of(match[1] + "/")
        folder = {name: top if name == os.path.basename(top) else f"{top}/{name}"
                  for name in f"{match[2]} {match[3] or ''}".split()}
        wrong += [(ROOM_LIST, number, f"{name} is listed later and needs a reason")
                  for name in match[2].split() if folder[name] not in seen]
        rooms[match[1]] = number, set(folder.values())
        seen.append(match[1])
    return rooms, wrong


def check_rooms():
    """Rooms of a folder include those that rooms.txt lists, and no row lists more."""
    rooms, wrong = listed_rooms()
    yield from wrong
    used = {room: set() for room in rooms}
    for path in products(".c", ".h", folders={top_of(room + "/") for room in rooms}):
        room = PROCESSORS.sub("", os.path.dirname(path))
        for number, line in enumerate(lines_of(path), 1):
            match = INCLUDE.match(line)
            other = PROCESSORS.sub("", os.path.dirname(match[2])) if match and match[2].endswith(".h") else room
            if other == room or top_of(other + "/") != top_of(room + "/"):
                continue
            if room not in rooms:
                yield path, number, f"{room}/ has no row in {ROOM_LIST}"
            elif other not in rooms[room][1]:
                yield path, number, f"{room}/ must not include {other}/ ({ROOM_LIST})"
            else:
                used[room].add(other)
    for room, (number, may) in rooms.items():
        for other in sorted(may - used[room]):
            yield ROOM_LIST, number, f"{room}/ does not include {other}/ any more"


TYPE = re.compile(r"^(?:struct|enum|union) (sc_\w+)\s*\{")
TYPE_FOLDERS = ("base", "image", "trace", "ptx", "footprint", "interposer", "analyzer", "reports", "cmds", "extensions")


def check_types():
    """A type's name means one thing, and there is one boolean type."""
    first = {}
    for path in products(".c", ".h", folders=TYPE_FOLDERS):
        for number, line in enumerate(lines_of(path), 1):
            match = TYPE.match(line)
            if match and first.setdefault(match[1], path) != path:
                yield path, number, f"{match[1]} is another type in {first[match[1]]}"
            if re.search(r"\b_Bool\b", line):
                yield path, number, "_Bool is written bool here"


FORMAT_TABLE = "reports/report.def"
FORMAT_ROW = re.compile(r'^SC_REPORT\(\w+, "(\w+)"')
# The list, how it names a format, and the formats that it leaves out.
FORMAT_LISTS = (
    ("base/option.def", r'"[\w|]*\b{}\b[\w|]*", "format of that report"', ()),
    ("tests/golden/golden.py", r'^(?:FOR_ALL|FORMATS) = .*"{}"', ()),
    ("tests/formats/sound.py", r'^FORMATS = .*"{}"', ()),
    ("tests/formats/sound.py", r"^def check_{}\(", ()),
    ("tests/formats/test_formats.c", r'\bGOLDEN\("{}"\)', ("text", "html")),  # unit.report, tests/browser
    ("bench/report.py", r'^FORMATS = .*"{}"', ()),
    ("docs/user/reports.md", r"^\| `{}` \|", ()),
    ("README.md", r"Reports: [^.]*\b{}\b", ()),
)


def check_formats():
    """Each report format stands in all lists of formats."""
    names = [match[1] for line in lines_of(FORMAT_TABLE) if (match := FORMAT_ROW.match(line))]
    if not names:
        yield FORMAT_TABLE, 1, "has no format"
    for path, pattern, without in FORMAT_LISTS:
        text = "\n".join(lines_of(path))
        for name in names:
            if name not in without and not re.search(pattern.format(name), text, re.M):
                yield path, 1, f"format {name} is missing: {pattern.format(name)}"


RULE_TABLE = "analyzer/finding/rule.def"
RULE_ROW = re.compile(r'^SC_RULE\((\d+), "([a-z-]+)",')
TRACE_FOLDER = "tests/traces"
TRACE_FOLDERS = TRACE_FOLDER, "extensions/ranks/tests/traces"
TRACES = ".sct.txt", ".ranks.txt"
# Rules without a folder of text traces, and why.
WITHOUT_TRACES = {
    309: "needs 100,000 queries in a row: tests/unit/analyzer/test_analysis.c makes them",
}


TALLY = "analyzer/rules/advice_tally.c"
THRESHOLD = re.compile(r"{SC_RULE_(\d+), (\d+),")


def check_thresholds():
    """The page of a rule that counts says from how many times on the rule reports."""
    wanted = [(rule, hits) for line in lines_of(TALLY) for rule, hits in THRESHOLD.findall(line) if hits != "1"]
    wanted += [("301", match[1]) for line in lines_of(TALLY) for match in [re.search(r"#define SLOW_BYTES \((\d+) << 10\)", line)] if match]
    if len(wanted) < 2 or wanted[-1][0] != "301":
        yield TALLY, 1, "the thresholds are not where they are looked for"
    for rule, hits in wanted:
        page = f"docs/rules/SC-{rule}.md"
        if not any(re.search(rf"\b{hits} (times|KiB)", line) for line in lines_of(page)):
            yield page, 1, f"from {hits} on it is reported ({TALLY}), which the page does not say"


def check_traces():
    """Each rule has a folder of text traces with its number and title, and one of them expects its finding."""
    rules = {int(match[1]): (match[2], number) for number, line in enumerate(lines_of(RULE_TABLE), 1)
             if (match := RULE_ROW.match(line))}
    if not rules:
        yield RULE_TABLE, 1, "has no rule"
    traces = {}
    for path in sources(*TRACES, folders=TRACE_FOLDERS):
        traces.setdefault(path.split("/")[-2], []).append(path)
    for rule, (title, number) in rules.items():
        name = f"{rule}-{title}"
        if rule in WITHOUT_TRACES:
            if name in traces:
                yield RULE_TABLE, number, f"{TRACE_FOLDER}/{name} is there: WITHOUT_TRACES in tests/lint/lint.py names it"
        elif name not in traces:
            yield RULE_TABLE, number, f"there is no {TRACE_FOLDER}/{name} with text traces"
        elif not any(re.search(rf"^expect .*SC-{rule}\b", "\n".join(lines_of(path)), re.M) for path in traces[name]):
            yield RULE_TABLE, number, f"no trace in {TRACE_FOLDER}/{name} expects SC-{rule}"
    for name in sorted(traces):
        match = re.fullmatch(r"(\d{3})-(.*)", name)
        if match and rules.get(int(match[1]), ("",))[0] != match[2]:
            yield RULE_TABLE, 1, f"{TRACE_FOLDER}/{name} is named after no rule"


# Folder: modules that may include each other, at most so many, and why; a folder that is not named may have none.
CYCLES = {
    "cmds": (3, "suppressions come from files and from comments, which ask for the names of rules"),
    "footprint": (5, "value graph, guards and grid of a kernel are parts of one structure, built in turns"),
    "image": (3, "readers of one image add to it and are called by it"),
    "simulator/driver": (38, "a driver: streams, events, graphs, pairs and memory wait for each other under one lock"),
    "simulator/runtime": (18, "entry and exit of a call know context and driver, which make calls"),
    "trace": (6, "the reader and its parts: checks, definitions, splices, both forms of a trace"),
}
CYCLE_FOLDERS = ("base", "image", "trace", "ptx", "footprint", "interposer", "analyzer", "reports", "cmds", "extensions", "simulator/driver",
                 "simulator/executor", "simulator/runtime")


def module_edges(folder):
    """Module (a path without suffix: X.c and X.h are one): the modules that it includes, and the line of each."""
    paths = [path for path in products(".c", ".h", folders=(folder,)) if path.startswith(folder + "/")]
    edges = {os.path.splitext(path)[0]: {} for path in paths}
    for path in paths:
        for number, line in enumerate(lines_of(path), 1):
            match = INCLUDE.match(line)
            module, other = os.path.splitext(path)[0], os.path.splitext(match[2])[0] if match else None
            if match and match[2].endswith(".h") and other in edges and other != module:
                edges[module].setdefault(other, (path, number))
    return edges


def reachable(edges):
    """Module: all modules that it includes, directly or through others."""
    reached = {}
    for start in edges:
        seen, todo = set(), list(edges[start])
        while todo:
            module = todo.pop()
            if module not in seen:
                seen.add(module)
                todo += edges[module]
        reached[start] = seen
    return reached


def check_cycles():
    """No more modules include each other, directly or through others, than CYCLES says."""
    for folder in CYCLE_FOLDERS:
        edges = module_edges(folder)
        reached = reachable(edges)
        largest = 0
        for module in sorted(edges):
            circle = [other for other in reached[module] if module in reached[other]]
            largest = max(largest, len(circle))
            if len(circle) <= CYCLES.get(folder, (0, ""))[0]:
                continue
            for other, (path, number) in edges[module].items():
                if other in circle:
                    yield path, number, f"{module} and {other} include each other, directly or through others"
        if folder in CYCLES and largest < CYCLES[folder][0] and edges:
            yield "tests/lint/lint.py", 1, f"{folder}/: the largest cycle has {largest} modules now"


NAMED_FILE = re.compile(r"(?<![\w/<.*-])((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:c|h|def|S))\b")
NAMED_FOLDERS = ("base", "image", "trace", "ptx", "footprint", "interposer", "analyzer", "reports", "cmds", "extensions", "simulator", "bench")
# Headers of CUDA, and fields that look like files.
NO_FILES_OF_OURS = {"cuda.h", "cupti.h", "generated_cuda_meta.h", "cuda_runtime_api.h", "n.c"}


def check_named():
    """Comments name files that exist."""
    files = sources(".c", ".h", ".def", ".S", ".cuh")
    ends = {path[at + 1:] for path in files for at, c in enumerate("/" + path, -1) if c == "/"}
    for path in products(".c", ".h", ".def", ".S", folders=NAMED_FOLDERS):
        for number, line in enumerate(lines_of(path), 1):
            if INCLUDE.match(line):
                continue
            for name in NAMED_FILE.findall(line):
                if name not in ends and name not in NO_FILES_OF_OURS:
                    yield path, number, f"there is no {name}"


CHECKS = {"named": check_named, "cycles": check_cycles, "layers": check_layers, "rooms": check_rooms, "types": check_types, "lengths": check_lengths, "words": check_words,
          "heads": check_heads, "format": check_format, "limits": check_limits,
          "formats": check_formats, "traces": check_traces, "thresholds": check_thresholds}


def main():
    wanted = sys.argv[1:] or ["all"]
    names = list(CHECKS) if wanted == ["all"] else wanted
    count = 0
    for name in names:
        for path, number, sentence in CHECKS[name]():
            print(f"{path}:{number}: {sentence}")
            count += 1
    if count:
        print(f"{count} complaints")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
