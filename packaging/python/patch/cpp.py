"""C, C++ and CUDA by tree-sitter: statements, calls, the variables that are visible at a place, and insertions beside statements."""
import re
from typing import Iterator, Optional

import calls
import names
import tree_sitter
import tree_sitter_cuda
from beside import Beside
from files import File
from names import Hidden, Refused
from nodes import around, inside, parts, text_of
from plan import Frame
from tree_sitter import Node

LANGUAGE = tree_sitter.Language(tree_sitter_cuda.language())
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl")
ENDINGS = (".cu", ".c", ".cc", ".cpp", ".cxx", *HEADERS)
FUNCTIONS = ("function_definition", "lambda_expression")
LOOPS = ("for_statement", "for_range_loop", "while_statement", "do_statement")
PLAIN = ("expression_statement", "declaration")
STATEMENTS = (*PLAIN, *LOOPS, "if_statement", "switch_statement", "return_statement", "throw_statement", "goto_statement",
              "break_statement", "continue_statement", "co_return_statement", "try_statement", "labeled_statement")
IFS = ("preproc_if", "preproc_ifdef")
CONDITIONS = (*IFS, "preproc_else", "preproc_elif", "preproc_elifdef")
BLOCKS = ("compound_statement", "case_statement", "translation_unit", "declaration_list", *CONDITIONS)
JUMPS = ("return_statement", "goto_statement", "throw_statement", "co_return_statement", "labeled_statement", "gnu_asm_expression")
MACROS = ("preproc_def", "preproc_function_def")

MOST_DEPTH = 500


def is_statement(node: Node) -> bool:
    """True but for what stands in the head of a loop or a condition."""
    parent = node.parent
    if node.type not in STATEMENTS or not parent:
        return False
    if parent.type in LOOPS:
        return parent.child_by_field_name("body") == node
    if parent.type in ("if_statement", "switch_statement"):
        return parent.child_by_field_name("consequence") == node
    return parent.type in (*BLOCKS, "else_clause", "labeled_statement")


def own_parts(statement: Node) -> Iterator[Node]:
    """The nodes of a statement that are in no other statement or function inside of it."""
    return parts(statement, lambda c: is_statement(c) or c.type in ("compound_statement", "lambda_expression", "else_clause"))


def is_one_round(one: Node, other: Node) -> bool:
    """Whether the other statement comes later, in the same round of all loops around the first."""
    loop = next((at for at in around(one) if at.type in LOOPS or at.type in FUNCTIONS), None)
    return one.end_byte <= other.start_byte and loop is not None and other.end_byte <= loop.end_byte


def function_of(node: Node) -> Optional[Node]:
    return next((at for at in around(node) if at.type in FUNCTIONS), None)


def called(call: Node) -> str:
    """The name of the function, "<<<" of a kernel."""
    if any(c.type == "kernel_call_syntax" for c in call.children):
        return "<<<"
    function = call.child_by_field_name("function")
    return calls.plain(text_of(function).replace("->", ".")) if function else ""


def own_calls(statement: Node) -> list[Node]:
    return [n for n in own_parts(statement) if n.type == "call_expression"]


def values(arguments: Optional[Node]) -> list[Node]:
    return [c for c in arguments.named_children if c.type != "comment"] if arguments else []


def arguments(call: Node) -> list[Node]:
    """Of a kernel, its configuration."""
    kernel = next((c for c in call.children if c.type == "kernel_call_syntax"), None)
    return values(kernel or call.child_by_field_name("arguments"))


def declared(declarator: Optional[Node]) -> Optional[Node]:
    """The name in a declarator."""
    while declarator and declarator.type not in ("identifier", "field_identifier"):
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next((c for c in declarator.named_children if "declarator" in c.type or
                                    c.type == "identifier"), None)
    return declarator


def declarators(declaration: Node) -> Iterator[tuple[str, Node]]:
    """Names that a declaration makes known, and the declarator of each."""
    for child in declaration.children_by_field_name("declarator"):
        name = declared(child)
        if name and not (child.type == "function_declarator" and declaration.type == "declaration"):
            yield text_of(name), child


def identifiers(node: Node) -> Iterator[str]:
    """The variables of an expression, but members of others."""
    for at in inside(node):
        if at.type == "identifier" or (at.type == "this"):
            yield text_of(at)


class Declaration:
    """Where a name is declared, seen from a place: `kind` is local, parameter, member or file."""

    def __init__(self, kind: str, node: Node, declarator: Node):
        self.kind, self.node, self.declarator = kind, node, declarator

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Declaration) and self.declarator.start_byte == other.declarator.start_byte

    __hash__ = None  # type: ignore[assignment]


def _in_list(nodes: list[Node], name: str) -> Optional[tuple[Node, Node]]:
    """The last of these that declares the name, perhaps under a condition."""
    for node in reversed(nodes):
        if node.type in ("declaration", "field_declaration"):
            for known, declarator in declarators(node):
                if known == name:
                    return node, declarator
        elif node.type in CONDITIONS or node.type in ("linkage_specification", "declaration_list") or \
                (node.type == "namespace_definition" and not node.child_by_field_name("name")):
            found = _in_list(list(node.named_children), name)
            if found:
                return found
    return None


def _parameters(function: Node) -> list[tuple[str, Node]]:
    for node in inside(function, function.start_byte, (function.child_by_field_name("body") or function).start_byte):
        if node.type == "parameter_list":
            found = []
            for p in node.named_children:
                if p.type in ("parameter_declaration", "optional_parameter_declaration"):
                    name = declared(p.child_by_field_name("declarator"))
                    found.append((text_of(name) if name else "", p))
            return found
    return []


def _class_of(function: Node, root: Node) -> Optional[Node]:
    """The body of the class whose method this is, if the file has it."""
    for at in around(function):
        if at.type == "field_declaration_list":
            return at
    declarator = function.child_by_field_name("declarator")
    scope = next((n for n in inside(declarator) if n.type == "qualified_identifier"), None) if declarator else None
    name = text_of(scope).split("::")[0] if scope else ""
    for node in root.named_children if name else []:
        if node.type in ("class_specifier", "struct_specifier") and \
                text_of(node.child_by_field_name("name") or node) == name:
            return node.child_by_field_name("body")
    return None


def _captures(function: Node, name: str) -> bool:
    words = text_of(function.child_by_field_name("captures") or function).strip("[] ")
    return words.startswith(("&", "=")) and not re.match(r"&\s*\w", words) or \
        re.search(rf"(^|[\s,&]){re.escape(name)}\b", words) is not None


def _in_head(node: Node, name: str) -> Optional[Node]:
    """The declarator in the head of a loop or condition."""
    for part in ("initializer", "condition", "declarator", "parameters"):
        head = node.child_by_field_name(part)
        for at in inside(head) if head else ():
            if at.type in ("identifier",) and text_of(at) == name and at.parent and "declarator" in at.parent.type:
                return at
            if at.type == "declaration" and any(n == name for n, _ in declarators(at)):
                return at
            if part == "declarator" and at.type == "identifier" and text_of(at) == name:
                return at
    return None


def is_other(part: str, whole: str) -> bool:
    """Whether a part of a variable is surely another one than a `whole` one: another member, or another constant index."""
    steps = [re.findall(r"\w+|->|\.|\[|\S", text) for text in (part, whole)]
    if not all(names.NAME.fullmatch(text[0]) for text in steps if text) or not all(steps):
        return False
    different = next(((a, b, before) for a, b, before in zip(steps[0][1:], steps[1][1:], steps[0]) if a != b), None)
    if not different:
        return False
    return different[2] in ("->", ".") or (different[2] == "[" and different[0].isdigit() and different[1].isdigit())


def check_depth(file: File) -> None:
    """What is deeper than people write takes a parser long."""
    depth = 0
    for match in re.finditer(rb"[(\[{}\])]", file.data):
        depth += 1 if match[0] in b"([{" else -1
        if depth > MOST_DEPTH:
            raise Refused("its source has too many brackets in one another")


class Source:
    """A file with its tree, and what changes beside its statements."""

    def __init__(self, file: File):
        self.file = file
        self.besides: dict[int, Beside] = {}
        check_depth(file)
        self.root = tree_sitter.Parser(LANGUAGE).parse(file.data).root_node
        self.is_header = file.path.endswith(HEADERS)

    def beside(self, node: Node) -> Beside:
        is_body = not node.parent or node.parent.type not in BLOCKS
        return self.besides.setdefault(node.id, Beside(self.file, node, is_body))

    def write(self) -> None:
        for beside in self.besides.values():
            beside.write()

    def before_end(self, block: Node, like: int, code: str) -> None:
        """Puts a line before the bracket that ends a block, with the indentation of another line."""
        end = block.end_byte - 1
        row = self.file.row(end)
        if self.file.line(row).lstrip().startswith(b"}"):
            self.file.insert_line(row, self.file.indent(like), code)
        else:
            self.file.replace(end, end, code.encode() + b" ")

    # ---- statements ----

    def _statements(self, row: int) -> list[Node]:
        begin, end = self.file.start(row), self.file.start(row) + len(self.file.line(row))
        return [n for n in inside(self.root, begin, end) if is_statement(n) and function_of(n)]

    def statement(self, frame: Frame, function: str) -> Optional[Node]:
        """The statement at a line: the one that calls the function, else the first that begins there."""
        row = frame.line - 1
        if not 0 <= row < len(self.file.starts):
            return None
        found = self._statements(row)
        name = calls.plain(function)
        callers = [n for n in found if any(called(c) in (name, "<<<" if not name or "Launch" in name else name)
                                           for c in own_calls(n))]
        if len(callers) == 1:
            return callers[0]
        first = [n for n in found if n.start_point.row == row]
        if len(callers) > 1 and len(first) > 1:
            raise Refused("several statements of its line may be it")
        return first[0] if first else found[-1] if found else None

    def line(self, frame: Frame, function: str) -> Optional["Statement"]:
        node = self.statement(frame, function)
        return Statement(self, node) if node else None

    def kernels(self, name: str) -> list[Node]:
        """Definitions of functions with a name that may be kernels: `__global__`, or with a macro for that in place of a type."""
        return [n for n in inside(self.root) if n.type == "function_definition" and
                text_of(declared(n.child_by_field_name("declarator"))) == name and
                ("__global__" in text_of(n).partition("(")[0] or (n.child_by_field_name("type") or n).type == "type_identifier")]

    def returns(self, name: str) -> set[str]:
        """The types of what functions of a name return that the file defines; a pointer's or a reference's is no type here."""
        found = [n for n in inside(self.root) if n.type == "function_definition" and text_of(declared(n.child_by_field_name("declarator"))) == name]
        return {text_of(n.child_by_field_name("type")) if (n.child_by_field_name("declarator") or n).type == "function_declarator" else ""
                for n in found}

    def at_begin(self, body: Node, *code: str) -> None:
        """Puts lines after the bracket that begins a block, whatever else its line has."""
        file, at = self.file, body.start_byte + 1
        row, indent = file.row(at), file.indent(file.row(at))
        inner = indent + (b"    " if b"\n    " in file.data else b"\t")
        lines = [(b"" if line.startswith("#") else inner, line) for line in code]
        if file.data[at:file.start(row) + len(file.line(row))].strip():
            end = file.end_of_line
            file.replace(at, at, end + b"".join(before + line.encode() + end for before, line in lines) + indent)
        else:
            for before, line in lines:
                file.insert_line(row + 1, before, line)

    # ---- variables ----

    def declaration(self, name: str, at: Node) -> Optional[Declaration]:
        """What a name stands for at a place; None: it is not declared in the file. Raises Hidden for a variable that a lambda
        does not capture."""
        lambdas: list[Node] = []
        for node in around(at):
            found = self._declared_at(name, node)
            if found:
                if found.kind in ("local", "parameter") and not all(_captures(f, name) for f in lambdas):
                    raise Hidden
                return found
            if node.type == "lambda_expression":
                lambdas.append(node)
        return None

    def _declared_at(self, name: str, node: Node) -> Optional[Declaration]:
        """Among what is before a node, in its block, or in its own head."""
        if node.type in FUNCTIONS:
            for known, parameter in _parameters(node):
                if known == name:
                    return Declaration("parameter", parameter, parameter)
            body = _class_of(node, self.root) if node.type == "function_definition" else None
            member = _in_list(list(body.named_children), name) if body else None
            if member:
                return Declaration("member", *member)
        elif node.type in LOOPS or node.type in ("if_statement", "switch_statement", "catch_clause"):
            head = _in_head(node, name)
            if head:
                return Declaration("local", head, head)
        parent = node.parent
        if not parent or parent.type not in BLOCKS:
            return None
        found = _in_list([c for c in parent.named_children if c.start_byte < node.start_byte], name)
        is_file = not function_of(parent)
        return Declaration("file" if is_file else "local", *found) if found else None

    def assignments(self, name: str, begin: int, end: int, whole: str = "") -> int:
        """How often a part of the file gives a variable, or a part of it, another value, or its address away; but other parts
        than a `whole` one."""
        count = 0
        for node in inside(self.root, begin, end):
            target = node.child_by_field_name("left") if node.type == "assignment_expression" else \
                node.child_by_field_name("argument") if node.type in ("update_expression", "pointer_expression") else None
            if target is None or (node.type == "pointer_expression" and not text_of(node).startswith("&")):
                continue
            if is_other(text_of(target), whole):
                continue
            while target.type in ("subscript_expression", "field_expression", "parenthesized_expression"):
                target = target.child_by_field_name("argument") or target.named_children[0]
            count += text_of(target) == name and begin <= node.start_byte < end
        return count

    def is_given(self, name: str, begin: int, end: int) -> bool:
        """Whether a part of the file has a variable in other ways than by its members and elements."""
        return any(n.type == "identifier" and text_of(n) == name and begin <= n.start_byte < end and
                   not (n.parent and n.parent.type in ("field_expression", "subscript_expression") and
                        n.parent.child_by_field_name("argument") == n) for n in inside(self.root, begin, end))

    @staticmethod
    def has_word(word: str, node: Node) -> bool:
        return any(n.type == "identifier" and text_of(n) == word for n in inside(node))

    def expression(self, text: str) -> Optional[Node]:
        """The expression of a text, by itself."""
        root = tree_sitter.Parser(LANGUAGE).parse(b"int x = " + text.encode() + b";").root_node
        return None if root.has_error else root

    def is_same(self, text: str, one: Node, other: Node, is_strict: bool = False, is_after: bool = False) -> bool:
        """Whether an expression that stands at one place stands for the same thing at another one: each of its variables is
        visible at both, and has no other value. `is_strict`: has to be declared in the file. `is_after`: after the first place."""
        root = self.expression(text)
        if root is None or any(n.type in ("call_expression", "update_expression", "assignment_expression") for n in inside(root)):
            return False
        if any(n.type == "subscript_argument_list" and not re.fullmatch(r"\[\s*\d+\s*\]", text_of(n)) for n in inside(root)) and \
                not is_one_round(one, other):
            return False
        begin, end = min(one.start_byte, other.start_byte), max(one.end_byte, other.end_byte)
        if is_after and one.end_byte <= other.start_byte:
            begin, end = one.end_byte, other.start_byte
        is_one = function_of(one) == function_of(other)
        for name in set(identifiers(root)) - {"x"} | ({"x"} if re.search(r"\bx\b", text) else set()):
            try:
                here, there = self.declaration(name, one), self.declaration(name, other)
            except Hidden:
                return False
            if here != there or (not here and (is_strict or not is_one)):
                return False
            if not is_one and here and here.kind != "file":
                return False
            if self.assignments(name, begin, end, text) or (is_after and self.is_given(name, begin, end)):
                return False
        return True

    def has_errors(self, node: Node) -> bool:
        """Whether a part of the function around a node cannot be parsed, and may be anything."""
        body = (function_of(node) or node).child_by_field_name("body")
        return bool(body and body.has_error)

    def made(self, name: str, at: Node, frames: tuple[Frame, ...]) -> bool:
        """Whether a name is that of the stream that was made at one of these lines: a variable of streams of the file, or of
        the function around a place, in which it was made too, and which gets no other one."""
        function = function_of(at)
        try:
            found = self.declaration(name, at)
        except Hidden:
            return False
        if not found or not re.search(r"\b(cudaStream_t|CUstream)\b", text_of(found.node)):
            return False
        whole = self.root if found.kind == "file" else function
        return found.kind in ("file", "local") and whole is not None and \
            any(f.file == self.file.path and whole.start_point.row < f.line <= whole.end_point.row + 1 for f in frames) and \
            self.assignments(name, whole.start_byte, whole.end_byte) <= 1

    # ---- places of declarations ----

    def _guard(self) -> Node:
        """What the things of the file are in: the condition that keeps a header from being read twice, or the file."""
        parts = [c for c in self.root.named_children if c.type not in ("comment",)]
        if len(parts) == 1 and parts[0].type in ("preproc_ifdef", "preproc_if"):
            return parts[0]
        return self.root

    def includes(self, before: int) -> list[Node]:
        """Those that stand in no block, and under no condition."""
        guard = self._guard()
        return [n for at in ({self.root.id: self.root, guard.id: guard}).values() for n in at.named_children
                if n.type == "preproc_include" and n.start_byte < before]

    def home(self, before: int) -> int:
        """The row before which things of the file are declared: after its includes, else before the function."""
        found = self.includes(before)
        if found:
            return max(n.start_point.row for n in found) + 1
        for node in self._guard().named_children:
            if node.start_byte <= before < node.end_byte and node.type not in CONDITIONS:
                return node.start_point.row
        raise Refused("the event has no place in the file")

    def sees(self, header: "Source", before: int) -> bool:
        """Whether an include is of that header, as it is written there, from some folder on."""
        for node in self.includes(before):
            path = text_of(node.child_by_field_name("path") or node).strip("\"<>")
            while path.startswith(("./", "../")):
                path = path.split("/", 1)[1]
            if path and ("/" + header.file.path).endswith("/" + path):
                return True
        return False

    @property
    def is_cpp(self) -> bool:
        """Whether a header is one of C++, and none that is made for C too."""
        if b"__cplusplus" in self.file.data:
            return False
        return not self.file.path.endswith(".h") or any(
            n.type in ("namespace_definition", "template_declaration", "class_specifier", "using_declaration", "alias_declaration")
            for n in inside(self.root))


def _inner(value: Node) -> Node:
    """A value without brackets and casts around it."""
    while value.type in ("parenthesized_expression", "cast_expression"):
        value = value.child_by_field_name("value") or value.named_children[-1]
    return value


class Statement:
    """A statement, and what is put beside it."""

    def __init__(self, source: Source, node: Node):
        self.source, self.node = source, node

    # ---- names ----

    def cuda_call(self, table: dict[str, int]) -> Optional[tuple[Node, int]]:
        """Its only call that has a stream, or an event, and which argument that is."""
        found = [(c, 3 if called(c) == "<<<" else table[called(c)]) for c in own_calls(self.node)
                 if called(c) in table or (called(c) == "<<<" and table is calls.STREAMS)]
        return found[0] if len(found) == 1 else None

    def own_stream(self, is_last: bool) -> Optional[str]:
        found = self.cuda_call(calls.STREAMS)
        if not found:
            return None
        given = arguments(found[0])
        return text_of(given[found[1]]) if found[1] < len(given) else "0"

    def event(self) -> Optional[str]:
        """The event that it records or waits for."""
        found = self.cuda_call(calls.EVENTS)
        given = arguments(found[0]) if found else []
        return text_of(given[found[1]]) if found and found[1] < len(given) else None

    def parameter(self, name: str, is_after: bool) -> Optional[int]:
        function, whole = function_of(self.node), name
        name = names.NAME.match(whole)[0]  # type: ignore[index]
        found = self.source.declaration(name, self.node)
        if not function or not found or found.kind != "parameter" or (name != whole and not self.keeps(whole, is_after)):
            return None
        return next((i for i, (_, node) in enumerate(_parameters(function)) if node == found.node), None)

    def argument(self, function: str, name: str, index: int) -> Optional[str]:
        found = [c for c in own_calls(self.node) if called(c) == function]
        given = arguments(found[0]) if len(found) == 1 else []
        text, member = text_of(given[index]) if index < len(given) else "", name[len(names.NAME.match(name)[0]):]  # type: ignore[index]
        of = re.fullmatch(r"(&\s*|)([A-Za-z_]\w*((->|\.)[A-Za-z_]\w*|\[\w+\])*)", text) if member else None
        if not member or not of:
            return None if member else text or None
        if of[1]:
            return f"{of[2]}.{member[2:]}" if member.startswith("->") else None
        return of[2] + member

    def keeps(self, text: str, is_after: bool) -> bool:
        """Whether the function around it, or what of it may come after it, leaves a member of what a parameter points at as it is, and
        gives that to nobody."""
        function, name = function_of(self.node), names.NAME.match(text)[0]  # type: ignore[index]
        body = function.child_by_field_name("body") if function else None
        loops = [at for at in around(self.node) if at.type in LOOPS and body and at.start_byte > body.start_byte]
        begin = (loops[-1] if loops else self.node).start_byte if is_after else 0
        if not body:
            return False
        begin = max(begin, body.start_byte)
        return not self.source.is_given(name, begin, body.end_byte) and not self.source.assignments(name, begin, body.end_byte, text)

    def is_global(self, name: str) -> bool:
        try:
            found = self.source.declaration(name, self.node)
        except Hidden:
            return False
        return bool(found and found.kind == "file")

    def node_and_graph(self) -> Optional[tuple[str, str]]:
        """The variable that a call sets to a new node of a graph, and the graph."""
        for call in own_calls(self.node):
            given = arguments(call)
            if re.fullmatch(r"cu(da)?GraphAdd\w*Node\w*", called(call)) and len(given) >= 4 and \
                    re.fullmatch(r"&\s*[A-Za-z_]\w*(\[\d+\])?", text_of(given[0])) and \
                    re.fullmatch(r"[A-Za-z_]\w*(\[\d+\])?", text_of(given[1])):
                return text_of(given[0])[1:].strip(), text_of(given[1])
        return self.returned_node()

    def returned_node(self) -> Optional[tuple[str, str]]:
        """The same of a function of the program, which gets the graph and returns the node."""
        for at in own_parts(self.node):
            value = at.child_by_field_name("right") if at.type == "assignment_expression" else None
            if value and value.type == "call_expression":
                node = text_of(at.child_by_field_name("left") or at)
                graphs = [text_of(g) for g in arguments(value) if self.has_type(text_of(g), r"cudaGraph_t|CUgraph")]
                if len(graphs) == 1 and self.has_type(node, r"cudaGraphNode_t|CUgraphNode"):
                    return node, graphs[0]
        return None

    def dropped_node(self) -> Optional[tuple[str, str]]:
        """The type of a node that a function of the program returns and nobody keeps, and the graph that the function gets."""
        call = self.node.named_children[0] if self.node.type == "expression_statement" and self.node.named_children else None
        if not call or call.type != "call_expression" or not self.has_lines:
            return None
        kinds = self.source.returns(called(call))
        graphs = [text_of(g) for g in arguments(call) if self.has_type(text_of(g), r"cudaGraph_t|CUgraph")]
        return (kinds.pop(), graphs[0]) if len(graphs) == 1 and kinds in ({"cudaGraphNode_t"}, {"CUgraphNode"}) else None

    def has_type(self, name: str, kind: str) -> bool:
        """Whether a variable, perhaps one of an array that has a number, is declared with a type."""
        match = re.fullmatch(r"([A-Za-z_]\w*)(\[\d+\])?", name)
        try:
            found = self.source.declaration(match[1], self.node) if match else None
        except Hidden:
            return False
        return bool(found and re.match(rf"(static |const )*({kind})\b", text_of(found.node)))

    @property
    def has_graph_call(self) -> bool:
        return any(re.match(r"cu(da)?GraphAdd", called(c)) for c in own_calls(self.node))

    # ---- a call that ends something ----

    def end(self) -> Optional[list[Node]]:
        """The arguments of a function that ends something, if the statement is such a call alone, or one that a check is given first."""
        found = _inner(self.node.named_children[0]) if self.node.type == "expression_statement" and self.node.named_children else None
        if found and found.type == "call_expression" and called(found) not in calls.ENDS:
            given = arguments(found)
            is_check = given and all(a.type.endswith("literal") or a.type == "concatenated_string" for a in given[1:])
            found = _inner(given[0]) if is_check else None
        return arguments(found) if found and found.type == "call_expression" and called(found) in calls.ENDS else None

    def conditions(self) -> list[Node]:
        """The conditions of the preprocessor around it in its block, from the inside out."""
        found, at = [], self.node.parent
        while at and at.type in CONDITIONS:
            found.append(at)
            at = at.parent
        return found

    def under(self, place: "Statement", *lines: str) -> list[str]:
        """Lines beside a statement of the same block, under the conditions of the preprocessor that this one alone is under."""
        more = [c for c in reversed(self.conditions()) if c not in place.conditions()]
        heads = [text_of(c).partition("\n")[0].rstrip() for c in more]
        if more and (more[0].type not in IFS or not place.has_lines or any(h.endswith("\\") or "/*" in h for h in heads)):
            raise Refused("it stands under a condition of the preprocessor that its new line cannot have")
        return [*heads, *lines, *["#endif"] * sum(c.type in IFS for c in more)]

    def is_earlier(self, other: "Statement") -> bool:
        """Whether the other one comes later in the same block in brackets, whatever conditions of the preprocessor they are under."""
        return self.source is other.source and self.whole_block is not None and self.whole_block == other.whole_block and \
            self.node.end_byte <= other.node.start_byte

    def may_leave_before(self, other: "Statement") -> bool:
        """Whether the function may go on elsewhere between this statement and a later one of its block."""
        begin, end, function = self.node.end_byte, other.node.start_byte, function_of(self.node)
        for node in inside(function or self.node, begin, end):
            if node.start_byte < begin or node.end_byte > end or function_of(node) != function:
                continue
            if node.type in JUMPS or (node.type == "call_expression" and called(node) in ("longjmp", "throw")):
                return True
            if node.type in ("break_statement", "continue_statement") and \
                    not any(at.type in (*LOOPS, "switch_statement") and at.start_byte >= begin for at in around(node)):
                return True
        return False

    # ---- places ----

    def check(self) -> None:
        """Refuses what the tree does not show."""
        for at in around(self.node):
            if at.type == "ERROR" or at.type in MACROS:
                raise Refused("its line is in a macro, or cannot be parsed")
        if any(n.is_missing or n.type == "ERROR" for n in inside(self.node)):
            raise Refused("its line is in a macro, or cannot be parsed")

    @property
    def is_plain(self) -> bool:
        return self.node.type in PLAIN

    @property
    def block(self) -> Optional[Node]:
        """The block that it is a statement of; None: it is all that a branch or a loop has."""
        parent = self.node.parent
        return parent if parent and parent.type in BLOCKS else None

    @property
    def whole_block(self) -> Optional[Node]:
        """The block in brackets, whatever conditions of the preprocessor are around the statement in it."""
        found = self.block
        while found and found.type in CONDITIONS:
            found = found.parent
        return found if found and found.type == "compound_statement" else None

    def is_beside(self, other: "Statement") -> bool:
        """Whether the other one comes later in the same block."""
        return self.source is other.source and self.block is not None and self.block == other.block and \
            self.node.end_byte <= other.node.start_byte

    @property
    def has_lines(self) -> bool:
        """Whether its lines are its own."""
        return self.block is not None and self.source.beside(self.node).has_lines

    def check_before(self) -> None:
        if self.node.type in ("case_statement", "labeled_statement"):
            raise Refused("nothing can be written before its statement alone")
        parent = self.node.parent
        if self.node.type == "if_statement" and parent and parent.type == "else_clause":
            raise Refused("nothing can be written before its statement alone")

    def before(self, *lines: str) -> None:
        self.source.beside(self.node).before.extend(lines)

    def after(self, *lines: str) -> None:
        self.source.beside(self.node).after.extend(lines)

    def check_after(self) -> None:
        if not self.is_plain:
            raise Refused("nothing can be written after its statement alone")

    def remove(self) -> None:
        self.source.beside(self.node).is_removed = True
