#!/usr/bin/env python3
"""A scripted agent repairs racy programs by the tools of the server.

usage: test_agent.py PREFIX NVCC LIBRARIES NAME...
       test_agent.py PREFIX NVCC LIBRARIES --every=N[:COUNT] PROGRAM...

Each is a program of testcases/, in a workspace of its own. At least nine in ten have to be clean in the end, and of each other one
the plan, or its patch, says why not. --every takes of the built PROGRAMs, in alphabetical order, those with an error between two
lines of their own, and of these each Nth, COUNT at most.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import agent
import expectation
import served


# Of sources with these another program is part.
NOT_TAKEN = ("exported.h", "semaphore.h")


def is_own(access):
    return any("/testcases/" in (frame["file"] or "") and not frame["internal"] for frame in access["frames"])


def is_racy(prefix, program, source):
    """Whether a run of it has an error whose two operations are calls of lines in testcases/."""
    env = {k: v for k, v in os.environ.items() if k not in ("STREAMCHECK_OPTIONS", "LD_PRELOAD")}
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        path = os.path.join(folder, "r.json")
        subprocess.run([os.path.join(prefix, "bin/streamcheck"), "run", "--device=sim", "--html=no", "--advice=no", "--output=/dev/null",
                        *("--" + option for option in source.options), f"--report=json:{path}", "--", program],
                       cwd=folder, env={**env, **source.env, "STREAMCHECK_SIM_SCHEDULE": "lazy"}, capture_output=True, check=False,
                       stdin=subprocess.DEVNULL, timeout=120)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    findings = [f for process in report.get("processes", [report]) for f in process["findings"]]
    return any(f["severity"] == "error" and len(f["accesses"]) == 2 and all(map(is_own, f["accesses"])) for f in findings)


def unchosen(prefix, every, programs):
    """Names of programs that nobody chose."""
    every, _, count = every.partition(":")
    programs = {os.path.basename(p): os.path.abspath(p) for p in programs if not expectation.split_name(p)[1]}
    names = []
    for name, program in sorted(programs.items()):
        source = expectation.source_of(name)
        if not any(word in line for line in source.lines for word in NOT_TAKEN) and is_racy(prefix, program, source):
            names.append(name)
    print(f"{len(names)} programs have an error between two lines of their own", flush=True)
    return names[int(every) - 1::int(every)][:int(count or len(names))]


def workspace(folder, source):
    """A copy of what the program is built from."""
    root = os.path.join(folder, "work")
    for name in ("testcases", "kernels", "include"):
        os.makedirs(os.path.join(root, name))
    for name in (os.path.dirname(source), "testcases", "kernels", "include"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
        for entry in os.scandir(os.path.join(served.ROOT, name)):
            if entry.is_file() and (entry.name.endswith((".h", ".cuh")) or entry.path.endswith(source)):
                shutil.copy(entry.path, os.path.join(root, name))
    shutil.copytree(os.path.join(served.ROOT, "include"), os.path.join(root, "include"), dirs_exist_ok=True)
    return root


async def repaired(prefix, nvcc, libraries, name):
    source = expectation.source_of(name)
    path = os.path.relpath(source.path, served.ROOT)
    flags = [word for line in source.lines if line.startswith("// nvcc: ") for word in line.split()[2:]]
    build = [nvcc, "-g", "-O0", "-std=c++17", "-I.", *flags, "--cudart", "shared", *(f"-L{f}" for f in libraries.split(":")), path,
             "-o", "app", "-lpthread"]
    program = ["env", *(f"{key}={value}" for key, value in source.env.items()), "./app"] if source.env else ["./app"]
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        root = workspace(folder, path)

        def rebuild():
            subprocess.run(build, cwd=root, check=True, stdout=subprocess.DEVNULL)
        async with served.session(prefix, root, folder) as tools:
            return await agent.repair(tools, build, program, rebuild, ["advice=no", *source.options])


def main():
    prefix, nvcc, libraries, *names = sys.argv[1:]
    if names and names[0].startswith("--every="):
        names = unchosen(os.path.abspath(prefix), names[0].partition("=")[2], names[1:])
    good, has_reasons = 0, True
    for name in names:
        is_clean, said = served.run(repaired(prefix, nvcc, libraries, name))
        good, has_reasons = good + is_clean, has_reasons and (is_clean or said.startswith(("finding ", "edit ")))
        print(f"{name}: {'repaired' if is_clean else 'not repaired'}: {said}", flush=True)
    print(f"{good} of {len(names)} programs repaired")
    return 0 if has_reasons and names and good * 10 >= len(names) * 9 else 1


if __name__ == "__main__":
    sys.exit(main())
