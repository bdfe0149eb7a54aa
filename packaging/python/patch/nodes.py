"""Nodes: walks over the tree of a source, in either language."""
from typing import Callable, Iterator, Optional

from tree_sitter import Node


def text_of(node: Optional[Node]) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node else ""


def inside(node: Node, begin: int = 0, end: int = 1 << 62) -> Iterator[Node]:
    """A node and those below it, in their order, that reach into a part of the file."""
    todo = [node]
    while todo:
        at = todo.pop()
        if at.start_byte < end and at.end_byte > begin:
            yield at
            todo.extend(reversed(at.children))


def around(node: Node) -> Iterator[Node]:
    """A node and those around it, from the inside out."""
    at: Optional[Node] = node
    while at:
        yield at
        at = at.parent


def parts(statement: Node, is_other: Callable[[Node], bool]) -> Iterator[Node]:
    """The nodes of a statement, but those that are, or are in, something other."""
    todo = [statement]
    while todo:
        at = todo.pop()
        yield at
        todo.extend(c for c in reversed(at.children) if not is_other(c))
