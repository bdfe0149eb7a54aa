#!/usr/bin/env python3
"""Compiles the test cases with another nvcc, runs them on the simulated device, and compares them with their heads.

usage: other_nvcc.py PREFIX NVCC FOLDER [--flags=FLAGS] [--programs=FOLDER] [NAME...]

The programs stay in FOLDER; what is there and newer than its source is not compiled again. --flags takes the place of
-O1. With --programs, the folder of the programs that the build made, each runs from there, too: a launch whose bytes
were known exactly must stay so. With names, only test cases whose paths contain one of them.
"""
import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys

import checked
import expectation
import verdict

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDERS = ("seeds", "rules", "footprints", "kernels", "silent", "live")  # as testcases/CMakeLists.txt
VULKAN = ("testcases/exported.h", "testcases/semaphore.h")
KNOWN = ("executed", "exact_launches")  # of a launch


class Compiler:
    """An nvcc with its flags, and where its programs go."""

    def __init__(self, nvcc, flags, folder):
        top = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
        self.library = next(os.path.join(top, lib) for lib in ("lib64", "lib") if os.path.isdir(os.path.join(top, lib)))
        self.command = [nvcc, "-g", "-lineinfo", *shlex.split(flags), "-std=c++17", f"-I{ROOT}"]
        self.folder = folder
        self.vulkan = os.path.join(folder, "vulkan.o")
        os.makedirs(folder, exist_ok=True)
        link = os.path.join(folder, "libcudart.so")  # wheels have it with its version only
        if not os.path.lexists(link):
            os.symlink(os.path.join(self.library, "libcudart.so.13"), link)
        subprocess.run(["cc", "-c", os.path.join(ROOT, "testcases", "vulkan.c"), f"-I{ROOT}", "-o", self.vulkan], check=True)

    def compile(self, source, variant):
        """The program, and what the compiler says if there is none."""
        program = os.path.join(self.folder, expectation.program_name(source.path, variant))
        if os.path.exists(program) and os.path.getmtime(program) >= os.path.getmtime(source.path):
            return program, ""
        text = "\n".join(source.lines)
        command = [*self.command, *(f"-D{word}" for word in [variant] if word)]
        command += [flag for line in source.lines if line.startswith("// nvcc: ") for flag in shlex.split(line[9:])]
        command += [source.path, *([self.vulkan] if any(name in text for name in VULKAN) else [])]
        done = subprocess.run([*command, "--cudart=shared", f"-L{self.folder}", f"-L{self.library}", "-lpthread",
                               "-Xlinker", "--build-id", "-o", program], capture_output=True, text=True, check=False)
        return program, done.stderr if done.returncode else ""


def lacking(result):
    """How many launches were not executed, and how many of unknown or bounded bytes."""
    coverage = [process["coverage"] for process in result.processes]
    return {name: sum(one["kernels"] - one[name] for one in coverage) for name in KNOWN}


def less_known(source, prefix, built, result):
    """What was known of fewer launches than in the program that the build made. A newer library may have others."""
    before = lacking(checked.check(prefix, built, "run", "sim", "lazy", options=source.options, extra=source.env))
    now = lacking(result)
    return [f"{now[name]} launches without {name}, not {before[name]}" for name in KNOWN if now[name] > before[name]]


def try_one(compiler, arguments, source, variant):
    """Name of the program, and what is wrong with it."""
    program, error = compiler.compile(source, variant)
    name = os.path.basename(program)
    if error:
        return name, [error], ""
    wrong = []
    for schedule in checked.SCHEDULES:
        got = verdict.check(source, variant, program, arguments.prefix, "run", "sim", schedule)
        if got.skipped:
            return name, [], got.skipped
        wrong += [f"{schedule}: {line}" for line in got.wrong]
    if arguments.programs and got.result.report:
        wrong += less_known(source, arguments.prefix, os.path.join(arguments.programs, name), got.result)
    return name, wrong, ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("prefix", type=os.path.abspath)
    parser.add_argument("nvcc", type=os.path.abspath)
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--flags", default="-O1")
    parser.add_argument("--programs", type=os.path.abspath)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    compiler = Compiler(arguments.nvcc, arguments.flags, arguments.folder)
    work = [(source, variant) for source in map(expectation.Source, expectation.paths())
            if expectation.folder_of(source.path) in FOLDERS
            and (not arguments.names or any(name in source.path for name in arguments.names))
            for variant in source.expected]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda one: try_one(compiler, arguments, *one), work))
    for name, wrong, skipped in done:
        if wrong or skipped:
            print(f"{name}: {'FAIL' if wrong else 'SKIP ' + skipped}")
        for line in wrong:
            print(f"    {line}")
    failed = sum(bool(wrong) for _, wrong, _ in done)
    skipped = sum(bool(skipped) for _, _, skipped in done)
    print(f"{len(done)} programs: {len(done) - failed - skipped} as their heads say, {failed} not, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
