#!/usr/bin/env python3
"""The packages that CPack makes. usage: package.py PREFIX BUILD FOLDER CMAKE CUDA_BIN

Each has the whole tree, its licences, its pages with links that lead somewhere, and a list of its files that is true.
Unpacked anywhere, the command finds what it needs. tests/bare installs them into minimal systems.
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

from common import ROOT, Project, fresh, need, run

BOM = "share/doc/streamcheck/streamcheck.spdx.json"
# A few that must not be lost; the list in each package says what else there is.
WANTED = ("bin/streamcheck", "lib/libstreamcheck.so", "lib/streamcheck/sim/libcuda.so.1", "lib/streamcheck/libdw.so.1",
          "lib/cmake/streamcheck/streamcheck-config.cmake", "lib/pkgconfig/streamcheck.pc", "share/man/man1/streamcheck.1.gz",
          "share/doc/streamcheck/LICENSE", "share/doc/streamcheck/changelog.gz", "share/doc/streamcheck/NOTICE", "share/doc/streamcheck/copyright",
          "share/doc/streamcheck/licenses/third-party.txt", "share/doc/streamcheck/licenses/LGPL-3.0.txt",
          "share/doc/streamcheck/README.md", "share/doc/streamcheck/docs/user/install.md",
          "share/doc/streamcheck/docs/rules/SC-101.md", "share/doc/streamcheck/ci/github.yml", BOM)
VALIDATOR = "spdx-tools==0.8.*"
LINK = re.compile(r"\]\(([^)\s]+)\)")


def files_below(root):
    return sorted(os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names)


def digest(path, kind):
    with open(path, "rb") as file:
        return hashlib.new(kind, file.read()).hexdigest()


def check_bill(root):
    """The list names every file with its sums, and every component with a version and a licence."""
    with open(os.path.join(root, BOM), encoding="utf-8") as file:
        bill = json.load(file)
    need(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", "the list is no SPDX 2.3")
    listed = {f["fileName"][2:]: f for f in bill["files"]}
    there = set(files_below(root)) - {BOM}
    need(set(listed) == there, f"the list and the tree differ in {sorted(set(listed) ^ there)}")
    for name, row in listed.items():
        for sum_ in row["checksums"]:
            need(sum_["checksumValue"] == digest(os.path.join(root, name), sum_["algorithm"].lower()),
                 f"the list has another {sum_['algorithm']} of {name}")
    ids = [part["SPDXID"] for part in (*bill["packages"], *bill["files"])] + [bill["SPDXID"]]
    need(len(set(ids)) == len(ids), "two parts of the list have one SPDXID")
    for row in bill["relationships"]:
        need({row["spdxElementId"], row["relatedSpdxElement"]} <= set(ids), f"a relation of nothing: {row}")
    components = {p["name"]: p for p in bill["packages"]}
    need({"streamcheck", "elfutils", "zlib", "zstd", "lz4", "uthash", "d3", "gcc-runtime"} <= set(components),
         f"the list has the components {sorted(components)}")
    for name, row in components.items():
        need(re.match(r"\d+(\.\d+)+", row["versionInfo"]) and row["licenseDeclared"] != "NOASSERTION", f"{name}: {row}")
    carried = {n for n in listed if re.fullmatch(r"lib/streamcheck/[^/]+", n)}
    explained = {r["spdxElementId"] for r in bill["relationships"] if r["relationshipType"] == "GENERATED_FROM"}
    need(carried and {listed[n]["SPDXID"] for n in carried} == explained, "a carried library belongs to no component")


def check_notices(root):
    """Each component of the list has its notice in the tree."""
    with open(os.path.join(root, BOM), encoding="utf-8") as file:
        components = [p["name"] for p in json.load(file)["packages"][1:]]
    with open(os.path.join(root, "share/doc/streamcheck/licenses/third-party.txt"), encoding="utf-8") as file:
        notices = file.read().lower()
    for name in components:
        words = {"xz": "xz utils", "gcc-runtime": "gcc", "zstd": "zstandard"}
        need(words.get(name, name) in notices, f"third-party.txt has no notice of {name}")


def check_validator(root, folder):
    """The SPDX project's own validator takes the list, where it can be fetched."""
    if not os.path.isdir(folder):
        got = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", folder + ".new", VALIDATOR],
                             capture_output=True, text=True, check=False)
        if got.returncode:
            shutil.rmtree(folder + ".new", ignore_errors=True)
            print("the SPDX validator cannot be fetched: the list was only compared with the tree")
            return
        os.rename(folder + ".new", folder)
    run(sys.executable, "-m", "spdx_tools.spdx.clitools.pyspdxtools", "-i", os.path.join(root, BOM),
        env={**os.environ, "PYTHONPATH": folder})


def check_pages(docs):
    """Every relative link of an installed page leads to an installed file."""
    pages = glob.glob(os.path.join(docs, "**/*.md"), recursive=True)
    links = 0
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = re.sub(r"^( {4}|\t).*", "", file.read(), flags=re.M)
        for target in LINK.findall(text):
            path = target.partition("#")[0]
            if path and not re.match(r"[a-z]+:", target):
                links += 1
                need(os.path.exists(os.path.join(os.path.dirname(page), path)), f"{page}: no file for {target}")
    need(len(pages) > 90 and links > 100, f"only {len(pages)} pages with {links} links are installed")


def check_unpacked(root, folder):
    """An unpacked package is whole: the command finds its recorder, its rules, its simulator."""
    command = os.path.join(root, "bin/streamcheck")
    trace = os.path.join(folder, "race.sct.txt")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("alloc d 64\nalloc p 64 pinned\ncopy s1 p <- d 64\nhost_read p 4\nexit 0\n")
    need("SC-101" in run(command, "analyze", "--html=no", trace, code=66), "analyze lost a race")
    need("Why" in run(command, "rules", "SC-101") or "why" in run(command, "rules", "SC-101"), "no rules")
    said = run(command, "run", "--device=sim", "--", "/bin/true", code=3)
    need("made no CUDA call" in said, said)
    need("libstreamcheck.so" in run(command, "doctor", code=None), "the doctor misses the recorder")


def check_project(root, folder, cmake, cuda_bin):
    """A project finds the unpacked package, and its test is gated by it."""
    project = Project(root, folder, cmake, cuda_bin)
    project.build()
    said = project.test("sample", passes=False)
    need("SC-101" in said and "sample.c:" in said, said)


def the_only(folder, pattern):
    found = glob.glob(os.path.join(folder, pattern))
    need(len(found) == 1, f"{pattern} is {found}")
    return found[0]


def unpack_tarball(folder):
    """The archive has one folder, named after it, that is the whole."""
    archive = the_only(folder, "*.tar.gz")
    run("tar", "-xzf", archive, "-C", folder)
    return archive[:-len(".tar.gz")]


def unpack_deb(folder):
    package, root = the_only(folder, "*.deb"), os.path.join(folder, "deb")
    fields = run("dpkg-deb", "--field", package)
    need("Package: streamcheck" in fields and "Version: " in fields, fields)
    need(re.search(r"Depends: libc6 \(>= 2\.\d+\)", fields), fields)
    need("Maintainer: " in fields and "streamcheck@localhost" not in fields, fields)
    run("dpkg-deb", "--extract", package, root)
    if shutil.which("lintian"):  # who answers for a package is whoever builds it
        run("lintian", "--fail-on", "error,warning", "--suppress-tags", "root-in-contact,bogus-mail-host", package)
    return os.path.join(root, "usr")


def unpack_rpm(folder):
    package, root = the_only(folder, "*.rpm"), os.path.join(folder, "rpm")
    database = "--dbpath=" + os.path.join(folder, "rpmdb")
    said = run("rpm", database, "-qp", "--requires", "--provides", package)
    need(re.search(r"^glibc >= 2\.\d+$", said, re.M), said)
    need("libdw" not in said, f"the package offers or wants a carried library:\n{said}")
    need("Apache-2.0" in run("rpm", database, "-qp", "--queryformat", "%{LICENSE}", package), "no licence")
    listed = run("rpm", database, "-qlp", package).split()
    need(not {"/usr/lib/cmake", "/usr/share/man/man1"} & set(listed), "the package owns folders of others")
    os.makedirs(root)
    run("sh", "-c", f"rpm2archive - <'{package}' | tar -xz", cwd=root)
    there = {"/" + name for name in files_below(root)}
    need(there <= set(listed), f"not listed: {sorted(there - set(listed))}")
    return os.path.join(root, "usr")


# Kind of package, what this machine needs for it, and how it is unpacked.
KINDS = (("TGZ", "tar", unpack_tarball), ("DEB", "dpkg-deb", unpack_deb), ("RPM", "rpmbuild", unpack_rpm))


def check_pkg_config(prefix):
    if shutil.which("pkg-config"):
        said = run("pkg-config", "--variable=preload", "streamcheck",
                   env={**os.environ, "PKG_CONFIG_PATH": os.path.join(prefix, "lib/pkgconfig")})
        need(os.path.exists(said.strip()), said)


def check_matcher():
    with open(os.path.join(ROOT, "docs/ci/problem-matcher.json"), encoding="utf-8") as file:
        pattern = json.load(file)["problemMatcher"][0]["pattern"][0]
    found = re.match(pattern["regexp"], "src/main.cu:40: error: host reads memory [SC-101]")
    need(found and found.group(pattern["file"], pattern["line"], pattern["severity"],
                               pattern["message"], pattern["code"]) ==
         ("src/main.cu", "40", "error", "host reads memory", "SC-101"), "the matcher is wrong")


def main():
    prefix, build, folder, cmake, cuda_bin = sys.argv[1:6]
    fresh(folder)
    cpack = os.path.join(os.path.dirname(cmake), "cpack")
    kinds = [kind for kind in KINDS if shutil.which(kind[1])]
    run(cpack, "-G", ";".join(kind[0] for kind in kinds), "--config", os.path.join(build, "CPackConfig.cmake"),
        "-B", folder)
    trees = {}
    for name, _, unpack in kinds:
        root = trees[name] = unpack(folder)
        there = files_below(root)
        for wanted in WANTED:
            need(wanted in there, f"{wanted} is not in the {name}")
        check_bill(root)
        check_notices(root)
        check_pages(os.path.join(root, "share/doc/streamcheck"))
        check_unpacked(root, folder)
    need(len({tuple(files_below(root)) for root in trees.values()}) == 1, "the packages have different files")
    check_validator(trees["TGZ"], os.path.join(os.path.dirname(folder), "spdx-tools"))
    check_project(trees["TGZ"], os.path.join(folder, "project"), cmake, cuda_bin)
    check_pkg_config(prefix)
    check_matcher()
    left_out = {kind[0] for kind in KINDS} - set(trees)
    if left_out:
        print("not made, for their tools are missing:", *left_out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
