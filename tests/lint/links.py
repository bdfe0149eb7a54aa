#!/usr/bin/env python3
"""Checks that documents and comments name files that exist. usage: links.py

* A relative link of a document leads to a file, and its #anchor to a heading of that file.
* A path in backticks in a document (`trace/op.h`, `analyzer/rules/`, `interposer/api_*.def`) exists.
* A page that a source names (docs/….md) exists.
* Each page of docs/user and docs/dev has a line in the README.md of its folder.

CHANGELOG.md is history: only its links are checked.
Exit code 0: nothing wrong; 1: each complaint is one line FILE:LINE: sentence.
"""
import glob
import os
import re
import sys

import lint

LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\s]+)`")
PAGE = re.compile(r"\bdocs/[\w./-]+\.(?:md|txt|yml|json)\b")
PLACEHOLDER = re.compile(r"NAME|NNN|nnn|number")
HEADING = re.compile(r"#+ +(.*)")
HISTORY = ("CHANGELOG.md",)
INDEXED = ("docs/user", "docs/dev")
SUFFIXES = (".c", ".h", ".def", ".cu", ".cuh", ".py", ".sh", ".S", ".txt", ".conf", ".cmake")


def documents():
    """All pages, as paths from the root."""
    return lint.sources(".md", folders=(*lint.FOLDERS, "docs", "packaging", "cmake"))


def anchor(heading):
    """The name under which a heading is reached, as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return kept.replace(" ", "-")


def anchors(path):
    found = set()
    for line in lint.lines_of(path):
        match = HEADING.match(line)
        if match:
            found.add(anchor(match.group(1)))
    return found


def exists(path):
    """Whether a path, which may have *, or the source of a program so named, is in the tree."""
    full = os.path.join(lint.ROOT, path)
    return bool(glob.glob(full) or glob.glob(full + ".*"))


def link_complaint(path, target):
    if re.match(r"[a-z]+:", target):
        return None
    file, _, name = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
    if not exists(file):
        return f"the link leads to no file: {target}"
    if name and name not in anchors(file):
        return f"{file} has no heading for the link: #{name}"
    return None


def is_ours(quoted):
    """Whether words in backticks are a path from the root of the repository."""
    folder, _, rest = quoted.partition("/")
    return bool(rest) and folder in (*lint.FOLDERS, "docs", "packaging", "cmake") and \
        bool(re.fullmatch(r"[\w./*-]+", quoted)) and not PLACEHOLDER.search(quoted)


def check_documents():
    for path in documents():
        is_history = path.startswith(HISTORY)
        is_code = False
        for number, line in enumerate(lint.lines_of(path), 1):
            is_code ^= line.startswith("```")
            if is_code:
                continue
            for target in LINK.findall(line):
                complaint = link_complaint(path, target)
                if complaint:
                    yield path, number, complaint
            for quoted in [] if is_history else QUOTED.findall(line):
                # A folder of traces may be named by its number alone.
                if is_ours(quoted) and not exists(re.sub(r"^(tests/traces/\d{3})$", r"\1-*", quoted)):
                    yield path, number, f"there is no {quoted}"


def check_sources():
    folders = (*lint.FOLDERS, "docs", "packaging", "cmake")
    for path in lint.sources(*SUFFIXES, "CMakeLists.txt", ".md", folders=folders):
        if path.startswith(HISTORY) or path.startswith("tests/lint/test_"):
            continue
        for number, line in enumerate(lint.lines_of(path), 1):
            for page in PAGE.findall(line):
                if not PLACEHOLDER.search(page) and not exists(page):
                    yield path, number, f"there is no page {page}"


def check_indexes():
    for folder in INDEXED:
        index = f"{folder}/README.md"
        if not exists(folder):
            continue
        if not exists(index):
            yield index, 1, "the folder has no list of its pages"
            continue
        linked = {t.partition("#")[0] for line in lint.lines_of(index) for t in LINK.findall(line)}
        for name in sorted(os.listdir(os.path.join(lint.ROOT, folder))):
            if name.endswith(".md") and name != "README.md" and name not in linked:
                yield index, 1, f"no line leads to {name}"


CHECKS = (check_documents, check_sources, check_indexes)


def complaints():
    for check in CHECKS:
        yield from check()


def main():
    found = [f"{path}:{number}: {sentence}" for path, number, sentence in complaints()]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
