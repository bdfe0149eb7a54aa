"""The race of looked_up.py at the script's top level: usage: flat_looked_up.py LIBRARY. Each marked line is an end of it."""
import ctypes
import sys

library = ctypes.PyDLL(sys.argv[1])
NAMES = ("look_up", "prepare", "fetch", "upload", "synchronize")
look_up, prepare, fetch, upload, synchronize = (getattr(library, name) for name in NAMES)


def checked(code):
    if code:
        raise RuntimeError(code)


def upload_all():
    checked(upload())  # second


checked(look_up())
checked(prepare())
checked(fetch())  # first
upload_all()
checked(synchronize())
print("done")
