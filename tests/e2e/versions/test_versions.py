#!/usr/bin/env python3
"""One version of CUDA on the simulated device: programs that are compiled with its headers and linked with its
runtime, what our runtime of that version offers, and what becomes of NVIDIA's own runtime.

usage: test_versions.py PREFIX INCLUDES LIBRARIES CUDA-INCLUDES CUDA-PROGRAMS SOURCES   (77: the version is missing)
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import checked

HERE = os.path.dirname(os.path.abspath(__file__))
# Programs ask for what these offer with this version; 12.9 and 11.8 are the last of theirs, and 13.5 that of the headers.
LAST = {11: "11.8", 12: "12.9", 13: "13.5"}


def output(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stdout}")
    return done.stdout


def doctor(prefix, program):
    """What doctor says of a program that does not run on the simulated device, or does: by its exit code."""
    done = subprocess.run([os.path.join(prefix, "bin", "streamcheck"), "doctor", program], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    refused = "so it does not run on the simulated device" in done.stdout
    if done.returncode != int(refused):
        raise AssertionError(f"doctor ended with {done.returncode}: {done.stdout}")
    return done.stdout


def names(library):
    """The names that a library exports, each with its version."""
    lines = output("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[-1].replace("@@", "@") for line in lines if "cuda" in line and " A " not in line}


def version_of(includes):
    """What the headers are of, as (12, "12.9")."""
    with open(os.path.join(includes, "cuda_runtime_api.h"), encoding="utf-8") as file:
        number = int(re.search(r"#define CUDART_VERSION\s+(\d+)", file.read()).group(1))
    return number // 1000, f"{number // 1000}.{number % 1000 // 10}"


class Versions(unittest.TestCase):
    prefix = includes = library = toolkit = programs = sources = ""

    @classmethod
    def setUpClass(cls):
        cls.major, cls.version = version_of(cls.includes)
        cls.folder = tempfile.TemporaryDirectory(prefix="streamcheck-versions-")
        cls.addClassCleanup(cls.folder.cleanup)
        output(os.path.join(cls.programs, "fatbinary"), "-64", f"--create={cls.folder.name}/kernels.fatbin",
               f"--image3=kind=ptx,sm=52,file={HERE}/kernels.ptx")
        cls.ours = os.path.join(checked.simulator(cls.prefix), os.path.basename(cls.library))

    def compile(self, name, *flags, library=None):
        """The older packages lack one header, of macros, which is the toolkit's then."""
        program = os.path.join(self.folder.name, name + re.sub(r"\W", "", "".join(flags))[:20])
        output("cc", "-g", "-std=gnu17", "-D_GNU_SOURCE", "-Wno-deprecated-declarations", f"-Wa,-I{self.folder.name}",
               f"-I{self.includes}", f"-I{self.toolkit}", os.path.join(HERE, name + ".c"), "-o", program,
               library or self.library, *flags, "-lpthread", "-ldl")
        return program

    def run_all(self, program, *arguments):
        for schedule in checked.SCHEDULES:
            yield checked.check(self.prefix, program, "run", "sim", schedule, arguments)

    def doctor(self, program):
        return doctor(self.prefix, program)

    def test_our_runtime_has_the_names_of_this_version(self):
        ours, theirs = names(self.ours), names(self.library)
        if self.version == LAST[self.major]:
            self.assertEqual(ours ^ theirs, set())
        else:
            self.assertEqual(theirs - ours, set())

    def test_the_recorder_stands_in_for_each_name(self):
        recorder = names(checked.library(self.prefix))
        missing = {name for name in names(self.library) & names(self.ours)
                   if not name.startswith(("__", "cudaGetErrorName@", "cudaGetErrorString@"))} - recorder
        self.assertEqual(missing, set())

    def test_tables_agree_with_the_headers(self):
        if self.major < 13:
            output("cc", "-std=c17", "-fsyntax-only", f"-DMAJOR={self.major}", f"-I{self.includes}",
                   f"-I{self.toolkit}", f"-I{self.sources}", os.path.join(HERE, "layout.c"))

    def test_calls_that_changed_do_what_they_did(self):
        for name in ("forms", "first"):
            for result in self.run_all(self.compile(name)):
                self.assertEqual((result.code, result.out), (0, "all forms are right\n"), result.err)
                self.assertTrue(result.report["complete"], result.err)

    def test_a_race_is_found_with_lines_and_exact_bytes(self):
        for result in self.run_all(self.compile("race")):
            self.assertEqual([(f["rule"], f["confidence"]) for f in result.findings], [("SC-105", "proven")],
                             result.err)
            self.assertEqual(result.code, 66)
            self.assertIn("race.c:", result.err)
            self.assertIn("bytes known exactly in 2 of 2 launches", result.err)

    def test_our_static_runtime_does_the_same(self):
        folder = "" if self.major == 13 else f"cuda{self.major}"
        archive = os.path.join(checked.simulator(self.prefix), folder, "libcudart_static.a")
        for name in ("race", "forms", "first"):
            program = self.compile(name, library=archive)
            result = checked.check(self.prefix, program, "run", "sim")
            self.assertEqual(result.code, 66 if name == "race" else 0, result.err)
            self.assertNotIn("simulator/runtime", result.err)

    def test_the_corrected_program_is_clean(self):
        for result in self.run_all(self.compile("race"), "fixed"):
            self.assertEqual((result.code, result.findings), (0, []), result.err)
            self.assertTrue(result.report["complete"], result.err)

    def test_a_second_runtime_does_not_take_the_place_of_the_first(self):
        program = self.compile("both")
        for other in ("libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"):
            result = checked.check(self.prefix, program, "run", "sim", arguments=(other,))
            self.assertEqual((result.code, result.out), (0, f"linked {self.major}, found {self.major}\n"), result.err)

    def test_doctor_says_that_the_program_runs_here(self):
        self.assertIn(f"{os.path.basename(self.library)}: runs on a GPU and on the simulated device",
                      self.doctor(self.compile("race")))

    def test_nvidias_runtime_by_path_is_refused_before_the_run(self):
        beside = shutil.copy(self.library, self.folder.name)
        for folder, found in ((os.path.dirname(self.library), self.library), ("/nowhere:$ORIGIN/.", beside)):
            program = self.compile("race", f"-Wl,-rpath,{folder}", "-Wl,--disable-new-dtags")
            result = checked.check(self.prefix, program, "run", "sim")
            self.assertEqual(result.code, 2, result.err)
            for text in (result.err, self.doctor(program)):
                self.assertRegex(text.replace("/./", "/"),
                                 f"NVIDIA's runtime {re.escape(found)}, which refuses the simulated device")

    def test_a_runpath_is_no_obstacle(self):
        program = self.compile("race", f"-Wl,-rpath,{os.path.dirname(self.library)}", "-Wl,--enable-new-dtags")
        result = checked.check(self.prefix, program, "run", "sim")
        self.assertEqual((result.code, len(result.findings)), (66, 1), result.err)

    def test_nvidias_runtime_that_is_loaded_late_makes_the_run_incomplete(self):
        program = os.path.join(self.folder.name, "late")
        output("cc", os.path.join(HERE, "late.c"), "-o", program, "-ldl")
        result = checked.check(self.prefix, program, "run", "sim", arguments=(self.library,))
        self.assertEqual((result.code, result.out), (3, "error 801\n"), result.err)
        self.assertIn("NVIDIA's own CUDA runtime, which refuses the simulated device", result.err)
        result = checked.check(self.prefix, program, "run", "sim", arguments=(os.path.basename(self.library),))
        self.assertEqual((result.code, result.out), (0, "error 0\n"), result.err)

    def test_nvidias_runtime_of_a_python_package_gives_way_to_ours(self):
        """As PyTorch's wheel has it: a library with a DT_RPATH to another package."""
        packages = os.path.join(self.folder.name, "site-packages")
        os.makedirs(packages, exist_ok=True)
        beside = shutil.copy(self.library, packages)
        part, program = os.path.join(packages, "libpart.so"), os.path.join(self.folder.name, "late")
        output("cc", "-shared", "-xc", "/dev/null", "-o", part, "-Wl,--no-as-needed", "-xnone", beside,
               "-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags")
        output("cc", os.path.join(HERE, "late.c"), "-o", program, "-ldl")
        result = checked.check(self.prefix, program, "run", "sim", arguments=(part,))
        self.assertEqual((result.code, result.out), (3, "error 801\n"), result.err)
        advice = re.search(r"run with LD_PRELOAD=(\S+/libcudart\.so\.[\d.]+)$", result.err, re.M)
        self.assertTrue(advice, result.err)
        result = checked.check(self.prefix, program, "run", "sim", arguments=(part,), extra={"LD_PRELOAD": advice[1]})
        self.assertEqual((result.code, result.out), (0, "error 0\n"), result.err)


class Missing(unittest.TestCase):
    """A version that is not there: a program that was made to ask for it."""

    def test_a_version_that_the_simulated_device_lacks_is_named(self):
        with tempfile.TemporaryDirectory(prefix="streamcheck-versions-") as folder:
            library = os.path.join(folder, "libcudart.so.10.2")
            output("cc", "-shared", "-Wl,-soname,libcudart.so.10.2", "-x", "c", "/dev/null", "-o", library)
            program = os.path.join(folder, "late")
            output("cc", os.path.join(HERE, "late.c"), "-o", program, "-Wl,--no-as-needed", library, "-ldl")
            result = checked.check(Versions.prefix, program, "run", "sim")
            self.assertEqual(result.code, 2, result.err)
            said = doctor(Versions.prefix, program)
            for text in (result.err, said):
                self.assertIn("needs libcudart.so.10.2, which the simulated device does not have", text)


def main():
    prefix, includes, libraries, toolkit, programs, sources = map(os.path.abspath, sys.argv[1:7])
    found = sorted(glob.glob(os.path.join(libraries, "libcudart.so.*")), key=len)
    if not found or not os.path.exists(os.path.join(includes, "cuda_runtime_api.h")):
        print(f"no CUDA runtime at {libraries}")
        sys.exit(77)
    Versions.prefix, Versions.includes, Versions.library = prefix, includes, found[0]
    Versions.toolkit, Versions.programs, Versions.sources = toolkit, programs, sources
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
