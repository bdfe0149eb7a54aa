#!/usr/bin/env python3
"""What a test began ends with it, also processes that have no parent (checked.py, tools/left.py)."""
import os
import subprocess
import sys
import unittest

import checked

HERE = os.path.dirname(os.path.abspath(__file__))
# Begins a process in a session of its own, which soon has no parent, and prints its id.
LEAVES = ["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"]


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Left(unittest.TestCase):
    def test_it_lives_until_the_test_ends(self):
        text = f"import os, checked; print(checked.run({LEAVES}, dict(os.environ))[1]); input()"
        with subprocess.Popen([sys.executable, "-c", text], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as test:
            process = int(test.stdout.readline())
            self.assertTrue(is_alive(process))
            test.communicate("\n")
        self.assertEqual((test.returncode, is_alive(process)), (0, False))

    def test_one_run_is_ended_without_the_others(self):
        env = {name: {**os.environ, checked.MARK: f"{checked.OWN_MARK}-{name}-"} for name in ("one", "other")}
        one, other = (int(subprocess.run(LEAVES, env=each, check=True, capture_output=True).stdout) for each in env.values())
        ended = checked.left.end(checked.MARK, env["one"][checked.MARK])
        self.assertEqual((list(ended), is_alive(one), is_alive(other)), ([one], False, True))


if __name__ == "__main__":
    unittest.main()
