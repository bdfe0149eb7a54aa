#!/usr/bin/env python3
"""The text reports of traces of a folder, compared with those that the folder of that name in tests/golden keeps.

usage: traces.py check|write STREAMCHECK FOLDER...

Nothing is masked: the programs are not here, so the report has no names but those in the trace.
`write` writes the trees anew, of the traces that have a file there; look at the difference before you commit it.
"""
import os
import subprocess
import sys

import golden

SUFFIX = ".sct.txt"


def report(command, trace):
    """The report on standard error, as a user sees it in a narrow pipe."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("STREAMCHECK_")}
    folder, name = os.path.split(trace)
    done = subprocess.run([os.path.abspath(command), "analyze", "--html=no", name], capture_output=True, text=True,
                          timeout=golden.TIMEOUT_S, check=False, env=env, cwd=folder)
    return f"{done.stdout}{done.stderr}exit code {done.returncode}\n"


def handle(way, command, folder):
    """True if a tree is as it was kept, or was written."""
    place = os.path.join(golden.HERE, os.path.basename(folder))
    kept = golden.kept_tree(place)
    tree = {name: report(command, os.path.join(folder, name + SUFFIX)) for name in kept}
    if way == "check":
        return golden.compare(tree, kept) == 0
    golden.write(tree, place)
    return True


def main():
    way, command, *folders = sys.argv[1:]
    return int(not all([handle(way, command, folder) for folder in folders]))


if __name__ == "__main__":
    sys.exit(main())
