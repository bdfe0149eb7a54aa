"""Children that use the device, and who ends them.

usage: children.py pool|parent|group|group_of_two|own_group|killpg|queue|descriptor|call|system_call|
       at_work|stranger|catches|catches_and_dies
"""
import ctypes
import multiprocessing as mp
import os
import select
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


def end(way, process):
    """Sends the signal in one of the ways that there are."""
    libc = ctypes.CDLL(None)
    if way in ("group", "group_of_two"):
        os.kill(-os.getpgid(process), signal.SIGTERM)
    elif way == "killpg":
        libc.killpg(process, signal.SIGTERM)
    elif way == "own_group":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(0, signal.SIGTERM)
    elif way == "queue":
        libc.sigqueue(process, signal.SIGTERM, ctypes.c_void_p())
    elif way == "descriptor":
        signal.pidfd_send_signal(os.pidfd_open(process), signal.SIGTERM)
    elif way == "call":
        libc.pidfd_send_signal(os.pidfd_open(process), signal.SIGTERM, None, 0)
    elif way == "system_call":
        libc.syscall(62, process, signal.SIGTERM)
    else:
        os.kill(process, signal.SIGTERM)


def main(way):
    if way == "pool":
        with mp.Pool(2) as pool:
            print(pool.map(work, [False] * 2, chunksize=1))
        return
    if way == "own_group":
        os.setpgid(0, 0)
    ends = os.pipe()
    first = os.fork()
    if not first:
        if way in ("group", "group_of_two", "killpg"):
            os.setpgid(0, 0)
        (between if way in ("stranger", "group_of_two") else child)(way, ends[1])
    process = int(os.read(ends[0], 32))
    descriptor = os.pidfd_open(process)
    end(way, process)
    os.waitpid(first, 0)
    select.select([descriptor], [], [])  # a grandchild is somebody else's to wait for


if __name__ == "__main__":
    main(sys.argv[1])
