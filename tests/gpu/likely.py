"""How often `likely` was right: what recordings make of likely findings.

Scripts of frameworks/ run in all variants and with all values of --allocators. Test cases run as they are, and once more without
their device code (--images=no), which makes closed kernels of theirs. A run with likely findings is followed by `streamcheck verify`
with the same options, and each likely finding is counted by its verdict:

    proven       the second run has it with known bytes
    not seen     both operations ran again with known bytes, which were apart
    not decided  the second run could not decide it; the reason is printed
    other doubt  the doubt is not about bytes, so that no recording decides it

Nothing here can fail but a first run without a report: the numbers are the result. `likely.json` in $OUT has each finding.
"""
import collections
import concurrent.futures
import glob
import json
import os
import tempfile

import checked
import expectation
import frameworks

JOBS = min(12, os.cpu_count() or 1)
WAYS = ((), ("images=no",))
VERDICTS = ("proven", "not-seen", "not-decided", "other-doubt")
NOT_RUN = (77,)


class Run:
    """A program that is asked: how it is called, and what is known of it."""

    def __init__(self, name, group, command, options=(), env=None):
        self.name = name
        self.group = group
        self.command = command
        self.options = options
        self.env = {**os.environ, **(env or {})}
        self.findings = []  # of the first run that are likely, as the table of `verify` has them
        self.problem = ""
        self.is_skipped = False


def script_runs(names):
    """All scripts in all variants and ways."""
    env = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "TOKENIZERS_PARALLELISM": "false"}
    for path in frameworks.scripts():
        if names and not any(name in path for name in names):
            continue
        has_mistake = any(frameworks.marks(path, mode) for mode in (*frameworks.modes_of(path), *frameworks.VERIFIED))
        for variant in ("buggy", "fixed") if has_mistake else ("",):
            for mode in frameworks.modes_of(path):
                options = [] if mode == "buggy" else [f"allocators={mode}"]
                group = "scripts with a mistake" if variant == "buggy" else "correct scripts"
                yield Run(" ".join(filter(None, [os.path.basename(path), variant, *options])), group,
                          frameworks.command_of(path, variant), options, env)


def case_runs(programs, sources):
    """All built test cases in both ways."""
    for source in sources:
        for variant, expected in source.expected.items():
            path = os.path.join(programs, expectation.program_name(source.path, variant))
            for way in WAYS if os.path.exists(path) else ():
                group = "test cases with a mistake" if expected else "correct test cases"
                yield Run(" ".join([os.path.basename(path), *way]), group + (", without device code" if way else ""), [path],
                          [*source.options, *way], source.env)


def call(prefix, command, options, run, folder):
    """One run under streamcheck: (exit code, stderr, report)."""
    path = os.path.join(folder, f"{command[0]}.json")
    words = [os.path.join(prefix, "bin", "streamcheck"), command[0], "--html=no", f"--report=json:{path}", *(f"--{o}" for o in options),
             *command[1:], "--", *run.command]
    code, _, err = checked.run(words, run.env, cwd=folder)
    return code, err, checked.read_report(path)


def last_line(code, err):
    return (err.strip().splitlines() or [f"exit code {code}"])[-1]


def described(finding, verdict, reason=""):
    return {"rule": finding["rule"], "what": expectation.describe(finding), "verdict": verdict, "reason": reason}


def take_table(run, first, code, err, report):
    """Adds the likely rows of the table of `verify`; without a table none of them is decided."""
    table = next((p["verified"] for p in (report or {}).get("processes", [report or {}]) if "verified" in p), None)
    if table:
        run.findings += [{key: row.get(key, "") for key in ("rule", "what", "verdict", "reason", "found_rule")}
                         for row in table["findings"] if row["confidence"] == "likely"]
    else:
        run.findings += [described(f, "not-decided", last_line(code, err)) for f in first]


def ask(prefix, device, run):
    """The first run, and the second if it is needed."""
    options = [f"device={device}", *run.options]
    with tempfile.TemporaryDirectory(prefix="streamcheck-likely-") as folder:
        code, err, report = call(prefix, ["run", f"--trace={folder}/%p.sct"], options, run, folder)
        run.is_skipped = code in NOT_RUN
        if not report:
            run.problem = last_line(code, err)
            return run
        likely = [f for p in report.get("processes", [report]) for f in p["findings"] if f["confidence"] == "likely"]
        asked = [f for f in likely if f.get("decided_by")]
        run.findings += [described(f, "other-doubt", f.get("doubt", "")) for f in likely if not f.get("decided_by")]
        traces = sorted(glob.glob(os.path.join(folder, "*.sct*")))
        if asked:
            take_table(run, asked, *call(prefix, ["verify", *traces], options, run, folder))
    return run


def details_of(counts):
    asked = sum(counts[verdict] for verdict in VERDICTS[:3])
    return f"{asked} asked: " + ", ".join(f"{counts[verdict]} {verdict.replace('-', ' ')}" for verdict in VERDICTS)


def summary(runs):
    """(what, how, word, details): a row for each group and rule, for each group, and for all."""
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run.group].append(run)
    total = collections.Counter()
    for group, members in groups.items():
        whole, by_rule = collections.Counter(), collections.defaultdict(collections.Counter)
        for finding in (f for run in members for f in run.findings):
            whole[finding["verdict"]] += 1
            by_rule[finding["rule"]][finding["verdict"]] += 1
        for rule, counts in sorted(by_rule.items()):
            yield f"likely: {group}", rule, "ok", details_of(counts)
        had = sum(bool(run.findings) for run in members)
        yield f"likely: {group}", "all rules", "ok", f"{had} of {len(members)} runs; {details_of(whole)}"
        total += whole
    yield "likely", "all rules", "ok", f"{len(runs)} runs; {details_of(total)}"


def show(run):
    for finding in run.findings:
        print(f"likely: {run.name}: {finding['verdict']}: {finding['rule']} {finding['what']}"
              + (f": {finding['reason']}" if finding["reason"] else ""), flush=True)


def write(out, runs):
    with open(os.path.join(out, "likely.json"), "w", encoding="utf-8") as file:
        json.dump([{"program": run.name, "group": run.group, "problem": run.problem, "findings": run.findings} for run in runs],
                  file, indent=1)


def rows(prefix, runs, device, out):
    """(what, how, word, details) of all runs; what is done is kept where time runs out."""
    runs, done, ended = list(runs), [], None
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        begun = [pool.submit(ask, prefix, device, run) for run in runs]
        try:
            for one in concurrent.futures.as_completed(begun):
                done.append(one.result())
                show(done[-1])
        except KeyboardInterrupt as interrupt:
            ended = interrupt
        finally:
            pool.shutdown(cancel_futures=True)
            if out:
                write(out, done)
    for run in done:
        if run.problem:
            yield run.name, "likely", "SKIP" if run.is_skipped or run.group.endswith("scripts") else "FAIL", run.problem[-300:]
    yield from summary(done)
    if ended:
        raise ended
