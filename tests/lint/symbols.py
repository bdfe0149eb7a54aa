#!/usr/bin/env python3
"""Checks that no two folders define one global name, and what the recorder takes from libc: symbols.py BUILD-FOLDER

Recorder, simulator and command are linked apart, so that the linker does not notice; a reader does. Names of CUDA and
of libc, which the recorder and the simulator define on purpose, are not ours. A function of libc that the recorder
exports is called neither through its own wrapper nor through whatever another library has in its place (base/sys.h).
Its thread-local memory is small enough for a loader that is audited. Exit code 1: each complaint is one line.
"""
import collections
import os
import re
import subprocess
import sys

FOLDERS = ("base", "image", "trace", "ptx", "footprint", "interposer", "analyzer", "reports", "cmds", "extensions", "simulator")
OURS = re.compile(r"^sc_")
MEANT = {"sc_assert_failed"}  # the recorder counts where the others abort (base/assert.h)
LIBRARY = "lib/libstreamcheck.so"
TLS_BYTES = 256
INSIDE = re.compile(r"^(base|trace|interposer)/CMakeFiles/sc_(base|trace_write|record|preload)\.dir/")
# Clocks and semaphores are the program's, so that their times agree; memory and signals have each a reason in the file.
TAKEN = {"clock_gettime", "sem_clockwait", "sem_post", "sem_wait", "free", "reallocarray", "syscall", "sigaction", "sigprocmask"}
OBJECT = re.compile(r"(?:^|/)CMakeFiles/[^/]+\.dir/((?:__/)*)(.+)\.o$")


def folder_of(path):
    """The folder of the source of an object, "analyzer" of reports/CMakeFiles/x.dir/__/analyzer/a.c.o."""
    match = OBJECT.search(path)
    return (match[2] if match and match[1] else path).split("/")[0]


def objects(build):
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(build, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(at, name), build)
                if OBJECT.search(path) and folder_of(path) in FOLDERS:
                    yield path


def globals_of(build, paths):
    """(path, name) of each global that an object defines."""
    done = subprocess.run(["nm", "--defined-only", "--extern-only", "--print-file-name", *paths], cwd=build,
                          capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        path, _, rest = line.rpartition(":")
        words = rest.split()
        if len(words) >= 3 and words[1] in "TDBRVWC":
            yield path, words[2]


def complaints(build):
    paths = sorted(objects(build))
    places = collections.defaultdict(dict)
    for path, name in globals_of(build, paths) if paths else ():
        if OURS.match(name) and name not in MEANT:
            places[name].setdefault(folder_of(path), OBJECT.search(path)[2])
    for name, by_folder in sorted(places.items()):
        if len(by_folder) > 1:
            yield f"{name}: is global in {' and '.join(f'{folder}/ ({path})' for folder, path in sorted(by_folder.items()))}"
    if not places:
        yield f"{build}: has no objects with names of ours"


def exported(build):
    done = subprocess.run(["nm", "--dynamic", "--defined-only", LIBRARY], cwd=build, capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}


def libc_of_recorder(build):
    """Complaints about objects of the recorder that call what it exports."""
    names = {name for name in exported(build) if not OURS.match(name)} - TAKEN
    paths = sorted(path for path in objects(build) if INSIDE.match(path))
    done = subprocess.run(["nm", "--undefined-only", "--print-file-name", *paths], cwd=build, capture_output=True, text=True,
                          check=True)
    for line in done.stdout.splitlines():
        path, _, rest = line.rpartition(":")
        name = rest.split()[-1]
        if name in names and not name.startswith(("cu", "nv", "MPI_", "PMPI_", "omp_", "streamcheck_", "Initialize", "_Z")):
            yield f"{path}: calls {name}, which the recorder exports (base/sys.h)"
    if not paths or "fstat" not in names:
        yield f"{build}: has no objects of the recorder"


def thread_local(build):
    done = subprocess.run(["readelf", "--segments", "--wide", LIBRARY], cwd=build, capture_output=True, text=True, check=True)
    sizes = [int(line.split()[5], 16) for line in done.stdout.splitlines() if line.split()[:1] == ["TLS"]]
    if len(sizes) != 1 or sizes[0] > TLS_BYTES:
        yield f"{LIBRARY}: thread-local bytes {sizes}, not {TLS_BYTES} at most"


def main():
    wrong = [line for check in (complaints, libc_of_recorder, thread_local) for line in check(sys.argv[1])]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
