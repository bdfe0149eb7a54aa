"""Test cases that are recorded, and built from patched sources and recorded again (measure_patches.py)."""
import json
import os
import shutil
import subprocess

import repair

ENDS_S = 60


def run(prefix, program, source, folder, *options):
    env = {k: v for k, v in os.environ.items() if k not in ("STREAMCHECK_OPTIONS", "LD_PRELOAD")}
    return subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--advice=no",
                           *options, *("--" + o for o in source.options), "--", program],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ENDS_S,
                          check=False, cwd=folder, env={**env, **source.env, "STREAMCHECK_SIM_SCHEDULE": "lazy"})


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
