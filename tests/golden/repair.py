#!/usr/bin/env python3
"""The plans of repair of all test cases with a fixed variant, beside what that variant changes.

usage: repair.py check|write PREFIX PROGRAM...

Of the programs those are taken whose source has an expectation for the macro FIXED, in all variants with
findings. Each is recorded on the simulated device, and `streamcheck repair` makes its plan. A row has the
program, how many findings the plan ends, the edits with their lines, what is written there, and what else would do ("or");
"same" if one of these lines is beside those that FIXED adds or takes away (nothing but other variants' code between), else
"other". The table is tests/golden/repair.txt; `write` writes it anew: read the difference before you commit it.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import expectation
import golden

ROOT = os.path.realpath(os.path.join(golden.HERE, "..", ".."))
TABLE = os.path.join(golden.HERE, "repair.txt")
# A host function in the copy's own stream wakes the host. If it has not returned when the result is used, which a
# busy machine decides, a wait there might be one for itself, and the plan waits behind the copy instead.
WOKEN_BY_FUNCTION = {"event_loop_woken_too_early-unread", "event_loop_woken_too_early-reused"}
DEFINED = re.compile(r"defined\s*\(?\s*(\w+)\s*\)?")


def is_true(condition, macros):
    """Whether a condition of the preprocessor holds; what is no macro of the variants counts as false."""
    words = DEFINED.sub(lambda m: " True " if m[1] in macros else " False ", condition)
    words = words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    words = re.sub(r"\b(?!True\b|False\b|and\b|or\b|not\b)[A-Za-z_]\w*", "0", words)
    try:
        return bool(eval(words, {"__builtins__": {}}))  # a test case's own text
    except SyntaxError:
        return False


def active_lines(lines, macros):
    """Numbers of the lines of code that are compiled with these macros."""
    active, stack = set(), [(True, True)]
    for number, line in enumerate(lines, 1):
        text = line.strip()
        word = re.match(r"#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)", text)
        if not word:
            if stack[-1][0] and text and not text.startswith("//"):
                active.add(number)
            continue
        kind, rest = word[1], word[2].strip()
        rest = f"defined({rest})" if kind == "ifdef" else f"!defined({rest})" if kind == "ifndef" else rest
        if kind in ("ifdef", "ifndef", "if"):
            holds = stack[-1][0] and is_true(rest, macros)
            stack.append((holds, holds or not stack[-1][0]))
        elif kind == "endif":
            stack.pop()
        else:
            holds = not stack[-1][1] and (kind == "else" or is_true(rest, macros))
            stack[-1] = (holds, stack[-1][1] or holds)
    return active


def variant_of(program):
    _, _, suffix = os.path.basename(program).partition("-")
    return {suffix.upper()} if suffix else set()


def changed(lines, macros):
    """What the fixed variant adds to this one, and what it takes away."""
    now, fixed = active_lines(lines, macros), active_lines(lines, {"FIXED"})
    return now, fixed - now, now - fixed


def is_beside(line, is_after, now, added, removed, last):
    """Whether nothing that is compiled now stands between a place and what FIXED changes."""
    if line in removed:
        return True
    step = 1 if is_after else -1
    at = line + step
    while 0 < at <= last and (at not in now or at in removed):
        if at in added or at in removed:
            return True
        at += step
    return False


def places(edit):
    for key, is_after in (("after", True), ("before", False), ("at", False), ("or", False)):
        if key in edit and "line" in edit[key]:
            yield key, edit[key]["file"], edit[key]["line"], is_after
    if edit["kind"] == "frame":
        line = edit["first"]["frames"][-1]
        yield "first", line["file"], line["line"], True


def row(program, plan, path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    now, added, removed = changed(lines, variant_of(program))
    name = os.path.basename(program)
    total = plan["ended"] + len(plan["left"])
    out = [f"{name}: {plan['ended']} of {total} ended"]
    if name in WOKEN_BY_FUNCTION:
        kinds = {edit["kind"] for edit in plan["edits"]}
        is_known = len(plan["edits"]) == 1 and kinds <= {"sync_stream", "sync_after"}
        return out[0] + (", by a wait for the stream\n" if is_known else f", by {sorted(kinds)}\n")
    for edit in plan["edits"]:
        found = [(key, line, is_after) for key, file, line, is_after in places(edit)
                 if os.path.basename(file) == os.path.basename(path)]
        same = any(is_beside(line, is_after, now, added, removed, len(lines)) for _, line, is_after in found)
        where = ", ".join(f"{key} {line}" for key, line, _ in found) or "nowhere here"
        out.append(f"  {'same ' if same else 'other'} {edit['kind']}: {where}, ends {edit['ends']}"
                   f"{'' if edit['missed'] else ', not tried'}")
        out += [f"        {key} {line}: {edit[key]['code']}" for key, _, line, _ in places(edit) if "code" in edit[key]]
    for left in plan["left"]:
        out.append(f"  left  {left['rule']}: {left['reason']}")
    return "\n".join(out) + "\n"


def plan_of(prefix, program, source, folder):
    command, trace = os.path.join(prefix, "bin", "streamcheck"), os.path.join(folder, "t.sct")
    env = {k: v for k, v in os.environ.items() if k not in ("STREAMCHECK_OPTIONS", "LD_PRELOAD")}
    options = ["--" + option for option in source.options if not option.startswith(("format", "report", "trace"))]
    subprocess.run([command, "run", "--device=sim", "--html=no", "--analyze=no", f"--trace={trace}", *options, "--",
                    program], stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=golden.TIMEOUT_S, check=False, cwd=folder,
                   env={**env, **source.env, "STREAMCHECK_SIM_SCHEDULE": "lazy"})
    if not os.path.exists(trace):
        return None
    done = subprocess.run([command, "repair", "--format=json", "--own=*/testcases/*", f"--source-root={ROOT}",
                           *options, trace], check=False,
                          capture_output=True, text=True, timeout=golden.TIMEOUT_S, cwd=folder, env=env)
    os.remove(trace)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


def table(prefix, programs):
    rows = []
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in programs:
            source = expectation.source_of(program)
            with open(source.path, encoding="utf-8") as file:
                if "// expect[FIXED]" not in file.read():
                    continue
            plan = plan_of(prefix, program, source, folder)
            if plan and (plan["edits"] or plan["left"]):
                rows.append(row(program, plan, source.path))
    text = "".join(rows)
    same, other = text.count("\n  same "), text.count("\n  other ")
    return text + f"{len(rows)} programs, {same} edits beside the lines of FIXED, {other} elsewhere\n"


def main():
    way, prefix, *programs = sys.argv[1:]
    text = golden.masked(table(os.path.abspath(prefix), [os.path.abspath(p) for p in sorted(programs)]))
    if way == "write":
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(text)
        print(text.split("\n")[-2])
        return 0
    with open(TABLE, encoding="utf-8") as file:
        return golden.compare({"repair": text, "programs": ""}, {"repair": file.read(), "programs": ""})


if __name__ == "__main__":
    sys.exit(main())
