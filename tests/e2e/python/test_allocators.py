#!/usr/bin/env python3
"""What --allocators=visible does to a program: the variables of frameworks, and CuPy's allocator.

usage: test_allocators.py PREFIX
CuPy is a stand-in. A sitecustomize of the user's runs as it would without streamcheck.
"""
import json
import os
import subprocess
import sys
import tempfile

import checked

CUPY = """
class cuda:
    allocator = "own"
    class MemoryAsyncPool:
        malloc = "asynchronous"
    @classmethod
    def set_allocator(cls, allocator):
        cls.allocator = allocator
"""
BROKEN = CUPY.replace("MemoryAsyncPool", "NoSuchPool")
USERS = "import os\nos.environ['USERS'] = __name__ + __file__\n"
PROGRAM = """
import json, os, sys
import cupy
names = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "XLA_PYTHON_CLIENT_ALLOCATOR", "TF_GPU_ALLOCATOR", "USERS")
print(json.dumps({"cupy": cupy.cuda.allocator, "loader": type(cupy.__loader__).__name__,
                  **{name: os.environ.get(name) for name in names}}))
"""
VISIBLE = {"cupy": "asynchronous", "PYTORCH_ALLOC_CONF": "backend:cudaMallocAsync",
           "PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync", "XLA_PYTHON_CLIENT_ALLOCATOR": "cuda_async",
           "TF_GPU_ALLOCATOR": "cuda_malloc_async"}


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def run(prefix, folder, option, cupy, **variables):
    """What the program prints, and standard error."""
    write(folder, "cupy.py", cupy)
    write(folder, "sitecustomize.py", USERS)
    write(folder, "program.py", PROGRAM)
    env = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", *option, "--", sys.executable,
               os.path.join(folder, "program.py")]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
    return json.loads(done.stdout), done.stderr


def complaints(prefix, folder):
    usual = {"loader": "SourceFileLoader", "USERS": f"sitecustomize{folder}/sitecustomize.py"}
    own, err = run(prefix, folder, [], CUPY)
    if own != {**usual, "cupy": "own", **{name: None for name in VISIBLE if name != "cupy"}}:
        yield f"without the option: {own} {err}"
    shown, err = run(prefix, folder, ["--allocators=visible"], CUPY)
    if shown != {**usual, **VISIBLE}:
        yield f"with the option: {shown} {err}"
    if "option allocators" in err:
        yield f"said without need: {err}"
    shown, err = run(prefix, folder, ["--allocators=visible"], BROKEN, TF_GPU_ALLOCATOR="mine")
    if shown != {**usual, **VISIBLE, "cupy": "own"}:
        yield f"with another CuPy: {shown} {err}"
    for sentence in ("TF_GPU_ALLOCATOR is cuda_malloc_async, not mine", "what CuPy's pool hands out is not known"):
        if sentence not in err:
            yield f"not said: {sentence}: {err}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrong = list(complaints(sys.argv[1], os.path.realpath(folder)))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
