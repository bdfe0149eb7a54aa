"""Fetches from textures and answers of the driver (run_textures): running them, and comparing two devices."""
import os
import struct
import subprocess

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.txt")
# Kernels whose results are texels as they are: any other bit is wrong. Others are means.
EXACT = ("nearest", "integers", "cube", "gather", "bytes-nearest", "signed-bytes-nearest", "signed-words-nearest", "levels-nearest")
# What is known to differ from an H200, and why. The table has no rows of these.
KNOWN = {
    "index": "by whole numbers a GPU fetches from linear memory only, zeros from an array", "index-border": "the same",
    "level-of-tex": "which level `tex` without one has is not known", "gradients": "the same by gradients",
    "bytes-in-halves": "two numbers a word: looked at by eye",
    "queries": "the driver does not find a kernel with txq of formats", "queries: error": "the same",
    **dict.fromkeys(("nearest-normalized 2", "nearest-wrap 2", "nearest-mirror 2", "bytes-nearest 2", "bytes-nearest 29",
                     "signed-bytes-nearest 2", "signed-bytes-nearest 29", "signed-words-nearest 2",
                     "signed-words-nearest 29"), "on the edge of two texels: the product with the width is rounded there"),
    **dict.fromkeys(("linear_memory_beyond_its_end", "fetch_by_zero", "fetch_by_a_destroyed_texture", "store_by_a_texture"),
                    "the simulated device refuses what a GPU lets pass"),
}
# A mean of texels up to 1 may be off by one step of each weight; numbers of "weights" go by 256.
STEP = 3 / 256


def environment(folder):
    return dict(os.environ, LD_LIBRARY_PATH=folder) if folder else dict(os.environ)


def answer(program, question, folder):
    done = subprocess.run([program, question], env=environment(folder), capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(question + " = ")]
    return lines[0] if lines else f"{question} = exit code {done.returncode}"


def run(program, folder):
    """All rows on the device that libcuda.so.1 is, in `folder` or where the system has it; error text."""
    done = subprocess.run([program], env=environment(folder), capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr
    questions = subprocess.run([program, "questions"], capture_output=True, text=True, check=True).stdout.split()
    return done.stdout.splitlines() + [answer(program, question, folder) for question in questions], ""


def read_table():
    with open(TABLE, encoding="ascii") as file:
        return file.read().splitlines()


def split(rows):
    return dict(row.split(" = ", 1) for row in rows)


def number(word):
    return struct.unpack("<f", bytes.fromhex(word)[::-1])[0]


def distance(got, want):
    """The largest distance of two rows' numbers; in the same units as the numbers."""
    pairs = [(number(a), number(b)) for a, b in zip(got.split(), want.split()) if a != b]
    return max((abs(a - b) if abs(a - b) >= 0 else float("inf") for a, b in pairs), default=0.0)


def is_known(key):
    return key in KNOWN or key.split(":")[0] in KNOWN or key.split()[0] in KNOWN


def is_wrong(key, got, want):
    case = key.split()[0]
    if ":" not in key or case in EXACT:
        return got != want
    scale = 256 if case.startswith("weights") and case != "weights-half" else 1
    return not distance(got, want) <= STEP * scale


def compare(got_rows, want_rows):
    """(what is wrong, what differs within the tolerance), as lines."""
    got, want = split(got_rows), split(want_rows)
    wrong = [f"{key}: only on one device" for key in sorted(got.keys() ^ want.keys()) if not is_known(key)]
    other = []
    for key, value in want.items():
        if key not in got or got[key] == value or is_known(key):
            continue
        line = f"{key}: {got[key]}, not {value}"
        (wrong if is_wrong(key, got[key], value) else other).append(line)
    return wrong, other
