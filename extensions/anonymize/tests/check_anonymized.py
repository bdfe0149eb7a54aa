#!/usr/bin/env python3
"""Anonymizes traces: the findings stay, and no word of the program does.

usage: check_anonymized.py STREAMCHECK TRACES-FOLDER [PREFIX PROGRAM...]
All text traces of the folder; traces of the programs, which run on the simulated device of the install tree PREFIX. The tool
compares findings itself before it writes; here the JSON reports of both traces are compared.
"""
import getpass
import json
import os
import re
import subprocess
import sys
import tempfile

import expectation

TIMEOUT_S = 120
HEADER, SLOT, HEAD = 4096, 64, 4
# Names of interfaces and of this tool are nobody's secret.
PUBLIC = re.compile(r"cu[A-Z]\w*|cuda[A-Z]\w*|nccl\w*|.*Kernel|streamcheck.*|libstreamcheck.*|packages|kernel|symbol|stack|library|memory|range|variable")
SHORTEST = 5  # letters of a word that is sought
# Records whose text is the program's own, or a sentence about it.
SECRET = {"map", "process", "function", "name", "symbol", "label", "range_push", "range_start", "mark", "benign",
          "kernel_fault", "device_lost", "lost", "setting"}


def run(*words, **options):
    return subprocess.run(words, capture_output=True, timeout=TIMEOUT_S, check=False, **options)


def facts(tool, trace):
    """What must not change of the findings."""
    report = json.loads(run(tool, "analyze", "--format=json", "--sources=no", "--fail-on=none", trace, text=True).stdout)
    found = []
    for f in report["findings"]:
        sides = [[a.get(k) for k in ("mode", "thread", "stream_id", "address", "bytes", "exact")] for a in f.get("accesses", [])]
        found.append((f["rule"], f["severity"], f["confidence"], f["count"], sides))
    return found, report


def names_of(report):
    """Functions, files and kernels as the report of the original shows them."""
    for f in report["findings"]:
        for access in f.get("accesses", []):
            yield access.get("kernel") or ""
            for frame in access.get("frames", []):
                if not frame.get("internal"):
                    yield frame.get("function") or ""
                yield frame.get("file") or ""
                yield frame.get("module") or ""


def words_of(tool, trace, report):
    """Words of the program that the trace has."""
    texts = list(names_of(report)) + [os.uname().nodename, getpass.getuser()]
    for line in run(tool, "dump", trace).stdout.decode(errors="replace").splitlines():
        line = re.sub(r"^(t\d+|cb\d+): ", "", line)
        if line.split(" ", 1)[0] in SECRET:
            texts += re.findall(r'"((?:[^"\\]|\\.)*)"', line)
        texts += re.findall(r'python="((?:[^"\\]|\\.)*)"', line)
    words = {word for text in texts for word in re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text) if len(word) >= SHORTEST}
    return {word for word in words if not PUBLIC.fullmatch(word)}


def content(path):
    """The bytes of all records, in one piece."""
    with open(path, "rb") as file:
        data = file.read()
    return b"".join(data[at + HEAD:at + SLOT] for at in range(HEADER, len(data), SLOT)) + data[:HEADER]


def complaints(tool, trace, private):
    done = run(tool, "anonymize", "--output=" + private, trace, text=True)
    if done.returncode:
        return [done.stderr.strip()]
    was, report = facts(tool, trace)
    is_now, _ = facts(tool, private)
    wrong = [] if was == is_now else [f"findings {was} became {is_now}"]
    data = re.sub(rb"cu(da)?[A-Z]\w*", b"", content(private))  # CUDA's own words
    # What stands after a dot is a part of PTX's instructions: ld.volatile.
    return wrong + [f"has the word {word}" for word in sorted(words_of(tool, trace, report))
                    if re.search(rb"(?<!\.)" + re.escape(word.encode()), data)]


def text_traces(folder):
    for at, _, names in sorted(os.walk(folder)):
        yield from (os.path.join(at, name) for name in sorted(names) if name.endswith(".sct.txt"))


def damaged(trace):
    """A copy with a record that is not as it was written, in the middle."""
    with open(trace, "rb") as file:
        data = bytearray(file.read())
    at = HEADER + (len(data) - HEADER) // (2 * SLOT) * SLOT + 8
    data[at:at + 4] = bytes(byte ^ 0x55 for byte in data[at:at + 4])
    with open(trace + ".damaged", "wb") as file:
        file.write(data)
    return trace + ".damaged"


def recorded(prefix, programs, folder):
    for program in programs:
        trace = os.path.join(folder, os.path.basename(program) + ".sct")
        source = expectation.source_of(program)
        env = {**os.environ, "STREAMCHECK_SIM_SCHEDULE": "lazy", **source.env}
        run(os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", "--trace=" + trace, "--fail-on=none",
            *("--" + option for option in source.options), "--", program, stdin=subprocess.DEVNULL, env=env, cwd=folder)
        if os.path.exists(trace):
            yield trace
            yield damaged(trace)


def check_refusal(tool, folder):
    """A footprint that somebody wrote for a kernel by its name does not fit the kernel without the name."""
    paths = {name: os.path.join(folder, name) for name in ("t.sct.txt", "footprints", "private")}
    with open(paths["t.sct.txt"], "w", encoding="utf-8") as file:
        file.write("module 901\nfunction J 901 fill layout=[0:8]\nalloc A 64\nkernel s1 J launch=1/1 args A\ncopy s2 h <- A 64\n")
    with open(paths["footprints"], "w", encoding="utf-8") as file:
        file.write("kernel fill\n  writes arg0 bytes 64\n")
    done = run(tool, "anonymize", "--footprints-file=" + paths["footprints"], "--output=" + paths["private"], paths["t.sct.txt"],
               text=True)
    if done.returncode != 2 or "finding 1 (SC-106) would change" not in done.stderr or os.path.exists(paths["private"]):
        yield f"no refusal: {done.returncode} {done.stderr}"


def check_parameters(tool, folder):
    """Of parameters stay addresses, and what decides which bytes are touched: here the second number, not the third; no text."""
    ptx = (r".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry fill(.param .u64 p, .param .u32 n, .param .f32 x, "
           r".param .align 8 .b8 s[8])\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n"
           r"ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra end;\nmul.wide.u32 %rd2, %r2, 4;\n"
           r"add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 1;\nend: ret;\n}\n")
    trace, private = os.path.join(folder, "t.sct.txt"), os.path.join(folder, "private")
    text = int.from_bytes(b"secret", "little")
    with open(trace, "w", encoding="utf-8") as file:
        file.write(f'image 900 0 {len(ptx.encode().decode("unicode_escape"))} data="{ptx}"\nmodule 901 peer=900\n'
                   "function J 901 fill layout=[0:8, 8:4, 12:4, 16:8]\nalloc A 1024\n"
                   f"kernel s1 J launch=1/64 args A {5 | 0x3fc00000 << 32} {text}\ncopy s2 h <- A 64\n")
    done = run(tool, "anonymize", "--output=" + private, trace, text=True)
    if done.returncode:
        yield done.stderr
        return
    shown = run(tool, "dump", private, text=True).stdout
    if "params=00000000007f0000" + "05000000" + "00000000" + "0000000000000000" not in shown:
        yield f"parameters: {shown}"


def main():
    tool, folder, *rest = sys.argv[1:]
    checked = failed = 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as work:
        private = os.path.join(work, "private")
        for wrong in (*check_refusal(tool, work), *check_parameters(tool, work)):
            failed += 1
            print(wrong)
        traces = list(text_traces(folder)) + (list(recorded(rest[0], rest[1:], work)) if rest else [])
        for trace in traces:
            wrong = complaints(tool, trace, private)
            checked += 1
            failed += bool(wrong)
            for line in wrong:
                print(f"{trace}: {line}")
    print(f"{checked} traces, {failed} of them wrong")
    return failed > 0 or not checked


if __name__ == "__main__":
    sys.exit(main())
