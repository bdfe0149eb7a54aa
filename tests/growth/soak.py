#!/usr/bin/env python3
"""Draws what soak prints: memory of an analysis over the operations of a long run.

Usage: soak 100000000 | soak.py PICTURE.svg

Reads lines of operations, bytes allocated and bytes resident. Prints what the last 90 % of the run
added, and fails if that is more than a hundredth of what was there.
"""
import sys

import chart

MIB = 1 << 20


def rows():
    found = [tuple(int(word) for word in line.split()) for line in sys.stdin if line.strip()]
    if len(found) < 10:
        sys.exit("soak.py: too few lines: did soak end well?")
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = rows()
    lines = [("resident", "grey", [(row[0], row[2] / MIB) for row in found]),
             ("allocated", "steelblue", [(row[0], row[1] / MIB) for row in found])]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(chart.draw([chart.Panel("memory, MiB", lines)]))
    early = max(row[1] for row in found[:max(1, len(found) // 10)])
    late = max(row[1] for row in found)
    print(f"{found[-1][0]} operations: {early / MIB:.1f} MiB allocated in the first tenth, "
          f"{late / MIB:.1f} MiB at most, {max(row[2] for row in found) / MIB:.1f} MiB resident")
    if late > early * 1.01:
        sys.exit("soak.py: it grows")


main()
