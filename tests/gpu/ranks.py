"""Programs of testcases/ranks on a GPU, by an Open MPI that takes device memory: against their head comments, each alone,
and what following MPI costs in a step of a simulation (bench/ranks.c).

mpirun is looked for in PATH; without one, nothing runs.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile

import checked
import expectation

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, os.pardir, os.pardir, "testcases", "ranks")
OPTIONS = ["--oversubscribe", "--allow-run-as-root", "--mca", "pml", "ucx"]
GUARDED = ("guarded_results.c",)  # what it is about is an access of the host
LONGEST = 20  # seconds: programs take two
ONLY = re.compile(r"^// only: (?!openmpi)", re.MULTILINE)
JOBS = 8
TURNS = 5
STEP = re.compile(r"best (\d+) ns, median (\d+) ns")


def lives(folder, mpirun, name):
    """Whether the corrected program ends without streamcheck: not every MPI can do all of it with device memory."""
    command = [mpirun, *OPTIONS, "-n", "2", os.path.join(folder, "openmpi-fixed"), name]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        try:
            return process.wait(LONGEST) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


def run_one(prefix, folder, mpirun, name, source, variant):
    """A row of one program."""
    how = "fixed" if variant else "racy"
    program = name.removesuffix(".c")
    if not lives(folder, mpirun, program):
        return name, how, "SKIP", "this MPI cannot, without streamcheck either"
    with tempfile.TemporaryDirectory() as reports:
        command = [mpirun, *OPTIONS, "-n", "2", os.path.join(prefix, "bin", "streamcheck"), "run", "--device=gpu",
                   "--html=no", f"--report=json:{reports}/%r.json", "--", os.path.join(folder, f"openmpi-{how}"), program]
        code, out, err = checked.run(command, dict(os.environ))
        read = [checked.read_report(path) for path in sorted(glob.glob(reports + "/*.json"))]
    if len(read) != 2:
        return name, how, "FAIL", f"{len(read)} reports, exit code {code}: {(out + err)[-300:]}"
    if name in GUARDED and "page guard" in str(read):
        return name, how, "SKIP", "the page guard stands down beside this MPI"
    found = {}
    for finding in (f for report in read for f in report["findings"] if f["severity"] != "advice"):
        found.setdefault(expectation.describe(finding), finding)
    wrong = expectation.compare_programs({name: source}, variant, list(found.values()))
    return name, how, "FAIL" if wrong else "ok", "; ".join(wrong) or ", ".join(sorted({f["rule"] for f in found.values()}))


def cost(prefix, folder, mpirun):
    """A step with and without streamcheck, in turn: the median of the medians."""
    program = os.path.join(folder, "ranks")
    for size in ("64", "8192"):
        times = {"plain": [], "under": []}
        for _ in range(TURNS):
            for how, words in (("plain", ()), ("under", ("env", f"LD_PRELOAD={checked.library(prefix)}",
                                                         "STREAMCHECK_OPTIONS=analyze=no"))):
                code, out, err = checked.run([mpirun, *OPTIONS, "-n", "2", *words, program, size, "100", "step"],
                                             dict(os.environ))
                match = STEP.search(out)
                if code or not match:
                    yield "a step of two ranks", size, "FAIL", f"exit code {code}: {(out + err)[-300:]}"
                    return
                times[how].append(int(match[2]))
        plain, under = (sorted(times[how])[TURNS // 2] for how in ("plain", "under"))
        yield "a step of two ranks", f"{size} bytes", "ok", f"{under / plain:.3f}x: {plain} ns, {under} ns"


def rows(prefix, folder):
    mpirun = shutil.which("mpirun")
    if not mpirun or not os.path.exists(os.path.join(folder, "openmpi-racy")):
        yield "ranks", "-", "SKIP", "no mpirun here, or not carried"
        return
    sources = {os.path.basename(path): expectation.Source(path) for path in sorted(glob.glob(SOURCES + "/*.c"))
               if not path.endswith("/all.c") and ONLY.search(open(path, encoding="utf-8").read()) is None}
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        begun = [pool.submit(run_one, prefix, folder, mpirun, name, source, variant)
                 for name, source in sources.items() for variant in ("", "FIXED")]
        for run in begun:
            yield run.result()
    yield from cost(prefix, folder, mpirun)
