"""Names: what the source at a line calls the stream of an operation that was enqueued there, perhaps by a function that the
line calls and passes the stream to."""
import re
from typing import Optional, Protocol

import calls
from plan import Frame, Place

NAME = re.compile(r"[A-Za-z_]\w*")
MEMBER = re.compile(r"[A-Za-z_]\w*((->|\.)[A-Za-z_]\w*)*")


class Refused(Exception):
    """Why an edit is not written."""


class Hidden(Exception):
    """There is a stream that has no name at the line."""


class Line(Protocol):
    """A statement, in either language."""

    def own_stream(self, is_last: bool) -> Optional[str]:
        """The stream that it names; None: it says nothing. Raises Hidden."""

    def parameter(self, name: str, is_after: bool) -> Optional[int]:
        """Which parameter of the function around it has the name, or the member that the name says, with the value of before the
        function was called; `is_after`: with that of after it."""

    def argument(self, function: str, name: str, index: int) -> Optional[str]:
        """What it gives a function that it calls for a parameter, or the member of that."""

    def is_global(self, name: str) -> bool:
        """Whether the name is one of the whole file."""


class Reader(Protocol):
    """The files of one language."""

    def line(self, frame: Frame, called: str) -> Optional[Line]:
        """The statement at a frame, in which a function is called."""


def stream_name(reader: Reader, place: Place, is_after: bool) -> Optional[str]:
    """From the innermost call outwards, from parameter to argument; None: the source says nothing. It stands for the stream before
    the line, or after it. Raises Hidden."""
    found, function, index, home = None, "", 0, None
    for depth, frame in enumerate(place.frames):
        is_last = depth + 1 == len(place.frames)
        line = reader.line(frame, place.frames[depth - 1].function if depth else place.call)
        if not line:
            if found:
                raise Hidden
            continue
        if home:
            if frame.file != home:
                raise Hidden
        elif found:
            found = line.argument(function, found, index)
            if not found:
                raise Hidden
        else:
            found = line.own_stream(is_last)
        if not found or is_last or home:
            continue
        function = calls.plain(frame.function)
        number = line.parameter(found, is_after) if MEMBER.fullmatch(found) and function else None
        if number is not None:
            index = number
        elif line.is_global(found):
            home = frame.file
        else:
            raise Hidden
    return found
