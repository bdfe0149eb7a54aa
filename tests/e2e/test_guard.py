#!/usr/bin/env python3
"""What the page guard says of itself, what its options do, and that a debugger does not break it.

usage: test_guard.py PREFIX PROGRAMS TRACED   (folder of the test cases; the program `traced`)
"""
import os
import sys
import unittest
import unittest.mock

import checked

PREFIX = PROGRAMS = TRACED = None


class Guard(unittest.TestCase):
    def run_case(self, name, *options, before=()):
        command = [*before, os.path.join(PROGRAMS, name)]
        result = checked.check(PREFIX, command[0], "bare", "sim", "lazy", command[1:], options)
        self.assertIsNotNone(result.report, result.err)
        return result

    def notes(self, result):
        return [n["text"] for n in result.report["notes"] if n["text"].startswith("page guard")]

    def rules(self, result):
        return sorted({f["rule"] for f in result.findings})

    def test_unprotected_pages_are_reported(self):
        """A lock beside an operand in flight: its page is not protected any more."""
        notes = self.notes(self.run_case("host_shares_page"))
        self.assertTrue(any("that the host uses beside an operand" in n for n in notes), notes)

    def test_loaded_pointers_of_kernels_that_are_not_executed(self):
        """As on a GPU without recorded bytes: what the host touches is seen, and possible."""
        cases = {"": "SC-101", "-string": "SC-101", "-constant": "SC-101", "-table": "SC-101", "-again": "SC-101",
                 "-mapped": "SC-101", "-registered": "SC-101", "-graph": "SC-101", "-writes": "SC-103", "-fixed": None}
        with unittest.mock.patch.dict(os.environ, {"STREAMCHECK_SIM_KERNELS": "skip"}):
            for name, rule in cases.items():
                with self.subTest(name=name):
                    findings = self.run_case("host_memory_behind_pointer" + name).findings
                    self.assertEqual([(f["rule"], f["confidence"]) for f in findings],
                                     [(rule, "possible")] if rule else [])

    def test_sparse_finds_what_touches_the_ends(self):
        result = self.run_case("host_memory_kinds-huge", "guard=sparse")
        self.assertEqual((self.rules(result), self.notes(result)), (["SC-102"], ["page guard"]))

    def test_off_protects_nothing_but_sees_functions(self):
        self.assertEqual(self.rules(self.run_case("host_memory_kinds", "guard=off")), [])
        self.assertEqual(self.rules(self.run_case("host_hands_buffer_over", "guard=off")), ["SC-101"])
        self.assertEqual(self.rules(self.run_case("host_memory_ends", "guard=off")), ["SC-104"])

    def test_polling_costs_a_few_faults(self):
        """Three launches, a million looks each."""
        for name in ("host_polls_flag", "host_polls_flag-two_flags", "host_polls_flag-several"):
            with self.subTest(name=name):
                seen = self.run_case(name).report["coverage"]["host_accesses"]
                self.assertLessEqual(seen, 12)
                self.assertGreater(seen, 0)

    def test_a_runtime_past_libc_is_not_guarded_unless_asked_for(self):
        """What that risks is that its system calls are refused (exit code 2 of the program)."""
        notes = self.notes(self.run_case("host_runtime_past_libc"))
        self.assertTrue(any("Go's runtime" in n for n in notes), notes)
        always = self.run_case("host_runtime_past_libc", "guard=always")
        self.assertEqual((always.code, self.notes(always)), (2, ["page guard"]))
        self.assertEqual(self.notes(self.run_case("host_runtime_past_libc", "guard=off")),
                         ["page guard"])

    def test_a_debugger_breaks_nothing(self):
        """Nothing is stepped: the debugger would take the trap for its own."""
        own = checked.run([TRACED, "/bin/true"], checked.environment(PREFIX, "sim"))
        if own[0]:
            self.skipTest("this machine does not let programs trace")
        for name in ("host_shares_page", "host_signal_handlers", "host_wide_access-beside"):
            with self.subTest(name=name):
                result = self.run_case(name, before=[TRACED])
                self.assertEqual((result.code, self.rules(result)), (0, []), result.err)
        found = self.run_case("host_write_in_flight", before=[TRACED])
        self.assertIn("SC-102", self.rules(found))


if __name__ == "__main__":
    PREFIX, PROGRAMS, TRACED = map(os.path.abspath, sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])
