"""Streams, events and memory in variables of Python. Of what a marked line makes the report shows this variable; with `none`
not exactly one fits."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))
import gpu  # pylint: disable=wrong-import-position


class Worker:
    def __init__(self):
        self.stream = gpu.Stream()
        self.data = gpu.Buffer()


class Own:
    """Calls the driver itself."""

    def __init__(self):
        self.handle = gpu.ctypes.c_void_p()
        gpu.CUDA.cuStreamCreate(gpu.ctypes.byref(self.handle), 1)  # variable: own


def passed_on():
    return gpu.Stream()  # variable: none


def main():
    up = gpu.Stream()  # variable: up
    down = gpu.Stream()  # variable: down
    data = gpu.Buffer()  # variable: data
    data.fill(up)
    data.fill(down)
    gpu.wait()
    left = Worker()  # variable: left
    right = Worker()  # variable: right
    left.data.fill(left.stream)
    left.data.fill(right.stream)
    gpu.wait()
    own = Own()
    other = passed_on()
    right.data.fill(own)
    right.data.fill(other)
    gpu.wait()
    ring = [gpu.Stream() for _ in range(2)]  # variable: none
    both = gpu.Buffer(), gpu.Buffer()  # variable: none
    both[0].fill(ring[0])
    both[0].fill(ring[1])
    gpu.wait()
    ready = gpu.Event()  # variable: ready
    ready.record(up)
    data.fill(up)
    ready.hold(down)
    data.fill(down)
    gpu.wait()


gpu.start()
main()
