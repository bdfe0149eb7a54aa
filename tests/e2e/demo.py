#!/usr/bin/env python3
"""Checks the seed programs, or the sources given, and prints every report and a table.

usage: demo.py ROOT [SOURCE.cu...]
"""
import glob
import os
import subprocess
import sys
import tempfile

import checked
import expectation
import table
import verdict


def has_gpu():
    """Whether a driver answers here; the simulated device is used otherwise."""
    try:
        got = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60,
                             check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return got.returncode == 0 and "GPU" in got.stdout


def heading(text):
    print(f"\n==== {text}", flush=True)


def show(name, result):
    heading(name)
    if result.out:
        print(result.out, end="" if result.out.endswith("\n") else "\n")
    print(result.err, flush=True)


def seed_row(name, source, variant, result):
    got = verdict.judge(source, variant, result, "run")
    expected = table.expected(source.expected[variant])
    word = {"ok": "as expected", "FAIL": "NOT as expected: " + "; ".join(got.wrong),
            "SKIP": "skipped: " + got.skipped}[got.word]
    return got.word == "FAIL", (name, table.found(result), expected, word)


def seeds(root, device):
    """Every built variant of every seed; the programs were built with the shared runtime."""
    prefix = os.path.join(root, "out")
    rows = []
    failed = 0
    for path in sorted(glob.glob(os.path.join(root, "testcases", "seeds", "*.cu"))):
        source = expectation.Source(path)
        for variant in source.expected:
            name = expectation.program_name(path, variant)
            program = os.path.join(root, "build", "release", "testcases", "sim", name)
            result = checked.check(prefix, program, "run", device)
            show(name, result)
            is_wrong, row = seed_row(name, source, variant, result)
            failed += is_wrong
            rows.append(row)
    table.show(("program", "findings", "expected", "verdict"), rows)
    return 1 if failed else 0


def compile_own(path, folder, root):
    """The user's own source, with the runtime that fits both devices."""
    program = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
    command = ["nvcc", "-g", "-lineinfo", "--cudart", "shared", "-I", root,
               "-I", os.path.join(root, "out", "include"), path, "-o", program]
    done = subprocess.run(command, check=False)
    return program if done.returncode == 0 else None


def own(root, device, paths):
    rows = []
    failed = 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-demo-") as folder:
        for path in paths:
            program = compile_own(path, folder, root)
            if not program:
                rows.append((path, "-", "-", "does not compile"))
                failed += 1
                continue
            result = checked.check(os.path.join(root, "out"), program, "run", device)
            show(path, result)
            failed += result.code != 0
            rows.append((path, table.found(result), "-", table.meaning(result.code)))
    table.show(("program", "findings", "expected", "verdict"), rows)
    return 1 if failed else 0


def main():
    root, paths = os.path.realpath(sys.argv[1]), sys.argv[2:]
    device = "gpu" if has_gpu() else "sim"
    print("The programs run on the "
          + ("GPU." if device == "gpu" else "simulated device: no GPU answers here."))
    return own(root, device, paths) if paths else seeds(root, device)


if __name__ == "__main__":
    sys.exit(main())
