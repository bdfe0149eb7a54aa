#!/usr/bin/env python3
"""The recipes for Spack and conda, as far as they can be checked without either (else conda.py, spack.py). usage: recipes.py SOURCES FOLDER CMAKE D3

They are sound Python and YAML, name every component that the list of components (packaging/components.json) has, take
the steps of docs/user/install.md, and configure to a build that has the target which they build.
"""
import ast
import json
import os
import re
import sys

from common import SKIPPED, fresh, need, run

# What a package manager calls a component, where the name is another; None: it comes with the compilers.
SPACK = {"gcc-runtime": None, "zlib": None, "bzip2": None, "xz": None, "d3": "npm"}
CONDA = {"gcc-runtime": None, "zlib": None, "bzip2": None, "xz": None, "d3": "nodejs", "lz4": "lz4-c", "zstd": "zstd"}


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def check_spack(sources, components):
    """Directives of the class by name: what it depends on, what it builds, which options it defines."""
    tree = ast.parse(text_of(sources, "packaging/spack/package.py"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    need([c.name for c in classes] == ["Streamcheck"], "the recipe of Spack has no class Streamcheck")
    calls = [node for node in ast.walk(classes[0]) if isinstance(node, ast.Call) and node.args
             and isinstance(node.args[0], ast.Constant)]
    wanted = {c.args[0].value.split()[0].partition("@")[0] for c in calls if getattr(c.func, "id", "") == "depends_on"}
    for name in components:
        name = SPACK.get(name, name)
        need(name is None or name in wanted, f"the recipe of Spack lacks {name}")
    need({"c", "cxx", "cmake", "python", "cuda"} <= wanted, f"the recipe of Spack depends on {wanted}")
    defined = {c.args[0].value for c in calls if getattr(c.func, "attr", "") == "define"}
    need(defined == {"SC_TESTS", "SC_D3_DIR"}, f"the recipe of Spack defines {defined}")
    targets = [ast.literal_eval(node.value) for node in classes[0].body if isinstance(node, ast.Assign)
               and node.targets[0].id == "build_targets"]
    need(targets == [["tool"]], f"the recipe of Spack builds {targets}")


def check_conda(sources, components, version):
    """The script of the recipe, whose cmake commands are returned."""
    import yaml
    recipe = yaml.safe_load(text_of(sources, "packaging/conda/recipe.yaml"))
    need(recipe["context"]["version"] == version, f"the recipe of conda is for {recipe['context']['version']}")
    wanted = {str(row).split()[0] for part in recipe["requirements"].values() for row in part}
    for name in components:
        name = CONDA.get(name, name)
        need(name is None or {name, name + "-static"} & wanted, f"the recipe of conda lacks {name}")
    need({"cmake", "ninja", "python", "cuda-nvcc", "cuda-cupti-dev"} <= wanted, f"the recipe of conda wants {wanted}")
    for name in recipe["about"]["license_file"]:
        need(os.path.exists(os.path.join(sources, name)), f"the recipe of conda takes {name}, which is not there")
    return [line for line in recipe["build"]["script"] if line.startswith("cmake ")]


def check_steps(sources, steps):
    """The steps are those that users are told, but for the generator and the places."""
    page = text_of(sources, "docs/user/install.md").partition("## From source")[2].partition("\n## ")[0]
    told = re.findall(r"^ {4}(cmake .*?)(?: +#.*)?$", page, re.M)

    def plain(command):
        command = re.sub(r" -G \S+| -DSC_(D3_DIR|CUDA_HEADERS)=\S+", "", command)
        return re.sub(r"--prefix \S+", "--prefix …", command)

    need([plain(s) for s in steps] == [plain(t) for t in told], f"the steps are {steps}, users are told {told}")


def check_build(sources, folder, cmake, modules, steps):
    """The first step configures here, and the build that the second begins is known."""
    build = os.path.join(fresh(folder), "build")
    words = re.sub(r" -DSC_CUDA_HEADERS=\S+", "", steps[0]).replace('"$PWD/d3/node_modules"', modules).replace("-S .", f"-S {sources}").split()[1:]
    words[words.index("-B") + 1] = build
    run(cmake, *words)
    said = run("ninja", "-C", build, "-t", "query", "packaging/" + steps[1].split()[-1])
    need("libstreamcheck.so" in said and "printed" in said, said)


def main():
    sources, folder, cmake, modules = sys.argv[1:5]
    components = [row["name"] for row in json.loads(text_of(sources, "packaging/components.json"))]
    version = re.search(r"project\(streamcheck VERSION ([\d.]+)", text_of(sources, "CMakeLists.txt"))[1]
    check_spack(sources, components)
    try:
        steps = check_conda(sources, components, version)
    except ImportError:
        print("skipped: no module yaml")
        return SKIPPED
    check_steps(sources, steps)
    check_build(sources, folder, cmake, modules, steps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
