"""CUDA by ctypes, for the tests of this project; an option of its own, as projects have them."""
import ctypes
import sys

import pytest

SIZE, TO_DEVICE, TO_HOST, NON_BLOCKING = 1 << 16, 1, 2, 1


def pytest_addoption(parser):
    parser.addoption("--size", type=int, default=0)


class Device:
    """A device buffer, a pinned one, and a stream that does not wait for the default one."""

    def __init__(self, size):
        # Lines of Python: from 3.11 on also of calls that are made without the interpreter's lock.
        self.cudart = (ctypes.CDLL if sys.version_info >= (3, 11) else ctypes.PyDLL)("libcudart.so.13")
        self.size = ctypes.c_size_t(size)
        self.buffer, self.host, self.stream = (ctypes.c_void_p() for _ in range(3))
        self.check(self.cudart.cudaMalloc(ctypes.byref(self.buffer), self.size))
        self.check(self.cudart.cudaMallocHost(ctypes.byref(self.host), self.size))
        self.check(self.cudart.cudaStreamCreateWithFlags(ctypes.byref(self.stream), NON_BLOCKING))

    @staticmethod
    def check(code):
        assert code == 0

    def fetch(self, stream):
        self.check(self.cudart.cudaMemcpyAsync(self.host, self.buffer, self.size, TO_HOST, stream))

    def upload(self, stream):
        self.check(self.cudart.cudaMemcpyAsync(self.buffer, self.host, self.size, TO_DEVICE, stream))

    def wait(self):
        self.check(self.cudart.cudaDeviceSynchronize())


@pytest.fixture
def device(request):
    found = Device(request.config.getoption("--size") or SIZE)
    yield found
    found.wait()
