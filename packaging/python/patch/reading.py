"""Reading: the sources of one language as a writer of edits sees them."""
from typing import Any, Generic, Optional, TypeVar

from files import Sources
from names import Refused
from plan import Frame

NO_NAMES = "the source does not show its streams or events as names"
S = TypeVar("S")


class Reading(Generic[S]):
    """Opens each source once. `kind` makes one of a file, whose name has one of the `endings`, if these say anything."""

    kind: Any
    endings: tuple[str, ...] = ("",)

    def __init__(self, sources: Sources, devices: int):
        self.files, self.devices = sources, devices
        self.sources: dict[str, S] = {}
        self.events = 1  # number of the next one
        self.nodes: dict[int, tuple[str, str]] = {}  # types and names of new variables, by the statement
        self.kept: set[int] = set()  # statements that have theirs
        self.waiting: set[int] = set()  # bodies of kernels that wait before all else

    def source(self, path: str) -> Optional[S]:
        if path not in self.sources:
            file = self.files.open(path) if path.endswith(self.endings) else None
            if not file:
                return None
            self.sources[path] = self.kind(file)
        return self.sources[path]

    def line(self, frame: Frame, function: str) -> Any:
        """For names.stream_name."""
        source: Any = self.source(frame.file) if frame.line else None
        return source.line(frame, function) if source else None

    def event(self, spot: Any) -> str:
        found: Optional[str] = spot.event()
        if not found:
            raise Refused(NO_NAMES)
        return found

    def one_device(self) -> None:
        if self.devices > 1:
            raise Refused("the current device matters")

    def finish(self) -> None:
        """What is left to do after the last edit."""
