#!/usr/bin/env python3
"""Writes what the documentation says of tables (*.def), or checks that it is current.

usage: tables.py [--write]

Sections of docs/user/reports.md, between "<!-- NAME: tests/lint/tables.py -->" and "<!-- end -->", and objects
of docs/user/json-report.schema.json. Exit code 1: each complaint is one line FILE:LINE: sentence.
"""
import json
import os
import re
import sys

import lint

PAGE = "docs/user/reports.md"
SCHEMA = "docs/user/json-report.schema.json"
SEEN, GAPS, VERDICT = "analyzer/model/coverage.def", "trace/gap.def", "analyzer/finding/verdict.def"
TABLES = (SEEN, GAPS, VERDICT)
SECTION = re.compile(r"(<!-- (\w+): tests/lint/tables\.py -->\n).*?(<!-- end -->)", re.S)
TOKEN = re.compile(r'/\*.*?\*/|^\s*#[^\n]*|"(?:[^"\\]|\\.)*"|\w+|[(),]', re.S | re.M)
WIDTH = 110


def rows(path, macro):
    """The rows of one macro of a table, as lists of words and sentences."""
    found, row, value = [], None, ""
    for token in TOKEN.findall("\n".join(lint.lines_of(path))):
        if token.startswith(("/*", "#")) or token.lstrip().startswith("#"):
            continue
        if row is None:
            name, row = (name, []) if token == "(" else (token, None)
        elif token in ",)":
            row.append(value)
            value = ""
            if token == ")":
                found += [row] if name == macro else []
                row = None
        else:
            value += re.sub(r"\\(.)", r"\1", token[1:-1]) if token[0] == '"' else token
    return found


def table(heads, lines):
    """A table of Markdown."""
    return "".join(f"| {' | '.join(line)} |\n" for line in [heads, *lines]).replace("\n", "\n|" + "---|" * len(heads) + "\n", 1)


def seen_page():
    return table(["name", "type", "meaning"],
                 [[f"`{name}`", "number", about] for name, _, _, _, about in rows(SEEN, "SC_SEEN")]
                 + [[f"`{name}`", "number", about] for name, _, _, about in rows(SEEN, "SC_LAUNCHES")]
                 + [[f"`{name}`", "bool", about] for name, _, about in rows(SEEN, "SC_STATE")]
                 + [["`windows`", "object", "`count` of [windows](live.md#windows), `ops` inside of them, `ns` of the `run_ns` of "
                     "the run; absent if all of the run was recorded in full"]]
                 + [["`cut`", "object", "the part of the run before `to_ns` was judged while the program ran "
                     "([live-disk](live.md#bounded-disk)) and is not in the trace any more; so many `findings` were kept of it; absent if "
                     "there is none"]]
                 + [["`signal`", "number", "signal that ended the process; absent if none did"],
                    ["`ended_by_parent`", "bool", "true: its own parent, a process of the run, sent that signal; the run is complete unless "
                     "work was in flight; else absent"]])


def gaps_page():
    lines = []
    for name, weight, place, noun, what, why in rows(GAPS, "SC_GAP"):
        plural = noun + ("es" if noun.endswith("s") else "s")
        where = "`coverage`" if place == "MEMBER" else "`left_out`"
        lines.append([f"`{name}`", where, f"{plural}{what}: {why}", "yes" if weight == "LOSS" else ""])
    return table(["name", "in", "meaning", "exit code 3"], lines)


def verdict_page(macro):
    """Ids and sentences; what a sentence says of the finding is in italics."""
    def shown(sentence):
        return re.sub(r"\{([,; ]*)(.*?)([, ]*)\}", r"\1*\2*\3", sentence)
    return table(["id", "meaning"], [[f"`{name}`", shown(sentence)] for _, name, sentence in rows(VERDICT, macro) if sentence])


PAGES = {"seen": seen_page, "gaps": gaps_page, "orders": lambda: verdict_page("SC_REACH"),
         "doubts": lambda: verdict_page("SC_DOUBT"), "fixes": lambda: verdict_page("SC_FIX")}


def coverage_schema():
    """The object `coverage`."""
    count = {"$ref": "#/$defs/count"}
    counted = [row[0] for macro in ("SC_SEEN", "SC_LAUNCHES") for row in rows(SEEN, macro)]
    states = [row[0] for row in rows(SEEN, "SC_STATE")]
    gaps = {place: [row[0] for row in rows(GAPS, "SC_GAP") if row[2] == place] for place in ("MEMBER", "LIMIT")}
    limits = {"type": "object", "properties": {name: count for name in gaps["LIMIT"]},
              "additionalProperties": count}
    members = ("count", "ops", "ns", "run_ns")
    windows = {"type": "object", "required": list(members), "properties": {name: count for name in members},
               "additionalProperties": False}
    part = ("from_ns", "to_ns", "ops")
    behind = {"type": "array", "items": {"type": "object", "required": list(part), "properties": {name: count for name in part},
                                         "additionalProperties": False}}
    cut = {"type": "object", "required": ["to_ns", "findings"], "properties": {"to_ns": count, "findings": count},
           "additionalProperties": False}
    return {"type": "object", "required": counted + states + gaps["MEMBER"],
            "properties": {**{name: count for name in counted}, **{name: {"type": "boolean"} for name in states},
                           **{name: count for name in gaps["MEMBER"]}, "left_out": limits, "windows": windows, "behind": behind,
                           "cut": cut, "signal": count, "ended_by_parent": {"const": True}}}


def ids(macro, *others):
    """One of the ids of a macro's rows that have a sentence."""
    return {"enum": [*others, *(name for _, name, sentence in rows(VERDICT, macro) if sentence)]}


FINDING = ("finding", "properties")
SCHEMATA = {("coverage",): coverage_schema, (*FINDING, "order_id"): lambda: ids("SC_REACH", None),
            (*FINDING, "doubt_id"): lambda: ids("SC_DOUBT", None), (*FINDING, "fix_id"): lambda: ids("SC_FIX"),
            (*FINDING, "timing", "properties", "verdict"): lambda: ids("SC_TIMING")}


def laid_out(value, indent=0):
    """JSON with what fits in one line."""
    whole = json.dumps(value, ensure_ascii=False)
    if indent + len(whole) <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return whole
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{pad}{json.dumps(k)}: {laid_out(v, indent + 2)}" for k, v in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    lines = [pad[1:]]
    for i, part in enumerate(value):
        text = laid_out(part, indent + 2) + ("," if i + 1 < len(value) else "")
        if len(lines[-1]) + len(text) >= WIDTH and lines[-1].strip():
            lines.append(pad[1:])
        lines[-1] += " " + text
    return "[\n" + "\n".join(lines) + "\n" + " " * indent + "]"


def page():
    def section(match):
        return match[1] + PAGES.get(match[2], str)() + match[3]
    return SECTION.sub(section, "\n".join(lint.lines_of(PAGE)))


def schema():
    whole = json.loads("\n".join(lint.lines_of(SCHEMA)))
    for path, make in SCHEMATA.items():
        at = whole["$defs"]
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = make()
    return laid_out(whole) + "\n"


def complaints():
    for path, make in ((PAGE, page), (SCHEMA, schema)):
        now, should = lint.lines_of(path), make().split("\n")
        for number, (old, new) in enumerate(zip(now + [""], should + [""]), 1):
            if old != new:
                yield path, number, f"is not what the tables say ({new.strip()[:60]}): run tests/lint/tables.py --write"
                break
    named = {name for _, name, _ in SECTION.findall("\n".join(lint.lines_of(PAGE)))}
    for name in sorted(PAGES.keys() - named):
        yield PAGE, 1, f"has no section {name}"


def main():
    if sys.argv[1:] == ["--write"]:
        for path, make in ((PAGE, page), (SCHEMA, schema)):
            text = make()
            with open(os.path.join(lint.ROOT, path), "w", encoding="utf-8") as file:
                file.write(text)
    wrong = list(complaints())
    for path, number, sentence in wrong:
        print(f"{path}:{number}: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
