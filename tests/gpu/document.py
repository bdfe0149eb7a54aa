#!/usr/bin/env python3
"""Puts the last table of the GPU suite into docs/gpu-validation.md.

usage: document.py RESULTS.json DATE [BENCH-OUTPUT]; the file's words above the marker are kept.
"""
import json
import os
import sys

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/gpu-validation.md")
MARKER = "<!-- from here on written by tests/gpu/document.py -->\n"


def lines(results, date, bench):
    yield MARKER
    yield f"\n## {date}\n\nGPU and driver: {results['machine'].splitlines()[0]}"
    yield f" ({len(results['machine'].splitlines())} in the machine).\n\n"
    if bench:
        yield f"What recording adds to a call (`bench/record`):\n\n```\n{bench.strip()}\n```\n\n"
    yield "| what | ways | verdict | details |\n|---|---|---|---|\n"
    for row in results["rows"]:
        yield "| " + " | ".join(row) + " |\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    bench = ""
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as file:
            bench = file.read()
    with open(DOCUMENT, encoding="utf-8") as file:
        words = file.read().split(MARKER)[0].rstrip() + "\n\n"
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(words + "".join(lines(results, sys.argv[2], bench)))


if __name__ == "__main__":
    main()
