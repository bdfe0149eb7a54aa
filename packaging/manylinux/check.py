#!/usr/bin/env python3
"""Checks that a wheel runs with a glibc: usage: check.py VERSION WHEEL     VERSION: 2.28, for instance

No program or library in it needs a newer symbol, nor a library that is neither glibc's nor in the wheel; the tag promises no
older system. Prints the newest symbols, and ends with 1 if something is wrong.
"""
import os
import re
import subprocess
import sys
import tempfile
import zipfile

OF_GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt)\.so\.\d+|ld-linux.*\.so\.\d+")


def numbers(version):
    return tuple(map(int, version.split(".")))


def needs_of(path):
    """The versions of glibc and the libraries that a file needs, as readelf prints them; None if it is no ELF file."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
    said = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", path], capture_output=True, text=True,
                          check=True).stdout
    wanted = said.partition("Version needs")[2]
    return re.findall(r"Name: GLIBC_(\w+(?:\.\d+)*)", wanted), re.findall(r"\(NEEDED\).*\[(.*)\]", said)


def complaints(folder, names, limit):
    """What is wrong with the files of an unpacked wheel, one by one; prints what each needs."""
    carried, checked = {os.path.basename(name) for name in names}, 0
    for name in names:
        needs = needs_of(os.path.join(folder, name))
        if not needs:
            continue
        checked += 1
        versions, libraries = needs
        newest = max((numbers(v) for v in versions if v[0].isdigit()), default=(0,))
        print(f"{name}: glibc {'.'.join(map(str, newest))}")
        yield from (f"{name} needs GLIBC_{v}" for v in versions if not v[0].isdigit())
        if newest > limit:
            yield f"{name} needs glibc {'.'.join(map(str, newest))}"
        yield from (f"{name} needs {library}" for library in libraries
                    if library not in carried and not OF_GLIBC.fullmatch(library))
    if not checked:
        yield "there is no program in the wheel"


def main():
    limit, path = numbers(sys.argv[1]), sys.argv[2]
    tag = re.search(r"-manylinux_(\d+)_(\d+)_\w+\.whl$", path)
    wrong = [] if tag and tuple(map(int, tag.groups())) <= limit else [f"{path} has no tag of glibc {sys.argv[1]} or older"]
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as wheel:
        wheel.extractall(folder)
        wrong += complaints(folder, wheel.namelist(), limit)
    for line in wrong:
        print(f"check.py: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
