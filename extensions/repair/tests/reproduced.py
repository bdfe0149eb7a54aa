#!/usr/bin/env python3
"""Reproducers of findings: each compiles, and has the finding and no other with the planned edit.

usage: reproduced.py check STREAMCHECK NVCC LIBRARIES TRACE...      all of them
       reproduced.py chosen STREAMCHECK NVCC LIBRARIES FOLDER        those of CHOSEN, below FOLDER (tests/traces)
       reproduced.py record STREAMCHECK FOLDER PROGRAM...            the traces of test cases, into FOLDER

Of each trace the first finding of two operations that is no advice is reproduced. Many reproducers are
compiled as one program, each in a namespace of its own; its lines stay its own (#line). They run on the simulated device, or on
that which STREAMCHECK_TEST_DEVICE names.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 600
IN_ONE_PROGRAM = 40
DEVICE = os.environ.get("STREAMCHECK_TEST_DEVICE", "sim")
SIMULATED = ("124-callback-races-with-host/result_read_while_running",)  # on a GPU the host may read before the callback begins
TWO_DEVICES = ("150-unsynchronized-devices/two_devices",)
# Rules that say that the bytes of a kernel are not known; here they are.
KNOWN = {"SC-209": {"SC-105", "SC-106", "SC-107"}}
CHOSEN = (
    "101-host-read-before-sync/copy_then_read",
    "101-host-read-before-sync/other_thread_waited_for_other_stream",
    "102-host-write-in-flight/refill_in_flight",
    "103-host-write-over-device-write/host_write_over_copy",
    "104-host-buffer-dies-in-flight/frame_left",
    "104-host-buffer-dies-in-flight/registered_freed",
    "105-cross-stream-write-write/column_tiles_overlap",
    "105-cross-stream-write-write/per_thread_streams",
    "106-cross-stream-read-write/part_of_graph",
    "106-cross-stream-read-write/write_then_read",
    "107-legacy-and-nonblocking/legacy_and_nonblocking",
    "111-wait-on-wrong-record/recorded_before_the_producer",
    "113-use-before-alloc/other_stream",
    "114-use-after-stream-free/other_stream",
    "115-free-while-in-use/pool_memory_freed",
    "116-use-of-freed-memory/free_async_then_use",
    "117-use-of-destroyed-handle/destroyed_event",
    "120-double-or-wrong-free/double_free",
    "124-callback-races-with-host/result_read_while_running",
    "125-early-kernel-does-not-wait/no_wait",
    "134-race-inside-graph/two_host_nodes",
    "134-race-inside-graph/two_roots",
    "138-discarded-memory-used/read_races_with_discard",
    "150-unsynchronized-devices/two_devices",
    "153-returned-to-pool-in-use/reused",
    "203-pageable-result-read/pageable_result_read",
)
INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "include")
# Names and paths that would end a comment or a line, or be something else than a name.
HOSTILE = r"""alloc d 1024
stack 11 - python="a*/ int x; /*\t/home/u/*/evil\\\n#error??/\t4\n"
stack 12 - python="b\\\t/home/u/\\\t9\n"
stack 13 - python="#error\t/aLINE#error\\\t9\n"
kernel s1 writes d stack=11
record e1 s1 stack=13
kernel s2 reads d stack=12
"""
Case = collections.namedtuple("Case", "trace number finding text")


def run(command, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("STREAMCHECK_")}
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                          errors="replace", stdin=subprocess.DEVNULL, env={**env, **more.pop("env", {})}, **more)


def findings(command, arguments, folder, env=None):
    """The findings that a run of the command reports, but advice."""
    report = os.path.join(folder, "report.json")
    if os.path.exists(report):
        os.remove(report)
    done = run([command, *arguments[:1], f"--report=json:{report}", *arguments[1:]], cwd=folder, env=env or {})
    if not os.path.exists(report):
        return None, done.stderr
    with open(report, encoding="utf-8") as file:
        return [f for f in json.load(file).get("findings", []) if f["severity"] != "advice"], done.stderr


def case_of(command, trace, folder):
    """The case of a trace, or a reason that there is none."""
    found, _ = findings(command, ["analyze", "--html=no", trace], folder)
    two = [f for f in found or [] if len(f["accesses"]) == 2]
    if not two:
        return None
    number = next(i for i, f in enumerate(found, 1) if f is two[0])
    done = run([command, "reproduce", str(number), trace])
    if done.returncode == 1:
        return done.stderr.strip().splitlines()[-1].split("reproduced: ")[-1]
    if done.returncode:
        return f"failed: {done.returncode} {done.stderr}"
    return Case(trace, number, two[0], done.stdout)


def in_one(cases):
    """One source with all of them; the first argument says which one runs."""
    includes, parts, calls = {}, [], []
    for i, case in enumerate(cases):
        lines = case.text.splitlines()
        includes.update((line, 1) for line in lines if line.startswith("#include"))
        body = ["" if line.startswith(("#include", "#define CHECK")) else line.replace("int main()", "static int run()")
                for line in lines]
        parts.append(f"namespace case_{i} {{\n#line 1 \"case_{i}.cu\"\n" + "\n".join(body) + "\n}\n")
        calls.append(f"\tif (which == {i})\n\t\treturn case_{i}::run();\n")
    return ("\n".join(includes) + "\n#define CHECK(call) check(call, __LINE__)\n" + "".join(parts) +
            "int main(int argc, char **argv)\n{\n\tint which = atoi(argv[1]);\n\n" + "".join(calls) + "}\n")


def compiled(nvcc, source, program, fixed):
    done = run([nvcc, "-g", "-lineinfo", "--cudart", "shared", "-std=c++17", "-arch=sm_90", "-I", INCLUDE, *(["-DFIXED"] if fixed else []), "-o", program, source])
    return done.stderr if done.returncode else ""


def lines_of(finding, i):
    """The reproducer's lines at which its sides are."""
    return [{f["line"] for f in side.get("frames", []) if (f.get("file") or "").endswith(f"case_{i}.cu")}
            for side in finding["accesses"]]


def marked(text, word):
    return {n for n, line in enumerate(text.splitlines(), 1) if re.search(rf"// (first and )?{word}( and then)?: ", line)}


def is_same(case, i, finding):
    """Whether it is the finding of the case: its rule, at the two marked lines, in either order."""
    rules = KNOWN.get(case.finding["rule"], set()) | {case.finding["rule"]}
    if finding["rule"] not in rules or len(finding["accesses"]) != 2:
        return False
    a, b = lines_of(finding, i)
    first, then = marked(case.text, "first"), marked(case.text, "then")
    if "[] {" in case.text:  # the end of a function is seen at the next call
        return bool((a | b) & first)
    b = b or then  # the end of the program has no line
    return bool(a & first and b & then or a & then and b & first)


def check_program(command, program, i, case, fixed, libraries, folder):
    """What is wrong with a reproducer, or nothing."""
    found, err = findings(command, ["run", f"--device={DEVICE}", "--html=no", "--", program, str(i)], folder,
                          {"LD_LIBRARY_PATH": libraries, "STREAMCHECK_SIM_SCHEDULE": "lazy"})
    if found is None:
        return f"no report: {err[-300:]}"
    if fixed:
        left = [f for f in found if f["rule"] != "SC-401"] if "changes nothing" not in case.text else []
        return f"with FIXED: {' '.join(f['rule'] for f in left)}" if left else ""
    if any(is_same(case, i, f) for f in found):
        return ""
    return f"not {case.finding['rule']}: " + (", ".join(f"{f['rule']} {lines_of(f, i)}" for f in found) or "clean") + f" {err[-200:] if not found else ''}"


def check_batch(command, nvcc, libraries, cases, folder):
    """{trace: what is wrong} of some cases."""
    wrong = {}
    source = os.path.join(folder, "all.cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write(in_one(cases))
    for fixed in (False, True):
        program = os.path.join(folder, f"all{int(fixed)}")
        err = compiled(nvcc, source, program, fixed)
        if err:
            bad = {int(i) for i in re.findall(r"case_(\d+)\.cu[(:][\d:]+\)?:? error", err)} or set(range(len(cases)))
            wrong = {case.trace: f"does not compile: {err[:600]}" for i, case in enumerate(cases) if i in bad}
            rest = [case for i, case in enumerate(cases) if i not in bad]
            return {**wrong, **(check_batch(command, nvcc, libraries, rest, folder) if rest else {})}
        for i, case in enumerate(cases):
            what = check_program(command, program, i, case, fixed, libraries, folder)
            if what and case.trace not in wrong:
                wrong[case.trace] = what
    return wrong


def check(command, nvcc, libraries, traces):
    cases, reasons, wrong, clean = [], {}, {}, 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for trace in traces:
            case = case_of(command, os.path.abspath(trace), folder)
            if isinstance(case, Case):
                cases.append(case)
                if len(case.text.splitlines()) > 100:
                    wrong[case.trace] = "more than 100 lines"
            elif case:
                reasons[trace] = case
            else:
                clean += 1
                if len(traces) < 50:
                    print(f"{trace}: no finding of two operations")
        for at in range(0, len(cases), IN_ONE_PROGRAM):
            wrong.update(check_batch(command, nvcc, libraries, cases[at:at + IN_ONE_PROGRAM], folder))
    for trace, what in sorted(wrong.items()):
        print(f"{trace}: {what}")
    for reason, count in collections.Counter(reasons.values()).most_common():
        print(f"{count} cannot be reproduced: {reason}")
    kept = sum("changes nothing" in case.text for case in cases if case.trace not in wrong)
    print(f"{len(cases)} reproducers of {len(cases) + len(reasons)} findings, {len(wrong)} of them wrong, "
          f"{kept} without an edit; {clean} traces without a finding of two operations")
    return wrong, reasons, cases


def record(command, folder, programs):
    import expectation  # of tests/e2e
    os.makedirs(folder, exist_ok=True)
    for program in programs:
        source = expectation.source_of(program)
        trace = os.path.join(folder, os.path.basename(program) + ".sct")
        run([command, "run", "--device=sim", "--analyze=no", f"--trace={trace}",
             *("--" + option for option in source.options), "--", program],
            cwd=folder, env={**source.env, "STREAMCHECK_SIM_SCHEDULE": "lazy"})


def main():
    what, command, *rest = sys.argv[1:]
    command = os.path.abspath(command)
    if what == "record":
        record(command, rest[0], rest[1:])
        return 0
    nvcc, libraries, *traces = rest
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        if what == "chosen":
            hostile = os.path.join(folder, "*_\n#error \\.sct.txt")
            with open(hostile, "w", encoding="utf-8") as file:
                file.write(HOSTILE.replace("LINE", "\u2028"))
            traces = [hostile, *(os.path.join(traces[0], name + ".sct.txt") for name in CHOSEN
                                if (DEVICE == "sim" or name not in SIMULATED) and
                                (name not in TWO_DEVICES or os.environ.get("STREAMCHECK_TEST_DEVICES") != "1"))]
        wrong, reasons, cases = check(command, nvcc, libraries, traces)
    return bool(wrong or (what == "chosen" and (reasons or len(cases) != len(traces))))


if __name__ == "__main__":
    sys.exit(main())
