#!/usr/bin/env python3
"""The user's own line of a launch, in each shape that launches have, as people build.

usage: test_places.py PREFIX NVCC LIBRARIES

The programs are made C++ by nvcc (once for each host compiler, once with -G) and compiled in all ways. Each finding has to be placed at
the marked lines, on both sides, with the fingerprint that it has in a debug build.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import checked

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = {"shapes": ("shapes.cu", "scaler.h"), "libraries": ("libraries.cu",)}
BACK = ["-x", "c++-cpp-output", "-std=c++20", "-g"]
STATIC = "-static-cudart"  # for the linker's flags below only
Way = collections.namedtuple("Way", "compiler front back link programs",
                             defaults=("g++", ["-lineinfo", "-DCOROUTINES"], ["-O2"], [], ["shapes"]))
BOTH = ["shapes", "libraries"]
WAYS = {
    "O0": Way(back=["-O0"], programs=BOTH),
    "O2": Way(programs=BOTH),
    "O3": Way(back=["-O3"]),
    "no_frame_pointer": Way(back=["-O2", "-fomit-frame-pointer"]),
    "lto": Way(back=["-O2", "-flto"], link=["-flto", "-O2"]),
    "device_debug": Way(front=["-G", "-DCOROUTINES"]),
    "no_pie": Way(back=["-O2", "-fno-pie"], link=["-no-pie"]),
    "no_plt": Way(back=["-O2", "-fno-plt"]),
    "static_runtime": Way(link=[STATIC]),
    "split_dwarf": Way(back=["-O2", "-gsplit-dwarf"]),
    "compressed_dwarf": Way(back=["-O2", "-gz"], link=["-gz"]),
    "g1": Way(back=["-O2", "-g1"]),
    "clang": Way("clang++", front=["-ccbin", "clang++"]),
}


def marks(program):
    """The marked lines: (file, line) by mark."""
    found = {}
    for name in SOURCES[program]:
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                mark = re.search(r"// @(\S+)$", line)
                if mark:
                    found[mark[1]] = (name, number)
    return found


def own(frames):
    """Places of the frames that are the user's, innermost first."""
    return [(os.path.basename(f["file"] or ""), f["line"]) for f in frames if not f["internal"]]


class Places(unittest.TestCase):
    fingerprints = {}  # by shape, in a debug build

    def build(self, program, name, *link):
        way = WAYS[name]
        stem = "-".join([program, way.compiler, *way.front]).replace("/", "")
        source, made = (os.path.join(self.folder, file) for file in (f"{stem}.ii", f"{program}-{name}.o"))
        runtime = ([os.path.join(checked.simulator(self.prefix), "libcudart_static.a"), "-ldl", "-lrt", "-pthread"]
                   if STATIC in way.link else ["-L" + self.libraries, "-lcudart"])
        if not os.path.exists(source):
            self.call(self.nvcc, "-cuda", "-std=c++20", "-arch=sm_80", *way.front, os.path.join(HERE, f"{program}.cu"), "-o", source)
        self.call(way.compiler, *BACK, *way.back, "-c", source, "-o", made)
        self.call(way.compiler, made, *(f for f in way.link if f != STATIC), *link, *runtime, "-o", made[:-2])
        return made[:-2]

    def call(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def compare_finding(self, finding, marked):
        """Compares the places of a finding with the marked lines; returns its shape."""
        first, then = (own(access["frames"]) for access in finding["accesses"])
        shape = {place: mark for mark, place in marked.items()}.get(then[0], str(then[:1])).replace(".copy", "")
        with self.subTest(shape=shape):
            self.assertEqual(first[0], marked.get(shape, marked.get("tail")), first)
            self.assertEqual(then[0], marked[f"{shape}.copy"], then)
            if f"{shape}.from" in marked:
                self.assertEqual(first[1], marked[f"{shape}.from"], first)
            self.assertEqual(finding["fingerprint"], self.fingerprints.setdefault(shape, finding["fingerprint"]), first)
        return shape

    def compare(self, name):
        for program in WAYS[name].programs:
            marked = {mark: place for mark, place in marks(program).items()
                      if "-DCOROUTINES" in WAYS[name].front or not mark.startswith("coroutine")}
            result = checked.check(self.prefix, self.build(program, name), device="sim")
            self.assertIsNotNone(result.report, result.err)
            shapes = [self.compare_finding(finding, marked) for finding in result.findings]
            self.assertEqual(sorted(shapes), sorted({mark.split(".")[0] for mark in marked}), result.err)

    def functions(self, flag):
        """The user's functions of the launch in tail position, in a program linked so."""
        result = checked.check(self.prefix, self.build("shapes", "O2", flag), device="sim")
        launches = [a["frames"] for f in result.findings for a in f["accesses"] if a["op"].startswith("kernel set")]
        return [f["function"] for f in launches[0] if not f["internal"]]

    def test_without_debug_information_the_function_is_named(self):
        self.assertEqual(self.functions("-Wl,-S")[0], "in_tail(float*)")

    def test_a_stripped_program_is_placed_at_its_own_code(self):
        names = subprocess.run(["nm", "-SC", self.build("shapes", "O2")], capture_output=True, text=True, check=True).stdout
        stub = re.search(r"(\w+) (\w+) . __device_stub__Z3setPff\([^)]*\)$", names, re.M)
        start, size = int(stub[1], 16), int(stub[2], 16)
        first = self.functions("-s")[0]
        self.assertRegex(first, r"^shapes-O2\+0x")
        self.assertNotIn(int(first.split("+")[1], 16), range(start, start + size))


def add(name):
    def test(self):
        if not shutil.which(WAYS[name].compiler):
            self.skipTest(f"{WAYS[name].compiler} is not there")
        if name != "O0" and not self.fingerprints:
            self.compare("O0")
        self.compare(name)
    setattr(Places, f"test_{name}", test)


if __name__ == "__main__":
    for each in WAYS:
        add(each)
    Places.prefix, Places.nvcc, Places.libraries = map(os.path.abspath, sys.argv[1:4])
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as Places.folder:
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
