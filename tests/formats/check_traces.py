#!/usr/bin/env python3
"""Analyzes every trace of tests/traces in every format, and checks the reports.

usage: check_traces.py STREAMCHECK FOLDER...
"""
import os
import subprocess
import sys
import tempfile

import sound

TIMEOUT_S = 60


def traces(folders):
    for folder in folders:
        for at, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith(".sct.txt"):
                    yield os.path.join(at, name)


def reports(command, trace, folder):
    """The bytes of each report of a trace."""
    paths = {name: os.path.join(folder, name) for name in sound.FORMATS}
    subprocess.run([command, "analyze", *sound.options(paths), trace],
                   capture_output=True, timeout=TIMEOUT_S,
                   check=False)
    texts = {}
    for name, path in paths.items():
        with open(path, "rb") as file:
            texts[name] = file.read()
    return texts


def whole_text(command, trace):
    return subprocess.run([command, "analyze", "--html=no", "--text=all", trace], capture_output=True, text=True, timeout=TIMEOUT_S,
                          check=False).stderr


def main():
    failed = checked = shortened = 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for trace in traces(sys.argv[2:]):
            texts = reports(sys.argv[1], trace, folder)
            wrong = list(sound.complaints(texts))
            if sound.is_short(texts["text"].decode()):
                shortened += 1
                wrong += sound.check_whole_text(whole_text(sys.argv[1], trace), texts["json"])
            checked += 1
            failed += bool(wrong)
            for line in wrong:
                print(f"{trace}: {line}")
    print(f"{shortened} texts leave something out: compared with --text=all")
    return sound.finish(failed, checked) or not shortened


if __name__ == "__main__":
    sys.exit(main())
