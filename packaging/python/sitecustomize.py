"""Makes each array of CuPy known to `streamcheck run --allocators`.

With `visible` each array is an allocation of CUDA's. With `followed` CuPy keeps its pool, which says what it hands out and
takes back (streamcheck_pool_allocate in streamcheck.h). The folder of this file comes first in PYTHONPATH, so that Python runs it when it starts, in place of a
sitecustomize of the installation, which is run from here. Nothing happens in programs without CuPy.
"""
import ctypes
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


def use_driver_allocator(cupy):
    """What a program sets itself comes later, and counts."""
    cupy.cuda.set_allocator(cupy.cuda.MemoryAsyncPool().malloc)


class Pool:
    """The calls of streamcheck.h for pools, from the table that libstreamcheck.so offers."""

    def __init__(self):
        offer = ctypes.CDLL(None).streamcheck_offer
        offer.restype = ctypes.POINTER(ctypes.c_void_p)
        table = offer()
        # With the interpreter's lock held: the recorder reads the line that made the call.
        begin = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
        other = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        if table[0] < 13 * ctypes.sizeof(ctypes.c_void_p):
            raise RuntimeError("libstreamcheck.so is too old")
        self.allocate, self.free, self.use = begin(table[10]), other(table[11]), other(table[12])


def follow_cupy(cupy):
    """A hook in each thread, as CuPy has them. Its pool hands memory out again in the stream that asked for it first."""
    pool, streams = Pool(), {}

    class Hook(cupy.cuda.memory_hook.MemoryHook):
        """Says what the pool does."""
        name = "streamcheck"

        def malloc_postprocess(self, **call):
            """A piece was handed out."""
            if call["mem_ptr"]:  # else it failed
                streams[call["mem_ptr"]] = stream = cupy.cuda.get_current_stream().ptr
                pool.allocate(call["mem_ptr"], call["size"], stream)

        def free_preprocess(self, **call):
            """A piece goes back; afterwards another thread may have it already."""
            stream = streams.pop(call["mem_ptr"], None)
            if stream is not None:
                pool.free(call["mem_ptr"], stream)

    def run(thread):
        with Hook():
            own_run(thread)

    own_run = threading.Thread._bootstrap_inner  # pylint: disable=protected-access
    threading.Thread._bootstrap_inner = run  # pylint: disable=protected-access
    Hook().__enter__()  # pylint: disable=unnecessary-dunder-call


def chosen():
    """The option's value; the environment has all options in one text."""
    options = os.environ.get("STREAMCHECK_OPTIONS", "").split(":")
    return next((o.split("=", 1)[1] for o in options if o.startswith("allocators=")), "")


def prepare(cupy):
    """What the option asks for."""
    try:
        if chosen() == "followed":
            follow_cupy(cupy)
        else:
            use_driver_allocator(cupy)
    except Exception as error:  # pylint: disable=broad-except
        print(f"streamcheck: option allocators: what CuPy's pool hands out is not known: {error}", file=sys.stderr)


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
        prepare(module)


def run_other():
    """The sitecustomize that this one hides."""
    spec = importlib.machinery.PathFinder.find_spec(
        "sitecustomize", [p for p in sys.path if os.path.abspath(p) != HERE])
    if spec and spec.loader:
        sys.modules["sitecustomize"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


sys.meta_path.insert(0, Watcher())
run_other()
