#!/usr/bin/env python3
"""Processor time, memory and size of each report format for runs with many findings.

usage: report.py STREAMCHECK [COUNT...]   (default 10 1000 100000; prints a table for docs/user/reports.md)
"""
import os
import resource
import subprocess
import sys
import tempfile

FORMATS = ("text", "json", "gcc", "github", "sarif", "junit", "perfetto", "html", "gitlab")


def write_trace(path, count):
    """As many races, each of its own two operations."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('process 7 "app"\nalloc p 4096 pinned\n')
        for i in range(count):
            file.write(f"alloc d{i} 4096\ncopy s{1 + i % 6} d{i} <- p 4096\n"
                       f"kernel s{10 + i % 5} reads d{i}\n")
        file.write("context_sync c1\nexit 0\n")


def measure(command, form, trace, out):
    """Seconds of the processor and MiB of one analysis with one report."""
    child = subprocess.Popen([command, "analyze", "--html=no", "--format=" + form,
                              "--output=" + out, trace], stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    command, counts = sys.argv[1], [int(n) for n in sys.argv[2:]] or [10, 1000, 100000]
    print("| format | " + " | ".join(f"{n:,} findings" for n in counts) + " |")
    print("|---" * (len(counts) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        traces = {}
        for count in counts:
            traces[count] = os.path.join(folder, f"{count}.sct.txt")
            write_trace(traces[count], count)
        for form in FORMATS:
            cells = []
            for count in counts:
                out = os.path.join(folder, "out")
                seconds, mib = measure(command, form, traces[count], out)
                cells.append(f"{seconds:.2f} s, {mib:.0f} MiB, {os.path.getsize(out) / 1e6:.2f} MB")
                os.remove(out)
            print(f"| `{form}` | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
