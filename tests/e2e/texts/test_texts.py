#!/usr/bin/env python3
"""Kernels that are loaded as machine code are known by the text that it was compiled from.

usage: test_texts.py PREFIX PROGRAMS
The two halves of an allocation that texts.cu fills are no race, and the same half twice is a proven one; without
the text the first is not compared, and the second is possible. The text of what NVRTC compiled in one run is known in
later runs, which load the code from elsewhere; `streamcheck run` gives CuPy a folder for such code.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import checked

WAYS = ("nvrtc", "looked_up", "nvjitlink", "cached", "cached_file", "cached_at_home", "assembled", "kept", "lto", "lto_lines", "lto_kept", "own", "own_file")
# Links with link-time optimization: (the code that the program gets, that of the second link, options); the text is not the link's input.
LTO = {"lto": ("fill", "lines", []), "lto_lines": ("lines", None, []), "lto_kept": ("fill", "lines", []), "lto_other_code": ("fill", "slow", []),
       "lto_no_lines": ("fill", "fill", []), "lto_fails": ("fill", None, []), "lto_no_footprints": ("fill", "lines", ["footprints=no"])}
UNLIKE = ("lto_other_code", "lto_no_lines", "lto_fails")  # what the report says is missing


def run_one(prefix, programs, which, way, folder):
    """How many launches the device executed, how many are known exactly, and the confidences of what is found."""
    env = {"TEXTS_PTXAS": os.path.join(programs, "ptxas"), "TEXTS_CODE": os.path.join(programs, "fill.cubin"), "TEXTS_TEXT": os.path.join(programs, "fill.ptx"),
           "LD_LIBRARY_PATH": programs, "HOME": folder, "TRITON_CACHE_DIR": os.path.join(folder, "none")}
    loads, options = way, []
    if way in LTO:
        code, again, options = LTO[way]
        env["TEXTS_CODE"] = os.path.join(programs, f"{code}.cubin")
        if again:
            env["TEXTS_AGAIN"] = os.path.join(programs, f"{again}.cubin")
        loads = "lto"
    if way == "not_assembled":
        loads = "assembled"
        env["TEXTS_FAIL"] = "1"
    if way.startswith("own"):
        env["TEXTS_CODE"] = os.path.join(programs, "lines.cubin")
        loads = "file" if way == "own_file" else "data"
    if way == "kept":
        run_one(prefix, programs, which, "nvrtc", folder)
        loads = "data"
    if way == "lto_kept":
        run_one(prefix, programs, which, "lto", folder)
        loads = "data"
    if way.startswith("cached"):
        loads = "file" if way == "cached_file" else "data"
        cache = os.path.join(folder, ".triton/cache" if way == "cached_at_home" else "cache")
        os.makedirs(os.path.join(cache, "KEY"))
        for suffix in ("cubin", "ptx"):
            shutil.copy(os.path.join(programs, f"fill.{suffix}"), os.path.join(cache, "KEY"))
        if way != "cached_at_home":
            env["TRITON_CACHE_DIR"] = cache
    result = checked.check(prefix, os.path.join(programs, "texts"), "run", "sim", "lazy", [which, loads], options, env)
    if result.report is None or not result.report["complete"]:
        return f"no whole report; exit code {result.code}: {result.err}"
    if "not destroyed" in result.err or ("a second link made other code" in result.err) != (way in UNLIKE):
        return result.err
    return result.report["coverage"]["executed"], result.report["coverage"]["exact_launches"], [f["confidence"] for f in result.findings]


def cupy_folder(prefix, home, **variables):
    """Where a program under `streamcheck run` is asked to keep CuPy's code."""
    command = [os.path.join(prefix, "bin", "streamcheck"), "run", "--", "/bin/sh", "-c", "echo $CUPY_CACHE_DIR"]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("CUPY_", "XDG_", "STREAMCHECK_"))}
    done = subprocess.run(command, env={**env, "HOME": home, **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip()


def wrong_of_folders(prefix):
    """The folder is the user's, else ours; all that is kept goes once it is too much."""
    with tempfile.TemporaryDirectory() as home:
        own = os.path.join(home, ".cache", "streamcheck")
        expected = [(cupy_folder(prefix, home), f"{own}/cupy"),
                    (cupy_folder(prefix, home, XDG_CACHE_HOME=f"{home}/.cache"), f"{own}/cupy"),
                    (cupy_folder(prefix, home, CUPY_CACHE_DIR="/mine"), "/mine"),
                    (cupy_folder(prefix, home, CUPY_CACHE_IN_MEMORY="1"), ""),
                    (cupy_folder(prefix, home, STREAMCHECK_TEXTS=""), ""),
                    (cupy_folder(prefix, "/proc"), "")]
        with open(os.path.join(own, "texts", "large"), "wb") as file:
            file.truncate(300 << 20)
        with open(os.path.join(own, "cupy", "code"), "wb") as file:
            file.write(b"code")
        cupy_folder(prefix, home)
        left = os.listdir(os.path.join(own, "texts")) + os.listdir(os.path.join(own, "cupy"))
    return ([f"CuPy's folder is {found}, not {known}" for found, known in expected if found != known]
            + [f"not begun anew: {left}"] * bool(left))


def main():
    prefix, programs = sys.argv[1:]
    expected = {("apart", "data"): (0, 0, []), ("same", "data"): (0, 0, ["possible"]),
                ("same", "not_assembled"): (0, 0, ["possible"])}
    expected.update({("same", way): (0, 0, ["possible"]) for way in LTO if way not in WAYS})
    for way in WAYS:
        expected["apart", way] = (2, 2, [])
        expected["same", way] = (2, 2, ["proven"])
    wrong = wrong_of_folders(prefix)
    for (which, way), known in expected.items():
        with tempfile.TemporaryDirectory() as folder:
            found = run_one(prefix, programs, which, way, folder)
        if found != known:
            wrong.append(f"{way}, {which}: found {found}, not {known}")
    print(f"{len(expected)} runs")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
