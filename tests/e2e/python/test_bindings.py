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


def complaints(result, script):
    if result.out != "done\n" or [f["rule"] for f in result.findings] != ["SC-106"]:
        yield f"{result.out} {[f['rule'] for f in result.findings]} {result.err}"
        return
    for access, line in zip(result.findings[0]["accesses"], marked(script)):
        own = [f for f in access["frames"] if not f["internal"] and (f["file"] or "").endswith(".py")]
        if [f["function"] for f in own] != ["race", "main", "<module>"] or own[0]["line"] != line:
            yield f"line {line} has the frames {own}"
    missing = [n["text"] for n in result.report["notes"] if "Python" in n["text"]]
    if missing:
        yield f"lines are missing: {missing}"


def with_bindings(python, prefix, folder):
    script, wheels = os.path.join(HERE, "bindings.py"), venvs.fetch(python, folder, *PACKAGES)
    with tempfile.TemporaryDirectory() as at:
        own = venvs.make(python, os.path.join(at, "venv"), "cuda-bindings", find_links=[wheels])
        result = checked.check(prefix, own, arguments=[script])
    wrong = list(complaints(result, script))
    if not wrong and "(cuEventRecord)" not in str(result.findings[0]["fix"]):
        wrong.append(f"the fix names no call of the driver: {result.findings[0]['fix']}")
    return wrong


def with_library(python, prefix, library):
    script = os.path.join(HERE, "looked_up.py")
    return list(complaints(checked.check(prefix, python, arguments=[script, library]), script))


def main():
    python, prefix, way = interpreter.find(sys.argv[1]), *map(os.path.abspath, sys.argv[2:4])
    wrong = (with_library if way.endswith(".so") else with_bindings)(python, prefix, way)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
