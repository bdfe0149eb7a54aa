#!/usr/bin/env python3
"""The text reports of the traces that were recorded on a GPU, compared with tests/golden/gpu.

usage: gpu.py check|write STREAMCHECK FOLDER

Nothing is masked: the programs are not here, so the report has no names but those in the trace.
`write` writes the tree anew; look at the difference before you commit it.
"""
import os
import subprocess
import sys

import golden

TREE = os.path.join(golden.HERE, "gpu")
SUFFIX = ".sct.txt"


def report(command, trace):
    """The report on standard error, as a user sees it in a narrow pipe."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("STREAMCHECK_")}
    done = subprocess.run([command, "analyze", "--html=no", trace], capture_output=True, text=True,
                          timeout=golden.TIMEOUT_S, check=False, env=env)
    return f"{done.stdout}{done.stderr}exit code {done.returncode}\n"


def main():
    way, command, folder = sys.argv[1:]
    tree = {name.removesuffix(SUFFIX): report(command, os.path.join(folder, name))
            for name in os.listdir(folder) if name.endswith(SUFFIX)}
    if way == "write":
        golden.write(tree, TREE)
        return 0
    return golden.compare(tree, golden.kept_tree(TREE))


if __name__ == "__main__":
    sys.exit(main())
