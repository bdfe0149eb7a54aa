#!/usr/bin/env python3
"""UCX's libucm writes jumps into the driver's functions: it is given those, and any other library ours. Its caches depend on it, and so does
the speed of a CUDA-aware MPI.

usage: test_look_ups.py PREFIX PROGRAM LIBUCM OTHER
"""
import os
import sys
import tempfile

import checked


def main():
    prefix, program, libucm, other = sys.argv[1:5]
    command = [os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--html=no", "--", program, libucm, other]
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = checked.run(command, checked.environment(prefix, "sim"), cwd=folder)
    if (code, out.split()) != (0, ["libcuda.so.1", "libstreamcheck.so"]):
        print(f"exit code {code}: {out}{err}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
