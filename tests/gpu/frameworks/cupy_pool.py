"""An array that another stream still reads goes back to CuPy's pool, which hands its memory out again."""
import sys

import cupy

fixed = sys.argv[1] == "fixed"
size = 1 << 22
own, other = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
kept = cupy.zeros(size, dtype=cupy.float32)
cupy.cuda.Device().synchronize()
for number in range(4):
    with own:
        part = cupy.full(size, float(number), dtype=cupy.float32)  # expect buggy SC-106 proven
    other.wait_event(own.record())
    with other:
        kept += part
    if fixed:
        own.wait_event(other.record())
    del part  # expect visible SC-114 proven, followed SC-153 proven
cupy.cuda.Device().synchronize()
if fixed:
    print(f"{float(kept.sum()):.6e}")
