"""Programs that only a GPU runs: NVIDIA's libraries, graphs that the device launches.

Their head comments are those of test cases; `// missing: TEXT` is what the report must name as not seen.
A program whose libraries are not there is skipped.
"""
import glob
import os
import re

import checked
import expectation
import table

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = (77, 127)
MISSING = re.compile(r"^// missing: (.*)$")


def missing_of(source):
    return [match.group(1) for match in map(MISSING.match, source.lines) if match]


def is_of_proxy(finding):
    """NVSHMEM's own thread polls words of pinned memory that a kernel of which not all is known might write: only possible."""
    first = [side["frames"][0].get("function") or "" for side in finding["accesses"] if side.get("frames")]
    return finding["confidence"] == "possible" and any(name.startswith("nvshmemi_proxy") for name in first)


def judge(source, variant, result):
    """What is wrong with one run, as sentences."""
    if result.report is None:
        return [f"no report; exit code {result.code}"]
    wrong = source.compare(variant, [f for f in result.findings if not is_of_proxy(f)])
    wrong += [f"the report does not say: {text}" for text in missing_of(source)
              if text not in str(result.report) + result.err]
    want = checked.exit_code(0, result.findings, "run")
    return wrong + ([f"exit code {result.code}, not {want}"] if result.code != want else [])


def run_one(prefix, folder, source, variant):
    """(name, how, word, details) of one program."""
    name = expectation.program_name(source.path, variant)
    program = os.path.join(folder, name)
    if not os.path.exists(program):
        return name, "-", "SKIP", "not carried"
    result = checked.check(prefix, program, "run", "gpu")
    if result.code in SKIPPED:
        return name, "run", "SKIP", (result.err.strip().splitlines() or ["-"])[-1]
    wrong = judge(source, variant, result)
    return name, "run", "FAIL" if wrong else "ok", "; ".join(wrong) or table.found(result)


def rows(prefix, folder):
    for path in sorted(glob.glob(os.path.join(HERE, "libraries", "*.cu"))):
        source = expectation.Source(path)
        for variant in source.expected:
            yield run_one(prefix, folder, source, variant)
