"""Python: an edit as whole statements at the indentation of the line that they belong to."""
import os
import re
from typing import Callable, Optional

import calls
import names
import python_tree as tree
from cpp_edits import check_threads
from names import Hidden, Refused
from plan import Edit, Place
from python_tree import Source, Statement
from reading import NO_NAMES, Reading

UNKNOWN = "what it names may not be known at its line"
OTHER = "its stream may not be known at its line, or be another one there"


class Writer(Reading[Source]):
    """Writes edits into the sources. An edit is refused before it has changed anything."""

    kind, endings = Source, (".py",)

    # ---- reading ----

    def spot(self, place: Optional[Place]) -> Statement:
        if not place or not place.anchor.line:
            raise Refused("its line is not known")
        if not place.anchor.file.endswith(".py"):
            raise Refused("its lines are in two languages")
        if not self.source(place.anchor.file):
            raise Refused("its source may not be read here")
        found = self.line(place.anchor, place.called)
        if not found:
            raise Refused("its line is no statement")
        if any(n.type == "ERROR" for n in (*tree.around(found.node), *tree.inside(found.node))):
            raise Refused("its line cannot be parsed")
        return found

    def spot_before(self, place: Optional[Place]) -> Statement:
        found = self.spot(place)
        if not found.takes_before:
            raise Refused("nothing can be written before its statement alone")
        return found

    def spot_after(self, place: Optional[Place]) -> Statement:
        found = self.spot(place)
        if not found.takes_after:
            raise Refused("nothing can be written after its statement alone")
        return found

    def packaged(self, edit: Edit, code: str, spot: Statement) -> str:
        """Code with the package under the name by which the file imports it."""
        language = calls.LANGUAGES[edit.language]
        found = spot.source.module(language.package)
        if language.prefix and re.search(rf"\b{language.prefix}\.", code):
            if not found:
                raise Refused(NO_NAMES)
            code = re.sub(rf"(^|(?<=[ (])){language.prefix}\.", found + ".", code)
        return code

    def stream(self, edit: Edit, place: Optional[Place]) -> str:
        spot = self.spot(place)
        assert place
        language, is_hidden = calls.LANGUAGES[edit.language], False
        try:
            found = names.stream_name(self, place, False)
        except Hidden:
            found, is_hidden = None, True
        if not found and not is_hidden and place.waits:
            found = spot.event()
            is_hidden = not found
        if not found and place.default:
            found = self.packaged(edit, language.default, spot)
        if not found and not is_hidden and language.current and not place.library:
            found = self.packaged(edit, language.current, spot)
        if not found:
            raise Refused(NO_NAMES)
        return found

    def known(self, name: str, first: Statement, then: Statement) -> None:
        """In one function; but which stream is the current one depends on the line."""
        is_one = first.source is then.source and tree.function_of(first.node) == tree.function_of(then.node)
        if not is_one or "current_stream(" in name:
            raise Refused(UNKNOWN)

    # ---- events ----

    def new_event(self, *spots: Statement) -> str:
        self.one_device()
        while True:
            name = "done" + (str(self.events) if self.events > 1 else "")
            self.events += 1
            if not any(spot.file.has_word(name) for spot in spots):
                return name

    def declare(self, edit: Edit, home: Statement, before: int, event: str) -> None:
        """An event of the module, made when the file is imported: before it is recorded, a wait for it waits for nothing."""
        last = home.source.last_import(before)
        if not last:
            raise Refused("its two lines are not in one block, and the event has no place in the file")
        if edit.language == "cuda_driver":
            raise Refused("its event is needed before both lines, and can be made only where a context is current")
        home.file.insert_line(home.file.row(last.end_byte) + 1, b"", self.make(edit, home, event))

    def make(self, edit: Edit, spot: Statement, event: str) -> str:
        code = calls.fill(self.packaged(edit, calls.LANGUAGES[edit.language].event, spot), event=event)
        return code if re.search(rf"\b{event} =", code) else f"{event} = {code}"

    @staticmethod
    def module_name(user: Statement, home: Statement) -> Optional[str]:
        """How a file calls the other one, in the same folder, that it imports as a module. One that may be the script itself is
        none: it would be imported a second time."""
        folder, name = os.path.split(home.file.path)
        if os.path.dirname(user.file.path) != folder or b"__main__" in home.file.data:
            return None
        return user.source.module(name.split(".")[0])

    def write_apart(self, edit: Edit, first: Statement, then: Statement, event: str) -> tuple[str, str]:
        """The one file makes the event, and the other one, which imports it, names it as its module's."""
        package = calls.LANGUAGES[edit.language].package
        of_then, of_first = self.module_name(then, first), self.module_name(first, then)
        if not of_then and not of_first:
            raise Refused("its two lines are in different files, of which none imports the other as a module beside it")
        if first.source.module(package) != then.source.module(package):
            raise Refused("its two lines are in different files, which call its package by different names")
        home = first if of_then else then
        self.declare(edit, home, home.node.start_byte, event)
        return (event, f"{of_then}.{event}") if of_then else (f"{of_first}.{event}", event)

    def write_event(self, edit: Edit) -> None:
        """Where both lines are in one function and the record always comes first, the event is made there; else it is one of the
        module."""
        first, then = self.spot_after(edit.first), self.spot_before(edit.then)
        language, streams = calls.LANGUAGES[edit.language], (self.stream(edit, edit.first), "")
        if edit.kind != "host_event":
            streams = streams[0], self.stream(edit, edit.then)
        wait = self.packaged(edit, language.event_sync if edit.kind == "host_event" else language.wait, then)
        record = self.packaged(edit, language.record, first)
        event = self.new_event(first, then)
        shown = event, event
        if first.leads(then):
            first.after(self.make(edit, first, event))
        else:
            check_threads(edit)
            if first.source is not then.source:
                shown = self.write_apart(edit, first, then, event)
            else:
                self.declare(edit, then, min(first.node.start_byte, then.node.start_byte), event)
        first.after(calls.fill(record, streams[0], shown[0]))
        then.before(calls.fill(wait, streams[1], shown[1]))

    # ---- one line ----

    def write_wait(self, edit: Edit) -> None:
        first, then, language = self.spot(edit.first), self.spot_before(edit.then), calls.LANGUAGES[edit.language]
        event = self.event(first)
        self.known(event, first, then)
        code = self.packaged(edit, language.event_sync if edit.kind == "host_wait" else language.wait, then)
        then.before(calls.fill(code, "" if edit.kind == "host_wait" else self.stream(edit, edit.then), event))

    def write_sync(self, edit: Edit) -> None:
        then, stream = self.spot_before(edit.then), self.stream(edit, edit.first)
        if "default_stream()" not in stream:
            self.known(stream, self.spot(edit.first), then)
        then.before(calls.fill(self.packaged(edit, calls.LANGUAGES[edit.language].stream_sync, then), stream))

    def write_device(self, edit: Edit) -> None:
        self.one_device()
        then = self.spot_before(edit.then)
        then.before(self.packaged(edit, calls.LANGUAGES[edit.language].device_sync, then))

    def write_after(self, edit: Edit) -> None:
        first, stream = self.spot_after(edit.first), self.stream(edit, edit.first)
        first.after(calls.fill(self.packaged(edit, calls.LANGUAGES[edit.language].stream_sync, first), stream))

    def write_record(self, edit: Edit) -> None:
        first, then = self.spot_after(edit.first), self.spot(edit.then)
        event = self.event(then)
        self.known(event, first, then)
        if edit.kind == "move_record" and not then.takes_after:
            raise Refused("its line is a part of a larger statement")
        record = self.packaged(edit, calls.LANGUAGES[edit.language].record, first)
        first.after(calls.fill(record, self.stream(edit, edit.first), event))
        if edit.kind == "move_record":
            then.remove()

    def write_stream(self, edit: Edit) -> None:
        """The argument, where there is one; else a `with` around the line."""
        first, then = self.spot(edit.first), self.spot_after(edit.then)
        stream, language = self.stream(edit, edit.first), calls.LANGUAGES[edit.language]
        if "current_stream(" in stream or not first.leads(then) or \
                then.source.is_set(stream, first.node.end_byte, then.node.start_byte):
            raise Refused(OTHER)
        argument = then.stream_argument()
        if argument:
            then.file.replace(argument.start_byte, argument.end_byte, stream.encode())
        elif language.within and then.is_alone and then.node.start_point.row == then.node.end_point.row:
            then.wrap(calls.fill(self.packaged(edit, language.within, then), stream))
        else:
            raise Refused("it is not a line of its own")

    def write(self, edit: Edit) -> None:
        """Plans an edit; raises Refused."""
        if edit.language not in calls.LANGUAGES or not calls.LANGUAGES[edit.language].package:
            raise Refused("nothing is known of how its package writes it")
        WRITERS.get(edit.kind, Writer.write_nothing)(self, edit)

    def write_nothing(self, edit: Edit) -> None:
        raise Refused("it is not a line of its own")


WRITERS: dict[str, Callable[[Writer, Edit], None]] = {
    "event": Writer.write_event, "host_event": Writer.write_event, "edge": Writer.write_event, "wait": Writer.write_wait,
    "host_wait": Writer.write_wait, "sync_stream": Writer.write_sync, "sync_device": Writer.write_device,
    "sync_after": Writer.write_after, "record": Writer.write_record, "move_record": Writer.write_record,
    "stream": Writer.write_stream,
}
