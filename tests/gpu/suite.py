#!/usr/bin/env python3
"""The GPU suite; started by tests/gpu/run. usage: suite.py PREFIX FOLDER-FOR-RESULTS [NAME...]

With names, only test cases whose names contain one of them are run, and their reports are printed.
PARTS in the environment chooses parts, by the names in the tuple PARTS below. WAYS=2 runs each test
case in two of the four ways only, in turn. What is done is shown and kept, also where time runs out
(SIGTERM).
"""
import collections
import concurrent.futures
import functools
import glob
import json
import lzma
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

import checked
import compare
import device_times
import expectation
import frameworks
import kernels
import libraries
import likely
import nccl
import operands
import random_run
import ranks
import recorded
import sources
import survey
import table
import tensors
import test_launch_times
import test_threads
import torch_cost
import textures
import verdict
import versions

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
JOBS = min(12, os.cpu_count() or 1)  # more of them wait for the driver
PAIRED_RUNS = 5
ROUNDS = 12
RANDOM_KERNELS, RANDOM_LAUNCHES = 1000, 100
SWEPT_CALLS, SWEPT_SEEDS = 150, 8
RANDOM_SHRUNK = 6  # of those that differ
UNSEEN = {"gpu": ("error_query",), "sim": ()}  # NVIDIA's static runtime answers cudaGetLastError without a call
RUNTIME_NAMES = ("libcudart.so.13",)


def find_runtime():
    """The folder with the toolkit's own shared runtime, or None."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    nvcc = shutil.which("nvcc")
    if nvcc:
        top = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
        folders += [f"{top}/lib64", f"{top}/lib", f"{top}/targets/x86_64-linux/lib"]
    folders += ["/usr/local/cuda/lib64", "/usr/local/cuda/lib"]
    for top in [*sys.path, "/opt", "/usr/local"]:
        folders += glob.glob(f"{top}/nvidia/cu13/lib") + glob.glob(f"{top}/cuda*/lib64")
    for folder in folders:
        if folder and all(os.path.exists(os.path.join(folder, n)) for n in RUNTIME_NAMES):
            return folder
    return None


def devices_for(source, number):
    """One device in turn for a test case that needs no more: setting up takes most of its time."""
    count = len(about_machine().splitlines())
    if count < 2 or "CUDA_VISIBLE_DEVICES" in os.environ or "need_devices" in "".join(source.lines):
        return {}
    return {"CUDA_VISIBLE_DEVICES": str(number % count)}


def unpack(prefix, folder):
    """The built test cases: carried as an archive, or lying there."""
    archive = os.path.join(prefix, "testcases.tar.xz")
    if os.path.isdir(os.path.join(prefix, "testcases")):
        return os.path.join(prefix, "testcases")
    if not os.path.exists(archive):
        return None
    with lzma.open(archive) as file, tarfile.open(fileobj=file, mode="r|") as tar:
        tar.extractall(folder)
    return folder


class Suite:
    """All parts; each adds rows (what, how, verdict, details)."""

    def __init__(self, prefix, folder, names, out):
        self.prefix = prefix
        self.out = out
        self.names = names
        self.programs = unpack(prefix, folder)
        self.rows = []
        self.failed = 0
        self.begun = time.monotonic()

    def add(self, what, how, word, details=""):
        self.rows.append((what, how, word, details))
        self.failed += word == "FAIL"
        if self.out:  # a suite that is killed has said what it knew
            with open(os.path.join(self.out, "rows.txt"), "a", encoding="utf-8") as file:
                file.write(f"{time.monotonic() - self.begun:6.1f} s  {word:4}  {what}  {how}  {details}\n")

    def case(self, source, variant, kind, mode, devices):
        name = expectation.program_name(source.path, variant)
        program = os.path.join(self.programs, kind, name)
        if not os.path.exists(program):
            return name, kind, mode, None, None
        result = checked.check(self.prefix, program, mode, "gpu", options=source.options,
                               extra={**devices, **source.env})
        return name, kind, mode, result, verdict.judge(source, variant, result, mode, UNSEEN[kind])

    def sources(self):
        for path in expectation.paths():
            if not self.names or any(name in path for name in self.names):
                yield expectation.Source(path)

    def ways(self, kinds, number):
        """(runtime, mode) in which a test case runs; two of them cover both runtimes and both modes."""
        ways = [(kind, mode) for kind in kinds for mode in ("run", "bare")]
        if os.environ.get("WAYS") != "2" or len(ways) < 4:
            return ways
        return [ways[0], ways[3]] if number % 2 else [ways[1], ways[2]]

    def cases(self, kinds):
        work = [(source, variant) for source in self.sources() for variant in source.expected]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            begun = [[pool.submit(self.case, source, variant, kind, mode,
                                  devices_for(source, number))
                      for kind, mode in self.ways(kinds, number)]
                     for number, (source, variant) in enumerate(work)]
            try:
                for runs in begun:
                    done = [run.result() for run in runs]
                    self.add_case(done[0][0], [run[1:] for run in done])
            finally:
                pool.shutdown(cancel_futures=True)

    def add_case(self, name, runs):
        """One row if all ways agree, else one for each that does not."""
        good = [r for r in runs if r[3] and r[3].word == "ok"]
        skipped = [r for r in runs if not r[3] or r[3].skipped]
        if good:
            ways = f"{len(good)} of {len(runs)} ways"
            self.add(name, ways, "ok", table.found(good[0][2]))
        if skipped:
            reason = skipped[0][3].skipped if skipped[0][3] else "not carried"
            self.add(name, f"{len(skipped)} of {len(runs)} ways", "SKIP", reason)
        for kind, mode, result, got in runs:
            how = {"sim": "shared", "gpu": "static"}[kind] + " " + mode
            if got and got.wrong:
                self.add(name, how, "FAIL", "; ".join(got.wrong))
            if got and (got.wrong or self.names):
                print(f"---- {name} {how}\n{result.out[-500:]}{result.err[-9000:]}", flush=True)

    def torch(self):
        script = os.path.join(HERE, "torch_smoke.py")
        env = dict(os.environ, CUBLAS_WORKSPACE_CONFIG=":4096:8")
        code, alone, err = checked.run([sys.executable, script], env)
        if code:
            reason = (err.strip().splitlines() or [f"exit code {code}"])[-1]
            self.add("PyTorch", "alone", "SKIP", reason)
            return
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            env["LD_PRELOAD"] = checked.library(self.prefix)
            env["STREAMCHECK_OPTIONS"] = f"format=json:output={path}"
            code, out, err = checked.run([sys.executable, script], env)
            report = checked.read_report(path)
        self.add_torch(code, out == alone, report, err)

    def add_torch(self, code, is_same, report, err):
        if not report:
            self.add("PyTorch", "bare", "FAIL", f"no report; exit code {code}; {err[-300:]}")
            return
        proven = [f for f in report["findings"] if f["confidence"] == "proven"
                  and f["severity"] == "error"]
        wrong = [] if is_same else ["results differ"]
        wrong += [expectation.describe(f) for f in proven]
        wrong += [f"exit code {code}"] if code else []
        details = f"{report['coverage']['ops']} ops, {len(report['findings'])} findings"
        self.add("PyTorch", "bare", "FAIL" if wrong else "ok", "; ".join([*wrong, details]))
        for finding in report["findings"]:
            print("PyTorch:", expectation.describe(finding))

    def frameworks(self):
        """Programs of Python frameworks, with device times where CUPTI gives them."""
        for row in frameworks.rows(self.prefix, self.names, ["device-times=yes"]):
            self.add(*row)

    def recorded(self):
        """Recorded footprints against executed ones, and what they make of programs of frameworks."""
        folders = ("kernels", "footprints", "seeds", "silent")  # others race for what they touch
        programs = [(os.path.join(self.programs or "", "sim", expectation.program_name(source.path, "")), source.env)
                    for source in self.sources() if expectation.folder_of(source.path) in folders]
        programs = [(path, env) for path, env in programs if os.path.exists(path)]
        if programs:
            for row in recorded.rows(self.prefix, programs):
                self.add(*row)
        else:
            self.add("recorded footprints", "test cases", "SKIP", "none of these are here")
        for what, how, word, details in frameworks.rows(self.prefix, self.names, ["footprints=recorded"]):
            self.add(what, f"{how}, recorded", word, details)

    def likely(self):
        """What recordings make of likely findings."""
        runs = [*likely.script_runs(self.names), *likely.case_runs(os.path.join(self.programs or "", "gpu"), self.sources())]
        for row in likely.rows(self.prefix, runs, "gpu", self.out):
            self.add(*row)

    def libraries(self):
        for row in libraries.rows(self.prefix, os.path.join(self.programs or "", "libraries")):
            self.add(*row)

    def operands(self):
        """Documented operands against recordings, call by call."""
        for name in ("sweep", "sweep_sparse"):
            program = os.path.join(self.programs or "", "operands", name)
            if not os.path.exists(program):
                self.add("operands", name, "SKIP", "not carried")
                continue
            for row in operands.rows(self.prefix, program, SWEPT_CALLS, range(1, SWEPT_SEEDS + 1)):
                self.add(*row)

    def ranks(self):
        """Several ranks, by an MPI that takes device memory."""
        for row in ranks.rows(self.prefix, os.path.join(self.programs or "", "ranks")):
            self.add(*row)

    def nccl(self):
        """Several ranks, by NVIDIA's NCCL, each with a device of its own."""
        devices = len(about_machine().splitlines())
        for row in nccl.rows(self.prefix, os.path.join(self.programs or "", "nccl"), devices, self.names):
            self.add(*row)

    def versions(self):
        """NVIDIA's own runtimes of other versions of CUDA."""
        folder = os.path.join(self.programs or "", "versions")
        if not os.path.isdir(folder):
            self.add("versions", "-", "SKIP", "not carried")
            return
        for row in versions.rows(checked, self.prefix, folder):
            self.add(*row)

    def live(self):
        """What is said while a program runs, and parts of a run: the tests of the simulated device."""
        for name, script, program in (("live", "live/test_live.py", "service"), ("windows", "windows/test_windows.py", "windows")):
            program = os.path.join(self.programs or "", "live", program)
            if not os.path.exists(program):
                self.add(name, "-", "SKIP", "not carried")
                continue
            command = [sys.executable, os.path.join(ROOT, "tests", "e2e", script), self.prefix, program]
            code, _, err = checked.run(command, dict(os.environ, STREAMCHECK_TEST_DEVICE="gpu"))
            print(f"---- {name}\n{err}", flush=True)
            self.add(name, "run", "FAIL" if code else "ok", ", ".join(err.strip().splitlines()[-3::2]))

    def reproduced(self):
        """Reproducers of findings, compiled and run here: the test of the simulated device."""
        nvcc, runtime = shutil.which("nvcc"), find_runtime()
        if not nvcc or not runtime:
            self.add("reproducers", "-", "SKIP", "no nvcc, or no shared runtime")
            return
        script = os.path.join(ROOT, "extensions", "repair", "tests", "reproduced.py")
        command = [sys.executable, script, "chosen", os.path.join(self.prefix, "bin", "streamcheck"), nvcc, runtime,
                   os.path.join(ROOT, "tests", "traces")]
        done = subprocess.run(command, env=dict(os.environ, STREAMCHECK_TEST_DEVICE="gpu", STREAMCHECK_TEST_DEVICES=str(len(about_machine().splitlines()))),
                              capture_output=True, text=True, check=False)
        print(f"---- reproducers\n{done.stdout}{done.stderr}", flush=True)
        self.add("reproducers", "run", "FAIL" if done.returncode else "ok",
                 (done.stdout.strip().splitlines() or [done.stderr[-300:]])[-1])

    def bench(self):
        program = os.path.join(self.programs or "", "record")
        if not os.path.exists(program):
            self.add("bench/record", "-", "SKIP", "not carried")
            return
        for options in ("", "device-times=yes", "source=cupti", "source=cupti:device-times=yes"):
            env = dict(os.environ, RECORD_OPTIONS=options)
            code, out, err = checked.run([program, checked.library(self.prefix)], env)
            print(f"---- bench/record {options}\n{out}{err}", flush=True)
            launch = next((line.split()[-1] for line in out.splitlines()
                           if line.startswith("kernel launch")), "?")
            self.add("bench/record", options or "hooks", "FAIL" if code else "ok",
                     f"exit code {code}, launch-bound {launch}x, see above")
        self.paired(program)
        self.variants(program)

    def variants(self, program):
        """Whole runs in turn: the best of many, since the machine is not ours alone."""
        script = os.path.join(self.programs, "variants.py")
        chosen = ("hooks", "CUPTI alone: kernels", "times")
        code, out, err = checked.run([sys.executable, script, f"--rounds={ROUNDS}",
                                      *(f"--only={name}" for name in chosen), program,
                                      checked.library(self.prefix)], dict(os.environ))
        print(f"---- bench/variants.py\n{out}{err if code else ''}", flush=True)
        for title, table_of in zip(("best", "median"), out.split("median")):
            ratios = {line[:36].strip(): line[36:].split()[1] for line in table_of.splitlines()
                      if line[:36].strip() in chosen}
            ratios_text = ", ".join(f"{name} {ratio}x" for name, ratio in ratios.items())
            self.add("bench/variants", f"{title} of {ROUNDS} rounds",
                     "FAIL" if code or not ratios_text else "ok", f"launch-bound: {ratios_text}")

    def paired(self, program):
        """Calls made in turn through the library and past it: runs differ by more than a launch costs."""
        ratios = collections.defaultdict(list)
        failed = 0
        for _ in range(PAIRED_RUNS):
            with tempfile.TemporaryDirectory() as folder:
                env = dict(os.environ, LD_PRELOAD=checked.library(self.prefix),
                           STREAMCHECK_OPTIONS=f"analyze=no:trace={folder}/trace.sct")
                code, out, err = checked.run([program, "--paired"], env)
            print(f"---- bench/record --paired\n{out}{err}", flush=True)
            failed += code != 0
            for line in out.splitlines():
                ratios[line[:24].strip()].append(float(line.split()[-1]))
        ratios_text = ", ".join(f"{name} {statistics.median(found):.3f}x" for name, found in ratios.items())
        self.add("bench/record", "in turn", "FAIL" if failed or not ratios else "ok", ratios_text)

    def events(self):
        program = os.path.join(self.programs or "", "timed")
        if not os.path.exists(program):
            self.add("device times", "-", "SKIP", "not carried")
            return
        word, details = device_times.compare_with_events(self.prefix, program)
        self.add("device times", "against cudaEvent", word, details)

        self.launches()

    def launches(self):
        """Each launch has the time of its own kernel, by how long each kernel works."""
        program = os.path.join(self.programs or "", "launches")
        for name, arguments in (("one thread", ["1"]), ("a second one later", ["2", "second"])):
            number, wrong = test_launch_times.wrong_of(self.prefix, program, arguments, "gpu")
            print("\n".join(wrong[:20]), flush=True)
            self.add("device times of launches", name, "FAIL" if wrong else "ok",
                     f"{number} launches" if not wrong else f"{len(wrong)} wrong: {wrong[0]}")

    def parity(self):
        """Both sources of calls give the same ops for each test case."""
        programs = sorted(glob.glob(os.path.join(self.programs or "", "gpu", "*")))
        programs = [p for p in programs if not self.names or any(n in p for n in self.names)]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            done = list(pool.map(lambda p: sources.compare(self.prefix, p), programs))
        for program, (word, details) in zip(programs, done):
            if word == "FAIL":
                self.add(os.path.basename(program), "parity of sources", word, details)
        for word in ("same", "SKIP"):
            count = sum(1 for got in done if got[0] == word)
            other = sum(1 for got in done if got[0] == word and got[1])
            if count:
                self.add("parity of sources", f"{count} of {len(programs)}",
                         "ok" if word == "same" else word,
                         f"{other} in another order, or with other answers" if word == "same" else done[0][1])

    def training(self):
        """PyTorch's losses and time, and its profiler beside ours."""
        runs = device_times.torch_runs(self.prefix, hooks="analyze=no",
                                       times="analyze=no:device-times=yes")
        code, losses, alone, err = runs.pop("alone")
        if code:
            self.add("PyTorch training", "alone", "SKIP", (err.strip().splitlines() or ["?"])[-1])
            return
        for how, (code, out, seconds, err) in runs.items():
            word = "FAIL" if code or out != losses else "ok"
            self.add("PyTorch training", how, word,
                     f"{seconds / alone:.3f}x of {alone:.3f} s" if word == "ok" else err[-300:])
        runs = device_times.torch_runs(self.prefix, ["profile"], times="device-times=yes")
        code, out, _, err = runs["times"]
        said = next((line for line in err.splitlines() if "uses CUPTI" in line), "nothing said")
        word = "ok" if not code and out == runs["alone"][1] and "uses CUPTI" in said else "FAIL"
        self.add("PyTorch's profiler", "beside device times", word, said.strip())
        if word == "FAIL":
            print(out, runs["alone"][1], err[-3000:], flush=True)


    def cost(self):
        """Training loops with and without streamcheck, in turn."""
        for row in torch_cost.rows(checked.library(self.prefix)):
            self.add(*row)

    def threads(self):
        """Host threads on a real driver: a release after the wait is seen, a late one is not."""
        folder = os.path.join(self.programs or "", "threads")
        if not os.path.isdir(folder):
            self.add("host threads", "-", "SKIP", "not carried")
            return
        device = test_threads.GPU
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            begun = [pool.submit(test_threads.wrong_of, self.prefix, folder, part, device)
                     for part in test_threads.PARTS]
        for part, run in zip(test_threads.PARTS, begun):
            try:
                wrong = run.result()
            except OSError as error:  # not carried: the others count all the same
                wrong = [str(error)]
            self.add("host threads", part, "FAIL" if wrong else "ok", "; ".join(wrong))

    def guard(self):
        """What the page guard costs, and whether all results stay the same."""
        program = os.path.join(self.programs or "", "guard")
        if not os.path.exists(program):
            self.add("bench/guard", "-", "SKIP", "not carried")
            return
        code, out, err = checked.run([program, checked.library(self.prefix)], dict(os.environ))
        print(f"---- bench/guard\n{out}{err}", flush=True)
        self.add("bench/guard", "off, sparse, full", "FAIL" if code else "ok",
                 f"exit code {code}, see above")

    def executor(self):
        """What a GPU computes, instruction by instruction, against the table that the executor is tested with."""
        program = os.path.join(self.programs or "", "run_kernels")
        if not os.path.exists(program):
            self.add("executor", "-", "SKIP", "not carried")
            return
        variants = list(kernels.read_variants())
        with tempfile.TemporaryDirectory() as folder:
            results, err = kernels.run(program, folder, variants, dict(os.environ))
        if results is None:
            self.add("executor", "-", "FAIL", err.strip())
            return
        if self.out:
            kernels.write_table(os.path.join(self.out, "table.txt.xz"), zip(variants, results))
        table_of = kernels.read_table() if os.path.exists(kernels.TABLE) else {}
        wrong = list(compare.differences(variants, results, table_of))
        for text, what in wrong:
            print(f"executor: {text}: {what}", flush=True)
        self.add("executor", f"{len(variants)} instructions", "FAIL" if wrong else "ok",
                 f"{len(wrong)} are not as in tests/executor/table.txt.xz")

    def random(self):
        """Random kernels on the GPU and on the simulated device."""
        program = os.path.join(self.programs or "", "run_random")
        simulated = os.path.join(self.prefix, "lib", "streamcheck", "sim")
        if not os.path.exists(program) or not os.path.exists(simulated):
            self.add("random kernels", "-", "SKIP", "not carried")
            return
        seeds = range(int(os.environ.get("SEEDS", RANDOM_KERNELS)))
        results, messages = random_run.run_seeds(program, seeds, "", RANDOM_LAUNCHES)
        again, _ = random_run.run_seeds(program, seeds, "", RANDOM_LAUNCHES)
        expected, others = random_run.run_seeds(program, seeds, simulated, RANDOM_LAUNCHES)
        if self.out:
            random_run.write_table(os.path.join(self.out, "random.txt"), results)
        unsteady = [seed for seed in seeds if results[seed] != again[seed]]
        wrong = [seed for seed in seeds if not results[seed] or results[seed] != expected[seed]]
        for message in messages + others:
            print(f"random: {message}", flush=True)
        print(f"random: not the same twice on the GPU: {unsteady}\nrandom: differ: {wrong}", flush=True)
        for seed in wrong[:RANDOM_SHRUNK]:
            salt = next((i + 1 for i, (a, b) in enumerate(zip(results[seed], expected[seed])) if a != b), 1)
            print(random_run.explain(program, ("", simulated), seed, salt), flush=True)
        self.add("random kernels", f"{sum(map(len, results.values()))} launches",
                 "FAIL" if wrong or unsteady else "ok",
                 f"{len(wrong)} of {len(seeds)} kernels compute something else on the simulated device")

    def textures(self):
        """Fetches from textures on the GPU and on the simulated device, bit by bit."""
        program = os.path.join(self.programs or "", "run_textures")
        simulated = os.path.join(self.prefix, "lib", "streamcheck", "sim")
        if not os.path.exists(program) or not os.path.exists(simulated):
            self.add("textures", "-", "SKIP", "not carried")
            return
        rows, err = textures.run(program, "")
        if rows is None:
            self.add("textures", "-", "FAIL", err.strip())
            return
        expected, _ = textures.run(program, simulated)
        if self.out:
            for name, lines in (("textures.txt", rows), ("textures-simulated.txt", expected)):
                with open(os.path.join(self.out, name), "w", encoding="ascii") as file:
                    file.write("".join(line + "\n" for line in lines))
        wrong, other = textures.compare(expected, rows)
        for line in wrong + other:
            print(f"textures: {line}", flush=True)
        self.add("textures", f"{len(rows)} fetches and answers", "FAIL" if wrong else "ok",
                 f"{len(wrong)} other on the simulated device, {len(other)} others within a step of a weight")

    def tensors(self):
        """Copies of tiles by tensor maps on the GPU and on the simulated device, bit by bit."""
        program = os.path.join(self.programs or "", "run_tensors")
        simulated = os.path.join(self.prefix, "lib", "streamcheck", "sim")
        if not os.path.exists(program) or not os.path.exists(simulated):
            self.add("tensor maps", "-", "SKIP", "not carried")
            return
        rows = tensors.run(program, "dump" if self.out else "sums", "", JOBS)
        expected = tensors.run(program, "sums", simulated, 2)
        if self.out:
            with lzma.open(os.path.join(self.out, "tensors.txt.xz"), "wt", encoding="ascii") as file:
                file.write("".join(row + "\n" for row in rows))
        wrong = tensors.compare(expected, rows)
        for line in wrong:
            print(f"tensors: {line}", flush=True)
        self.add("tensor maps", f"{len(rows)} copies and answers", "FAIL" if wrong or not rows else "ok",
                 f"{len(wrong)} other on the simulated device")

    def survey(self):
        """Footprints of the kernels in installed packages."""
        program = os.path.join(self.programs or "", "survey")
        if not os.path.exists(program):
            self.add("footprints", "-", "SKIP", "not carried")
            return
        for what, word, details in survey.rows(program):
            self.add("footprints", what, word, details)


@functools.cache
def about_machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return "no nvidia-smi"


PARTS = ("cases", "parity", "threads", "events", "libraries", "torch", "frameworks", "training",
         "cost", "bench", "guard", "survey", "executor", "random", "textures", "tensors", "versions", "live", "recorded", "operands",
         "likely", "ranks", "nccl", "reproduced")


def run_parts(suite, parts):
    runtime = find_runtime()
    if not suite.programs:
        suite.add("test cases", "-", "SKIP", "neither testcases/ nor testcases.tar.xz is here")
    if runtime:
        os.environ["LD_LIBRARY_PATH"] = ":".join(
            filter(None, [runtime, os.environ.get("LD_LIBRARY_PATH")]))
    else:
        suite.add("shared runtime", "-", "SKIP", "libcudart.so.13 is not on this machine")
    if suite.programs and "cases" in parts:
        suite.cases(["gpu"] + (["sim"] if runtime else []))
    for part in parts:
        if part != "cases":
            getattr(suite, part)()


def main():
    prefix, out, names = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    parts = os.environ.get("PARTS", " ".join(PARTS[:2] if names else PARTS)).split()
    machine = about_machine()
    print(machine, flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="streamcheck-gpu-") as folder:
        suite = Suite(prefix, folder, names, out)
        try:
            run_parts(suite, parts)
        except KeyboardInterrupt:
            suite.add("the suite", "-", "FAIL", "was ended before all had run")
    table.show(("what", "ways", "verdict", "details"), suite.rows)
    print(f"\n{len(suite.rows)} rows, {suite.failed} failed")
    if out:
        with open(os.path.join(out, "results.json"), "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "rows": suite.rows}, file, indent=1)
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
