#!/usr/bin/env python3
"""Programs that only a GPU runs: NVIDIA's libraries, graphs that the device launches.

usage: libraries.py PREFIX FOLDER-OF-BUILT-PROGRAMS

Their head comments are those of test cases; `// missing: TEXT` is what the report must name as not seen.
A program whose libraries are not there is skipped.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

import checked
import expectation

SKIPPED = (77, 127)
MISSING = re.compile(r"^// missing: (.*)$")


def missing_of(source):
    return [match.group(1) for match in map(MISSING.match, source.lines) if match]


def judge(source, variant, result):
    """What is wrong with one run, as sentences."""
    if result.report is None:
        return [f"no report; exit code {result.code}"]
    wrong = source.compare(variant, result.findings)
    wrong += [f"the report does not say: {text}" for text in missing_of(source)
              if text not in str(result.report) + result.err]
    want = checked.exit_code(0, result.findings, "run")
    return wrong + ([f"exit code {result.code}, not {want}"] if result.code != want else [])


def main():
    prefix, folder = map(os.path.abspath, sys.argv[1:3])
    failed = 0
    for path in sorted(glob.glob(os.path.join(HERE, "libraries", "*.cu"))):
        source = expectation.Source(path)
        stem = os.path.splitext(os.path.basename(path))[0]
        for variant in source.expected:
            name = f"{stem}-{variant.lower()}" if variant else stem
            result = checked.check(prefix, os.path.join(folder, name), "run", "gpu")
            if result.code in SKIPPED:
                print(f"SKIP {name}: {(result.err.strip().splitlines() or ['-'])[-1]}")
                continue
            wrong = judge(source, variant, result)
            failed += bool(wrong)
            print(f"{'FAIL' if wrong else 'ok'} {name} {'; '.join(wrong)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
