#!/usr/bin/env python3
"""What random kernels compute on the simulated device, against what they computed on a GPU (table.txt).

usage: test_random.py RUN_RANDOM FOLDER-OF-THE-SIMULATED-DRIVER
       test_random.py --valid PTXAS     that some of them are PTX
"""
import os
import sys

import random_kernel
import random_run
import valid

SHOWN = 20
# Not yet as on a GPU (docs/next-steps.md, "Kernels on the simulated device").
KNOWN = {}
ASSEMBLED = 60


def assemble(ptxas):
    text = random_kernel.HEAD + "".join(kernel.ptx() for kernel in random_run.make(range(ASSEMBLED)))
    return valid.assemble(ptxas, text.encode("ascii"))


def main():
    if sys.argv[1] == "--valid":
        return assemble(sys.argv[2])
    if not os.path.exists(random_run.TABLE):
        print("tests/executor/random/table.txt is missing: no GPU has made it")
        return 77
    results, messages = random_run.run_seeds(sys.argv[1], range(random_run.SEEDS), sys.argv[2],
                                             random_run.LAUNCHES)
    for message in messages:
        print(message)
    table, wrong, known = random_run.read_table(), 0, 0
    for line in random_run.rows(results):
        seed = int(line.split()[0])
        if line == table.get(seed):
            continue
        other = line.split()[1] != table.get(seed, "- -").split()[1]
        if seed in KNOWN and not other:
            known += 1
            continue
        wrong += 1
        if wrong <= SHOWN:
            print(f"kernel {seed} " + ("is not the table's: tests/gpu/run makes a new one on a GPU" if other
                                       else "computes something else than on a GPU"))
    print(f"{random_run.SEEDS} kernels, {wrong} wrong, {known} known to be: {KNOWN}")
    return 1 if wrong or messages else 0


if __name__ == "__main__":
    sys.exit(main())
