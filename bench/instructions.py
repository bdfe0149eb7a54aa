#!/usr/bin/env python3
"""How many instructions recording adds to a call, on any machine and however busy it is.

Usage: instructions.py [--most LOOP=COUNT]... [--option NAME=VALUE]... [--follow PREFIX] RECORD LIBRARY DRIVER-FOLDER

Runs each loop of bench/record with the library under callgrind and prints what the library's
wrapper executes per call, without the real driver function; questions to the
driver in between count as the library's. With --most it fails where a loop takes more than that.
--option is one of the recorder: window=calls measures what is outside of windows. --follow runs it under the installed
`streamcheck run --live-disk`, so that another process follows the trace and gives its space back; LIBRARY is then PREFIX's.
Exit code 77: there is no valgrind.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

# In the order of record.c's loops: its name here, and the functions that the loop calls.
LOOPS = (
    ("launch", ("cuLaunchKernel",)),
    ("copy-device", ("cuMemcpyDtoDAsync_v2",)),
    ("copy-in", ("cuMemcpyHtoDAsync_v2",)),
    ("copy-out", ("cuMemcpyDtoHAsync_v2",)),
    ("fill", ("cuMemsetD32Async",)),
    ("record", ("cuEventRecord",)),
    ("wait", ("cuStreamWaitEvent",)),
    ("query", ("cuEventQuery",)),
    ("allocate", ("cuMemAllocAsync", "cuMemFreeAsync")),
)


class Profile:
    """Callgrind's output: instructions of each function, and of each call it makes."""

    def __init__(self, path):
        self.names = {}
        self.own = collections.Counter()
        self.inclusive = collections.Counter()
        self.calls = collections.Counter()
        with open(path, encoding="utf-8", errors="replace") as lines:
            self.read(lines)

    def name(self, kind, text):
        number, name = re.match(r"(\(\d+\)) ?(.*)", text).groups()
        return self.names.setdefault((kind, number), name) if name else self.names[kind, number]

    def read(self, lines):
        place = {"ob": "", "fn": "", "cob": None, "cfn": ""}
        calls = None
        for line in lines:
            key, equals, value = line.rstrip("\n").partition("=")
            if equals and key in place:
                place[key] = self.name(key.removeprefix("c"), value)
            elif equals and key == "calls":
                calls = int(value.split()[0])
            elif line[0].isdigit() or line[0] in "+-*":
                self.count(place, calls, int(line.split()[-1]))
                if calls is not None:
                    place["cob"] = None
                calls = None

    def count(self, place, calls, instructions):
        caller = (place["ob"], place["fn"])
        if calls is None:
            self.own[caller] += instructions
            return
        edge = (caller, (place["cob"] or place["ob"], place["cfn"]))
        self.inclusive[edge] += instructions
        self.calls[edge] += calls

    def added(self, library, function):
        """Instructions of the library's wrapper, without the function that it wraps."""
        wrapper = next(f for f in self.own if f[0].endswith(library) and f[1] == function)
        inside = sum(count for (caller, callee), count in self.inclusive.items()
                     if caller == wrapper and callee[1] != function)
        times = sum(count for (_, callee), count in self.calls.items() if callee == wrapper)
        return (self.own[wrapper] + inside) / times


def measure(args, number, folder):
    out = os.path.join(folder, "profile")
    trace = os.path.join(folder, "trace.sct")
    env = dict(os.environ, LD_PRELOAD=args.library, LD_LIBRARY_PATH=args.driver,
               STREAMCHECK_OPTIONS=":".join(["analyze=no", f"trace={trace}", *args.option]))
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", args.record,
               "--child", str(number)]
    if args.follow:
        env = dict(os.environ, LD_LIBRARY_PATH=args.driver, TMPDIR=folder)
        command = [os.path.join(args.follow, "bin", "streamcheck"), "run", "--device=gpu", "--live-disk=1g", "--html=no",
                   f"--output={folder}/report", *(f"--{option}" for option in args.option), "--", *command]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300,
                          check=False)
    if done.returncode and not (args.follow and os.path.exists(out)):
        sys.exit(f"record failed under callgrind:\n{done.stdout}{done.stderr}")
    profile = Profile(out)
    functions = LOOPS[number][1]
    library = os.path.basename(args.library)
    return sum(profile.added(library, name) for name in functions) / len(functions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", action="append", default=[], metavar="LOOP=COUNT")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--follow", metavar="PREFIX")
    parser.add_argument("record")
    parser.add_argument("library")
    parser.add_argument("driver")
    args = parser.parse_args()
    most = {name: int(count) for name, count in (m.split("=") for m in args.most)}
    if not shutil.which("valgrind"):
        print("valgrind is not installed")
        return 77
    too_many = 0
    for number, (name, _) in enumerate(LOOPS):
        if most and name not in most:
            continue
        with tempfile.TemporaryDirectory() as folder:
            count = measure(args, number, folder)
        limit = most.get(name)
        too_many += limit is not None and count > limit
        print(f"{name:12} {count:6.0f} instructions a call" + (f", at most {limit}" if limit else ""))
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
