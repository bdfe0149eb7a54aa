"""A process of the pytest plugin: runs tests as the parent would, and writes down what they report, a JSON object a line.

usage: python -m streamcheck.pytest_child FILE   (JSON: `options` of the parent, `args`, `path`, `argv`, `results`, `sections`)
"""
import contextlib
import json
import sys
from typing import Any, Iterator

import pytest

from ._marks import section


class Writer:
    """Writes each report when it is there: what was written before a crash counts."""

    def __init__(self, config: pytest.Config, path: str, has_sections: bool) -> None:
        self.config, self.has_sections = config, has_sections
        self.file = open(path, "a", encoding="utf-8")  # pylint: disable=consider-using-with

    def write(self, kind: str, value: Any) -> None:
        self.file.write(json.dumps({"kind": kind, "value": value}, default=repr) + "\n")
        self.file.flush()

    @contextlib.contextmanager
    def _around(self, item: pytest.Item) -> Iterator[None]:
        self.write("begin", item.nodeid)
        with section(item.nodeid) if self.has_sections else contextlib.nullcontext():
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        with self._around(item):
            yield
        self.write("end", item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.write("report", self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed or report.skipped:
            self.write("collect", report.longreprtext)

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        if when == "config":  # the parent has the same
            return
        self.write("warning", {"text": str(warning_message.message), "category": warning_message.category.__name__,
                               "file": warning_message.filename, "line": warning_message.lineno, "when": when,
                               "nodeid": nodeid, "location": location})


def main() -> int:
    """Ends with 0 however the tests ended: the exit code is the checker's."""
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    sys.path[:], sys.argv[:] = spec["path"], spec["argv"]
    config = pytest.Config.fromdictargs(spec["options"], spec["args"])
    writer = Writer(config, spec["results"], spec["sections"])
    config.pluginmanager.register(writer)
    code = config.hook.pytest_cmdline_main(config=config)
    writer.write("done", int(code))
    return 0


if __name__ == "__main__":
    sys.exit(main())
