"""Python by tree-sitter: statements, imports, streams and events, and insertions beside statements."""
import re
from typing import Iterator, Optional

import calls
import tree_sitter
import tree_sitter_python
from files import File
from names import Hidden
from nodes import around, inside, parts, text_of
from plan import Frame
from tree_sitter import Node

LANGUAGE = tree_sitter.Language(tree_sitter_python.language())
PARSER = tree_sitter.Parser(LANGUAGE)
NAME = re.compile(r"[A-Za-z_][\w.]*")
SUITES = ("block", "module")
HEADS = ("if_statement", "for_statement", "while_statement", "with_statement", "try_statement", "match_statement",
         "function_definition", "class_definition", "decorated_definition")
NOT_BEFORE = ("for_statement", "while_statement", "function_definition", "class_definition", "decorated_definition")
LEAVING = ("return_statement", "raise_statement", "break_statement", "continue_statement")
COMMENT = re.compile(rb"\s*(#.*)?")


def own_parts(statement: Node) -> Iterator[Node]:
    """The nodes of a statement, but those of its block and of functions inside of it."""
    return parts(statement, lambda c: c.type in ("block", "lambda"))


def function_of(node: Node) -> Optional[Node]:
    return next((at for at in around(node) if at.type == "function_definition" and at != node), None)


def plain_name(node: Optional[Node]) -> str:
    """A name, perhaps with dots. Anything else may stand for something else at another line."""
    text = text_of(node)
    if not NAME.fullmatch(text):
        raise Hidden
    return text


def arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return [c for c in given.named_children if c.type != "comment"] if given else []


def keyword(call: Node, name: str) -> Optional[Node]:
    for argument in arguments(call):
        if argument.type == "keyword_argument" and text_of(argument.child_by_field_name("name")) == name:
            return argument.child_by_field_name("value")
    return None


def own_calls(statement: Node) -> list[Node]:
    return [n for n in own_parts(statement) if n.type == "call"]


def called(call: Node) -> str:
    return text_of(call.child_by_field_name("function")).rpartition(".")[2]


def bound(node: Node) -> Iterator[str]:
    """Names that a node gives a value."""
    kind = node.type
    if kind == "named_expression":
        yield text_of(node.child_by_field_name("name"))
        return
    targets = node.child_by_field_name("left") if kind in ("assignment", "augmented_assignment", "for_statement") else \
        node.child_by_field_name("alias") if kind == "as_pattern" else None
    if kind == "function_definition":
        targets = node.child_by_field_name("parameters")
    for at in inside(targets) if targets else ():
        if at.type in ("identifier", "attribute"):
            yield text_of(at)


class Source:
    """A file with its tree."""

    def __init__(self, file: File):
        self.file = file
        self.root = PARSER.parse(file.data).root_node
        self.after: dict[int, int] = {}  # by statement: how much was put after it, in its own line

    def statements(self, row: int) -> list[Node]:
        found, todo = [], [self.root]
        while todo:
            at = todo.pop()
            if at.start_point.row <= row <= at.end_point.row:
                if at.parent and at.parent.type in SUITES and at.type != "comment":
                    found.append(at)
                todo.extend(reversed(at.children))
        return found

    def line(self, frame: Frame, function: str) -> Optional["Statement"]:
        """The statement at a line: of several the innermost, or the one that calls the function."""
        found = self.statements(frame.line - 1)
        name = calls.plain(function)
        callers = [n for n in found if any(called(c) == name for c in own_calls(n))]
        if len(callers) == 1:
            return Statement(self, callers[0])
        found = [n for n in found if n.start_point.row == frame.line - 1 and n.type not in HEADS] or found[-1:]
        return Statement(self, found[0]) if found else None

    # ---- names of the module ----

    def imports(self) -> Iterator[Node]:
        return (n for n in self.root.named_children if n.type in ("import_statement", "import_from_statement"))

    def module(self, wanted: str) -> Optional[str]:
        """The name under which the file imports a module, at its top level."""
        for node in self.imports():
            source = text_of(node.child_by_field_name("module_name"))
            for item in node.children_by_field_name("name"):
                alias = item.child_by_field_name("alias") if item.type == "aliased_import" else None
                name = text_of(item.child_by_field_name("name") if alias else item)
                if (f"{source}.{name}" if source else name) == wanted:
                    return text_of(alias) or name
                if not source and not alias and name.startswith(wanted + "."):
                    return wanted  # `import torch.cuda` brings `torch`
        return None

    def last_import(self, before: int) -> Optional[Node]:
        found = [n for n in self.imports() if n.end_byte < before]
        return found[-1] if found else None

    def is_global(self, name: str) -> bool:
        """Whether a name belongs to the module: it has a value at the top level, and is nowhere else a parameter, or given
        one."""
        found = False
        for node in inside(self.root):
            if name in bound(node):
                if node.type == "function_definition" or function_of(node):
                    return False
                found = True
        return found

    def is_set(self, name: str, begin: int, end: int) -> bool:
        return any(name in bound(n) for n in inside(self.root) if begin <= n.start_byte < end)


class Statement:
    """A statement, and what is put beside it."""

    def __init__(self, source: Source, node: Node):
        self.source, self.node, self.file = source, node, source.file

    # ---- streams ----

    def stream_argument(self) -> Optional[Node]:
        """The stream of a call or a launch."""
        for call in own_calls(self.node):
            found = keyword(call, "stream")
            if found:
                return found
        for call in own_calls(self.node):
            index = calls.STREAMS.get(called(call))
            if index is not None and index < len(arguments(call)):
                return arguments(call)[index]
            function = call.child_by_field_name("function")
            if function and function.type == "subscript":
                items = function.children_by_field_name("subscript")
                if len(items) == 1 and items[0].type == "tuple":
                    items = list(items[0].named_children)
                if len(items) >= 3:
                    return items[2]
        return None

    def own_stream(self, is_last: bool) -> Optional[str]:
        """As argument, or by a `with` of a stream around it in the same function."""
        argument = self.stream_argument()
        if argument:
            return plain_name(argument)
        for at in around(self.node):
            if at.type == "function_definition" and at != self.node:
                break
            if at.type != "with_statement":
                continue
            for call in (n for n in own_parts(at) if n.type == "call" and called(n) == "stream" and len(arguments(n)) == 1):
                if NAME.fullmatch(text_of(arguments(call)[0])):
                    return text_of(arguments(call)[0])
            if is_last:
                return None  # it is current there
            raise Hidden
        return None

    def event(self) -> Optional[str]:
        """The event that it records or waits for; of a wait for a stream, that stream."""
        for call in own_calls(self.node):
            given = arguments(call)
            index = calls.EVENTS.get(called(call), 0 if called(call) == "wait_event" else None)
            if index is not None and index < len(given):
                return text_of(given[index])
        for call in own_calls(self.node):
            function = call.child_by_field_name("function")
            if called(call) in ("record", "wait", "synchronize") and function and function.type == "attribute":
                name = text_of(function.child_by_field_name("object"))
                return name if NAME.fullmatch(name) else None
        return None

    # ---- functions ----

    def parameter(self, name: str, is_after: bool) -> Optional[int]:  # pylint: disable=unused-argument
        function = function_of(self.node)
        parameters = function.child_by_field_name("parameters") if function else None
        names = [text_of(next((n for n in inside(p) if n.type == "identifier"), None))
                 for p in (parameters.named_children if parameters else [])
                 if p.type not in ("keyword_separator", "positional_separator", "comment")]
        own = bool(names) and names[0] in ("self", "cls")
        return names.index(name) - own if name in names[own:] else None

    def argument(self, function: str, name: str, index: int) -> Optional[str]:
        found = [c for c in own_calls(self.node) if called(c) == function]
        given = arguments(found[0]) if len(found) == 1 else []
        if any(g.type in ("list_splat", "dictionary_splat") for g in given):
            return None
        value = keyword(found[0], name) if given else None
        if value is None and index < len(given) and given[index].type != "keyword_argument":
            value = given[index]
        return text_of(value) or None

    def is_global(self, name: str) -> bool:
        return self.source.is_global(name)

    # ---- places ----

    @property
    def is_alone(self) -> bool:
        """Whether its lines are its own, and it begins and ends them."""
        begin, end = self.node.start_byte, self.node.end_byte
        row = self.file.row(end)
        return not self.file.data[self.file.start(self.file.row(begin)):begin].strip() and \
            COMMENT.fullmatch(self.file.data[end:self.file.start(row) + len(self.file.line(row))]) is not None

    @property
    def takes_before(self) -> bool:
        return self.node.type not in NOT_BEFORE

    @property
    def takes_after(self) -> bool:
        return self.node.type not in (*HEADS, *LEAVING)

    def before(self, code: str) -> None:
        begin = self.node.start_byte
        row = self.file.row(begin)
        if self.file.data[self.file.start(row):begin].strip():
            self.file.replace(begin, begin, code.encode() + b"; ")
        else:
            self.file.insert_line(row, self.file.indent(row), code)

    def after(self, code: str) -> None:
        end = self.node.end_byte
        if self.is_alone:
            row = self.file.row(self.node.start_byte)
            self.file.insert_line(self.file.row(end) + 1, self.file.indent(row), code)
        else:
            self.file.replace(end, end, b"; " + code.encode())

    def remove(self) -> None:
        """No block may be empty."""
        parent = self.node.parent
        is_only = parent is None or len([c for c in parent.named_children if c.type != "comment"]) == 1
        begin, end = self.node.start_byte, self.node.end_byte
        if is_only or not self.is_alone:
            self.file.replace(begin, end, b"pass")
        else:
            self.file.replace(self.file.start(self.file.row(begin)), self.file.start(self.file.row(end) + 1), b"")

    def wrap(self, head: str) -> None:
        """A `with` around it."""
        begin = self.node.start_byte
        row = self.file.row(begin)
        self.file.insert_line(row, self.file.indent(row), head)
        for at in range(row, self.file.row(self.node.end_byte) + 1):
            self.file.replace(self.file.start(at), self.file.start(at), b"\t" if self.file.indent(at)[:1] == b"\t" else b"    ")

    def leads(self, other: "Statement") -> bool:
        """Whether whoever comes to the other one, in the same function, has run this one: no block ends in between but those
        of `with` and a stream or device."""
        at = self.node
        if self.source is not other.source or function_of(at) != function_of(other.node) or at.end_byte > other.node.start_byte:
            return False
        while True:
            block = at.parent
            if block is None:
                return False
            if block.start_byte <= other.node.start_byte < block.end_byte or block.type == "module":
                return True
            head = block.parent
            if head is None or head.type != "with_statement" or not self._is_plain_with(head):
                return False
            at = head

    @staticmethod
    def _is_plain_with(head: Node) -> bool:
        """A `with` that lets no error of its block pass."""
        text = "".join(text_of(c) for c in head.children if c.type != "block")
        return "(" not in text or "tream" in text or re.search(r"\.[dD]evice\(", text) is not None
