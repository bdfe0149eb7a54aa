"""Documented operands against recorded footprints: what kernels of NVIDIA's libraries were seen to touch on the GPU must be
what the manuals say that the calls touch.

A documented call stands in a trace as the bytes of its first launch, with empty ones of those that follow it; what patches saw
stands beside it, launch by launch. Of each call:

* what is documented as exact must be touched, all of it (else a finding could be proven and wrong). Memory sets that the
  library made count too: cuSPARSE clears the result of a product with one, and its kernels add to rows that have elements;
* what is touched in an allocation with documented bytes must be documented (else a mistake would be missed). Memory that the
  library allocated for itself has none.
"""
import os
import re
import tempfile

import checked
import recorded

KNOWN, DOCUMENTED, AT_LEAST = "0", "3", "4"  # enum sc_bytes
BYTES = re.compile(r"launch_bytes (\d+)((?: (?!accesses)\w+=\S+)*)(?: accesses=\[(.*)\])?")
FIELD = re.compile(r" (\w+)=(\S+)")
SET = re.compile(r"t\d+: set\S* \d+ (0x[0-9a-f]+) (\d+) .*\bflags=library\b")
ALLOC = re.compile(r"t\d+: alloc\S* (0x[0-9a-f]+) (\d+) ")
EXAMPLES = 3


class Call:
    """One call: its launches, and what is documented of it."""

    def __init__(self, name):
        self.name = name
        self.launches = []
        self.exact, self.bound = [], []
        self.sets = []  # memory sets of the library near it


def ranges(text):
    """(letters, first, end, is it exact) of the accesses of a line."""
    for use, base, width, rows, pitch, marks in recorded.ACCESS.findall(text or ""):
        for row in range(int(rows or 1)):
            first = int(base, 16) + row * int(pitch or 0)
            yield use, first, first + int(width), not marks


def joined(pieces):
    out = []
    for first, end in sorted(pieces):
        if out and first <= out[-1][1]:
            out[-1][1] = max(end, out[-1][1])
        else:
            out.append([first, end])
    return out


def without(pieces, others):
    """The parts of pieces, joined, that lie in none of others, joined."""
    out, at = [], 0
    for first, end in pieces:
        while at < len(others) and others[at][1] <= first:
            at += 1
        here = at
        while first < end:
            if here == len(others) or others[here][0] >= end:
                out.append((first, end))
                break
            if others[here][0] > first:
                out.append((first, others[here][0]))
            first = others[here][1]
            here += 1
    return out


def parse(dump):
    """(calls, what launches touched by their lines, allocations) of a dump."""
    calls, touched, blocks = [], {}, []
    sets = []  # since the call before the last one
    for line in dump.splitlines():
        if match := ALLOC.match(line):
            blocks.append((int(match[1], 16), int(match[1], 16) + int(match[2])))
        if match := SET.match(line):
            sets.append(("w", int(match[1], 16), int(match[1], 16) + int(match[2]), True))
            if calls:
                calls[-1].sets.append(sets[-1])
        match = BYTES.match(line)
        if not match or match[1] == "0":
            continue
        launch, fields = int(match[1]), dict(FIELD.findall(match[2]))
        if fields.get("value") != DOCUMENTED:
            touched[launch] = (fields.get("value", KNOWN), list(ranges(match[3])))
            continue
        if match[3] or not calls:
            calls.append(Call(fields.get("call")))
            calls[-1].sets, sets = sets, []
            for use in ranges(match[3]):
                (calls[-1].exact if use[3] else calls[-1].bound).append(use)
        calls[-1].launches.append(launch)
    return calls, touched, blocks


def uses(pieces, letters):
    return joined((first, end) for use, first, end, _ in pieces if set(use) & set(letters))


def inside(pieces, blocks, documented):
    """The pieces that lie in a block with documented bytes."""
    mine = [b for b in blocks if any(b[0] <= first < b[1] for first, _ in documented)]
    return [(first, end) for first, end in pieces if any(b[0] <= first < b[1] for b in mine)]


def judge(call, seen, blocks, is_whole):
    """What is wrong with one call, as sentences. seen: (letters, first, end, is it exact)."""
    everything = uses(call.exact + call.bound, "rwa")
    may_write = uses(call.exact + call.bound, "wa")
    certain = [use for use in seen if use[3]]
    checks = [("touched, not documented", inside(without(uses(certain, "rwa"), everything), blocks, everything)),
              ("written, not documented", inside(without(uses(certain, "wa"), may_write), blocks, everything))]
    if is_whole:
        checks += [("documented as read, not read", without(uses(call.exact, "r"), uses(seen, "ra"))),
                   ("documented as written, not written", without(uses(call.exact, "wa"), uses(seen + call.sets, "wa")))]
    return [f"{call.name}: {word}: {', '.join(f'{hex(first)}+{end - first}' for first, end in pieces[:EXAMPLES])}"
            f" ({len(pieces)} ranges); documented {described(call)}" for word, pieces in checks if pieces]


def described(call):
    return ", ".join(f"{use}{'' if known else '~'} {hex(first)}+{end - first}"
                     for known, part in ((True, call.exact), (False, call.bound)) for use, first, end, _ in part[:EXAMPLES])


class Count:
    """Of one function: calls compared, those of them that were seen whole, those that are wrong."""

    def __init__(self):
        self.calls = self.whole = self.wrong = 0


def check(dump):
    """({function: Count}, sentences) of a dump."""
    calls, touched, blocks = parse(dump)
    counts, wrong = {}, []
    for call in calls:
        had = [touched.get(launch) for launch in call.launches]
        if not all(t and t[0] in (KNOWN, AT_LEAST) for t in had) or not call.exact + call.bound:
            continue
        is_whole = all(t[0] == KNOWN for t in had)
        found = judge(call, [use for t in had for use in t[1]], blocks, is_whole)
        count = counts.setdefault(call.name, Count())
        count.calls += 1
        count.whole += is_whole
        count.wrong += bool(found)
        wrong += found
    return counts, wrong


def rows(prefix, program, calls, seeds):
    """One row for each function, and one of all: (what, how, word, details)."""
    total, sentences = {}, []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "sweep.sct")
            command = os.path.join(prefix, "bin", "streamcheck")
            code, out, err = checked.run([command, "run", "--device=gpu", "--html=no", "--exitcode=0", "--footprints=recorded",
                                        f"--trace={trace}", "--", program, str(calls), str(seed)], dict(os.environ))
            print(f"seed {seed}: {out}", flush=True)
            if code:
                yield "operands", f"seed {seed}", "FAIL", f"exit code {code}: {err[-300:]}"
                continue
            counts, wrong = check(checked.run([command, "dump", trace], dict(os.environ))[1])
        sentences += [f"seed {seed}: {line}" for line in wrong]
        for name, count in counts.items():
            into = total.setdefault(name, Count())
            into.calls += count.calls
            into.whole += count.whole
            into.wrong += count.wrong
    print("\n".join(sentences), flush=True)
    for name, count in sorted(total.items()):
        yield name, "operands", "FAIL" if count.wrong else "ok", f"{count.calls} calls, {count.whole} seen whole, {count.wrong} wrong"
    compared = sum(count.calls for count in total.values())
    yield "operands", os.path.basename(program), "ok" if compared else "FAIL", f"{compared} calls of {len(total)} functions compared with recordings"
