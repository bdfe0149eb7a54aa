#!/usr/bin/env python3
"""Both sources of calls give the same ops; device times belong to every piece of work.

usage: test_sources.py PREFIX PROGRAM...; the programs run on the simulated device.
"""
import concurrent.futures
import os
import re
import sys
import tempfile

import sources

WORK = re.compile(r"(t\d+: )?(kernel|copy|set) ")
TIMES = re.compile(r"device_time [1-9]\d* .* engine=(kernel|copy_\w+|fill)")


def check_times(prefix, program):
    """Each piece of work that ran has a device time that names it; None if all is well."""
    with tempfile.TemporaryDirectory() as folder:
        dump = sources.record(prefix, [program], folder, ["device-times=yes"], "sim")[3]
    work = sum(1 for line in dump if WORK.match(line) and "phase=end" not in line)
    times = sum(1 for line in dump if TIMES.match(line))
    if not work or times != work:
        return f"{work} pieces of work, {times} device times"
    return None


def compare(prefix, program):
    """Two runs may differ by how their threads went, but not in every pair; the sources would."""
    for _ in range(3):
        word, details = sources.compare(prefix, program, "sim")
        if word != "FAIL":
            break
    return word, details


def main():
    prefix, programs = os.path.abspath(sys.argv[1]), sys.argv[2:]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda p: compare(prefix, p), programs))
    for program, (word, details) in zip(programs, done):
        if word != "same":
            failed += 1
            print(f"{os.path.basename(program)}: {word}: {details}")
    timed = [p for p in programs if os.path.basename(p) in ("chunked_pipeline", "ping_pong")]
    for program in timed:
        wrong = check_times(prefix, program)
        if wrong:
            failed += 1
            print(f"{os.path.basename(program)}: {wrong}")
    print(f"{len(programs)} programs, {len(timed)} timed, {failed} failed")
    return 1 if failed or not timed else 0


if __name__ == "__main__":
    sys.exit(main())
