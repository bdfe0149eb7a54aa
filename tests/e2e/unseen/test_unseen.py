#!/usr/bin/env python3
"""Kernels whose module is loaded by no call that is seen: their code is found in the file that carries it.

usage: test_unseen.py PREFIX CUDA-INCLUDES CUDA-PROGRAMS
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import checked

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "versions", "kernels.ptx")
PTX_ONLY = {"STREAMCHECK_SIM_KERNELS": "skip"}  # the simulated device records what it executes
KNOWN = "bytes known exactly in 2 of 2 launches"


def output(*command, cwd=None):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=cwd)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stdout}")
    return done.stdout


def without_sections(path):
    """Takes the file's section headers away, as strip --strip-section-headers does."""
    with open(path, "r+b") as file:
        file.seek(40)
        file.write(struct.pack("<Q", 0))  # e_shoff
        file.seek(58)
        file.write(struct.pack("<HHH", 0, 0, 0))  # e_shentsize, e_shnum, e_shstrndx


def patch_section(path, offset, value):
    """Writes eight bytes at this offset of the section header of .nvFatBinSegment."""
    with open(path, "r+b") as file:
        data = file.read()
        start, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        strings, = struct.unpack_from("<Q", data, start + names * 64 + 24)
        for header in range(start, start + count * 64, 64):
            name, = struct.unpack_from("<I", data, header)
            if data[strings + name:].startswith(b".nvFatBinSegment\0"):
                file.seek(header + offset)
                file.write(struct.pack("<Q", value))
                return
    raise AssertionError(f"{path} has no such section")


class Unseen(unittest.TestCase):
    prefix = includes = programs = ""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="streamcheck-unseen-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        with open(KERNELS, encoding="utf-8") as file:
            text = file.read()
        cls.write("kernels.ptx", text)
        cls.write("lines.ptx", text.replace("\n", "\n\n"))
        cls.write("other.ptx", text.replace("mul.wide.s32 %rd2, %r4, 4;", "mul.wide.s32 %rd2, %r4, 8;"))
        cls.write("away.ptx", re.sub(r"\b(produce|consume)\b", r"\1_away", text))
        for name in ("kernels", "lines", "other", "away"):
            cls.fatbin(name, f"kind=ptx,sm=52,file={cls.folder}/{name}.ptx")
        for name in ("kernels", "away"):
            code = os.path.join(cls.folder, name + ".cubin")
            output(os.path.join(cls.programs, "ptxas"), "-arch=sm_90", f"{cls.folder}/{name}.ptx", "-o", code)
            cls.fatbin(f"{name}_code", f"kind=elf,sm=90,file={code}")

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def fatbin(cls, name, image):
        output(os.path.join(cls.programs, "fatbinary"), "-64", f"--create={cls.folder}/{name}.fatbin", f"--image3={image}")

    def compile(self, source, name, *flags):
        path = os.path.join(self.folder, name)
        output("cc", "-g", "-std=gnu17", "-D_GNU_SOURCE", f"-I{self.includes}", os.path.join(HERE, source + ".c"), "-o", path,
               *flags, "-ldl", cwd=self.folder)
        return path

    def program(self, name, *flags, other=None):
        return self.compile("race", name, *flags, *([f'-DOTHER="{other}.fatbin"'] if other else []))

    def expect_proven(self, program, *arguments):
        for mode in ("run", "bare"):
            result = checked.check(self.prefix, program, mode, arguments=arguments, extra=PTX_ONLY)
            self.assertEqual([(f["rule"], f["confidence"]) for f in result.findings], [("SC-105", "proven")], result.err)
            self.assertTrue(result.report["complete"], result.err)
            if mode == "run":
                self.assertEqual(result.code, 66, result.err)
                self.assertIn(KNOWN, result.err)

    def expect_possible(self, program, options=()):
        result = checked.check(self.prefix, program, options=options, extra=PTX_ONLY)
        found = [(f["rule"], f["confidence"]) for f in result.findings]
        self.assertEqual([confidence for _, confidence in found], ["possible"], result.err)
        self.assertNotIn(KNOWN, result.err)
        return result

    def test_the_code_is_found_in_the_program(self):
        self.expect_proven(self.program("plain"))

    def test_the_code_is_found_in_a_library_that_is_opened_late(self):
        library = self.program("libkernels.so", "-DLIBRARY", "-shared", "-fPIC")
        self.expect_proven(self.compile("host", "host"), library)

    def test_a_library_has_its_own_kernels_under_the_names_of_the_programs(self):
        library = self.program("libown.so", "-DLIBRARY", "-shared", "-fPIC")
        host = self.compile("host", "host_with_others", "-include", os.path.join(HERE, "carried.h"), '-DCARRIED="other.fatbin"')
        self.expect_proven(host, library)

    def test_a_stripped_program_is_no_obstacle(self):
        program = self.program("stripped")
        output("strip", program)
        self.expect_proven(program)

    def test_a_program_without_section_headers_is_no_obstacle(self):
        for flags in (("-pie", "-fPIE"), ("-no-pie", "-fno-pie")):
            program = self.program("bare" + flags[0], *flags)
            without_sections(program)
            self.expect_proven(program)

    def test_section_headers_that_lie_leave_the_code_unknown(self):
        for name, offset, value in (("address", 16, 0x7fffffff0000), ("wide", 32, 1 << 63), ("late", 24, 1 << 63), ("low", 16, 64)):
            program = self.program(name)
            patch_section(program, offset, value)
            self.expect_possible(program)

    def test_a_table_of_sections_beyond_the_end_is_none(self):
        program = self.program("beyond")
        with open(program, "r+b") as file:
            file.seek(40)
            file.write(struct.pack("<Q", 1 << 40))
        self.expect_proven(program)

    def test_libraries_that_are_closed_and_opened_have_kernels_of_their_own(self):
        flags = ("-DLIBRARY", "-shared", "-fPIC")
        first = self.program("libfirst.so", *flags)
        second = self.program("libsecond.so", *flags, '-DKERNELS="other.fatbin"')
        host = self.compile("host", "host_of_two")
        result = checked.check(self.prefix, host, extra=PTX_ONLY, arguments=(first, second))
        self.assertIn("bytes known exactly in 4 of 4 launches", result.err)
        self.assertEqual([(f["rule"], f["confidence"]) for f in result.findings], [("SC-105", "proven")], result.err)

    def test_code_under_other_names_is_no_obstacle(self):
        for other in ("away", "away_code"):
            self.expect_proven(self.program(f"with_{other}", other=other))

    def test_the_same_code_twice_is_no_obstacle(self):
        for other in ("kernels", "lines"):
            self.expect_proven(self.program(f"with_{other}", other=other))

    def test_other_code_of_that_name_leaves_it_unknown(self):
        for other in ("other", "kernels_code"):
            result = self.expect_possible(self.program(f"with_{other}", other=other), options=("text=all",))
            self.assertIn("the file that carries its code has other code of this name, too", result.err)

    def compile_by_nvcc(self, name, *flags, sources=("nvcc.cu", "beside.cu")):
        program = os.path.join(self.folder, name)
        output(os.path.join(self.programs, "nvcc"), "-g", *flags, "--cudart", "shared", "-Xcompiler", "-no-pie", "-Xlinker", "-no-pie",
               *(os.path.join(HERE, source) for source in sources), "-o", program, "-ldl", cwd=self.folder)
        return program

    def wrappers(self, program):
        """Addresses of the wrappers in a program that is loaded where it was linked."""
        found = re.search(r"\.nvFatBinSegment +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", output("readelf", "-SW", program))
        start, size = (int(number, 16) for number in found.groups())
        return [hex(start + at) for at in range(0, size, 24)]

    def race_of_nvcc(self, program):
        """What is found in the program, loading the wrapper that has its kernels."""
        for wrapper in self.wrappers(program):
            result = checked.check(self.prefix, program, arguments=(wrapper,), extra=PTX_ONLY)
            if result.code != 1:
                self.assertEqual([(f["rule"], f["confidence"]) for f in result.findings], [("SC-105", "proven")], result.err)
                self.assertIn(KNOWN, result.err)
                return result.err
        raise AssertionError(result.out + result.err)

    def test_what_nvcc_embeds_is_found(self):
        for name, flags in (("compiled", ("-arch=sm_90",)), ("linked", ("-arch=sm_90", "-rdc=true"))):
            self.race_of_nvcc(self.compile_by_nvcc(name, *flags))

    def test_a_race_through_a_variable_is_found(self):
        program = self.compile_by_nvcc("variable", "-arch=sm_90", "-DVARIABLE", sources=("nvcc.cu",))
        self.assertIn("4096 bytes of a variable of the program's device code", self.race_of_nvcc(program))

    def test_without_images_the_code_is_unknown(self):
        result = checked.check(self.prefix, self.program("plain"), options=("images=no",), extra=PTX_ONLY)
        self.assertNotIn(KNOWN, result.err)


def main():
    Unseen.prefix, Unseen.includes, Unseen.programs = map(os.path.abspath, sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
