#!/usr/bin/env python3
"""NIXL's package from PyPI, with its own UCX, from Python on the simulated device (two_agents.py).

usage: test_package.py VERSION PREFIX FOLDER   (of Python; the folder keeps the fetched wheels)
Skips without the interpreter or the package.
"""
import os
import re
import sys
import tempfile

import checked
import interpreter
import venvs

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "two_agents.py")
PACKAGES = ("nixl_cu13==1.5.1", "numpy>=2,<3")
ALONE = ("--no-deps",)  # the package names torch, which the functions used here do without


def lines_with(rule):
    with open(SCRIPT, encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if re.search(rf"# {rule}\b", line)]


def lines_of(finding):
    return {frame["line"] for access in finding["accesses"] for frame in access["frames"]
            if (frame["file"] or "").endswith("two_agents.py")}


def complaints(result, wanted):
    findings = result.findings
    if result.out != "done\n" or sorted(f["rule"] for f in findings) != sorted(rule for rule, _ in wanted):
        yield f"{result.code} {result.out} {[f['rule'] for f in findings]} {result.err}"
        return
    for rule, line in wanted:
        if not any(f["rule"] == rule and f["confidence"] == "proven" and line in lines_of(f) for f in findings):
            yield f"no {rule} that is proven at line {line}: {[(f['rule'], sorted(lines_of(f))) for f in findings]}"


def main():
    python, prefix, folder = interpreter.find(sys.argv[1]), *map(os.path.abspath, sys.argv[2:4])
    found = venvs.fetch(python, folder, *PACKAGES, options=ALONE)
    wanted = [(rule, line) for rule in ("SC-160", "SC-161") for line in lines_with(rule)]
    os.environ.update(UCX_TLS="tcp", UCX_WARN_UNUSED_ENV_VARS="n")
    with tempfile.TemporaryDirectory() as at:
        own = venvs.make(python, os.path.join(at, "venv"), "nixl_cu13", "numpy", find_links=[found], options=ALONE)
        wrong = [*complaints(checked.check(prefix, own, arguments=[SCRIPT, "racy"]), wanted),
                 *complaints(checked.check(prefix, own, arguments=[SCRIPT, "fixed"]), [])]
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
