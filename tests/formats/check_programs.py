#!/usr/bin/env python3
"""Runs every test case on the simulated device with a report in each format, and checks them.

usage: check_programs.py PREFIX PROGRAM...
"""
import os
import subprocess
import sys
import tempfile

import expectation
import sound

TIMEOUT_S = 120


def environment(source):
    env = dict(os.environ, STREAMCHECK_SIM_SCHEDULE="lazy")
    for name in ("STREAMCHECK_OPTIONS", "LD_PRELOAD"):
        env.pop(name, None)
    return {**env, **source.env}


def reports(prefix, program, folder):
    """The bytes of each report of a run; none if the program was not checked."""
    paths = {name: os.path.join(folder, name) for name in sound.FORMATS}
    for path in paths.values():
        if os.path.exists(path):
            os.remove(path)
    source = expectation.source_of(program)
    subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim",
                    *sound.options(paths),
                    *("--" + option for option in source.options), "--", program],
                   stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=TIMEOUT_S, check=False, env=environment(source), cwd=folder)
    texts = {}
    for name, path in paths.items():
        if os.path.exists(path):
            with open(path, "rb") as file:
                texts[name] = file.read()
    return texts


def main():
    failed = checked = 0
    prefix, *programs = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in programs:
            texts = reports(prefix, program, folder)
            missing = [name for name in sound.FORMATS if name not in texts]
            wrong = [f"no report: {missing}"] if missing else sound.complaints(texts)
            checked += 1
            failed += bool(wrong)
            for line in wrong:
                print(f"{program}: {line}")
    return sound.finish(failed, checked)


if __name__ == "__main__":
    sys.exit(main())
