#!/usr/bin/env python3
"""A program that asks whether a library's function is there gets the answer that it gets alone.

usage: test_weak_names.py PREFIX
"""
import os
import subprocess
import sys
import tempfile

import checked

HERE = os.path.dirname(os.path.abspath(__file__))
# Of each of these beginnings so many names, and some that only new releases of libc have.
FAMILIES = {"cuda": 4, "cuMem": 3, "cuGraph": 2, "cublas": 1, "cusolver": 1, "cudnn": 1, "cufft": 1, "cusparse": 1, "GOMP_": 3, "omp_": 1,
            "curand": 1}
# Functions that agents follow: not exported, so that they must be there only with their library.
FOLLOWED = ["MPI_Send", "MPI_Allreduce", "MPI_Win_fence", "MPI_Waitall", "PMPI_Send", "PMPI_Finalize", "nvshmem_quiet", "nvshmem_malloc",
            "nvshmem_float_p", "nvshmemx_putmem_on_stream", "cublasSgemm_v2", "cublasLtMatmul", "cusolverDnSgetrf",
            "cudnnConvolutionForward", "ncclAllReduce", "ncclGroupEnd", "ucp_tag_send_nbx", "ucp_worker_progress", "cufftExecC2C",
            "cusparseSpMV", "curandGenerate", "_ZN9nixlAgentD1Ev"]


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    return sorted({line.split()[-1].split("@")[0] for line in lines.splitlines()})


def chosen(library):
    """Names from all over each family."""
    names = exported(library)
    for start, count in FAMILIES.items():
        family = [name for name in names if name.startswith(start)]
        assert len(family) >= count, start
        yield from (family[i * len(family) // count] for i in range(count))
    assert not set(FOLLOWED) & set(names)
    yield from FOLLOWED


def build(folder, names):
    listed = "-DNAMES=" + " ".join(f"X({name})" for name in names)
    source = os.path.join(HERE, "weak_names.c")
    with open(os.path.join(folder, "stub.c"), "w", encoding="utf-8") as stub:
        stub.writelines(f"int {name}(void) {{ return 7; }}\n" for name in names)
    with open(os.path.join(folder, "stub.map"), "w", encoding="utf-8") as versions:
        versions.write("STUB_1 { global: *; };\n")
    common = ["gcc", "-O2", "-fPIC", "-fno-builtin", "-w"]
    for command in (
            [*common, "-shared", "-o", "libstub.so", "stub.c", "-Wl,--version-script=stub.map"],
            [*common, "-shared", "-o", "libplain.so", "stub.c"],
            [*common, "-shared", listed, "-DPLUGIN", "-o", "plugin.so", source, "-ldl"],
            [*common, "-shared", listed, "-DPLUGIN", "-o", "linked.so", source, "-ldl", "-L.", "-lstub", "-Wl,-rpath,$ORIGIN"],
            [*common, listed, "-o", "without", source, "-ldl"],
            [*common, listed, "-no-pie", "-o", "fixed", source, "-ldl"],
            [*common, listed, "-Wl,-z,now,-z,relro", "-o", "closed", source, "-ldl"],
            [*common, listed, "-o", "with", source, "-ldl", "-L.", "-Wl,--no-as-needed", "-lstub", "-Wl,-rpath,$ORIGIN"],
            [*common, listed, "-o", "with_plain", source, "-ldl", "-L.", "-Wl,--no-as-needed", "-lplain", "-Wl,-rpath,$ORIGIN"]):
        subprocess.run(command, cwd=folder, check=True)


def run(folder, command, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMCHECK")}
    done = subprocess.run([os.path.join(folder, command[0])] + [os.path.join(folder, file) for file in command[1:]],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, env=dict(environment, **more))
    assert done.returncode == 0, (command, done.returncode, done.stderr)
    assert not done.stderr, (command, done.stderr)
    return done.stdout.splitlines()


def main():
    library = checked.library(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        names = list(chosen(library))
        build(folder, names)
        ways = [(program, *files)
                for program in ("without", "fixed", "closed", "with", "with_plain")
                for files in (("plugin.so",), ("linked.so",), ("libstub.so", "plugin.so"), ("libplain.so", "plugin.so"))]
        for way in ways:
            alone, ours = run(folder, way), run(folder, way, LD_PRELOAD=library)
            assert len(alone) == 2 * len(names), way
            differ = [f"{a}   with us: {b.split(None, 2)[2]}" for a, b in zip(alone, ours) if a != b]
            assert not differ, (way, len(differ), "\n".join([""] + differ[:20]))
        # The comparison is one of answers that differ.
        assert all(line.endswith("00 00001") for line in run(folder, ways[0]))
        assert all(line.split()[2] == "11" for line in run(folder, ("with", "plugin.so")))
    print(f"{len(names)} names, {len(ways)} ways")


if __name__ == "__main__":
    main()
