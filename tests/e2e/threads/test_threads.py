#!/usr/bin/env python3
"""Hand-overs between host threads: each function is seen, and what it does not carry is not.

usage: test_threads.py PREFIX PROGRAMS mutex|rwlock|…|stress|files|team
"""
import os
import sys

import checked

PARTS = ("mutex", "rwlock", "spin", "cond", "sem", "c11", "once", "barrier", "futex", "pipe",
         "fifo", "eventfd", "socket", "thread", "stress", "files", "team")


class Device:
    """What the programs run on: the simulated device has schedules, a GPU its own."""

    def __init__(self, name, schedules, stress):
        self.name = name
        self.schedules = schedules
        self.stress = stress


SIMULATOR = Device("sim", ("eager", "lazy"), ("eager", "random:7", "lazy"))
GPU = Device("gpu", (None,), (None,))


def alone(prefix, program, arguments, device, schedule):
    """What a program prints without streamcheck."""
    env = checked.environment(prefix, device.name, schedule, True)
    del env["LD_PRELOAD"]
    code, out, err = checked.run([program, *arguments], env)
    return out if code == 0 else f"ended with {code}: {err}"


def judged(result):
    """Findings but advice: rule and confidence."""
    return [(f["rule"], f["confidence"]) for f in result.findings if f["severity"] != "advice"]


def differences(result, want):
    if result.report is None:
        return [f"no report; exit code {result.code}: {result.err}"]
    if not result.report["complete"]:
        return ["the report says that something was lost"]
    got = sorted({rule for rule, _ in judged(result)})
    return [] if got == want else [f"found {got}, not {want}: {result.err}"]


def families(prefix, program, part, device):
    """(family, by) for each family of the part, and for those that a host function can give."""
    for line in alone(prefix, program, ["list"], device, device.schedules[0]).splitlines():
        name, *ways = line.split()
        if name.split("_")[0] == part:
            yield from ((name, by) for by in ways)


def check_family(prefix, program, name, by, device):
    """A thread's wait is published in strict mode, a host function's stream in every mode."""
    wrong = []
    options = ["hosts=strict"] if by.endswith("thread") else []
    for schedule in device.schedules:
        for way, want in (("seen", []), ("late", ["SC-105"])):
            result = checked.check(prefix, program, "bare", device.name, schedule, [name, way, by],
                                   options)
            wrong += [f"{name} {way} {by} {schedule}: {text}" for text in differences(result, want)]
    return wrong


def check_families(prefix, program, part, device):
    wrong = []
    pairs = list(families(prefix, program, part, device))
    for name, by in pairs:
        wrong += check_family(prefix, program, name, by, device)
    print(f"{part}: {len(pairs)} hand-overs")
    return wrong if pairs else ["nothing to check"]


def check_stress(prefix, program, device):
    wrong = []
    for schedule in device.stress:
        want = alone(prefix, program, [], device, schedule)
        for options in ([], ["hosts=strict"]):
            result = checked.check(prefix, program, "bare", device.name, schedule, (), options)
            found = differences(result, [])
            if result.out != want:
                found.append(f"it printed {result.out!r}, alone {want!r}")
            wrong += [f"{schedule} {options}: {text}" for text in found]
        print(f"{schedule}: {want.strip()}")
    return wrong


def check_team(prefix, program, device):
    """Strict mode sees the order between OpenMP's threads; in the other mode nothing is found."""
    wrong = []
    names = alone(prefix, program, ["list"], device, device.schedules[0]).split()
    ways = (("seen", ["hosts=strict"], []), ("late", ["hosts=strict"], ["SC-105"]),
            ("late", [], []))
    for name in names:
        for schedule in device.schedules:
            for way, options, want in ways:
                result = checked.check(prefix, program, "bare", device.name, schedule, [name, way],
                                       options)
                wrong += [f"{name} {way} {options} {schedule}: {text}"
                          for text in differences(result, want)]
    print(f"{os.path.basename(program)}: {len(names)} constructs")
    return wrong if names else ["nothing to check"]


def wrong_of(prefix, folder, part, device):
    if part == "team":
        return check_team(prefix, os.path.join(folder, part), device)
    if part in ("stress", "files"):
        return check_stress(prefix, os.path.join(folder, part), device)
    return check_families(prefix, os.path.join(folder, "handover"), part, device)


def main():
    wrong = wrong_of(*sys.argv[1:4], SIMULATOR)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
