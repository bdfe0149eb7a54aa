#!/usr/bin/env python3
"""Other tools, allocators and languages in the same process: each works as alone, and we as without it.

usage: test_neighbours.py NAME PREFIX CUDA-INCLUDES CUDA-LIBRARIES ROOT BUILD   (77: it is not installed)
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import checked

SKIPPED = 77
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
NODE = """
const { spawnSync } = require("child_process");
const child = spawnSync("sh", ["-c", "echo child; exit 3"], { encoding: "utf8" });
console.log(child.status, child.stdout, child.stderr);
setTimeout(() => { console.error("end"); process.exitCode = 7; }, 1);
"""
RUST = """
use std::sync::{Arc, Condvar, Mutex};
fn main() {
    std::panic::set_hook(Box::new(|_| eprintln!("panicked")));
    let pair = Arc::new((Mutex::new(0), Condvar::new()));
    let threads: Vec<_> = (0..4).map(|i| { let pair = pair.clone(); std::thread::spawn(move || {
        *pair.0.lock().unwrap() += i; pair.1.notify_all(); }) }).collect();
    drop(pair.1.wait_while(pair.0.lock().unwrap(), |sum| *sum < 6).unwrap());
    for thread in threads { thread.join().unwrap(); }
    let child = std::process::Command::new("sh").args(["-c", "echo child; exit 3"]).status().unwrap();
    println!("{:?}", std::panic::catch_unwind(|| panic!("expected")).is_err());
    eprintln!("end");
    std::process::exit(child.code().unwrap() + 4);
}
"""


def skip(what):
    print(f"{what} is not installed")
    sys.exit(SKIPPED)


def need(tool):
    found = shutil.which(tool) or shutil.which(os.path.expanduser(f"~/.cargo/bin/{tool}"))
    return found or skip(tool)


def need_library(name):
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(folder, name))):
            return path
    return skip(name)


def build(*command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stdout.decode()}")


class Neighbours:
    """The tests: each returns what is wrong."""

    def __init__(self, arguments, folder):
        self.prefix, self.includes, self.libraries, self.root, self.build = arguments
        self.folder = folder

    def program(self, name):
        return os.path.join(self.build, "testcases", "sim", name)

    def judge(self, what, result, rules):
        found = sorted({f["rule"] for f in result.findings if f["confidence"] == "proven"})
        code = 66 if rules else 0
        if found == rules and result.code == code and result.report:
            return []
        return [f"{what}: exit code {result.code}, found {found}, not {rules}\n{result.err}"]

    def both(self, what, mode, command, extra, wanted):
        """A program with a race and its fixed variant: command makes arguments of a program's name."""
        wrong = []
        for name, rule in wanted:
            for variant, rules in (("", [rule]), ("-fixed", [])):
                first, *rest = command(name, variant)
                result = checked.check(self.prefix, first, mode, "sim", "lazy", rest, (), extra)
                wrong += self.judge(f"{what} {mode} {name}{variant}", result, rules)
        return wrong

    def library(self, library, **more):
        """Preloaded before us and after us, with a program of CUDA and one without."""
        ours, wrong = checked.library(self.prefix), []
        wanted = (("cross_stream_read_write", "SC-106"), ("host_memory_ends", "SC-104"))
        for order in (f"{library}:{ours}", f"{ours}:{library}"):
            wrong += self.both(order, "bare", lambda name, v: [self.program(name + v)],
                               {"LD_PRELOAD": order, **more}, wanted)
            wrong += self.unchanged([sys.executable, "-c", "import os, sys; sys.exit(os.system("
                                     "'echo child; exit 3') >> 8)"], order, {"LD_PRELOAD": library, **more})
        return wrong

    def audited(self):
        """The loader gives programs that are audited little thread-local memory."""
        source = os.path.join(self.folder, "audit.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("unsigned la_version(unsigned version) { return version; }\n")
        build("gcc", "-shared", "-fPIC", "-o", "audit.so", source, folder=self.folder)
        extra = {"LD_PRELOAD": checked.library(self.prefix), "LD_AUDIT": os.path.join(self.folder, "audit.so")}
        return self.both("audited", "bare", lambda name, v: [self.program(name + v)], extra,
                         (("cross_stream_read_write", "SC-106"), ("host_memory_ends", "SC-104")))

    def unchanged(self, command, order, alone=None):
        """Without CUDA: results, output and exit code are those that it has without us."""
        env = dict(os.environ, **(alone or {}))
        want = checked.run(command, env, self.folder)
        got = checked.run(command, dict(env, LD_PRELOAD=order), self.folder)
        return [] if want == got else [f"{command[0]} {order}: {got}, alone {want}"]

    def valgrind(self):
        tool = need("valgrind")
        wanted = (("cross_stream_read_write", "SC-106"),)
        wrong = []
        for mode in ("bare", "run"):
            wrong += self.both("valgrind", mode, lambda name, v: [
                tool, "-q", self.program(name + v)], None, wanted)
        return wrong

    def compiled(self, flag, name, variant):
        path = os.path.join(self.folder, f"{name}{variant} {flag}")
        source, = glob.glob(os.path.join(self.root, "testcases", "rules", "**", f"{name}.cu"), recursive=True)
        if not os.path.exists(path):
            build("g++", "-g", "-std=c++17", *flag.split(), *(["-DFIXED"] if variant else []),
                  f"-I{self.includes}", f"-I{self.root}", "-x", "c++", source, "-o", path,
                  f"-L{self.libraries}", "-lcudart", folder=self.folder)
        return [path]

    def sanitizer(self, flag, extra):
        wrong = []
        wanted = (("cross_stream_read_write", "SC-106"), ("host_read_before_sync", "SC-101"))
        for mode in ("bare", "run"):
            wrong += self.both(flag, mode, lambda name, v: self.compiled(flag, name, v),
                               extra if mode == "bare" else None, wanted)
        return wrong

    def check(self, name):
        ours = checked.library(self.prefix)
        if name in ("tcmalloc_minimal", "jemalloc", "mimalloc"):
            return self.library(need_library(f"lib{name}.so.[0-9]*"))
        if name == "own":
            return self.library(os.path.join(self.build, "tests", "e2e", "neighbours",
                                               "libneighbour.so"))
        if name == "malloc_debug":
            return self.library(need_library("libc_malloc_debug.so.0"), MALLOC_CHECK_="3")
        if name == "faketime":
            return self.library(need_library("faketime/libfaketime.so.1"), FAKETIME="-1d")
        if name == "audit":
            return self.audited()
        if name == "valgrind":
            return self.valgrind()
        if name == "asan":
            return (self.sanitizer("-fsanitize=address",
                                   {"ASAN_OPTIONS": "verify_asan_link_order=0"}) +
                    self.sanitizer("-static-libasan -fsanitize=address", None))
        if name == "tsan":
            return self.sanitizer("-fsanitize=thread", None)
        if name == "node":
            return self.unchanged([need("node"), "-e", NODE], ours)
        source = os.path.join(self.folder, "program.rs")
        with open(source, "w", encoding="utf-8") as file:
            file.write(RUST)
        build(need("rustc"), "-o", "program", source, folder=self.folder)
        return self.unchanged([os.path.join(self.folder, "program")], ours)


def main():
    name = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="streamcheck-neighbour-") as folder:
        wrong = Neighbours([os.path.abspath(a) for a in sys.argv[2:]], folder).check(name)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
