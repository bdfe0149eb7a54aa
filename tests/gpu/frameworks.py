"""Programs of Python frameworks, correct and with one mistake each, as their users write them.

A script of frameworks/ with a line that says `# expect buggy RULE[|RULE...]` runs as `buggy`, where one of these
rules must be found at that line, and as `fixed`; the others are correct. What is correct prints what it prints without streamcheck,
and nothing is proven of it.
"""
import concurrent.futures
import glob
import os
import re
import sys
import tempfile

import checked
import expectation

JOBS = 6
HERE = os.path.dirname(os.path.abspath(__file__))
EXPECT = re.compile(r"# expect buggy (SC-\d{3}(?:\|SC-\d{3})*)$")


def scripts():
    return sorted(glob.glob(os.path.join(HERE, "frameworks", "*.py")))


def command_of(path, variant):
    return [sys.executable, path, *([variant] if variant else [])]


def why_not(code, err):
    return (err.strip().splitlines() or [f"exit code {code}"])[-1]


def is_proven(finding):
    return finding["confidence"] == "proven" and finding["severity"] == "error"


def is_shown(path, line, rules, finding):
    """Whether the finding is of these rules and has a side at this line of the script."""
    places = {(frame.get("file"), frame.get("line"))
              for access in finding["accesses"] for frame in access["frames"]}
    return finding["rule"] in rules and (path, line) in places


def missing_rules(path, findings):
    """What the buggy variant must show and does not."""
    with open(path, encoding="utf-8") as file:
        marks = [(number, EXPECT.search(line)) for number, line in enumerate(file, 1)]
    return [f"missing at line {line}: {mark[1]}" for line, mark in marks if mark
            and not any(is_shown(path, line, mark[1].split("|"), f) for f in findings)]


def judge(path, variant, result, alone):
    """What is wrong with a run, as sentences."""
    if not result.report:
        return [f"no report; exit code {result.code}; {result.err[-300:]}"]
    if variant == "buggy":
        return missing_rules(path, result.findings)
    wrong = [expectation.describe(f) for f in result.findings if is_proven(f)]
    wrong += [f"exit code {result.code}"] if result.code else []
    wrong += ["it prints something else"] if result.out != alone else []
    return wrong


def run_one(prefix, path, variant, options):
    """(word, details, result) of one script; alone first, to know what it prints and whether it can run."""
    env = dict(os.environ, CUBLAS_WORKSPACE_CONFIG=":4096:8", TOKENIZERS_PARALLELISM="false")
    with tempfile.TemporaryDirectory() as folder:
        code, alone, err = checked.run(command_of(path, variant), env, cwd=folder)
    if code:
        return "SKIP", why_not(code, err), None
    command = command_of(path, variant)
    result = checked.check(prefix, command[0], "run", "gpu", arguments=command[1:], extra=env,
                           options=options)
    wrong = judge(path, variant, result, alone)
    if not result.report:
        return "FAIL", "; ".join(wrong), result
    ops = sum(process["coverage"]["ops"] for process in result.processes)
    count = f"{ops} ops, {len(result.findings)} findings"
    return "FAIL" if wrong else "ok", "; ".join([*wrong, count]), result


def variants(path):
    with open(path, encoding="utf-8") as file:
        return ("buggy", "fixed") if any(map(EXPECT.search, file)) else ("",)


def rows(prefix, names, options):
    """(what, how, word, details) of each script and variant; what was found is printed."""
    work = [(path, variant) for path in scripts() for variant in variants(path)
            if not names or any(n in path for n in names)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        done = list(pool.map(lambda w: run_one(prefix, *w, options), work))
    for (path, variant), (word, details, result) in zip(work, done):
        name = os.path.basename(path)
        print(f"---- {name} {variant}: {word}", flush=True)
        for finding in result.findings if result else ():
            print("   ", expectation.describe(finding))
        if word == "FAIL" and result:
            print(result.out[-300:], result.err[-3000:])
        yield name, variant or "as it is", word, details
