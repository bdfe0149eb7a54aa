#!/usr/bin/env python3
"""What packaging/manylinux/check.py says of a wheel: usage: test_check.py FOLDER   (of the built wheel)"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDER = sys.argv[1]


def check(version, path):
    done = subprocess.run([sys.executable, os.path.join(ROOT, "packaging/manylinux/check.py"), version, path],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Check(unittest.TestCase):
    def setUp(self):
        (self.path,) = glob.glob(os.path.join(FOLDER, "streamcheck-*.whl"))
        self.minor = int(re.search(r"-manylinux_2_(\d+)_", self.path)[1])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def without(self, *endings):
        """The wheel without the files whose names end so."""
        path = os.path.join(self.folder, os.path.basename(self.path))
        with zipfile.ZipFile(self.path) as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                if not name.endswith(endings):
                    new.writestr(name, old.read(name))
        return path

    def test_its_own_version(self):
        code, said, wrong = check(f"2.{self.minor}", self.path)
        self.assertEqual((code, wrong), (0, ""))
        self.assertIn("lib/libstreamcheck.so: glibc 2.", said)
        self.assertIn(f"glibc 2.{self.minor}\n", said)

    def test_an_older_one(self):
        code, _, wrong = check(f"2.{self.minor - 1}", self.path)
        self.assertEqual(code, 1)
        self.assertIn("has no tag of glibc", wrong)
        self.assertRegex(wrong, rf"streamcheck/tree/\S+ needs glibc 2\.{self.minor}\n")

    def test_a_tag_that_promises_too_much(self):
        path = os.path.join(self.folder, os.path.basename(self.path).replace(f"_2_{self.minor}_", "_2_5_"))
        shutil.copy(self.path, path)
        code, _, wrong = check("2.5", path)
        self.assertEqual(code, 1)
        self.assertNotIn("has no tag", wrong)
        self.assertIn("bin/streamcheck needs glibc 2.", wrong)

    def test_a_library_that_is_not_carried(self):
        code, _, wrong = check(f"2.{self.minor}", self.without("/libelf.so.1"))
        self.assertEqual(code, 1)
        self.assertIn("bin/streamcheck needs libelf.so.1\n", wrong)

    def test_nothing_to_check(self):
        code, _, wrong = check(f"2.{self.minor}", self.without("/bin/streamcheck", ".so", ".so.1", ".1.0", ".5", ".0", ".12", ".13"))
        self.assertEqual(code, 1)
        self.assertIn("no program", wrong)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
