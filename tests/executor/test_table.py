#!/usr/bin/env python3
"""What the simulated device computes, instruction by instruction, against a GPU's results in table.txt.xz.

usage: test_table.py RUN_KERNELS FOLDER-OF-THE-SIMULATED-DRIVER
       test_table.py --valid PTXAS     that each variant is an instruction of PTX
"""
import os
import sys
import tempfile

import compare
import kernels
import valid

SHOWN = 60


def assemble(ptxas):
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        kernels.write(folder, list(kernels.read_variants()))
        with open(os.path.join(folder, "kernels.ptx"), "rb") as file:
            return valid.assemble(ptxas, file.read())


def main():
    if sys.argv[1] == "--valid":
        return assemble(sys.argv[2])
    if not os.path.exists(kernels.TABLE):
        print("tests/executor/table.txt.xz is missing: no GPU has made it")
        return 77
    variants = list(kernels.read_variants())
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        results, err = kernels.run(sys.argv[1], folder, variants,
                                   dict(os.environ, LD_LIBRARY_PATH=sys.argv[2]))
    if results is None:
        print(err)
        return 1
    wrong = [(v.text, "runs, but is listed as refused") for v, got in zip(variants, results)
             if v.is_refused and got]
    executed = [(v, got) for v, got in zip(variants, results) if not v.is_refused]
    wrong += compare.differences(*zip(*executed), kernels.read_table())
    for text, what in wrong[:SHOWN]:
        print(f"{text}: {what}")
    print(f"{len(variants)} instructions, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
