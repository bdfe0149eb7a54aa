#!/usr/bin/env python3
"""Makes a folder that compilers take for a system with an older glibc: usage: sysroot.py ZIG VERSION FOLDER

ZIG is the compiler driver of Zig (PyPI's ziglang), which knows the symbols of every glibc: it makes a library of stubs for each
of glibc's, with the symbols of VERSION (2.28) and no code, and compiles that version's start files. They are copied from where
it puts them, and its headers, which follow `__GLIBC_MINOR__`. FOLDER/bin/cc is gcc with these headers, start files and
libraries; a symbol that is newer than VERSION cannot be linked.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Each folder's files go before those of the next.
HEADERS = ("x86-linux-gnu", "generic-glibc", "x86-linux-any", "any-linux-any")
START_FILES = {"-no-pie": "crt1.o", "-pie": "Scrt1.o"}
LOADER = "ld-linux-x86-64.so.2"
STUBS = re.compile(r"lib(c|m|pthread|dl|rt|util|resolv)\.so\.\d+")
# gcc asks for them; the start files and gcc's own have all that is needed.
EMPTY = ("crti.o", "crtn.o")
NO_CODE = b'.section .note.GNU-stack, "", @progbits\n'


def link_line(zig, version, kind, folder):
    """The files that Zig gives the linker for a program, as it prints them."""
    source = os.path.join(folder, "main.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    cache = {"ZIG_GLOBAL_CACHE_DIR": os.path.join(folder, "cache"), "ZIG_LOCAL_CACHE_DIR": os.path.join(folder, "cache")}
    done = subprocess.run([zig, "cc", "-target", f"x86_64-linux-gnu.{version}", "-O2", "-fno-sanitize=undefined", kind, "-v",
                           source, "-o", os.path.join(folder, "main")], cwd=folder, env={**os.environ, **cache},
                          capture_output=True, text=True, check=False)
    lines = [line.split() for line in done.stderr.splitlines() if "--dynamic-linker" in line]
    if done.returncode or len(lines) != 1:
        sys.exit(f"sysroot.py: {zig} printed no command for the linker:\n{done.stderr[-2000:]}")
    return [os.path.join(folder, word) for word in lines[0] if not word.startswith("-")]


def copy_libraries(zig, version, lib, folder):
    for kind, start_file in START_FILES.items():
        files = {os.path.basename(path): path for path in link_line(zig, version, kind, folder)}
        shutil.copy(files[start_file], lib)
    shutil.copy(files["libc_nonshared.a"], lib)
    shutil.copy(files["libld.so.2"], os.path.join(lib, LOADER))
    for name in filter(STUBS.fullmatch, files):
        shutil.copy(files[name], lib)
        if not name.startswith("libc."):
            os.symlink(name, os.path.join(lib, name.partition(".so")[0] + ".so"))
    with open(os.path.join(lib, "libc.so"), "w", encoding="utf-8") as file:
        file.write(f"GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( {LOADER} ) )\n")
    for name in EMPTY:
        subprocess.run(["gcc", "-x", "assembler", "-c", "-", "-o", os.path.join(lib, name)], input=NO_CODE, check=True)


def copy_headers(zig, version, include):
    for folder in reversed(HEADERS):
        shutil.copytree(os.path.join(os.path.dirname(zig), "lib/libc/include", folder), include, dirs_exist_ok=True)
    path = os.path.join(include, "features.h")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "define\t__GLIBC_MINOR__" in text or "define __GLIBC_MINOR__" in text:
        sys.exit(f"sysroot.py: {path} has a version of its own")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#ifndef __GLIBC_MINOR__\n#define __GLIBC_MINOR__ {version.split('.')[1]}\n#endif\n{text}")


def write_compiler(root):
    """gcc looks for the machine's own start files and libraries before those of --sysroot, if it is not told to by -B and -L."""
    lib, path = os.path.join(root, "usr/lib"), os.path.join(root, "bin/cc")
    os.makedirs(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec gcc --sysroot='{root}' -B'{lib}' -L'{lib}' -Wl,-rpath-link='{lib}' \"$@\"\n")
    os.chmod(path, 0o755)


def main():
    zig, version, root = sys.argv[1:]
    zig, root = os.path.realpath(zig), os.path.abspath(root)
    shutil.rmtree(root, ignore_errors=True)
    lib = os.path.join(root, "usr/lib")
    os.makedirs(lib)
    os.symlink("usr/lib", os.path.join(root, "lib"))
    with tempfile.TemporaryDirectory() as folder:
        copy_libraries(zig, version, lib, folder)
    copy_headers(zig, version, os.path.join(root, "usr/include"))
    write_compiler(root)


if __name__ == "__main__":
    main()
