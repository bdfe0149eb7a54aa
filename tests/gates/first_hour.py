#!/usr/bin/env python3
"""Follows a page of docs/user literally: saves its files, types its commands, compares what they print.

usage: first_hour.py PREFIX NVCC-FOLDER PAGE [PROGRAM...]

"Save as `NAME`:" at the end of a paragraph is followed by an indented block: the file. In other indented blocks a line
that begins with "$ " is a command, and the lines after it are what it prints; a line "…" stands for any lines, and "…" in
a line for any text. All commands run in one shell, in a folder of their own,
with links to the programs; what needs one that is not there (`./NAME`, of programs of MPI) is left out.
"""
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 300
SAVED = re.compile(r"Save as `([^`]+)`[^`]*:$")
MARK = "--first-hour-mark--"
PACKAGES = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "out", "patch"))  # of tools/setup.sh

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}


def blocks(text):
    """(what stands before it, lines) of each indented block; deeper ones belong to lists."""
    before, lines, indent = "", [], ""
    for line in text.split("\n") + ["end"]:
        found = re.match(r"( {4,6})\S", line)
        if lines and (line.startswith(indent) or not line.strip()):
            lines.append(line[len(indent):])
        elif found and not lines:
            indent, lines = found[1], [line[len(found[1]):]]
        else:
            if lines:
                while not lines[-1].strip():
                    lines.pop()
                yield before, lines
                before, lines = "", []
            before = line.strip() or before


def parts(page):
    """The files of the page, and its commands with what they are to print, in order: (name, text) and (None, ...)."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for before, lines in blocks(text):
        saved = SAVED.search(before)
        command = next((i for i, line in enumerate(lines) if line.startswith("$ ")), len(lines))
        if saved:
            yield saved[1], "\n".join(lines[:command]).rstrip() + "\n"
            lines = lines[command:]
        elif command:
            continue
        for step in "\n".join(lines).split("\n$ ") if lines else []:
            typed, _, printed = step.removeprefix("$ ").partition("\n")
            yield None, (typed, printed.rstrip("\n").split("\n") if printed else [])


def matches(line, pattern):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), line)


def differs(printed, wanted):
    """The first line that was to be printed and was not, or None."""
    at, is_open = 0, False
    for pattern in wanted:
        if pattern.strip() == "…":
            is_open = True
            continue
        while at < len(printed) and is_open and not matches(printed[at], pattern):
            at += 1
        if at == len(printed) or not matches(printed[at], pattern):
            return pattern
        at, is_open = at + 1, False
    return None if is_open or at == len(printed) else f"nothing more, but there is: {printed[at]}"


def run(steps, folder, environment):
    """What each command printed, as lines."""
    script = "".join(f"{typed}\n__code=$?; printf '\\n%s\\n' {MARK}; (exit $__code)\n" for typed, _ in steps)
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=TIMEOUT_S)
    outputs = done.stdout.split(MARK + "\n")
    return [output.removesuffix("\n").rstrip("\n").split("\n") if output.strip() else [] for output in outputs[:-1]]


def main():
    prefix, compiler, page = map(os.path.abspath, sys.argv[1:4])
    path = ":".join([os.path.join(prefix, "bin"), compiler, os.environ["PATH"]])
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("STREAMCHECK", "LD_PRELOAD"))}
    steps, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in filter(os.path.exists, map(os.path.abspath, sys.argv[4:])):
            os.symlink(program, os.path.join(folder, os.path.basename(program)))
        for name, what in parts(page):
            if name:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(what)
            elif "mpirun" not in what[0] or os.path.exists(os.path.join(folder, "openmpi-racy")):
                steps.append(what)
        outputs = run(steps, folder, {**environment, "PATH": path, "TERM": "dumb", "STREAMCHECK_PYTHON": sys.executable,
                                      "PYTHONPATH": PACKAGES, **AS_ROOT})
    for (typed, wanted), printed in zip(steps, outputs):
        missed = differs(printed, wanted)
        if missed is not None:
            wrong.append(f"$ {typed}\nwanted: {missed}\n" + "\n".join(f"    {line}" for line in printed))
    if len(outputs) != len(steps):
        wrong.append(f"{len(outputs)} of {len(steps)} commands ran")
    print(f"{len(steps)} commands")
    print("\n".join(wrong))
    return 1 if wrong or not steps else 0


if __name__ == "__main__":
    sys.exit(main())
