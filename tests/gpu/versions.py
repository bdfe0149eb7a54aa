"""NVIDIA's own CUDA runtimes of several versions on a GPU, under the recorder.

usage: versions.py SOURCES RUNTIMES TOOLKIT-INCLUDES TOOLKIT-PROGRAMS TO   builds what the suite runs there

SOURCES is tests/e2e/versions, RUNTIMES the folder that tools/runtimes.sh fills. TO gets a folder for each version, with the
programs and the runtime that they were linked with.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

PROGRAMS = ("race", "forms")


def compile_all(sources, version, toolkit, fatbinary, to):
    """The programs of one version; each finds the runtime beside it, whatever the machine has."""
    library = sorted(glob.glob(os.path.join(version, "lib", "libcudart.so.*")), key=len)[0]
    os.makedirs(to, exist_ok=True)
    shutil.copy(library, to)
    subprocess.run([fatbinary, "-64", f"--create={to}/kernels.fatbin", f"--image3=kind=ptx,sm=52,file={sources}/kernels.ptx"], check=True)
    for name in PROGRAMS:
        subprocess.run(["cc", "-g", "-std=gnu17", "-D_GNU_SOURCE", "-Wno-deprecated-declarations", f"-Wa,-I{to}",
                        f"-I{version}/include", f"-I{toolkit}", f"{sources}/{name}.c", "-o", f"{to}/{name}",
                        library, "-lpthread", "-ldl", "-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags"], check=True)
    os.remove(f"{to}/kernels.fatbin")


def main():
    sources, runtimes, toolkit, programs, to = map(os.path.abspath, sys.argv[1:6])
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    for version in sorted(glob.glob(os.path.join(runtimes, "[0-9]*"))):
        compile_all(sources, version, toolkit, os.path.join(programs, "fatbinary"), os.path.join(to, os.path.basename(version)))


def judge(name, way, result):
    """What is wrong with one run, as sentences."""
    found = [(finding["rule"], finding["confidence"]) for finding in result.findings if finding["severity"] != "advice"]
    files = {frame.get("file") or "" for finding in result.findings for access in finding["accesses"] for frame in access["frames"]}
    want = [("SC-105", "proven")] if name == "race" and not way else []
    wrong = [] if found == want else [f"found {found}"]
    wrong += [f"exit code {result.code}"] if result.code != (66 if want else 0) else []
    wrong += [] if not want or any(path.endswith("race.c") for path in files) else ["no line"]
    wrong += [] if name == "race" or "all forms are right" in result.out else [f"it says {result.out.strip()}"]
    return wrong + ([] if result.report and result.report["complete"] else ["the report is not complete"])


def rows(checked, prefix, folder):
    """(what, how, word, details) of each program of each version, bare and under `streamcheck run`."""
    for version in sorted(glob.glob(os.path.join(folder, "*")), key=lambda path: [int(n) for n in re.findall(r"\d+", os.path.basename(path))]):
        for name, way in (("race", ()), ("race", ("fixed",)), ("forms", ())):
            for mode in ("run", "bare"):
                what = f"CUDA {os.path.basename(version)} {' '.join((name, *way))}"
                program = os.path.join(version, name)
                code, out, err = checked.run([program, *way], dict(os.environ))
                if code:  # a driver older than the runtime
                    yield what, mode, "SKIP", f"alone: exit code {code} {(out + err).strip()[-200:]}"
                    continue
                result = checked.check(prefix, program, mode, "gpu", arguments=way)
                wrong = judge(name, way, result)
                if wrong:
                    print(f"---- {what} {mode}\n{result.out[-500:]}{result.err[-3000:]}", flush=True)
                yield what, mode, "FAIL" if wrong else "ok", "; ".join(wrong)


if __name__ == "__main__":
    main()
