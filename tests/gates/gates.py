#!/usr/bin/env python3
"""Gates end to end. usage: gates.py sample|printed PREFIX FOLDER CMAKE CUDA_BIN"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys

from common import HERE, Project, need, rows, run


def check_as_ci(project, command, code):
    """What a service does: all tests under one streamcheck, reports in files."""
    ctest = os.path.join(os.path.dirname(project.cmake), "ctest")
    files = {name: os.path.join(project.folder, "ci." + name) for name in ("sarif", "junit")}
    said = run(command, "run", "--device=sim", "--require-cuda", "--fail-on=error", "--format=github",
               *(f"--report={n}:{p}" for n, p in files.items()), "--", ctest, "--test-dir",
               project.folder, "-R", "^plain$", code=code)
    need(("::error file=" in said) == (code != 0), said)
    with open(files["sarif"], encoding="utf-8") as file:
        levels = [r["level"] for run_ in json.load(file)["runs"] for r in run_["results"]]
    need(("error" in levels) == (code != 0), f"SARIF says {levels}")
    with open(files["junit"], encoding="utf-8") as file:
        need(('failures="0"' in file.read()) == (code == 0), "JUnit says the opposite")


def check_sample(prefix, folder, cmake, cuda_bin):
    """Fails on the bug, passes when it is fixed, passes when the bug is in the baseline."""
    command = os.path.join(prefix, "bin", "streamcheck")
    trace, baseline = (os.path.join(folder, n) for n in ("sample.sct", "baseline.txt"))
    project = Project(prefix, folder, cmake, cuda_bin)
    project.build()
    said = project.test("sample", passes=False)
    need("SC-101" in said and "sample.c:" in said, said)
    said = project.test("sample-budget", passes=True)
    need("1 error" not in said, said)
    check_as_ci(project, command, 66)
    run(command, "baseline", "-o", baseline, trace)
    project.build(f"-DSAMPLE_BASELINE={baseline}")
    project.test("sample", passes=True)
    said = run(command, "analyze", f"--baseline={baseline}", trace)
    need("0 errors, 0 warnings" in said and "1 known" in said, said)
    said = run(command, "explain", "1", trace)
    need("SC-101" in said and "between:" in said and "sample.c:" in said, said)
    entry = run(command, "analyze", "--gen-suppressions", "--html=no", "--output=/dev/null",
                f"--source-root={HERE}", trace, code=66)
    with open(os.path.join(folder, "suppressions.txt"), "w", encoding="utf-8") as file:
        file.write(entry)
    said = run(command, "analyze", f"--suppressions={file.name}", trace)
    need("1 suppressed" in said, said)
    project.build("-DSAMPLE_FIXED=ON", "-DSAMPLE_BASELINE=")
    project.test("sample", passes=True)
    check_as_ci(project, command, 0)
    said = run(command, "analyze", f"--baseline={baseline}", trace)
    need("no longer occur" in said, said)
    said = run(command, "analyze", "--budget=copies=0", trace, code=66)
    need("budget copies: 1 used, 0 allowed" in said, said)
    said = run(command, "merge", os.path.dirname(trace))
    need("0 errors" in said, said)


def check_printed(prefix):
    """Manual page and completions name every command, option and budget, and are sound."""
    commands = rows("cmds/command.def", r"^SC_(?:EXTENSION_)?COMMAND\((?:[A-Z]+, )?(\w+),")
    options = rows("base/option.def", r'^SC_OPTION_\w+\(\w+, "([\w-]+)"')
    budgets = rows("cmds/judge/budget.def", r'^SC_BUDGET\(\w+, "([\w-]+)"')
    need(len(commands) > 5 and len(options) > 15 and len(budgets) > 5, "the tables look different")
    page = os.path.join(prefix, "share/man/man1/streamcheck.1.gz")
    with gzip.open(page, "rt", encoding="utf-8") as file:
        text = file.read().replace("\\-", "-")
    for word in commands + options + budgets:
        need(re.search(rf"(?<!\w){word}(?![\w-])", text), f"{page} lacks {word}")
    if shutil.which("man"):
        got = subprocess.run(["man", "--warnings", "-l", "-E", "UTF-8", page], check=False,
                             capture_output=True, text=True,
                             env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        need(not got.returncode and not got.stderr and "EXIT STATUS" in got.stdout,
             got.stderr or got.stdout)
    path = os.path.join(prefix, "share/bash-completion/completions/streamcheck")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for word in commands + options:
        need(re.search(rf"(?<!\w){word}(?![\w])", text), f"{path} lacks {word}")
    run("bash", "-n", path)
    complete = ("source {}; COMP_WORDS=(streamcheck run --requ); COMP_CWORD=2; "
                "_streamcheck streamcheck --requ run; echo ${{COMPREPLY[@]}}")
    said = run("bash", "-c", complete.format(path))
    need(said.strip() == "--require-cuda", said)
    complete = ("source {}; COMP_WORDS=(streamcheck run --device = s); COMP_CWORD=4; "
                "_streamcheck streamcheck s =; echo ${{COMPREPLY[@]}}")
    said = run("bash", "-c", complete.format(path))
    need(said.strip() == "sim", said)


def main():
    part, prefix, folder, cmake, cuda_bin = sys.argv[1:6]
    if part == "sample":
        check_sample(prefix, folder, cmake, cuda_bin)
    else:
        check_printed(prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main())
