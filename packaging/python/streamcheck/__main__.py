"""python -m streamcheck: the command, which runs scripts with this interpreter; the writer of patches; the server for agents."""
import os
import sys

from ._command import execute, with_interpreter
from ._installed import prefix

if __name__ == "__main__":
    if sys.argv[1:2] == ["patch"]:
        sys.stdout.flush()
        writer = os.path.join(prefix(), "share", "streamcheck", "patch")
        os.execv(sys.executable, [sys.executable, "-B", writer, *sys.argv[2:]])
    if sys.argv[1:2] == ["mcp"]:
        sys.path[:] = [p for p in sys.path if p not in ("", os.getcwd())]  # a workspace has no part in the server
        from . import _mcp  # needs the extra `mcp`
        _mcp.main(sys.argv[2:])
        sys.exit(0)
    execute(with_interpreter(sys.argv[1:], sys.executable))
