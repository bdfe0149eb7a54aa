#!/usr/bin/env python3
"""What many objects of a kind cost, one after the other and all at once, and that nothing of them is lost.

usage: objects.py PREFIX PROGRAM KIND [OBJECTS]
       objects.py --scale PREFIX PROGRAM OBJECTS [KIND]

PREFIX has an installed streamcheck; PROGRAM is what objects.cu becomes. The program runs with OBJECTS (20,000) objects of the kind, a quarter
of that alive, and with five times as many: it has no finding but advice, and nothing is lost; objects that are gone need no memory, neither in
the program nor in the analyzer; those that are alive need at most 4 KiB each; and the analyzer executes at most twice as many instructions for
each. --scale only checks the reports, and prints processor time and memory of each kind. Exit code 77: there is no valgrind.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

KINDS = ("events", "streams", "allocations", "pooled", "graphs", "textures")
WAYS = ("gone", "alive")
MIB = 1 << 20
FACTOR = 5
ALIVE_BYTES = 4096  # of an executable graph, which needs most, 2,000 to 2,200 were seen; what the smallest run needs hides what few need
LEFT_BYTES = 8 * MIB  # what does not depend on the number of objects, and is not there in the smallest run


class Run:
    """The program under `streamcheck run`: its report, and the memory of the larger of program and analyzer."""

    def __init__(self, prefix, program, kind, way, objects, folder):
        self.prefix, self.name = prefix, f"{objects} {kind} {way}"
        self.trace, report = os.path.join(folder, "run.sct"), os.path.join(folder, "report.json")
        child = subprocess.Popen(
            [os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--format=json", f"--trace={self.trace}",
             f"--output={report}", "--", program, kind, way, str(objects)], cwd=folder, stdout=subprocess.DEVNULL,
            env=dict(os.environ, STREAMCHECK_SIM_KERNELS="skip", STREAMCHECK_SIM_SCHEDULE="eager"))
        _, status, self.usage = os.wait4(child.pid, 0)
        self.code, self.memory = os.waitstatus_to_exitcode(status), self.usage.ru_maxrss << 10
        with open(report, encoding="utf-8") as file:
            self.report = json.load(file)

    def check(self):
        found = [finding["rule"] for finding in self.report["findings"] if finding["severity"] != "advice"]
        if self.code or found or not self.report["complete"]:
            sys.exit(f"{self.name}: exit code {self.code}, found {found}, complete: {self.report['complete']}")

    def instructions(self):
        """Of the analyzer."""
        said = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", os.path.join(self.prefix, "bin", "streamcheck"), "analyze", "--html=no",
             self.trace], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        return int(re.search(r"Collected : (\d+)", said.stderr).group(1))


def compare(what, few, many, most, unit):
    print(f"  {what}: {few} {unit} for few, {many} for {FACTOR} times as many")
    if many > most:
        sys.exit(f"more than {most}")


def check_kind(prefix, program, kind, objects, folder):
    for way in WAYS:
        print(f"{kind} {way}")
        objects //= 1 if way == "gone" else 4  # of those that are gone more than are remembered
        none = Run(prefix, program, kind, way, 1, folder)
        base, base_instructions = none.memory, none.instructions()
        few = Run(prefix, program, kind, way, objects, folder)
        few_memory, few_instructions = few.memory - base, few.instructions() - base_instructions
        many = Run(prefix, program, kind, way, FACTOR * objects, folder)
        for run in (none, few, many):
            run.check()
        compare("memory", few_memory, many.memory - base,
                LEFT_BYTES if way == "gone" else FACTOR * objects * ALIVE_BYTES, "bytes")
        compare("analyzer", few_instructions, many.instructions() - base_instructions, 2 * FACTOR * few_instructions, "instructions")


def scale(folder, prefix, program, objects, *kinds):
    for kind in kinds or KINDS:
        for way in WAYS:
            run = Run(prefix, program, kind, way, objects, folder)
            run.check()
            print(f"{run.name}: {run.usage.ru_utime + run.usage.ru_stime:.1f} s, {run.memory / MIB:.0f} MiB", flush=True)


def main():
    args = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if args[0] == "--scale":
            scale(folder, *args[1:])
            return
        if not shutil.which("valgrind"):
            sys.exit(77)
        prefix, program, kind = args[:3]
        check_kind(prefix, program, kind, int(args[3]) if args[3:] else 20000, folder)


main()
