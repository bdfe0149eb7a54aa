"""Programs of testcases/ranks/nccl on several GPUs, by NVIDIA's own library: against their head comments, each alone.

The library of NCCL is looked for beside the CUDA runtime of Python's packages; without one, or with one device, nothing runs.
A program that takes long is ended: what it did by then is in its trace.
"""
import concurrent.futures
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

import checked
import test_across

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, os.pardir, os.pardir, "testcases", "ranks", "nccl")
LONGEST_S = 40  # programs take five, and more beside those that hang
RACY_LONGEST_S = 15  # these may be ended too early
JOBS = 2
# What a GPU does otherwise than the stand-in: NCCL 2.28 completes these sends without their receives.
OTHERWISE = {("send_before_receive", "racy"): "SC-177 possible"}


def find_library():
    for top in [*sys.path, "/opt", "/usr/local"]:
        for path in glob.glob(f"{top}/nvidia/nccl/lib/libnccl.so.2"):
            return os.path.dirname(path)
    return None


def environment(library):
    old = os.environ.get("LD_LIBRARY_PATH")
    return dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, [library, old])), NCCL_SOCKET_IFNAME="lo")


def end_of(process, mark, longest_s):
    """(output, whether the ranks had to be ended)"""
    try:
        return process.communicate(timeout=longest_s)[0], False
    except subprocess.TimeoutExpired:
        pass
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in test_across.processes_with(mark):
            os.kill(pid, number)
        try:
            return process.communicate(timeout=LONGEST_S)[0], True
        except subprocess.TimeoutExpired:
            continue
    os.killpg(process.pid, signal.SIGKILL)
    return process.communicate()[0], True


def run(words, mark, env, folder, longest_s=LONGEST_S):
    """(exit code, output, whether it had to be ended)"""
    with subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", start_new_session=True) as process:
        out, is_ended = end_of(process, mark, longest_s)
        return process.returncode, out, is_ended


def judge(program, variant, report, ended):
    if len(test_across.processes_of(report)) != program.ranks:
        return [f"{len(test_across.processes_of(report))} ranks in the report"]
    wrong = program.source.compare(variant, program.findings_of(report), True)
    if ended and variant:
        wrong.append("it never ended")
    return wrong


def run_one(prefix, programs, program, variant, library):
    how = "fixed" if variant else "racy"
    mark = f"{program.name}-{how}-{time.monotonic_ns()}"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        words = [os.path.join(prefix, "bin", "streamcheck"), "run", "--device=gpu", "--html=no", f"--report=json:{path}", "--",
                 f"{programs}-{how}", "-n", str(program.ranks), program.name, mark]
        code, out, is_ended = run(words, mark, environment(library), folder, LONGEST_S if variant else RACY_LONGEST_S)
        report = checked.read_report(path)
    wrong = judge(program, variant, report, is_ended)
    found = ", ".join(sorted(f"{f['rule']} {f['confidence']}" for f in program.findings_of(report)))
    wrong = [] if found == OTHERWISE.get((program.name, how)) else wrong
    end = " (it hung)" if is_ended else ""
    print(f"---- {program.name} {how}: exit code {code}{end}: {found}\n{out[-12000:] if wrong else ''}", flush=True)
    return program.name, how, "FAIL" if wrong else "ok", "; ".join([*wrong, found]) + end


def run_both(prefix, programs, program, library):
    """Rows of a program, if its corrected form ends without streamcheck: three ranks need three devices."""
    mark = f"{program.name}-alone-{time.monotonic_ns()}"
    with tempfile.TemporaryDirectory() as folder:
        words = [f"{programs}-fixed", "-n", str(program.ranks), program.name, mark]
        code, out, is_ended = run(words, mark, environment(library), folder)
    if code or is_ended:
        return [(program.name, "racy, fixed", "SKIP", f"without streamcheck neither: {out[-150:].strip()}")]
    return [run_one(prefix, programs, program, variant, library) for variant in ("", "FIXED")]


def rows(prefix, folder, devices, names):
    programs, library = os.path.join(folder, "nccl"), find_library()
    if devices < 2 or not library or not os.path.exists(f"{programs}-racy"):
        yield "NCCL", "-", "SKIP", "one device" if devices < 2 else "no NCCL here, or not carried"
        return
    test_across.PROGRAMS = programs
    sources = [test_across.Program(path) for path in sorted(glob.glob(os.path.join(SOURCES, "*.c")))
               if not names or any(name in path for name in names)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for run_of in [pool.submit(run_both, prefix, programs, program, library) for program in sources]:
            yield from run_of.result()
