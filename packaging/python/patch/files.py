"""Files: sources that may be read, their changes, and these as a unified diff.

Sources are read below the given folders only, and there no hidden files: a plan may name anything. Only regular files of text
are read. Nothing is written but by write().
"""
import bisect
import contextlib
import os
import re
import stat
import tempfile
from typing import Optional

MOST_BYTES = 4 << 20
AROUND = 3


class File:
    """A source, as bytes, and what changes in it: insertions at one place stay in the order in which they were made."""

    def __init__(self, path: str, real: str, data: bytes):
        self.path, self.real, self.data = path, real, data
        self.starts = [0] + [m.end() for m in re.finditer(rb"\n", data)]
        self.changes: list[tuple[int, int, bytes]] = []  # from, to, what is there then

    def row(self, at: int) -> int:
        return bisect.bisect_right(self.starts, at) - 1

    def start(self, row: int) -> int:
        """Where a line begins; after the last one, the end."""
        return self.starts[row] if row < len(self.starts) else len(self.data)

    def line(self, row: int) -> bytes:
        return self.data[self.start(row):self.start(row + 1)].rstrip(b"\r\n")

    def indent(self, row: int) -> bytes:
        line = self.line(row)
        return line[:len(line) - len(line.lstrip(b" \t"))]

    @property
    def end_of_line(self) -> bytes:
        return b"\r\n" if self.data.find(b"\r\n") >= 0 else b"\n"

    def replace(self, begin: int, end: int, text: bytes) -> None:
        self.changes.append((begin, end, text))

    def insert_line(self, row: int, indent: bytes, text: str) -> None:
        """A line before another."""
        last = b"" if row < len(self.starts) or self.data.endswith(b"\n") else self.end_of_line
        self.replace(self.start(row), self.start(row), last + indent + text.encode() + self.end_of_line)

    def has_word(self, word: str) -> bool:
        return re.search(rb"\b" + re.escape(word.encode()) + rb"\b", self.data) is not None

    def _is_line(self, change: tuple[int, int, bytes]) -> bool:
        """Whether a change is whole lines that are added."""
        begin, end, text = change
        return begin == end == self.start(self.row(begin)) and text.endswith(b"\n") or begin == end == len(self.data)

    def _apply(self, changes: list[tuple[int, int, bytes]], begin: int, end: int) -> bytes:
        out, at = [], begin
        for first, last, text in sorted(changes, key=lambda c: (c[0], c[0] != c[1])):
            if first >= at:  # else its place is gone
                out += [self.data[at:first], text]
                at = last
        return b"".join([*out, self.data[at:end]])

    def changed(self) -> bytes:
        """The whole file with its changes."""
        return self._apply(self.changes, 0, len(self.data))

    def blocks(self) -> list[tuple[int, int, bytes]]:
        """Rows that change, each block from a row on up to another one, and what is there then."""
        ranges: list[list[int]] = []
        for begin, end, _ in sorted(c for c in self.changes if not self._is_line(c)):
            first, last = self.row(begin), self.row(max(begin, end - 1)) + 1
            if ranges and first < ranges[-1][1]:
                ranges[-1][1] = max(ranges[-1][1], last)
            else:
                ranges.append([first, last])
        found, lines = [], [c for c in self.changes if self._is_line(c)]
        for first, last in ranges:
            inner = [c for c in self.changes if self.start(first) <= c[0] < self.start(last) and
                     (c not in lines or c[0] > self.start(first))]
            lines = [c for c in lines if c not in inner]
            found.append((first, last, self._apply(inner, self.start(first), self.start(last))))
        for begin, _, text in lines:
            row = self.row(begin) + (begin == len(self.data) and not self.data.endswith(b"\n"))
            found.append((row, row, text))
        return sorted(found, key=lambda block: block[:2])


def _lines(mark: str, text: bytes) -> str:
    lines = text.decode("utf-8", "surrogateescape").split("\n")
    last = lines.pop()
    return "".join(f"{mark}{line}\n" for line in lines) + (f"{mark}{last}\n\\ No newline at end of file\n" if last else "")


def _hunk(file: File, blocks: list[tuple[int, int, bytes]], shift: int) -> tuple[str, int]:
    """The text of changes that are near each other, and how many lines more there are after it."""
    total = len(file.starts) - file.data.endswith(b"\n")
    begin, end = max(0, blocks[0][0] - AROUND), min(total, blocks[-1][1] + AROUND)
    out, at, more = "", begin, 0
    for first, last, text in blocks:
        out += _lines(" ", file.data[file.start(at):file.start(first)])
        out += _lines("-", file.data[file.start(first):file.start(last)]) + _lines("+", text)
        more += text.count(b"\n") + (bool(text) and not text.endswith(b"\n")) - (last - first)
        at = last
    out += _lines(" ", file.data[file.start(at):file.start(end)])
    return f"@@ -{begin + 1},{end - begin} +{begin + 1 + shift},{end - begin + more} @@\n{out}", more


def diff(file: File, folder: str) -> str:
    """The changes of a file, whose path below the folder is relative to it."""
    name = file.path[len(folder) + 1:] if file.path.startswith(folder + "/") else file.path
    name = "".join(c if c.isprintable() else "?" for c in name)
    hunks: list[str] = []
    near: list[tuple[int, int, bytes]] = []
    shift = 0
    for block in file.blocks():
        if near and block[0] - near[-1][1] > 2 * AROUND:
            text, more = _hunk(file, near, shift)
            hunks.append(text)
            shift, near = shift + more, []
        near.append(block)
    if near:
        hunks.append(_hunk(file, near, shift)[0])
    return f"--- a/{name}\n+++ b/{name}\n" + "".join(hunks)


class Sources:
    """The files that may be read, each read once."""

    def __init__(self, roots: list[str]):
        self.roots = [real for real in map(os.path.realpath, roots) if real != "/"]
        self.files: dict[str, Optional[File]] = {}

    def _may(self, real: str) -> bool:
        return any(real.startswith(root + "/") and "/." not in real[len(root):] for root in self.roots) and \
            not real.startswith(("/proc/", "/sys/", "/dev/"))

    def _read(self, path: str) -> Optional[File]:
        if not path.startswith("/") or "\0" in path:
            return None
        with contextlib.suppress(OSError, ValueError):
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
            with open(fd, "rb") as file:
                status, real = os.fstat(fd), os.readlink(f"/proc/self/fd/{fd}")
                if stat.S_ISREG(status.st_mode) and status.st_size <= MOST_BYTES and self._may(real):
                    data = file.read(MOST_BYTES + 1)
                    if len(data) <= MOST_BYTES and b"\0" not in data:
                        return File(path, real, data)
        return None

    def open(self, path: str) -> Optional[File]:
        """The file, or None if it may not be read."""
        if path not in self.files:
            self.files[path] = self._read(path)
        return self.files[path]

    def changed(self) -> list[File]:
        return [file for file in self.files.values() if file and file.changes]

    def write(self) -> None:
        """Writes all changes into the files, each at once; one that was changed meanwhile raises OSError."""
        for file in self.changed():
            with open(file.real, "rb") as now:
                if now.read(MOST_BYTES + 1) != file.data:
                    raise OSError(f"{file.path} was changed meanwhile")
        for file in self.changed():
            folder, name = os.path.split(file.real)
            fd, path = tempfile.mkstemp(prefix=name, dir=folder)
            try:
                with open(fd, "wb") as new:
                    new.write(file.changed())
                os.chmod(path, stat.S_IMODE(os.stat(file.real).st_mode))
                os.replace(path, file.real)
            except OSError:
                os.unlink(path)
                raise
