#!/usr/bin/env python3
"""Patches of `streamcheck repair --patch` for Python, applied and run: the changed program has no finding.

usage: test_patch.py PREFIX
The packages are stand-ins, whose calls are CUDA's on the simulated device: PyTorch, CuPy, Numba and cuda-python.
"""
import os
import sys
import unittest

import patched

CALLS = """
import ctypes
cudart = ctypes.CDLL("libcudart.so.13")

def device(size):
    block = ctypes.c_void_p()
    cudart.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(size))
    return block

def host(size):
    block = ctypes.c_void_p()
    cudart.cudaMallocHost(ctypes.byref(block), ctypes.c_size_t(size))
    return block

def make_stream():
    stream = ctypes.c_void_p()
    cudart.cudaStreamCreateWithFlags(ctypes.byref(stream), 1)
    return stream

def make_event():
    event = ctypes.c_void_p()
    cudart.cudaEventCreateWithFlags(ctypes.byref(event), 2)
    return event

def fill(block, size, stream):
    cudart.cudaMemsetAsync(block, 1, ctypes.c_size_t(size), stream)

def copy(target, source, size, stream):
    cudart.cudaMemcpyAsync(target, source, ctypes.c_size_t(size), 4, stream)
"""
EVENT = """
class Event:
    def __init__(self, **options):
        self.handle = calls.make_event()
    def record(self, stream=None):
        calls.cudart.cudaEventRecord(self.handle, (stream or current()).handle)
    def wait(self, stream=None):
        calls.cudart.cudaStreamWaitEvent((stream or current()).handle, self.handle, 0)
    def synchronize(self):
        calls.cudart.cudaEventSynchronize(self.handle)

class Stream:
    def __init__(self, handle=None):
        self.handle = calls.make_stream() if handle is None else handle
    def wait_event(self, event):
        event.wait(self)
    def synchronize(self):
        calls.cudart.cudaStreamSynchronize(self.handle)
    def __enter__(self):
        stack.append(self)
    def __exit__(self, *error):
        stack.pop()

default = Stream(calls.ctypes.c_void_p())
stack = [default]

def current():
    return stack[-1]

class Array:
    def __init__(self, size=1 << 16, allocate=calls.device):
        self.block, self.size = allocate(size), size
    def fill_(self, stream=None):
        calls.fill(self.block, self.size, (stream or current()).handle)
    def copy_(self, other, stream=None):
        calls.copy(self.block, other.block, self.size, (stream or current()).handle)
    def read(self):
        return calls.ctypes.string_at(self.block, 8)
"""
STAND_INS = {
    "libtorch/calls.py": CALLS,
    "libtorch/common.py": "import calls\n" + EVENT,
    "libtorch/torch/__init__.py": """
from common import Array as empty
from torch import cuda
""",
    "libtorch/torch/cuda.py": """
import common, calls
from common import Event, Stream, current as current_stream

def default_stream():
    return common.default

def stream(stream):
    return stream

def synchronize():
    calls.cudart.cudaDeviceSynchronize()
""",
    "cupy/calls.py": CALLS,
    "cupy/common.py": "import calls\n" + EVENT,
    "cupy/cupy/__init__.py": """
from common import Array as empty
from cupy import cuda
""",
    "cupy/cupy/cuda.py": "from common import Event, Stream, current as get_current_stream\nStream.null = None\n",
    "numba/calls.py": CALLS,
    "numba/common.py": "import calls\n" + EVENT,
    "numba/numba/__init__.py": "",
    "numba/numba/cuda.py": """
import common, calls
from common import Array as device_array, Event as event, Stream as stream

def pinned_array(size):
    return common.Array(size, calls.host)

class Kernel:
    def __getitem__(self, configuration):
        return lambda array: array.fill_(configuration[2])

fill = Kernel()
""",
    "bindings/cuda/bindings/driver.py": CALLS + """
class CUevent_flags:
    CU_EVENT_DISABLE_TIMING = 2

def cuMemsetD8Async(block, value, size, stream):
    return cudart.cudaMemsetAsync(block, value, ctypes.c_size_t(size), stream),

def cuEventCreate(flags):
    return 0, make_event()

def cuEventRecord(event, stream):
    return cudart.cudaEventRecord(event, stream),

def cuStreamWaitEvent(stream, event, flags):
    return cudart.cudaStreamWaitEvent(stream, event, flags),
""",
    "bindings/cuda/bindings/runtime.py": CALLS + """
cudaEventDisableTiming = 2

def cudaMemsetAsync(block, value, size, stream):
    return cudart.cudaMemsetAsync(block, value, ctypes.c_size_t(size), stream),

def cudaEventCreateWithFlags(flags):
    return 0, make_event()

def cudaEventRecord(event, stream):
    return cudart.cudaEventRecord(event, stream),

def cudaStreamWaitEvent(stream, event, flags):
    return cudart.cudaStreamWaitEvent(stream, event, flags),
""",
}
# Each program, and lines that its patch has to add, in their order.
PROGRAMS = {
    "torch_block": ("libtorch", """
import torch

data, other = torch.empty(), torch.empty()
side = torch.cuda.Stream()

def step():
    with torch.cuda.stream(side):
        data.fill_()  # a comment
    other.copy_(
        data)

step()
torch.cuda.synchronize()
""", ["        done = torch.cuda.Event()", "        done.record(side)",
      "    torch.cuda.default_stream().wait_event(done)"]),
    "torch_functions": ("libtorch", """
import torch as th

data, other = th.empty(), th.empty()
side, main = th.cuda.Stream(), th.cuda.Stream()

def produce():
    with th.cuda.stream(side):
        data.fill_()

def consume():
    if data:
        other.copy_(data)

with th.cuda.stream(main):
    produce()
    consume()
th.cuda.synchronize()
""", ["    done = th.cuda.Event()", "    done.record(side)", "    main.wait_event(done)"]),
    "torch_passed": ("libtorch", """
import torch

def fill(data, *, where, stream=None):
    with torch.cuda.stream(stream):
        data.fill_()

def main():
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    data = torch.empty()
    fill(data, where=0, stream=first)
    fill(data, stream=second, where=1)
    torch.cuda.synchronize()

main()
""", ["    done = torch.cuda.Event()", "    done.record(first)", "    second.wait_event(done)"]),
    "torch_rounds": ("libtorch", """
from torch import cuda
import torch

done = [torch.empty(), torch.empty()]  # the name is taken
copies, work = torch.cuda.Stream(), torch.cuda.Stream()

for i in range(3):
    with torch.cuda.stream(copies):
        done[0].fill_()
    work.wait_event(arrived := cuda.Event()) if False else copies.synchronize()
    with torch.cuda.stream(work):
        done[1].copy_(done[0])
torch.cuda.synchronize()
""", ["done2 = torch.cuda.Event()", "        copies.wait_event(done2)", "        done2.record(work)"]),
    "cupy_streams": ("cupy", """
import cupy as cp

def main():
    first, second = cp.cuda.Stream(), cp.cuda.Stream()
    data, other = cp.empty(), cp.empty()
    with first:
        data.fill_()
    with second:
        other.copy_(data)
    second.synchronize()
    first.synchronize()

main()
""", ["        done = cp.cuda.Event(disable_timing=True)", "        done.record(cp.cuda.get_current_stream())",
      "        cp.cuda.get_current_stream().wait_event(done)"]),
    "numba_launches": ("numba", """
from numba import cuda

one, two = cuda.stream(), cuda.stream()
data = cuda.device_array()
result = cuda.pinned_array(1 << 16)
cuda.fill[1, 32, one](data)
result.copy_(data, stream=two)
two.synchronize()
one.synchronize()
""", ["done = cuda.event(timing=False)", "done.record(one)", "done.wait(two)"]),
    "torch_wrong_stream": ("libtorch", """
import torch

def main():
    work, other = torch.cuda.Stream(), torch.cuda.Stream()
    data, half, whole = torch.empty(), torch.empty(), torch.empty()
    with torch.cuda.stream(work):
        data.fill_()
    with torch.cuda.stream(other):
        half.copy_(data)  # in the wrong one
    with torch.cuda.stream(work):
        whole.copy_(half)
    torch.cuda.synchronize()

main()
""", ["        with torch.cuda.stream(work):", "            half.copy_(data)  # in the wrong one"]),
    "numba_wrong_stream": ("numba", """
from numba import cuda

def main():
    work, other = cuda.stream(), cuda.stream()
    data, half, whole = cuda.device_array(), cuda.device_array(), cuda.device_array()
    cuda.fill[1, 32, work](data)
    half.copy_(data, stream=other)  # in the wrong one
    whole.copy_(half, stream=work)
    work.synchronize()
    other.synchronize()

main()
""", ["    half.copy_(data, stream=work)  # in the wrong one"]),
    "cupy_wrong_stream": ("cupy", """
import cupy as cp

def main():
    work = cp.cuda.Stream()
    data, half, whole = cp.empty(), cp.empty(), cp.empty()
    data.fill_(stream=work)
    half.copy_(data)
    whole.copy_(half, stream=work)
    work.synchronize()

main()
""", ["    with work:", "        half.copy_(data)"]),
    "numba_host": ("numba", """
from numba import cuda

def main():
    stream, data, result = cuda.stream(), cuda.device_array(), cuda.pinned_array(1 << 16)
    result.copy_(data, stream=stream)
    value = result.read()
    stream.synchronize()

main()
""", ["    stream.synchronize()"]),
    "cuda_python": ("bindings", """
from cuda.bindings import runtime as cudart

def main():
    data, first, second = cudart.device(4096), cudart.make_stream(), cudart.make_stream()
    cudart.cudaMemsetAsync(data, 0, 4096, first)
    cudart.cudaMemsetAsync(data, 0, 4096, second)
    cudart.cudart.cudaDeviceSynchronize()

main()
""", ["    _, done = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)",
      "    cudart.cudaEventRecord(done, first)", "    cudart.cudaStreamWaitEvent(second, done, 0)"]),
    "cuda_driver": ("bindings", """
from cuda.bindings import driver as cu

def main():
    data, first, second = cu.device(4096), cu.make_stream(), cu.make_stream()
    cu.cuMemsetD8Async(data, 0, 4096, first)
    cu.cuMemsetD8Async(data, 0, 4096, second)
    cu.cudart.cudaDeviceSynchronize()

main()
""", ["    _, done = cu.cuEventCreate(cu.CUevent_flags.CU_EVENT_DISABLE_TIMING)",
      "    cu.cuEventRecord(done, first)", "    cu.cuStreamWaitEvent(second, done, 0)"]),
}


# The second line stands before the first, so that the event would have to be there before both.
TURNED = """
from cuda.bindings import driver

def main():
    data, first, second = driver.device(4096), driver.make_stream(), driver.make_stream()
    for step in range(2):
        if step:
            driver.cuMemsetD8Async(data, 0, 4096, second)
        else:
            driver.cuMemsetD8Async(data, 0, 4096, first)
    driver.cudart.cudaDeviceSynchronize()

main()
"""
# Programs of two files: those beside program.py, and what the patch adds, sorted.
PRODUCE = """
import torch

side = torch.cuda.Stream()

def produce(data):
    with torch.cuda.stream(side):
        data.fill_()
"""
IMPORTS = """
import torch
import produce as p

data, other = torch.empty(), torch.empty()
main = torch.cuda.Stream()

def consume(data):
    with torch.cuda.stream(main):
        other.copy_(data)

for step in (p.produce, consume):
    step(data)
torch.cuda.synchronize()
"""
APART = {
    "apart": ({"produce.py": PRODUCE}, IMPORTS,
              ["        done.record(side)", "        main.wait_event(p.done)", "done = torch.cuda.Event()"]),
    "apart_other_name": ({"produce.py": PRODUCE.replace("import torch\n", "import torch as th\n")
                          .replace("torch.cuda", "th.cuda")}, IMPORTS, "by different names"),
    "apart_not_imported": ({"produce.py": PRODUCE}, IMPORTS.replace("import produce as p", "from produce import produce")
                           .replace("p.produce", "produce"), "none imports the other"),
    "apart_script": ({"produce.py": PRODUCE + "if __name__ == '__main__':\n    pass\n"}, IMPORTS,
                     "none imports the other"),
}
THREADS = """
import threading
import torch

data = torch.empty()
first, second = torch.cuda.Stream(), torch.cuda.Stream()

def produce():
    with torch.cuda.stream(first):
        data.fill_()

def consume():
    with torch.cuda.stream(second):
        data.fill_()

for step in (produce, consume):
    thread = threading.Thread(target=step)
    thread.start()
    thread.join()
torch.cuda.synchronize()
"""


class Patches(patched.Case):
    def setUp(self):
        super().setUp()
        self.packages = os.path.join(self.folder, "site-packages")
        for name, text in STAND_INS.items():
            patched.write(os.path.join(self.packages, name), text)
        self.package = None

    def started(self):
        return [sys.executable, "program.py"], {"PYTHONPATH": os.path.join(self.packages, self.package),
                                                "PYTHONDONTWRITEBYTECODE": "1"}

    def check_program(self, package, program, lines):
        self.package = package
        self.check({"program.py": program}, lines)

    def check_apart(self, files, program, outcome):
        self.package = "libtorch"
        files = {"program.py": program, **files}
        if isinstance(outcome, str):
            patch, printed = self.patch(files)
            self.assertIn(outcome, patch, printed)
            self.assertEqual(self.added(patch), [])
        else:
            self.added = lambda patch: sorted(patched.Case.added(patch))
            self.check(files, outcome)

    def test_events_of_the_driver_need_a_context(self):
        """As the file is imported there is none yet."""
        self.package = "bindings"
        patch, printed = self.patch({"program.py": TURNED})
        self.assertIn("only where a context is current", patch, printed)
        self.assertEqual(self.added(patch), [])

    def test_threads(self):
        """A lock of Python's own joins the threads: no order that is recorded."""
        self.package = "libtorch"
        patch, printed = self.patch({"program.py": THREADS})
        self.assertIn("run in different threads", patch, printed)
        self.assertEqual(self.added(patch), [])


patched.add_tests(Patches, PROGRAMS, Patches.check_program)
patched.add_tests(Patches, APART, Patches.check_apart)

if __name__ == "__main__":
    Patches.prefix = os.path.abspath(sys.argv.pop(1))
    unittest.main()
