"""Reading reports: JSON as it is, traces by way of the command."""
import json
import os
import subprocess
import tempfile
from typing import Union

from ._installed import command_path
from ._report import Report

REFUSED = 2  # wrong options, an unreadable trace


class CommandError(RuntimeError):
    """The command could not analyze what it was given; its message."""


def _is_json(path: Union[str, "os.PathLike[str]"]) -> bool:
    with open(path, "rb") as file:
        return file.read(64).lstrip()[:1] == b"{"


def _read(path: Union[str, "os.PathLike[str]"], exit_code: Union[int, None] = None) -> Report:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return Report.of(json.loads(text), exit_code)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{os.fspath(path)} is no JSON report of streamcheck: {error!r}") from error


def load(path: Union[str, "os.PathLike[str]"], *options: str) -> Report:
    """The report in a JSON file, or of a trace (.sct, .sct.zst), which is analyzed with options ("fail-on=warning").

    A file that is no report raises ValueError; what the command refuses raises CommandError, with its message.
    """
    if _is_json(path):
        if options:
            raise ValueError("options are for traces: a JSON report was analyzed before")
        return _read(path)
    with tempfile.TemporaryDirectory(prefix="streamcheck-") as folder:
        report = os.path.join(folder, "report.json")
        done = subprocess.run([command_path(), "analyze", "--html=no", f"--report=json:{report}",
                               *("--" + option for option in options), os.fspath(path)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode in (REFUSED, *range(-64, 0)) or not os.path.exists(report):
            raise CommandError(done.stderr.decode(errors="replace").strip())
        return _read(report, done.returncode)
