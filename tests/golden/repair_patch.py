#!/usr/bin/env python3
"""Patches of `streamcheck repair --patch`, applied, built and run: the changed program is clean.

usage: repair_patch.py PREFIX NVCC LIBRARIES MOST PROGRAM...

Of the programs whose source has an expectation for the macro FIXED the first MOST (0: all) are taken whose patch
holds every edit of a plan that ends all findings. LIBRARIES is the folder of the runtime. A program that is built
from the patched source must have no finding but advice, and must end by itself.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import expectation
import golden
import patched
import repair

ENDS_S = 60


def run(prefix, program, source, folder, *options):
    env = {k: v for k, v in os.environ.items() if k not in ("STREAMCHECK_OPTIONS", "LD_PRELOAD")}
    return subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--advice=no",
                           *options, *("--" + o for o in source.options), "--", program],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ENDS_S,
                          check=False, cwd=folder, env={**env, **source.env, "STREAMCHECK_SIM_SCHEDULE": "lazy"})


def patch_of(prefix, program, source, folder):
    """The patch, if it is whole and the plan leaves nothing; else None."""
    trace = os.path.join(folder, "t.sct")
    run(prefix, program, source, folder, "--analyze=no", f"--trace={trace}")
    if not os.path.exists(trace):
        return None
    texts = []
    for more in (["--format=json"], ["--patch"]):
        done = subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "repair", "--own=*/testcases/*",
                               *("--" + o for o in source.options), *more, trace],
                              check=False, capture_output=True, text=True, timeout=golden.TIMEOUT_S, cwd=repair.ROOT,
                              env=patched.writing())
        texts.append(done.stdout)
    os.remove(trace)
    plan = json.loads(texts[0])
    is_whole = plan["edits"] and not plan["left"] and "# edit" not in texts[1]
    return texts[1] if is_whole else None


def build(nvcc, libraries, tree, source, macros, folder):
    program = os.path.join(folder, "patched")
    path = os.path.join(tree, os.path.relpath(source.path, repair.ROOT))
    flags = [f for line in source.lines if line.startswith("// nvcc: ") for f in line.split()[2:]]
    subprocess.run([nvcc, "-g", "-lineinfo", "-O1", "-std=c++17", f"-I{tree}", *(f"-D{m}" for m in macros), *flags,
                    "--cudart", "shared", *(f"-L{f}" for f in libraries.split(":")), path, "-o", program, "-lpthread"],
                   check=True, capture_output=True, text=True, timeout=600)
    return program


def check(prefix, nvcc, libraries, program, source, patch, folder):
    """Why the patched program is not clean, or None."""
    tree = os.path.join(folder, "tree")
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("testcases", "kernels", "include"):
        shutil.copytree(os.path.join(repair.ROOT, name), os.path.join(tree, name))
    done = subprocess.run(["patch", "-p1", "--fuzz=0"], input=patch, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"the patch does not apply: {done.stdout}"
    try:
        patched = build(nvcc, libraries, tree, source, repair.variant_of(program), folder)
    except subprocess.CalledProcessError as error:
        return f"it does not compile: {error.stderr[-600:]}"
    report = os.path.join(folder, "report.json")
    try:
        done = run(prefix, patched, source, folder, f"--report=json:{report}")
    except subprocess.TimeoutExpired:
        return "it does not end"
    if done.returncode > 128:
        return f"it ends by signal {done.returncode - 128}"
    with open(report, encoding="utf-8") as file:
        findings = [f for f in json.load(file)["findings"] if f["severity"] != "advice"]
    return "; ".join(f["rule"] for f in findings) or None


def main():
    prefix, nvcc, libraries, most, *programs = sys.argv[1:]
    most, tried, wrong = int(most), 0, 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in sorted(programs):
            source = expectation.source_of(program)
            with open(source.path, encoding="utf-8") as file:
                text = file.read()
            if "// expect[FIXED]" not in text or "exported.h" in text or "semaphore.h" in text:
                continue
            patch = patch_of(os.path.abspath(prefix), os.path.abspath(program), source, folder)
            if not patch:
                continue
            reason = check(os.path.abspath(prefix), nvcc, libraries, program, source, patch, folder)
            tried += 1
            if reason:
                wrong += 1
                print(f"{os.path.basename(program)}: {reason}\n{patch}", flush=True)
            if tried == most:
                break
    print(f"{tried} programs patched, {tried - wrong} of them clean")
    return 1 if wrong or tried < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
