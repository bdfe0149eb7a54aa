#!/usr/bin/env python3
"""Gates end to end. usage: gates.py sample|printed|package|ci PREFIX BUILD FOLDER CMAKE CUDA_BIN"""
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


def check_as_ci(project, command, code):
    """What docs/ci has a service do: all tests under one streamcheck, reports in files."""
    ctest = os.path.join(os.path.dirname(project.cmake), "ctest")
    files = {name: os.path.join(project.folder, "ci." + name) for name in ("sarif", "junit")}
    said = run(command, "run", "--device=sim", "--require-cuda", "--fail-on=error", "--format=github",
               *(f"--report={n}:{p}" for n, p in files.items()), "--", ctest, "--test-dir",
               project.folder, "-R", "^plain$", code=code)
    need(("::error file=" in said) == (code != 0), said)
    with open(files["sarif"], encoding="utf-8") as file:
        levels = [r["level"] for run_ in json.load(file)["runs"] for r in run_["results"]]
    need(("error" in levels) == (code != 0), f"SARIF says {levels}")
    with open(files["junit"], encoding="utf-8") as file:
        need(('failures="0"' in file.read()) == (code == 0), "JUnit says the opposite")


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
    check_as_ci(project, command, 66)
    run(command, "baseline", "-o", baseline, trace)
    project.build(f"-DSAMPLE_BASELINE={baseline}")
    project.test("sample", passes=True)
    said = run(command, "analyze", f"--baseline={baseline}", trace)
    need("0 errors, 0 warnings" in said and "1 known" in said, said)
    said = run(command, "explain", "1", trace)
    need("SC-101" in said and "between:" in said and "sample.c:" in said, said)
    entry = run(command, "analyze", "--gen-suppressions", "--html=no", "--output=/dev/null",
                f"--source-root={HERE}", trace, code=66)
    with open(os.path.join(folder, "suppressions.txt"), "w", encoding="utf-8") as file:
        file.write(entry)
    said = run(command, "analyze", f"--suppressions={file.name}", trace)
    need("1 suppressed" in said, said)
    project.build("-DSAMPLE_FIXED=ON", "-DSAMPLE_BASELINE=")
    project.test("sample", passes=True)
    check_as_ci(project, command, 0)
    said = run(command, "analyze", f"--baseline={baseline}", trace)
    need("no longer occur" in said, said)
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
    if shutil.which("man"):
        got = subprocess.run(["man", "--warnings", "-l", "-E", "UTF-8", page], check=False,
                             capture_output=True, text=True,
                             env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        need(not got.returncode and not got.stderr and "EXIT STATUS" in got.stdout,
             got.stderr or got.stdout)
    path = os.path.join(prefix, "share/bash-completion/completions/streamcheck")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for word in commands + options:
        need(re.search(rf"(?<!\w){word}(?![\w])", text), f"{path} lacks {word}")
    run("bash", "-n", path)
    complete = ("source {}; COMP_WORDS=(streamcheck run --requ); COMP_CWORD=2; "
                "_streamcheck streamcheck --requ run; echo ${{COMPREPLY[@]}}")
    said = run("bash", "-c", complete.format(path))
    need(said.strip() == "--require-cuda", said)
    complete = ("source {}; COMP_WORDS=(streamcheck run --device = s); COMP_CWORD=4; "
                "_streamcheck streamcheck s =; echo ${{COMPREPLY[@]}}")
    said = run("bash", "-c", complete.format(path))
    need(said.strip() == "sim", said)


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


def check_ci():
    """The templates are sound: YAML, shell, and options that there are."""
    options = rows("base/option.def", r'^SC_OPTION_\w+\(\w+, "([\w-]+)"')
    formats = rows("reports/report.def", r'^SC_REPORT\(\w+, "(\w+)"')
    for name in ("github.yml", "gitlab.yml"):
        with open(os.path.join(ROOT, "docs/ci", name), encoding="utf-8") as file:
            text = file.read()
        try:
            import yaml
            steps = list(shell_of(yaml.safe_load(text)))
            need(steps, f"{name} runs nothing")
        except ImportError:
            steps = []
        for step in steps:
            run("bash", "-n", "-c", step)
        call = re.search(r"streamcheck run(.*?)-- ctest", text, re.S)[1]
        for option, value in re.findall(r"--([\w-]+)(?:=(\S+))?", call):
            need(option in options, f"{name}: there is no option {option}")
            if option in ("report", "format"):
                need(value.split(":")[0] in formats, f"{name}: there is no format {value}")


def run_template(name, prefix, folder, cuda_bin, cflags):
    """Runs every step of a template in a project of its own; exit codes, what was said, what is in reports/."""
    import yaml
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "plain"), folder)
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    with open(os.path.join(tools, "apt-get"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "$@" >>apt-get.said\n')
    os.chmod(file.name, 0o755)
    env = {**os.environ, "PATH": os.pathsep.join([tools, os.path.join(prefix, "bin"), cuda_bin, os.environ["PATH"]]),
           "CUDAToolkit_ROOT": os.path.dirname(cuda_bin), "CFLAGS": cflags,
           "PLAIN_SOURCE": os.path.join(HERE, "sample", "sample.c")}
    with open(os.path.join(ROOT, "docs/ci", name), encoding="utf-8") as file:
        steps = list(shell_of(yaml.safe_load(file)))
    done = [subprocess.run(["bash", "-e", "-c", step], cwd=folder, env=env, check=False, timeout=200,
                           capture_output=True, text=True) for step in steps]
    with open(os.path.join(folder, "apt-get.said"), encoding="utf-8") as file:
        need("./streamcheck_*.deb" in file.read(), f"{name} does not install streamcheck")
    return [d.returncode for d in done], "".join(d.stdout + d.stderr for d in done), \
        sorted(os.listdir(os.path.join(folder, "reports")))


def check_templates(prefix, folder, cuda_bin):
    """The steps of the templates fail on the bug and pass without it, and leave their reports."""
    try:
        import yaml
    except ImportError:
        print("skipped: no module yaml")
        return SKIPPED
    if not shutil.which("ninja"):
        print("skipped: no ninja")
        return SKIPPED
    del yaml
    for name, wanted in (("github.yml", ["streamcheck.sarif", "streamcheck.txt", "streamcheck.xml"]),
                         ("gitlab.yml", ["streamcheck.html", "streamcheck.txt", "streamcheck.xml"])):
        for cflags, code in (("", 66), ("-DFIXED", 0)):
            codes, said, reports = run_template(name, prefix, folder, cuda_bin, cflags)
            need(codes == [0] * (len(codes) - 1) + [code], f"{name} {cflags}: {codes}\n{said}")
            need(reports == wanted, f"{name} {cflags} leaves {reports}")
            need(name != "github.yml" or ("::error file=" in said) == (code != 0), said)
    return 0


def shell_of(part):
    """Every piece of shell in a template."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "run":
                yield value
            elif key == "script":
                yield from value
            else:
                yield from shell_of(value)
    elif isinstance(part, list):
        for item in part:
            yield from shell_of(item)


def check_project(root, folder, cmake, cuda_bin):
    """A project finds the unpacked package, and its test is gated by it."""
    project = Project(root, folder, cmake, cuda_bin)
    project.build()
    said = project.test("sample", passes=False)
    need("SC-101" in said and "sample.c:" in said, said)


def check_package(prefix, build, folder, cmake, cuda_bin):
    """The archives hold the whole tree; pkg-config finds it; the matcher matches."""
    shutil.rmtree(folder, ignore_errors=True)
    cpack = os.path.join(os.path.dirname(cmake), "cpack")
    generators = ["TGZ"] + (["DEB"] if shutil.which("dpkg-deb") else [])
    run(cpack, "-G", ";".join(generators), "--config", os.path.join(build, "CPackConfig.cmake"),
        "-B", folder)
    wanted = ["bin/streamcheck", "lib/libstreamcheck.so", "lib/streamcheck/sim/libcuda.so.1",
              "lib/cmake/streamcheck/streamcheck-config.cmake", "lib/pkgconfig/streamcheck.pc",
              "lib/streamcheck/libdw.so.1", "share/doc/streamcheck/LICENSE",
              "share/doc/streamcheck/licenses/third-party.txt", "share/man/man1/streamcheck.1"]
    listings = [run("tar", "-tzf", glob.glob(os.path.join(folder, "*.tar.gz"))[0])]
    if "DEB" in generators:
        package = glob.glob(os.path.join(folder, "*.deb"))[0]
        listings.append(run("dpkg-deb", "--contents", package))
        fields = run("dpkg-deb", "--field", package)
        need("Package: streamcheck" in fields and "Version: " in fields, fields)
        need(re.search(r"Depends: libc6 \(>= 2\.\d+\)", fields), fields)
    for listing in listings:
        for name in wanted:
            need(name in listing, f"{name} is not in:\n{listing}")
    roots = [os.path.join(folder, "deb"), os.path.join(folder, "tgz")]
    for root in roots:
        os.mkdir(root)
    run("tar", "-xzf", glob.glob(os.path.join(folder, "*.tar.gz"))[0], "--strip-components=1", "-C", roots[1])
    check_unpacked(os.path.dirname(os.path.dirname(glob.glob(roots[1] + "/**/bin/streamcheck",
                                                             recursive=True)[0])), folder)
    if "DEB" in generators:
        need("Maintainer: " in fields and "streamcheck@localhost" not in fields, fields)
        run("dpkg-deb", "--extract", package, roots[0])
        check_unpacked(os.path.join(roots[0], "usr"), folder)
        check_project(os.path.join(roots[0], "usr"), os.path.join(folder, "project"), cmake, cuda_bin)
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
    elif part == "ci":
        check_ci()
        return check_templates(prefix, folder, cuda_bin)
    else:
        check_package(prefix, build, folder, cmake, cuda_bin)
    return 0


if __name__ == "__main__":
    sys.exit(main())
