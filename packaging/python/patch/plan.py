"""Plan: what `streamcheck repair --format=json` says, checked. Nothing of it is written into a source but
names of variables that the source has."""
import dataclasses
import json
from typing import Any, Optional

MOST_EDITS = 10000
MOST_FRAMES = 256
MOST_TEXT = 1 << 16
THREADS = ("one", "ordered", "unordered", "unknown")


class PlanError(ValueError):
    """The file is no plan; why."""


@dataclasses.dataclass(frozen=True)
class Frame:
    """A line of the call stack."""

    function: str
    file: str
    line: int


@dataclasses.dataclass(frozen=True)
class Place:
    """A line of an edit (`anchor`), and the frames from the one that calls CUDA out to it."""

    frames: tuple[Frame, ...]
    module: str
    own: bool
    call: str  # the function of CUDA, "" if that is not known
    waits: bool  # it waits for a stream
    library: bool  # a library of several devices made the call
    default: bool  # the stream is the legacy default stream
    name: str  # the variable that the stream was made for, "" if that is not known
    made: tuple[Frame, ...]  # the lines that lead to where it was made

    @property
    def anchor(self) -> Frame:
        return self.frames[-1]

    @property
    def called(self) -> str:
        """The function that the anchor's line calls."""
        return self.frames[-2].function if len(self.frames) > 1 else self.call


@dataclasses.dataclass(frozen=True)
class Edit:
    """One edit of the plan."""

    kind: str
    language: str
    threads: str
    streams: int
    kernel: str  # that waits; its whole name
    first: Optional[Place]
    then: Optional[Place]


@dataclasses.dataclass(frozen=True)
class Plan:
    """All edits, in their order."""

    devices: int
    edits: tuple[Edit, ...]


def _take(of: Any, key: str, kind: type, default: Any = None) -> Any:
    value = of.get(key, default) if isinstance(of, dict) else None
    if not isinstance(value, kind) or (isinstance(value, int) and kind is int and
                                       (isinstance(value, bool) or not 0 <= value < 1 << 31)):
        raise PlanError(f"{key} is missing, or no {kind.__name__}")
    if isinstance(value, (str, list)) and len(value) > MOST_TEXT:
        raise PlanError(f"{key} is too long")
    return value


def _frame(of: Any) -> Frame:
    return Frame(_take(of, "function", str), _take(of, "file", str), _take(of, "line", int))


def _place(of: Any) -> Optional[Place]:
    if of is None:
        return None
    frames = _take(of, "frames", list)
    if not 0 < len(frames) <= MOST_FRAMES:
        raise PlanError("frames are missing, or too many")
    stream = _take(of, "stream", dict, {})
    return Place(tuple(map(_frame, frames)), _take(of, "module", str), _take(of, "own", bool), _take(of, "call", str, ""),
                 _take(of, "waits", bool), _take(of, "library", bool), _take(stream, "default", bool, False),
                 _take(stream, "name", str, ""), tuple(map(_frame, _take(stream, "made", list, [])[:MOST_FRAMES])))


def _edit(of: Any) -> Edit:
    threads = _take(of, "threads", str)
    if threads not in THREADS:
        raise PlanError(f"threads is none of {', '.join(THREADS)}")
    return Edit(_take(of, "kind", str), _take(of, "language", str), threads, _take(of, "streams", int), _take(of, "kernel", str, ""),
                _place(of.get("first")), _place(of.get("then")))


def read(text: str) -> Plan:
    """The plan in a text of JSON."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlanError(str(error)) from None
    edits = _take(whole, "edits", list)
    if len(edits) > MOST_EDITS:
        raise PlanError("edits are too many")
    return Plan(_take(whole, "devices", int), tuple(map(_edit, edits)))
