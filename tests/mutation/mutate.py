#!/usr/bin/env python3
"""Mutants of conditions: does a test fail if a condition is wrong?

Usage: mutate.py [--sample N] [--seed N] [--only REGEX] [--minutes N] [--workers N] [--oracles] [--list]
                 BUILD SOURCE...

The sources are compiled once, with all their mutants (schemata.py), and linked with the test
programs of the build tree BUILD, which must be built, before the library that has the originals;
neither sources nor build tree change. Each text trace, and each unit test that analyzes something,
then runs once without a mutant, and says which mutants' conditions have another value in it. Only
these tests run with a mutant, until one fails. With --oracles those run as well, at last.

Results stand in BUILD/mutation/results.jsonl, with oracles in oracles.jsonl there; a mutant that was
noticed is not run again as long as its source stays the same, one that was not as long as the tests
do. A mutant that no test notices has a line in survivors.txt beside this file, or the exit code is 1:

    FILE FUNCTION KIND NUMBER[,NUMBER…] [KIND NUMBER…]…: reason

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

import schemata

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ANALYZES = re.compile(r"analyzer/(rules/|analysis\.h)|analyzed\.h")
ORACLES = {"routine": ["60", "1"], "talk": ["1000", "1"], "far": ["100", "1"],
           "edges": ["200", "1"], "cause": ["100", "1"], "graphs": []}
TRACES = "tests/traces/run_traces"
UNITS = "tests/unit/unit_analyzer"
TOGETHER_MOST = 256  # traces that one process reads

# Chooses the mutant, ends one whose loop does not end, and adds what was noted to a file.
CHOICE = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
unsigned sc_mutant;
unsigned char sc_mutants_seen[%(count)d];
__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("SC_MUTANT");
	struct rlimit none = {0}, memory = {1ull << 32, 1ull << 32}, seconds = {10, 10};

	if (!number)
		return;
	sc_mutant = atoi(number);
	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_AS, &memory);
}
__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("SC_MUTANTS_SEEN");
	FILE *file = path ? fopen(path, "ab") : NULL;

	if (!file)
		return;
	fwrite(sc_mutants_seen, sizeof(sc_mutants_seen), 1, file);
	fclose(file);
}
"""

Test = collections.namedtuple("Test", "program arguments")


def key_of(m):
    return f"{m.file} {m.function} {m.kind} {m.number}"


def name_of(test):
    last = test.arguments[0] if test.arguments else ""
    return f"{pathlib.Path(test.program).name} {last.removeprefix(f'{ROOT}/tests/traces/')}".strip()


def digest(paths):
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


class Tests:
    """Test programs of a build tree, linked with all mutants."""

    def __init__(self, args, sources):
        self.build = args.build.resolve()
        self.folder = self.build / "mutation"
        self.folder.mkdir(exist_ok=True)
        self.pool = concurrent.futures.ThreadPoolExecutor(args.workers)
        traces = sorted((ROOT / "tests/traces").rglob("*.sct.txt"))
        units = [p for p in sorted((ROOT / "tests/unit").glob("*/test_*.c"))
                 if ANALYZES.search(p.read_text()) and p.stem[5:] in self.modules()]
        self.stamp = digest(traces + units) + ("+oracles" if args.oracles else "")
        self.tests = [Test(TRACES, (str(p),)) for p in traces]
        self.tests += [Test(UNITS, (p.stem[5:],)) for p in units]
        if args.oracles:
            self.tests += [Test(f"tests/oracle/run_{n}", tuple(a)) for n, a in ORACLES.items()]
        self.compile(sources)
        list(self.pool.map(self.link, dict.fromkeys(t.program for t in self.tests)))
        self.seen = dict(zip(self.tests, self.pool.map(self.look, self.tests)))
        self.rank = collections.defaultdict(collections.Counter)  # of a file: of its tests

    def modules(self):
        return re.findall(r"TEST\((\w+)\)", (self.build / f"{UNITS}.inc").read_text())

    def compile(self, sources):
        commands = {c["file"]: c for c in
                    json.loads((self.build / "compile_commands.json").read_text())}
        jobs, first = [], 1
        for path in sources:
            text = path.read_text(encoding="utf-8")
            mutants, conditions = schemata.conditions_of(path.name, text, first)
            first += len(mutants)
            command = commands[str(path)]
            out = self.folder / path.name
            out.write_text(schemata.HEAD + schemata.schema(text, conditions), encoding="utf-8")
            words = shlex.split(command["command"])
            words[words.index("-o") + 1] = str(out.with_suffix(".o"))
            words[words.index(str(path))] = str(out)
            jobs.append(([*words, "-O1", "-w"], command["directory"]))
        choice = self.folder / "choice.c"
        self.count = first
        choice.write_text(CHOICE % {"count": first}, encoding="utf-8")
        jobs.append((["cc", "-c", "-o", str(choice.with_suffix(".o")), str(choice)], self.folder))
        list(self.pool.map(lambda j: subprocess.run(j[0], cwd=j[1], check=True), jobs))
        self.objects = [j[0][j[0].index("-o") + 1] for j in jobs]

    def link(self, program):
        out = subprocess.run(["ninja", "-t", "commands", "-s", program], cwd=self.build,
                             check=True, capture_output=True, text=True).stdout
        words = shlex.split(out.split("&&")[1])
        library = next(i for i, w in enumerate(words) if w.endswith("libsc_analyzer.a"))
        words[library:library] = self.objects
        words[words.index("-o") + 1] = str(self.folder / pathlib.Path(program).name)
        subprocess.run(words, cwd=self.build, check=True)

    def fails(self, program, arguments, environment):
        done = subprocess.run([self.folder / pathlib.Path(program).name, *arguments],
                              cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False,
                              env={**os.environ, **environment})
        return done.returncode not in (0, 77)

    def look(self, test):
        """For each mutant whether its condition has another value in the test."""
        path = self.folder / f"seen.{self.tests.index(test)}"
        path.unlink(missing_ok=True)
        if self.fails(*test, {"SC_MUTANTS_SEEN": str(path)}):
            sys.exit(f"{name_of(test)} fails without a mutant")
        found = path.read_bytes()  # once for each process of the test
        return {i % self.count for i, is_other in enumerate(found) if is_other}

    def notice(self, m):
        """(number of tests in which the mutant's condition has another value, the first of them
        that fails or None); those that noticed most mutants of the file come first."""
        rank = self.rank[m.file]
        tests = [t for t in self.tests if m.id in self.seen[t]]
        order = sorted(tests, key=lambda t: (t.program.startswith("tests/oracle"), -rank[t]))
        for program, some in itertools.groupby(order, lambda t: t.program):
            some, size = list(some), 1
            while some:
                if self.together(m, program, some[:size]):
                    by = next((t for t in some[:size] if self.together(m, program, [t])), some[0])
                    rank[by] += 1
                    return len(tests), name_of(by)
                some = some[size:]
                size = min(size * 2, TOGETHER_MOST) if program == TRACES else 1
        return len(tests), None

    def together(self, m, program, tests):
        return self.fails(program, [a for t in tests for a in t.arguments],
                          {"SC_MUTANT": str(m.id)})


def read_results(path):
    known = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            known[row["mutant"]] = row
    return known


def read_survivors():
    """The keys of the mutants that are listed."""
    keys = []
    for row in (HERE / "survivors.txt").read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            path, function, *mutants = re.match(r"(.*? [\d,]+): ", row).group(1).split()
            keys += [f"{path} {function} {kind} {number}"
                     for kind, numbers in zip(mutants[::2], mutants[1::2])
                     for number in numbers.split(",")]
    return keys


def run(args, mutants, sources):
    tests = Tests(args, sources)
    for m in mutants:  # Before any was noticed, a test with more of the file's mutants is better.
        for t in tests.tests:
            tests.rank[m.file][t] += (m.id in tests.seen[t]) / len(mutants)
    path = tests.folder / "results.jsonl"
    known = read_results(path)
    if args.oracles:  # What only these notice, a run without them does not.
        path = tests.folder / "oracles.jsonl"
        known |= read_results(path)
    end = time.monotonic() + args.minutes * 60
    stamps = {str(p.relative_to(ROOT)): digest([p]) for p in sources}

    def judge(m):
        old = known.get(key_of(m))
        if old and old["stamp"] == stamps[m.file] and (old["by"] or old.get("tests") == tests.stamp):
            return
        if time.monotonic() > end:
            known.pop(key_of(m), None)
            return
        differs, by = tests.notice(m)
        row = {"mutant": key_of(m), "line": m.line, "stamp": stamps[m.file],
               "tests": tests.stamp, "differs": differs, "by": by}
        known[key_of(m)] = row
        with path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")
        if not by:
            print(f"{m.file}:{m.line}: {key_of(m)} survives {differs} tests", flush=True)

    list(tests.pool.map(judge, mutants))
    return known


def report(mutants, known):
    listed = read_survivors()
    judged = [(m, known[key_of(m)]) for m in mutants if key_of(m) in known]
    alive = [key_of(m) for m, row in judged if not row["by"]]
    new = [key for key in alive if key not in listed]
    gone = [key for key in listed if known.get(key, {"by": None})["by"]]
    print(f"{len(judged)} of {len(mutants)} mutants were run: {len(judged) - len(alive)} were "
          f"noticed, {len(alive)} not, of which {len(alive) - len(new)} are listed")
    print(*(f"not listed: {key}" for key in new), *(f"noticed now: {key}" for key in gone), sep="\n")
    return 1 if new else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--oracles", action="store_true")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    sources = [path.resolve() for path in args.source]
    mutants = []
    for path in sources:
        mutants += schemata.conditions_of(str(path.relative_to(ROOT)), path.read_text(),
                                          len(mutants) + 1)[0]
    if args.sample:
        mutants = random.Random(args.seed).sample(mutants, min(args.sample, len(mutants)))
    mutants = [m for m in mutants if re.search(args.only, key_of(m))]
    if args.list:
        for m in mutants:
            print(f"{m.file}:{m.line}: {key_of(m)}")
        return 0
    return report(mutants, run(args, mutants, sources))


if __name__ == "__main__":
    sys.exit(main())
