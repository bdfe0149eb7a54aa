"""Runs tests of pytest in a process that is checked, and says what came of each (for the plugin)."""
import dataclasses
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from typing import Any, Optional, Sequence

import pytest

from ._installed import command_path
from ._read import load
from ._report import Report

# What of the parent's options would make a child do more than run its tests.
SET_IN_CHILD: dict[str, Any] = {"streamcheck": False, "lf": False, "failedfirst": False, "newfirst": False, "stepwise": False,
                "stepwise_skip": False, "collectonly": False, "usepdb": False, "trace": False, "pyargs": False,
                "maxfail": 0, "numprocesses": None, "maxprocesses": None, "dist": "no", "distload": False, "tx": [],
                "looponfail": False, "xmlpath": None, "resultlog": None, "durations": None,
                "cacheclear": False, "cacheshow": None}
OF_FILES = ("suppressions", "baseline", "footprints-file")


@dataclasses.dataclass
class Outcome:
    """What came of one test."""
    reports: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    has_ended: bool = False


@dataclasses.dataclass
class Run:
    """What came of one process."""
    code: int
    tests: dict[str, Outcome]
    has_started: bool
    is_done: bool
    collected: list[str]
    warnings: list[dict[str, Any]]
    said: str
    report: Optional[Report]
    text: str
    path: str

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        if self.code > 128 and self.code - 128 in set(signal.Signals):
            return f"died by {signal.Signals(self.code - 128).name}"
        return f"ended with exit code {self.code}"

    @property
    def crashed(self) -> Optional[str]:
        """The test in which it ended."""
        begun = [name for name, outcome in self.tests.items() if not outcome.has_ended]
        return begun[-1] if begun and not self.is_done else None

    @property
    def used_cuda(self) -> bool:
        return bool(self.report and any(p.used_cuda for p in self.report.processes))


def _json_options(config: pytest.Config) -> dict[str, Any]:
    """The parent's options that JSON can hold, as xdist passes them to its workers, less those that are not for a child."""
    kept = {}
    for name, value in vars(config.option).items():
        if name == "file_or_dir":  # words, not an option
            continue
        try:
            json.dumps(value)
        except (TypeError, ValueError):
            continue
        kept[name] = value
    kept.update({name: value for name, value in SET_IN_CHILD.items() if name in kept})
    kept["rootdir"] = str(config.rootpath)  # names of tests are relative to it
    kept["inifilename"] = str(config.inipath) if config.inipath else None
    kept["plugins"] = [p for p in kept.get("plugins", ()) if not p.startswith("no:")]
    return kept


def file_name(nodeid: str) -> str:
    """A name that no other test has."""
    return re.sub(r"[^\w.-]+", "_", nodeid)[-100:].strip("_") + "-" + hashlib.sha256(nodeid.encode()).hexdigest()[:8]


# Each process uses few of a session's suppressions.
UNUSED = re.compile(r"^streamcheck: .* was not used\n", re.M)
IS_OURS = re.compile(r"-[0-9a-f]{8}\.(json|txt)$")


def _arguments(config: pytest.Config, nodeids: Sequence[str]) -> list[str]:
    words = ["-p", "no:terminal"]
    for plugin in config.getoption("plugins"):
        words += ["-p", plugin] if plugin.startswith("no:") and plugin != words[1] else []
    for nodeid in nodeids:
        path, colons, rest = nodeid.partition("::")
        words.append(os.path.join(str(config.rootpath), path) + colons + rest)
    return words


def absolute(option: str, root: str) -> str:
    """An option of the command; files are relative to the root folder of the tests."""
    name, _, value = option.lstrip("-").partition("=")
    if name in OF_FILES and os.path.exists(os.path.join(root, value)):
        value = os.path.join(root, value)
    return f"--{name}={value}" if value else f"--{name}"


def _read_lines(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):  # else the process ended while it wrote
                    yield json.loads(line)
    except FileNotFoundError:
        return


def _sort(run: Run, path: str) -> None:
    for line in _read_lines(path):
        kind, value = line["kind"], line["value"]
        run.has_started = True
        if kind in ("begin", "end"):
            run.tests.setdefault(value, Outcome()).has_ended = kind == "end"
        elif kind == "report":
            run.tests.setdefault(value["nodeid"], Outcome()).reports.append(value)
        elif kind == "collect":
            run.collected.append(value)
        elif kind == "warning":
            run.warnings.append(value)
        elif kind == "done":
            run.is_done = True


def _text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Runner:
    """Starts the processes of one session."""

    def __init__(self, config: pytest.Config, device: str, options: Sequence[str], folder: str) -> None:
        self.config, self.folder = config, folder
        self.words = [f"--device={device}"] if device else []
        self.words += [absolute(o, str(config.rootpath)) for o in options]

    def run(self, nodeids: Sequence[str], name: str, has_sections: bool) -> Run:
        """Runs the tests in one process; its reports are FOLDER/NAME.json and .txt."""
        os.makedirs(self.folder, exist_ok=True)
        base = os.path.join(self.folder, file_name(name))
        with tempfile.TemporaryDirectory(prefix="streamcheck-") as scratch:
            spec, results, said = (os.path.join(scratch, n) for n in ("spec.json", "results", "said"))
            with open(spec, "w", encoding="utf-8") as file:
                json.dump({"options": _json_options(self.config), "args": _arguments(self.config, nodeids),
                           "path": sys.path, "argv": sys.argv, "results": results, "sections": has_sections}, file)
            command = [command_path(), "run", "--html=no", f"--output={base}.txt", f"--report=json:{base}.json",
                       *self.words, "--", sys.executable, "-m", "streamcheck.pytest_child", spec]
            for suffix in (".txt", ".json"):
                if os.path.exists(base + suffix):
                    os.remove(base + suffix)
            code = self._wait(command, said)
            report = load(base + ".json") if os.path.exists(base + ".json") else None
            run = Run(code, {}, False, False, [], [], UNUSED.sub("", _text_of(said)), report, _text_of(base + ".txt"), base)
            _sort(run, results)
        return run

    def _wait(self, command: Sequence[str], said: str) -> int:
        folder = str(self.config.invocation_params.dir)
        if self.config.getoption("capture") == "no":
            return subprocess.run(command, cwd=folder, check=False).returncode
        with open(said, "wb") as file:
            return subprocess.run(command, cwd=folder, check=False, stdin=subprocess.DEVNULL, stdout=file,
                                  stderr=subprocess.STDOUT).returncode
