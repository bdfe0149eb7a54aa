#!/usr/bin/env python3
"""Each launch has the device time of its own kernel.

usage: test_launch_times.py PREFIX PROGRAM [FIRST-SEED COUNT]

Each launch that ran has one time. In a stream times follow each other as the launches do; on a GPU
each kernel works as long as its parameter says.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

import checked

KERNEL = re.compile(r"(?:t\d+: )?kernel (\d+) .* params=([0-9a-f]{16})")
TIME = re.compile(r"device_time (\d+) (\d+) (\d+) engine=kernel")
LOST = re.compile(r'device_lost .*')
NO_KERNEL = re.compile(r" result=[1-9]| flags=\S*captured")
SLACK_NS = 7000  # what a launch itself takes; lengths are 8,000 ns apart


def launches_of(dump):
    """By number of the record: stream, length in nanoseconds."""
    found = {}
    for index, line in enumerate(dump, 1):
        kernel = KERNEL.match(line)
        if kernel and not NO_KERNEL.search(line):
            found[index] = kernel[1], struct.unpack("<ii", bytes.fromhex(kernel[2]))[1]
    return found


def times_of(dump, launches):
    """By number of the launch: start, length. Times of graphs' nodes are left out."""
    found = {}
    for line in dump:
        time = TIME.match(line)
        if time and int(time[1]) in launches:
            found.setdefault(int(time[1]), []).append((int(time[2]), int(time[3])))
    return found


def wrong_lengths(launches, times):
    """On a GPU a kernel takes as long as requested, and little more."""
    return [f"launch {number}: {times[number][0][1]} ns, not {length}"
            for number, (_, length) in launches.items()
            if not length <= times[number][0][1] + 1000 < length + SLACK_NS]


def wrong_orders(launches, times):
    last, wrong = {}, []
    for number, (stream, _) in sorted(launches.items()):
        start = times[number][0][0]
        if start < last.get(stream, 0):
            wrong.append(f"launch {number} of stream {stream} begins before the one before it")
        last[stream] = start
    return wrong


def wrong_of(prefix, program, arguments, device, schedule="eager"):
    """How many launches there were, and what is wrong."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        trace = os.path.join(folder, "trace.sct")
        env = checked.environment(prefix, device, schedule, True,
                                  f"analyze=no:trace={trace}:device-times=yes")
        code, _, err = checked.run([program, *arguments], env, cwd=folder)
        dump = subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "dump", trace],
                              capture_output=True, text=True, check=False).stdout.splitlines()
    launches = launches_of(dump)
    times = times_of(dump, launches)
    wrong = [f"ended with {code}: {err}"] if code or not launches else []
    wrong += [line for line in dump if LOST.match(line)]
    missing = [number for number in launches if len(times.get(number, [])) != 1]
    wrong += [f"launch {number} has {len(times.get(number, []))} times" for number in missing]
    if not wrong:
        wrong = wrong_orders(launches, times)
        wrong += wrong_lengths(launches, times) if device == "gpu" else []
    return len(launches), wrong


def main():
    prefix, program = (os.path.abspath(path) for path in sys.argv[1:3])
    first, count = (int(word) for word in sys.argv[3:5]) if len(sys.argv) > 4 else (1, 3)
    failed = total = 0
    for seed in range(first, first + count):
        for more in ([], ["second"]):
            for schedule in checked.SCHEDULES:
                number, wrong = wrong_of(prefix, program, [str(seed), *more], "sim", schedule)
                total += number
                failed += bool(wrong)
                if wrong:
                    print(f"---- seed {seed} {more} {schedule}: {len(wrong)} wrong")
                    print("\n".join(wrong[:5]))
    print(f"{total} launches, {failed} runs failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
