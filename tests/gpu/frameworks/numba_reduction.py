"""Numba: a reduction in shared memory, and the sum of its blocks by an atomic."""
import numpy

numpy.row_stack = numpy.vstack  # numba-cuda of 2025 asks for it, NumPy 2.5 has it no longer
from numba import cuda, float32


@cuda.jit
def add_up(values, total):
    part = cuda.shared.array(256, float32)
    lane = cuda.threadIdx.x
    at = cuda.grid(1)
    part[lane] = values[at] if at < values.size else 0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if lane < step:
            part[lane] += part[lane + step]
        cuda.syncthreads()
        step //= 2
    if lane == 0:
        cuda.atomic.add(total, 0, part[0])


stream = cuda.stream()
ones, zero = numpy.ones(1 << 16, dtype=numpy.float32), numpy.zeros(1, dtype=numpy.float32)
values = cuda.to_device(ones, stream=stream)
total = cuda.to_device(zero, stream=stream)
add_up[256, 256, stream](values, total)
result = total.copy_to_host(stream=stream)
stream.synchronize()
print(result[0])
