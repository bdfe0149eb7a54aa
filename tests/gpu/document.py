#!/usr/bin/env python3
"""Keeps what the GPU suite printed as a page of docs/dev/log, named by its date.

usage: document.py DATE RESULTS.json... [LOG...]
Several results are one table, in their order (PARTS of the suite that ran apart). Of logs, what the
suite printed, the benches are kept. What ran when in short is docs/dev/gpu.md, which people write.
"""
import json
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/dev/log")
BENCH = "---- bench/"


def benches(log):
    """(title, text) of each bench in what the suite printed."""
    title, text = None, []
    for line in [*log.splitlines(), ""]:
        if title and (not line or line.startswith("---- ")):
            yield title, "\n".join(text)
            title = None
        if line.startswith(BENCH):
            title, text = line[5:].strip(), []
        else:
            text.append(line)


def lines(date, results, logs):
    machines = results[0]["machine"].splitlines()
    yield f"# {date}: the GPU suite\n\nGPU and driver: {machines[0]} ({len(machines)} in the machine).\n\n"
    for log in logs:
        for title, text in benches(log):
            yield f"`{title}`:\n\n```\n{text}\n```\n\n"
    yield "| what | ways | verdict | details |\n|---|---|---|---|\n"
    for part in results:
        for row in part["rows"]:
            yield "| " + " | ".join(cell.replace("|", "/") for cell in row) + " |\n"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    files = sys.argv[2:]
    results = [json.loads(read(path)) for path in files if path.endswith(".json")]
    logs = [read(path) for path in files if not path.endswith(".json")]
    date = sys.argv[1]
    with open(os.path.join(FOLDER, f"{date}-gpu-suite.md"), "w", encoding="utf-8") as file:
        file.write("".join(lines(date, results, logs)))


if __name__ == "__main__":
    main()
