"""A program under `streamcheck run` that takes requests, on pipes or on a terminal, and what comes of it."""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
import time

import checked

PATIENCE_S = 100  # until a test that waits in vain fails


def until(condition, what):
    """Waits for something that comes at a time that nobody knows; its value."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"in vain waited for {what}")


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Terminal:
    """A terminal of its own for a process; what the process writes goes to `take`."""

    def __init__(self, take, rows=24, columns=120):
        self.master, self.slave = pty.openpty()
        resize(self.master, rows, columns)
        self.take = take
        self.data = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while block := os.read(self.master, 65536):
                self.data += block
                self.take(block.decode(errors="replace"))
        except OSError:
            pass  # the last process has closed it

    def close(self):
        os.close(self.slave)
        self.reader.join()
        os.close(self.master)


class Followed:
    """`streamcheck run` of a service: a line on its standard input is a request."""

    def __init__(self, prefix, program, folder, *options, terminal=None, term="xterm", extra=None):
        self.program, self.command = program, os.path.join(prefix, "bin", "streamcheck")
        env = checked.environment(prefix, "sim")
        env["TERM"] = term
        env.update(extra or {})
        error = terminal.slave if terminal else subprocess.PIPE
        out = terminal.slave if terminal else subprocess.PIPE
        self.process = subprocess.Popen(
            [self.command, "run", "--device=sim", *options, "--", program],
            cwd=folder, env=env, stdin=subprocess.PIPE, stdout=out, stderr=error, text=True, start_new_session=True)
        self.watchdog = threading.Timer(checked.TIMEOUT_S, self.kill)
        self.watchdog.start()
        self.said = []
        self.threads = []
        if not terminal:
            self.threads = [threading.Thread(target=self.listen, daemon=True)]
            self.threads[0].start()
            if self.first_word() != "ready\n":
                self.kill()
                self.watchdog.cancel()
                raise AssertionError("the program did not begin: " + "".join(self.said))

    def first_word(self):
        """What the program says first; lines of ours (JSON) may come before it."""
        for line in self.process.stdout:
            if not line.startswith("{"):
                return line
        return ""

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def listen(self):
        for line in self.process.stderr:
            self.said.append(line)

    def request(self, count):
        self.process.stdin.write("please\n" * count)
        self.process.stdin.flush()

    def serve(self, count):
        """Makes requests, and waits until all are served (not on a terminal)."""
        self.request(count)
        return [self.process.stdout.readline() for _ in range(count)]

    def child(self, program):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            for child in file.read().split():
                if os.path.realpath(f"/proc/{child}/exe") == os.path.realpath(program):
                    return int(child)
        raise AssertionError(f"no {program} runs")

    @property
    def service(self):
        return self.child(self.program)

    @property
    def follower(self):
        return self.child(self.command)

    def end(self):
        """(exit code, standard output, standard error) once the service was told to end."""
        self.process.stdin.close()
        out = self.process.stdout.read() if self.process.stdout else ""
        self.process.wait()
        for thread in self.threads:
            thread.join()
        self.watchdog.cancel()
        return self.process.returncode, out, "".join(self.said)
