"""python -m streamcheck: the command, which runs scripts with this interpreter."""
import sys

from ._command import execute, with_interpreter

if __name__ == "__main__":
    execute(with_interpreter(sys.argv[1:], sys.executable))
