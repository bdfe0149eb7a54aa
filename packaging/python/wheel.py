#!/usr/bin/env python3
"""Builds the Python wheel from an installed tree: usage: wheel.py TREE FOLDER VERSION

The wheel has the package `streamcheck` beside this file, with the tree as its data: debug information is removed, links
become files, documents are left out. Its tag follows from the newest glibc symbol that anything in it needs. The same tree
and $SOURCE_DATE_EPOCH give the same bytes. Prints the wheel's path.
"""
import base64
import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OWN_LICENCE = "Apache-2.0"
BILL = "share/doc/streamcheck/streamcheck.spdx.json"
LEFT_OUT = ("share/doc/", "share/man/", "share/bash-completion/", "share/lintian/")
OF_GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt)\.so\.\d+|ld-linux.*\.so\.\d+")
OLDEST = 315532800  # 1980, the first year that a zip file knows
# What writes patches (patch/), of versions that are tried.
PATCH = ("tree-sitter==0.26.1", "tree-sitter-cuda==0.21.2", "tree-sitter-python==0.25.0")
MCP = ("mcp>=2.3,<3",)  # what serves agents (streamcheck/_mcp.py)
EXTRAS = {"patch": PATCH, "mcp": (*MCP, *PATCH), "metrics": ("prometheus-client>=0.20",)}
SUMMARY = "Correctness checker and race detector for asynchronous CUDA"


def said_by(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def files_of(tree):
    """{name in the tree: path}: what a link refers to has the link's name, and only that."""
    found, targets = {}, set()
    for at, _, names in os.walk(tree):
        for path in (os.path.join(at, name) for name in names):
            found[os.path.relpath(path, tree)] = os.path.realpath(path)
            if os.path.islink(path):
                targets.add(os.path.relpath(os.path.realpath(path), os.path.realpath(tree)))
    return {name: path for name, path in found.items() if name not in targets and not name.startswith(LEFT_OUT)}


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def platform_tag(files):
    """The oldest glibc for which all symbols are there. Ends if a library is needed that is not in the tree."""
    newest, carried = (0, 0), {os.path.basename(name) for name in files}
    for name, path in files.items():
        if not is_elf(path):
            continue
        headers = said_by("objdump", "-p", path)
        for version in re.findall(r"GLIBC_(\d+)\.(\d+)", headers.partition("Version References:")[2]):
            newest = max(newest, tuple(map(int, version)))
        for needed in re.findall(r"NEEDED\s+(\S+)", headers):
            if needed not in carried and not OF_GLIBC.fullmatch(needed):
                sys.exit(f"{name} needs {needed}, which is not in the tree")
    return f"manylinux_{newest[0]}_{newest[1]}_{platform.machine()}"


def stripped(path, folder):
    """The bytes of a file; of programs and libraries without debug information."""
    if is_elf(path) or path.endswith(".a"):
        copy = os.path.join(folder, "stripped")
        subprocess.run(["objcopy", "--strip-debug", "--enable-deterministic-archives", path, copy], check=True)
        path = copy
    with open(path, "rb") as file:
        return file.read()


def text_of(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def metadata(version, licences, licence_files):
    head = [("Metadata-Version", "2.4"), ("Name", "streamcheck"), ("Version", version), ("Summary", SUMMARY),
            ("License-Expression", " AND ".join([OWN_LICENCE, *licences])),
            *(("License-File", name) for name in licence_files),
            ("Requires-Python", ">=3.10"), ("Keywords", "cuda,race detector,gpu,testing"),
            *(("Provides-Extra", extra) for extra in EXTRAS),
            *(("Requires-Dist", f"{wanted} ; extra == '{extra}'") for extra, wants in EXTRAS.items() for wanted in wants),
            ("Classifier", "Environment :: GPU :: NVIDIA CUDA"), ("Classifier", "Framework :: Pytest"),
            ("Classifier", "Operating System :: POSIX :: Linux"),
            ("Classifier", "Topic :: Software Development :: Debuggers"), ("Classifier", "Typing :: Typed"),
            ("Description-Content-Type", "text/markdown")]
    return "".join(f"{name}: {value}\n" for name, value in head) + "\n" + text_of(HERE, "README.md")


ENTRY_POINTS = """[console_scripts]
streamcheck = streamcheck._command:main

[pytest11]
streamcheck = streamcheck.pytest_plugin
"""


def package_files(version):
    """{name in the wheel: bytes} of what is written in Python."""
    folder = os.path.join(HERE, "streamcheck")
    return {f"streamcheck/{name}": text_of(folder, name).replace("@VERSION@", version).encode()
            for name in os.listdir(folder) if name.endswith((".py", ".typed"))}


def licence_files():
    """{name: bytes}"""
    folder = os.path.join(ROOT, "packaging", "licenses")
    return {name: text_of(at, name).encode()
            for at, names in ((ROOT, ("LICENSE", "NOTICE")), (folder, sorted(os.listdir(folder)))) for name in names}


class Wheel:
    """What is written, in order, with the record of it."""

    def __init__(self, path, moment):
        self.file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.date = time.gmtime(max(moment, OLDEST))[:6]
        self.record = []

    def add(self, name, content, is_program=False):
        info = zipfile.ZipInfo(name, self.date)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100755 if is_program else 0o100644) << 16
        self.file.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self, name):
        self.add(name, "".join([*self.record, f"{name},,\n"]).encode())
        self.file.close()


def moment_of_build():
    """$SOURCE_DATE_EPOCH, or the last commit's time, or now."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(said_by("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError, ValueError):
        return int(time.time())


def bill_of(tree, created, content):
    """The list of components that was installed with the tree (packaging/sbom.py), without its files: they have other names and
    bytes here, and the record has their sums. `content` makes its name unique."""
    bill = json.loads(text_of(tree, BILL))
    packages = [{k: v for k, v in p.items() if k not in ("packageVerificationCode", "licenseInfoFromFiles")}
                | {"filesAnalyzed": False} for p in bill["packages"]]
    known = {bill["SPDXID"], *(p["SPDXID"] for p in packages)}
    del bill["files"]
    return {**bill, "packages": packages, "creationInfo": {**bill["creationInfo"], "created": created},
            "documentNamespace": f"https://spdx.org/spdxdocs/{bill['name']}-{hashlib.sha256(content.encode()).hexdigest()}",
            "relationships": [r for r in bill["relationships"]
                              if {r["spdxElementId"], r["relatedSpdxElement"]} <= known]}


def build(tree, folder, version):
    files = files_of(tree)
    info, tag, moment = f"streamcheck-{version}.dist-info", "py3-none-" + platform_tag(files), moment_of_build()
    path = os.path.join(folder, f"streamcheck-{version}-{tag}.whl")
    wheel, licences = Wheel(path, moment), licence_files()
    for name, content in sorted(package_files(version).items()):
        wheel.add(name, content)
    with tempfile.TemporaryDirectory() as scratch:
        for name, at in sorted(files.items()):
            wheel.add(f"streamcheck/tree/{name}", stripped(at, scratch), os.access(at, os.X_OK))
    created = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    bill = bill_of(tree, created, "".join(wheel.record))
    others = sorted({p["licenseConcluded"] for p in bill["packages"]} - {OWN_LICENCE})
    wheel.add(f"{info}/METADATA", metadata(version, others, licences).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: streamcheck {version}\nRoot-Is-Purelib: false\n"
                               f"Tag: {tag}\n".encode())
    wheel.add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    for name, content in licences.items():
        wheel.add(f"{info}/licenses/{name}", content)
    wheel.add(f"{info}/sboms/streamcheck.spdx.json", (json.dumps(bill, indent=1) + "\n").encode())
    wheel.close(f"{info}/RECORD")
    return path


def main():
    tree, folder, version = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    print(build(os.path.realpath(tree), folder, version))


if __name__ == "__main__":
    main()
