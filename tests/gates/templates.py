"""The templates of docs/ci as what a service makes of them: variables and steps of shell.

A service gives variables of its own (`given`); `${{ … }}` of GitHub's is replaced by them. Steps are run literally.
"""
import os
import re
import shlex

import yaml
from common import ROOT, need

CI = os.path.join(ROOT, "docs/ci")
GITHUB = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
GROOVY_STRING = r"'''(?P<long>.*?)'''|'(?P<short>(?:[^'\\\n]|\\.)*)'"


class Template:
    """variables: dict; steps: texts of shell, in order; shell: the command that runs one."""

    def __init__(self, name, shell, variables, steps):
        self.name, self.shell, self.variables, self.steps = name, shell, variables, steps
        need(steps, f"{name} runs nothing")
        for step in steps:
            need(isinstance(step, str) and step.strip(), f"{name} has an empty step")

    def environment(self, given):
        """The template's variables, with those that the service gives."""
        def value(match):
            word = match[1].partition(".")[2]
            need(word in given, f"{self.name}: nobody gives {match[1]}")
            return given[word]

        mine = {name: GITHUB.sub(value, str(text)) for name, text in self.variables.items()}
        return {**mine, **{name: text for name, text in given.items() if name.isupper()}}


def read(name):
    with open(os.path.join(CI, name), encoding="utf-8") as file:
        return file.read()


def github():
    text = yaml.safe_load(read("github.yml"))
    steps = [step["run"] for step in text["jobs"]["check"]["steps"] if "run" in step]
    return Template("github.yml", ["bash", "-e", "-c"], text["env"], steps)


def gitlab():
    job = yaml.safe_load(read("gitlab.yml"))["streamcheck"]
    return Template("gitlab.yml", ["bash", "-e", "-o", "pipefail", "-c"], job["variables"],
                    job["before_script"] + job["script"])


def without_comments(text):
    """Groovy without its line comments; strings stay."""
    return re.sub(rf"{GROOVY_STRING}|//[^\n]*", lambda m: "" if m[0].startswith("//") else m[0], text, flags=re.S)


def jenkins():
    text = without_comments(read("Jenkinsfile"))
    code = re.sub(GROOVY_STRING, "''", text, flags=re.S)
    for one, other in ("{}", "()"):
        need(code.count(one) == code.count(other), f"Jenkinsfile: {one} and {other} do not match")
    need(re.match(r"\s*pipeline\s*\{", code), "Jenkinsfile is no declarative pipeline")
    block = re.search(r"environment\s*\{(.*?)\n\t\}", text, re.S)[1]
    variables = {m[1]: m["short"] for m in re.finditer(rf"(\w+) = (?:{GROOVY_STRING})", block)}
    found = re.finditer(rf"\bsh\s+(?:{GROOVY_STRING})", text, re.S)
    steps = [m["long"] if m["long"] is not None else m["short"] for m in found]
    for step in steps:
        need("\\" not in step, "Jenkinsfile: Groovy takes a backslash of a step for its own")
    return Template("Jenkinsfile", ["sh", "-xe", "-c"], variables, steps)


def action():
    text = yaml.safe_load(read("action.yml"))
    need(text["runs"]["using"] == "composite", "action.yml is not composite")
    steps, variables = [], {}
    for step in text["runs"]["steps"]:
        if "uses" in step:  # GitHub's own: cache and upload
            continue
        need(step["shell"] == "bash", "a step of a composite action names its shell")
        steps.append(step["run"])
        variables.update(step["env"])
    made = Template("action.yml", ["bash", "-e", "-o", "pipefail", "-c"], variables, steps)
    made.inputs = {name: row.get("default") for name, row in text["inputs"].items()}
    check_use(text["inputs"])
    return made


def check_use(inputs):
    """What docs/user/ci.md shows of a workflow with the action: ten lines at most, with inputs that there are."""
    with open(os.path.join(CI, "..", "user", "ci.md"), encoding="utf-8") as file:
        shown = re.search(r"(?m)^    permissions: .*\n(?:^    .*\n)+", file.read())[0]
    job = yaml.safe_load(shown)
    given = next(step["with"] for step in job["steps"] if "/docs/ci@" in step.get("uses", ""))
    need(len(shown.splitlines()) <= 10, f"the workflow of docs/user/ci.md has {len(shown.splitlines())} lines")
    need(set(given) <= set(inputs) and {n for n, row in inputs.items() if row.get("required")} <= set(given), f"it gives {set(given)}")
    need(job["permissions"] == {"contents": "read", "security-events": "write"}, "it lacks the permission to upload findings")


def dockerfile():
    """(instruction, text) of each line that counts; ENV's text is a dict."""
    text = re.sub(r"^#.*\n", "", read("Dockerfile"), flags=re.M)
    done = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "ENV":
            rest = dict(pair.split("=", 1) for pair in shlex.split(rest))
        if word:
            need(word in ("FROM", "RUN", "ENV", "COPY", "WORKDIR"), f"Dockerfile: {word} is not known to the tests")
            done.append((word, rest))
    need(done[0][0] == "FROM", "Dockerfile begins with no FROM")
    return done


def table():
    """Rows of docs/user/ci.md: what each kind of project writes for PACKAGES, BUILD and TEST."""
    with open(os.path.join(ROOT, "docs/user/ci.md"), encoding="utf-8") as file:
        text = file.read()
    row = r"^\| (CMake|Makefile|Python)[^|]*\| `([^`|]+)` \| `([^`|]+)` \| `([^`|]+)` \|$"
    found = {m[1]: dict(zip(("PACKAGES", "BUILD", "TEST"), m.groups()[1:])) for m in re.finditer(row, text, re.M)}
    need(len(found) == 3, f"docs/user/ci.md has the rows {found}")
    for read_template in ALL.values():
        template = read_template()
        for name, value in found["CMake"].items():
            need(template.variables[name] == value, f"{template.name}: {name} is not that of docs/user/ci.md")
    return found


ALL = {"github.yml": github, "gitlab.yml": gitlab, "Jenkinsfile": jenkins}
