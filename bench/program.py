#!/usr/bin/env python3
"""What recording costs a program like a framework's training loop, and which part of it costs what.

Usage: program.py [--most COUNT] [--time ROUNDS] [--options OPTIONS] FOLDER LIBRARY DRIVER-FOLDER

The program: nested modules call 300 operations a step, a second thread runs 300 more, and one long
function updates with 150, each by its own way through libraries of small functions
(bench/program.c), the same ones in each step. Of a
long run less a short one under callgrind it prints the instructions that LIBRARY executes an
operation, by what they are for. With --time it prints instead how long an operation takes without
and with the library, and without stacks, Python lines, or both: medians of runs in turn. Exit code
77: there is no valgrind. FOLDER has libprogram.so and the layers.
"""
import argparse
import collections
import ctypes
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

OPS_OF_LAYER = 3
TREE = (2, 10, 5)  # children of each module, from the outermost
OPS = TREE[0] * TREE[1] * TREE[2] * OPS_OF_LAYER
UPDATES = OPS // 2
ALL_OPS = 2 * OPS + UPDATES  # of a step
WARM_UP = 3  # steps
# What a source file of the library is for, by its path; the first that fits.
PARTS = (
    ("stacks", r"/stack/|/range\."),
    ("Python lines", r"/python/|/peek\."),
    ("writing", r"/(writer|slot|clock|life|put|session)\."),
    ("decoding", r""),
)


# ---- the program ----

class Module:
    """Calls go through __call__, as in frameworks: each level is frames of C, too."""

    def __init__(self, *children):
        self.children = children

    def __call__(self, value):
        return self._call(value)

    def _call(self, value):
        return self.forward(value)

    def forward(self, value):
        for child in self.children:
            value = child(value)
        return value


class Layer(Module):
    def __init__(self, library, first):
        super().__init__()
        self.library = library
        self.first = first

    def forward(self, value):
        first = self.first
        value = self.multiply(value, first)
        value = self.add(value, first + 1)
        self.library.program_forward(first + 2)
        return value

    def multiply(self, value, number):
        self.library.program_forward(number)
        return value

    def add(self, value, number):
        return self.multiply(value, number)


def make_update(library):
    """A function of many lines, as an optimizer's, called through two decorators."""
    lines = ["def update(library, decay, momentum):"]
    for number in range(0, UPDATES):
        lines += ["    if decay is not None and momentum is None:",
                  f"        value = [decay, momentum, {number}]",
                  "        momentum = max(value[0], value[2])",
                  f"    library.program_forward({number})"]
    space = {}
    exec(compile("\n".join(lines), __file__, "exec"), space)  # pylint: disable=exec-used

    def decorated(*values):
        return space["update"](*values)

    return lambda: decorated(library, 1, 2)


def make_net(library):
    blocks, layers = TREE[1:]
    numbers = iter(range(0, OPS, OPS_OF_LAYER))
    return Module(*(Module(*(Module(*(Layer(library, next(numbers)) for _ in range(layers)))
                             for _ in range(blocks))) for _ in range(TREE[0])))


def step(library, net, update):
    net(0)
    library.program_backward()
    update()


def run_program(folder, steps):
    library = ctypes.CDLL(os.path.join(folder, "libprogram.so"))
    library.program_begin(folder.encode(), OPS)
    net, update = make_net(library), make_update(library)
    for _ in range(WARM_UP):
        step(library, net, update)
    start = time.perf_counter()
    for _ in range(steps):
        step(library, net, update)
    print(f"{(time.perf_counter() - start) * 1e9 / (ALL_OPS * max(steps, 1)):.1f}")


# ---- measuring ----

def start(args, steps, record, options="", tool=()):
    with tempfile.TemporaryDirectory() as folder:
        env = {name: value for name, value in os.environ.items()
               if not name.startswith("STREAMCHECK")}
        env["LD_LIBRARY_PATH"] = args.driver
        if record:
            env["LD_PRELOAD"] = args.library
            env["STREAMCHECK_OPTIONS"] = f"analyze=no:trace={folder}/t.sct{options}"
        done = subprocess.run([*tool, sys.executable, os.path.abspath(__file__), "--child",
                               str(steps), args.folder, args.library, args.driver],
                              env=env, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        sys.exit(f"the program failed: {done.stdout}{done.stderr}")
    return float(done.stdout)


def part_of(path):
    return next(part for part, pattern in PARTS if re.search(pattern, path))


def read_profile(path, library):
    """Instructions of the library's own code and of what it calls, by part. What a wrapper calls
    under its own name is the program's, and so are its threads."""
    names, cost = {}, collections.Counter()
    place = {"ob": "", "fl": "", "fn": "", "cob": None, "cfn": ""}
    here, is_call = "", False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, equals, value = line.rstrip("\n").partition("=")
            if equals and key in ("ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn"):
                kind = "fl" if key[-2:] in ("fl", "fi", "fe") else key[-2:]
                number, name = re.match(r"(\(\d+\)) ?(.*)", value).groups()
                name = names.setdefault((kind, number), name) if name else names[kind, number]
                if key in ("fl", "fi", "fe"):
                    here = name
                elif key in place:
                    place[key] = name
            elif equals and key == "calls":
                is_call = True
            elif line[0].isdigit() or line[0] in "+-*":
                ours = place["ob"].endswith(library)
                outside = is_call and not (place["cob"] or place["ob"]).endswith(library)
                programs = place["cfn"].partition("@")[0] in (place["fn"], "run_backward")
                if ours and (not is_call or (outside and not programs)):
                    cost[part_of(here)] += int(line.split()[-1])
                if is_call:
                    place["cob"] = None
                is_call = False
    return cost


def count(args, steps):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "profile")
        start(args, steps, True, args.options,
              ("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"))
        if args.keep:
            shutil.copy(out, f"{args.keep}.{steps}")
        return read_profile(out, os.path.basename(args.library))


def print_instructions(args):
    short, long = 4, 12
    less, more = count(args, short), count(args, long)
    total = 0
    for part, _ in PARTS:
        each = (more[part] - less[part]) / ((long - short) * ALL_OPS)
        total += each
        print(f"{part:14} {each:7.0f} instructions an operation")
    print(f"{'all':14} {total:7.0f}" + (f", at most {args.most}" if args.most else ""))
    return 1 if args.most and total > args.most else 0


def print_times(args):
    ways = (("plain", False, ""), ("default", True, ""), ("no stacks", True, ":stack-depth=0"),
            ("no Python lines", True, ":python=no"),
            ("neither", True, ":stack-depth=0:python=no"))
    took = {name: [] for name, _, _ in ways}
    for _ in range(args.time):
        for name, record, options in ways:
            took[name].append(start(args, 60, record, options))
    plain = statistics.median(took["plain"])
    for name, _, _ in ways:
        ns = statistics.median(took[name])
        print(f"{name:16} {ns:8.0f} ns an operation {ns - plain:+8.0f} {ns / plain:6.3f}x")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--most", type=int, help="instructions an operation; more is a failure")
    parser.add_argument("--time", type=int, metavar="ROUNDS")
    parser.add_argument("--options", default="", help="more of the recorder, each after a ':'")
    parser.add_argument("--keep", metavar="FILE", help="copy callgrind's output there")
    parser.add_argument("--child", type=int, metavar="STEPS", help=argparse.SUPPRESS)
    parser.add_argument("folder")
    parser.add_argument("library")
    parser.add_argument("driver")
    args = parser.parse_args()
    if args.child is not None:
        run_program(args.folder, args.child)
        return 0
    if args.time:
        return print_times(args)
    if not shutil.which("valgrind"):
        print("valgrind is not installed")
        return 77
    return print_instructions(args)


if __name__ == "__main__":
    sys.exit(main())
