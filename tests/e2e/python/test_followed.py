#!/usr/bin/env python3
"""What --allocators=followed finds where memory goes back to CuPy's or PyTorch's pool too early, and where it does not.

usage: test_followed.py PREFIX LIBC10_CUDA
CuPy is a stand-in with CuPy's hooks, the library one with PyTorch's probes, on the simulated device.
"""
import json
import os
import subprocess
import sys
import tempfile

import checked

CUPY = """
import ctypes, threading
cudart = ctypes.CDLL("libcudart.so.13")
local = threading.local()

class memory_hook:
    class MemoryHook:
        def __enter__(self):
            hooks = local.__dict__.setdefault("hooks", {})
            if self.name in hooks:
                raise KeyError(self.name)
            hooks[self.name] = self
            return self
        def __exit__(self, *_):
            del local.hooks[self.name]
        def malloc_postprocess(self, **call): pass
        def free_preprocess(self, **call): pass

def tell(name, **call):
    for hook in local.__dict__.get("hooks", {}).values():
        getattr(hook, name)(**call)

class Stream:
    def __init__(self):
        stream = ctypes.c_void_p()
        cudart.cudaStreamCreateWithFlags(ctypes.byref(stream), 1)
        self.ptr = stream.value
    def wait(self, other):
        event = ctypes.c_void_p()
        cudart.cudaEventCreateWithFlags(ctypes.byref(event), 2)
        cudart.cudaEventRecord(event, ctypes.c_void_p(other.ptr))
        cudart.cudaStreamWaitEvent(ctypes.c_void_p(self.ptr), event, 0)

class cuda:
    memory_hook = memory_hook
    current = None
    @classmethod
    def get_current_stream(cls):
        return cls.current

block = ctypes.c_void_p()
cudart.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(1 << 16))

class Array:
    def __init__(self, offset, size):
        self.ptr, self.size = block.value + offset, size
        tell("malloc_postprocess", device_id=0, size=size, mem_size=size, mem_ptr=self.ptr, pmem_id=id(self))
    def fill(self, stream):
        cudart.cudaMemsetAsync(ctypes.c_void_p(self.ptr), 0, ctypes.c_size_t(self.size), ctypes.c_void_p(stream.ptr))
    def __del__(self):
        tell("free_preprocess", device_id=0, mem_size=self.size, mem_ptr=self.ptr, pmem_id=id(self))
"""
PROGRAM = """
import sys, threading
import cupy

def work(fixed):
    own, side = cupy.Stream(), cupy.Stream()
    cupy.cuda.current = own
    part, other = cupy.Array(4096, 4096), cupy.Array(8192, 4096)
    part.fill(side)
    if fixed:
        own.wait(side)
    del part  # released
    other.fill(own)
    del other
    cupy.cudart.cudaDeviceSynchronize()

if sys.argv[2] == "thread":
    thread = threading.Thread(target=work, args=(sys.argv[1] == "fixed",))
    thread.start()
    thread.join()
else:
    work(sys.argv[1] == "fixed")
"""
TORCH = """
import ctypes, os, sys
cudart, library = ctypes.CDLL("libcudart.so.13"), ctypes.PyDLL(sys.argv[1])
way = sys.argv[2]
library.pool_allocate.restype = ctypes.c_void_p
library.pool_allocate.argtypes = ctypes.c_size_t, ctypes.c_int
library.pool_free.argtypes = ctypes.c_void_p,
library.pool_record_stream.argtypes = ctypes.c_void_p, ctypes.c_int
block, own, side = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
cudart.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(1 << 16))
cudart.cudaStreamCreateWithFlags(ctypes.byref(own), 1)
cudart.cudaStreamCreateWithFlags(ctypes.byref(side), 1)
library.pool_begin(block)
library.pool_add_stream(1, own)
library.pool_add_stream(2, side)

def fill(part, size, stream):
    cudart.cudaMemsetAsync(ctypes.c_void_p(part), 0, ctypes.c_size_t(size), stream)

def work():
    part, other = library.pool_allocate(4096, 1), library.pool_allocate(8192, 2)
    fill(part, 4096, side)
    fill(other, 8192, side)
    if way == "recorded":
        print(library.pool_record_stream(part, 2))
    library.pool_free(part)  # released
    library.pool_free(other)

if way == "fork" and os.fork():
    print(os.waitstatus_to_exitcode(os.wait()[1]))
elif way == "fork":
    for _ in range(1000):
        library.pool_free(library.pool_allocate(0, 0))
    os._exit(7)
work()
cudart.cudaDeviceSynchronize()
print("done")
"""
RELEASED = PROGRAM.splitlines().index("    del part  # released") + 1
TORCH_RELEASED = TORCH.splitlines().index("    library.pool_free(part)  # released") + 1


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def run(prefix, folder, option, *arguments):
    """The findings, standard error, and standard output."""
    report = os.path.join(folder, "report.json")
    env = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", f"--report=json:{report}",
               *option, "--", sys.executable, os.path.join(folder, "program.py"), *arguments]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["findings"], done.stderr, done.stdout


def places(folder, finding):
    """(mode, line of the program) of each side."""
    path = os.path.join(folder, "program.py")
    return [(access["mode"], next((f["line"] for f in access["frames"] if f.get("file") == path), None))
            for access in finding["accesses"]]


def complaints(prefix, folder):
    write(folder, "cupy.py", CUPY)
    write(folder, "program.py", PROGRAM)
    for where in ("main", "thread"):
        for option, variant, expected in (([], "buggy", []), (["--allocators=followed"], "buggy", ["SC-153"]),
                                          (["--allocators=followed"], "fixed", [])):
            findings, err, _ = run(prefix, folder, option, variant, where)
            found = [f for f in findings if f["severity"] != "advice"]
            if [f["rule"] for f in found] != expected:
                yield f"{where} {variant} {option}: {[f['rule'] for f in found]} {err}"
            elif found and (found[0]["confidence"], places(folder, found[0])[1]) != ("proven", ("free", RELEASED)):
                yield f"{where} {variant}: {found[0]['confidence']} {places(folder, found[0])} {err}"
    write(folder, "cupy.py", CUPY.replace("    memory_hook = memory_hook\n", ""))
    _, err, _ = run(prefix, folder, ["--allocators=followed"], "fixed", "main")
    if "what CuPy's pool hands out is not known" not in err:
        yield f"a CuPy without hooks is not said: {err}"


def torch_complaints(prefix, folder, library):
    write(folder, "program.py", TORCH)
    followed = ["--allocators=followed"]
    for option, way, expected, printed in (([], "plain", [], "done"), (followed, "plain", ["SC-153"], "done"),
                                           (followed, "recorded", [], "1 done"), (followed, "fork", ["SC-153"], "7 done")):
        findings, err, out = run(prefix, folder, option, library, way)
        found = [f for f in findings if f["severity"] != "advice"]
        if [f["rule"] for f in found] != expected or out.split() != printed.split():
            yield f"PyTorch {way} {option}: {[f['rule'] for f in found]} {out} {err}"
        elif found and (found[0]["confidence"], places(folder, found[0])[1]) != ("proven", ("free", TORCH_RELEASED)):
            yield f"PyTorch {way}: {found[0]['confidence']} {places(folder, found[0])} {err}"
        elif "PyTorch's pool" in err:  # missing
            yield f"PyTorch {way}: {err}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        wrong = [*complaints(sys.argv[1], folder), *torch_complaints(sys.argv[1], folder, sys.argv[2])]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
