#!/usr/bin/env python3
"""The text reports of a folder of traces, compared with the folder of that name in tests/golden.

usage: traces.py check|write STREAMCHECK FOLDER...

Nothing is masked: the programs are not here, so the report has no names but those in the trace.
`write` writes the trees anew; look at the difference before you commit it.
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
    kept = os.path.join(golden.HERE, os.path.basename(folder))
    tree = {name.removesuffix(SUFFIX): report(command, os.path.join(folder, name))
            for name in os.listdir(folder) if name.endswith(SUFFIX)}
    if way == "check":
        return golden.compare(tree, golden.kept_tree(kept)) == 0
    golden.write(tree, kept)
    return True


def main():
    way, command, *folders = sys.argv[1:]
    return int(not all([handle(way, command, folder) for folder in folders]))


if __name__ == "__main__":
    sys.exit(main())
