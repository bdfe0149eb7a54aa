#!/usr/bin/env python3
"""Calls of functions that agents follow pass by them however the caller is bound, and end where they end alone.

usage: test_agent_names.py PREFIX
"""
import os
import subprocess
import sys
import tempfile

import checked

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["MPI_Send", "PMPI_Send", "ucp_worker_progress", "cublasSgemm_v2", "cublasLtMatmul", "ncclAllReduce", "ncclGroupEnd", "cufftExecC2C",
         "cusparseSpMV", "cusolverDnSgetrf", "curandGenerate", "cudnnConvolutionForward", "nvshmem_quiet", "_ZN9nixlAgentD1Ev"]
TOOLED = ["MPI_Send", "cublasSgemm_v2"]
FILES = 10
STUB, FOLLOWED, TOOL, OWN = 2, 1, 10, 30
PLUGINS = ("lazy:./lazy.so", "now:./late.so", "lazy:./now.so", "lazy:./noplt.so", "lazy:found.so")


def build(folder):
    source = os.path.join(HERE, "agent_names.c")

    def compiled(out, *more, names=NAMES):
        listed = "-DNAMES=" + " ".join(f"X({name})" for name in names)
        subprocess.run(["gcc", "-O2", "-fPIC", "-fno-builtin", "-w", listed, source, "-o", out, *more], cwd=folder, check=True)
    with open(os.path.join(folder, "stub.map"), "w", encoding="utf-8") as versions:
        versions.write("STUB_1 { global: *; };\n")
    linked = ("-ldl", "-L.", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN")
    stub, plain = (*linked, "-lstub"), (*linked, "-lplain")
    compiled("libplain.so", "-shared", "-DSTUB", "-ldl")
    compiled("libstub.so", "-shared", "-DSTUB", "-ldl", "-Wl,--version-script=stub.map")
    compiled("tool.so", "-shared", "-DTOOL", "-ldl", names=TOOLED)
    for out in ("lazy.so", "late.so", "found.so", *(f"{i}.so" for i in range(FILES))):
        compiled(out, "-shared", "-DPLUGIN", *stub, "-Wl,-z,lazy")
    compiled("now.so", "-shared", "-DPLUGIN", *stub, "-Wl,-z,now,-z,relro")
    compiled("noplt.so", "-shared", "-DPLUGIN", "-fno-plt", *stub)
    compiled("program_lazy", "-rdynamic", *stub, "-Wl,-z,lazy")
    compiled("program_now", "-rdynamic", *stub, "-Wl,-z,now,-z,relro")
    compiled("program_noplt", "-rdynamic", "-fno-plt", *stub)
    compiled("program_fixed", "-rdynamic", "-no-pie", "-fno-pic", *stub)
    compiled("program_plain", "-rdynamic", *plain)
    compiled("program_own", "-rdynamic", "-DOWN", *stub)


def run(folder, command, preload, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMCHECK")}
    environment.update(more, LD_PRELOAD=":".join(preload), LD_LIBRARY_PATH=folder)
    done = subprocess.run([os.path.join(folder, command[0]), *command[1:]], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, (command, preload, done.returncode, done.stdout, done.stderr)
    if len(command) == 2 and command[1].isdigit():
        return done.stdout
    return [(who, name, [int(x) for x in answers]) for who, name, *answers in map(str.split, done.stdout.splitlines())]


def expect(lines, expected):
    """`expected` says what a line's four answers are."""
    wrong = [(who, name, answers, expected(who, name)) for who, name, answers in lines if answers != expected(who, name)]
    assert lines and not wrong, "\n".join(map(str, wrong))


def is_cuda(name):
    return not name.startswith(("MPI", "PMPI", "ucp", "_Z"))


# What the loader says of a library of NVIDIA's by another file name is given as it is.
def followed(_, name):
    return [FOLLOWED, FOLLOWED, STUB if is_cuda(name) else FOLLOWED, FOLLOWED]


def in_plugin(who, name):
    return followed(who, name) if who == "program" else followed(who, name)[:3] + [STUB]


# Such a library binds to its own libc first, dlsym included.
def deep(who, name):
    return followed(who, name) if who == "program" else [STUB] * 4


def own(who, name):
    """The program's function is everybody's; its own look-up of the next one is the library's, by its wrapper."""
    return [OWN, OWN, OWN, FOLLOWED] if who == "program" else [OWN, OWN, OWN, STUB]


def tool_first(who, name):
    """The tool's is called, which calls the wrapper."""
    if name not in TOOLED:
        return in_plugin(who, name)
    return [TOOL + FOLLOWED] * 4 if who == "program" else [TOOL + FOLLOWED] * 3 + [STUB]


def tool_last(who, name):
    """The wrapper calls the tool's."""
    behind = 2 * TOOL + STUB
    if name not in TOOLED:
        return in_plugin(who, name)
    return [behind, behind, TOOL + STUB if is_cuda(name) else behind, behind if who == "program" else STUB]


def main():
    library = checked.library(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        tool = os.path.join(folder, "tool.so")
        alone = [STUB] * 4
        for program in ("lazy", "now", "noplt", "fixed", "plain"):
            way = (f"program_{program}", *PLUGINS)
            expect(run(folder, way, []), lambda *_: alone)
            for more in ({}, {"LD_BIND_NOW": "1"}):
                expect(run(folder, way, [library], **more), in_plugin)
        expect(run(folder, ("program_lazy", "deep:./lazy.so"), [library]), deep)
        for _ in range(3):
            missed = run(folder, ("program_lazy", str(FILES)), [library])
            assert missed == "missed 0\n", missed
        expect(run(folder, ("program_own", *PLUGINS), [library]), own)
        expect(run(folder, ("program_lazy", *PLUGINS), [tool, library]), tool_first)
        expect(run(folder, ("program_lazy", *PLUGINS), [library, tool]), tool_last)


if __name__ == "__main__":
    main()
