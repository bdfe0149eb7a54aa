"""Confirms a patch: a copy of the current folder is built and run as it is, then patched, built and run again.

A race may have changed what was printed. So, where the two print different things, the program without the patch is built once more, and
run in both orders of each finding (--confirm, on the simulated device): that shows whether its output depends on them.

A call that used what was gone may have failed, and the program have gone another way. So, where such calls work with the patch, other output
is what the patch is for.

Nothing of a plan is run: how the program is built and started the user says.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from files import Sources

MOST_S = 600  # of each step
ENDED = {"SC-116", "SC-117", "SC-136", "SC-141"}  # something is used after its end
OUTPUTS = {"output", "exit"}  # what --confirm compares of a program as a whole
COMMAND = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "bin", "streamcheck")
LEFT_OUT = shutil.ignore_patterns("streamcheck-reports", ".git", "*.sct", "*.sct.zst")


class Failed(Exception):
    """A step that has no result; why."""


def build(command: str, folder: str) -> None:
    done = subprocess.run(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False, timeout=MOST_S)
    if done.returncode:
        raise Failed(f"the build ended with {done.returncode}")


def findings_of(report: Any) -> list[Any]:
    """Those of all processes, but advice."""
    return [f for p in report.get("processes", [report]) for f in p["findings"] if f["severity"] != "advice"]


def rules_of(report: Any) -> collections.Counter[str]:
    """How many findings there are of each rule."""
    return collections.Counter(f["rule"] for f in findings_of(report))


Ended = tuple[int, bytes]  # a program's exit code, and what it printed


def run(program: list[str], options: list[str], folder: str, report: str) -> tuple[Any, Ended]:
    """The report of a run; how the program ended, and what it printed."""
    with open(report + ".err", "wb") as err:
        done = subprocess.run([COMMAND, "run", "--html=no", "--exitcode=0", f"--report=json:{report}", *options, "--", *program],
                              cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, check=False, timeout=MOST_S)
    try:
        with open(report, encoding="utf-8") as file:
            return json.load(file), (done.returncode, done.stdout)
    except (OSError, ValueError) as error:
        with open(report + ".err", encoding="utf-8", errors="replace") as err:
            raise Failed(f"the run ended with {done.returncode}, without a report: {error}\n{err.read()[-2000:]}") from None


def write(sources: Sources, root: str, folder: str, is_patched: bool = True) -> None:
    """Writes the sources that the patch changes into the copy, with the patch or without."""
    for file in sources.changed():
        if not file.real.startswith(root + "/"):
            raise Failed(f"{file.path} is not below the current folder, of which a copy is built")
        with open(os.path.join(folder, file.real[len(root) + 1:]), "wb") as copy:
            copy.write(file.changed() if is_patched else file.data)


def verdict(before: collections.Counter[str], after: collections.Counter[str], output: str) -> tuple[str, bool]:
    """The sentence, and whether all is well."""
    new, left = after - before, sum(after.values())
    text = f"{left} of {sum(before.values())} findings left"
    if left:
        text += f" ({', '.join(sorted(after))})"
    if new:
        text += f", of which {sum(new.values())} were not there before"
    text += f", output {output or 'differs'}"
    is_confirmed = bool(before) and not left and bool(output)
    return ("confirmed: " if is_confirmed else "not confirmed: ") + text, is_confirmed


def failed(report: Any) -> bool:
    """Whether a call failed, or the program died in one."""
    return any(p.get("failed_calls") or "signal" in p["coverage"] for p in report.get("processes", [report]))


def works(before: Any, after: Any, code: int) -> str:
    """The rule of a use after an end whose failed calls work with the patch; "" if there is none."""
    rules = sorted(ENDED & set(rules_of(before)))
    return rules[0] if rules and failed(before) and not failed(after) and not code else ""


def depends(report: Any) -> str:
    """The rule of a finding whose order decides what the program prints, or how it ends; "" if there is none."""
    rows = [(f["rule"], f.get("reruns", {})) for f in findings_of(report)]
    return next((rule for rule, reruns in rows if OUTPUTS & set(reruns.get("differs", [])) - set(reruns.get("unsteady", []))), "")


def confirm(sources: Sources, command: str, program: list[str], options: list[str]) -> tuple[str, bool]:
    """Builds and runs both; the sentence, and whether all is well. Raises Failed."""
    root = os.path.realpath(os.getcwd())
    with tempfile.TemporaryDirectory(prefix="streamcheck-") as holder:
        folder, report = os.path.join(holder, os.path.basename(root)), os.path.join(holder, "report.json")
        try:
            shutil.copytree(root, folder, symlinks=True, ignore=LEFT_OUT)
            build(command, folder)
            before, ended = run(program, options, folder, report)
            write(sources, root, folder)
            build(command, folder)
            after, patched = run(program, options, folder, report)
            rule = works(before, after, patched[0])
            output = "the same" if ended == patched else f"differs: calls failed, of {rule} among others, and work now" if rule else ""
            if "--device=sim" in options and not output and not rules_of(after):
                write(sources, root, folder, is_patched=False)
                build(command, folder)
                rule = depends(run(program, [*options, "--confirm"], folder, report)[0])
                output = f"differs, and depends on the order that {rule} lacked" if rule else ""
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{error.cmd if isinstance(error.cmd, str) else 'the program'} does not end in {MOST_S} s") from None
        except (OSError, shutil.Error) as error:
            raise Failed(str(error)) from None
    return verdict(rules_of(before), rules_of(after), output)
