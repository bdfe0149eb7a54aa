#!/usr/bin/env python3
"""What the simulated device copies by tensor maps, against what a GPU copied (table.txt).

usage: test_tensors.py RUN_TENSORS FOLDER-OF-THE-SIMULATED-DRIVER
       test_tensors.py --table ROWS.xz               makes the table of what tests/gpu/run wrote
"""
import lzma
import sys

import tensors

SHOWN = 60
LEAST_ROWS = 1000


def make_table(path):
    with lzma.open(path, "rt", encoding="ascii") as file:
        rows = tensors.split(file.read().splitlines())
    with open(tensors.TABLE, "w", encoding="ascii") as file:
        file.write("".join(f"{key} = {value}\n" for key, value in sorted(rows.items()) if not key.startswith(tuple(tensors.KNOWN))))
    return 0


def main():
    if sys.argv[1] == "--table":
        return make_table(sys.argv[2])
    rows = tensors.run(sys.argv[1], "sums", sys.argv[2], 2)
    wrong = tensors.compare(rows, tensors.read_table())
    for line in wrong[:SHOWN]:
        print(line)
    print(f"{len(rows)} rows, {len(wrong)} wrong")
    return 1 if wrong or len(rows) < LEAST_ROWS else 0


if __name__ == "__main__":
    sys.exit(main())
