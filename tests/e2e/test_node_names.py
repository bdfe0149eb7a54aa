#!/usr/bin/env python3
"""Reports call nodes of graphs what the driver calls them, for a program that asks it.

usage: test_node_names.py PREFIX PROGRAM   (the program prints the names of the two nodes of a finding)
"""
import os
import subprocess
import sys
import tempfile


def main():
    prefix, program = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="streamcheck-names-") as folder:
        done = subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--", program],
                              cwd=folder, text=True, capture_output=True, check=False)
    names = done.stdout.split("\n")[:2]
    missing = [name for name in names if not name or f", {name}\n" not in done.stderr]
    if len(set(names)) == 2 and not missing:
        return 0
    print(f"said {names}; the report lacks {missing}:\n{done.stderr}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
