#!/usr/bin/env python3
"""Whether ptxas takes a text for PTX. It does not optimize: that takes most of its time, and says nothing more.

usage: valid.py PTXAS COMMAND...     of what the command writes
"""
import os
import subprocess
import sys
import tempfile


def assemble(ptxas, text):
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        path = os.path.join(folder, "kernels.ptx")
        with open(path, "wb") as file:
            file.write(text)
        done = subprocess.run([ptxas, "-O0", "-arch=sm_90", "-o", os.path.join(folder, "kernels.cubin"), path],
                              check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(assemble(sys.argv[1], subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, check=True).stdout))
