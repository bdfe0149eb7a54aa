#!/usr/bin/env python3
"""Packs the built test cases for a machine without our build tools.

usage: bundle.py FOLDER-OF-BUILT-TESTCASES ARCHIVE [PROGRAM[=NAME-IN-ARCHIVE]...]
"""
import lzma
import os
import sys
import tarfile

# All programs hold the same static runtime; a dictionary larger than one finds it in the others.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 32 << 20}]


def main():
    folder, archive = sys.argv[1:3]
    with lzma.open(archive, "wb", filters=FILTERS) as file, \
            tarfile.open(fileobj=file, mode="w|") as tar:
        for kind in ("sim", "gpu"):
            for name in sorted(os.listdir(os.path.join(folder, kind))):
                tar.add(os.path.join(folder, kind, name), f"{kind}/{name}")
        for program in sys.argv[3:]:
            path, _, name = program.partition("=")
            tar.add(path, name or os.path.basename(path))
    print(f"{archive}: {os.path.getsize(archive) >> 10} KiB")


if __name__ == "__main__":
    main()
