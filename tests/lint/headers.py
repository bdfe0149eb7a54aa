#!/usr/bin/env python3
"""Compares two versions of CUDA's headers: what the newer one has, and who knows of it.

usage: headers.py COMPILER OLDER_FOLDER NEWER_FOLDER   (77: both are of one version)

A function of the driver has a row or is exempt (api.py says of what else), one of the runtime is in runtime.def, a constant or a
structure of another size is explained by a line of newer.txt. Whatever is not is a failure, as is a line that explains nothing.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

import api

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ("cuda.h", "cuda_runtime_api.h", "cupti.h")
CLASSES = ("row", "nothing", "open")
RUNTIME = re.compile(r"^RUNTIME\((\w+)\)", re.M)
RUNTIME_FUNCTION = re.compile(r"\bCUDARTAPI\s+(cuda\w+)\s*\(")
ENUM = re.compile(r"\benum\b[^{};]*\{(.*?)\}", re.S)
CONSTANT = re.compile(r"\b([A-Za-z_]\w+)\s*(?:=[^,]*)?(?:,|$)")
TYPE = re.compile(r"\}\s*((?:CU|cuda)\w+)\s*;")


def preprocessed(compiler, folder, header):
    done = subprocess.run([compiler, "-E", "-P", "-I", folder, "-x", "c", "-"], input=f"#include <{header}>\n", text=True,
                          stdout=subprocess.PIPE, check=True)
    return re.sub(r"__attribute__\s*\(\(.*?\)\)", "", done.stdout)


def constants(text):
    return {name for body in ENUM.findall(text) for name in CONSTANT.findall(" ".join(body.split()))}


def sizes(compiler, folder, header, types):
    lines = "\n".join(f'printf("{name} %zu\\n", sizeof({name}));' for name in sorted(types))
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/sizes"
        subprocess.run([compiler, "-w", "-I", folder, "-x", "c", "-", "-o", program], text=True, check=True,
                       input=f"#include <stdio.h>\n#include <{header}>\nint main(void)\n{{\n{lines}\n}}\n")
        return dict(line.split() for line in subprocess.run([program], text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines())


def read_newer():
    """[(pattern, class, reason)]"""
    lines = []
    for line in (HERE / "newer.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, word, reason = line.split(None, 2)
            if word not in CLASSES:
                raise SystemExit(f"newer.txt: {word} is none of {', '.join(CLASSES)}")
            lines.append((pattern, word, reason))
    return lines


def new_functions(old, new):
    """Functions that the newer headers have, as (name, whether something knows of it)."""
    rows = set(api.read_rows()) | set(dict(api.EXEMPT.findall((api.ROOT / "interposer/call/api_exempt.def").read_text(encoding="utf-8"))))
    names = set(RUNTIME.findall((api.ROOT / "interposer/runtime/runtime.def").read_text(encoding="utf-8")))
    texts = [(folder / "cuda.h").read_text(encoding="utf-8") for folder in (old, new)]
    for name in sorted(set(api.read_prototypes(texts[1])) - set(api.read_prototypes(texts[0]))):
        yield name, name in rows
    texts = [(folder / "cuda_runtime_api.h").read_text(encoding="utf-8") for folder in (old, new)]
    for name in sorted(set(RUNTIME_FUNCTION.findall(texts[1])) - set(RUNTIME_FUNCTION.findall(texts[0]))):
        yield name, name in names


def new_things(compiler, old, new):
    """Constants that are new, structures of another size: what lines of newer.txt explain. CUPTI's constants are its own."""
    found = {}
    for header in HEADERS:
        texts = [preprocessed(compiler, folder, header) for folder in (old, new)]
        if header != "cupti.h":
            for name in constants(texts[1]) - constants(texts[0]):
                found[name] = "is new"
        types = set(TYPE.findall(texts[0])) & set(TYPE.findall(texts[1]))
        before, after = (sizes(compiler, folder, header, types) for folder in (old, new))
        for name in types:
            if before[name] != after[name]:
                found[name] = f"has {after[name]} bytes, and had {before[name]}"
    return found


def version_of(folder):
    return int(re.search(r"^#define CUDA_VERSION\s+(\d+)", (folder / "cuda.h").read_text(encoding="utf-8"), re.M)[1])


def main():
    compiler, old, new = sys.argv[1], *(pathlib.Path(folder) for folder in sys.argv[2:])
    if version_of(old) == version_of(new):
        print(f"both are of version {version_of(new)}")
        return 77
    functions, things, lines, wrong, used = list(new_functions(old, new)), new_things(compiler, old, new), read_newer(), [], set()
    wrong += [f"{name} is new, and nothing knows of it" for name, is_known in functions if not is_known]
    for name in sorted(things):
        match = next((line for line in lines if fnmatch.fnmatchcase(name, line[0])), None)
        used.add(match)
        if not match:
            wrong.append(f"{name} {things[name]}, and no line of newer.txt says what that means")
    # A toolkit between two versions has some of it already.
    if version_of(old) // 1000 * 1000 == version_of(old):
        wrong += [f"newer.txt: nothing new is called {line[0]}" for line in lines if line not in used]
    print(f"{version_of(old)} to {version_of(new)}: {len(functions)} functions, {len(things)} constants and structures")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
