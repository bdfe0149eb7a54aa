"""The command: `streamcheck` runs it as it is, `python -m streamcheck` knows scripts as well."""
import os
import sys
from typing import NoReturn, Sequence

from ._installed import command_path

RUNS = ("run",)  # commands that take a program
OF_PYTHON = ("-m", "-c")


def with_interpreter(words: Sequence[str], python: str) -> list[str]:
    """The words of a command, with an interpreter put before a script, `-m module` or `-c text` that it is to run."""
    words = list(words)
    if not words or words[0] not in RUNS:
        return words
    for at, word in enumerate(words[1:], 1):
        if word == "--":
            rest = words[at + 1:]
            break
        if word in OF_PYTHON or not word.startswith("-"):
            rest = words[at:]
            break
    else:
        return words
    if not rest or not (rest[0] in OF_PYTHON or rest[0].endswith((".py", ".pyz"))):
        return words
    return [*words[:at], "--", python, *rest]


def execute(words: Sequence[str]) -> NoReturn:
    """Becomes the command."""
    path = command_path()
    os.environ.setdefault("STREAMCHECK_PYTHON", sys.executable)  # of which the packages write patches
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(path, ["streamcheck", *words])
    except OSError as error:
        sys.exit(f"streamcheck: cannot run {path}: {error.strerror}; install the package again")


def main() -> NoReturn:
    """The console script."""
    execute(sys.argv[1:])
