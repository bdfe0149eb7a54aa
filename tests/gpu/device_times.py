"""CUPTI on a GPU: device times against events, and PyTorch with them."""
import os
import re
import sys
import tempfile

import checked
import sources

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 0.02
SMALL_MS = 0.010  # what the two events around a piece of work add to it
def measured(dump):
    """(engine, milliseconds) of each piece of work, in the order in which it began."""
    times = []
    for line in dump:
        found = re.match(r"device_time \S+ (\d+) (\d+).* engine=(\w+)", line)
        if found and found[3] != "host_wait":
            times.append((int(found[1]), found[3], int(found[2]) / 1e6))
    return [(engine, ms) for _, engine, ms in sorted(times)]


def compare_with_events(prefix, program):
    """Device times of a program that prints what events say of the same work."""
    with tempfile.TemporaryDirectory() as folder:
        code, out, err, dump = sources.record(prefix, [program], folder, ["device-times=yes"])
    wanted = [tuple(line.split()) for line in out.splitlines()]
    got = measured(dump)[1:len(wanted) + 1]  # the first kernel only warms up
    if code or [e for e, _ in wanted] != [e for e, _ in got]:
        return "FAIL", f"exit code {code}, {len(got)} of {len(wanted)} times {err[-200:]}"
    pairs = [(float(event), ms) for (_, event), (_, ms) in zip(wanted, got) if event != "-"]
    worst = max((abs(ms - event) - SMALL_MS) / event for event, ms in pairs)
    unlinked = sum(1 for line in dump if line.startswith("device_time 0 "))
    word = "ok" if worst <= TOLERANCE and not unlinked else "FAIL"
    return word, f"{len(pairs)} pieces of work, {worst:.2%} from cudaEvent at most"


def torch_runs(prefix, arguments=(), **options):
    """PyTorch's training loop, alone and with options; {name: (code, losses, seconds, err)}."""
    runs = {}
    for name, text in {"alone": None, **options}.items():
        env = dict(os.environ, CUBLAS_WORKSPACE_CONFIG=":4096:8")
        if text is not None:
            env["LD_PRELOAD"] = checked.library(prefix)
            env["STREAMCHECK_OPTIONS"] = text
        command = [sys.executable, os.path.join(HERE, "torch_train.py"), *arguments]
        best = None
        for _ in range(1 if arguments else 3):
            code, out, err = checked.run(command, env)
            seconds = re.search(r"time ([\d.]+)", err)
            got = (code, out, float(seconds[1]) if seconds else 0, err)
            best = got if best is None or got[2] < best[2] else best
        runs[name] = best
    return runs
