#!/usr/bin/env python3
"""What the simulated device fetches from textures, against what a GPU fetched (table.txt).

usage: test_textures.py RUN_TEXTURES FOLDER-OF-THE-SIMULATED-DRIVER
       test_textures.py --compare ROWS OTHER-ROWS      two files of rows, as tests/gpu/run writes them
"""
import os
import sys

import textures

SHOWN = 60
LEAST_ROWS = 1000


def show(rows, expected):
    wrong, other = textures.compare(rows, expected)
    for line in wrong[:SHOWN]:
        print(line)
    print(f"{len(rows)} rows, {len(wrong)} wrong, {len(other)} within the tolerance")
    return 1 if wrong else 0


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read().splitlines()


def main():
    if sys.argv[1] == "--compare":
        return show(read(sys.argv[2]), read(sys.argv[3]))
    rows, err = textures.run(sys.argv[1], sys.argv[2])
    if rows is None or len(rows) < LEAST_ROWS:
        print(err or "too few rows")
        return 1
    if not os.path.exists(textures.TABLE):
        print("tests/executor/textures/table.txt is missing: no GPU has made it")
        return 77
    return show(rows, textures.read_table())


if __name__ == "__main__":
    sys.exit(main())
