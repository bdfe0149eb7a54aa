#!/usr/bin/env python3
"""Every trace once more, with events that another process may record: nothing new is proven (E-12).

usage: shared_events.py STREAMCHECK FOLDER
"""
import json
import os
import re
import subprocess
import sys
import tempfile


def traces_of(folder):
    """Texts of traces whose events are not shared yet, and the names of these events."""
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(n for n in names if n.endswith(".sct.txt")):
            with open(os.path.join(at, name), encoding="utf-8") as file:
                lines = [line for line in file if not line.startswith("expect")]
            text = "".join(lines)
            events = sorted(set(re.findall(r"\be\d+\b", text)))
            if events and not re.search(r"^event ", text, re.M):
                yield os.path.relpath(os.path.join(at, name), folder), text, events


def proven_in(tool, text):
    """The rules of proven findings, or None."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        trace, report = (os.path.join(folder, name) for name in ("t.sct.txt", "report.json"))
        with open(trace, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([tool, "analyze", f"--report=json:{report}", trace], check=False, cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with open(report, encoding="utf-8") as file:
                findings = json.load(file)["findings"]
        except OSError:
            return None
        return [f["rule"] for f in findings if f["confidence"] == "proven"]


def wrong_in(tool, name, text, events):
    before = proven_in(tool, text)
    after = proven_in(tool, "".join(f"event {e} interprocess\n" for e in events) + text)
    if before is None or after is None:
        return [f"{name}: no report"]
    new = {rule for rule in after if after.count(rule) > before.count(rule)}
    return [f"{name}: {rule} is proven, with shared events only" for rule in sorted(new)]


def main():
    tool, folder = sys.argv[1:3]
    wrong, count = [], 0
    for trace in traces_of(folder):
        wrong += wrong_in(tool, *trace)
        count += 1
    print(f"{count} traces")
    for line in wrong:
        print(line)
    return 1 if wrong or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
