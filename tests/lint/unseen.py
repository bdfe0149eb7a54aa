#!/usr/bin/env python3
"""Names the unit tests of a build in which ThreadSanitizer cannot see anything, for ctest to leave them out.

usage: unseen.py BUILD-FOLDER

It sees races of threads, misused locks and unsafe handlers of signals. A program has none of them if
neither it, nor one of its libraries of the build, nor what is preloaded into it imports a function for
threads, locks or signals, or one that loads other libraries. Prints a regular expression.
"""
import functools
import json
import os
import re
import subprocess
import sys

SEEN = re.compile(r" U (pthread_\w+|thrd_\w+|mtx_\w+|cnd_\w+|clone3?|timer_create|sigaction|sigaltstack|\w*signal"
                  r"|dlopen|dlmopen|dlsym|GOMP_\w+)(@|$)", re.M)


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


@functools.lru_cache(maxsize=None)
def has_something(path):
    """Whether a program or library imports such a function; what is no ELF file may do anything."""
    return not is_elf(path) or bool(SEEN.search(said("nm", "-D", "-u", path)))


def parts(build, test):
    """The program of a test and what of the build is loaded into it."""
    program = test["command"][0]
    preloaded = []
    for each in test.get("properties", ()):
        if each["name"] == "ENVIRONMENT":
            preloaded += [part for line in each["value"] if line.startswith("LD_PRELOAD=")
                          for part in line.partition("=")[2].split(":")]
    libraries = re.findall(r"(?:=> |^\s*)(/\S+)", said("ldd", program), re.M) if is_elf(program) else []
    return [program, *preloaded, *(path for path in libraries if path.startswith(build + os.sep))]


def is_unseen(build, test):
    return "command" in test and not any(map(has_something, parts(build, test)))


def main():
    build = os.path.realpath(sys.argv[1])
    listed = json.loads(said("ctest", "--test-dir", build, "--show-only=json-v1", "-L", "unit"))
    names = [test["name"] for test in listed["tests"] if is_unseen(build, test)]
    print("^(" + "|".join(map(re.escape, names)) + ")$")


if __name__ == "__main__":
    main()
