#!/usr/bin/env python3
"""Analyzes the traces of many ranks on the workers of Dask: a task for each shard, then a tree of merges.

usage: ranks-dask.py FOLDER SHARDS [ADDRESS] [-- OPTION...]

FOLDER must be seen by all workers, which need the command streamcheck (STREAMCHECK: its path). Without ADDRESS the tasks run
in processes here. The OPTIONs are those of the last `streamcheck merge`, such as --fail-on=warning or --format=json. Only
summaries travel: text of some kilobytes for each different finding, however many ranks have it.
"""
import os
import subprocess
import sys
import tempfile

import dask
import dask.bag

COMMAND = os.environ.get("STREAMCHECK", "streamcheck")
WIDTH = 16  # summaries that one task merges
FINE = (0, 3)  # nothing was found, or not everything was seen: the last merge says so


def summary_of(arguments, fine):
    """The summary that a command of streamcheck writes."""
    with tempfile.TemporaryDirectory(prefix="streamcheck-dask-") as folder:
        path = os.path.join(folder, "summary.scs")
        done = subprocess.run([COMMAND, *arguments[:1], "--html=no", "--fail-on=none", "--output=/dev/null",
                               "--summary=" + path, *arguments[1:]], capture_output=True, text=True, check=False)
        if done.returncode not in fine:
            raise RuntimeError(f"streamcheck {arguments[0]}: exit code {done.returncode}: {done.stderr}")
        with open(path, encoding="utf-8") as file:
            return file.read()


def analyze(shard, folder):
    return summary_of(["analyze", f"--shard={shard}", folder], FINE)


def write(folder, summaries):
    paths = []
    for number, text in enumerate(summaries):
        paths.append(os.path.join(folder, f"{number}.scs"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    return paths


def merge(summaries):
    with tempfile.TemporaryDirectory(prefix="streamcheck-dask-") as folder:
        return summary_of(["merge", *write(folder, summaries)], FINE)


def summary(folder, shards):
    """Of all traces; computed by the scheduler that is set."""
    bag = dask.bag.from_sequence([f"{i}/{shards}" for i in range(1, shards + 1)], npartitions=shards)
    return bag.map(analyze, folder).reduction(merge, merge, split_every=WIDTH).compute()


def main(arguments):
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    words, options = arguments[:cut], arguments[cut + 1:]
    if len(words) not in (2, 3) or not words[1].isdecimal() or not int(words[1]):
        sys.exit(__doc__)
    if len(words) == 3:
        from dask.distributed import Client
        with Client(words[2]):
            text = summary(os.path.abspath(words[0]), int(words[1]))
    else:
        with dask.config.set(scheduler="processes"):
            text = summary(os.path.abspath(words[0]), int(words[1]))
    with tempfile.TemporaryDirectory(prefix="streamcheck-dask-") as folder:
        return subprocess.run([COMMAND, "merge", *options, *write(folder, [text])], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
