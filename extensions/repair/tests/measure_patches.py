#!/usr/bin/env python3
"""How many findings of the test cases get a patch, and whether plans and patches keep their word.

usage: measure_patches.py [--all | --chosen | --every=N] [--replay=RUN_PLANS] PREFIX NVCC LIBRARIES PROGRAM...

Each program is recorded on the simulated device. Of its findings that lack an order those count whose two operations are calls of
lines in testcases/. One has a patch if the plan of `streamcheck repair` ends it, and `repair --patch` writes each edit that it needs. A patch
is confirmed if the program, built from the patched sources, ends, and has none of these findings and no new one. Building takes
seconds each: every Nth program (20th) is built, with --all each; the plans of all are counted. Bars: 70 % with a patch, 95 % of
these confirmed. With --chosen only the programs of CHOSEN are taken, each is built, and all patches have to be confirmed. With
--replay the plan of each program, as JSON has it, is applied to its trace too (tests/oracle/run_plans.c).
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import expectation
import golden
import patched
import repair
import rebuilt

OWN = "--own=*/testcases/*"
BARS = 70, 95  # percent
# Of each kind of edit some, plans that leave something, and programs whose threads, streams and kernels wait for each other.
CHOSEN = {
    "callback_in_wrong_stream", "callback_shares_buffer", "chunked_pipeline", "cross_stream_read_write", "device_reset_under_other_thread",
    "event_loop_woken_too_early", "flag_reset_by_fill", "free_while_in_use", "graph_outlives_memory", "green_context_record-held", "host_copies_flag",
    "host_frame_ends", "host_frame_ends_in_branch", "host_signals_kernel", "kernel_in_wrong_stream", "kernels_wait", "live_service",
    "pool_asks_for_itself-sent", "query_answer_dropped-host", "query_answer_dropped-wrapped", "race_inside_graph-captured",
    "seed004_destroy_pending", "use_after_stream_free", "use_of_freed_memory", "use_of_freed_memory-kernel", "volatile_scratch-fence", "wait_on_unrecorded_event", "wait_on_wrong_record",
    "word_opens_gate-stream",
}
# Of sources with these another program is part.
NOT_TAKEN = ("exported.h", "semaphore.h")
REFUSED = re.compile(r"^# edit (\d+) is not in this patch: (.*)$", re.MULTILINE)


def ask(prefix, source, command, *more):
    done = subprocess.run([os.path.join(prefix, "bin", "streamcheck"), command, OWN, *("--" + o for o in source.options), *more],
                          check=False, capture_output=True, text=True, timeout=golden.TIMEOUT_S, cwd=repair.ROOT, env=patched.writing())
    return done.stdout


def is_own(access):
    return any("/testcases/" in (f.get("file") or "") and not f.get("internal") for f in access.get("frames", []))


def own_findings(findings):
    """Numbers of the findings that a plan may end by edits in two lines of the program."""
    return {f["number"] for f in findings if len(f.get("accesses", [])) == 2 and all(map(is_own, f["accesses"]))}


class Measured:
    """What becomes of the findings of one program."""

    def __init__(self, prefix, program, source, folder, replay):
        self.reasons, self.rules, self.wrong = collections.Counter(), {}, ""
        self.patch, self.numbers, self.done = "", set(), set()
        trace = os.path.join(folder, "t.sct")
        try:
            rebuilt.run(prefix, program, source, folder, "--analyze=no", f"--trace={trace}")
        except subprocess.TimeoutExpired:
            pass
        if not os.path.exists(trace):
            return
        report = ask(prefix, source, "analyze", "--format=json", "--fail-on=none", trace)
        findings = [f for f in json.loads(report)["findings"] if f["severity"] != "advice"] if report else []
        self.rules = {f["number"]: f["rule"] for f in findings}
        self.numbers = own_findings(findings)
        if self.numbers:
            plan = json.loads(ask(prefix, source, "repair", "--format=json", trace))
            self.patch = ask(prefix, source, "repair", "--patch", trace)
            self.wrong = self.replayed(replay, source, trace) if replay else ""
            self.count(plan, {int(number) - 1: reason for number, reason in REFUSED.findall(self.patch)})
        os.remove(trace)

    @staticmethod
    def replayed(replay, source, trace):
        """What the changed trace has that it should not have."""
        done = subprocess.run([replay, OWN, *("--" + o for o in source.options), trace], check=False, capture_output=True, text=True,
                              timeout=golden.TIMEOUT_S, cwd=repair.ROOT)
        return done.stdout + done.stderr if done.returncode else ""

    def count(self, plan, refused):
        left = {f["finding"]: f["reason"] for f in plan["left"]}
        for number in self.numbers:
            needed = [i for i, e in enumerate(plan["edits"]) if number in e["ends"] or not e["ends"]]
            wrong = [refused[i] for i in needed if i in refused]
            if number in left:
                self.reasons["the plan leaves it: " + left[number]] += 1
            elif wrong or not needed:
                self.reasons[wrong[0] if wrong else "no edit of its own ends it"] += 1
            else:
                self.done.add(number)

    def is_confirmed(self, outcome):
        """Whether what a patched program still has, by its rules, is no more than what the patch leaves."""
        if outcome and not re.fullmatch(r"SC-\d+(; SC-\d+)*", outcome):
            return False
        expected = collections.Counter(rule for number, rule in self.rules.items() if number not in self.done)
        return not collections.Counter(outcome.split("; ") if outcome else []) - expected


class Totals:
    """What all programs come to."""

    def __init__(self):
        self.reasons = collections.Counter()
        self.found = self.patched = self.built = self.confirmed = self.wrong = 0

    def add(self, measured):
        self.reasons += measured.reasons
        self.found += len(measured.numbers)
        self.patched += len(measured.done)
        self.wrong += bool(measured.wrong)

    def report(self, is_strict):
        """Prints it; whether a bar is missed, or, if that is asked for, one patch is not confirmed."""
        for reason, count in self.reasons.most_common():
            print(f"{count:5} without a patch: {reason}")
        shares = [100 * part // whole if whole else 0 for part, whole in ((self.patched, self.found), (self.confirmed, self.built))]
        print(f"{self.patched} of {self.found} findings with two own lines have a patch: {shares[0]} %")
        print(f"{self.confirmed} of {self.built} patches that were built are confirmed: {shares[1]} %")
        if is_strict:
            return self.wrong or not self.built or self.confirmed < self.built
        return self.wrong or shares[0] < BARS[0] or (self.built and shares[1] < BARS[1])


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    prefix, nvcc, libraries, *programs = [word for word in sys.argv[1:] if not word.startswith("--")]
    is_chosen, replay = "--chosen" in options, next((o.split("=")[1] for o in options if o.startswith("--replay=")), None)
    every = 1 if is_chosen or "--all" in options else int(next((o.split("=")[1] for o in options if o.startswith("--every=")), 20))
    prefix, totals, patched_programs = os.path.abspath(prefix), Totals(), 0
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        for program in sorted(map(os.path.abspath, programs)):
            if is_chosen and os.path.basename(program) not in CHOSEN:
                continue
            source = expectation.source_of(program)
            with open(source.path, encoding="utf-8") as file:
                text = file.read()
            if any(word in text for word in NOT_TAKEN):
                continue
            measured = Measured(prefix, program, source, folder, replay and os.path.abspath(replay))
            totals.add(measured)
            for reason in measured.reasons:
                print(f"{os.path.basename(program)}: {reason}", flush=True)
            if measured.wrong:
                print(measured.wrong, flush=True)
            patched_programs += bool(measured.done)
            if not measured.done or patched_programs % every:
                continue
            outcome = rebuilt.check(prefix, nvcc, libraries, program, source, measured.patch, folder)
            is_good = measured.is_confirmed(outcome)
            totals.built, totals.confirmed = totals.built + 1, totals.confirmed + is_good
            print(f"{os.path.basename(program)}: {len(measured.done)} of {len(measured.numbers)}, "
                  f"{'confirmed' if is_good else f'not confirmed: {outcome}'}", flush=True)
            if not is_good:
                print(measured.patch, flush=True)
    return 1 if totals.report(is_chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
