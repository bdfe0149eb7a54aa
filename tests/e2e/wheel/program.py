"""A race by ctypes, as lines.py has it, with the names that the package gives: usage: program.py [quiet]"""
import contextlib
import ctypes
import sys

import streamcheck

SIZE, TO_DEVICE, TO_HOST, NON_BLOCKING = ctypes.c_size_t(1 << 16), 1, 2, 1


def main():
    # Lines of Python: from 3.11 on also of calls that are made without the interpreter's lock.
    cudart = (ctypes.CDLL if sys.version_info >= (3, 11) else ctypes.PyDLL)("libcudart.so.13")
    device, host, stream = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    cudart.cudaMalloc(ctypes.byref(device), SIZE)
    cudart.cudaMallocHost(ctypes.byref(host), SIZE)
    cudart.cudaStreamCreateWithFlags(ctypes.byref(stream), NON_BLOCKING)
    streamcheck.name(stream, "copy")
    hush = streamcheck.quiet("wanted here") if "quiet" in sys.argv else contextlib.nullcontext()
    with hush, streamcheck.section("exchange"):
        cudart.cudaMemcpyAsync(host, device, SIZE, TO_HOST, stream)
        cudart.cudaMemcpyAsync(device, host, SIZE, TO_DEVICE, None)
    cudart.cudaDeviceSynchronize()
    print("active" if streamcheck.is_active() else "not active")


if __name__ == "__main__":
    main()
