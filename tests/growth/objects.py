#!/usr/bin/env python3
"""What many objects of a kind cost, one after the other and all at once, and that nothing of them is lost.

usage: objects.py PREFIX PROGRAM KIND [OBJECTS]
       objects.py --scale PREFIX PROGRAM OBJECTS [KIND]

PREFIX has an installed streamcheck; PROGRAM is what objects.cu becomes. The program runs with OBJECTS (20,000) objects of the kind, a quarter
of that alive, and with five times as many: it has no finding but advice, and nothing is lost; each object has the same operations in the
report, also where the space of the trace is given back meanwhile; objects that are gone need no memory, neither in the program nor in the
analyzer; those that are alive need at most 4 KiB each; the analyzer executes at most twice as many instructions for each, and so does the
program with recorder and simulated device (of a quarter of the objects). --scale only checks the reports, and prints processor time and memory
of each kind. Exit code 77: there is no valgrind.
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
QUARTER = 4
DISK = ("--live-disk=32M",)
SIMULATED = {"STREAMCHECK_SIM_KERNELS": "skip", "STREAMCHECK_SIM_SCHEDULE": "eager"}


def collected(*command, **environment):
    """Instructions of a process."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False, env=dict(os.environ, **environment))
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


class Run:
    """The program under `streamcheck run`: its report, and the memory of the larger of program and analyzer."""

    def __init__(self, prefix, program, kind, way, objects, folder, options=()):
        self.prefix, self.name, self.objects = prefix, f"{objects} {kind} {way}", objects
        self.trace, report = os.path.join(folder, "run.sct"), os.path.join(folder, "report.json")
        child = subprocess.Popen(
            [os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--format=json", f"--trace={self.trace}",
             f"--output={report}", *options, "--", program, kind, way, str(objects)], cwd=folder, stdout=subprocess.DEVNULL,
            env=dict(os.environ, **SIMULATED))
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
        return collected(os.path.join(self.prefix, "bin", "streamcheck"), "analyze", "--html=no", self.trace)

    @property
    def operations(self):
        return self.report["coverage"]["ops"]


def program_instructions(prefix, program, kind, way, objects, folder):
    """Of the program, with the recorder and the simulated device."""
    trace, sim = os.path.join(folder, "program.sct"), os.path.join(prefix, "lib", "streamcheck", "sim")
    count = collected(program, kind, way, str(objects), LD_PRELOAD=os.path.join(prefix, "lib", "libstreamcheck.so"), LD_LIBRARY_PATH=sim,
                      STREAMCHECK_OPTIONS=f"analyze=no:trace={trace}", **SIMULATED)
    if not os.path.exists(trace):
        sys.exit(f"{objects} {kind} {way}: nothing was recorded under valgrind")
    return count


def check_operations(none, few, many, given):
    """Each object has as many as any other; what was given back was seen as well."""
    each, left = divmod(few.operations - none.operations, few.objects - none.objects)
    if left or not each or many.operations - none.operations != each * (many.objects - none.objects) or given.operations != many.operations:
        sys.exit(f"operations: {none.operations} of one object, {few.operations} of {few.name}, {many.operations} of {many.name}, "
                 f"{given.operations} with {DISK[0]}")
    print(f"  operations: {each} of each object")


def compare(what, few, many, most, unit):
    print(f"  {what}: {few} {unit} for few, {many} for {FACTOR} times as many")
    if many > most:
        sys.exit(f"more than {most}")


def check_kind(prefix, program, kind, objects, folder):
    whole = objects
    for way in WAYS:
        print(f"{kind} {way}")
        objects //= 1 if way == "gone" else QUARTER  # of those that are gone more than are remembered
        none = Run(prefix, program, kind, way, 1, folder)
        base, base_instructions = none.memory, none.instructions()
        few = Run(prefix, program, kind, way, objects, folder)
        few_memory, few_instructions = few.memory - base, few.instructions() - base_instructions
        many = Run(prefix, program, kind, way, FACTOR * objects, folder)
        many_instructions = many.instructions()
        given = Run(prefix, program, kind, way, FACTOR * objects, folder, DISK)
        for run in (none, few, many, given):
            run.check()
        check_operations(none, few, many, given)
        compare("memory", few_memory, many.memory - base,
                LEFT_BYTES if way == "gone" else FACTOR * objects * ALIVE_BYTES, "bytes")
        compare("analyzer", few_instructions, many_instructions - base_instructions, 2 * FACTOR * few_instructions, "instructions")
        base, *counts = (program_instructions(prefix, program, kind, way, count, folder) for count in (1, whole // QUARTER, FACTOR * whole // QUARTER))
        few_program, many_program = (count - base for count in counts)
        compare("program", few_program, many_program, 2 * FACTOR * few_program, "instructions")


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
