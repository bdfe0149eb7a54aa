#!/usr/bin/env python3
"""A scripted agent repairs racy programs by the tools of the server: usage: test_agent.py PREFIX NVCC LIBRARIES NAME...

Each is a program of testcases/, in a workspace of its own. At least nine in ten have to be clean in the end.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import agent
import expectation
import served


def workspace(folder, source):
    """A copy of what the program is built from."""
    root = os.path.join(folder, "work")
    for name in ("testcases", "kernels", "include"):
        os.makedirs(os.path.join(root, name))
    for name in (os.path.dirname(source), "testcases", "kernels", "include"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
        for entry in os.scandir(os.path.join(served.ROOT, name)):
            if entry.is_file() and (entry.name.endswith((".h", ".cuh")) or entry.path.endswith(source)):
                shutil.copy(entry.path, os.path.join(root, name))
    shutil.copytree(os.path.join(served.ROOT, "include"), os.path.join(root, "include"), dirs_exist_ok=True)
    return root


async def repaired(prefix, nvcc, libraries, name):
    source = expectation.source_of(name)
    path = os.path.relpath(source.path, served.ROOT)
    build = [nvcc, "-g", "-O0", "-std=c++17", "-I.", "--cudart", "shared", *(f"-L{f}" for f in libraries.split(":")), path,
             "-o", "app", "-lpthread"]
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        root = workspace(folder, path)

        def rebuild():
            subprocess.run(build, cwd=root, check=True, stdout=subprocess.DEVNULL)
        async with served.session(prefix, root, folder) as tools:
            return await agent.repair(tools, build, ["./app"], rebuild, ["advice=no", *source.options])


def main():
    prefix, nvcc, libraries, *names = sys.argv[1:]
    good = 0
    for name in names:
        is_clean, said = served.run(repaired(prefix, nvcc, libraries, name))
        good += is_clean
        print(f"{name}: {'repaired' if is_clean else 'not repaired'}: {said}", flush=True)
    print(f"{good} of {len(names)} programs repaired")
    return 0 if names and good * 10 >= len(names) * 9 else 1


if __name__ == "__main__":
    sys.exit(main())
