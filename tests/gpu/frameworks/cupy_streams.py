"""CuPy copies into pinned memory in a stream of its own; NumPy reads it."""
import sys

import cupy
import numpy

fixed = sys.argv[1] == "fixed"
size = 1 << 20
host = numpy.frombuffer(cupy.cuda.alloc_pinned_memory(size * 4), numpy.float32, size)
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    device = cupy.arange(size, dtype=cupy.float32)
    device *= 2
    device.get(stream=stream, out=host, blocking=False)
if fixed:
    stream.synchronize()
total = float(host.sum())  # expect buggy SC-101 proven, visible SC-101 proven
stream.synchronize()
if fixed:
    print(f"{total:.6e}")
