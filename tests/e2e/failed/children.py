"""Children that use the device, and who ends them.

usage: children.py pool|parent|at_work|stranger|catches|catches_and_dies
"""
import ctypes
import multiprocessing as mp
import os
import signal
import sys

BYTES = 1 << 16


def work(at_work=False):
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    calls = [(cuda.cuInit, 0), (cuda.cuDeviceGet, ctypes.byref(device), 0),
             (cuda.cuCtxCreate_v2, ctypes.byref(context), 0, device),
             (cuda.cuMemAlloc_v2, ctypes.byref(memory), ctypes.c_size_t(BYTES))]
    answers = [function(*arguments) for function, *arguments in calls]
    answers.append(cuda.cuMemsetD8Async(memory, ctypes.c_ubyte(1), ctypes.c_size_t(BYTES), None))
    if not at_work:
        answers.append(cuda.cuCtxSynchronize())
    return sum(answers)


def child(way, ready):
    """Works, says its number, and waits for its end."""
    def leave(*_):
        if way == "catches_and_dies":
            os.kill(os.getpid(), signal.SIGKILL)
        sys.exit(0)

    if way.startswith("catches"):
        signal.signal(signal.SIGTERM, leave)
    work(way == "at_work")
    os.write(ready, f"{os.getpid()}\n".encode())
    while True:
        signal.pause()


def between(way, ready):
    """Of a grandchild: its parent, which waits for its end only."""
    grandchild = os.fork()
    if not grandchild:
        child(way, ready)
    os.waitpid(grandchild, 0)
    os._exit(0)


def main(way):
    if way == "pool":
        with mp.Pool(2) as pool:
            print(pool.map(work, [False] * 2, chunksize=1))
        return
    ends = os.pipe()
    first = os.fork()
    if not first:
        (between if way == "stranger" else child)(way, ends[1])
    os.kill(int(os.read(ends[0], 32)), signal.SIGTERM)
    os.waitpid(first, 0)


if __name__ == "__main__":
    main(sys.argv[1])
