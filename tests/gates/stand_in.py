"""What recipes of package managers are built with where these have no packages: this machine's toolkit, and an npm that brings its D3."""
import os

NPM = """#!/bin/sh
# npm install --no-save --prefix FOLDER d3@…
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules" && cp -rL {d3}/d3* "$2/node_modules/"
"""
# CMake asks nvcc where its toolkit is.
NVCC = """#!/bin/sh
[ "$1" != -v ] || exec {nvcc} "$@" 2>&1 | sed 's|^#\\$ TOP=.*|#$ TOP={toolkit}|' >&2
[ "$1" = -v ] || exec {nvcc} "$@"
"""


def toolkit_of(nvcc, headers, folder):
    """A toolkit in a new folder: that of nvcc, but with the newest headers."""
    os.makedirs(os.path.join(folder, "bin"))
    root = os.path.dirname(os.path.dirname(nvcc))
    for name in sorted(set(os.listdir(root)) - {"bin", "targets"}):
        os.symlink(headers if name == "include" else os.path.join(root, name), os.path.join(folder, name))
    path = os.path.join(folder, "bin", "nvcc")
    with open(path, "w", encoding="utf-8") as file:
        file.write(NVCC.format(nvcc=nvcc, toolkit=folder))
    os.chmod(path, 0o755)
    return folder
