#!/usr/bin/env python3
"""Which orders `explore` runs a program in, what it says of their results, and what it does not claim.

usage: test_explore.py PREFIX PROGRAM   (orders.cu, see there for its arguments); TESTCASES is the folder of the built test cases
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import checked

PREFIX, PROGRAM = map(os.path.abspath, sys.argv[1:3])
TESTCASES = os.environ["TESTCASES"]
STREAMCHECK = os.path.join(PREFIX, "bin", "streamcheck")


class Explored:
    """One call of explore."""

    def __init__(self, program, *arguments, options=(), schedule=None):
        with tempfile.TemporaryDirectory() as folder:
            env = checked.environment(PREFIX, "sim", schedule)
            env["TMPDIR"] = folder
            done = subprocess.run([STREAMCHECK, "explore", *options, "--", program, *arguments], env=env, cwd=folder,
                                  stdin=subprocess.DEVNULL, timeout=checked.TIMEOUT_S, capture_output=True, check=False)
            self.left = os.listdir(folder)
        self.code, self.text, self.err = done.returncode, done.stdout.decode(), done.stderr.decode()
        self.verdict = self.text.split("\n", 1)[0]

    @property
    def results(self):
        found = re.match(r"streamcheck: (\d+) results under", self.verdict)
        return int(found.group(1)) if found else 1

    @property
    def orders(self):
        found = re.search(r"under (?:all )?(\d+) order", self.verdict)
        return int(found.group(1)) if found else 1

    @property
    def replays(self):
        """The pairs of each result that is shown."""
        return re.findall(r"STREAMCHECK_SIM_PAIR='([^']*)' streamcheck run", self.text)

    def lines(self, label):
        return re.findall(rf"^  {label}: +(.*)$", self.text, re.MULTILINE)


def output(scenario, pairs):
    """What the program prints in the order of these pairs."""
    env = checked.environment(PREFIX, "sim")
    env["STREAMCHECK_SIM_PAIR"] = pairs
    done = subprocess.run([STREAMCHECK, "run", "--device=sim", "--html=no", "--output=/dev/null", "--", PROGRAM, scenario], env=env,
                          stdin=subprocess.DEVNULL, timeout=checked.TIMEOUT_S, capture_output=True, check=False)
    return done.stdout.decode()


class Orders(unittest.TestCase):
    """Small graphs with known numbers of orders."""

    def explore(self, scenario, orders, results, *options, code=None, **more):
        run = Explored(PROGRAM, scenario, options=options, **more)
        self.assertEqual((run.orders, run.results), (orders, results), run.text + run.err)
        self.assertEqual(run.code, (66 if results > 1 else 0) if code is None else code, run.text)
        self.assertEqual(run.left, [])
        return run

    def test_what_is_ordered_has_one_order(self):
        run = self.explore("ordered", 1, 1)
        self.assertIn("CUDA orders all operations that touch the same bytes (1 run)", run.verdict)

    def test_two_conflicts_of_their_own(self):
        for schedule in ("eager", "random:1", "lazy"):
            self.explore("independent", 4, 4, schedule=schedule)

    def test_chains(self):
        self.explore("chain", 4, 4)
        self.explore("tied_chain", 3, 3)

    def test_three_writers(self):
        self.explore("three_writers", 6, 6)
        run = self.explore("three_equal", 6, 1)
        self.assertIn("the same result under all 6 orders", run.verdict)

    def test_two_rows(self):
        self.explore("two_rows", 20, 20)

    def test_the_shown_orders_can_be_replayed(self):
        run = self.explore("three_writers", 6, 6)
        self.assertEqual(len(run.replays), 4)
        shown = [re.search(r"as (.*)$", line).group(1) for line in run.lines("result") if " as " in line]
        for sequence, pairs in zip(shown, run.replays):
            self.assertEqual(output("three_writers", pairs), "5" + sequence.replace(", ", "") + " 0\n")

    def test_atomics_have_two_orders(self):
        self.explore("atomics", 2, 1)

    def test_nodes_of_a_graph(self):
        self.explore("nodes", 2, 2)

    def test_the_host_between_two_calls(self):
        self.explore("host_twice", 4, 4)
        run = self.explore("host_later", 4, 4)
        self.assertEqual([output("host_later", pairs).split("\n", maxsplit=1)[0] for pairs in run.replays], ["5", "0", "6", "0"])

    def test_accesses_without_a_call_between_are_one_operation(self):
        self.explore("host_once", 3, 3)

    def test_an_order_that_cannot_be_made_is_said(self):
        run = self.explore("host_asks", 3, 3)
        self.assertEqual(len(run.lines("not made")), 1)

    def test_what_the_host_leaves(self):
        run = self.explore("host_writes", 2, 2)
        five = " ".join(["05 00 00 00"] * 4)
        self.assertIn(f"what is left where 1 and 2 write: 09{five[2:]}, and {five}", run.lines("differs"))

    def test_a_path_of_one_order_has_orders_of_its_own(self):
        run = self.explore("paths", 3, 3)
        self.assertEqual(sorted(line.split("as ")[1] for line in run.lines("result")), ["1, 2", "2, 1, 3, 4", "2, 1, 4, 3"])

    def test_a_sample_is_said_and_always_the_same(self):
        runs = [self.explore("eight_writers", 6, 6, "--orders=6") for _ in range(2)]
        self.assertEqual(runs[0].text, runs[1].text)
        self.assertIn("40320 orders are open", runs[0].lines("sample")[0])

    def test_what_differs_anyway_is_not_compared(self):
        run = self.explore("unsteady", 2, 1)
        self.assertEqual(run.lines("not compared"), ["standard output differs in the same order, too"])

    def test_what_is_not_turned_is_no_success(self):
        run = self.explore("ends_memory", 1, 1, code=3)
        self.assertEqual(len(run.lines("not turned")), 1)

    def test_json_has_what_the_text_has(self):
        for scenario, *options in (("ordered",), ("independent",), ("host_asks",), ("unsteady",), ("ends_memory",), ("three_equal",),
                                   ("eight_writers", "--orders=6")):
            with self.subTest(scenario):
                text = Explored(PROGRAM, scenario, options=options)
                run = Explored(PROGRAM, scenario, options=[*options, "--format=json"])
                said = json.loads(run.text)
                self.assertEqual((run.code, "streamcheck: " + said["verdict"]), (text.code, text.verdict))
                self.assertEqual(said["complete"], not any(map(text.lines, ("sample", "not made", "not turned"))))
                self.assertEqual(f"({said['runs']} run{'s'[:said['runs'] != 1]})", re.search(r"\(\d+ runs?\)", text.verdict).group())
                self.assertEqual(max(said["orders"], 1), text.orders)
                self.assertEqual([one.replace("\n", " ") for one in said["operations"]], text.lines(r"\d+"))
                self.assertEqual(sum(one["orders"] for one in said["results"]), said["orders"])
                self.check_results(said["results"], text)
                for key in ("sample", "not_tried", "compared"):
                    self.assertEqual([said[key]] if said[key] else [], text.lines(key.replace("_", " ")))
                for key, noun in (("not_made", "order"), ("not_turned", "pair")):
                    self.assertEqual([f"{one['count']} {noun}{'s'[:one['count'] != 1]}: {one['reason']}" for one in said[key]],
                                     text.lines(key.replace("_", " ")))
                self.assertEqual(said["not_compared"], text.lines("not compared"))

    def check_results(self, results, text):
        """The text shows the first four of several."""
        shown = [re.fullmatch(r"(\d+) orders?, as (.*)", line) for line in text.lines("result")]
        shown = [(int(found.group(1)), found.group(2)) for found in shown if found]
        self.assertEqual([(one["orders"], ", ".join(map(str, one["sequence"]))) for one in results][:len(shown)], shown)
        self.assertEqual(len(shown), min(len(results), 4) if len(results) > 1 else 0)
        self.assertEqual([one["replay"] for one in results][:len(shown)], text.lines("replay"))
        if shown:
            self.assertEqual(sum((one["differs"] for one in results[:len(shown)]), []), text.lines("differs"))

    def test_wrong_usage(self):
        self.assertEqual(Explored(PROGRAM, "ordered", options=["--format=html"]).code, 2)
        done = subprocess.run([STREAMCHECK, "explore"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(Explored("/does/not/exist").code, 127)


# Programs with races of several kinds: their orders, their results (1: equal values), and the same program corrected.
RACY = (
    ("by_value_pointers", 2, 2),
    ("cross_stream_read_write", 2, 2),
    ("cross_stream_write_write", 2, 2),
    ("device_copy_assumed_complete", 2, 1),
    ("event_loop_woken_too_early", 2, 1),
    ("host_reads_kernel_result", 2, 2),
    ("launch_event_read_as_end", 2, 2),
    ("module_variable", 2, 2),
    ("ping_pong", 6, 1),
    ("seed000_example2", 2, 2),
    ("shared_input", 2, 1),
    ("variable_by_address", 2, 1),
)


class TestCases(unittest.TestCase):
    """Racy test cases have two results or equal values; corrected ones have one order."""

    def test_racy(self):
        for name, orders, results in RACY:
            with self.subTest(name):
                run = Explored(os.path.join(TESTCASES, name))
                self.assertEqual((run.orders, run.results), (orders, results), run.text + run.err)

    def test_corrected(self):
        for name, _, _ in RACY:
            with self.subTest(name):
                run = Explored(os.path.join(TESTCASES, name + "-fixed"))
                self.assertEqual((run.code, run.orders), (0, 1), run.text + run.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
