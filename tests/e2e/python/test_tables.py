#!/usr/bin/env python3
"""Location tables of the standard library, as the recorder reads them and as Python does.

usage: test_tables.py VERSION LIBRARY   (of lines_of.c)
"""
import ctypes
import os
import subprocess
import sys
import sysconfig
import types

MODULES = 25  # of the standard library; some thousand functions


def codes_of(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


def sources():
    folder = sysconfig.get_paths()["stdlib"]
    names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    for name in names[:: max(1, len(names) // MODULES)]:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            yield name, file.read()
    # Lines that go back, far ahead, and a function of many.
    yield "back.py", "x = (1 +\n\n\n f(\n)\n .g)\n" + "\n" * 3000 + "y = [a\n for a\n in b]\n"
    yield "long.py", "def f():\n" + " g(1,\n  2)\n" * 300


def compare(library):
    lines_of = ctypes.CDLL(library).lines_of
    functions = 0
    for name, source in sources():
        for code in codes_of(compile(source, name, "exec")):
            theirs = [position[0] or 0 for position in code.co_positions()]
            ours = (ctypes.c_uint32 * len(theirs))()
            lines_of(code.co_linetable, ctypes.c_size_t(len(code.co_linetable)),
                     ctypes.c_int64(code.co_firstlineno), ours, ctypes.c_size_t(len(theirs)))
            assert list(ours) == theirs, (name, code.co_name, list(ours), theirs)
            functions += 1
    print(f"{functions} functions")
    assert functions > 1000


if __name__ == "__main__":
    if len(sys.argv) == 2:
        compare(sys.argv[1])
        sys.exit(0)
    import interpreter
    python = interpreter.find(sys.argv[1])
    if sys.argv[1] == "3.10":
        print("3.10 has tables of another kind")
        sys.exit(77)
    sys.exit(subprocess.run([python, __file__, sys.argv[2]], check=False).returncode)
