#!/usr/bin/env python3
"""Seeds of fuzz_executor: a kernel of each opcode, the longest of tests/executor/variants.txt, and those of corpus/executor.

usage: seeds.py FOLDER
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "executor"))
import kernels  # pylint: disable=wrong-import-position


def main():
    folder = sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "corpus", "executor"), folder)
    longest = {}
    for variant in kernels.read_variants():
        opcode = variant.text.partition(" ")[0].partition(".")[0]
        longest[opcode] = max(longest.get(opcode, variant), variant, key=lambda v: len(v.lines))
    for opcode, variant in longest.items():
        with open(os.path.join(folder, f"of-{opcode}.ptx"), "w", encoding="ascii") as file:
            file.write("//launch 1 1 1 64 1 1 0\n" + variant.ptx("k"))


if __name__ == "__main__":
    main()
