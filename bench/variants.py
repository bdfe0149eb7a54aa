#!/usr/bin/env python3
"""What device times cost, and which part of it is whose: all variants, interleaved, in one run.

Usage: variants.py [--rounds N] [--only PATTERN]... [--drivers FOLDER] [RECORD [LIBRARY]]

Runs bench/record's loops again and again, each time with another way to record, and prints for each
the best and the median time of a kernel launch and of each other loop, and its ratio to the plain
program's in the same run. Where others use the machine the best of many rounds says what recording
costs, and the median what the neighbours do. RECORD and LIBRARY are `record` and
`libstreamcheck.so` of the GPU bundle if they are not given: beside this file, or in ../lib, or in out/. --drivers goes into LD_LIBRARY_PATH.
"""
import argparse
import fnmatch
import os
import re
import statistics
import subprocess
import sys
import tempfile

# In the order of record.c's loops.
LOOPS = ("launch", "copy", "copy in", "copy out", "fill", "record", "wait", "query", "allocate")

# What records: nobody, the hooks, CUPTI alone, the hooks with device times.
PLAIN = "plain"
VARIANTS = (PLAIN, "hooks", "CUPTI alone: kernels", "times")


def environment(args, name, trace):
    env = {key: value for key, value in os.environ.items()
           if not key.startswith(("STREAMCHECK", "RECORD_"))}
    if args.drivers:
        env["LD_LIBRARY_PATH"] = args.drivers
    if name.startswith("CUPTI alone"):
        env["RECORD_CUPTI"] = "1"
    elif name != PLAIN:
        times = "yes" if name == "times" else "no"
        env["LD_PRELOAD"] = args.library
        env["STREAMCHECK_OPTIONS"] = f"analyze=no:trace={trace}:device-times={times}"
    return env


def measure(args, name):
    """Nanoseconds a call of each loop, and what the child said besides; None if it failed."""
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        env = environment(args, name, os.path.join(folder, "trace.sct"))
        try:
            done = subprocess.run([args.record, "--child"], env=env, capture_output=True,
                                  text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return None, "took longer than two minutes"
    times = [float(line) for line in done.stdout.split() if re.fullmatch(r"\d+\.\d+", line)]
    said = "; ".join(done.stderr.split("\n")).strip("; ")
    if done.returncode or len(times) != len(LOOPS):
        return None, f"exit code {done.returncode}: {said}"
    return times, said


def find(given, names):
    here = os.path.dirname(os.path.abspath(__file__))
    places = [given] if given else [os.path.join(here, name) for name in names]
    found = next((place for place in places if os.path.exists(place)), None)
    if not found:
        sys.exit(f"variants.py: none of these is there: {', '.join(places)}")
    return os.path.abspath(found)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", metavar="PATTERN",
                        help="variants with names like this (shell pattern), and plain")
    parser.add_argument("--drivers", default="", help="folder of the driver, if not the system's")
    parser.add_argument("--folder", default=None, help="where traces are written, else $TMPDIR")
    parser.add_argument("record", nargs="?")
    parser.add_argument("library", nargs="?")
    args = parser.parse_args()
    args.record = find(args.record, ("record", "../out/record"))
    args.library = find(args.library, ("../lib/libstreamcheck.so", "../out/lib/libstreamcheck.so"))
    return args


def is_chosen(name, patterns):
    return not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def show(title, chosen, took, said):
    """One line a variant: its times, `took` by name, and their ratios to the plain program's."""
    plain = took[PLAIN]
    print(f"{title:36}", *(f"{name:>12}" for name in LOOPS))
    for name in chosen:
        cells = [f"{ns:6.0f} {ns / base:5.2f}" for ns, base in zip(took.get(name, []), plain)]
        print(f"{name:36}", *(f"{cell:>12}" for cell in cells), "" if cells else "failed",
              f" [{said[name]}]" if said[name] else "", flush=True)


def main():
    args = parse()
    chosen = [v for v in VARIANTS if v == PLAIN or is_chosen(v, args.only)]
    took, said = {}, {}
    for number in range(args.rounds):
        for name in chosen:
            times, said[name] = measure(args, name)
            if times:
                took.setdefault(name, []).append(times)
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr, flush=True)
    if PLAIN not in took:
        sys.exit(f"the plain program failed: {said[PLAIN]}")
    for title, of in ("best", min), ("median", statistics.median):
        show(title, chosen, {name: list(map(of, zip(*rows))) for name, rows in took.items()}, said)
    return 0 if len(took) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
