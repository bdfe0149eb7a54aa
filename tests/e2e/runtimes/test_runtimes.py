#!/usr/bin/env python3
"""Languages whose runtimes live on faults of their own, under the page guard.

usage: test_runtimes.py go|java PREFIX CUDA-INCLUDES CUDA-LIBRARIES   (77: the language is missing)
"""
import os
import shutil
import subprocess
import sys
import tempfile

import checked

HERE = os.path.dirname(os.path.abspath(__file__))


def need(tool):
    path = shutil.which(tool)
    if not path:
        print(f"{tool} is not installed")
        sys.exit(77)
    return os.path.realpath(path)


def build(command, folder, **more):
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **more), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stdout}")


def make_go(folder, includes, libraries):
    need("go")
    for name in ("pinned.go", "pinned.h"):
        shutil.copy(os.path.join(HERE, name), folder)
    with open(os.path.join(folder, "go.mod"), "w", encoding="ascii") as file:
        file.write("module pinned\ngo 1.17\n")
    build(["go", "build", "-o", "program"], folder, CGO_ENABLED="1",
          CGO_CFLAGS=f"-g -I{includes}", CGO_LDFLAGS=f"-L{libraries}", GOFLAGS="",
          GOCACHE=os.path.join(folder, "cache"), GOTOOLCHAIN="local")
    return [os.path.join(folder, "program")]


def make_java(folder, includes, libraries):
    home = os.path.dirname(os.path.dirname(need("javac")))
    library = os.path.join(folder, "libpinned.so")
    build(["javac", "-d", folder, os.path.join(HERE, "Pinned.java")], folder)
    build(["cc", "-g", "-shared", "-fPIC", f"-I{home}/include", f"-I{home}/include/linux",
           f"-I{includes}", os.path.join(HERE, "pinned_java.c"), "-o", library, f"-L{libraries}",
           "-lcudart"], folder)
    return [os.path.join(home, "bin", "java"), "-cp", folder, "Pinned", library]


MAKERS = {"go": make_go, "java": make_java}


def check(prefix, command, schedule, use, options, is_guarded):
    """What is wrong with a run: empty if nothing."""
    arguments = command[1:] + ([use] if use else [])
    result = checked.check(prefix, command[0], "run", "sim", schedule, arguments, options)
    want = {("SC-101", "proven")} if use == "touch" and is_guarded else set()
    found = {(f["rule"], f["confidence"]) for f in result.findings}
    stood_down = [n["text"] for n in result.report["notes"] if "page guard: " in n["text"]] \
        if result.report else ["no report"]
    if result.out == "bad 0\n" and found == want and bool(stood_down) != is_guarded and \
            result.code == (66 if want else 0) and result.report["complete"]:
        return ""
    return f"{schedule}: exit code {result.code}, {result.out!r}, {found}, {stood_down}\n{result.err}"


# What is done to memory in flight, options, and whether the guard stays with them: Go's runtime makes
# system calls of its own.
RUNS = {"go": (("touch", ("guard=always",), True), ("", ("guard=always",), True),
               ("touch", (), False), ("write", (), False)),
        "java": (("touch", (), True), ("", (), True))}


def main():
    language, prefix, includes, libraries = sys.argv[1:5]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-runtime-") as folder:
        command = MAKERS[language](folder, includes, libraries)
        for schedule in ("eager", "lazy"):
            for use, options, is_guarded in RUNS[language]:
                wrong = check(os.path.abspath(prefix), command, schedule, use, options, is_guarded)
                print(wrong or f"{language} {schedule} {use} {' '.join(options)}: ok")
                failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
