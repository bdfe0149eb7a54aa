"""Ends what a run leaves: every process that has the run's mark in its environment, whoever its parent is now."""
import glob
import os
import signal
import time

PATIENCE_S = 10
LOOKS = 3  # in a row that find none: a process in exec has no environment for a moment


def new_mark():
    """A mark that no other run has."""
    return f"{os.getpid()}-{time.time_ns()}"


def marked(name, mark):
    """Ids of the living processes that began with a variable whose value begins so."""
    wanted = f"{name}={mark}".encode()
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if any(variable.startswith(wanted) for variable in file.read().split(b"\0")):
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass  # it has ended, or is another user's
    return found


def words_of(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return " ".join(file.read().decode(errors="replace").split("\0")).strip()
    except OSError:
        return "?"


def end(name, mark):
    """Kills them, and those that they begin meanwhile; what was killed, by id."""
    ended, until, empty = {}, time.monotonic() + PATIENCE_S, 0
    while time.monotonic() < until and empty < LOOKS:
        found = marked(name, mark)
        empty = 0 if found else empty + 1
        for process in found:
            ended.setdefault(process, words_of(process))
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.01)
    return ended
