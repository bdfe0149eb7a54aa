#!/usr/bin/env python3
"""Mutants of conditions: does a test fail if a condition is wrong?

Usage: mutate.py [--sample N] [--seed N] [--only REGEX] [--minutes N] [--list] BUILD SOURCE...

Each mutant is one changed condition of a source: an `if` or a ternary operator negated, && and ||
exchanged, < and <=, > and >=, == and != exchanged, one operand of && or || left out. The mutant is
compiled beside the build tree BUILD, which must be built, and linked before the library that has
the original; neither sources nor build tree change. Then text traces run, and unit tests that
analyze something; the first that fails ends it.

Results stand in BUILD/mutation/results.jsonl; a mutant that has one is not run again as long as its
source stays the same. --again runs those that nothing noticed once more, with the oracles. A mutant
that no test notices has a line in survivors.txt beside this file, or the exit code is 1:

    FILE FUNCTION KIND NUMBER: reason

KIND and NUMBER: what is changed, and which one of its kind in the function, from 1.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ANALYZES = re.compile(r"analyzer/(rules/|analysis\.h)|analyzed\.h")
LONGEST_S = 120  # of a test; more is a loop that does not end
ORACLES = {"routine": ["60", "1"], "talk": ["1000", "1"], "far": ["100", "1"],
           "edges": ["200", "1"], "cause": ["100", "1"], "graphs": []}

TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n\\]|\\.)*|\s+)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<word>[A-Za-z_0-9]+)
  | (?P<mark><<=?|>>=?|->|&&|\|\||[<>=!]=|\+\+|--|[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
EXCHANGED = {"&&": "||", "||": "&&", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
             "!=": "=="}
ENDS = {"=", ",", "?", ":", ";", "{", "}", "return", "|=", "&="}

Token = collections.namedtuple("Token", "text start end")
Mutant = collections.namedtuple("Mutant", "file function kind number start end text line")


def tokens_of(source):
    return [Token(m.group(), m.start(), m.end()) for m in TOKEN.finditer(source)
            if m.lastgroup != "skip"]


def partner(tokens, at):
    """The index of the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[i].text, 0)
        if not depth:
            return i
    raise ValueError("parentheses do not match")


def operand(tokens, at, step, ends):
    """The last index of the operand that begins beside the operator at `at`."""
    depth = 0
    i = at + step
    while 0 <= i < len(tokens):
        text = tokens[i].text
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text, 0) * step
        if depth < 0 or (not depth and text in ends):
            return i - step
        i += step
    raise ValueError("an operand does not end")


def functions_of(tokens):
    """For each token the function that it is in, or None."""
    depth, name, found = 0, None, []
    for i, token in enumerate(tokens):
        if token.text == "{":
            if not depth and tokens[i - 1].text == ")":
                level = 0
                for k in range(i - 1, -1, -1):
                    level += {")": 1, "(": -1}.get(tokens[k].text, 0)
                    if not level:
                        name = tokens[k - 1].text
                        break
            depth += 1
        found.append(name if depth else None)
        if token.text == "}":
            depth -= 1
            name = name if depth else None
    return found


def changes_of(source, tokens, i):
    """(kind, start, end, text) of what can be changed at token `i`."""
    text = tokens[i].text
    if text in EXCHANGED:
        yield "exchange" + text, tokens[i].start, tokens[i].end, EXCHANGED[text]
    if text in ("&&", "||"):
        ends = ENDS | ({"||", "&&"} if text == "&&" else {"||"})
        neutral = "1" if text == "&&" else "0"
        first = operand(tokens, i, -1, ends)
        yield "left-out" + text, tokens[first].start, tokens[i - 1].end, neutral
        last = operand(tokens, i, 1, ends)
        yield "right-out" + text, tokens[i + 1].start, tokens[last].end, neutral
    if text == "if":
        first, last = tokens[i + 1], tokens[partner(tokens, i + 1)]
        yield "negate-if", first.start, last.end, f"(!{source[first.start:last.end]})"
    if text == "?":
        first = operand(tokens, i, -1, ENDS)
        inner = source[tokens[first].start:tokens[i - 1].end]
        yield "negate-?", tokens[first].start, tokens[i - 1].end, f"!({inner})"


def mutants_of(path):
    source = path.read_text(encoding="utf-8")
    tokens = tokens_of(source)
    functions = functions_of(tokens)
    numbers = collections.Counter()
    for i, function in enumerate(functions):
        if not function:
            continue
        for kind, start, end, text in changes_of(source, tokens, i):
            numbers[function, kind] += 1
            yield Mutant(str(path.relative_to(ROOT)), function, kind, numbers[function, kind],
                         start, end, text, source.count("\n", 0, start) + 1)


def key_of(m):
    return f"{m.file} {m.function} {m.kind} {m.number}"


class Tests:
    """Test programs of a build tree, each linked with a mutant before its original."""

    def __init__(self, build):
        self.build = build
        self.folder = build / "mutation"
        self.folder.mkdir(exist_ok=True)
        self.commands = {c["file"]: c for c in
                         json.loads((build / "compile_commands.json").read_text())}
        shown = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True,
                                          capture_output=True, text=True).stdout)["tests"]
        self.usual = (self.take(shown, "tests/traces/run_traces") +
                      [t for t in self.take(shown, "tests/unit/unit_analyzer")
                       if ANALYZES.search((ROOT / f"tests/unit/test_{t[1][0]}.c").read_text())])
        self.oracles = [(f"tests/oracle/run_{name}", args) for name, args in ORACLES.items()]
        self.killers = collections.defaultdict(list)
        self.links = {}

    def take(self, shown, program):
        path = str(self.build / program)
        return [(program, t["command"][1:]) for t in shown
                if t.get("command", [""])[0] == path]

    def link_command(self, program):
        if program not in self.links:
            out = subprocess.run(["ninja", "-t", "commands", "-s", program], cwd=self.build,
                                 check=True, capture_output=True, text=True).stdout
            words = shlex.split(out.split("&&")[1])
            library = next(i for i, w in enumerate(words) if w.endswith("libsc_analyzer.a"))
            self.links[program] = words, library
        return self.links[program]

    def compile(self, m, source):
        command = self.commands[str(ROOT / m.file)]
        mutated, out = self.folder / "mutant.c", self.folder / "mutant.o"
        mutated.write_text(source[:m.start] + m.text + source[m.end:], encoding="utf-8")
        words = shlex.split(command["command"])
        words[words.index("-o") + 1] = str(out)
        words[words.index(str(ROOT / m.file))] = str(mutated)
        return not subprocess.run([*words, "-O0", "-w"], cwd=command["directory"], check=False,
                                  capture_output=True).returncode

    def link(self, program):
        words, library = self.link_command(program)
        out = self.folder / pathlib.Path(program).name
        words = [*words[:library], str(self.folder / "mutant.o"), *words[library:]]
        words[words.index("-o") + 1] = str(out)
        subprocess.run(words, cwd=self.build, check=True, capture_output=True)
        return out

    def fails(self, program, arguments):
        path = self.folder / pathlib.Path(program).name
        try:
            done = subprocess.run([path, *arguments], cwd=self.folder, capture_output=True,
                                  check=False, timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            return True
        return done.returncode not in (0, 77)

    def first_failure(self, m, tests, workers):
        """Those that noticed the last mutants of the file come first."""
        known = [t for t in self.killers[m.file] if t in tests]
        tests = known[:3] + [t for t in tests if t not in known[:3]]
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for at in range(0, len(tests), 8):
                some = tests[at:at + 8]
                failed = list(pool.map(lambda t: self.fails(*t), some))
                if any(failed):
                    test = some[failed.index(True)]
                    self.killers[m.file] = [test] + [t for t in self.killers[m.file] if t != test]
                    return f"{pathlib.Path(test[0]).name} {' '.join(map(str, test[1]))}"
        return None

    def notice(self, m, workers, with_oracles):
        """What notices the mutant: a test, the compiler, or nothing (None)."""
        if not self.compile(m, (ROOT / m.file).read_text(encoding="utf-8")):
            return "compiler"
        for program, tests in itertools.groupby(
                self.usual + (self.oracles if with_oracles else []), lambda t: t[0]):
            self.link(program)
            found = self.first_failure(m, list(tests), workers)
            if found:
                return found
        return None

    def check(self, m, workers):
        """Ends the script if a test fails without a mutant."""
        by = self.notice(m._replace(start=0, end=0, text=""), workers, False)
        if by:
            sys.exit(f"{by} fails without a mutant")


def stamp(m):
    """Of a mutant's text: with another one it is another mutant."""
    return hashlib.sha256((ROOT / m.file).read_bytes()).hexdigest()[:12]


def read_results(path):
    known = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            known[row["mutant"]] = row
    return known


def read_survivors():
    rows = (HERE / "survivors.txt").read_text(encoding="utf-8").splitlines()
    return dict(re.match(r"(.*? \d+): (.*)", row).groups() for row in rows
                if row and not row.startswith("#"))


def run(args, mutants, tests):
    path = tests.folder / "results.jsonl"
    known = read_results(path)
    if mutants:
        tests.check(mutants[0], args.workers)
    end = time.monotonic() + args.minutes * 60
    for number, m in enumerate(mutants, 1):
        key = key_of(m)
        old = known.get(key)
        if old and old["stamp"] == stamp(m) and (old["by"] or not args.again):
            continue
        if time.monotonic() > end:
            break
        begun = time.monotonic()
        row = {"mutant": key, "line": m.line, "stamp": stamp(m),
               "by": tests.notice(m, args.workers, args.again)}
        known[key] = row
        with path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")
        print(f"{number}/{len(mutants)} {key} (line {m.line}): {row['by'] or 'SURVIVES'}, "
              f"{time.monotonic() - begun:.0f} s", flush=True)
    return known


def report(mutants, known):
    listed = read_survivors()
    judged = [(m, known[key_of(m)]) for m in mutants if key_of(m) in known]
    alive = [(m, row) for m, row in judged if not row["by"]]
    new = [m for m, _ in alive if key_of(m) not in listed]
    print(f"{len(judged)} of {len(mutants)} mutants were run: {len(judged) - len(alive)} were "
          f"noticed, {len(alive)} not, of which {len(alive) - len(new)} are listed")
    for m in new:
        print(f"{m.file}:{m.line}: {key_of(m)}")
    return 1 if new else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true", help="what nothing noticed, with the oracles")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    mutants = [m for path in args.source for m in mutants_of(path.resolve())]
    if args.sample:
        mutants = random.Random(args.seed).sample(mutants, min(args.sample, len(mutants)))
    mutants = [m for m in mutants if re.search(args.only, key_of(m))]
    if args.list:
        for m in mutants:
            print(f"{m.file}:{m.line}: {key_of(m)} → {m.text}")
        return 0
    known = run(args, mutants, Tests(args.build.resolve()))
    return report(mutants, known)


if __name__ == "__main__":
    sys.exit(main())
