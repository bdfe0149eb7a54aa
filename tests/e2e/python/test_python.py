#!/usr/bin/env python3
"""Lines of Python where the interpreter's lock was released: lines.py on the simulated device.

usage: test_python.py VERSION PREFIX LIBRARY   (of region.c)
"""
import os
import sys
import unittest

import checked
import interpreter

PYTHON = PREFIX = LIBRARY = None
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lines.py")
WITHOUT = "made with the GIL released"


def marked(way):
    """The numbers of the lines that are marked for a way: first and second end of its race."""
    with open(SCRIPT, encoding="utf-8") as file:
        found = {line.split("# ")[-1].strip(): number for number, line in enumerate(file, 1)}
    return [found.get(f"{way} {end}") for end in (1, 2)]


def users_frames(access):
    return [(f["function"], os.path.basename(f["file"] or ""), f["line"])
            for f in access["frames"] if not f["internal"]]


class Lines(unittest.TestCase):
    def run_way(self, way, *options, python=()):
        result = checked.check(PREFIX, PYTHON, "bare", "sim", "lazy",
                               [*python, SCRIPT, way, LIBRARY], options)
        self.assertEqual(result.out, "done\n", result.err)
        self.assertEqual(len(result.findings), 1, result.err)
        return result, [users_frames(a) for a in result.findings[0]["accesses"]]

    def notes(self, result):
        return [n["text"] for n in result.report["notes"] if "Python" in n["text"]]

    def expect(self, way, rule, functions, *options, python=()):
        """The innermost lines of Python are the marked ones, and no access lacks its lines."""
        result, frames = self.run_way(way, *options, python=python)
        self.assertEqual(result.findings[0]["rule"], rule)
        for stack, function, line in zip(frames, functions, marked(way)):
            innermost = next(f for f in stack if f[1] == "lines.py")
            self.assertEqual(innermost, (function, "lines.py", line), stack)
        self.assertEqual(len([n for n in self.notes(result) if WITHOUT not in n]), 0, result.err)
        return frames

    def test_calls(self):
        for stack in self.expect("calls", "SC-106", ("calls", "calls")):
            self.assertEqual([name for name, _, _ in stack], ["calls", "main", "<module>"])

    def test_what_is_missing_is_said(self):
        """cudaMalloc, and what it calls: nothing could be compared before."""
        notes = self.notes(self.run_way("calls")[0])
        self.assertEqual(notes, [f"Python lines of 2 calls {WITHOUT}"])

    def test_without_the_guard(self):
        self.expect("calls", "SC-106", ("calls", "calls"), "guard=off")

    def test_on_the_alternate_stack_of_faulthandler(self):
        self.expect("host_read", "SC-101", ("host_read", "host_read"), python=["-X", "faulthandler"])

    def test_threads(self):
        name = "in_threads.<locals>."
        self.expect("in_threads", "SC-106", (name + "fetch", name + "upload"))

    def test_generators_and_coroutines(self):
        name = "in_generators.<locals>."
        frames = self.expect("in_generators", "SC-106", (name + "generate", name + "upload"))
        for stack in frames:
            self.assertEqual(stack[1][0], "in_generators")

    def test_destructors_and_exceptions(self):
        self.expect("in_handlers", "SC-106",
                    ("in_handlers.<locals>.Late.__del__", "in_handlers"))

    def test_recursion(self):
        _, (few, many) = self.run_way("deep")
        self.assertEqual([f[0] for f in few], ["recurse"] * 6 + ["deep", "main", "<module>"])
        self.assertEqual(few[6][2], marked("deep")[0])
        self.assertEqual([f[0] for f in many], ["recurse"] * 32)
        self.assertEqual(len({f[2] for f in few[1:6]} | {f[2] for f in many[1:]}), 1)

    def test_callbacks(self):
        name = "called_back.<locals>."
        self.expect("called_back", "SC-106", (name + "fetch", name + "<lambda>"))

    def test_under_a_tracer(self):
        self.expect("traced", "SC-106", ("traced", "traced"))

    def test_modules_loaded_anew(self):
        _, frames = self.run_way("reloaded")
        self.assertEqual([stack[0] for stack in frames],
                         [("call", "module_under_test.py", line) for line in (2, 3)])

    def test_generated_code(self):
        _, frames = self.run_way("generated")
        self.assertEqual([stack[0] for stack in frames],
                         [("<module>", f"generated-{n}.py", 1) for n in (1, 2)])

    def test_names_of_any_alphabet(self):
        _, frames = self.run_way("named")
        self.assertEqual([stack[0] for stack in frames],
                         [("größe", "straße.py", 2),
                          ("\u5927\u304d\u3055", "\u9053-\U0001f40d.py", 2)])

    def test_host_accesses(self):
        self.expect("host_read", "SC-101", ("host_read", "host_read"))
        self.expect("host_write", "SC-102", ("host_write", "host_write"))
        self.expect("host_function", "SC-103", ("host_function", "host_function"))

    def test_parallel_regions(self):
        """The thread that reads has no Python; the one that forked it has."""
        for way in ("parallel", "nested"):
            frames = self.expect(way, "SC-101", (way, way))
            self.assertEqual(frames[1][0][1], "region.c")

    def test_ends_of_memory(self):
        self.expect("freed", "SC-104", ("freed", "freed"))

    def test_several_interpreters(self):
        result, frames = self.run_way("several_interpreters")
        self.assertEqual(frames, [[("(Python code)", "", 0)]] * 2)
        self.assertIn(WITHOUT, " ".join(self.notes(result)))


class Unread(unittest.TestCase):
    """A version whose frames are not known."""

    def test_it_is_said(self):
        result = checked.check(PREFIX, PYTHON, "bare", "sim", "lazy", [SCRIPT, "host_read"])
        self.assertEqual(result.out, "done\n", result.err)
        self.assertEqual([users_frames(a) for a in result.findings[0]["accesses"]],
                         [[("(Python code)", "", 0)]] * 2)
        notes = " ".join(n["text"] for n in result.report["notes"])
        self.assertIn(WITHOUT, notes)
        self.assertIn("Python lines of 1 accesses to host memory", notes)


if __name__ == "__main__":
    PYTHON, (PREFIX, LIBRARY) = interpreter.find(sys.argv[1]), map(os.path.abspath, sys.argv[2:4])
    tests = "Unread" if sys.argv[1] == "3.10" else "Lines"
    unittest.main(argv=[sys.argv[0], tests])
