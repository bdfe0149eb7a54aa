#!/usr/bin/env python3
"""Lines of Python for calls of cuda-bindings, which are made with the GIL released.

usage: test_bindings.py VERSION PREFIX FOLDER|LIBRARY   (of Python)

FOLDER keeps the fetched wheels; with LIBRARY, of looked_up.c, the calls are made by that as cuda-bindings make them.
"""
import os
import sys
import tempfile

import checked
import interpreter
import venvs

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ("cuda-bindings==13.0.*",)


def marked(script):
    with open(script, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [next(n for n, line in enumerate(lines, 1) if line.endswith("# " + end)) for end in ("first", "second")]


FUNCTIONS = (["race", "main", "<module>"],) * 2
FLAT = (["<module>"], ["upload_all", "<module>"])  # a script whose first calls are made from no function


def complaints(result, script, functions):
    if result.out != "done\n" or [f["rule"] for f in result.findings] != ["SC-106"]:
        yield f"{result.out} {[f['rule'] for f in result.findings]} {result.err}"
        return
    for access, line, wanted in zip(result.findings[0]["accesses"], marked(script), functions):
        own = [f for f in access["frames"] if not f["internal"] and (f["file"] or "").endswith(".py")]
        if [f["function"] for f in own] != wanted or own[0]["line"] != line:
            yield f"line {line} has the frames {own}"
    missing = [n["text"] for n in result.report["notes"] if "Python" in n["text"]]
    if missing:
        yield f"lines are missing: {missing}"


def run(prefix, python, name, functions, *arguments):
    script = os.path.join(HERE, name)
    result = checked.check(prefix, python, arguments=[script, *arguments])
    for line in complaints(result, script, functions):
        yield f"{name}: {line}"
    if not arguments and result.findings and "(cuEventRecord)" not in str(result.findings[0]["fix"]):
        yield f"{name}: the fix names no call of the driver: {result.findings[0]['fix']}"


def with_bindings(python, prefix, folder):
    wheels = venvs.fetch(python, folder, *PACKAGES)
    with tempfile.TemporaryDirectory() as at:
        own = venvs.make(python, os.path.join(at, "venv"), "cuda-bindings", find_links=[wheels])
        return [*run(prefix, own, "bindings.py", FUNCTIONS), *run(prefix, own, "flat_bindings.py", FLAT)]


def with_library(python, prefix, library):
    return [*run(prefix, python, "looked_up.py", FUNCTIONS, library), *run(prefix, python, "flat_looked_up.py", FLAT, library)]


def main():
    python, prefix, way = interpreter.find(sys.argv[1]), *map(os.path.abspath, sys.argv[2:4])
    wrong = (with_library if way.endswith(".so") else with_bindings)(python, prefix, way)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
