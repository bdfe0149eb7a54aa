#!/usr/bin/env python3
"""Checks that docs/ordering.md defines whatever code, tests and documents cite of it.

In docs/ordering.md an anchor defines a rule, a violation or a probe (<a id="s-3"></a>, "sc-101",
"probe-9"), a heading defines a section (4.7) or an appendix. Complaints are about
* citations of what is not defined, and about the names that violations had before;
* violations that docs/ordering.md and analyzer/finding/rule.def do not describe alike;
* rows of docs/coverage.md without a rule;
* probes without a program in tests/gpu/probes, and programs without a probe.

Exit code 0: nothing wrong; 1: each complaint is one line FILE:LINE: sentence.
"""
import os
import re
import sys

import lint

PAGE = "docs/ordering.md"
RULES = "analyzer/finding/rule.def"
COVERAGE = "docs/coverage.md"
PROBES = "tests/gpu/probes"
FOLDERS = lint.FOLDERS + ("docs", "cmake", "packaging")
NO_RULE = "SC-999"  # what tests take for a violation that does not exist
SEVERITY = {"15.1": "ERROR", "15.2": "ERROR", "15.3": "WARNING", "15.4": "ADVICE"}

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
HEADING = re.compile(r"^#+ (?:(\d+(?:\.\d+)?)\.? |(Appendix [A-Z])\. |)(.*)")
ROW = re.compile(r'^\| <a id="(sc-\d+)"></a>\*\*(\[?)SC-\d+')
IMPLEMENTED = re.compile(r'^SC_RULE\((\d+), "[^"]*", ([A-Z]+), ([A-Z]+),')
RULE = r"(?:C-[SA]|[SEHMPCGLWDTKB]-)\d+"
SECTION = r"\d+(?:\.\d+)?"
REMARK = re.compile(rf"\| ({RULE}|SC-\d+) \|[^|]*\| (.*\S) \|")
CITED = re.compile(rf"(?<![\w-])({RULE})(?!\w)")
VIOLATION = re.compile(r"\bSC(?:-|_RULE_)(\d{3})\b")
PROBE = re.compile(r"\b[Pp]robes? (\d+(?:(?:, | and )\d+)*)")
APPENDIX = re.compile(r"\b[Aa](ppendix [A-Z])\b")
NAMED = re.compile(rf"\b(?:specification|ordering\.md\)?),? (?:sections? |§)?"
                   rf"({SECTION}(?:, {SECTION})*)")
SIGN = re.compile(rf"(?<!PG12 )(?<!PG13 )(?<!manual )§\s?({SECTION})(?!\.?\d)")  # longer ones are NVIDIA's
BRACKETS = re.compile(rf"(?<!\w)\(((?:{SECTION}|{RULE})(?:, (?:{SECTION}|{RULE}|SC-\d+))*)\)")
LINK = re.compile(r"ordering\.md#([\w.-]+)|\]\(#([\w.-]+)\)")
HINT = re.compile(r"[A-Z]-[SA]?\d|SC_RULE_|§|\(\d|robe|ppendix|ecification|ordering")  # saves time
OLD = re.compile(r"\bV-\d{3}\b|cuda-ordering-" + "semantics")
COMMENTED = (".c", ".h", ".cu", ".cuh", ".def", ".txt")  # "(4.7)" is a section there


def slug(title):
    """The anchor that a heading has by itself."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def definitions():
    """What the page defines, in lower case, and complaints about it."""
    found, wrong = set(), []
    for number, line in enumerate(lint.lines_of(PAGE), 1):
        names = ANCHOR.findall(line)
        heading = HEADING.match(line)
        if heading:
            title = ANCHOR.sub("", line.lstrip("# ")).strip()
            names += [n for n in (heading[1], heading[2], slug(title)) if n]
        for name in names:
            if name.lower() in found:
                wrong.append((PAGE, number, f"{name} is defined twice"))
            found.add(name.lower())
    return found, wrong


def citations(path, line):
    """What a line cites, by the names that definitions() has."""
    found = CITED.findall(line) + APPENDIX.findall(line) + SIGN.findall(line)
    found = [name.replace("ppendix", "appendix") for name in found]
    found += [f"SC-{n}" for n in VIOLATION.findall(line) if f"SC-{n}" != NO_RULE]
    found += [f"probe-{n}" for text in PROBE.findall(line) for n in re.findall(r"\d+", text)]
    found += [n for text in NAMED.findall(line) for n in text.split(", ")]
    if path.endswith(COMMENTED):
        found += [n for text in BRACKETS.findall(line) for n in text.split(", ") if "." in n]
    if path.endswith(".md"):
        found += [a or b for a, b in LINK.findall(line) if a or path == PAGE]
    return sorted(set(found))


def texts():
    """All files of ours that are text, and their lines."""
    for path in lint.sources("", folders=FOLDERS):
        full = os.path.join(lint.ROOT, path)
        if os.path.isfile(full):
            with open(full, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if "\0" not in text:
                yield path, text.split("\n")


def check_citations():
    defined, wrong = definitions()
    yield from wrong
    for path, lines in texts():
        for number, line in enumerate(lines, 1):
            if not HINT.search(line):
                continue
            for name in citations(path, line):
                if name.lower() not in defined:
                    yield path, number, f"{PAGE} does not define {name}"
            for name in OLD.findall(line):
                yield path, number, f"{name}: violations are SC-nnn, the page is {PAGE}"


def catalogue():
    """Section 15: id -> line number, is implemented, severity, is a cause."""
    rows, section = {}, None
    for number, line in enumerate(lint.lines_of(PAGE), 1):
        heading, row = HEADING.match(line), ROW.match(line)
        if heading:
            section = heading[1]
        elif row:
            is_cause = "** (cause) " in line
            rows[row[1].upper()] = (number, bool(row[2]), SEVERITY.get(section), is_cause)
    return rows


def check_catalogue():
    """Section 15 and rule.def describe the same violations, with the same severities."""
    rows, known = catalogue(), set()
    for number, line in enumerate(lint.lines_of(RULES), 1):
        rule = IMPLEMENTED.match(line)
        if not rule:
            continue
        name = f"SC-{rule[1]}"
        known.add(name)
        at, is_linked, severity, is_cause = rows.get(name, (0, False, None, False))
        if not is_linked:
            yield RULES, number, f"{PAGE} has no row of {name} that links to its page"
        elif severity != rule[2]:
            yield PAGE, at, f"{name} is listed among {severity}, and is {rule[2]} in {RULES}"
        elif is_cause != (rule[3] == "CAUSE"):
            yield PAGE, at, f"{name} is {rule[3]} in {RULES}: mark causes, and causes only"
    for name, (number, is_linked, *_) in rows.items():
        if is_linked and name not in known:
            yield PAGE, number, f"{name} is not in {RULES}: say \"not implemented\", without a link"
        if is_linked and not os.path.exists(os.path.join(lint.ROOT, f"docs/rules/{name}.md")):
            yield PAGE, number, f"docs/rules/{name}.md does not exist"
        if not is_linked and "(not implemented: " not in lint.lines_of(PAGE)[number - 1]:
            yield PAGE, number, f"{name} has no link: say \"not implemented\", and why"


def check_coverage():
    """No row of coverage.md is of anything but a rule or violation."""
    defined, _ = definitions()
    rules = {name.upper() for name in defined if re.fullmatch(rf"{RULE}|SC-\d+", name.upper())}
    for number, line in enumerate(lint.lines_of(COVERAGE), 1):
        match = REMARK.fullmatch(line)
        if match and match[1] not in rules:
            yield COVERAGE, number, f"{PAGE} does not define {match[1]}"


def check_probes():
    """Appendix C and tests/gpu/probes have the same probes."""
    defined, _ = definitions()
    named = {int(name[6:]) for name in defined if re.fullmatch(r"probe-\d+", name)}
    programs = {int(match[1]) for name in os.listdir(os.path.join(lint.ROOT, PROBES))
                if (match := re.match(r"(\d+)_.*\.cu$", name))}
    for number in sorted(named ^ programs):
        yield PROBES, 1, f"probe {number} is in one of {PROBES} and {PAGE} only"


CHECKS = (check_citations, check_catalogue, check_coverage, check_probes)


def main():
    complaints = [complaint for check in CHECKS for complaint in check()]
    for path, number, sentence in complaints:
        print(f"{path}:{number}: {sentence}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
