#!/usr/bin/env python3
"""Gates end to end. usage: gates.py sample|printed|package PREFIX BUILD FOLDER CMAKE CUDA_BIN"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77


def run(*command, code=0, **more):
    """Runs a command that has to end with `code` (None: any); returns all that it said."""
    got = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    said = got.stdout + got.stderr
    if code is not None and got.returncode != code:
        sys.exit(f"{command} ended with {got.returncode}, not {code}:\n{said}")
    return said


def need(condition, sentence):
    if not condition:
        sys.exit(sentence)


class Project:
    """The sample project, configured anew for each way."""

    def __init__(self, prefix, folder, cmake, cuda_bin):
        self.prefix, self.folder, self.cmake, self.cuda_bin = prefix, folder, cmake, cuda_bin
        shutil.rmtree(folder, ignore_errors=True)

    def build(self, *options):
        run(self.cmake, "-S", os.path.join(HERE, "sample"), "-B", self.folder,
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCUDAToolkit_ROOT={os.path.dirname(self.cuda_bin)}", *options)
        run(self.cmake, "--build", self.folder)

    def test(self, name, passes):
        ctest = os.path.join(os.path.dirname(self.cmake), "ctest")
        return run(ctest, "--test-dir", self.folder, "-R", f"^{name}$", "--output-on-failure",
                   code=0 if passes else 8)


def check_sample(prefix, folder, cmake, cuda_bin):
    """Fails on the bug, passes when it is fixed, passes when the bug is in the baseline."""
    command = os.path.join(prefix, "bin", "streamcheck")
    trace, baseline = (os.path.join(folder, n) for n in ("sample.sct", "baseline.txt"))
    project = Project(prefix, folder, cmake, cuda_bin)
    project.build()
    said = project.test("sample", passes=False)
    need("SC-101" in said and "sample.c:" in said, said)
    said = project.test("sample-budget", passes=True)
    need("1 error" not in said, said)
    run(command, "baseline", "-o", baseline, trace)
    project.build(f"-DSAMPLE_BASELINE={baseline}")
    project.test("sample", passes=True)
    said = run(command, "analyze", f"--baseline={baseline}", trace)
    need("0 errors, 0 warnings" in said and "1 known" in said, said)
    said = run(command, "explain", "1", trace)
    need("SC-101" in said and "between:" in said and "sample.c:" in said, said)
    entry = run(command, "analyze", "--gen-suppressions", "--output=/dev/null", trace, code=66)
    with open(os.path.join(folder, "suppressions.txt"), "w", encoding="utf-8") as file:
        file.write(entry)
    said = run(command, "analyze", f"--suppressions={file.name}", trace)
    need("1 suppressed" in said, said)
    project.build("-DSAMPLE_FIXED=ON", "-DSAMPLE_BASELINE=")
    project.test("sample", passes=True)
    said = run(command, "analyze", f"--baseline={baseline}", trace)
    need("were not met" in said, said)
    said = run(command, "analyze", "--budget=copies=0", trace, code=66)
    need("budget copies: 1 used, 0 allowed" in said, said)
    said = run(command, "merge", os.path.dirname(trace))
    need("0 errors" in said, said)


def rows(path, pattern):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(pattern, file.read(), re.MULTILINE)


def check_printed(prefix):
    """Manual page and completions name every command, option and budget, and are sound."""
    commands = rows("cmds/command.def", r"^SC_COMMAND\((\w+),")
    options = rows("base/option.def", r'^SC_OPTION_\w+\(\w+, "([\w-]+)"')
    budgets = rows("cmds/budget.def", r'^SC_BUDGET\(\w+, "([\w-]+)"')
    need(len(commands) > 5 and len(options) > 15 and len(budgets) > 5, "the tables look different")
    page = os.path.join(prefix, "share/man/man1/streamcheck.1")
    with open(page, encoding="utf-8") as file:
        text = file.read().replace("\\-", "-")
    for word in commands + options + budgets:
        need(re.search(rf"(?<!\w){word}(?![\w-])", text), f"{page} lacks {word}")
    files = [("share/bash-completion/completions/streamcheck", ["bash", "-n"]),
             ("share/zsh/site-functions/_streamcheck", ["zsh", "-n"]),
             ("share/fish/vendor_completions.d/streamcheck.fish", ["fish", "-n"])]
    for name, checker in files:
        path = os.path.join(prefix, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for word in commands + options:
            need(re.search(rf"(?<!\w){word}(?![\w])", text), f"{path} lacks {word}")
        if shutil.which(checker[0]):
            run(*checker, path)
    if shutil.which("man"):
        got = subprocess.run(["man", "--warnings", "-l", "-E", "UTF-8", page], check=False,
                             capture_output=True, text=True,
                             env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        need(not got.returncode and not got.stderr and "EXIT STATUS" in got.stdout,
             got.stderr or got.stdout)
    complete = ("source {}; COMP_WORDS=(streamcheck run --requ); COMP_CWORD=2; "
                "_streamcheck streamcheck --requ run; echo ${{COMPREPLY[@]}}")
    path = os.path.join(prefix, files[0][0])
    said = run("bash", "-c", complete.format(path))
    need(said.strip() == "--require-cuda", said)
    complete = ("source {}; COMP_WORDS=(streamcheck run --device = s); COMP_CWORD=4; "
                "_streamcheck streamcheck s =; echo ${{COMPREPLY[@]}}")
    said = run("bash", "-c", complete.format(path))
    need(said.strip() == "sim", said)


def check_package(prefix, build, folder, cmake):
    """The archives hold the whole tree; pkg-config finds it; the matcher matches."""
    shutil.rmtree(folder, ignore_errors=True)
    cpack = os.path.join(os.path.dirname(cmake), "cpack")
    generators = ["TGZ"] + (["DEB"] if shutil.which("dpkg-deb") else [])
    run(cpack, "-G", ";".join(generators), "--config", os.path.join(build, "CPackConfig.cmake"),
        "-B", folder)
    wanted = ["bin/streamcheck", "lib/libstreamcheck.so", "lib/streamcheck/sim/libcuda.so.1",
              "lib/cmake/streamcheck/streamcheck-config.cmake", "lib/pkgconfig/streamcheck.pc",
              "share/man/man1/streamcheck.1"]
    listings = [run("tar", "-tzf", glob.glob(os.path.join(folder, "*.tar.gz"))[0])]
    if "DEB" in generators:
        package = glob.glob(os.path.join(folder, "*.deb"))[0]
        listings.append(run("dpkg-deb", "--contents", package))
        fields = run("dpkg-deb", "--field", package)
        need("Package: streamcheck" in fields and "Version: " in fields, fields)
    for listing in listings:
        for name in wanted:
            need(name in listing, f"{name} is not in:\n{listing}")
    if shutil.which("pkg-config"):
        said = run("pkg-config", "--variable=preload", "streamcheck",
                   env={**os.environ,
                        "PKG_CONFIG_PATH": os.path.join(prefix, "lib/pkgconfig")})
        need(os.path.exists(said.strip()), said)
    with open(os.path.join(ROOT, "docs/ci/problem-matcher.json"), encoding="utf-8") as file:
        pattern = json.load(file)["problemMatcher"][0]["pattern"][0]
    found = re.match(pattern["regexp"], "src/main.cu:40: error: host reads memory [SC-101]")
    need(found and found.group(pattern["file"], pattern["line"], pattern["severity"],
                               pattern["message"], pattern["code"]) ==
         ("src/main.cu", "40", "error", "host reads memory", "SC-101"), "the matcher is wrong")


def main():
    part, prefix, build, folder, cmake, cuda_bin = sys.argv[1:7]
    if part == "sample":
        check_sample(prefix, folder, cmake, cuda_bin)
    elif part == "printed":
        check_printed(prefix)
    else:
        check_package(prefix, build, folder, cmake)
    return 0


if __name__ == "__main__":
    sys.exit(main())
