"""C, C++ and CUDA: an edit as lines beside whole statements, in names that are known there."""
import itertools
import os
import re
from typing import Callable, Optional

import calls
import cpp
import names
from cpp import Source, Statement
from names import Hidden, Refused
from plan import Edit, Place
from reading import NO_NAMES, Reading
from tree_sitter import Node

UNKNOWN = "what it names may not be known at its line, or be another thing there"
LATE = " /* made when it is recorded first */"
THREADS = {
    "unordered": "its two lines run in different threads, and nothing orders these: a wait for an event that is not recorded "
                 "yet waits for nothing",
    "unknown": "its two lines run in different threads, and only a trace recorded with --hosts=strict shows whether these are "
               "ordered",
}


def check_threads(edit: Edit) -> None:
    """Whether an event can go from the one line to the other."""
    if edit.threads in THREADS:
        raise Refused(THREADS[edit.threads])


def stem(first: str, second: str) -> str:
    """What a name begins with that more files may see than one."""
    name = os.path.basename(first).split(".")[0]
    if (first == second and not first.endswith(cpp.HEADERS)) or not name[:1].isalpha():
        return ""
    return re.sub(r"\W", "_", name, flags=re.A) + "_"


class Writer(Reading[Source]):
    """Writes edits into the sources. An edit is refused before it has changed anything."""

    kind = Source

    # ---- reading ----

    def spot(self, place: Optional[Place]) -> Statement:
        if not place or not place.anchor.line:
            raise Refused("its line is not known")
        if not place.anchor.file.endswith(cpp.ENDINGS):
            raise Refused("its file is not in C, C++ or CUDA")
        if not self.source(place.anchor.file):
            raise Refused("its source may not be read here")
        found = self.line(place.anchor, place.called)
        if not found:
            raise Refused("its line is a part of a larger statement")
        found.check()
        return found

    def spot_before(self, place: Optional[Place]) -> Statement:
        found = self.spot(place)
        found.check_before()
        return found

    def spot_after(self, place: Optional[Place]) -> Statement:
        found = self.spot(place)
        found.check_after()
        return found

    def stream(self, place: Optional[Place], is_after: bool = False) -> str:
        """The stream of the operation, as the source has it before the line, or after it."""
        if not place:
            raise Refused("its line is not known")
        try:
            found = names.stream_name(self, place, is_after)
        except Hidden:
            found = None
        if not found and place.default:
            found = "0"
        spot = self.line(place.anchor, place.called) if not found and names.NAME.fullmatch(place.name) else None
        if spot and spot.source.made(place.name, spot.node, place.made):
            found = place.name
        if not found:
            raise Refused(NO_NAMES)
        return found

    def known(self, text: str, one: Statement, other: Statement) -> None:
        """Refuses a name that stands for something else at another line."""
        if text == "0":
            return
        is_after = ("." in text or "->" in text) and one.own_stream(True) is None  # a function that the line calls keeps it
        if one.source is not other.source or not one.source.is_same(text, one.node, other.node, is_after=is_after):
            raise Refused(UNKNOWN)

    # ---- events ----

    def new_event(self, first: Place, then: Place) -> str:
        """ "done", "done2", …, what neither file has already."""
        paths = {first.anchor.file, then.anchor.file}
        while True:
            name = stem(first.anchor.file, then.anchor.file) + "done" + (str(self.events) if self.events > 1 else "")
            self.events += 1
            if not any(source.file.has_word(name) for path in paths for source in [self.source(path)] if source):
                return name

    def on_its_device(self, place: Place, first: Statement, stream: str) -> Statement:
        """The statement after which a new event is one of the stream's device, where there are several: the launch of a kernel, for
        which it has to be the current one, or the call in its block that made the stream."""
        if self.devices <= 1 or any(cpp.called(c) == "<<<" for c in cpp.own_calls(first.node)):
            return first
        found = self.line(place.made[0], "") if place.made else None
        if not found or not found.is_plain or not found.is_beside(first) or found.source.has_errors(found.node) or \
                not any(re.match(r"cu(da)?StreamCreate", cpp.called(c)) and cpp.text_of(cpp.arguments(c)[0]) == "&" + stream
                        for c in cpp.own_calls(found.node) if cpp.arguments(c)):
            self.one_device()
        return found or first

    def write_event(self, edit: Edit) -> None:
        assert edit.first and edit.then
        call = calls.LANGUAGES[edit.language]
        first_stream = self.stream(edit.first, True)
        then_stream = self.stream(edit.then) if edit.kind != "host_event" else ""
        first, then = self.spot_after(edit.first), self.spot_before(edit.then)
        event = self.new_event(edit.first, edit.then)
        kind = "CUevent" if edit.language == "driver" else "cudaEvent_t"
        make = calls.fill(call.event, event=event) + ";"
        record = calls.fill(call.record, first_stream, event)
        wait = calls.fill(call.event_sync if edit.kind == "host_event" else call.wait, then_stream, event)
        if first.is_beside(then) and not first.source.has_errors(first.node):
            destroy = f"cuEventDestroy({event});" if edit.language == "driver" else f"cudaEventDestroy({event});"
            self.on_its_device(edit.first, first, first_stream).after(f"{kind} {event};", make)
            first.after(record)
            then.before(wait, destroy)
            return
        self.one_device()
        check_threads(edit)
        shown = self.place_event(edit, first, then, kind, event)
        first.after(f"if (!{shown}) " + calls.fill(call.event, event=shown) + ";",
                    calls.fill(call.record, first_stream, shown))
        then.before(f"if ({shown}) " + re.sub(rf"\b{event}\b", lambda _: shown, wait))

    def place_event(self, edit: Edit, first: Statement, then: Statement, kind: str, event: str) -> str:
        """An event that lives as long as the program; how it is called at both lines."""
        one, other = first.source, then.source
        if one is not other:
            assert edit.first and edit.then
            if edit.first.module != edit.then.module:
                raise Refused("its two lines are in different files, which are not linked together")
            if not (edit.first.own and edit.then.own):
                raise Refused("its two lines are in different files, of which one is not the program's own")
            if one.is_header and other.sees(one, then.node.start_byte):
                return self.inline_event(one, first.node.start_byte, kind, event)
            if other.is_header and one.sees(other, first.node.start_byte):
                return self.inline_event(other, then.node.start_byte, kind, event)
            if one.is_header or other.is_header:
                raise Refused("its two lines are in different files, a header among them that the other does not include")
            homes = one.home(first.node.start_byte), other.home(then.node.start_byte)
            one.file.insert_line(homes[0], b"", f"{kind} {event};{LATE}")
            other.file.insert_line(homes[1], b"", f"extern {kind} {event};")
            return event
        at = min(first.node.start_byte, then.node.start_byte)
        if one.is_header:
            return self.inline_event(one, at, kind, event)
        one.file.insert_line(one.home(at), b"", f"static {kind} {event};{LATE}")
        return event

    def inline_event(self, header: Source, before: int, kind: str, event: str) -> str:
        """The variable of an inline function, which is one object for all that include it; C has none."""
        if not header.is_cpp:
            raise Refused("the event would be one of a header that may be read as C, which cannot define it there")
        header.file.insert_line(header.home(before), b"",
                                f"inline {kind} &{event}() {{ static {kind} event; return event; }}")
        return event + "()"

    def kept_node(self, place: Statement) -> Optional[tuple[str, str]]:
        """A new variable for a node that nobody keeps, and the graph."""
        found = place.dropped_node()
        if found and place.node.id not in self.nodes:
            words = ("node" + (str(i) if i > 1 else "") for i in itertools.count(1))
            name = next(w for w in words if not place.source.file.has_word(w) and w not in (n for _, n in self.nodes.values()))
            self.nodes[place.node.id] = found[0], name
        return (self.nodes[place.node.id][1], found[1]) if found else None

    def keep(self, place: Statement) -> None:
        """Gives the variable to the statement, once."""
        kind, name = self.nodes.get(place.node.id, ("", ""))
        if name and place.node.id not in self.kept:
            self.kept.add(place.node.id)
            place.before(f"{kind} {name};")
            place.source.file.replace(place.node.start_byte, place.node.start_byte, f"{name} = ".encode())

    def write_edge(self, edit: Edit) -> None:
        """A dependency of nodes that calls make; of captured ones an event."""
        first, then = self.spot(edit.first), self.spot(edit.then)
        one, other = (s.node_and_graph() or self.kept_node(s) for s in (first, then))
        if not one or not other or one[1] != other[1]:
            if any(s.has_graph_call for s in (first, then)):
                raise Refused("the source does not show its nodes as variables of one graph")
            self.write_event(edit)
            return
        first.check_after()
        then.check_after()
        if not first.is_earlier(then) or not then.has_lines:
            raise Refused(UNKNOWN)
        call = "cuGraphAddDependencies" if edit.language == "driver" else "cudaGraphAddDependencies"
        version = "CUDA_VERSION" if edit.language == "driver" else "CUDART_VERSION"
        code = f"{call}({one[1]}, &{one[0]}, &{other[0]}, "
        lines = first.under(then, f"#if {version} >= 13000", code + "NULL, 1);", "#else", code + "1);", "#endif")
        for place in (first, then):
            self.keep(place)
        then.after(*lines)

    # ---- arrays of streams ----

    def array(self, stream: str, then: Statement, edit: Edit, first: Statement) -> tuple[str, str]:
        """Splits `streams[i]`; the array's size, as it is declared for both lines."""
        reason = "its streams are in no array that both lines know"
        match = re.fullmatch(r"([A-Za-z_]\w*)\[.*\]", stream)
        if not match or first.source is not then.source or first.node.end_byte > then.node.start_byte:
            raise Refused(reason)
        name, source = match[1], first.source
        try:
            here, there = source.declaration(name, first.node), source.declaration(name, then.node)
        except Hidden:
            raise Refused(reason) from None
        if not here or here != there or cpp.function_of(first.node) != cpp.function_of(then.node):
            raise Refused(reason)
        size = next((n.child_by_field_name("size") for n in cpp.inside(here.declarator) if n.type == "array_declarator"), None)
        if not size:
            raise Refused(reason)
        bound = cpp.text_of(size)
        is_counted = re.search(rb"for \([^;]*;[^;]*<\s*" + re.escape(bound.encode()) + rb"\s*;", source.file.data)
        if bound != str(edit.streams) and not is_counted:
            raise Refused("not all streams of their array are used")
        if b"StreamDestroy" in source.file.data[first.node.start_byte:then.node.start_byte]:
            raise Refused("some of its streams may be destroyed at its line")
        return name, bound

    def before_loop(self, first: Statement, then: Statement, stream: str) -> Statement:
        """The loop around the second line, if all that it needs happens before: once is enough there."""
        for at in cpp.around(then.node):
            if at.type in cpp.FUNCTIONS or at.start_byte <= first.node.start_byte:
                break
            if at.type in cpp.LOOPS and cpp.is_statement(at) and then.source.is_same(stream, at, then.node):
                then = Statement(then.source, at)
        return then

    def write_each(self, edit: Edit) -> None:
        """A loop over the array: an event in one stream after the other, or a wait for each."""
        first, then = self.spot(edit.first), self.spot_before(edit.then)
        call = calls.LANGUAGES[edit.language]
        is_driver, is_event = edit.language == "driver", edit.kind == "event_each"
        name, bound = self.array(self.stream(edit.first, True), then, edit, first)
        each = f"{name}[each]"
        wait = self.stream(edit.then) if is_event else "0"
        then = self.before_loop(first, then, wait)
        if then.source.has_word("each", then.node):
            raise Refused("it is not a line of its own")
        loop = f"for (int each = 0; each < {bound}; each++)"
        indent = "    " if then.source.file.indent(then.node.start_point.row).startswith(b" ") else "\t"
        if not is_event:
            then.before(loop, indent + calls.fill(call.stream_sync, each))
            return
        assert edit.first and edit.then
        self.one_device()
        event = self.new_event(edit.first, edit.then)
        then.before(f"{'CUevent' if is_driver else 'cudaEvent_t'} {event};", calls.fill(call.event, event=event) + ";",
                    loop + " {", indent + calls.fill(call.record, each, event),
                    indent + calls.fill(call.wait, wait, event), "}",
                    f"{'cu' if is_driver else 'cuda'}EventDestroy({event});")

    # ---- one line ----

    def write_wait(self, edit: Edit) -> None:
        """A wait for what is recorded already."""
        first, then = self.spot(edit.first), self.spot_before(edit.then)
        call, event = calls.LANGUAGES[edit.language], self.event(first)
        self.known(event, first, then)
        then.before(calls.fill(call.event_sync, event=event) if edit.kind == "host_wait" else
                    calls.fill(call.wait, self.stream(edit.then), event))

    def write_sync(self, edit: Edit) -> None:
        if not edit.then:
            self.write_at_end(edit)
            return
        then, stream = self.spot_before(edit.then), self.stream(edit.first, True)
        place = edit.first
        assert place
        try:
            self.known(stream, self.spot(place), then)
        except Refused:  # there it may be visible as the variable that it was made for
            if not names.NAME.fullmatch(place.name) or not then.source.made(place.name, then.node, place.made):
                raise
            stream = place.name
        then.before(calls.fill(calls.LANGUAGES[edit.language].stream_sync, stream))

    def write_device(self, edit: Edit) -> None:
        self.one_device()
        self.spot_before(edit.then).before(calls.LANGUAGES[edit.language].device_sync)

    def write_after(self, edit: Edit) -> None:
        self.spot_after(edit.first).after(calls.fill(calls.LANGUAGES[edit.language].stream_sync, self.stream(edit.first, True)))

    def write_record(self, edit: Edit) -> None:
        """The record of an event for which somebody waits; `move_record`: that stands elsewhere now."""
        first, then = self.spot_after(edit.first), self.spot(edit.then)
        event = self.event(then)
        self.known(event, first, then)
        first.after(calls.fill(calls.LANGUAGES[edit.language].record, self.stream(edit.first, True), event))
        if edit.kind == "move_record":
            then.check_after()
            then.remove()

    def write_move_call(self, edit: Edit) -> None:
        """The statement goes after another one of its block, with the conditions of the preprocessor that it is under."""
        first, then = self.spot_after(edit.first), self.spot(edit.then)
        given = then.end()
        if given is None:
            raise Refused("it is more than a call that ends something, or its answer is used")
        if not then.is_earlier(first) or any(c not in then.conditions() for c in first.conditions()):
            raise Refused("the last use is in another block, or comes before it in the text")
        if then.may_leave_before(first):
            raise Refused("the function may be left before its new line")
        for node in given:
            if not then.source.is_same(cpp.text_of(node), then.node, first.node):
                raise Refused(UNKNOWN)
        wait = [calls.fill(calls.LANGUAGES[edit.language].stream_sync, self.stream(edit.first, True))] if edit.kind != "move_call" else []
        lines = then.under(first, *wait, cpp.text_of(then.node))
        then.remove()
        first.after(*lines)

    def write_stream(self, edit: Edit) -> None:
        """The statement with another stream as its argument."""
        then, stream = self.spot_after(edit.then), self.stream(edit.first, True)
        first = self.spot(edit.first)
        if cpp.function_of(first.node) != cpp.function_of(then.node):
            raise Refused("its stream may not be known at its line, or be another one there")
        self.known(stream, first, then)
        found = then.cuda_call(calls.STREAMS)
        if not found:
            raise Refused("the source does not show its stream as an argument")
        call, index = found
        given = cpp.arguments(call)
        if index < len(given):
            then.source.file.replace(given[index].start_byte, given[index].end_byte, stream.encode())
        elif index == len(given) or (index == 3 and len(given) == 2 and cpp.called(call) == "<<<"):
            zero = b", 0" if index > len(given) else b""
            then.source.file.replace(given[-1].end_byte, given[-1].end_byte, zero + b", " + stream.encode())
        else:
            raise Refused("the source does not show its stream as an argument")

    def write_kernel_wait(self, edit: Edit) -> None:
        """A wait before all else that a kernel does. It is the only one of its name in the files of the launch, or it is not found."""
        name, files = calls.plain(edit.kernel), {f.file for f in edit.then.frames} if edit.then else set()
        found = [(source, node) for file in sorted(files) for source in [self.source(file)] if source for node in source.kernels(name)]
        if len(found) != 1:
            raise Refused(f"{'several kernels have' if found else 'no kernel has'} its name in the files of its launch")
        source, body = found[0][0], found[0][1].child_by_field_name("body")
        if not body or body.has_error:
            raise Refused("its line is in a macro, or cannot be parsed")
        if body.id not in self.waiting:
            source.at_begin(body, "#if __CUDA_ARCH__ >= 900", "cudaGridDependencySynchronize();", "#endif")
        self.waiting.add(body.id)

    # ---- the end of a function ----

    def variable(self, spot: Statement) -> Optional[cpp.Declaration]:
        """Of the variables of the function that a statement uses, the one whose life ends first."""
        found = []
        for node in cpp.inside(spot.node):
            if node.type != "identifier":
                continue
            is_address = bool(node.parent and node.parent.type == "pointer_expression" and
                              cpp.text_of(node.parent).startswith("&"))
            try:
                known = spot.source.declaration(cpp.text_of(node), spot.node)
            except Hidden:
                continue
            if known and known.kind == "local" and known.node.type == "declaration" and \
                    not re.match(r"(static|extern|thread_local)\b", cpp.text_of(known.node)) and \
                    (is_address or any(n.type == "array_declarator" for n in cpp.inside(known.declarator))):
                found.append(known)
        return max(found, key=lambda d: d.node.start_byte, default=None)

    def ends(self, spot: Statement, block: Node) -> Optional[list[Node]]:
        """The returns after a statement in the block of a variable; None: it may be left in other ways."""
        function = cpp.function_of(spot.node)
        is_whole = function is not None and function.child_by_field_name("body") == block
        found = []
        for node in cpp.inside(block, spot.node.end_byte, block.end_byte):
            if node.start_byte < spot.node.end_byte or cpp.function_of(node) != function:
                continue
            if node.type in ("goto_statement", "throw_statement", "co_return_statement", "gnu_asm_expression") or \
                    (node.type == "call_expression" and cpp.called(node) in ("longjmp", "throw")):
                return None
            if node.type in ("break_statement", "continue_statement") and not is_whole and \
                    not any(at.type in (*cpp.LOOPS, "switch_statement") and at.start_byte > block.start_byte
                            for at in cpp.around(node)):
                return None
            if node.type == "return_statement":
                found.append(node)
        return found

    def before_ends(self, spot: Statement, block: Optional[Node], stream: str, code: str) -> bool:
        """Puts a line before each end of a block after a statement in it; false if that is not plain."""
        source = spot.source
        found = self.ends(spot, block) if block and not source.has_errors(block) else None
        if not block or found is None or spot.whole_block != block:
            return False
        last = block
        while last == block or last.type in cpp.CONDITIONS:
            last = [c for c in last.named_children if c.type != "comment"][-1]
        if not all(source.is_same(stream, spot.node, n, is_strict=True) for n in [*found, last]):
            return False
        for node in found:
            Statement(source, node).before(code)
        if last.type != "return_statement":
            source.before_end(block, spot.node.start_point.row, code)
        return True

    def write_frame(self, edit: Edit) -> None:
        """Before each end of the variable; where these are not known, right after the operation."""
        first, stream = self.spot_after(edit.first), self.stream(edit.first, True)
        code = calls.fill(calls.LANGUAGES[edit.language].stream_sync, stream)
        variable = self.variable(first)
        if not self.before_ends(first, Statement(first.source, variable.node).whole_block if variable else None, stream, code):
            first.after(code)

    def write_at_end(self, edit: Edit) -> None:
        """A wait before the program ends, if its operation is in main."""
        first, stream = self.spot_after(edit.first), self.stream(edit.first, True)
        function = cpp.function_of(first.node)
        name = cpp.declared(function.child_by_field_name("declarator")) if function else None
        code = calls.fill(calls.LANGUAGES[edit.language].stream_sync, stream)
        if not function or not name or cpp.text_of(name) != "main" or \
                not self.before_ends(first, function.child_by_field_name("body"), stream, code):
            raise Refused("its line is not known")

    def write(self, edit: Edit) -> None:
        """Plans an edit; raises Refused."""
        if edit.language not in ("runtime", "driver"):
            raise Refused("its lines are in two languages")
        has_first = edit.first or edit.kind == "sync_device"
        has_then = edit.then or edit.kind in ("frame", "sync_after", "sync_stream")
        if not has_first or not has_then:
            raise Refused("its line is not known")
        WRITERS.get(edit.kind, Writer.write_nothing)(self, edit)

    def write_nothing(self, edit: Edit) -> None:
        raise Refused("it is not a line of its own")

    def finish(self) -> None:
        for source in self.sources.values():
            source.write()


WRITERS: dict[str, Callable[[Writer, Edit], None]] = {
    "event": Writer.write_event, "host_event": Writer.write_event, "edge": Writer.write_edge, "wait": Writer.write_wait,
    "host_wait": Writer.write_wait, "sync_stream": Writer.write_sync, "sync_device": Writer.write_device,
    "sync_after": Writer.write_after, "record": Writer.write_record, "move_record": Writer.write_record,
    "stream": Writer.write_stream, "free_stream": Writer.write_stream, "frame": Writer.write_frame,
    "event_each": Writer.write_each, "sync_each": Writer.write_each, "kernel_wait": Writer.write_kernel_wait,
    "move_call": Writer.write_move_call, "wait_and_move_call": Writer.write_move_call,
}
