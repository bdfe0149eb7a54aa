"""How the MCP server runs commands: paths that stay in the workspace, options that are allowed, bounded time and output."""
import asyncio
import contextlib
import dataclasses
import os
import re
import signal
import sys
from typing import Any, Awaitable, Callable, Optional, Sequence

from ._installed import command_path

MOST_WORDS, MOST_WORD = 256, 4096  # of a command: arguments, and the characters of one
MOST_OUTPUT = 16 << 20  # bytes of an answer that is read as a whole
TAIL = 3000  # bytes that are kept of what a program prints
GRACE_S, CLOSING_S = 20, 2  # for the report of a run that is ended; for pipes that a child left open
Progress = Callable[[float, float], Awaitable[None]]

# Options that an agent may give; others write files, load libraries, ask servers, or are the server's own.
VALUES = ("hosts", "profile", "advice", "guard", "stack-depth", "footprints", "allocators", "python", "images", "sim-memory",
          "max-trace", "device-times", "confirm", "source", "fail-on", "require-cuda", "budget", "kernel-name",
          "exclude-kernel", "stream-name", "processes", "comments", "fail-on-expired", "own", "sources")
FILES = ("baseline", "suppressions", "footprints-file", "record-kernels", "source-root", "debug-root")  # in the workspace
READING = ("hosts", "profile", "advice", "footprints", "footprints-file", "sources", "source-root", "debug-root")

MEANINGS = {0: "no finding that fails", 1: "there is no such thing, or it cannot be done", 2: "wrong usage, or something cannot be read",
            3: "nothing was recorded, or something was lost", 66: "a proven error was found", 126: "the program cannot be started",
            127: "there is no such program"}


class Refused(ValueError):
    """Why a call is not done."""


def meaning(code: Optional[int]) -> str:
    """What an exit code of the command says; that of a program that is not 0 comes first in `run`."""
    if code is None:
        return "ended by the server"
    if code < 0:
        return f"ended by signal {-code}"
    return f"exit code {code}: {MEANINGS.get(code, 'of the program, or unknown')}"


def checked_words(words: Sequence[str]) -> list[str]:
    """A command as it may be given: never of a shell, so that nothing in it has a meaning of its own."""
    if not words or len(words) > MOST_WORDS or not words[0]:
        raise Refused(f"a command is a list of 1 to {MOST_WORDS} words, the first of which is the program")
    if any(len(word) > MOST_WORD or "\0" in word for word in words):
        raise Refused(f"a word of a command has at most {MOST_WORD} characters, none of them 0")
    return list(words)


class Workspace:
    """The folder below which all paths are."""

    def __init__(self, root: str):
        self.root = os.path.realpath(root)
        if self.root == "/" or not os.path.isdir(self.root):
            raise Refused(f"the workspace has to be a folder, and not /: {root}")

    def inside(self, path: str) -> str:
        """The real path, links followed. Raises Refused if it is not in the workspace, or not there."""
        if not path or len(path) > MOST_WORD or "\0" in path:
            raise Refused("no path")
        real = os.path.realpath(os.path.join(self.root, path))
        if real != self.root and not real.startswith(self.root + "/"):
            raise Refused(f"{path!r} is not in the workspace {self.root}")
        if not os.path.exists(real):
            raise Refused(f"{path!r} is not there")
        return real

    def program(self, words: Sequence[str]) -> list[str]:
        """A command whose program is in the workspace, or a name that PATH finds; a script gets this interpreter."""
        first, *rest = checked_words(words)
        if first.endswith((".py", ".pyz")) and not first.startswith("-"):
            return [sys.executable, "./" + os.path.relpath(self.inside(first), self.root), *rest]
        if "/" in first:
            self.inside(first)
            # By its name, not by what a link refers to: programs may look at their name. Relative, so that a copy runs its own.
            first = os.path.relpath(os.path.join(self.root, first), self.root)
            if first.startswith("../"):
                raise Refused(f"{words[0]!r} is not in the workspace {self.root}")
            first = "./" + first
        elif first.startswith("-"):
            raise Refused(f"{first!r} is no program")
        return [first, *rest]

    def options(self, given: Sequence[str]) -> list[str]:
        """Options such as "hosts=strict", as words of a command line."""
        words = []
        if len(given) > 32:
            raise Refused("at most 32 options")
        for option in given:
            name, is_set, value = option.removeprefix("--").partition("=")
            if not is_set or name not in VALUES + FILES or len(value) > MOST_WORD or re.search(r"[\0\r\n]", value):
                raise Refused(f"option {option[:80]!r} is not allowed; NAME=VALUE, with a NAME of: {', '.join(VALUES + FILES)}")
            words.append(f"--{name}={self.inside(value) if name in FILES else value}")
        return words


def of_reading(options: Sequence[str]) -> list[str]:
    """Those which questions about a trace take as well: findings keep their numbers by them."""
    return [o for o in options if o[2:].partition("=")[0] in READING]


@dataclasses.dataclass
class Ended:
    """How a command ended: its exit code, None if its time was up; what it printed, standard output whole if asked for."""
    code: Optional[int] = None
    out: bytearray = dataclasses.field(default_factory=bytearray)
    err: bytearray = dataclasses.field(default_factory=bytearray)
    is_cut: bool = False


async def _read(stream: asyncio.StreamReader, most: int, end: Ended, kept: bytearray) -> None:
    """Keeps the last bytes: whoever asks for the whole looks at is_cut."""
    while data := await stream.read(1 << 16):
        kept += data
        end.is_cut |= kept is end.out and len(kept) > most
        del kept[:-most]


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


async def _wait(process: asyncio.subprocess.Process, seconds: float, progress: Progress) -> Optional[int]:
    for passed in range(int(seconds)):
        with contextlib.suppress(asyncio.TimeoutError):
            return await asyncio.wait_for(asyncio.shield(process.wait()), 1)
        await progress(passed + 1, seconds)
    _signal(process, signal.SIGTERM)  # `run` reports what there was until then
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.shield(process.wait()), GRACE_S)
    return None


async def execute(words: Sequence[str], folder: str, seconds: float, progress: Progress, is_whole: bool = False) -> Ended:
    """Runs a command, in a process group of its own, of which nothing is left afterwards. Raises Refused if it cannot be started."""
    env = {k: v for k, v in os.environ.items() if k not in ("STREAMCHECK_OPTIONS", "LD_PRELOAD")}
    env["STREAMCHECK_PYTHON"] = sys.executable
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*words, cwd=folder, env=env, stdin=asyncio.subprocess.DEVNULL, stdout=pipe,
                                                       stderr=pipe, start_new_session=True)
    except (OSError, ValueError) as error:
        raise Refused(f"{words[0]} cannot be started: {error}") from None
    assert process.stdout and process.stderr
    end = Ended()
    readers = [asyncio.create_task(_read(process.stdout, MOST_OUTPUT if is_whole else TAIL, end, end.out)),
               asyncio.create_task(_read(process.stderr, TAIL, end, end.err))]
    try:
        end.code = await _wait(process, seconds, progress)
        await asyncio.wait(readers, timeout=CLOSING_S)
    finally:
        _signal(process, signal.SIGKILL)
        for reader in readers:
            reader.cancel()
    return end


def text(data: bytearray) -> str:
    """What was printed, for an answer."""
    return data.decode(errors="replace").strip()


class Command:
    """`streamcheck` in a workspace, one command at a time."""

    def __init__(self, workspace: Workspace):
        self.workspace, self.lock = workspace, asyncio.Lock()

    async def run(self, words: Sequence[str], seconds: float, progress: Progress, is_whole: bool = False) -> Ended:
        """A command of streamcheck, or, as a list that begins with a path, another one."""
        words = list(words) if words[0].startswith("/") else [command_path(), *words]
        async with self.lock:
            return await execute(words, self.workspace.root, seconds, progress, is_whole)

    async def ask(self, words: Sequence[str], progress: Progress, codes: Sequence[int] = (0,)) -> str:
        """The whole standard output. Raises Refused, with the meaning of the exit code, if it is none of these."""
        end = await self.run(words, 120, progress, is_whole=True)
        if end.code not in codes or end.is_cut:
            what = "more output than is read" if end.is_cut else meaning(end.code)
            raise Refused(f"streamcheck {words[0]}: {what}\n{text(end.err)}".strip())
        return end.out.decode(errors="replace")


def bounded(answer: Any, most: int) -> Any:
    """The answer with lists and strings cut, each saying how much is left out, until its text has at most `most` characters."""
    import json  # pylint: disable=import-outside-toplevel

    def cut(value: Any, items: int) -> Any:
        if isinstance(value, dict):
            return {key: cut(inner, items) for key, inner in list(value.items())[:200]}
        if isinstance(value, list):
            kept = [cut(inner, items) for inner in value[:items]]
            return kept + ([f"… {len(value) - items} more are left out here"] if len(value) > items else [])
        if isinstance(value, str) and len(value) > items * 200:
            return f"{value[:items * 200]}\n… {len(value) - items * 200} more characters are left out here"
        return value

    for items in (200, 100, 50, 25, 12, 6, 3, 1):
        shown = cut(answer, items)
        if len(json.dumps(shown, ensure_ascii=False, indent=1)) <= most:
            return shown
    return {"left_out": "the answer is too long even without its lists"}
