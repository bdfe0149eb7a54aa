#!/usr/bin/env python3
"""Rule by rule of docs/ordering.md: where it is code and tested. Fails if a rule is not followed, and nothing says why.

usage: coverage.py [--print]

docs/coverage.md has a row for each rule that is not followed, or not in full: "| ID | title | remark |". A rule
that no source cites must have one: why it is not followed, and what reports say
instead. A rule with a row is not counted, whoever cites it.
"""
import pathlib
import re
import sys

import ordering

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/coverage.md"
CODE = ["analyzer", "extensions", "footprint", "interposer", "trace"]
TESTS = ["tests/traces", "tests/unit", "tests/oracle", "testcases", "extensions"]
SOURCES = {".c", ".h", ".def", ".cu", ".txt"}
KIND = r"(?:SC-|C-[SA]|[SEHMPCGLWDTKB]-)"
ID = KIND + r"(\d+)"
RANGE = re.compile(rf"\b({KIND}(\d+)) to ({KIND}(\d+))\b")
CITED = re.compile(rf"\b(?:SC_RULE_|{KIND})\d+\b")


def expand(text):
    """The ids that a text cites; "S-1 to S-4" cites four."""
    found = set()
    for first, low, last, high in RANGE.findall(text):
        prefix = first[: -len(low)]
        if last.startswith(prefix):
            found.update(f"{prefix}{n}" for n in range(int(low), int(high) + 1))
    for word in CITED.findall(text):
        found.add(word.replace("SC_RULE_", "SC-"))
    return found


def files(folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SOURCES and path.is_file() and path.name != "rule.def":
                yield path


def place(path):
    """How a file is shown: tests by folder, so that the page changes with the rules, not the tests."""
    short = path.relative_to(ROOT)
    if short.parts[0] not in ("tests", "testcases"):
        return str(short)
    # Without the title that follows a rule's number: tests/traces/101-host-read-before-sync.
    return re.sub(r"/(\d{3})-[^/]*$", r"/\1", str(short.parent))


def citations(folders):
    """The places that cite each id."""
    places = {}
    for path in files(folders):
        for rule in expand(path.read_text(encoding="utf-8", errors="replace")):
            places.setdefault(rule, set()).add(place(path))
    return places


def implemented():
    """The numbers of the rows of rule.def."""
    rows = (ROOT / "analyzer/finding/rule.def").read_text(encoding="utf-8")
    return {f"SC-{n}" for n in re.findall(r"^SC_RULE\((\d+),", rows, re.M)}


def remarks():
    """The remarks of the page by rule."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        match = ordering.REMARK.fullmatch(line)
        if match:
            found[match[1]] = match[2]
    return found


def rules():
    """All rules, each with its remark or ""."""
    known, (defined, _) = remarks(), ordering.definitions()
    for name in sorted(defined):
        if re.fullmatch(ID, name.upper()):
            yield name.upper(), known.get(name.upper(), "")


def shown(places):
    """At most three names, then a count."""
    names = sorted(places)
    more = f" +{len(names) - 3}" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def main():
    code, tests, rows = citations(CODE), citations(TESTS), implemented()
    wrong, followed, total = [], 0, 0
    for rule, remark in rules():
        is_code = rule in rows if rule.startswith("SC-") else rule in code
        if not is_code and not remark:
            wrong.append(f"{rule}: no source cites it, and docs/coverage.md has no row that says why")
        total += 1
        followed += is_code and not remark
        if sys.argv[1:] == ["--print"]:
            where = shown(code.get(rule, {"analyzer/finding/rule.def"})) if is_code else ""
            print(f"{rule} | {where} | {shown(tests.get(rule, set()))} | {remark}")
    print(f"{followed} of {total} rules are followed in full")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
