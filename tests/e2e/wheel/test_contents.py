#!/usr/bin/env python3
"""What is in the wheel: usage: test_contents.py FOLDER STAGE VERSION

Its record is right, its tag is that of the newest symbol, it has licences and a bill of materials, and building it again gives the
same bytes.
"""
import base64
import csv
import glob
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDER, STAGE, BUILD = sys.argv[1], sys.argv[2], sys.argv[3:4]
WANTED = ("streamcheck/tree/bin/streamcheck", "streamcheck/tree/lib/libstreamcheck.so", "streamcheck/py.typed",
          "streamcheck/tree/lib/streamcheck/libdw.so.1", "streamcheck/tree/lib/streamcheck/sim/libcuda.so.1",
          "streamcheck/tree/include/streamcheck/streamcheck.h", "streamcheck/pytest_plugin.py",
          "streamcheck/tree/share/streamcheck/python/sitecustomize.py")
LICENCES = ("LICENSE", "NOTICE", "GPL-3.0.txt", "LGPL-3.0.txt", "third-party.txt")


def build(folder, epoch):
    env = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    done = subprocess.run([sys.executable, os.path.join(ROOT, "packaging/python/wheel.py"), STAGE, folder, *BUILD],
                          env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Contents(unittest.TestCase):
    def setUp(self):
        (self.path,) = glob.glob(os.path.join(FOLDER, f"streamcheck-{BUILD[0]}-*.whl"))
        self.wheel = zipfile.ZipFile(self.path)
        self.addCleanup(self.wheel.close)
        self.info = f"streamcheck-{BUILD[0]}.dist-info/"

    def test_what_is_needed_is_there(self):
        names = self.wheel.namelist()
        for name in WANTED:
            self.assertIn(name, names)
        self.assertTrue(self.wheel.getinfo(WANTED[0]).external_attr >> 16 & 0o111)

    def test_the_record_is_right(self):
        rows = {r[0]: r[1:] for r in csv.reader(io.StringIO(self.wheel.read(self.info + "RECORD").decode()))}
        self.assertEqual(sorted(rows), sorted(self.wheel.namelist()))
        for name, (digest, size) in rows.items():
            if not name.endswith("/RECORD"):
                content = self.wheel.read(name)
                sha = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), ("sha256=" + sha, str(len(content))), name)

    def test_the_tag_is_the_newest_symbols(self):
        newest = (0, 0)
        with tempfile.TemporaryDirectory() as folder:
            for name in self.wheel.namelist():
                if self.wheel.read(name)[:4] == b"\x7fELF":
                    said = subprocess.run(["readelf", "--wide", "--version-info", self.wheel.extract(name, folder)],
                                          capture_output=True, text=True, check=True).stdout
                    needs = said.partition("Version needs")[2]
                    newest = max([newest, *(tuple(map(int, v)) for v in re.findall(r"GLIBC_(\d+)\.(\d+)", needs))])
        tag = "py3-none-manylinux_{}_{}_x86_64".format(*newest)
        self.assertTrue(self.path.endswith(f"-{tag}.whl"), (self.path, newest))
        self.assertIn(f"Tag: {tag}\n", self.wheel.read(self.info + "WHEEL").decode())

    def test_licences_and_bill_of_materials(self):
        metadata = self.wheel.read(self.info + "METADATA").decode()
        for name in LICENCES:
            self.assertIn(f"License-File: {name}\n", metadata)
            self.assertGreater(len(self.wheel.read(f"{self.info}licenses/{name}")), 100)
        bill = json.loads(self.wheel.read(self.info + "sboms/streamcheck.spdx.json"))
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        versions = {p["name"]: p["versionInfo"] for p in bill["packages"]}
        related = {r["relatedSpdxElement"] for r in bill["relationships"]}
        self.assertEqual(related, {p["SPDXID"] for p in bill["packages"]})
        self.assertEqual(versions.pop("streamcheck"), BUILD[0])
        for name, version in versions.items():
            self.assertRegex(version, r"^\d+(\.\d+)+$", name)

    def test_all_that_is_carried_is_in_the_bill(self):
        bill = json.loads(self.wheel.read(self.info + "sboms/streamcheck.spdx.json"))
        known = {p["name"] for p in bill["packages"]}
        self.assertLessEqual({"streamcheck", "elfutils", "zlib", "zstd", "uthash"}, known)
        with open(os.path.join(ROOT, "packaging", "components.json"), encoding="utf-8") as file:
            rows = [row for row in json.load(file) if "carried" in row]
        for name in self.wheel.namelist():
            found = re.fullmatch(r"streamcheck/tree/lib/streamcheck/(lib[a-z0-9]+\.so[.\d]*)", name)
            owners = [row["name"] for row in rows if found and re.fullmatch(row["carried"], found[1])]
            self.assertTrue(not found or (owners and set(owners) <= known), name)

    def test_the_same_bytes_again(self):
        with tempfile.TemporaryDirectory() as folder:
            digests = []
            for number in (1, 2):
                with open(build(os.path.join(folder, str(number)), "1700000000"), "rb") as file:
                    digests.append(hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(*digests)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
