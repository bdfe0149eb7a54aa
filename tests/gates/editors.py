#!/usr/bin/env python3
"""docs/user/editors.md: its task matches what is printed, its loop prints what is new. usage: editors.py PREFIX PROGRAM"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from common import ROOT, need

PLACES = ("file", "line", "severity", "code")


def typed(command, folder, prefix):
    env = {**os.environ, "PATH": os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"]}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def check_task(page, folder, prefix):
    task = json.loads(re.search(r"^```json\n(.*?)^```", page, re.M | re.S)[1])["tasks"][0]
    pattern = task["problemMatcher"]["pattern"]
    with open(os.path.join(ROOT, "docs/ci/problem-matcher.json"), encoding="utf-8") as file:
        other = json.load(file)["problemMatcher"][0]["pattern"][0]
    need(pattern == other, "the matchers of editors.md and of problem-matcher.json differ")
    _, said = typed(task["command"], folder, prefix)
    found = [[match[pattern[part]] for part in PLACES] for match in map(re.compile(pattern["regexp"]).match, said.splitlines()) if match]
    need(found and found[0][1:] == ["22", "error", "SC-106"] and os.path.isfile(os.path.join(folder, found[0][0])), said)
    need([row[2] for row in found[1:]] == ["note"] * (len(found) - 1), said)


def check_loop(page, folder, prefix):
    start = re.search(r"`(echo .* >known\.txt)`", page)[1]
    step = re.search(r"entr -s '(.*)'$", page, re.M)[1]
    need(typed(start, folder, prefix)[0] == 0, start)
    first, second = (typed(step, folder, prefix) for _ in range(2))
    need("[SC-106]" in first[1] and first[0] == 0, first[1])
    need("SC-106" not in second[1] and second[0] == 0, second[1])


def main():
    prefix, program = map(os.path.abspath, sys.argv[1:3])
    with open(os.path.join(ROOT, "docs/user/editors.md"), encoding="utf-8") as file:
        page = file.read()
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        shutil.copy(program, os.path.join(folder, "app"))
        check_task(page, folder, prefix)
        check_loop(page, folder, prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main())
