"""The pytest plugin: `pytest --streamcheck` runs each test in a process of its own that is checked.

Findings fail the test that made them, at its line. The tests are collected in this process, which is not checked.
"""
import importlib
import os
import warnings
from typing import Any, Literal, Optional, Sequence

import pytest

from ._report import Finding, Frame
from ._tests import IS_OURS, Outcome, Run, Runner

PROPERTY = "streamcheck"
NO_CUDA, CLEAN, FINDINGS, LOST = "no CUDA call", "clean", "findings", "incomplete"
STATES = (CLEAN, FINDINGS, LOST, NO_CUDA)
OWN_OPTIONS = ("device", "exitcode", "format", "html", "output", "report", "require-cuda")
MARKER = "streamcheck(allow=[], enabled=True, require_cuda=False): findings of the rules in allow do not fail the test; " \
    "without enabled it runs unchecked; require_cuda: it fails if no CUDA call was recorded"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("streamcheck", "races of asynchronous CUDA")
    group.addoption("--streamcheck", action="store_true", help="run each test in a process that is checked")
    group.addoption("--streamcheck-per", choices=("test", "file"), default="test",
                    help="a process for each test (default), or for each file, which shares its fixtures")
    group.addoption("--streamcheck-device", choices=("auto", "gpu", "sim"), default="auto",
                    help="run on a GPU or on the simulated device")
    group.addoption("--streamcheck-option", action="append", default=[], metavar="NAME=VALUE",
                    help="an option of `streamcheck run`, e.g. fail-on=warning; may be given several times")
    group.addoption("--streamcheck-reports", default="streamcheck-reports", metavar="FOLDER",
                    help="where the reports of tests with findings are kept (default: %(default)s)")
    parser.addini("streamcheck_options", "options of `streamcheck run`, one a line", type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    if config.getoption("streamcheck"):
        config.pluginmanager.register(Plugin(config), "streamcheck-session")


def _options(config: pytest.Config) -> list[str]:
    found = [*config.getini("streamcheck_options"), *config.getoption("streamcheck_option")]
    for option in found:
        if option.lstrip("-").partition("=")[0] in OWN_OPTIONS:
            raise pytest.UsageError(f"--streamcheck-option={option}: this one is the plugin's own")
    return found


def _fail_on(options: Sequence[str]) -> str:
    values = [o.lstrip("-").partition("=")[2] for o in options if o.lstrip("-").startswith("fail-on=")]
    return values[-1] if values else "error"


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _clear(folder: str) -> None:
    """Removes what an earlier session left, and nothing else."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if IS_OURS.search(name[-14:]):
            os.remove(os.path.join(folder, name))


# ---- failures ----

class StreamcheckError(AssertionError):
    """Why a test failed that did nothing wrong by itself."""
    __module__ = "builtins"  # pytest shows the name without a module


def _place(finding: Finding, path: str) -> Optional[Frame]:
    """The line of the later operation that lies in the test's file, else the earlier one's, else any of the user's."""
    own = [f for a in reversed(finding.accesses) for f in a.frames if f.file and f.line and not f.is_internal]
    return next((f for f in own if os.path.realpath(str(f.file)) == os.path.realpath(path)), own[0] if own else None)


def _short(file: str, folder: str) -> str:
    path = os.path.relpath(file, folder)
    return file if path.startswith("..") else path


def _describe(finding: Finding, folder: str) -> str:
    """A finding as the text report has it, in short; files below the folder are relative to it."""
    lines = [f"{finding.rule} {finding.slug}: {finding.summary} [{finding.confidence} {finding.severity}]"]
    for label, access in zip(("first:", "then: "), finding.accesses):
        lines.append(f"  {label} {access.operation or access.mode}")
        lines += [f"         {_short(f.file, folder)}:{f.line}  {f.function}"
                  for f in access.frames if not f.is_internal and f.file]
    for label, value in (("order:", finding.order), ("doubt:", finding.doubt), ("fix:  ", finding.fix)):
        if value:
            lines.append(f"  {label} {value.replace(folder + os.sep, '')}")
    return "\n".join(lines)


def _explain(message: str, file: str, line: int, function: str) -> Any:
    """A failure with a message that pytest shows at a line of a file: an exception that is raised there."""
    code = compile("\n" * (max(line, 1) - 1) + "raise error", file, "exec").replace(co_name=function or "test")
    try:
        exec(code, {"error": StreamcheckError(message)})  # pylint: disable=exec-used
    except StreamcheckError as error:
        trace = error.__traceback__ and error.__traceback__.tb_next  # without this function
        if trace:
            return pytest.ExceptionInfo.from_exc_info((type(error), error, trace)).getrepr(style="short")
    return message


class Plugin:
    """What a session with --streamcheck does."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.options = config, _options(config)
        self.folder = os.path.join(str(config.rootpath), config.getoption("streamcheck_reports"))
        self.is_per_file = config.getoption("streamcheck_per") == "file"
        if self.is_per_file and (_is_worker(config) or getattr(config.option, "numprocesses", None)):
            raise pytest.UsageError("--streamcheck-per=file cannot share files among xdist's workers; "
                                    "use --streamcheck-per=test with -n")
        self.runner = Runner(config, config.getoption("streamcheck_device"), self.options, self.folder)
        self.counts = dict.fromkeys(STATES, 0)
        self.kept: dict[str, list[pytest.TestReport]] = {}

    # ---- running ----

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Optional[bool]:
        """Runs the test elsewhere, and reports what it reported there."""
        if not self._settings(item)["enabled"]:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if item.nodeid not in self.kept:
            self._run(self._together(item))
        for report in self.kept.pop(item.nodeid, ()):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _settings(self, item: pytest.Item) -> dict[str, Any]:
        found: dict[str, Any] = {"enabled": True, "require_cuda": False, "allow": []}
        for mark in reversed(list(item.iter_markers("streamcheck"))):  # the closest comes last
            unknown = set(mark.kwargs) - set(found)
            if unknown or mark.args:
                raise pytest.UsageError(f"{item.nodeid}: the marker is {MARKER.partition(':')[0]}")
            found.update(mark.kwargs)
        if isinstance(found["allow"], str):
            found["allow"] = [found["allow"]]
        return found

    def _together(self, item: pytest.Item) -> list[pytest.Item]:
        """The tests that share a process with this one: those of its file that come from here on."""
        if not self.is_per_file:
            return [item]
        items = item.session.items[item.session.items.index(item):]
        return [i for i in items if i.path == item.path and self._settings(i)["enabled"]]

    def _run(self, items: list[pytest.Item]) -> None:
        """One process; another one for the tests that a crash left over."""
        name = items[0].nodeid if not self.is_per_file else items[0].nodeid.partition("::")[0]
        round_number = 0
        while items:
            run = self.runner.run([i.nodeid for i in items], name + (f"#{round_number}" if round_number else ""),
                                  self.is_per_file)
            if not run.has_started and run.code == 2:
                pytest.exit(f"streamcheck: {run.said.strip()}", returncode=int(pytest.ExitCode.USAGE_ERROR))
            left = self._judge(run, items)
            items = left if len(left) < len(items) else []
            round_number += 1

    # ---- judging ----

    def _judge(self, run: Run, items: list[pytest.Item]) -> list[pytest.Item]:
        """Makes the reports of the tests that ran; returns the others, if the process ended before they began."""
        self._forward_warnings(run)
        began = [i for i in items if i.nodeid in run.tests]
        left = [i for i in items if i.nodeid not in run.tests] if run.crashed and began else []
        failing = self._failing(run, began or items)
        kept = False
        for item in [i for i in items if i not in left]:
            message = self._problem(run, item, began[-1] if began else item)
            found = failing.get(item.nodeid, [])
            self.kept[item.nodeid] = self._reports(run, item, found, message)
            kept |= bool(found or message)
        if not kept:
            for suffix in (".txt", ".json"):
                if os.path.exists(run.path + suffix):
                    os.remove(run.path + suffix)
        return left

    def _failing(self, run: Run, items: list[pytest.Item]) -> dict[str, list[Finding]]:
        """{test: findings that fail it}: of the test in which the later operation was, or else of the last one."""
        found: dict[str, list[Finding]] = {}
        if run.is_done and run.code == 0:  # the gate passes, by what else the command reads
            return found
        by_name = {i.nodeid: i for i in items}
        for finding in run.report.failures(_fail_on(self.options)) if run.report else ():
            ranges = [a.range for a in reversed(finding.accesses) if a.range]
            names = [n for r in ranges for n in by_name if r == n or r.startswith(n + " > ")]
            item = by_name[names[0]] if names else items[-1]
            if not any(finding.fails(rule) for rule in self._settings(item)["allow"]):
                found.setdefault(item.nodeid, []).append(finding)
        return found

    def _problem(self, run: Run, item: pytest.Item, last: pytest.Item) -> Optional[str]:
        """What is wrong with the run of this test besides findings."""
        if item.nodeid not in run.tests:
            return f"the test did not run: the process {run.ending}\n" + "\n".join([*run.collected, run.said])
        if run.crashed == item.nodeid:
            return f"the process {run.ending} in this test\n{run.said}"
        if not run.used_cuda:
            return "no CUDA call was recorded, and require_cuda asks for one" \
                if self._settings(item)["require_cuda"] else None
        if item is not last:
            return None
        if run.is_done and run.code not in (0, 3, 66):
            return f"the process {run.ending} after its tests\n{run.said}"
        if run.report and not run.report.is_complete:
            return "streamcheck did not see everything, so that findings may be hidden\n" + run.text
        if run.code == 66 and run.report and not run.report.failures(_fail_on(self.options)):
            return "the gate failed\n" + run.text
        return None

    def _state(self, run: Run, found: Sequence[Finding], message: Optional[str]) -> str:
        if found:
            return FINDINGS
        if not run.used_cuda:
            return NO_CUDA
        return LOST if message else CLEAN

    def _reports(self, run: Run, item: pytest.Item, found: Sequence[Finding],
                 message: Optional[str]) -> list[pytest.TestReport]:
        outcome = run.tests.get(item.nodeid, Outcome())
        reports = [self._restored(data) for data in outcome.reports]
        main = next((r for r in reports if r.when == "call"), None)
        if (found or message) and not main:
            main = next((r for r in reports if r.failed), None)
        if (found or message) and not main:
            main = self._passed(item, "call")
            reports.insert(1 if reports else 0, main)
        if main and (found or message):
            self._fail(main, run, item, found, message)
        if reports and reports[-1].when != "teardown":  # a crash; the file of --junitxml wants the end of each test
            reports.append(self._passed(item, "teardown"))
        if reports:
            reports[-1].user_properties.append((PROPERTY, self._state(run, found, message)))
        return reports

    def _passed(self, item: pytest.Item, when: Literal["call", "teardown"]) -> pytest.TestReport:
        return pytest.TestReport(item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "passed", None, when)

    def _restored(self, data: dict[str, Any]) -> pytest.TestReport:
        """As it was before it was JSON, which has no tuples."""
        data = {**data, "location": tuple(data["location"]), "sections": [tuple(s) for s in data["sections"]],
                "user_properties": [tuple(p) for p in data["user_properties"]]}
        if isinstance(data["longrepr"], list):  # of a test that is skipped
            data["longrepr"] = tuple(data["longrepr"])
        report: pytest.TestReport = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
        return report

    def _fail(self, report: pytest.TestReport, run: Run, item: pytest.Item, found: Sequence[Finding],
              message: Optional[str]) -> None:
        """A test that failed by itself keeps its own reason, and says the other in a section."""
        file, line, function = str(item.path), (item.location[1] or 0) + 1, item.name
        if found:
            place = _place(found[0], file)
            if place:
                file, line, function = str(place.file), place.line, place.function.rpartition(".")[2]
        here = str(self.config.invocation_params.dir)
        text = "\n".join([*(_describe(f, here) for f in found), *([message.rstrip()] if message else [])])
        text += f"\nreport: {_short(run.path, here)}.txt" if run.text else ""
        if report.failed:
            report.sections.append(("streamcheck", text))
            return
        report.outcome, report.longrepr = "failed", _explain(text, file, line, function)
        if hasattr(report, "wasxfail"):
            del report.wasxfail

    def _forward_warnings(self, run: Run) -> None:
        for said in run.warnings:
            category = getattr(importlib.import_module("builtins"), said["category"], UserWarning)
            recorded = warnings.WarningMessage(category(said["text"]), category, said["file"], said["line"])
            self.config.hook.pytest_warning_recorded.call_historic(kwargs={
                "warning_message": recorded, "when": said["when"], "nodeid": said["nodeid"],
                "location": tuple(said["location"]) if said["location"] else None})

    # ---- the session ----

    def pytest_sessionstart(self) -> None:
        if not _is_worker(self.config):
            _clear(self.folder)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == PROPERTY and value in self.counts:
                self.counts[str(value)] += 1

    @property
    def _nothing_recorded(self) -> bool:
        return self.counts[NO_CUDA] > 0 and self.counts[NO_CUDA] == sum(self.counts.values())

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Nothing recorded at all is no success, as for the command."""
        if not _is_worker(self.config) and self._nothing_recorded and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not any(self.counts.values()):
            return
        terminalreporter.section("streamcheck")
        words = [f"{n} {'with ' if state == FINDINGS else ''}{state}" for state, n in self.counts.items() if n]
        terminalreporter.line("tests checked: " + ", ".join(words))
        if self.counts[FINDINGS] or self.counts[LOST]:
            terminalreporter.line(f"reports: {_short(self.folder, str(self.config.invocation_params.dir))}")
        if self._nothing_recorded:
            terminalreporter.line("nothing was recorded: no test made a CUDA call that streamcheck saw, so that nothing was "
                                  "checked", red=True)
