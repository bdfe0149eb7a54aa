#!/usr/bin/env python3
"""Frames of a program whose debug information lies where distributions and build systems put it.

usage: check_symbols.py STREAMCHECK CC
"""
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

COMMAND = CC = None
SOURCE = """void place(void);
static inline __attribute__((always_inline)) void inner(void)
{
	place();
}

__attribute__((noinline)) void outer(void)
{
	inner();
	__asm__ volatile("");
}

__attribute__((noinline)) void place(void) { __asm__ volatile(""); }
int main(void) { outer(); return 0; }
"""
WHOLE = [("inner", 4, True), ("outer", 9, False)]
NAMES = [("outer", 0, False)]


class Symbols(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="streamcheck-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.app = os.path.join(self.folder, "app")
        with open(os.path.join(self.folder, "app.c"), "w", encoding="utf-8") as file:
            file.write(SOURCE)

    def tool(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(command[0] + " is not installed")
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True,
                              text=True).stdout

    def build(self, *options):
        self.tool(CC, "-O2", "-g", "-Wl,--build-id", *options, "app.c", "-o", "app")
        self.trace()

    def trace(self):
        """A trace of one wasted wait, made where outer() returns from place()."""
        code = self.tool("objdump", "-d", "--no-show-raw-insn", "app")
        body = re.search(r"<outer>:\n(.*?)\n\n", code, re.S)[1]
        lines = [int(line.split(":")[0], 16) for line in body.splitlines()]
        call = next(i for i, line in enumerate(body.splitlines()) if "<place" in line)
        at = lines[call + 1]
        load = next(line.split() for line in self.tool("readelf", "-lW", "app").splitlines()
                    if "LOAD" in line and " R E " in line)
        offset, address, size = (int(load[i], 16) for i in (1, 2, 4))
        self.build_id = re.search(r"Build ID: (\w+)", self.tool("readelf", "-n", "app"))[1]
        with open(os.path.join(self.folder, "t.sct.txt"), "w", encoding="utf-8") as file:
            file.write(f'map {0x10000000 + address} {size} {offset} "{self.app}" build_id={self.build_id}\n'
                       f"stack 1 {0x10000000 + at:#x}\n"
                       "alloc d 1024\nalloc p 1024 pinned\n"
                       "copy s1 p <- d 1024 stack=1\nhost_read p 4\nexit 0\n")

    def frames(self, *options, **env):
        subprocess.run([COMMAND, "analyze", "--format=json", "--output=out.json", *options,
                        "t.sct.txt"], cwd=self.folder, check=False, capture_output=True, timeout=60,
                       env={"PATH": os.environ["PATH"], **env})
        with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as file:
            frames = json.load(file)["findings"][0]["accesses"][0]["frames"]
        return [(f["function"], f["line"], f["inlined"]) for f in frames]

    def split(self):
        self.tool("objcopy", "--only-keep-debug", "app", "app.debug")

    def test_inside(self):
        self.build()
        self.assertEqual(self.frames(), WHOLE)

    def test_stripped_of_debug(self):
        self.build()
        self.tool("strip", "--strip-debug", "app")
        self.assertEqual(self.frames(), NAMES)

    def test_debuglink(self):
        self.build()
        self.split()
        self.tool("strip", "app")
        self.tool("objcopy", "--add-gnu-debuglink=app.debug", "app")
        self.assertEqual(self.frames(), WHOLE)
        os.mkdir(os.path.join(self.folder, ".debug"))
        os.rename(self.app + ".debug", os.path.join(self.folder, ".debug", "app.debug"))
        self.assertEqual(self.frames(), WHOLE)

    def test_debug_file_of_another_build(self):
        self.build("-DOTHER", "-Wl,--build-id=0x" + "12" * 20)
        self.split()
        self.build()
        self.tool("strip", "app")
        self.tool("objcopy", "--add-gnu-debuglink=app.debug", "app")
        self.assertNotEqual(self.frames(), WHOLE)

    def test_compressed(self):
        self.build("-gz")
        self.assertEqual(self.frames(), WHOLE)

    def test_dwo(self):
        self.build("-gsplit-dwarf")
        self.assertEqual(self.frames(), WHOLE)
        for name in os.listdir(self.folder):
            if name.endswith(".dwo"):
                os.unlink(os.path.join(self.folder, name))
        self.assertEqual(self.frames()[-1][0], "outer")

    def test_build_id_below_a_root(self):
        self.build()
        self.split()
        self.tool("strip", "app")
        place = os.path.join(self.folder, "root", ".build-id", self.build_id[:2])
        os.makedirs(place)
        os.rename(self.app + ".debug", os.path.join(place, self.build_id[2:] + ".debug"))
        self.assertNotEqual(self.frames(), WHOLE)
        self.assertEqual(self.frames("--debug-root=" + os.path.join(self.folder, "root")), WHOLE)

    def test_debuglink_below_a_root(self):
        self.build()
        self.split()
        self.tool("strip", "app")
        self.tool("objcopy", "--add-gnu-debuglink=app.debug", "app")
        place = os.path.join(self.folder, "root", self.folder.lstrip("/"))
        os.makedirs(place)
        os.rename(self.app + ".debug", os.path.join(place, "app.debug"))
        self.assertNotEqual(self.frames(), WHOLE)
        self.assertEqual(self.frames("--debug-root=root"), WHOLE)

    def test_package_of_split_units(self):
        self.build("-gsplit-dwarf", "-gdwarf-4")
        self.tool("dwp", "-e", "app")
        for name in os.listdir(self.folder):
            if name.endswith(".dwo"):
                os.unlink(os.path.join(self.folder, name))
        # Older elfutils do not read packages: the skeleton still knows the function and its lines.
        frames = self.frames()
        self.assertIn(frames, (WHOLE, [("outer", 4, False)]))

    def comment(self, line, words):
        """Appends a comment to a line of the source."""
        with open(os.path.join(self.folder, "app.c"), encoding="utf-8") as file:
            lines = file.read().split("\n")
        lines[line - 1] += words
        with open(os.path.join(self.folder, "app.c"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))

    def analyze(self, *options):
        done = subprocess.run([COMMAND, "analyze", "--html=no", *options, "t.sct.txt"], cwd=self.folder,
                              check=False, capture_output=True, timeout=60, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_report_says_that_lines_are_missing(self):
        self.build()
        self.assertNotIn("no lines:", self.analyze()[1])
        self.tool("strip", "--strip-debug", "app")
        self.assertEqual(re.findall(r"no lines: (.*);", self.analyze()[1]), ["app was built without -g"])
        self.tool("strip", "app")
        self.assertEqual(re.findall(r"no lines: (.*);", self.analyze()[1]), ["app is stripped, or is not here as it ran"])

    def test_report_says_that_the_program_was_built_again(self):
        self.build("-DOTHER", "-Wl,--build-id=0x" + "12" * 20)
        os.rename(self.app, self.app + ".next")
        self.build()
        os.rename(self.app + ".next", self.app)
        for extra in ([], ["--format=html", "--output=-"]):
            self.assertIn(f"another build of app (build id {'12' * 20}) is where the recorded one was", self.analyze(*extra)[1])
        self.assertNotIn("stripped", self.analyze()[1])
        self.tool("objcopy", "--remove-section=.note.gnu.build-id", "app")
        self.assertIn("another build of app (without a build id) is where", self.analyze()[1])
        os.unlink(self.app)
        self.assertIn("no lines: app is stripped, or is not here as it ran;", self.analyze()[1])

    def test_columns_are_those_of_the_source(self):
        for name, known in (("app.c", True), ("x.cudafe1.c", False)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write('#line 1 "app.c"\n' + SOURCE)
            self.tool(CC, "-O2", "-g", "-Wl,--build-id", "-o", "app", name)
            self.trace()
            for form, column in (("gcc", "app.c:4:2: "), ("github", "app.c,line=4,col="), ("sarif", '"startColumn"')):
                said = self.analyze("--format=" + form, "--output=-")[1]
                self.assertEqual(column in said, known, f"{form} {name}\n{said}")
                self.assertRegex(said, "app.c(:4: |,line=4,)" if form != "sarif" and not known else "app.c")

    def test_suppressions_name_the_innermost_own_function(self):
        self.build()
        said = self.analyze("--gen-suppressions")[1]
        self.assertRegex(said, r"(?m)^rule = SC-101\nfirst = inner\nmodule = app\n\n")
        self.assertRegex(self.analyze("--gen-suppressions", "--own=nothing*")[1], r"(?m)^first = inner\n")

    def test_comment_hides_at_its_line(self):
        self.build()
        self.assertEqual(self.analyze()[0], 66)
        self.comment(4, " // streamcheck: ignore SC-101 nobody looks at it")
        code, said = self.analyze()
        self.assertEqual(code, 0, said)
        self.assertIn("1 suppressed", said)
        self.assertNotIn("hid nothing", said)
        self.analyze("--format=sarif", "--output=out.sarif")
        with open(os.path.join(self.folder, "out.sarif"), encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        self.assertEqual([r["suppressions"] for r in results if r["ruleId"] == "SC-101"],
                         [[{"kind": "inSource", "justification": "nobody looks at it"}]])
        self.assertEqual(self.analyze("--comments=no")[0], 66)
        baseline = subprocess.run([COMMAND, "baseline", "t.sct.txt"], cwd=self.folder, check=True,
                                  capture_output=True, timeout=60, text=True).stdout
        self.assertNotIn("SC-101", baseline)

    def test_comment_that_hides_nothing_is_said(self):
        self.build()
        self.comment(14, " // streamcheck: ignore SC-101 far from it")
        code, said = self.analyze()
        self.assertEqual(code, 66)
        self.assertIn("app.c:14: the comment that ignores SC-101 hid nothing", said)
        with open(os.path.join(self.folder, "t.sct.txt"), encoding="utf-8") as file:
            text = file.read().replace("host_read p 4\n", "stream_sync s1\nhost_read p 4\n")
        with open(os.path.join(self.folder, "t.sct.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        self.assertIn("app.c:14: the comment that ignores SC-101 hid nothing", self.analyze()[1])
        self.assertNotIn("hid nothing", self.analyze("--comments=no")[1])
        with open(os.path.join(self.folder, "t.sct.txt"), "w", encoding="utf-8") as file:
            file.write('map 0x7f0000000000 200000000 0 "/nowhere/large.so"\n' + text)
        self.assertNotIn("hid nothing", self.analyze()[1])
        self.assertIn("app.c:14: the comment that ignores SC-101 hid nothing", self.analyze("--comments=all")[1])

    def test_unused_comment_is_said_whatever_the_debug_information(self):
        """The names of calls are looked up only if a source file has a comment: it is found in all forms of line tables."""
        os.mkdir(os.path.join(self.folder, "below"))
        header = os.path.join(self.folder, "below", "inner.h")
        with open(self.app + ".c", encoding="utf-8") as file:
            declared, static, rest = re.split(r"(?s)(static.*?\n}\n)", file.read())
        with open(self.app + ".c", "w", encoding="utf-8") as file:
            file.write(f'{declared}#include "inner.h"{rest}')
        for options in (("-gdwarf-3",), ("-gdwarf-4",), ("-gdwarf-5",), ("-gdwarf-4", "-gz"), ("-gdwarf-5", "-gz"),
                        ("-gsplit-dwarf",), ("-g1",), ("-flto",), ("debuglink",)):
            with self.subTest(options=options):
                with open(header, "w", encoding="utf-8") as file:
                    file.write(static)
                self.build(*(o for o in options if o != "debuglink"), "-Ibelow")
                if "debuglink" in options:
                    self.split()
                    self.tool("strip", "app")
                    self.tool("objcopy", "--add-gnu-debuglink=app.debug", "app")
                with open(os.path.join(self.folder, "t.sct.txt"), encoding="utf-8") as file:
                    text = file.read().replace("host_read p 4\n", "stream_sync s1\nhost_read p 4\n")
                with open(os.path.join(self.folder, "t.sct.txt"), "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertNotIn("hid nothing", self.analyze()[1])
                with open(header, "a", encoding="utf-8") as file:
                    file.write("// streamcheck: ignore SC-101 nothing is here\n")
                self.assertIn("inner.h:5: the comment that ignores SC-101 hid nothing", self.analyze()[1])

    def test_debuginfod_only_when_asked(self):
        self.build()
        served = os.path.join(self.folder, "served", "buildid", self.build_id)
        os.makedirs(served)
        self.split()
        os.rename(self.app + ".debug", os.path.join(served, "debuginfo"))
        self.tool("strip", "--strip-debug", "app")
        asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                asked.append(self.path)

        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=os.path.join(self.folder, "served")))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        env = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}",
               "DEBUGINFOD_CACHE_PATH": os.path.join(self.folder, "cache"), "HOME": self.folder}
        self.assertEqual(self.frames(**env), NAMES)
        self.assertEqual(asked, [])
        found = self.frames("--debuginfod", **env)
        if not asked and not os.path.exists(env["DEBUGINFOD_CACHE_PATH"]):
            self.skipTest("libdebuginfod is not installed")
        self.assertEqual(found, WHOLE)
        self.assertEqual(asked, [f"/buildid/{self.build_id}/debuginfo"])


if __name__ == "__main__":
    COMMAND, CC = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
