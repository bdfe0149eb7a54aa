"""Numba: two kernels of two streams work on one array."""
import sys

import numpy

numpy.row_stack = numpy.vstack  # numba-cuda of 2025 asks for it, NumPy 2.5 has it no longer
from numba import cuda

fixed = sys.argv[1] == "fixed"


@cuda.jit("void(float32[::1], float32)")
def add(values, amount):
    at = cuda.grid(1)
    if at < values.size:
        values[at] += amount


host = cuda.pinned_array(1 << 16, dtype=numpy.float32)
host[:] = 1
first, second = cuda.stream(), cuda.stream()
device = cuda.to_device(host, stream=first)
add[256, 256, first](device, 2)
if fixed:
    first.synchronize()
add[256, 256, second](device, 3)  # expect buggy SC-105|SC-106|SC-209
device.copy_to_host(host, stream=second)
if fixed:
    second.synchronize()
total = host.sum()  # expect buggy SC-101
cuda.synchronize()
if fixed:
    print(total)
