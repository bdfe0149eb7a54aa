"""Running random kernels on a device, and comparing two devices.

usage: random_run.py show SEED [STATEMENT...]       the kernel without these statements, as PTX
       random_run.py compare PROGRAM DRIVER DRIVER SEED SALT [STATEMENT...]
                      what it computes on both devices, value by value; DRIVER is the folder of libcuda.so.1,
                      "" the machine's own; SALT is the number of the launch, from 1
       random_run.py shrink PROGRAM DRIVER DRIVER SEED SALT
                      the same without the statements without which both devices still differ
"""
import concurrent.futures
import os
import struct
import subprocess
import sys
import tempfile

import pools
import random_kernel

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "table.txt")
SEEDS = 400  # of the table
LAUNCHES = 25  # of each kernel in the table
CHUNK = 50  # kernels of a module
# A statement whose guard, a predicate of match.all that is true, ptxas (13.0, and the driver 580) drops: the kernel runs
# on both devices without the guard.
DROPPED = {"random355": "@!%p72 xor.b32 %r192"}


def environment(driver):
    if not driver:
        return dict(os.environ)
    return dict(os.environ, LD_LIBRARY_PATH=driver, STREAMCHECK_SIM_KERNELS="run")


def text_of(kernel):
    guarded = DROPPED.get(kernel.name.partition("_")[0], "")
    return kernel.ptx().replace(guarded, guarded.partition(" ")[2]) if guarded else kernel.ptx()


def run(program, made, driver, launches, dump=False, salt=1):
    """The bytes of all launches of each of these kernels: (a list, the program's messages)."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        paths = [os.path.join(folder, name) for name in ("kernels.ptx", "list.txt", "operands.bin", "results.bin")]
        sizes = [kernel.result_bytes(dump) for kernel in made]
        with open(paths[0], "w", encoding="ascii") as file:
            file.write(random_kernel.HEAD + "".join(text_of(kernel) for kernel in made))
        with open(paths[1], "w", encoding="ascii") as file:
            for kernel, size in zip(made, sizes):
                numbers = (*kernel.grid, *kernel.block, size, salt, launches)
                file.write(f"{kernel.name} {' '.join(map(str, numbers))}\n")
        with open(paths[2], "wb") as file:
            file.write(pools.image())
        done = subprocess.run([program, *paths], env=environment(driver), capture_output=True, text=True,
                              check=False)
        with open(paths[3], "rb") as file:
            results = [file.read(size * launches) for size in sizes]
    message = done.stderr.strip()
    if done.returncode:
        message = f"{message}\n(exit code {done.returncode})"
        results = [result if len(result) == size * launches else b"" for result, size in zip(results, sizes)]
    return results, message


def make(seeds):
    return [random_kernel.Kernel(seed) for seed in seeds]


def run_seeds(program, seeds, driver, launches):
    """In modules of some kernels each, as many at a time as there are processors: ({seed: hashes}, messages)."""
    seeds = list(seeds)
    chunks = [seeds[i:i + CHUNK] for i in range(0, len(seeds), CHUNK)]
    out, messages = {}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda chunk: run(program, make(chunk), driver, launches), chunks)
        for chunk, (results, message) in zip(chunks, done):
            for seed, data in zip(chunk, results):
                out[seed] = struct.unpack(f"<{len(data) // 8}Q", data)
            if message:
                messages.append(message)
    return out, messages


def combined(hashes):
    """One number for some launches of a kernel."""
    out = 0
    for value in hashes:
        out = (out * 0x9E3779B97F4A7C15 + value) & 0xFFFFFFFFFFFFFFFF
    return out


def rows(results):
    """The lines of the table: seed, checksum of the kernel, what its launches computed."""
    return [f"{seed} {random_kernel.Kernel(seed).checksum():08x} {combined(hashes[:LAUNCHES]):016x}\n"
            for seed, hashes in sorted(results.items()) if seed < SEEDS]


def write_table(path, results):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(rows(results))


def read_table():
    with open(TABLE, encoding="ascii") as file:
        return {int(line.split()[0]): line for line in file}


def values_of(kernel, data):
    """For each register of the result its values, thread by thread."""
    names = kernel.all_values()
    words = struct.unpack(f"<{len(data) // 8}Q", data)
    return {name: words[i::len(names)] for i, name in enumerate(names)}


def differences(program, drivers, made, salt):
    """For each of these kernels, with `dump`: the values that differ between two devices, in words."""
    one, other = (run(program, made, driver, 1, dump=True, salt=salt) for driver in drivers)
    out = []
    for kernel, mine, theirs in zip(made, one[0], other[0]):
        out.append(wrong_values(kernel, mine, theirs) if mine and theirs else f"{one[1]}{other[1]}")
    return out


def wrong_values(kernel, mine, theirs):
    mine, theirs = values_of(kernel, mine), values_of(kernel, theirs)
    wrong = []
    for name in sorted(mine, key=lambda name: int(name[2:])):
        threads = [i for i, (a, b) in enumerate(zip(mine[name], theirs[name])) if a != b]
        if threads:
            i = threads[0]
            wrong.append(f"{name}: {len(threads)} threads, thread {i} {mine[name][i]:#x} and {theirs[name][i]:#x}")
    return "\n".join(wrong)


def shrink(program, drivers, seed, salt):
    """The statements that can go, all at once, while the devices still differ."""
    gone, count = [], random_kernel.Kernel(seed).statement
    while True:
        tries = [[*gone, n] for n in range(1, count + 1) if n not in gone]
        alone = [without[-1] for without in still_differ(program, drivers, (seed, salt), tries)]
        # All of those that can go alone, or a part of them.
        parts = [gone + alone[i:i + size] for size in (len(alone), len(alone) // 2, len(alone) // 4, 1) if size
                 for i in range(0, len(alone), size)]
        fewer = still_differ(program, drivers, (seed, salt), parts)
        if not fewer:
            return sorted(gone)
        gone = max(fewer, key=len)


def still_differ(program, drivers, what, tries):
    seed, salt = what
    made = [random_kernel.Kernel(seed, dump=True, without=without, suffix=f"_{i}")
            for i, without in enumerate(tries)]
    wrong = differences(program, drivers, made, salt) if made else ()
    return [without for without, values in zip(tries, wrong) if values]


def explain(program, drivers, seed, salt):
    """The shortest kernel that differs, and its values that do."""
    without = shrink(program, drivers, seed, salt)
    kernel = random_kernel.Kernel(seed, dump=True, without=without)
    return (f"kernel {seed}, salt {salt}, without statements {' '.join(map(str, without))}:\n" +
            "\n".join(kernel.body) + "\n" + differences(program, drivers, [kernel], salt)[0])


def main():
    if sys.argv[1] == "show":
        without = [int(number) for number in sys.argv[3:]]
        print(random_kernel.HEAD + random_kernel.Kernel(int(sys.argv[2]), without=without).ptx(), end="")
        return 0
    program, drivers, (seed, salt) = sys.argv[2], sys.argv[3:5], map(int, sys.argv[5:7])
    without = [int(number) for number in sys.argv[7:]]
    if sys.argv[1] == "shrink":
        print(explain(program, drivers, seed, salt))
        return 0
    wrong, = differences(program, drivers, [random_kernel.Kernel(seed, dump=True, without=without)], salt)
    print(wrong or "no difference")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
