"""Writes the patch of a plan: usage: python -m streamcheck patch PLAN.json [OPTIONS] [-- PROGRAM...]

PLAN.json is what `streamcheck repair --format=json` printed; - reads it from standard input. Prints a unified diff, with paths
below the current folder relative to it; each edit that is not in it has a line that begins with "#" first. --apply changes the
sources too, and --build says whether the patched program is clean.
"""
import argparse
import os
import resource
import signal
import sys
from typing import Iterable

import files
import plan as plans

MOST_BYTES = 32 << 20  # of a plan
MOST_MEMORY = 4 << 30
MOST_S = 20  # of the processor
MISSING = 3  # exit code: packages are not installed
PACKAGES = "install streamcheck[patch], or tree-sitter, tree-sitter-cuda and tree-sitter-python"


def stop(*_: object) -> None:
    raise plans.PlanError(f"it, or its sources, take more than {MOST_S} s")


def limit(is_limited: bool) -> None:
    """A plan, or a source, must not keep the machine busy. What stop() cannot reach, in a parser, the alarm ends."""
    signal.signal(signal.SIGXCPU, stop)
    signal.alarm(6 * MOST_S if is_limited else 0)
    for what, most in ((resource.RLIMIT_CPU, MOST_S), (resource.RLIMIT_AS, MOST_MEMORY)):
        hard = resource.getrlimit(what)[1]
        if is_limited and (hard == resource.RLIM_INFINITY or hard > most):
            resource.setrlimit(what, (most, hard))
        elif not is_limited:
            resource.setrlimit(what, (hard, hard))


def read_plan(path: str) -> plans.Plan:
    with sys.stdin if path == "-" else open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise plans.PlanError("it is too long")
    return plans.read(text)


def read_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m streamcheck patch", description="Writes the patch of a plan.",
                                     usage="%(prog)s PLAN.json [OPTIONS] [-- PROGRAM...]")
    parser.add_argument("plan", metavar="PLAN.json")
    parser.add_argument("--apply", action="store_true", help="change the sources too; with --build if the patch is confirmed")
    parser.add_argument("--source-root", action="append", default=[], metavar="FOLDER", help="read sources below FOLDER too")
    parser.add_argument("--build", metavar="COMMAND", help="build a copy of the current folder by COMMAND, and run PROGRAM there, "
                        "without and with the patch")
    parser.add_argument("--run-option", action="append", default=[], metavar="OPTION", help="of `streamcheck run`: device=sim")
    own, program = (words[:words.index("--")], words[words.index("--") + 1:]) if "--" in words else (words, [])
    options = parser.parse_args(own)
    options.program = program
    if bool(options.build) != bool(program):
        parser.error("--build needs a PROGRAM after --, and the reverse")
    return options


def confirm(sources: files.Sources, options: argparse.Namespace) -> bool:
    import confirm as confirming  # pylint: disable=import-outside-toplevel
    try:
        text, is_confirmed = confirming.confirm(sources, options.build, options.program,
                                                [f"--{option.lstrip('-')}" for option in options.run_option])
    except confirming.Failed as failed:
        text, is_confirmed = f"not confirmed: {failed}", False
    print(f"streamcheck: {text}", file=sys.stderr)
    return is_confirmed


def main(words: Iterable[str]) -> int:
    options = read_options(list(words))
    limit(True)
    try:
        import patch  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        print(f"streamcheck: no patch: {error}; {PACKAGES}", file=sys.stderr)
        return MISSING
    try:
        sources = files.Sources([os.getcwd(), *options.source_root])
        text = patch.write(read_plan(options.plan), sources)
        limit(False)
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
        if options.build and not confirm(sources, options):
            return 1
        if options.apply:
            sources.write()
    except (OSError, MemoryError, RecursionError, plans.PlanError) as error:
        print(f"streamcheck: no patch of {options.plan}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
