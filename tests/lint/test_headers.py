#!/usr/bin/env python3
"""headers.py finds what two versions of CUDA's headers differ in. usage: test_headers.py COMPILER"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
COMPILER = sys.argv.pop()
CUDA = """#define CUDA_VERSION {version}
#define CUDAAPI
typedef int CUresult;
typedef enum CUthing_enum {{ CU_THING_OLD = 1{constant} }} CUthing;
typedef struct CUbox_st {{ int a{member}; }} CUbox;
CUresult CUDAAPI cuMemFree_v2(void *p);
{function}
"""
FUNCTION = "CUresult CUDAAPI {}(void *p);"


class Headers(unittest.TestCase):
    def compare(self, **new):
        with tempfile.TemporaryDirectory() as folder:
            for version, changes in ((13010, {}), (13060, new)):
                place = pathlib.Path(folder, str(version))
                place.mkdir()
                (place / "cuda.h").write_text(CUDA.format(version=version, **{"constant": "", "member": "", "function": "", **changes}))
                (place / "cuda_runtime_api.h").write_text("#define CUDARTAPI\n" + changes.get("runtime", ""))
                (place / "cupti.h").write_text("")
            done = subprocess.run([sys.executable, HERE / "headers.py", COMPILER, f"{folder}/13010", f"{folder}/13060"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    def expect(self, text, **new):
        code, said = self.compare(**new)
        self.assertEqual((code, text in said), (1, True), said)

    def test_the_same_is_no_failure(self):
        self.assertEqual(self.compare()[0], 0)

    def test_a_function_with_a_row_is_no_failure(self):
        self.assertEqual(self.compare(function=FUNCTION.format("cuGraphGetId"))[0], 0)

    def test_a_function_that_nothing_knows(self):
        self.expect("cuMemJuggle is new, and nothing knows of it", function=FUNCTION.format("cuMemJuggle"))
        self.expect("cudaJuggle is new, and nothing knows of it", runtime="extern int CUDARTAPI cudaJuggle(void);")

    def test_a_constant_that_nothing_explains(self):
        self.expect("CU_THING_NEW is new", constant=", CU_THING_NEW = 2")

    def test_a_constant_that_is_explained(self):
        self.assertEqual(self.compare(constant=", CU_JIT_FASTER = 2")[0], 0)

    def test_a_structure_of_another_size(self):
        self.expect("CUbox has 8 bytes, and had 4", member=", b")


if __name__ == "__main__":
    unittest.main()
