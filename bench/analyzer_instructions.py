#!/usr/bin/env python3
"""How many instructions the analyzer needs for an op, on any machine and however busy it is.

Usage: analyzer_instructions.py [--most STREAMS,GROUP[,advice|,pool|,framework]=COUNT]... ANALYZE

Runs rows of bench/analyze under callgrind at two lengths; what the longer one takes more is that of
its ops, without setting up. With --most it fails where an op takes more than that. Exit code 77:
there is no valgrind.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

OPS = (50000, 150000)


def measure(analyze, ops, *row):
    """Instructions of the process that analyzes."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p", analyze,
                   str(ops), *row]
        done = subprocess.run(command, env=dict(os.environ, TMPDIR=folder), capture_output=True,
                              text=True, timeout=300, check=False)
        if done.returncode:
            sys.exit(f"analyze failed under callgrind:\n{done.stdout}{done.stderr}")
        for path in glob.glob(f"{folder}/*"):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if re.search(r"fn=\(\d+\) sc_analysis_run", text):
                return int(re.search(r"^(?:summary|totals): (\d+)", text, re.M).group(1))
    return sys.exit("callgrind wrote no profile of the analysis")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", action="append", default=[],
                        metavar="STREAMS,GROUP[,advice|,pool|,framework]=COUNT")
    parser.add_argument("analyze")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed")
        return 77
    too_many = 0
    for row in args.most or ["64,8=0"]:
        words, most = re.match(r"(\d+,\d+(?:,(?:advice|pool|framework))?)=(\d+)$", row).groups()
        streams, group, *what = words.split(",")
        few, many = (measure(args.analyze, ops, streams, group, *what) for ops in OPS)
        count = (many - few) / (OPS[1] - OPS[0])
        too_many += count > int(most) > 0
        print(f"{streams:>5} streams, {group:>4} exchange: {count:6.0f} instructions an op"
              + "".join(f", {word}" for word in what) + (f", at most {most}" if int(most) else ""))
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
