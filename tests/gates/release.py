#!/usr/bin/env python3
"""tools/release.sh makes all of a release, with sums that hold. usage: release.py BUILD FOLDER"""
import os
import shutil
import sys

from common import ROOT, SKIPPED, fresh, need, run

WANTED = ("manylinux_", "_amd64.deb", "-linux-x86_64.tar.gz", ".spdx.json")


def main():
    build, folder = map(os.path.abspath, sys.argv[1:3])
    if not os.path.exists(os.path.join(ROOT, ".git")) or not shutil.which("cpack") or not shutil.which("dpkg-deb"):
        print("skipped: no checkout, no cpack or no dpkg-deb")
        return SKIPPED
    out = os.path.join(fresh(folder), "release")
    run(os.path.join(ROOT, "tools/release.sh"), build, out)
    names = sorted(os.listdir(out))
    for word in WANTED + ((".rpm",) if shutil.which("rpmbuild") else ()):
        need(sum(word in name for name in names) == 1, f"{word} is not among {names}")
    need([name for name in names if name.endswith(".tar.gz") and "linux" not in name], f"no sources among {names}")
    said = run("sha256sum", "--check", "SHA256SUMS", cwd=out)
    need(said.count(": OK") == len(names) - 1, said)
    need("is not empty" in run(os.path.join(ROOT, "tools/release.sh"), build, out, code=2), "a second release goes over the first")
    return 0


if __name__ == "__main__":
    sys.exit(main())
