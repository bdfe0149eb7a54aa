#!/usr/bin/env python3
"""A recorded run of as many operations as one likes, judged while it runs with bounded disk (run --live-disk).

usage: long_run.py [--bound BYTES] [--early N] [--flat] PREFIX PROGRAM OPERATIONS SAMPLES.csv
       long_run.py --draw PICTURE.svg SAMPLES.csv

PREFIX has an installed streamcheck; PROGRAM is what long_run.cu becomes. The program runs twice: its first N operations are
recorded as a whole and judged at the end, then all of them with bounded disk. Once a second (in a short run more often) a line is added to SAMPLES.csv and
to standard output. It fails if the disk or the analyzer's memory goes beyond its limit, if the findings of the two runs
differ, or, with --flat, if the last 90 % of the run need more memory than the first 10 % and a twentieth. Ctrl-C ends it, and the lines stay.
The simulated device executes no kernel.
"""
import argparse
import csv
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import chart

MIB = 1 << 20
MEMORY_MOST = 200 * MIB  # of the analyzer
MARGIN = 0.05
BLOCK = 512  # of st_blocks
SHORT = 20_000_000  # operations of a run that is looked at more often
FIELDS = ("seconds", "operations", "behind", "disk", "analyzer", "program", "program_tables")


class Run:
    """The program under `streamcheck run`."""

    def __init__(self, args, operations, folder, *options):
        self.folder = folder
        self.report = os.path.join(folder, "report.json")
        self.lines = os.path.join(folder, "lines.jsonl")
        environment = dict(os.environ, TMPDIR=folder, STREAMCHECK_SIM_KERNELS="skip", STREAMCHECK_SIM_SCHEDULE="eager")
        self.program = os.path.realpath(args.program)
        self.error = tempfile.TemporaryFile(dir=folder)
        self.process = subprocess.Popen(
            [os.path.join(args.prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--format=json",
             f"--output={self.report}", *options, "--", self.program, str(operations), str(args.early)], cwd=folder,
            env=environment, stdout=subprocess.DEVNULL, stderr=self.error, start_new_session=True)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def end(self):
        """(exit code, report)"""
        code = self.process.wait()
        self.error.seek(0)
        said = self.error.read().decode(errors="replace")
        if not os.path.exists(self.report):
            sys.exit(f"long_run.py: no report, exit code {code}:\n{said}")
        with open(self.report, encoding="utf-8") as file:
            return code, json.load(file), said

    def status(self):
        """What the last line about the run says."""
        try:
            with open(self.lines, "rb") as file:
                file.seek(max(0, os.path.getsize(self.lines) - 65536))
                whole = file.read().rpartition(b"\n")[0].split(b"\n")
        except FileNotFoundError:
            return {}
        for line in reversed(whole):
            if b'"status"' in line and line.startswith(b"{"):
                return json.loads(line)
        return {}

    def disk(self):
        used = 0
        for path in glob.glob(os.path.join(self.folder, "streamcheck*", "*.sct*")):
            try:
                used += os.stat(path).st_blocks * BLOCK
            except FileNotFoundError:
                pass
        return used

    def sample(self, began):
        """A line of the table; None where a process is not there (any more)."""
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
                children = file.read().split()
            is_program = {child: os.path.realpath(f"/proc/{child}/exe") == self.program for child in children}
            program = memory_of(next(child for child in children if is_program[child]))
            analyzer = memory_of(next(child for child in children if not is_program[child]))
        except (StopIteration, FileNotFoundError, ProcessLookupError, KeyError):
            return None
        status = self.status()
        return {"seconds": f"{time.monotonic() - began:.1f}", "operations": status.get("operations", 0),
                "behind": status.get("behind", 0), "disk": self.disk(), "analyzer": analyzer["VmRSS"],
                "program": program["VmRSS"], "program_tables": program["VmPTE"]}


def memory_of(process):
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        words = [line.split() for line in file if line.startswith("Vm")]
    return {name.rstrip(":"): int(size) << 10 for name, size, _ in words}


def findings_of(report):
    """Errors and warnings without addresses and places in the trace; advice counts how long a run is."""
    found = [finding for finding in report["findings"] if finding["severity"] != "advice"]
    return re.sub(r'("\w*(?:sequence|_op)": )\d+', r"\1N", re.sub(r"0x[0-9a-f]+", "0xN", json.dumps(found, indent=1)))


def watch(run, path, pause):
    """Samples until the run ends."""
    samples, began = [], time.monotonic()
    with open(path, "w", encoding="ascii", newline="") as file:
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        while run.process.poll() is None:
            sample = run.sample(began)
            if sample:
                samples.append(sample)
                table.writerow(sample)
                file.flush()
                print(f"{sample['seconds']} s: {sample['operations'] / 1e6:.2f} million operations, "
                      f"{sample['disk'] / MIB:.0f} MiB of disk, {sample['analyzer'] / MIB:.1f} MiB in the analyzer", flush=True)
            time.sleep(pause)
    return samples


def whole_run(args):
    """Findings of the first operations, recorded as a whole."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        run = Run(args, args.early, folder, "--live=no")
        try:
            code, report, said = run.end()
        finally:
            run.kill()
    if code != 66 or not report["complete"]:
        sys.exit(f"long_run.py: exit code {code} of the run that is recorded as a whole:\n{said}")
    return report


def bounded_run(args):
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        run = Run(args, args.operations, folder, f"--live-disk={args.bound}", f"--live-output={folder}/lines.jsonl")
        try:
            samples = watch(run, args.samples, 0.1 if args.operations < SHORT else 1)
            return samples, *run.end()
        finally:
            run.kill()


def problems(args, samples, whole, code, report):
    """Sentences about what is not as it must be."""
    disk = max(sample["disk"] for sample in samples)
    memory = max(sample["analyzer"] for sample in samples)
    if code != 66 or not report["complete"]:
        yield f"exit code {code}, complete: {report['complete']}"
    if findings_of(report) != findings_of(whole):
        yield f"the findings differ:\n{findings_of(whole)}\n{findings_of(report)}"
    if report["coverage"]["ops"] < args.operations * (1 - MARGIN):
        yield f"only {report['coverage']['ops']} operations"
    if disk > args.bound:
        yield f"{disk} bytes of disk, {args.bound} are allowed"
    if memory > MEMORY_MOST:
        yield f"{memory} bytes in the analyzer, {MEMORY_MOST} are allowed"
    early = max([sample["analyzer"] for sample in samples if sample["operations"] <= args.operations / 10], default=0)
    if args.flat and memory > early * (1 + MARGIN):
        yield f"the analyzer grows: {early} bytes in the first tenth, {memory} later"


def draw(picture, path):
    with open(path, encoding="ascii", newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def line(name, color, field):
        return (name, color, [(row["operations"], row[field] / MIB) for row in rows])

    panels = [chart.Panel("disk, MiB", [line("trace", "steelblue", "disk")], 1024),
              chart.Panel("memory, MiB", [line("analyzer, resident", "steelblue", "analyzer"),
                                          line("program, resident", "grey", "program"),
                                          line("program, page tables", "darkorange", "program_tables")], MEMORY_MOST / MIB)]
    with open(picture, "w", encoding="utf-8") as out:
        out.write(chart.draw(panels))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bound", type=int, default=1 << 30)
    parser.add_argument("--early", type=int, default=10_000_000)
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--draw")
    parser.add_argument("words", nargs="+")
    args = parser.parse_args()
    if args.draw:
        draw(args.draw, *args.words)
        return
    args.prefix, args.program, operations, args.samples = args.words
    args.operations = int(operations)
    args.early = min(args.early, args.operations)
    whole = whole_run(args)
    samples, code, report, said = bounded_run(args)
    if not samples:
        sys.exit(f"long_run.py: the run was too short to look at it:\n{said}")
    found = list(problems(args, samples, whole, code, report))
    print(f"{report['coverage']['ops']} operations in {samples[-1]['seconds']} s; disk {max(s['disk'] for s in samples) / MIB:.0f} MiB, "
          f"analyzer {max(s['analyzer'] for s in samples) / MIB:.1f} MiB, program {max(s['program'] for s in samples) / MIB:.1f} MiB "
          f"and {max(s['program_tables'] for s in samples) / MIB:.1f} MiB of page tables")
    for problem in found:
        print(f"long_run.py: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
