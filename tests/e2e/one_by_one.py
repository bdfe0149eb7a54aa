"""Programs of a folder of test cases that run one after the other in one process (testcases/one_by_one.h), against their head comments."""
import glob
import os
import tempfile

import checked
import expectation


class Run:
    """One run on a device; memory of the simulated one may be used by the host: the exit code, what was printed, and the report."""

    def __init__(self, prefix, program, arguments=(), changes=None):
        env = checked.environment(prefix, checked.DEVICE, "lazy")
        env.update(STREAMCHECK_SIM_HOST_ACCESS="1", STREAMCHECK_SIM_WORKERS="1", **(changes or {}))
        command = os.path.join(prefix, "bin", "streamcheck")
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            path = os.path.join(folder, "report.json")
            self.code, self.out, self.err = checked.run(
                [command, "run", f"--device={checked.DEVICE}", f"--report=json:{path}", "--", program, *arguments], env, cwd=folder)
            self.report = checked.read_report(path) if os.path.exists(path) else None


def sources(folder, ending):
    """The programs of a folder, but for the one that runs them: {file name: Source}."""
    return {os.path.basename(path): expectation.Source(path)
            for path in sorted(glob.glob(os.path.join(folder, f"*.{ending}")))
            if os.path.basename(path) != f"all.{ending}"}


def check_variant(test, programs, run, variant):
    """Fails the test unless the run found what the programs of this variant expect, and nothing else."""
    test.assertTrue(run.report and run.report["complete"], run.err)
    wrong = expectation.compare_programs(programs, variant, run.report["findings"])
    test.assertFalse(wrong, "\n".join(["", *wrong]))
