"""A race by looked_up.c, as bindings.py has it by cuda-bindings: usage: looked_up.py LIBRARY. Each marked line is an end of it."""
import ctypes
import sys

library = ctypes.PyDLL(sys.argv[1])
NAMES = ("look_up", "prepare", "fetch", "upload", "synchronize")
look_up, prepare, fetch, upload, synchronize = (getattr(library, name) for name in NAMES)


def checked(code):
    if code:
        raise RuntimeError(code)


def race():
    checked(look_up())
    checked(prepare())
    checked(fetch())  # first
    checked(upload())  # second
    checked(synchronize())


def main():
    race()
    print("done")


main()
