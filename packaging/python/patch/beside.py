"""Beside: lines before and after a statement of C, C++ or CUDA, in the file."""
import re

from files import File
from tree_sitter import Node

COMMENT = re.compile(rb"\s*(//[^\n]*|/\*[^\n]*\*/\s*)?")


class Beside:
    """What is put beside a statement, written once all of it is known. `is_body`: the statement is all that a branch or a loop has."""

    def __init__(self, file: File, node: Node, is_body: bool):
        self.file, self.node, self.is_body = file, node, is_body
        self.before: list[str] = []
        self.after: list[str] = []
        self.is_removed = False

    def _is_first(self, begin: int) -> bool:
        return not self.file.data[self.file.start(self.file.row(begin)):begin].strip()

    def _is_last(self, end: int) -> bool:
        row = self.file.row(end)
        return COMMENT.fullmatch(self.file.data[end:self.file.start(row) + len(self.file.line(row))]) is not None

    @property
    def has_lines(self) -> bool:
        return self._is_first(self.node.start_byte) and self._is_last(self.node.end_byte)

    def write(self) -> None:
        begin, end, has_lines = self.node.start_byte, self.node.end_byte, self.has_lines
        if self.is_removed:
            self._remove(begin, end, has_lines and not self.is_body)
        if self.is_body and (self.before or self.after):
            self._write_body(begin, end, has_lines)
        else:
            self._write_lines(begin, end)

    def _remove(self, begin: int, end: int, is_whole: bool) -> None:
        if is_whole:
            self.file.replace(self.file.start(self.file.row(begin)), self.file.start(self.file.row(end) + 1), b"")
        else:
            self.file.replace(begin, end, b";")

    def _write_lines(self, begin: int, end: int) -> None:
        row = self.file.row(begin)
        for code in self.before:
            if self._is_first(begin):
                self.file.insert_line(row, self.file.indent(row), code)
            else:
                self.file.replace(begin, begin, code.encode() + b" ")
        for code in self.after:
            if self._is_last(end):
                self.file.insert_line(self.file.row(end) + 1, b"" if code.startswith("#") else self.file.indent(row), code)
            else:
                self.file.replace(end, end, b" " + code.encode())

    def _write_body(self, begin: int, end: int, has_lines: bool) -> None:
        """All that a branch or a loop has becomes a block."""
        head = self.node.prev_sibling
        while head and head.type == "comment":
            head = head.prev_sibling
        if not has_lines or not head or self.file.row(head.end_byte) == self.file.row(begin):
            self.file.replace(begin, begin, " ".join(["{", *self.before, ""]).encode())
            self.file.replace(end, end, " ".join(["", *self.after, "}"]).encode())
            return
        outer = self.node.parent or self.node
        self.file.replace(head.end_byte, head.end_byte, b" {")
        self._write_lines(begin, end)
        self.file.insert_line(self.file.row(end) + 1, self.file.indent(outer.start_point.row), "}")
