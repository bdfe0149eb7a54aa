#!/usr/bin/env python3
"""Patches of `streamcheck repair --patch` whose two lines are in different functions, files, headers or threads.

usage: test_two_places.py PREFIX NVCC LIBRARIES
LIBRARIES are the folders of the runtime. A program is several files, of which those with a name that begins with "lib"
are a shared library. Each is built, patched, built again, and then has no finding; or it is said why there is no patch.
"""
import os
import subprocess
import sys
import unittest

import patched

COMMON = """#pragma once
#include <stdio.h>
#include <cuda_runtime.h>

enum { bytes = 4096 };
extern char *data;
extern cudaStream_t in, out;
#ifdef __cplusplus
extern "C" {
#endif
void produce(void);
void consume(void);
#ifdef __cplusplus
}
#endif
"""
BEGIN = """
char *data;
cudaStream_t in, out;

static void begin()
{
	cudaMalloc((void **)&data, bytes);
	cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking);
}
"""
PRODUCE = """
void produce(void)
{
	cudaMemsetAsync(data, 1, bytes, in);
}
"""
CONSUME = """
void consume(void)
{
	cudaMemsetAsync(data, 2, bytes, out);
}
"""
INCLUDE = '#include "common.h"\n'
# Both in one function are patched there: these are called by one line.
STEPS = INCLUDE + BEGIN + """
int main()
{
	void (*const steps[])(void) = {produce, consume};

	begin();
	for (int i = 0; i < 2; i++)
		steps[i]();
	cudaDeviceSynchronize();
}
"""
JOINED = """
int main()
{
	begin();
	std::thread(produce).join();
	std::thread(consume).join();
	cudaDeviceSynchronize();
}
"""
MADE = " /* made when it is recorded first */"


def uses(name, make="cudaEventCreateWithFlags(&{}, cudaEventDisableTiming);"):
    return [f"if (!{name}) " + make.format(name), f"cudaEventRecord({name}, in);",
            f"if ({name}) cudaStreamWaitEvent(out, {name}, 0);"]


def inline(name):
    return f"inline cudaEvent_t &{name}() {{ static cudaEvent_t event; return event; }}"


# The files of each program, and the lines that its patch adds, sorted.
PROGRAMS = {
    "two_files": ({"main.cu": STEPS, "produce.cu": INCLUDE + PRODUCE, "consume.cu": INCLUDE + CONSUME},
                  [f"cudaEvent_t produce_done;{MADE}", "extern cudaEvent_t produce_done;", *uses("produce_done")]),
    "two_languages": ({"main.cu": STEPS, "produce.c": INCLUDE + PRODUCE, "consume.cpp": INCLUDE + CONSUME},
                      [f"cudaEvent_t produce_done;{MADE}", "extern cudaEvent_t produce_done;", *uses("produce_done")]),
    "names_taken": ({"main.cu": STEPS, "produce.cu": INCLUDE + "static int produce_done;\n" + PRODUCE +
                     "int last(void) { return produce_done; }\n",
                     "consume.cu": INCLUDE + CONSUME},
                    [f"cudaEvent_t produce_done2;{MADE}", "extern cudaEvent_t produce_done2;",
                     *uses("produce_done2")]),
    "threads_joined": ({"main.cu": "#include <thread>\n" + INCLUDE + BEGIN + PRODUCE + CONSUME + JOINED},
                       [f"static cudaEvent_t done;{MADE}", *uses("done")]),
    "threads_of_two_files": ({"main.cu": "#include <thread>\n" + INCLUDE + BEGIN + JOINED,
                              "produce.cu": INCLUDE + PRODUCE, "consume.cu": INCLUDE + CONSUME},
                             [f"cudaEvent_t produce_done;{MADE}", "extern cudaEvent_t produce_done;",
                              *uses("produce_done")]),
    "threads_notified": ({"main.cu": "#include <condition_variable>\n#include <mutex>\n#include <thread>\n" + INCLUDE +
                          BEGIN + PRODUCE + CONSUME + """
static std::mutex lock;
static std::condition_variable changed;
static bool is_filled;

static void first(void)
{
	produce();
	std::lock_guard<std::mutex> guard(lock);
	is_filled = true;
	changed.notify_one();
}

static void second(void)
{
	std::unique_lock<std::mutex> guard(lock);
	changed.wait(guard, [] { return is_filled; });
	consume();
}

int main()
{
	begin();
	std::thread one(first), two(second);
	one.join();
	two.join();
	cudaDeviceSynchronize();
}
"""}, [f"static cudaEvent_t done;{MADE}", *uses("done")]),
    "header": ({"main.cu": "#include <thread>\n#include \"both.cuh\"\n" + BEGIN + JOINED,
                "both.cuh": "#ifndef BOTH_CUH\n#define BOTH_CUH\n" + INCLUDE + PRODUCE.replace("void", "inline void", 1) +
                            CONSUME.replace("void", "inline void", 1) + "\n#endif\n",
                "common.h": COMMON.replace("void produce(void);\nvoid consume(void);\n", "")},
               [inline("both_done"), *uses("both_done()")]),
    "header_and_source": ({"main.cu": "#include <thread>\n" + INCLUDE + "#include \"sub/first.h\"\n" + BEGIN + CONSUME +
                           JOINED,
                           "sub/first.h": "#pragma once\n#include \"../common.h\"\n\nnamespace {\nenum { value = 1 };\n}\n" +
                                          PRODUCE.replace("void", "inline void", 1).replace("1,", "value,"),
                           "common.h": COMMON.replace("void produce(void);\n", "")},
                          [inline("first_done"), *uses("first_done()")]),
}
# The files of each program that has no patch, and a part of the reason.
REFUSED = {
    "threads_by_chance": ({"main.cu": "#include <atomic>\n#include <thread>\n" + INCLUDE + BEGIN + PRODUCE + CONSUME + """
static std::atomic<bool> is_filled;

static void first(void)
{
	produce();
	is_filled = true;
}

static void second(void)
{
	while (!is_filled)
		;
	consume();
}

int main()
{
	begin();
	std::thread one(first), two(second);
	one.join();
	two.join();
	cudaDeviceSynchronize();
}
"""}, "nothing orders these"),
    "header_of_c": ({"main.cu": "#include <thread>\n#include \"both.h\"\n" + BEGIN + JOINED,
                     "both.h": "#ifndef BOTH_H\n#define BOTH_H\n" + INCLUDE + PRODUCE.replace("void", "static void", 1) +
                               CONSUME.replace("void", "static void", 1) + "\n#endif\n",
                     "common.h": COMMON.replace("void produce(void);\nvoid consume(void);\n", "")},
                    "may be read as C"),
    "header_not_included": ({"main.cu": "#include <thread>\n" + INCLUDE + BEGIN + JOINED, "consume.cu": INCLUDE + CONSUME,
                             "first.cuh": INCLUDE + "inline void fill()\n{\n\tcudaMemsetAsync(data, 1, bytes, in);\n}\n",
                             "produce.cu": "#include <thread>\n#include \"first.cuh\"\n" +
                                           "void produce(void)\n{\n\tstd::thread(fill).join();\n}\n"},
                            "does not include"),
    "two_modules": ({"main.cu": STEPS + CONSUME, "libproduce.cu": INCLUDE + PRODUCE}, "not linked together"),
}


class Case(patched.Case):
    nvcc, libraries = None, []

    def compile(self, output, sources, *flags):
        built = subprocess.run([self.nvcc, "-g", "-O0", "--cudart", "shared", *(f"-L{f}" for f in self.libraries), *flags,
                                *sources, "-o", output, "-lpthread"], cwd=self.work, capture_output=True, text=True,
                               check=False)
        self.assertEqual(built.returncode, 0, built.stderr)

    def build(self):
        sources = sorted(f for f in os.listdir(self.work) if f.endswith((".c", ".cpp", ".cu")))
        library = [f for f in sources if f.startswith("lib")]
        flags = []
        if library:
            self.compile("library.so", library, "-shared", "-Xcompiler", "-fPIC")
            flags = ["library.so", "-Xlinker", "-rpath,$ORIGIN"]
        self.compile("program", [f for f in sources if f not in library], *flags)

    def started(self):
        return ["./program"], {}

    @staticmethod
    def added(patch):
        return sorted(line.strip() for line in patched.Case.added(patch))

    def check_patched(self, files, lines):
        self.check({"common.h": COMMON, **files}, sorted(lines))

    def check_refused(self, files, reason):
        patch, printed = self.patch({"common.h": COMMON, **files})
        self.assertIn(reason, patch, printed)
        self.assertEqual(self.added(patch), [])


class Places(Case):
    options = ("--hosts=strict",)


class Unwatched(Case):
    """Without --hosts=strict it is not recorded what orders threads."""


class Words(Case):
    """What the plan says in words."""

    def test_value_changes(self):
        """An index that is another one at the other line is no code for that line."""
        main = INCLUDE + BEGIN + """
int main()
{
	char *host;
	cudaStream_t used[2];
	int p = 0;

	begin();
	used[0] = in;
	used[1] = out;
	cudaMallocHost((void **)&host, bytes);
	cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, used[p & 1]);
	p++;
	printf("%d\\n", host[0]);
	cudaDeviceSynchronize();
}
"""
        self.patch({"common.h": COMMON, "main.cu": main})
        done = subprocess.run([self.streamcheck, "repair", self.trace], cwd=self.work, capture_output=True, text=True,
                              check=True)
        line = main.split("\n").index(next(t for t in main.split("\n") if "used[p & 1]" in t)) + 1
        self.assertIn(f"cudaStreamSynchronize(<used[p & 1] of main.cu:{line}>);", done.stdout)


patched.add_tests(Places, PROGRAMS, Case.check_patched)
patched.add_tests(Places, REFUSED, Case.check_refused)
UNWATCHED = {"threads_joined": (PROGRAMS["threads_joined"][0], "recorded with --hosts=strict")}
patched.add_tests(Unwatched, UNWATCHED, Case.check_refused)

if __name__ == "__main__":
    prefix, Case.nvcc, libraries = (sys.argv.pop(1) for _ in range(3))
    Case.prefix, Case.libraries = os.path.abspath(prefix), libraries.split(":")
    unittest.main()
