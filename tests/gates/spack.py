#!/usr/bin/env python3
"""The recipe for Spack, by Spack itself. usage: spack.py SOURCES FOLDER NVCC HEADERS D3   (77: no spack in PATH)

Spack reads the recipe and solves it with its own packages and externals. Two packages are this machine's: the CUDA toolkit, and an npm
that brings the machine's D3. It builds, too, if all that it needs is installed or external: a test fetches nothing.
"""
import json
import os
import re
import shutil
import sys

from common import SKIPPED, fresh, need, run
from stand_in import NPM, toolkit_of

OWN = ("streamcheck", "gcc-runtime", "compiler-wrapper")  # made of what is there


def write(text, *path):
    place = os.path.join(*path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(place, 0o755)


def main():
    sources, folder, nvcc, headers, modules = map(os.path.abspath, sys.argv[1:6])
    spack = shutil.which("spack")
    if not spack or not os.path.exists(os.path.join(sources, ".git")):
        print("skipped: no spack, or no checkout")
        return SKIPPED
    fresh(folder)
    scope, repo, copy = (os.path.join(folder, name) for name in ("config", "sc/spack_repo/sc", "streamcheck"))
    os.makedirs(copy)
    run("sh", "-c", f"git -C '{sources}' archive HEAD | tar -x -C '{copy}'")
    write("repo:\n  namespace: sc\n  api: v2.0\n", repo, "repo.yaml")
    recipe = os.path.join(repo, "packages/streamcheck/package.py")
    os.makedirs(os.path.dirname(recipe))
    shutil.copy(os.path.join(sources, "packaging/spack/package.py"), recipe)
    write(NPM.format(d3=modules), folder, "npm/bin/npm")
    externals = {"npm": ("11", os.path.join(folder, "npm")), "cuda": ("13.5", toolkit_of(nvcc, headers, os.path.join(folder, "cuda")))}
    write(json.dumps({"repos": {"sc": repo}}), scope, "repos.yaml")
    write(json.dumps({"packages": {name: {"externals": [{"spec": f"{name}@{version}", "prefix": prefix}], "buildable": False}
                                   for name, (version, prefix) in externals.items()}}), scope, "packages.yaml")
    said = run(spack, "-C", scope, "spec", "-I", "streamcheck@main", f"dev_path={copy}")
    print(said)
    absent = set(re.findall(r"^ - +\^?([\w-]+)@", said, re.M)) - set(OWN)
    need("streamcheck@main" in said, said)
    if absent:
        print(f"solved, but not built: Spack would have to fetch {', '.join(sorted(absent))}")
        return 0
    run(spack, "-C", scope, "dev-build", "-d", copy, "streamcheck@main")
    prefix = run(spack, "-C", scope, "location", "-i", "streamcheck@main", f"dev_path={copy}").split()[-1]
    need("SC-101" in run(os.path.join(prefix, "bin/streamcheck"), "rules", "SC-101"), "the command of the package has no rules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
