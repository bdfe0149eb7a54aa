"""The gallery of rules, docs/user/gallery.md: what streamcheck prints of one program of testcases/rules for each of twenty rules, and draws.

usage: gallery.py check|write PREFIX PROGRAMS NVCC_FOLDER

PREFIX is an installed streamcheck, PROGRAMS the folder of the test cases for the simulated device. `write` makes the page and its
pictures anew (it needs Chromium); `check` runs the programs and fails if a text differs: of the page, and, where there is a
Chromium, of the drawings. Positions in drawings are not compared.
"""
import contextlib
import difflib
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import browser

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SOURCES = os.path.join(ROOT, "testcases", "rules")
PAGE = os.path.join(ROOT, "docs", "user", "gallery.md")
PICTURES = os.path.join(ROOT, "docs", "pictures", "gallery")
STYLE = os.path.join(ROOT, "reports", "assets", "style.css")
TIMEOUT_S = 120
NO_BROWSER = "pictures are drawn by Chromium, and there is none"
# Of a gap in the shown lines: how many more are shown rather than left out.
GAP_MOST = 1
SHOWN = (
    ("SC-101", "host_read_before_sync"), ("SC-102", "host_write_in_flight"),
    ("SC-104", "host_buffer_dies_in_flight"), ("SC-105", "cross_stream_write_write"), ("SC-106", "cross_stream_read_write"),
    ("SC-107", "legacy_and_nonblocking"), ("SC-108", "pageable_copy_assumed_complete"), ("SC-109", "device_copy_assumed_complete"),
    ("SC-110", "wait_on_unrecorded_event"), ("SC-111", "wait_on_wrong_record"), ("SC-112", "sync_on_wrong_object"),
    ("SC-113", "use_before_alloc"), ("SC-114", "use_after_stream_free"), ("SC-115", "free_while_in_use"),
    ("SC-116", "use_of_freed_memory"), ("SC-117", "use_of_destroyed_handle"), ("SC-122", "driver_call_in_callback"), ("SC-125", "early_kernel_does_not_wait"),
    ("SC-149", "source_filled_behind_copy"), ("SC-201", "pageable_source_touched"))


def source_of(stem):
    """The test case of that name, as a path from the root."""
    path, = glob.glob(os.path.join(SOURCES, "**", stem + ".cu"), recursive=True)
    return os.path.relpath(path, ROOT)


HEAD = f"""# Gallery: twenty rules

What streamcheck prints about one small program for each of twenty rules, and the drawing that its HTML report has of it. All of it was made
on the simulated device by the programs that are named, which are in the sources of streamcheck; a test compares this page with
what the tool prints now. All rules: [rules.md](rules.md).

To see more, build a program in the checkout and run it there (`out/bin/streamcheck` after `./demo.sh`; on a GPU without `--device=sim`):

    nvcc --cudart shared -g -lineinfo -arch=sm_90 -I. -o app {source_of(SHOWN[0][1])}
    streamcheck run --device=sim -- ./app

The lines of a program are shown without its error checks. In the drawings each operation stands below the stream that it was enqueued in, a dot is the
call that enqueued it, and time runs downwards. Red are the two operations of the finding, and the order that is missing between them; a dashed
frame is the call that came closest to ordering them; arrows are the order that there is.

Some rules are the *cause* of a finding of another rule: below SC-107 stands an error SC-106 with a line `cause` that names SC-107.
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def write(files):
    """Writes files, given as bytes by their paths."""
    for path, data in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def told(complaints):
    """Prints what is wrong; returns the exit code."""
    print("\n".join(complaints[:60]))
    if complaints:
        print("If this is meant: cmake --build build/release --target pictures, and look at the difference.")
    return 1 if complaints else 0


def plain_paths(report):
    """A report without the folders of this machine."""
    return re.sub(re.escape(os.path.dirname(SOURCES).encode()) + rb"/(?:\w+/)*", b"", report)


def run(prefix, program, folder):
    """Checks a program; returns its first finding, its text report, and the path of its HTML report."""
    into = {name: os.path.join(folder, os.path.basename(program) + "." + name) for name in ("text", "json", "html")}
    env = {k: v for k, v in os.environ.items() if not k.startswith(("STREAMCHECK", "LD_PRELOAD"))}
    done = subprocess.run(
        [os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no",
         *(f"--report={name}:{path}" for name, path in into.items()), "--", program],
        cwd=folder, env={**env, "STREAMCHECK_SIM_SCHEDULE": "lazy"}, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    if not os.path.exists(into["json"]):
        sys.exit(f"{program}: no report\n{done.stdout}{done.stderr}")
    for path in into.values():
        write({path: plain_paths(read_bytes(path))})
    return json.loads(read(into["json"])), read(into["text"]), into["html"]


def finding_of(rule, report):
    """The finding that the section of a rule is about: of the rule itself, or caused by it."""
    for finding in report["findings"]:
        if rule in (finding["rule"], *finding["causes"]):
            return finding
    sys.exit(f"{rule} was not found: {[f['rule'] for f in report['findings']]}")


def lines_of_text(finding, text):
    """The finding's lines in the text report, from its head to its fix."""
    parts = text.split("\n\n")[1:]
    return next(p for p in parts if p.startswith(f"{finding['severity']} {finding['rule']} ")).rstrip().split("\n")


def compiled(lines):
    """(number, line) of what is compiled where no variant (FIXED, KERNEL …) is defined, without comments and directives."""
    is_kept = [True]
    for number, line in enumerate(lines, 1):
        if line.startswith("#if"):
            is_kept.append(line.startswith("#ifndef"))
        elif line.startswith("#else"):
            is_kept[-1] = not is_kept[-1]
        elif line.startswith("#endif"):
            is_kept.pop()
        elif all(is_kept) and not re.match(r"#|\s*//", line):
            yield number, line


def statements(path):
    """(first line, last line, text) of each statement, without error checks and the labels of the tests."""
    start, text = 0, ""
    for number, line in compiled(read(path).split("\n")):
        line = re.sub(r"\s*// @.*", "", line.replace("\t", "    ")).rstrip()
        start, text = (start, f"{text} {line.strip()}") if text else (number, line)
        if re.search(r"[;{}:>/]$", line) or not line:
            yield start, number, re.sub(r"\bCHECK\((.*)\);$", r"\1;", text)
            start, text = 0, ""


def shown_lines(stem, numbers):
    """The statements at those lines, with their line numbers; what is left out in between is "…"."""
    path, shown, last = os.path.join(ROOT, source_of(stem)), [], None
    wanted = [s for s in statements(path) if any(s[0] <= n <= s[1] for n in numbers)]
    every = [s for s in statements(path) if s[2]]
    for at, statement in ((every.index(s), s) for s in wanted):
        between = every[last + 1:at] if last is not None else []
        shown += between if len(between) <= GAP_MOST else [None]
        shown.append(statement)
        last = at
    texts = [s and s[2] for s in shown]
    margin = min(len(t) - len(t.lstrip()) for t in texts if t)
    return [f"    {s[0]:3} │ {s[2][margin:]}" if s else "      … │" for s in shown]


def section(rule, stem, finding, text):
    printed = lines_of_text(finding, text)
    kept = [printed[0]] + [line for line in printed if re.match(r"  (order|cause|doubt|fix): ", line)]
    numbers = {int(n) for n in re.findall(rf"\b{stem}\.cu:(\d+)", "\n".join(
        line for line in printed if not re.match(r"  (streams|bytes): ", line)))}
    cause = re.search(rf"^  cause:    {rule} (\S+): (.*)$", text, re.M)
    slug, sentence = cause.groups() if cause else (finding["slug"], finding["summary"])
    start = sentence if sentence.startswith("cuda") else sentence[0].upper() + sentence[1:]
    return f"""
## {rule} {slug}

{start}. [The rule](../rules/{rule}.md); `{source_of(stem)}`:

{chr(10).join(shown_lines(stem, numbers))}

![{rule}: {sentence}](../pictures/gallery/{rule}.svg)

{chr(10).join("    " + line for line in kept)}
"""


def drawing(page, finding):
    """The finding's drawing as a picture of its own, with the style of the page."""
    cut = page.ask(f"""new XMLSerializer().serializeToString(document.querySelector('#f-{finding["identity"]} svg.drawing'))""")
    css = read(STYLE)
    colours = dict(re.findall(r"(--[\w-]+): ([^;]+);", css.split("@media")[0]))
    rules = "\n".join(line.removeprefix(".drawing ") for line in css.split("\n") if re.match(r"\.drawing [.a-z ]+\{", line))
    head, body = re.match(r"(<svg[^>]*>)(.*)", cut.replace("-" + finding["identity"], ""), re.S).groups()
    body = re.sub(r"<(path class|text class=\"name|g |circle|/svg)", r"\n<\1", body)
    ground = '<rect width="100%" height="100%" style="fill: var(--card); stroke: none"/>'
    return re.sub(r"var\((--[\w-]+)\)", lambda m: colours[m[1]], f"{head}\n<style>\n{rules}\n</style>\n{ground}{body}\n")


def texts_of(picture):
    """Names of lanes, and operations in full: how much of them fits into a box depends on the fonts of the machine."""
    # How many bytes a block of malloc has is the C library's choice.
    return re.findall(r"<(?:text class=\"name\"|title)[^>]*>([^<]*)<", re.sub(r"\d+ bytes of pageable", "pageable", picture))


def built_as_told(prefix, nvcc, folder):
    """What is wrong if a program is built as the page says: the one that needs most."""
    rule, stem = next(shown for shown in SHOWN if shown[0] == "SC-125")
    command = re.search(r"^    (nvcc .*)$", HEAD, re.M)[1].replace(source_of(SHOWN[0][1]), source_of(stem))
    command = command.replace("-o app", "-o " + os.path.join(folder, "app"))
    done = subprocess.run([os.path.join(nvcc, "nvcc"), *command.split()[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        return [f"{command}: {done.stdout}{done.stderr}"]
    finding_of(rule, run(prefix, os.path.join(folder, "app"), folder)[0])
    return []


def made(prefix, programs, page, folder):
    """The page, and the pictures by their names."""
    text, pictures = HEAD, {}
    for rule, stem in SHOWN:
        report, printed, html = run(prefix, os.path.join(programs, stem), folder)
        finding = finding_of(rule, report)
        text += section(rule, stem, finding, printed)
        if page:
            page.open(html, "#f-" + finding["identity"])
            pictures[rule + ".svg"] = drawing(page, finding)
    return text, pictures


def check(text, pictures, wrong):
    wrong += list(difflib.unified_diff(read(PAGE).split("\n"), text.split("\n"), "docs/user/gallery.md", "now", lineterm="", n=1))
    for name, picture in pictures.items():
        kept = os.path.join(PICTURES, name)
        if not os.path.exists(kept) or texts_of(read(kept)) != texts_of(picture):
            wrong.append(f"{os.path.relpath(kept, ROOT)} has other texts now: {texts_of(picture)}")
    return told(wrong)


def main():
    mode, prefix, programs = sys.argv[1], *map(os.path.abspath, sys.argv[2:4])
    with contextlib.ExitStack() as stack:
        page = stack.enter_context(contextlib.closing(browser.Browser())) if browser.find() else None
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="streamcheck-test-"))
        text, pictures = made(prefix, programs, page, folder)
        wrong = built_as_told(prefix, sys.argv[4], folder) if mode == "check" else []
    print(f"{len(SHOWN)} rules, {len(pictures)} drawings")
    if mode != "write":
        return check(text, pictures, wrong)
    if not page:
        sys.exit(NO_BROWSER)
    shutil.rmtree(PICTURES, ignore_errors=True)
    write({PAGE: text.encode(), **{os.path.join(PICTURES, name): picture.encode() for name, picture in pictures.items()}})
    return 0


if __name__ == "__main__":
    sys.exit(main())
