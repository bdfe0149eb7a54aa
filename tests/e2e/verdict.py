"""Compares one run of a test case with its head comment."""
import checked

SKIPPED = 77


class Verdict:
    """What was wrong with one run; empty if nothing. `skipped` says why it could not run."""

    def __init__(self, result, wrong, skipped=""):
        self.result = result
        self.wrong = wrong
        self.skipped = skipped

    @property
    def word(self):
        if self.skipped:
            return "SKIP"
        return "FAIL" if self.wrong else "ok"


def exit_wrong(source, variant, result, mode):
    want = [checked.exit_code(own, result.findings, mode) for own in source.exit_codes(variant)]
    if result.code in want or (result.code == 3 and stopped_by_error(result)):
        return []
    return [f"exit code {result.code}, not {' or '.join(map(str, want))}"]


def stopped_by_error(result):
    """The device reported an error and nothing was found: a report is not complete then (exit code 3)."""
    return result.report["coverage"]["faulted"] > 0 and not result.findings


def judge(source, variant, result, mode, unseen=()):
    """A run without a report is a failure, whatever the program did. `unseen`: doubts that nothing can be said about here."""
    if result.code == SKIPPED:
        return Verdict(result, [], (result.out.strip().splitlines() or ["exit code 77"])[-1])
    if result.report is None:
        return Verdict(result, [f"no report; exit code {result.code}"])
    wrong = source.compare(variant, result.findings, result.report["coverage"]["executed"] > 0, unseen)
    if not result.report["complete"] and not stopped_by_error(result):
        wrong.append("the report says that something was lost")
    return Verdict(result, wrong + exit_wrong(source, variant, result, mode))


def check(source, variant, program, prefix, mode, device, schedule=None):
    """Runs one built variant of a test case and compares."""
    result = checked.check(prefix, program, mode, device, schedule, options=source.options,
                           extra=source.env)
    return judge(source, variant, result, mode)
