#!/usr/bin/env python3
"""Runs clang-tidy or cppcheck over the compile commands of a build folder, in parallel.

usage: analyze.py clang-tidy|cppcheck BUILD-FOLDER
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
# Everything that ships; tests have sanitizers.
FOLDERS = ("base", "trace", "ptx", "footprint", "interposer", "analyzer", "reports", "cmds", "extensions", "simulator")
SKIPPED = 77
# cppcheck.txt says what this one reads wrongly; each other one reads other things wrongly. None: any will do.
VERSIONS = {"cppcheck": "2.10", "clang-tidy": None}
GCC_ONLY = re.compile(r" -m(memset|memcpy)-strategy=\S+")


def commands_for_clang(build, folder):
    """Writes the build's compile commands into the folder, without what only gcc understands."""
    name = "compile_commands.json"
    with open(os.path.join(build, name), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(GCC_ONLY.sub("", text))


def files(build):
    """The C files of ours that the build compiles, without tests."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    paths = {os.path.realpath(os.path.join(c["directory"], c["file"])) for c in commands}
    return sorted(p for p in paths if p.endswith(".c") and "/tests/" not in os.path.relpath(p, ROOT)
                  and os.path.relpath(p, ROOT).split("/")[0] in FOLDERS)


def clang_tidy(build, paths):
    return ["clang-tidy", "--quiet", "-p", build, f"--config-file={HERE}/clang-tidy.yml", *paths]


def cppcheck(build, paths):
    includes = ["-I", ROOT, "--force", "--max-configs=1"]
    return ["cppcheck", "--quiet", "--std=c11", "--language=c", "--error-exitcode=1",
            "--enable=warning,portability", "--inline-suppr", "-D_GNU_SOURCE", "-D__linux__",
            f"--suppressions-list={HERE}/cppcheck.txt", *includes, *paths]


TOOLS = {"clang-tidy": clang_tidy, "cppcheck": cppcheck}


def run(command):
    got = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return got.returncode, got.stdout + got.stderr


def check(tool, build):
    paths = files(build)
    jobs = os.cpu_count() or 1
    size = max(1, min(8, len(paths) // (jobs * 2) or 1))
    parts = [paths[i:i + size] for i in range(0, len(paths), size)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for code, text in pool.map(run, [TOOLS[tool](build, part) for part in parts]):
            if code:
                failed += 1
                print(text)
    print(f"{tool}: {len(paths)} files, {failed} of {len(parts)} runs with complaints")
    return 1 if failed else 0


def main():
    tool, build = sys.argv[1:3]
    if not shutil.which(tool):
        print(f"{tool} is not installed")
        return SKIPPED
    _, said = run([tool, "--version"])
    if VERSIONS[tool] and VERSIONS[tool] not in said.split():
        print(f"this is {said.strip()}, and tests/lint/cppcheck.txt was made for {VERSIONS[tool]}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="streamcheck-lint-") as folder:
        commands_for_clang(build, folder)
        return check(tool, folder)


if __name__ == "__main__":
    sys.exit(main())
