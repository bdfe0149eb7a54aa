#!/usr/bin/env python3
"""The templates of docs/ci, run literally on projects with a bug. usage: ci.py PREFIX FOLDER CUDA_BIN

Each template has a project of another kind; tests/bare runs every template with every project. Only apt-get is
played, since it would change this machine.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

from common import HERE, ROOT, SKIPPED, fresh, need, rows, run

GATE = "--fail-on=error --require-cuda --suppressions=accepted.txt --baseline=known.txt --budget=copies="
KINDS = {"CMake": "cmake", "Makefile": "make", "Python": "pytest"}
COPIES = {"cmake": 3, "make": 2, "pytest": 3}


class Service:
    """A CI service: a working copy of a project, variables, and steps that run one after the other."""

    def __init__(self, template, project, folder, path, given):
        self.template, self.folder, self.path = template, folder, path
        shutil.copytree(os.path.join(HERE, "projects", project), fresh(folder), dirs_exist_ok=True)
        self.runner = fresh(folder + ".runner")
        self.given = given

    def run(self, more):
        """Exit codes of the steps up to the first that fails, and all that was said."""
        added = os.path.join(self.runner, "path")
        env = {**os.environ, **self.template.environment(self.given), **more, "RUNNER_TEMP": self.runner,
               "GITHUB_PATH": added, "GITHUB_STEP_SUMMARY": os.path.join(self.runner, "summary")}
        open(added, "w", encoding="utf-8").close()
        codes, said = [], ""
        for step in self.template.steps:
            with open(added, encoding="utf-8") as file:
                env["PATH"] = os.pathsep.join([*file.read().split(), *self.path])
            got = subprocess.run([*self.template.shell, step], cwd=self.folder, env=env, check=False, timeout=200,
                                 capture_output=True, text=True)
            codes.append(got.returncode)
            said += got.stdout + got.stderr
            if got.returncode:
                break
        return codes, said

    def reports(self):
        return sorted(os.path.basename(p) for p in glob.glob(os.path.join(self.folder, "reports/*")))

    def suites(self):
        return xml.parse(os.path.join(self.folder, "reports/streamcheck.xml")).getroot()


def failures(suites):
    return [case.get("name").split()[0] for case in suites.iter("testcase") if case.find("failure") is not None]


def check_gates(service, rule, line, steps):
    """The bug fails the build at its line, with one finding accepted and one known; the fix and the budget work."""
    name = service.template.name
    codes, said = service.run({})
    need(codes == [0] * (steps - 1) + [66], f"{name} ends with {codes}:\n{said}")
    with open(os.path.join(service.folder, "reports/streamcheck.txt"), encoding="utf-8") as file:
        text = file.read()
    need("1 error," in text and "1 suppressed" in text and "1 known" in text, text)
    need(rule in text and line in text, f"{name}: {rule} at {line} is not in:\n{text}")
    suites = service.suites()
    need(failures(suites) == [rule], f"{name}: JUnit fails for {failures(suites)}")
    names = [(case.get("classname"), case.get("name")) for case in suites.iter("testcase")]
    codes, said = service.run({"FIXED": "1"})
    need(codes == [0] * steps, f"{name}, fixed: {codes}:\n{said}")
    suites = service.suites()
    need(not failures(suites) and suites.get("errors") == "0", f"{name}: JUnit does not pass when the bug is fixed")
    need(names == [(case.get("classname"), case.get("name")) for case in suites.iter("testcase")],
         f"{name}: the names in JUnit are not those of the run before")
    codes, said = service.run({"FIXED": "1", "WASTEFUL": "1"})
    need(codes[-1] == 66 and "budget copies: " in said, f"{name}, wasteful: {codes}:\n{said}")


def check_nothing_tested(service):
    """A run without tests, or whose tests do not use the device, is an error."""
    codes, said = service.run({"TEST": "true", "COMMAND": "true"})
    need(codes[-1] == 3 and "nothing was recorded" in said, f"{service.template.name}: {codes}\n{said}")


def played(folder):
    """A folder with an apt-get that writes down what it was asked for."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "apt-get")
    with open(path, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "$@" >>"$(dirname "$0")/said"\nfor word; do\n'
                   'case $word in ./*) [ -s "$word" ] || exit 100 ;; esac\ndone\n')
    os.chmod(path, 0o755)
    return folder


def environment_with_pytest(folder):
    """An environment for Python projects, made once and then kept; None if pytest cannot be fetched."""
    if not os.path.exists(os.path.join(folder, "bin/pip")):
        run(sys.executable, "-m", "venv", folder)
    if not glob.glob(os.path.join(folder, "lib/*/site-packages/pytest")):
        done = subprocess.run([os.path.join(folder, "bin/pip"), "install", "-q", "pytest"], check=False,
                              capture_output=True, text=True)
        if done.returncode:
            return None
    return folder


def check_options(templates):
    """Options and formats of the templates are those that there are."""
    options = rows("base/option.def", r'^SC_OPTION_\w+\(\w+, "([\w-]+)"')
    formats = rows("reports/report.def", r'^SC_REPORT\(\w+, "(\w+)"')
    for name in (*templates.ALL, "action.yml"):
        text = templates.read(name)
        for option, value in re.findall(r"--(device|fail-on|require-cuda|format|report)(?:=(\S+))?", text):
            need(option in options, f"{name}: there is no option {option}")
            if option in ("report", "format"):
                need(value.split(":")[0] in formats, f"{name}: there is no format {value}")


def main():
    prefix, folder, cuda_bin = (os.path.realpath(p) for p in sys.argv[1:4])
    try:
        import templates
    except ImportError:
        print("skipped: no module yaml")
        return SKIPPED
    if not shutil.which("ninja") or not shutil.which("curl"):
        print("skipped: no ninja or no curl")
        return SKIPPED
    os.makedirs(folder, exist_ok=True)
    check_options(templates)
    kinds = templates.table()
    templates.dockerfile()
    package = os.path.join(prefix, "share/doc/streamcheck/NOTICE")
    tools = played(os.path.join(folder, "tools"))
    path = [tools, os.path.join(prefix, "bin"), cuda_bin, *os.environ["PATH"].split(os.pathsep)]
    sha256 = run("sha256sum", package).split()[0]
    given = {"STREAMCHECK_PACKAGE": "file://" + package, "STREAMCHECK_SHA256": sha256}
    plan = [("github.yml", "CMake", "SC-101", "transfer.c:27"), ("gitlab.yml", "Makefile", "SC-106", "transfer.cu:30")]
    python = environment_with_pytest(os.path.join(folder, "venv"))
    if python:
        plan.append(("Jenkinsfile", "Python", "SC-101", "test_transfer.py:40"))
    for name, kind, rule, line in plan:
        template, project = templates.ALL[name](), KINDS[kind]
        gate = {**given, **kinds[kind], "GATE": GATE + str(COPIES[project])}
        service = Service(template, project, os.path.join(folder, project), path, gate)
        if kind == "Python":
            os.symlink(python, os.path.join(service.folder, "venv"))
        check_gates(service, rule, line, len(template.steps))
        need(service.reports() and "streamcheck.xml" in service.reports(), f"{name} leaves {service.reports()}")
        check_nothing_tested(service)
        codes, said = Service(template, project, os.path.join(folder, "wrong"), path,
                              {**gate, "STREAMCHECK_SHA256": "0" * 64}).run({})
        need(codes[-1] == 1 and "computed checksum did NOT match" in said, f"{name} takes a wrong package: {said}")
    with open(os.path.join(tools, "said"), encoding="utf-8") as file:
        need("./streamcheck.deb" in file.read(), "no template installs streamcheck")
    check_bisect(folder, path)
    check_since(folder, path)
    check_action(templates, prefix, folder, [p for p in path if p != os.path.join(prefix, "bin")])
    if not python:
        print("skipped, for pytest cannot be fetched: Python projects")
    return 0


class Repository:
    """A repository of git with the project of make, and a script that docs/user/ci.md has below a heading."""

    def __init__(self, folder, path, options, heading, script):
        with open(os.path.join(ROOT, "docs/user/ci.md"), encoding="utf-8") as file:
            section = file.read().partition(f"## {heading}\n")[2]
        shutil.copytree(os.path.join(HERE, "projects/make"), fresh(folder), dirs_exist_ok=True)
        self.folder, self.source = folder, os.path.join(folder, "transfer.cu")
        self.env = {**os.environ, "PATH": os.pathsep.join(path), "NVCC_APPEND_FLAGS": "-g -lineinfo --cudart shared", "HOME": folder,
                    "STREAMCHECK_OPTIONS": options, "GIT_CONFIG_NOSYSTEM": "1"}
        with open(self.source, encoding="utf-8") as file:
            self.wrong = file.read()
        self.right = self.wrong.replace('if (getenv("FIXED"))', "if (true)")
        self.write(script, re.search(r"^    #!/bin/sh\n(?:    .*\n)+", section, re.M)[0].replace("\n    ", "\n").lstrip())
        os.chmod(os.path.join(folder, script), 0o755)
        self.git("init", "-q")
        self.git("add", "Makefile", "accepted.txt", "known.txt")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *words):
        return run("git", "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "init.defaultBranch=a", *words, cwd=self.folder, env=self.env)

    def commit(self, subject, text):
        self.write("transfer.cu", text)
        self.git("add", "transfer.cu")
        self.git("commit", "-q", "-m", subject)


def check_bisect(folder, path):
    """The script of docs/user/ci.md finds the commit that brought the bug, past some of which nothing can be said."""
    made = Repository(os.path.join(folder, "bisect"), path, "suppressions=accepted.txt:baseline=known.txt", "Which commit brought a finding", "bisect.sh")
    made.commit("right", made.right)
    made.commit("right too", made.right + "\n")
    made.commit("does not build", made.right + "#error\n")
    made.commit("without the device", "int main() {}\n")
    made.commit("right again", made.right)
    made.commit("the bug", made.wrong)
    made.commit("wrong, too", made.wrong + "\n")
    made.git("bisect", "start", "HEAD", "HEAD~6")
    said = run("git", "bisect", "run", "./bisect.sh", cwd=made.folder, env=made.env, code=None)
    need(re.search(r"is the first bad commit\n(.*\n)*\s+the bug\n", said), said)


def check_since(folder, path):
    """The script of docs/user/ci.md reports what is new since a commit, lists what is gone, and checks the commit once."""
    made = Repository(os.path.join(folder, "since"), path, "suppressions=accepted.txt", "What is new since a commit", "since.sh")
    made.commit("right", made.right)
    made.commit("the bug", made.wrong)

    def since(commit, code):
        os.utime(made.source)
        done = subprocess.run(["./since.sh", commit], cwd=made.folder, env=made.env, check=False, capture_output=True, text=True, timeout=200)
        need(done.returncode == code, f"since.sh {commit} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    said = since("HEAD~1", 66)
    need("1 error," in said and "error SC-106" in said and "error SC-101" not in said and "2 known" in said, said)
    need(said.count("nvcc -O2") == 2 and since("HEAD~1", 66).count("nvcc -O2") == 1, said)
    need("3 known" in since("HEAD", 0), "something is new since HEAD")
    made.write("transfer.cu", made.right)
    need("no longer" in since("HEAD", 0), "nothing is gone since HEAD")
    need("no-such-commit" in since("no-such-commit", 2), "no message names the commit")
    made.commit("does not build", "#error\n")
    made.write("transfer.cu", made.right)
    since("HEAD", 2)
    need(made.git("worktree", "list").count("\n") == 1, "a work tree is left")


def check_action(templates, prefix, folder, path):
    """The action unpacks the tarball and checks what its example checks."""
    tarball = os.path.join(folder, "streamcheck.tar.gz")
    run("tar", "-C", os.path.dirname(prefix), "--use-compress-program=gzip -1", "-cf", tarball, os.path.basename(prefix))
    action = templates.action()
    inputs = {**action.inputs, "package": "file://" + tarball, "run": "make check",
              "options": action.inputs["options"] + " " + GATE + str(COPIES["make"]),
              "NVCC_APPEND_FLAGS": "-g -lineinfo --cudart shared"}
    service = Service(action, "make", os.path.join(folder, "action"), path, inputs)
    check_gates(service, "SC-106", "transfer.cu:30", 2)
    need(service.reports() == ["streamcheck." + end for end in ("html", "log", "sarif", "txt", "xml")], service.reports())
    with open(os.path.join(service.runner, "summary"), encoding="utf-8") as file:
        summary = file.read()
    need(re.search(r"^\| error \| transfer\.cu:30(:\d+)? \| SC-106 \| one stream .* \|$", summary, re.M), f"the summary is\n{summary}")
    drawing = re.search(r"^```mermaid\nsequenceDiagram\n(.*?)^```$", summary, re.M | re.S)
    need(drawing and re.search(r"then: .*transfer\.cu:30$", drawing[1], re.M) and "--x" in drawing[1], f"the summary has no drawing:\n{summary}")
    check_nothing_tested(service)


if __name__ == "__main__":
    sys.exit(main())
