#!/usr/bin/env python3
"""demo.sh and what it uses, with tools that fail: they stop, and show what failed and nothing else."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A build whose second step fails while the others go on.
BUILD = """echo '[1/3] Building one.o'
echo 'FAILED: two.o'
echo 'cc -c two.c'
echo 'two.c:1: error: no such thing'
echo '[3/3] Building three.o'
echo 'ninja: build stopped: subcommand failed.'
exit 1
"""


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = os.path.join(folder.name, "tree")
        self.bin = os.path.join(folder.name, "bin")
        os.makedirs(os.path.join(self.tree, "tests/e2e"))
        os.makedirs(self.bin)
        shutil.copytree(os.path.join(ROOT, "tools"), os.path.join(self.tree, "tools"))
        shutil.copy(os.path.join(ROOT, "demo.sh"), self.tree)
        os.makedirs(os.path.join(self.tree, "out/cuda/headers"))
        shutil.copy(os.path.join(ROOT, "tools/headers.txt"), os.path.join(self.tree, "out/cuda/headers/packages"))
        self.called = os.path.join(folder.name, "called")
        for name, body in {"nvcc": "", "id": "echo 0\n", "dpkg-query": "echo installed\n"}.items():
            self.fake(name, body)

    def fake(self, name, body):
        """A tool that notes that it was called, and does what the shell text says."""
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "{name} $*" >>{self.called}\n{body}')
        os.chmod(path, 0o755)

    def run_demo(self):
        env = {**os.environ, "PATH": self.bin + os.pathsep + os.environ["PATH"]}
        got = subprocess.run([os.path.join(self.tree, "demo.sh")], env=env, check=False,
                             capture_output=True, text=True)
        with open(self.called, encoding="utf-8") as file:
            return got.returncode, got.stdout + got.stderr, file.read()

    def test_a_failed_build_installs_nothing(self):
        self.fake("cmake", f'case $1 in\n--build) {BUILD};;\nesac\n')
        code, said, called = self.run_demo()
        self.assertEqual(code, 1)
        self.assertIn("cmake --build", called)
        self.assertNotIn("cmake --install", called)
        self.assertIn("FAILED: two.o\ncc -c two.c\ntwo.c:1: error: no such thing\n", said)
        self.assertNotIn("one.o", said)
        self.assertNotIn("three.o", said)

    def test_a_failed_configuration_builds_nothing(self):
        self.fake("cmake", "echo '-- found a thing'\necho 'CMake Error at CMakeLists.txt:1:'\n"
                           "echo '  no such module'\nexit 1\n")
        code, said, called = self.run_demo()
        self.assertEqual(code, 1)
        self.assertNotIn("cmake --build", called)
        self.assertIn("CMake Error at CMakeLists.txt:1:\n  no such module\n", said)
        self.assertNotIn("found a thing", said)

    def test_a_failed_package_ends_it(self):
        self.fake("dpkg-query", "exit 1\n")
        self.fake("apt-get", 'case "$*" in\n"install -q"*) echo "Unpacking one (1.0)"\n'
                             'echo "E: no room for two"\nexit 100 ;;\nesac\n')
        code, said, called = self.run_demo()
        self.assertEqual(code, 1)
        self.assertIn("E: no room for two", said)
        self.assertNotIn("\ncmake ", called)

    def test_what_succeeds_is_shown_by_its_step(self):
        self.fake("cmake", "echo '[1/1] Building one.o'\n")
        with open(os.path.join(self.tree, "tests/e2e/demo.py"), "w", encoding="utf-8") as file:
            file.write("print('the table')\n")
        code, said, called = self.run_demo()
        self.assertEqual(code, 0, said)
        self.assertIn("cmake --install", called)
        self.assertTrue(said.endswith("the table\n"), said)
        self.assertIn("[2/3] building", said)

    def run_tests(self, text):
        """What progress.py shows of a command that stands for ctest."""
        return subprocess.run([sys.executable, os.path.join(self.tree, "tools/progress.py"), "--tests", "sh", "-c", text],
                              check=False, capture_output=True, text=True)

    def test_lines_and_code_of_tests_are_passed_on(self):
        done = self.run_tests("echo '    Start  1: unit.a'; echo '1/1 Test  #1: unit.a ...***Failed'; exit 8")
        self.assertEqual((done.returncode, done.stdout),
                         (8, "    Start  1: unit.a\n1/1 Test  #1: unit.a ...***Failed\n"), done.stderr)

    def test_a_process_that_a_test_left_is_ended(self):
        done = self.run_tests("setsid sleep 1000 >/dev/null 2>&1 & echo $!")
        process = int(done.stdout)
        self.assertIn(f"a test left process {process}, which was ended: ", done.stderr)
        while os.path.exists(f"/proc/{process}"):
            with open(f"/proc/{process}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    break


if __name__ == "__main__":
    unittest.main()
