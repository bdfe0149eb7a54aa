"""A report as objects: what docs/user/reports.md describes. Each object has all that was read as `raw`, too."""
from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Sequence

Raw = Mapping[str, Any]
# What a level of --fail-on fails: the least severity and confidence (cmds/judge/gate.c).
SEVERITIES = ("advice", "warning", "error")
CONFIDENCES = ("possible", "likely", "proven")
LEVELS = {"error": ("error", "proven"), "warning": ("warning", "proven"), "likely": ("warning", "likely"),
          "possible": ("warning", "possible"), "advice": ("advice", "possible")}
FAILS, INCOMPLETE = 66, 3


@dataclasses.dataclass(frozen=True)
class Frame:
    """A place in a call stack."""
    function: str
    file: Optional[str]
    line: int
    module: str
    is_inlined: bool
    is_internal: bool

    @classmethod
    def of(cls, raw: Raw) -> Frame:
        return cls(raw["function"], raw["file"], raw["line"], raw["module"], raw["inlined"], raw["internal"])


@dataclasses.dataclass(frozen=True)
class Access:
    """An operation of a finding, and what it touches."""
    operation: Optional[str]
    mode: str
    sequence: int
    thread: int
    stream: Optional[str]
    stream_id: int
    address: int
    bytes: int
    is_exact: bool
    kernel: Optional[str]
    range: Optional[str]
    frames: tuple[Frame, ...]
    raw: Raw = dataclasses.field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Access:
        return cls(raw["op"], raw["mode"], raw["sequence"], raw["thread"], raw["stream"], raw["stream_id"],
                   int(raw["address"], 16), raw["bytes"], raw["exact"], raw.get("kernel"), raw.get("range"),
                   tuple(map(Frame.of, raw["frames"])), raw)

    @property
    def place(self) -> Optional[Frame]:
        """The innermost frame of the user's, else the innermost one."""
        return next((f for f in self.frames if not f.is_internal), self.frames[0] if self.frames else None)


@dataclasses.dataclass(frozen=True)
class Allocation:
    """The memory of a finding."""
    text: Optional[str]
    address: int
    bytes: int
    memory: str
    frames: tuple[Frame, ...]

    @classmethod
    def of(cls, raw: Raw) -> Allocation:
        return cls(raw["text"], int(raw["address"], 16), raw["bytes"], raw["memory"],
                   tuple(map(Frame.of, raw["frames"])))


@dataclasses.dataclass(frozen=True)
class Finding:
    """A finding, with its one or two operations in the order in which they were issued."""
    number: int
    rule: str
    slug: str
    severity: str
    confidence: str
    count: int
    summary: str
    fingerprint: str
    causes: tuple[str, ...]
    accesses: tuple[Access, ...]
    allocation: Optional[Allocation]
    order: Optional[str]
    doubt: Optional[str]
    fix: str
    raw: Raw = dataclasses.field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Finding:
        memory = raw["allocation"]
        return cls(raw["number"], raw["rule"], raw["slug"], raw["severity"], raw["confidence"], raw["count"],
                   raw["summary"], raw["fingerprint"], tuple(raw["causes"]), tuple(map(Access.of, raw["accesses"])),
                   Allocation.of(memory) if memory else None, raw["order"], raw["doubt"], raw["fix"], raw)

    def fails(self, fail_on: str = "error") -> bool:
        """True if --fail-on, a list of levels and rules, fails on it."""
        return any(self._fails(word) for word in fail_on.split(","))

    def _fails(self, word: str) -> bool:
        if word == "none":
            return False
        if word in LEVELS:
            severity, confidence = LEVELS[word]
            return SEVERITIES.index(self.severity) >= SEVERITIES.index(severity) and \
                CONFIDENCES.index(self.confidence) >= CONFIDENCES.index(confidence)
        rule = word.upper() if word[:3].upper() == "SC-" else f"SC-{word}"
        return word == self.slug or rule in (self.rule, *self.causes)


@dataclasses.dataclass(frozen=True)
class Note:
    """What the recorder noted."""
    kind: str
    value: int
    text: Optional[str]


@dataclasses.dataclass(frozen=True)
class Process:
    """The report of one process."""
    pid: int
    rank: Optional[int]
    command: str
    is_complete: bool
    suppressed: int
    known: int
    coverage: Mapping[str, Any]
    notes: tuple[Note, ...]
    findings: tuple[Finding, ...]
    raw: Raw = dataclasses.field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Process:
        process = raw["process"]
        return cls(process["id"], process["rank"], process["command"], raw["complete"], raw.get("suppressed", 0),
                   raw.get("known", 0), raw["coverage"],
                   tuple(Note(n["kind"], n["value"], n["text"]) for n in raw["notes"]),
                   tuple(map(Finding.of, raw["findings"])), raw)

    @property
    def used_cuda(self) -> bool:
        """True if an operation was recorded that orders or touches memory."""
        return bool(self.coverage["ops"])


@dataclasses.dataclass(frozen=True)
class Report:
    """The reports of a run's processes. `exit_code` is that of the command, if it was run to get this."""
    version: str
    processes: tuple[Process, ...]
    exit_code: Optional[int] = None

    @classmethod
    def of(cls, raw: Raw, exit_code: Optional[int] = None) -> Report:
        return cls(raw["streamcheck"], tuple(map(Process.of, raw.get("processes", [raw]))), exit_code)

    @property
    def findings(self) -> Sequence[Finding]:
        """Of all processes."""
        return [f for p in self.processes for f in p.findings]

    @property
    def is_complete(self) -> bool:
        """False if something hides findings: nothing was recorded, or something was lost."""
        return all(p.is_complete for p in self.processes)

    def failures(self, fail_on: str = "error") -> Sequence[Finding]:
        """The findings that --fail-on=LEVEL|RULE,... fails on."""
        return [f for f in self.findings if f.fails(fail_on)]

    def gate(self, fail_on: str = "error") -> int:
        """The exit code that --fail-on gives the run: 66, 3 or 0. Budgets are the command's: see `exit_code`."""
        return FAILS if self.failures(fail_on) else 0 if self.is_complete else INCOMPLETE
