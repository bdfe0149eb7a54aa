"""python -m streamcheck: the command, which runs scripts with this interpreter; and the writer of patches."""
import os
import sys

from ._command import execute, with_interpreter
from ._installed import prefix

if __name__ == "__main__":
    if sys.argv[1:2] == ["patch"]:
        sys.stdout.flush()
        writer = os.path.join(prefix(), "share", "streamcheck", "patch")
        os.execv(sys.executable, [sys.executable, "-B", writer, *sys.argv[2:]])
    execute(with_interpreter(sys.argv[1:], sys.executable))
