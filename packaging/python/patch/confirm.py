"""Confirms a patch: a copy of the current folder is built and run as it is, then patched, built and run again.

Nothing of a plan is run: how the program is built and started the user says.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Optional

from files import Sources

MOST_S = 600  # of each step
COMMAND = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "bin", "streamcheck")
LEFT_OUT = shutil.ignore_patterns("streamcheck-reports", ".git", "*.sct", "*.sct.zst")


class Failed(Exception):
    """A step that has no result; why."""


def build(command: str, folder: str) -> None:
    done = subprocess.run(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False, timeout=MOST_S)
    if done.returncode:
        raise Failed(f"the build ended with {done.returncode}")


def findings_of(report: Any) -> collections.Counter[str]:
    """How many there are of each rule, but advice."""
    processes = report.get("processes", [report])
    return collections.Counter(f["rule"] for p in processes for f in p["findings"] if f["severity"] != "advice")


def run(program: list[str], options: list[str], folder: str, report: str) -> tuple[collections.Counter[str], tuple[int, bytes]]:
    """The findings of a run; how the program ended, and what it printed."""
    with open(report + ".err", "wb") as err:
        done = subprocess.run([COMMAND, "run", "--html=no", "--exitcode=0", f"--report=json:{report}", *options, "--", *program],
                              cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, check=False, timeout=MOST_S)
    try:
        with open(report, encoding="utf-8") as file:
            return findings_of(json.load(file)), (done.returncode, done.stdout)
    except (OSError, ValueError, KeyError) as error:
        with open(report + ".err", encoding="utf-8", errors="replace") as err:
            raise Failed(f"the run ended with {done.returncode}, without a report: {error}\n{err.read()[-2000:]}") from None


def write(sources: Sources, root: str, folder: str) -> None:
    """Writes the changed sources into the copy."""
    for file in sources.changed():
        if not file.real.startswith(root + "/"):
            raise Failed(f"{file.path} is not below the current folder, of which a copy is built")
        with open(os.path.join(folder, file.real[len(root) + 1:]), "wb") as copy:
            copy.write(file.changed())


def verdict(before: collections.Counter[str], after: collections.Counter[str], is_same: bool) -> tuple[str, bool]:
    """The sentence, and whether all is well."""
    new, left = after - before, sum(after.values())
    text = f"{left} of {sum(before.values())} findings left"
    if left:
        text += f" ({', '.join(sorted(after))})"
    if new:
        text += f", of which {sum(new.values())} were not there before"
    text += f", output {'the same' if is_same else 'differs'}"
    is_confirmed = bool(before) and not left and is_same
    return ("confirmed: " if is_confirmed else "not confirmed: ") + text, is_confirmed


def confirm(sources: Sources, command: str, program: list[str], options: list[str]) -> tuple[str, bool]:
    """Builds and runs both; the sentence, and whether all is well. Raises Failed."""
    root: Optional[str] = os.path.realpath(os.getcwd())
    assert root
    with tempfile.TemporaryDirectory(prefix="streamcheck-") as holder:
        folder = os.path.join(holder, os.path.basename(root))
        try:
            shutil.copytree(root, folder, symlinks=True, ignore=LEFT_OUT)
            build(command, folder)
            before, ended = run(program, options, folder, os.path.join(holder, "before.json"))
            write(sources, root, folder)
            build(command, folder)
            after, ended_then = run(program, options, folder, os.path.join(holder, "after.json"))
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{error.cmd if isinstance(error.cmd, str) else 'the program'} does not end in {MOST_S} s") from None
        except (OSError, shutil.Error) as error:
            raise Failed(str(error)) from None
    return verdict(before, after, ended == ended_then)
