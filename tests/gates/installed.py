#!/usr/bin/env python3
"""What the installed tree is made of. usage: installed.py PREFIX FOLDER

It is hardened, loads on older systems, needs nothing but libc wherever it is moved to, and has the
licences of what it carries.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

from common import fresh, need

OLDEST_GLIBC = (2, 28)
OF_GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt)\.so\.\d+|ld-linux.*\.so\.\d+|linux-vdso.*")
# IN_ROOT FOLDER COMMAND...: runs the command in the folder as its root, with /proc.
IN_ROOT = ("unshare", "--mount", "--propagation", "private", "sh", "-c",
           'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"')
RACE = "alloc d 64\nalloc p 64 pinned\ncopy s1 p <- d 64\nhost_read p 4\nexit 0\n"


def said_by(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def binaries(tree):
    """Every program and library of ours in the tree; the carried ones are loaded by the command only."""
    for at, _, names in os.walk(tree):
        for path in (os.path.join(at, name) for name in names):
            if at != os.path.join(tree, "lib/streamcheck") and is_elf(path):
                yield path


def undefined(path):
    """What a binary asks of others: (symbol, version or None)."""
    for line in said_by("readelf", "--wide", "--dyn-syms", path).splitlines():
        found = re.search(r" UND (\w+)(?:@(\S+))?", line)
        if found:
            yield found[1], found[2]


def check_glibc(library):
    """The recorder loads into programs of systems that are years older than the one that built it."""
    newer = []
    for symbol, version in undefined(library):
        number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", version or "")
        if number and (int(number[1]), int(number[2])) > OLDEST_GLIBC:
            newer.append(f"{symbol}@{version}")
    need(not newer, f"{library} wants newer symbols than those of glibc 2.28: {newer}")


def check_relro(path):
    need("GNU_RELRO" in said_by("readelf", "--wide", "--segments", path), f"{path}: no RELRO")
    dynamic = said_by("readelf", "--wide", "--dynamic", path)
    need("BIND_NOW" in dynamic or re.search(r"FLAGS_1.*NOW", dynamic), f"{path}: RELRO is partial")


def check_hardened(command):
    need("DYN" in said_by("readelf", "--file-header", command), "the command has a fixed address")
    names = [symbol for symbol, version in undefined(command) if version]
    need("__stack_chk_fail" in names, "the command has no stack protector")
    need([n for n in names if re.fullmatch(r"__\w+_chk", n)], "the command is not fortified")


def loaded_by(path):
    """NAME, PLACE of each library that the dynamic linker takes for a binary; PLACE may be None."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    for line in said_by("ldd", path, env=env).splitlines():
        found = re.match(r"\s*(\S+)(?: => (/\S+|not found))?", line)
        if found and "statically linked" not in line:
            yield os.path.basename(found[1]), found[2]


def check_moved(tree):
    """Every library comes from the tree or is one of glibc's; returns the places of the latter."""
    places = set()
    for path in binaries(tree):
        for name, place in loaded_by(path):
            if not OF_GLIBC.fullmatch(name):
                need(place and os.path.realpath(place).startswith(tree + os.sep),
                     f"{path} takes {name} from {place}")
            elif place:
                places.add(place)
    return places


def check_bare(tree, places, folder):
    """In a root with the tree and libc alone, the command finds a race and the recorder loads."""
    os.makedirs(os.path.join(folder, "tmp"))
    os.makedirs(os.path.join(folder, "proc"))
    if subprocess.run([*IN_ROOT, "/", "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        print("no namespaces here: the tree did not run in a bare root")
        return
    linker = re.search(r"interpreter: ([^\]]+)", said_by("readelf", "--wide", "--segments",
                                                         os.path.join(tree, "bin/streamcheck")))[1]
    for place in {*places, linker}:
        os.makedirs(folder + os.path.dirname(place), exist_ok=True)
        shutil.copy(place, folder + place)
    shutil.move(tree, os.path.join(folder, "moved"))
    with open(os.path.join(folder, "race.sct.txt"), "w", encoding="utf-8") as file:
        file.write(RACE)
    command = "/moved/bin/streamcheck"
    for words, code, wanted in ((["analyze", "--html=no", "/race.sct.txt"], 66, "SC-101"),
                                (["run", "--device=gpu", "--", command, "rules"], 3,
                                 "made no CUDA call")):
        got = subprocess.run([*IN_ROOT, folder, command, *words], capture_output=True, text=True,
                             check=False)
        text = got.stdout + got.stderr
        need(got.returncode == code and wanted in text and "ld.so" not in text,
             f"in a bare root, {words} ended with {got.returncode}: {text}")


def check_spaces(tree, folder):
    """A tree whose path the loader's lists cannot hold is run through a link, which is gone afterwards."""
    place, temporary = os.path.join(folder, "a tool: of mine"), os.path.join(folder, "temporary")
    shutil.copytree(tree, place, symlinks=True)
    os.mkdir(temporary)
    command = os.path.join(place, "bin", "streamcheck")
    show = ["sh", "-c", "echo $LD_PRELOAD; exec true"]
    for in_temporary, code, wanted in ((temporary, 3, "/tool/lib/libstreamcheck.so"), (place, 2, "set TMPDIR to a path without space")):
        got = subprocess.run([command, "run", "--device=sim", "--html=no", "--", *show], capture_output=True, text=True, check=False,
                             env={**os.environ, "TMPDIR": in_temporary})
        need(got.returncode == code and wanted in got.stdout + got.stderr and "ld.so" not in got.stderr,
             f"{place}: {got.returncode}: {got.stdout}{got.stderr}")
    need(not os.listdir(temporary), f"left in TMPDIR: {os.listdir(temporary)}")


def check_licences(prefix):
    folder = os.path.join(prefix, "share/doc/streamcheck")
    for name in ("LICENSE", "NOTICE", "licenses/LGPL-3.0.txt", "licenses/GPL-3.0.txt"):
        need(os.path.getsize(os.path.join(folder, name)) > 100, f"{name} is empty")
    with open(os.path.join(folder, "licenses/third-party.txt"), encoding="utf-8") as file:
        known = file.read()
    carried = glob.glob(os.path.join(prefix, "lib/streamcheck/*.so*"))
    need(carried, "the tree carries no elfutils")
    for path in carried:
        name = re.match(r"lib\w+", os.path.basename(path))[0]
        need(re.search(rf"\b{name}\b", known), f"{path} is carried, third-party.txt lacks {name}")


def main():
    prefix, folder = (os.path.realpath(p) for p in sys.argv[1:3])
    fresh(folder)
    library, command = (os.path.join(prefix, n) for n in ("lib/libstreamcheck.so", "bin/streamcheck"))
    check_glibc(library)
    check_relro(library)
    check_relro(command)
    check_hardened(command)
    check_licences(prefix)
    tree = os.path.join(folder, "tree")
    shutil.copytree(prefix, tree, symlinks=True)
    places = check_moved(tree)
    check_spaces(tree, folder)
    check_bare(tree, places, os.path.join(folder, "root"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
