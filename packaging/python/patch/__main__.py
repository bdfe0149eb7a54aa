"""Writes the patch of a plan: usage: python -m streamcheck patch PLAN.json [--apply] [--source-root=FOLDER]

PLAN.json is what `streamcheck repair --format=json` printed; - reads it from standard input. Prints a unified diff, with paths
below the current folder relative to it; each edit that is not in it has a line that begins with "#" first. With --apply the
sources are changed too.
"""
import argparse
import os
import resource
import signal
import sys

import plan as plans

MOST_BYTES = 32 << 20  # of a plan
MOST_S = 20  # of the processor
MISSING = 3  # exit code: packages are not installed
PACKAGES = "install streamcheck[patch], or tree-sitter, tree-sitter-cuda and tree-sitter-python"


def stop(*_: object) -> None:
    raise plans.PlanError(f"it, or its sources, take more than {MOST_S} s")


def limit() -> None:
    """A plan, or a source, must not keep the machine busy."""
    signal.signal(signal.SIGXCPU, stop)
    for what, most in ((resource.RLIMIT_CPU, MOST_S), (resource.RLIMIT_AS, 4 << 30)):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most + 5 if what == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else hard))


def read_plan(path: str) -> plans.Plan:
    with sys.stdin if path == "-" else open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise plans.PlanError("it is too long")
    return plans.read(text)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m streamcheck patch", description="Writes the patch of a plan.")
    parser.add_argument("plan", metavar="PLAN.json")
    parser.add_argument("--apply", action="store_true", help="change the sources too")
    parser.add_argument("--source-root", action="append", default=[], metavar="FOLDER")
    options = parser.parse_args()
    limit()
    try:
        import patch  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        print(f"streamcheck: no patch: {error}; {PACKAGES}", file=sys.stderr)
        return MISSING
    try:
        text = patch.write(read_plan(options.plan), [os.getcwd(), *options.source_root], options.apply)
    except (OSError, MemoryError, RecursionError, plans.PlanError) as error:
        print(f"streamcheck: no patch of {options.plan}: {error}", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
