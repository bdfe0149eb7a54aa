#!/usr/bin/env python3
"""What the commands that ask a trace print, compared with tests/golden/questions.

usage: questions.py check|write STREAMCHECK FOLDER

FOLDER holds the traces (tests/traces). Nothing is masked: the programs are not here, so there are no names
but those in the traces. `write` writes the answers anew; look at the difference before you commit it.
"""
import os
import subprocess
import sys
import xml.etree.ElementTree

import golden

KEPT = os.path.join(golden.HERE, "questions")
# Command line, with the trace for "@"; the trace.
QUESTIONS = (
    ("explain 1 @", "101-host-read-before-sync/query_not_ready"),
    ("explain SC-106 @", "111-wait-on-wrong-record/recorded_before_the_producer"),
    ("explain SC-106 @", "106-cross-stream-read-write/write_then_read"),
    ("explain SC-106 @", "106-cross-stream-read-write/who_comes_after"),
    ("explain 1 @", "163-send-buffer-overwritten/open_put"),
    ("order @ 8 10", "101-host-read-before-sync/query_success"),
    ("order @ 8 15", "106-cross-stream-read-write/write_then_read"),
    ("order @ kernel 21", "304-redundant-stream-wait/second_wait"),
    ("order @ 9 19", "107-legacy-and-nonblocking/legacy_and_blocking"),
    ("order --format=json @ g3.0 g3.1", "134-race-inside-graph/two_roots"),
    ("order --format=html @ 8 15", "106-cross-stream-read-write/write_then_read"),
    ("order --format=html @ 9 19", "107-legacy-and-nonblocking/legacy_and_blocking"),
    ("order --format=html @ g3.0 g3.1", "134-race-inside-graph/two_roots"),
    ("order @ g3.2 g3.0", "134-race-inside-graph/path_is_silent"),
    ("graph @", "134-race-inside-graph/child_graph"),
    ("graph @", "134-race-inside-graph/cycle_is_opaque"),
    ("graph --format=html @", "134-race-inside-graph/child_graph"),
    ("graph --format=html @", "134-race-inside-graph/cycle_is_opaque"),
    ("graph --format=html @ 3", "134-race-inside-graph/two_roots"),
    ("graph --format=sarif @", "134-race-inside-graph/two_roots"),
    ("order --format=gcc @ 8 15", "106-cross-stream-read-write/write_then_read"),
    ("syncs @", "303-redundant-host-wait/twice"),
    ("syncs @", "304-redundant-stream-wait/second_wait"),
    ("syncs @", "308-device-sync-for-one-stream/one_stream_busy"),
    ("syncs @", "gpu/chunked_pipeline"),
    ("repair @", "timing/overlapped"),
    ("repair --format=json @", "timing/overlapped"),
    ("repair @", "timing/host_read"),
    ("repair @", "timing/two_places"),
    ("repair @", "repair/loop_of_streams"),
    ("sites @", "204-free-assumed-to-wait/free_in_use"),
    ("sites @", "206-small-copy-assumed-complete/pinned_small_reference"),
    ("sites @", "107-legacy-and-nonblocking/legacy_and_blocking"),
)


def answer(command, question, trace):
    env = {k: v for k, v in os.environ.items() if not k.startswith("STREAMCHECK_")}
    words = [os.path.basename(trace) if word == "@" else word for word in question.split()]
    done = subprocess.run([command, *words], capture_output=True, text=True, timeout=golden.TIMEOUT_S, check=False,
                          env=env, cwd=os.path.dirname(trace))
    if "--format=html" in words:
        xml.etree.ElementTree.fromstring(done.stdout)  # well-formed, or the test ends here
    return f"$ streamcheck {' '.join(words)}\n{done.stdout}{done.stderr}exit code {done.returncode}\n"


def main():
    way, command, folder = sys.argv[1:]
    tree = {}
    for question, trace in QUESTIONS:
        name = f"{question.split()[0]}-{os.path.basename(trace)}"
        while name in tree:
            name += "-2"
        tree[name] = answer(command, question, os.path.join(folder, trace + ".sct.txt"))
    if way == "write":
        golden.write(tree, KEPT)
        return 0
    return golden.compare(tree, golden.kept_tree(KEPT))


if __name__ == "__main__":
    sys.exit(main())
