"""A race in Python, in many ways: usage: lines.py WAY [LIBRARY]. Each marked line is an end of the race.

The runtime is called through ctypes.CDLL, which releases the interpreter's lock for each call.
"""
import asyncio
import ctypes
import gc
import importlib
import os
import sys
import tempfile
import threading

SIZE, TO_DEVICE, TO_HOST, NON_BLOCKING = 1 << 16, 1, 2, 1
M_TRIM_THRESHOLD = -1
cudart = ctypes.CDLL("libcudart.so.13")
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p


class Buffer:
    def __init__(self, pageable=False):
        self.device, self.host, self.stream = (ctypes.c_void_p() for _ in range(3))
        self.bytes = ctypes.c_size_t(SIZE)
        cudart.cudaMalloc(ctypes.byref(self.device), self.bytes)
        if pageable:
            self.host.value = libc.malloc(self.bytes)
            cudart.cudaHostRegister(self.host, self.bytes, 0)
        else:
            cudart.cudaMallocHost(ctypes.byref(self.host), self.bytes)
        cudart.cudaStreamCreateWithFlags(ctypes.byref(self.stream), NON_BLOCKING)
        self.fetch_arguments = (self.host, self.device, self.bytes, TO_HOST, self.stream)
        self.upload_arguments = (self.device, self.host, self.bytes, TO_DEVICE, None)


def calls(buffer):
    cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # calls 1
    cudart.cudaMemcpyAsync(*buffer.upload_arguments)  # calls 2


def in_threads(buffer):
    def fetch():
        cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # in_threads 1

    def upload():
        return cudart.cudaMemcpyAsync(*buffer.upload_arguments)  # in_threads 2

    for work in (fetch, upload):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def in_generators(buffer):
    def generate():
        yield 1
        yield cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # in_generators 1

    async def upload():
        await asyncio.sleep(0)
        cudart.cudaMemcpyAsync(*buffer.upload_arguments)  # in_generators 2

    list(generate())
    asyncio.run(upload())


def in_handlers(buffer):
    class Late:
        def __del__(self):
            cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # in_handlers 1

    late = Late()
    try:
        del late
        raise KeyError("kept")
    except KeyError as error:
        try:
            pass
        finally:
            cudart.cudaMemcpyAsync(*buffer.upload_arguments)  # in_handlers 2
        assert error.args == ("kept",)


def recurse(depth, arguments):
    if depth:
        return recurse(depth - 1,
                       arguments)
    return cudart.cudaMemcpyAsync(
        *arguments)


def deep(buffer):
    recurse(5, buffer.fetch_arguments)  # deep 1
    recurse(100, buffer.upload_arguments)


def called_back(buffer):
    def fetch(number):
        if number == 2:
            cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # called_back 1
        return number

    sorted([3, 2, 1], key=fetch)
    ctypes.CFUNCTYPE(None)(
        lambda: cudart.cudaMemcpyAsync(*buffer.upload_arguments))()  # called_back 2


def traced(buffer):
    def trace(*_):
        return trace

    sys.settrace(trace)
    sys.setprofile(lambda *_: None)
    cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # traced 1
    cudart.cudaMemcpyAsync(*buffer.upload_arguments)  # traced 2
    sys.setprofile(None)
    sys.settrace(None)


def reloaded(buffer):
    """A code object may come to lie where another one was that looks just like it."""
    text = "def call(function, arguments):\n    function(*arguments)\n"
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        path = os.path.join(folder, "module_under_test.py")
        for empty_lines, arguments in ((0, buffer.fetch_arguments), (1, buffer.upload_arguments)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(":\n", ":\n" + "\n" * empty_lines))
            importlib.invalidate_caches()
            gc.collect()
            module = sys.modules.get("module_under_test")
            module = importlib.reload(module) if module else importlib.import_module("module_under_test")
            module.call(cudart.cudaMemcpyAsync, arguments)


def generated(buffer):
    """Code that differs in its file's name alone."""
    for name, arguments in (("generated-1.py", buffer.fetch_arguments),
                            ("generated-2.py", buffer.upload_arguments)):
        code = compile("cudart.cudaMemcpyAsync(*arguments)", name, "exec")
        exec(code, {"cudart": cudart, "arguments": arguments})
        del code
        gc.collect()


def named(buffer):
    """Names of one, two and four bytes a character."""
    scope = {"cudart": cudart}
    text = "def {0}(arguments):\n    cudart.cudaMemcpyAsync(*arguments)\n"
    for name, file in (("größe", "straße.py"), ("\u5927\u304d\u3055", "\u9053-\U0001f40d.py")):
        exec(compile(text.format(name), file, "exec"), scope)
        arguments = buffer.fetch_arguments if name == "größe" else buffer.upload_arguments
        scope[name](arguments)


def host_read(buffer):
    memory = (ctypes.c_char * SIZE).from_address(buffer.host.value)
    cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # host_read 1
    return memory[100]  # host_read 2


def host_write(buffer):
    memory = memoryview((ctypes.c_char * SIZE).from_address(buffer.host.value)).cast("B")
    arguments = (*buffer.upload_arguments[:4], buffer.stream)
    cudart.cudaMemcpyAsync(*arguments)  # host_write 1
    memory[100:200] = bytes(100)  # host_write 2


def host_function(buffer):
    cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # host_function 1
    libc.memset(buffer.host, 0, buffer.bytes)  # host_function 2


def parallel(buffer):
    region = ctypes.CDLL(sys.argv[2])
    cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # parallel 1
    region.read_in_region(buffer.host, buffer.bytes)  # parallel 2


def nested(buffer):
    region = ctypes.CDLL(sys.argv[2])
    cudart.cudaMemcpyAsync(*buffer.fetch_arguments)  # nested 1
    region.read_in_two(buffer.host, buffer.bytes)  # nested 2


def freed(buffer):
    """The device only reads what is freed, and libc keeps it mapped: the race is there, and harms nothing."""
    libc.mallopt(M_TRIM_THRESHOLD, -1)
    arguments = (*buffer.upload_arguments[:4], buffer.stream)
    cudart.cudaMemcpyAsync(*arguments)  # freed 1
    libc.free(buffer.host)  # freed 2
    buffer.host.value = None


def several_interpreters(buffer):
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    other = importlib.import_module(name).create()
    calls(buffer)
    del other


def main():
    way = sys.argv[1]
    buffer = Buffer(pageable=way == "freed")
    globals()[way](buffer)
    cudart.cudaDeviceSynchronize()
    print("done")


main()
