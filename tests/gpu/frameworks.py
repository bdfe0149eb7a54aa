"""Programs of Python frameworks, correct and with one mistake each, as their users write them.

A line of a script of frameworks/ may say `# expect buggy RULE[|RULE...] [likely|proven]`, and after commas the same with
`visible` and `followed`: one of these rules must be found at that line, as sure as that or surer, when the script runs as `buggy`, by
default and with these values of --allocators. It also runs as `fixed`; scripts without such a line are correct. What is correct prints what it
prints without streamcheck, and nothing is likely or proven of it; with another value of --allocators a corrected script has no finding
but advice, and what a mark `still visible` says, which only the framework itself can correct. Scripts of PyTorch and CuPy run with --allocators=followed too. `verified` says what `streamcheck verify` finds of the first
run's trace, `verified visible` and `verified followed` the same of two runs with these values of --allocators.
"""
import concurrent.futures
import glob
import os
import re
import sys
import tempfile

import checked
import expectation

JOBS = max(1, min(12, (os.cpu_count() or 1) // 2))
HERE = os.path.dirname(os.path.abspath(__file__))
EXPECT = re.compile(r"(?:# expect|,) (buggy|visible|followed|verified(?: visible| followed)?|still visible) (SC-\d{3}(?:\|SC-\d{3})*)(?: (likely|proven))?(?=,|$)")
VERIFIED = ("verified", "verified visible", "verified followed")
CONFIDENCES = ("possible", "likely", "proven")


def scripts():
    return sorted(glob.glob(os.path.join(HERE, "frameworks", "*.py")))


def command_of(path, variant):
    return [sys.executable, path, *([variant] if variant else [])]


def why_not(code, err):
    return (err.strip().splitlines() or [f"exit code {code}"])[-1]


def is_alarm(finding):
    return finding["confidence"] != "possible" and finding["severity"] == "error" or finding["confidence"] == "likely"


def marks(path, mode):
    """(line, rules, confidence) of a script's lines that speak of this mode."""
    with open(path, encoding="utf-8") as file:
        return [(number, rules.split("|"), confidence or "possible") for number, line in enumerate(file, 1)
                for kind, rules, confidence in EXPECT.findall(line.rstrip("\n")) if kind == mode]


def is_shown(path, mark, finding):
    """Whether the finding is of these rules, sure enough, and has a side at this line of the script."""
    line, rules, confidence = mark
    places = {(frame.get("file"), frame.get("line"))
              for access in finding["accesses"] for frame in access["frames"]}
    return (finding["rule"] in rules and (path, line) in places
            and CONFIDENCES.index(finding["confidence"]) >= CONFIDENCES.index(confidence))


def missing_rules(path, mode, findings):
    """What the buggy variant must show and does not."""
    return [f"missing at line {mark[0]}: {'|'.join(mark[1])} {mark[2]}" for mark in marks(path, mode)
            if not any(is_shown(path, mark, f) for f in findings)]


def judge(path, variant, mode, result, alone):
    """What is wrong with a run, as sentences."""
    if not result.report:
        return [f"no report; exit code {result.code}; {result.err[-300:]}"]
    if variant == "buggy":
        return missing_rules(path, mode, result.findings)
    code = checked.exit_code(0, result.findings, "run")
    is_wrong = is_alarm
    if variant and mode != "buggy":
        def is_wrong(finding):
            return finding["severity"] != "advice"
    remaining = marks(path, f"still {mode}")
    wrong = [expectation.describe(f) for f in result.findings if is_wrong(f) and not any(is_shown(path, mark, f) for mark in remaining)]
    wrong += [f"exit code {result.code}"] if result.code != code else []
    wrong += ["it prints something else"] if result.out != alone else []
    return wrong


def verified(prefix, command, env, options):
    """The script runs twice: what the first run left open is decided by the second."""
    tool = os.path.join(prefix, "bin", "streamcheck")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        checked.run([tool, "run", "--html=no", f"--trace={folder}/%p.sct", *(f"--{o}" for o in options), "--", *command], env, cwd=folder)
        traces = sorted(glob.glob(os.path.join(folder, "*.sct*")))
        code, out, err = checked.run([tool, "verify", "--html=no", f"--report=json:{report}", *(f"--{o}" for o in options), *traces,
                                      "--", *command], env, cwd=folder)
        return checked.Result(code, out, err, checked.read_report(report))


def run_one(prefix, path, variant, mode, options):
    """(word, details, result) of one script; alone first, to know what it prints and whether it can run."""
    env = dict(os.environ, CUBLAS_WORKSPACE_CONFIG=":4096:8", TOKENIZERS_PARALLELISM="false")
    with tempfile.TemporaryDirectory() as folder:
        code, alone, err = checked.run(command_of(path, variant), env, cwd=folder)
    if code:
        return "SKIP", why_not(code, err), None
    command = command_of(path, variant)
    if mode in VERIFIED:
        result = verified(prefix, command, env, [f"allocators={choice}" for choice in mode.split()[1:]])
    else:
        choice = [] if mode == "buggy" else [f"allocators={mode}"]
        result = checked.check(prefix, command[0], "run", "gpu", arguments=command[1:], extra=env,
                               options=[*options, *choice])
    is_recorded = variant == mode == "buggy" and "footprints=recorded" in options and marks(path, "verified")
    wrong = judge(path, variant, "verified" if is_recorded else mode, result, alone)
    if not result.report:
        return "FAIL", "; ".join(wrong), result
    ops = sum(process["coverage"]["ops"] for process in result.processes)
    count = f"{ops} ops, {len(result.findings)} findings"
    return "FAIL" if wrong else "ok", "; ".join([*wrong, count]), result


def modes_of(path):
    """The values of --allocators with which a script runs; "buggy" is the default."""
    with open(path, encoding="utf-8") as file:
        is_followed = re.search(r"^import (torch|cupy)\b", file.read(), re.M)
    return ["buggy", "visible", *(["followed"] if is_followed else [])]


def variants(path):
    """(variant, mode) of each run."""
    modes = modes_of(path)
    marked = [mode for mode in [*modes, *VERIFIED] if marks(path, mode)]
    return [("buggy", mode) for mode in marked] + [("fixed" if marked else "", mode) for mode in modes]


def row_of(work, word, details, result):
    """What was found is printed."""
    path, variant, mode = work
    name = os.path.basename(path)
    variant = " ".join(filter(None, [variant, mode if mode != "buggy" else ""]))
    print(f"---- {name} {variant}: {word}", flush=True)
    for finding in result.findings if result else ():
        print("   ", expectation.describe(finding))
    if word == "FAIL" and result:
        print(result.out[-300:], result.err[-3000:])
    return name, variant or "as it is", word, details


def rows(prefix, names, options):
    """(what, how, word, details) of each script and variant, in turn, as they end."""
    work = [(path, *run) for path in scripts() for run in variants(path)
            if not names or any(n in path for n in names)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        runs = [pool.submit(run_one, prefix, *w, options) for w in work]
        try:
            for one, run in zip(work, runs):
                yield row_of(one, *run.result())
        finally:
            pool.shutdown(cancel_futures=True)
