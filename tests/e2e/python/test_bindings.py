#!/usr/bin/env python3
"""Lines of Python for calls of cuda-bindings, which are made with the GIL released.

usage: test_bindings.py VERSION PREFIX FOLDER   (of Python; FOLDER keeps the fetched wheels)
"""
import os
import sys
import tempfile

import checked
import interpreter
import venvs

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bindings.py")
PACKAGES = ("cuda-bindings==13.0.*",)


def marked():
    with open(SCRIPT, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [next(n for n, line in enumerate(lines, 1) if line.endswith("# " + end)) for end in ("first", "second")]


def complaints(result):
    if result.out != "done\n" or [f["rule"] for f in result.findings] != ["SC-106"]:
        yield f"{result.out} {[f['rule'] for f in result.findings]} {result.err}"
        return
    for access, line in zip(result.findings[0]["accesses"], marked()):
        own = [f for f in access["frames"] if not f["internal"]]
        if [f["function"] for f in own] != ["race", "main", "<module>"] or own[0]["line"] != line:
            yield f"line {line} has the frames {own}"
    missing = [n["text"] for n in result.report["notes"] if "Python" in n["text"]]
    if missing:
        yield f"lines are missing: {missing}"


def main():
    python, prefix, folder = interpreter.find(sys.argv[1]), *map(os.path.abspath, sys.argv[2:4])
    wheels = venvs.fetch(python, folder, *PACKAGES)
    with tempfile.TemporaryDirectory() as at:
        own = venvs.make(python, os.path.join(at, "venv"), "cuda-bindings", find_links=[wheels])
        wrong = list(complaints(checked.check(prefix, own, arguments=[SCRIPT])))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
