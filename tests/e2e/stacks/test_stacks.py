#!/usr/bin/env python3
"""Compares the stacks of recorded launches with what the program's own backtrace() says.

usage: test_stacks.py PREFIX PROGRAM [FIRST-SEED COUNT]

A recorded stack begins with the runtime and the launching function; its callers must be the same.
"""
import os
import re
import subprocess
import sys
import tempfile

import checked

STACK = re.compile(r"stack (\d+) \[(.*)\]")
KERNEL = re.compile(r"t\d+: kernel .* stack=(\d+) .*params=([0-9a-f]{8})")


def recorded_stacks(text):
    """Addresses of each launch, by the number that is its first parameter."""
    stacks, found = {}, {}
    for line in text.splitlines():
        stack, kernel = STACK.match(line), KERNEL.match(line)
        if stack:
            stacks[stack[1]] = stack[2].split(",")
        elif kernel:
            found[int.from_bytes(bytes.fromhex(kernel[2]), "little")] = stacks[kernel[1]]
    return found


def printed_stacks(out):
    return {int(words[0]): words[1:] for words in map(str.split, out.splitlines())}


def compare(recorded, printed):
    wrong = []
    for number, callers in printed.items():
        stack = recorded.get(number, [])
        if not callers or stack[-len(callers):] != callers:
            wrong.append(f"launch {number}: called by {' '.join(callers)}\n"
                         f"\tnot {' '.join(stack)}")
    return wrong


def check(prefix, program, seed):
    """How many launches there were, and what is wrong."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        trace = os.path.join(folder, "trace.sct")
        options = f"analyze=no:trace={trace}:stack-depth=128"
        env = checked.environment(prefix, "sim", "eager", True, options)
        code, out, err = checked.run([program, str(seed)], env, cwd=folder)
        dump = subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "dump", trace],
                              capture_output=True, text=True, check=False)
    printed = printed_stacks(out)
    wrong = [f"ended with {code}: {err}"] if code or not printed else []
    return len(printed), wrong + compare(recorded_stacks(dump.stdout), printed)


def main():
    prefix, program = sys.argv[1:3]
    first, count = map(int, sys.argv[3:5]) if len(sys.argv) > 3 else (1, 8)
    launches = failed = 0
    for seed in range(first, first + count):
        number, wrong = check(prefix, program, seed)
        launches += number
        failed += len(wrong)
        for line in wrong[:3]:
            print(f"seed {seed}: {line}")
    print(f"{launches} launches, {failed} wrong")
    return 1 if failed or launches < 100 * count else 0


if __name__ == "__main__":
    sys.exit(main())
