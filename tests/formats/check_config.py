#!/usr/bin/env python3
"""streamcheck.toml is TOML: what streamcheck reads of a file is what Python's reader of TOML reads.

usage: check_config.py STREAMCHECK

Files are put together by chance from pieces, right and wrong ones; the sequence is always the same.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import tomllib
except ImportError:  # Python before 3.11
    sys.exit(77)

FILES = 400
KEYS = ["output", "exitcode", "advice", "own", "report", "'max-trace'", '"sim-memory"', "sim.memory", "sanitizer",
        "debug-root", "source-root", "stack-depth", '"own"', "out put", ""]
VALUES = ['"a"', "'b\\c'", '"d\\"e\\\\f"', '"\\t"', '"\\u0041"', '"""g"""', "7", "007", "+7", "1_0", "0x7", "1.0", "true", "false", "True",
          '["*h", "*i"]', "['json:j',]", '[ # k\n"*l"\n,\n\'*m\' ]', '["*n" "*o"]', '[,"p"]', "[]", '["*q", 7]', "[['*r']]", "{ s = 1 }",
          "1979-05-27", '"t', "'u\n'", '"é#=v"', "", "-1"]
FITTING = {"output": VALUES[:4], "exitcode": ["7"], "advice": ["true", "false"], "own": VALUES[15:20], "report": ["['json:j',]"],
           "'max-trace'": ["7", '"1048576"'], '"sim-memory"': ["7"], "stack-depth": ["7"], '"own"': VALUES[15:20],
           "debug-root": VALUES[:3], "source-root": VALUES[15:20], "sanitizer": VALUES[:3]}
ENDS = ["\n", "\r\n", " # w\n", "\t\n\n", " x\n", ""]


def made(chance):
    """Half of the values fit their options, and most lines end as they should."""
    text = chance.choice(["", "", "", "# head\n", "\n", "[y]\n"])
    for key in chance.sample(KEYS, chance.randint(1, 3)):
        values = FITTING.get(key, VALUES) if chance.random() < 0.7 else VALUES
        end = chance.choice(ENDS[:4] if chance.random() < 0.8 else ENDS)
        text += f"{chance.choice(['', ' '])}{key}{chance.choice(['=', ' = '])}{chance.choice(values)}{end}"
    return text


def read_by_streamcheck(path, command):
    """Name to values, or what it says is wrong."""
    done = subprocess.run([command, "run", "--device=gpu", "--analyze=no", "--config=" + path, "--", "/usr/bin/env"],
                          capture_output=True, text=True, timeout=60, check=False, cwd=os.path.dirname(path),
                          env={"PATH": os.environ["PATH"], "TMPDIR": os.path.dirname(path)})
    if done.returncode == 2:
        if not re.search(r"streamcheck\.toml:\d+: ", done.stderr):
            sys.exit(f"no line is named: {done.stderr}")
        return None, done.stderr
    text = re.search(r"^STREAMCHECK_OPTIONS=((?:.|\n)*?)(?=\n\w+=|\n?\Z)", done.stdout, re.M)[1]
    read = {}
    for assignment in re.findall(r"report=[^:]*:(?:\\.|[^:\\])*|(?:\\.|[^:\\])+", text):
        name, _, value = assignment.partition("=")
        read.setdefault(name, []).append(re.sub(r"\\(.)", r"\1", value))
    return read, done.stderr


def read_by_python(text, folder):
    """What the options are if they are read as TOML; None: it is none."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    wanted = {}
    for name, value in document.items():
        values = value if isinstance(value, list) else [value]
        words = [{True: "yes", False: "no"}[v] if isinstance(v, bool) else str(v) for v in values]
        if name in ("debug-root", "source-root", "sanitizer"):
            words = [os.path.join(folder, w) for w in words]
        if name == "own":
            words = [w if w[:1] in "*/" else os.path.join(folder, w) for w in words]
        wanted[name] = words
    return wanted


def main():
    command = os.path.abspath(sys.argv[1])
    chance, accepted = random.Random(20), 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        path = os.path.join(folder, "streamcheck.toml")
        for number in range(FILES):
            text = made(chance)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            read, said = read_by_streamcheck(path, command)
            if read is None:
                continue
            wanted = read_by_python(text, folder)
            if wanted is None:
                sys.exit(f"file {number} is no TOML, and was read:\n{text}\n{said}")
            for name, values in wanted.items():
                if values and "".join(values) and name in read and read[name] != values:
                    sys.exit(f"file {number}, option {name}: {read[name]}, and Python reads {values}:\n{text}")
                if name in ("output", "own", "source-root", "debug-root") and values and values != [""] and name not in read:
                    sys.exit(f"file {number}, option {name} was not read:\n{text}")
            accepted += 1
    if accepted < FILES // 10:
        sys.exit(f"only {accepted} of {FILES} files were read: the pieces are too bad")
    print(f"{accepted} of {FILES} files were read, each as Python reads it")


main()
