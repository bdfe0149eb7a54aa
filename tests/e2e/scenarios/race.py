"""A race in Python: usage: race.py PyDLL|CDLL (with the interpreter's lock held, or released)."""
import ctypes
import gc
import sys

SIZE, TO_DEVICE, TO_HOST, NON_BLOCKING = 1 << 20, 1, 2, 1
cudart = getattr(ctypes, sys.argv[1])("libcudart.so.13")


class Buffer:
    def __init__(self):
        self.device, self.host, self.stream = (ctypes.c_void_p() for _ in range(3))
        self.bytes = ctypes.c_size_t(SIZE)
        cudart.cudaMalloc(ctypes.byref(self.device), self.bytes)
        cudart.cudaMallocHost(ctypes.byref(self.host), self.bytes)
        cudart.cudaStreamCreateWithFlags(ctypes.byref(self.stream), NON_BLOCKING)

    def fetch(self):
        cudart.cudaMemcpyAsync(self.host, self.device, self.bytes, TO_HOST, self.stream)

    def upload(self):
        cudart.cudaMemcpyAsync(self.device, self.host, self.bytes, TO_DEVICE, None)


def with_error_under_way(buffer):
    try:
        raise KeyError("kept")
    except KeyError as error:
        buffer.fetch()
        return error.args


def main():
    buffer = Buffer()
    buffer.fetch()
    buffer.upload()
    cudart.cudaDeviceSynchronize()
    print(gc.isenabled(), *with_error_under_way(buffer))
    cudart.cudaDeviceSynchronize()


main()
