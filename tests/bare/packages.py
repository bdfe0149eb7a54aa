#!/usr/bin/env python3
"""Installs the packages in a minimal Debian root, and runs the templates of docs/ci there as a service does.

usage: packages.py ROOT RELEASE BUILD

1. The deb, by `dpkg -i`, and the tarball, unpacked: each checks a CUDA program on the simulated device.
2. The Dockerfile's steps literally, where its image is of this release.
3. In what they made, every template with every kind of project: each fails on the bug, and passes without it.

Like the images of Docker, the root keeps no documentation of packages. Nothing of a root is left outside of it.
"""
import glob
import os
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.dirname(HERE))
GATES = os.path.join(SOURCES, "tests/gates")
sys.path.insert(0, GATES)
import ci  # noqa: E402
import templates  # noqa: E402
from common import need, run  # noqa: E402

LINES = {"cmake": ("SC-101", "transfer.c:27"), "make": ("SC-106", "transfer.cu:30"),
         "pytest": ("SC-101", "test_transfer.py:43")}


class Root:
    """A root; `variables` are those of every command in it."""

    def __init__(self, folder):
        self.folder, self.variables = folder, {}

    def run(self, folder, shell, step, more=()):
        """Runs a step in a folder of the root; its exit code, and what it said."""
        variables = {name: text for name, text in os.environ.items() if name.startswith("PIP_") and name != "PIP_CERT"}
        variables.update(self.variables, **dict(more))
        lines = "\n".join(f"{name}={text}" for name, text in variables.items())
        got = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh",
                              os.path.join(HERE, "inside"), self.folder, shlex.join(["env", "-C", folder, *shell, step]), lines],
                             capture_output=True, text=True, check=False)
        return got.returncode, got.stdout + got.stderr

    def must(self, step, code=0, folder="/"):
        began = time.time()
        got, said = self.run(folder, ["sh", "-e", "-c"], step)
        need(got == code, f"`{step}` ended with {got}, not {code}:\n{said}")
        print(f"packages: {time.time() - began:3.0f} s  {' '.join(step.split())[:100]}", flush=True)
        return said

    def put(self, path, place):
        os.makedirs(self.folder + place, exist_ok=True)
        shutil.copy(path, self.folder + place)


class Container(ci.Service):
    """A service whose steps run in the root, in a working copy there."""

    def __init__(self, root, template, project, given):
        self.root, self.template, self.given = root, template, given
        self.place = "/given/" + project
        self.folder = root.folder + self.place
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.join(GATES, "projects", project), self.folder)

    def run(self, more):
        runner = self.place + "/runner"
        os.makedirs(self.root.folder + runner, exist_ok=True)
        variables = {**self.template.environment(self.given), "RUNNER_TEMP": runner, "GITHUB_PATH": runner + "/path", **more}
        codes, said, path = [], "", self.root.variables["PATH"]
        for step in self.template.steps:
            variables["PATH"] = path
            code, text = self.root.run(self.place, self.template.shell, step, variables)
            codes.append(code)
            said += text
            if code:
                break
            added = self.root.folder + runner + "/path"
            if os.path.exists(added):
                with open(added, encoding="utf-8") as file:
                    path = ":".join([*file.read().split(), self.root.variables["PATH"]])
        return codes, said


def check_installed(root, command):
    """A program with the shared runtime, built elsewhere, is checked on the simulated device."""
    said = root.must(f"{command} run --device=sim --html=no -- ./transfer", 66, "/given")
    need("3 errors" in said and "transfer.c:27" in said, said)
    need("ELF" not in root.must(f"{command} doctor ./transfer", folder="/given"), "the doctor complains")


def build_program(folder):
    """The program of the CMake project, by this machine's compiler."""
    nvcc = os.path.realpath(shutil.which("nvcc"))
    toolkit = os.path.dirname(os.path.dirname(nvcc))
    run("cc", "-g", os.path.join(GATES, "projects/cmake/transfer.c"), "-I", toolkit + "/include",
        "-L", toolkit + "/lib64", "-lcudart", "-o", os.path.join(folder, "transfer"))


def check_packages(root, deb, tarball):
    root.put(deb, "/given")
    root.put(tarball, "/given")
    build_program(root.folder + "/given")
    root.must(f"dpkg -i /given/{os.path.basename(deb)}")
    check_installed(root, "streamcheck")
    said = root.must("LD_PRELOAD=libstreamcheck.so STREAMCHECK_OPTIONS=html=no true 2>&1")
    need("cannot be preloaded" not in said, said)
    root.must("dpkg -r streamcheck")
    need(not os.path.exists(root.folder + "/usr/bin/streamcheck"), "something is left after `dpkg -r`")
    name = os.path.basename(tarball)
    root.must(f"mkdir /anywhere && tar -C /anywhere -xzf /given/{name}")
    check_installed(root, f"/anywhere/{name[:-len('.tar.gz')]}/bin/streamcheck")


def run_dockerfile(root, release, deb):
    """Each instruction does here what Docker does; False where the image is of another release."""
    for word, text in templates.dockerfile():
        if word == "FROM":
            if not text.startswith(f"debian:{release}"):
                print(f"packages: {release} is not the release of `FROM {text}`: the Dockerfile did not run")
                return False
        elif word == "RUN":
            root.must(text)
        elif word == "ENV":
            root.variables.update(text)
        elif word == "COPY":
            root.put(deb, text.split()[-1])
        elif word == "WORKDIR":
            os.makedirs(root.folder + text, exist_ok=True)
    root.must("streamcheck --version")
    return True


def check_rpm(root, rpm):
    """The rpm, by rpm itself; Debian's has no list of what glibc offers."""
    root.put(rpm, "/given")
    root.must("dpkg --purge streamcheck && apt-get update && apt-get install -y --no-install-recommends rpm")
    root.must(f"rpm --install --nodeps /given/{os.path.basename(rpm)} && rpm --verify --nodeps streamcheck")
    check_installed(root, "streamcheck")
    root.must("rpm --erase streamcheck")
    need(not os.path.exists(root.folder + "/usr/bin/streamcheck"), "something is left after `rpm --erase`")
    need(os.path.isdir(root.folder + "/usr/share/man/man1"), "the rpm took a folder of others with it")


def check_templates(root, deb, tarball):
    """Every template with every kind of project, and the action; streamcheck comes from their own steps."""
    kinds = templates.table()
    root.must("dpkg --purge streamcheck")
    for read in templates.ALL.values():
        template = read()
        for kind, project in ci.KINDS.items():
            given = {"STREAMCHECK_PACKAGE": f"file:///given/{os.path.basename(deb)}",
                     "STREAMCHECK_SHA256": run("sha256sum", deb).split()[0], **kinds[kind],
                     "GATE": ci.GATE + str(ci.COPIES[project])}
            began = time.time()
            ci.check_gates(Container(root, template, project, given), *LINES[project], len(template.steps))
            print(f"packages: {time.time() - began:3.0f} s  {template.name} with {kind}", flush=True)
        root.must("dpkg --purge streamcheck")
    action = templates.action()
    given = {**action.inputs, "package": f"file:///given/{os.path.basename(tarball)}", "run": "make check",
             "options": f"{action.inputs['options']} {ci.GATE}{ci.COPIES['make']}"}
    ci.check_gates(Container(root, action, "make", given), *LINES["make"], len(action.steps))
    print("packages: action.yml with Makefile")


def main():
    folder, release, build = sys.argv[1:4]
    root = Root(folder)
    excludes = folder + "/etc/dpkg/dpkg.cfg.d"
    os.makedirs(excludes, exist_ok=True)
    with open(os.path.join(excludes, "docker"), "w", encoding="utf-8") as file:
        file.write("path-exclude /usr/share/doc/*\npath-include /usr/share/doc/*/copyright\n")
    packages = folder + ".packages"
    kinds = "DEB;TGZ;RPM" if shutil.which("rpmbuild") else "DEB;TGZ"
    run("cpack", "-G", kinds, "--config", os.path.join(build, "CPackConfig.cmake"), "-B", packages)
    deb, tarball = (glob.glob(os.path.join(packages, pattern))[0] for pattern in ("*.deb", "*.tar.gz"))
    try:
        check_packages(root, deb, tarball)
        if run_dockerfile(root, release, deb):
            for rpm in glob.glob(os.path.join(packages, "*.rpm")):
                check_rpm(root, rpm)
            check_templates(root, deb, tarball)
    finally:
        shutil.rmtree(packages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
