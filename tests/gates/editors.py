#!/usr/bin/env python3
"""docs/user/editors.md: its task matches what is printed, its command checks each build and prints what is new. usage: editors.py PREFIX PROGRAM OTHER"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from common import ROOT, need

PLACES = ("file", "line", "column", "severity", "code")
COLUMNS = [("error", "41", "5", "SC-106"), ("warning", "43", "5", "SC-102"), ("note", "42", "5", "SC-303")]  # of the report with columns


def typed(command, folder, prefix):
    env = {**os.environ, "PATH": os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"]}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def check_task(page, folder, prefix):
    """Every line that names a place is a problem there, of the task's own output and of a report with columns."""
    task = json.loads(re.search(r"^```json\n(.*?)^```", page, re.M | re.S)[1])["tasks"][0]
    pattern = task["problemMatcher"]["pattern"]
    with open(os.path.join(ROOT, "docs/ci/problem-matcher.json"), encoding="utf-8") as file:
        other = json.load(file)["problemMatcher"][0]["pattern"][0]
    need(pattern == other, "the matchers of editors.md and of problem-matcher.json differ")
    regexp = re.compile(pattern["regexp"])

    def problems(text):
        lines = [(line, regexp.match(line)) for line in text.splitlines() if line and not line.startswith("streamcheck: ")]
        missed = [line for line, match in lines if not match]
        need(lines and not missed, f"not matched: {missed}")
        return [{part: match[pattern[part]] for part in PLACES} for _, match in lines]

    _, said = typed(task["command"], folder, prefix)
    found = problems(said)
    need(found[0].items() >= {"line": "22", "column": None, "severity": "error", "code": "SC-106"}.items() and os.path.isfile(os.path.join(folder, found[0]["file"])), said)
    need([row["severity"] for row in found[1:]] == ["note"] * (len(found) - 1), said)
    with open(os.path.join(ROOT, "tests/golden/formats/pipe.gcc"), encoding="utf-8") as file:
        found = problems(file.read())
    need([(row["severity"], row["line"], row["column"], row["code"]) for row in found if row["code"]] == COLUMNS, found)
    need({row["file"] for row in found} == {"/opt/lib/reader.cpp", "stage%1.cu"}, found)
    return said


def check_vim(page, folder, prefix, said):
    """Vim's own patterns find the same places."""
    command = re.search(r"`:(cexpr system\('.*?'\))`", page)[1]
    rows = "map(getqflist(), {_, e -> e.valid . ' ' . bufname(e.bufnr) . ':' . e.lnum})"
    typed(f'vim -es -u NONE -c "{command}" -c "call writefile({rows}, \'places\')" -c "qa!"', folder, prefix)
    with open(os.path.join(folder, "places"), encoding="utf-8") as file:
        places = [line[2:] for line in file.read().splitlines() if line.startswith("1 ")]
    need(places == [":".join(line.split(":")[:2]) for line in said.splitlines() if not line.startswith("streamcheck: ")], places)


class Watch:
    """The command of the page, watching `app`."""

    def __init__(self, page, folder, prefix):
        self.app, self.kept = os.path.join(folder, "app"), os.path.join(folder, "kept")
        os.mkdir(self.kept)
        command = re.search(r"^    (streamcheck watch .*)$", page, re.M)[1].split()
        env = {**os.environ, "PATH": os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"], "TMPDIR": self.kept}
        self.process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def after(self, content):
        """What is printed of a build."""
        os.unlink(self.app)
        write(self.app, content)
        return self.until()

    def until(self):
        said = ""
        for line in self.process.stderr:
            said += line
            if "was checked; its next build is awaited" in line:
                return said
        return need(False, f"it ended: {said}")

    def end(self):
        os.killpg(self.process.pid, signal.SIGINT)
        need(self.process.wait(60) == 130, f"Ctrl-C ends it with {self.process.returncode}")
        need(not os.listdir(self.kept), f"it leaves {os.listdir(self.kept)}")


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o755)


def check_watch(page, folder, prefix, other):
    """Each build is checked, what it brings is printed once, and a linker may take its time."""
    with open(os.path.join(folder, "app"), "rb") as one, open(other, "rb") as two:
        one, two = one.read(), two.read()
    watch = Watch(page, folder, prefix)
    try:
        said = [watch.until(), watch.after(one), watch.after(two[:64]), watch.after(two), watch.after(one)]
        rules = [re.findall(r"\[(SC-\d+)\]", text) for text in said]
        need(rules == [["SC-106"], [], [], ["SC-153", "SC-106"], ["SC-106"]], f"{rules}\n" + "\n".join(said))
        watch.end()
    finally:
        if watch.process.poll() is None:
            os.killpg(watch.process.pid, signal.SIGKILL)
        watch.process.stderr.close()


def main():
    prefix, program, other = map(os.path.abspath, sys.argv[1:4])
    with open(os.path.join(ROOT, "docs/user/editors.md"), encoding="utf-8") as file:
        page = file.read()
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        shutil.copy(program, os.path.join(folder, "app"))
        said = check_task(page, folder, prefix)
        if "+eval" in typed("vim --version", folder, prefix)[1]:
            check_vim(page, folder, prefix, said)
        check_watch(page, folder, prefix, other)
    return 0


if __name__ == "__main__":
    sys.exit(main())
