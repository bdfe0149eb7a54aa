#!/usr/bin/env python3
"""No system call, and no function of libc that makes one, is missing from the tables of the guard.

usage: test_audit.py SYSTEM.def LIBC.def LIBRARY HEADER   (LIBRARY: libstreamcheck.so as it was built;
HEADER: one that says the numbers of the system calls)
"""
import ctypes.util
import os
import re
import shutil
import subprocess
import sys
import unittest

SYSTEM = ROWS = LIBRARY = HEADER = None
ROW = re.compile(r"^(\w+)\((\w+)", re.MULTILINE)


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def system_rows():
    """Number → (kind, name)."""
    found = re.findall(r"^(CALL|PLAIN|FILE|GONE)\((\d+), (\w+)", text(SYSTEM), re.MULTILINE)
    return {int(number): (kind, name) for kind, number, name in found}


def exported(path, *options):
    """Lines of nm: names of defined functions, with their versions."""
    lines = output("nm", "-D", "--defined-only", *options, path).splitlines()
    return [line.split() for line in lines if line.split()[-2] in "TWi"]


def libc():
    name = ctypes.util.find_library("c")
    found = re.search(rf"{re.escape(name)} .*=> (\S+)", output("ldconfig", "-p"))
    return found.group(1) if found else f"/lib/x86_64-linux-gnu/{name}"


def functions_of_libc():
    """(address, size, name) of what programs may call, in order."""
    found = []
    for words in exported(libc(), "-S"):
        name, _, version = words[-1].partition("@@")
        if len(words) == 4 and version and version != "GLIBC_PRIVATE":
            found.append((int(words[0], 16), int(words[1], 16), name))
    return sorted(found)


def calls_by_address():
    """(address, number) of each system call in libc; None: the number is not in sight."""
    found, number = [], None
    for line in output("objdump", "-d", "--no-show-raw-insn", libc()).splitlines():
        match = re.match(r"\s+([0-9a-f]+):\s+(\S+)\s*(\S*)", line)
        if not match:
            continue
        address, name, operands = match.groups()
        constant = re.match(r"\$0x([0-9a-f]+),%[er]ax$", operands)
        if name == "mov" and constant:
            number = int(constant.group(1), 16)
        elif operands == "%eax,%eax" and name == "xor":
            number = 0
        elif name == "syscall":
            found.append((int(address, 16), number))
    return found


class Audit(unittest.TestCase):
    def test_each_system_call_has_a_row(self):
        rows = system_rows()
        known = re.findall(r"#define __NR_(\w+) (\d+)", text(HEADER))
        missing = [(name, number) for name, number in known
                   if rows.get(int(number), ("", ""))[1] != name]
        kinds = [kind for kind, _ in rows.values()]
        print(f"{len(rows)} system calls: {kinds.count('CALL')} are looked at, "
              f"{kinds.count('PLAIN')} touch no memory, {kinds.count('FILE')} change descriptors, {kinds.count('GONE')} no longer exist; "
              f"the header has {len(known)}")
        self.assertEqual(missing, [])

    def test_rows_are_exported(self):
        ours = {words[-1].partition("@")[0] for words in exported(LIBRARY)}
        rows = {name for kind, name in ROW.findall(text(ROWS)) if kind != "NONE"}
        self.assertEqual(rows - ours, set())

    @unittest.skipUnless(shutil.which("objdump") and shutil.which("nm"), "needs binutils")
    def test_each_function_that_calls_is_known(self):
        looked_at = {number for number, (kind, _) in system_rows().items() if kind == "CALL"}
        known = {words[-1].partition("@")[0] for words in exported(LIBRARY)}
        known |= {name for kind, name in ROW.findall(text(ROWS)) if kind == "NONE"}
        calls, makes, missing = calls_by_address(), set(), set()
        for start, size, name in functions_of_libc():
            numbers = {n for at, n in calls if start <= at < start + size}
            if not numbers & (looked_at | {None}):
                continue
            makes.add(name)
            if name not in known:
                missing.add((name, tuple(sorted(n or -1 for n in numbers))))
        print(f"{len(makes)} functions of this libc make such calls themselves")
        self.assertEqual(missing, set())


if __name__ == "__main__":
    SYSTEM, ROWS, LIBRARY, HEADER = map(os.path.abspath, sys.argv[1:5])
    unittest.main(argv=sys.argv[:1])
