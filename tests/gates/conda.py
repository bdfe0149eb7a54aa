#!/usr/bin/env python3
"""The recipe for conda, built by rattler-build. usage: conda.py SOURCES FOLDER NVCC HEADERS D3   (77: no py-rattler-build)

No channel is asked: each package that the recipe requires is one of the same name, with CUDA's headers where conda-forge has them, or
without files, so that this machine's own are found. What is tried is the recipe: that rattler-build reads it, that its script builds
and installs, that its tests pass. That the packages of conda-forge have what they are wanted for is not.
"""
import glob
import hashlib
import io
import json
import os
import re
import sys
import tarfile

from common import SKIPPED, fresh, need
from stand_in import NPM

try:
    import rattler_build
    from rattler_build import EnvironmentIsolation, Stage0Recipe, ToolConfiguration, VariantConfig
except ImportError:
    print("skipped: no module rattler_build (pip install py-rattler-build)")
    sys.exit(SKIPPED)

# As conda-forge's: what ${{ compiler("c") }} and its like become.
VARIANTS = {"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
ACTIVATE = b"export CC=gcc CXX=g++\n"
HEADERS = "targets/x86_64-linux/include"


def package(channel, name, version, files):
    """A package with these files ({path: bytes}), all of them programs, as the row of the channel's list."""
    index = {"name": name, "version": version, "build": "0", "build_number": 0, "depends": [], "arch": "x86_64", "platform": "linux",
             "subdir": "linux-64"}
    sums = [{"_path": path, "path_type": "hardlink", "sha256": hashlib.sha256(data).hexdigest(), "size_in_bytes": len(data)}
            for path, data in files.items()]
    about = {"info/index.json": json.dumps(index).encode(), "info/files": "".join(path + "\n" for path in files).encode(),
             "info/paths.json": json.dumps({"paths": sums, "paths_version": 1}).encode()}
    file_name = f"{name}-{version}-0.tar.bz2"
    path = os.path.join(channel, "linux-64", file_name)
    with tarfile.open(path, "w:bz2", compresslevel=1) as archive:
        for inner, data in {**about, **files}.items():
            info = tarfile.TarInfo(inner)
            info.size, info.mode = len(data), 0o755
            archive.addfile(info, io.BytesIO(data))
    with open(path, "rb") as file:
        data = file.read()
    return file_name, {**index, "size": len(data), "md5": hashlib.md5(data).hexdigest(), "sha256": hashlib.sha256(data).hexdigest()}


def make_channel(channel, wanted, files):
    """The least version of each package that is wanted: ["cmake >=3.24", …]."""
    rows = {}
    for subdir in ("linux-64", "noarch"):
        os.makedirs(os.path.join(channel, subdir))
    for spec in wanted:
        name, _, bound = spec.partition(" ")
        version = re.search(r"\d+(\.\d+)*", bound)
        row = package(channel, name, version[0] if version else "1.0", files.get(name, {}))
        rows[row[0]] = row[1]
    for subdir, packages in (("linux-64", rows), ("noarch", {})):
        with open(os.path.join(channel, subdir, "repodata.json"), "w", encoding="utf-8") as file:
            json.dump({"info": {"subdir": subdir}, "packages": packages, "packages.conda": {}, "repodata_version": 1}, file)


def files_below(headers):
    """CUDA's headers, all in one package."""
    found = {}
    for folder, _, names in os.walk(headers):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.join(HEADERS, os.path.relpath(path, headers))] = file.read()
    return found


def wanted_by(value):
    """The specifications in what is required: strings, or rows that have one."""
    if isinstance(value, dict):
        value = value.get("spec") or value.get("run") or ""
    return str(value)


def main():
    sources, folder, nvcc, headers, modules = map(os.path.abspath, sys.argv[1:6])
    fresh(folder)
    channel = os.path.join(folder, "channel")
    recipe = Stage0Recipe.from_file(os.path.join(sources, "packaging/conda/recipe.yaml"))
    rendered = recipe.render(VariantConfig(VARIANTS))
    need(len(rendered) == 1, f"the recipe has {len(rendered)} variants")
    required = rendered[0].recipe.requirements.to_dict()
    print(json.dumps(required))
    wanted = [wanted_by(row) for part in required.values() if isinstance(part, list) for row in part]
    make_channel(channel, wanted, {"nodejs": {"bin/npm": NPM.format(d3=modules).encode()}, "gcc_linux-64": {"etc/conda/activate.d/cc.sh": ACTIVATE},
                                   "cuda-nvcc": {"bin/nvcc": f'#!/bin/sh\nexec {nvcc} "$@"\n'.encode()}, "cuda-cudart-dev": files_below(headers)})
    built = os.path.join(folder, "built")
    try:
        result = rendered[0].run_build(ToolConfiguration(test_strategy="native"), built, ["file://" + channel],
                                       env_isolation=EnvironmentIsolation.NONE)
    except rattler_build.RattlerBuildError as error:
        for path in glob.glob(os.path.join(built, "bld/*/work/conda_build.log")):
            with open(path, encoding="utf-8", errors="replace") as file:
                print(file.read()[-5000:])
        sys.exit(f"rattler-build: {error}")
    print(f"rattler-build {rattler_build.rattler_build_version()}: {[str(p) for p in result.packages]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
