"""Two agents of NIXL in one process, each with a buffer: what one of them sends and fetches, right or wrong.

usage: two_agents.py racy|fixed

In the racy form the host forgets three times to wait for its stream before it posts a transfer.
"""
import ctypes
import os
import sys

from nixl_cu13 import _bindings as nixl

BYTES, BLOCK, STEP = 1 << 20, 2048, 4096
IS_FIXED = sys.argv[1] == "fixed"
cudart = ctypes.CDLL("libcudart.so.13")


def must(error):
    if error:
        sys.exit(f"error {error} of CUDA")


def pinned():
    data = ctypes.c_void_p()
    must(cudart.cudaMallocHost(ctypes.byref(data), ctypes.c_size_t(BYTES)))
    return data.value


class Stream:
    def __init__(self):
        self.handle = ctypes.c_void_p()
        must(cudart.cudaStreamCreateWithFlags(ctypes.byref(self.handle), 1))

    def fill(self, data, value):
        must(cudart.cudaMemsetAsync(ctypes.c_void_p(data), value, ctypes.c_size_t(BYTES), self.handle))

    def wait(self):
        must(cudart.cudaStreamSynchronize(self.handle))


def agent_with(name, data):
    agent = nixl.nixlAgent(name, nixl.nixlAgentConfig(True))
    backend = agent.createBackend("UCX", {})
    agent.registerMem(nixl.nixlRegDList(nixl.DRAM_SEG, [(data, BYTES, 0, b"")]), [backend])
    return agent


def blocks_of(data):
    return nixl.nixlXferDList(nixl.DRAM_SEG, [(data + at, BLOCK, 0) for at in range(0, BYTES, STEP)])


def finish(agent, request, status):
    while status == nixl.NIXL_IN_PROG:
        status = agent.getXferStatus(request)
    if status != nixl.NIXL_SUCCESS:
        sys.exit(f"status {status}")


def bytes_at(data):
    return bytes((ctypes.c_ubyte * 4).from_address(data))


def main():
    mine, theirs, stream, other = pinned(), pinned(), Stream(), Stream()
    here, there = agent_with("here", mine), agent_with("there", theirs)
    here.loadRemoteMD(there.getLocalMD())
    send = here.createXferReq(nixl.NIXL_WRITE, blocks_of(mine), blocks_of(theirs), "there")
    prepared = here.prepXferDlist(nixl.NIXL_INIT_AGENT, blocks_of(mine)), here.prepXferDlist("there", blocks_of(theirs))
    numbers = list(range(0, BYTES // STEP, 3))
    fetch = here.makeXferReq(nixl.NIXL_READ, prepared[0], numbers, prepared[1], numbers)

    stream.fill(mine, 7)
    if IS_FIXED:
        stream.wait()
    finish(here, send, here.postXferReq(send))  # SC-160
    if IS_FIXED and bytes_at(theirs) != b"\x07" * 4:
        sys.exit("what was sent has not arrived")
    if not IS_FIXED:
        stream.wait()

    stream.fill(mine, 1)
    if IS_FIXED:
        stream.wait()
    finish(here, fetch, here.postXferReq(fetch))  # SC-161: into memory that the device still writes
    if not IS_FIXED:
        stream.wait()

    other.fill(theirs, 2)
    if IS_FIXED:
        other.wait()
    finish(here, send, here.postXferReq(send))  # SC-161: the memory of the other agent
    if not IS_FIXED:
        other.wait()
    for request in (send, fetch):
        here.releaseXferReq(request)
    print("done", flush=True)
    # The end of the interpreter is not what is tested: the package's libraries do not survive it.
    os._exit(0)


if __name__ == "__main__":
    main()
