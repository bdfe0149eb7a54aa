"""Gives each array of CuPy memory of its own, for `streamcheck run --allocators=visible`.

The folder of this file comes first in PYTHONPATH, so that Python runs it when it starts, in place of a
sitecustomize of the installation, which is run from here. Nothing happens in programs without CuPy.
"""
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def use_driver_allocator(cupy):
    """What a program sets itself comes later, and counts."""
    try:
        cupy.cuda.set_allocator(cupy.cuda.MemoryAsyncPool().malloc)
    except Exception as error:  # pylint: disable=broad-except
        print(f"streamcheck: option allocators: CuPy keeps its own pool: {error}", file=sys.stderr)


class Watcher(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Waits for the import of CuPy, and lets the others do it."""

    def __init__(self):
        self.loader = None

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "cupy" or path is not None:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec and spec.loader:
            self.loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        use_driver_allocator(module)


def run_other():
    """The sitecustomize that this one hides."""
    spec = importlib.machinery.PathFinder.find_spec(
        "sitecustomize", [p for p in sys.path if os.path.abspath(p) != HERE])
    if spec and spec.loader:
        sys.modules["sitecustomize"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


sys.meta_path.insert(0, Watcher())
run_other()
