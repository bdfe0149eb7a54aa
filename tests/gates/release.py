#!/usr/bin/env python3
"""tools/release.sh makes all of a release, with sums that hold, and the same one each time. usage: release.py BUILD FOLDER"""
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
    fresh(folder)
    out, again = os.path.join(folder, "release"), os.path.join(folder, "again")
    env = {**os.environ, "DEBEMAIL": "releases@streamcheck.example.org", "DEBFULLNAME": "A. Releaser"}
    for place in (out, again):
        run(os.path.join(ROOT, "tools/release.sh"), build, place, env=env)
    names = sorted(os.listdir(out))
    for word in WANTED + ((".rpm",) if shutil.which("rpmbuild") else ()):
        need(sum(word in name for name in names) == 1, f"{word} is not among {names}")
    need([name for name in names if name.endswith(".tar.gz") and "linux" not in name], f"no sources among {names}")
    said = run("sha256sum", "--check", "SHA256SUMS", cwd=out)
    need(said.count(": OK") == len(names) - 1, said)
    with open(os.path.join(out, "SHA256SUMS"), encoding="utf-8") as sums, open(os.path.join(again, "SHA256SUMS"), encoding="utf-8") as others:
        need(sums.read() == others.read(), "a second release of the same commit has other bytes")
    (deb,) = [name for name in names if name.endswith(".deb")]
    said = run("dpkg-deb", "--field", deb, "Maintainer", cwd=out)
    need("A. Releaser <releases@streamcheck.example.org>" in said, said)
    if shutil.which("lintian"):
        run("lintian", "--allow-root", "--fail-on", "error,warning", deb, cwd=out)
    need("is not empty" in run(os.path.join(ROOT, "tools/release.sh"), build, out, code=2), "a second release goes over the first")
    return 0


if __name__ == "__main__":
    sys.exit(main())
