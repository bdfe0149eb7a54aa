#!/usr/bin/env python3
"""Patches of `streamcheck repair --patch` for events that outlive a block, arrays of streams and nodes of graphs.

usage: test_patches.py PREFIX NVCC LIBRARIES
LIBRARIES are the folders of the runtime. Each program is built, patched, built again, and then has no finding. Those of
testcases/ are patched by extensions/repair/tests/measure_patches.py.
"""
import os
import subprocess
import sys
import unittest

import patched

HEAD = """#include <stdio.h>
#include <cuda_runtime.h>

static const size_t bytes = 4096;

static char *device(void)
{
	char *data;

	cudaMalloc((void **)&data, bytes);
	return data;
}

static cudaStream_t make(void)
{
	cudaStream_t stream;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	return stream;
}
"""
EVENT = "cudaEventCreateWithFlags(&done, cudaEventDisableTiming);"
STATIC = "static cudaEvent_t done; /* made when it is recorded first */"
# Each program, and the lines that its patch adds, in their order and without what is before them.
PROGRAMS = {
    "each_event": ("""
int main()
{
	const int count = 3;
	char *parts[count], *all;
	cudaStream_t streams[count], last = make();

	cudaMalloc((void **)&all, count * bytes);
	for (int i = 0; i < count; i++) {
		streams[i] = make();
		parts[i] = device();
	}
	for (int i = 0; i < count; i++)
		cudaMemsetAsync(parts[i], 0, bytes, streams[i]);
	for (int i = 0; i < count; i++)
		cudaMemcpyAsync(all + i * bytes, parts[i], bytes, cudaMemcpyDeviceToDevice, last);
	cudaDeviceSynchronize();
}
""", ["cudaEvent_t done;", EVENT, "for (int each = 0; each < count; each++) {", "cudaEventRecord(done, streams[each]);",
      "cudaStreamWaitEvent(last, done, 0);", "}", "cudaEventDestroy(done);"]),
    "each_wait": ("""
int main()
{
	cudaStream_t streams[2];
	char *data = device(), *parts;

	cudaMallocHost((void **)&parts, 2 * bytes);
	for (int i = 0; i < 2; i++) {
		streams[i] = make();
		cudaMemcpyAsync(parts + i * bytes, data, bytes, cudaMemcpyDeviceToHost, streams[i]);
	}
	puts(parts[0] + parts[2 * bytes - 1] ? "filled" : "empty");
	cudaDeviceSynchronize();
}
""", ["for (int each = 0; each < 2; each++)", "cudaStreamSynchronize(streams[each]);"]),
    # What is before the call is not between what the call does.
    "inlined": ("""
static inline __attribute__((always_inline)) void consume(char *first, char *second, char *data, cudaStream_t in)
{
	cudaMemcpyAsync(second, data, bytes, cudaMemcpyDeviceToHost, in);
	puts(first[0] + second[0] ? "filled" : "empty");
}

int main()
{
	cudaStream_t in = make();
	char *data = device(), *first, *second;

	cudaMallocHost((void **)&first, bytes);
	cudaMallocHost((void **)&second, bytes);
	cudaMemcpyAsync(first, data, bytes, cudaMemcpyDeviceToHost, in);
	consume(first, second, data, in);
	cudaDeviceSynchronize();
}
""", ["cudaStreamSynchronize(in);", "cudaStreamSynchronize(in);"]),
    "nodes": ("""
int main()
{
	char *data = device(), *other = device();
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t fill, copy;
	cudaMemsetParams params = {};

	params.dst = data;
	params.elementSize = 1;
	params.width = bytes;
	params.height = 1;
	cudaGraphCreate(&graph, 0);
	cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &params);
	cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, other, data, bytes, cudaMemcpyDeviceToDevice);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphLaunch(exec, make());
	cudaDeviceSynchronize();
}
""", ["#if CUDART_VERSION >= 13000", "cudaGraphAddDependencies(graph, &fill, &copy, NULL, 1);", "#else",
      "cudaGraphAddDependencies(graph, &fill, &copy, 1);", "#endif"]),
    "wrong_stream": ("""
int main()
{
	char *data = device(), *half = device(), *whole = device();
	cudaStream_t work = make(), other = make();

	cudaMemsetAsync(data, 1, bytes, work);
	cudaMemcpyAsync(half, data, bytes, cudaMemcpyDeviceToDevice, other); // half of it
	cudaMemcpyAsync(whole, half, bytes, cudaMemcpyDeviceToDevice, work);
	cudaStreamSynchronize(work);
	cudaStreamSynchronize(other);
}
""", ["cudaMemcpyAsync(half, data, bytes, cudaMemcpyDeviceToDevice, work); // half of it"]),
    "no_stream": ("""
__global__ void scale(char *data)
{
	data[threadIdx.x] *= 2;
}

int main()
{
	char *data = device(), *whole = device();
	cudaStream_t work = make();

	cudaMemsetAsync(data, 1, bytes, work);
	scale<<<1, 32>>>(data);
	cudaMemcpyAsync(whole, data, bytes, cudaMemcpyDeviceToDevice, work);
	cudaDeviceSynchronize();
}
""", ["scale<<<1, 32, 0, work>>>(data);"]),
    "frame": ("""
static __attribute__((noinline)) int upload(char *data, cudaStream_t s, int is_short)
{
	char table[bytes];

	for (size_t i = 0; i < bytes; i++)
		table[i] = i % 3;
	cudaHostRegister(table, bytes, cudaHostRegisterDefault);
	cudaMemcpyAsync(data, table, bytes, cudaMemcpyHostToDevice, s);
	if (is_short) {
		puts("short");
		return 1;
	}
	cudaMemsetAsync(data + bytes / 2, 0, bytes / 2, s);
	return 0;
}

int main()
{
	char *data = device();
	int failed = upload(data, make(), 0);

	cudaDeviceSynchronize();
	return failed;
}
""", ["cudaStreamSynchronize(s);", "cudaStreamSynchronize(s);"]),
    "rounds": ("""
int main()
{
	char *data = device(), *other = device();
	cudaStream_t in = make(), out = make();
	cudaEvent_t ready;

	cudaEventCreate(&ready);
	for (int i = 0; i < 3; i++) {
		cudaMemsetAsync(data, i, bytes, in);
		cudaEventRecord(ready, in);
		cudaStreamWaitEvent(out, ready, 0);
		cudaMemcpyAsync(other, data, bytes, cudaMemcpyDeviceToDevice, out);
	}
	cudaDeviceSynchronize();
}
""", [STATIC, "if (done) cudaStreamWaitEvent(in, done, 0);", f"if (!done) {EVENT}", "cudaEventRecord(done, out);"]),
    "functions": ("""
static char *data;
static cudaStream_t in, out;

static void *produce(void)
{
	cudaMemsetAsync(data, 1, bytes, in);
	return NULL;
}

static void *consume(void)
{
	cudaMemsetAsync(data, 2, bytes, out);
	return NULL;
}

int main()
{
	void *(*const steps[])(void) = {produce, consume};

	data = device();
	in = make();
	out = make();
	for (int i = 0; i < 2; i++)
		steps[i]();
	cudaDeviceSynchronize();
}
""", [STATIC, f"if (!done) {EVENT}", "cudaEventRecord(done, in);", "if (done) cudaStreamWaitEvent(out, done, 0);"]),
    "passed": ("""
static __attribute__((noinline)) void fill(char *data, int value, cudaStream_t s)
{
	cudaMemsetAsync(data, value, bytes, s);
}

int main()
{
	char *data = device();
	cudaStream_t first = make(), second = make();

	fill(data, 1, first);
	fill(data, 2, second);
	cudaDeviceSynchronize();
}
""", ["cudaEvent_t done;", EVENT, "cudaEventRecord(done, first);", "cudaStreamWaitEvent(second, done, 0);",
      "cudaEventDestroy(done);"]),
}

# With KEEPS_FAILING another call fails, too.
USES_LATE = """
int main()
{
	cudaStream_t s = make();
	char *data = device(), *other = device();

	cudaFree(data);
	printf("%d\\n", cudaMemsetAsync(data, 0, bytes, s));
#if KEEPS_FAILING
	printf("%d\\n", cudaMemsetAsync(other, 0, bytes + 1000000000, s));
#endif
	cudaStreamSynchronize(s);
	cudaFree(other);
}
"""

# With COUNT it prints how often it ran in its folder, too.
READS_EARLY = """
int main()
{
	cudaStream_t s = make();
	char *data = device(), *result;

	cudaMallocHost((void **)&result, bytes);
	result[0] = 1;
	cudaMemsetAsync(data, 7, bytes, s);
	cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, s);
	printf("%d\\n", result[0]);
#if COUNT
	FILE *runs = fopen("runs", "a+");

	fputc('.', runs);
	printf("%ld\\n", ftell(runs));
	fclose(runs);
#endif
	cudaDeviceSynchronize();
}
"""


class Patches(patched.Case):
    nvcc, libraries = None, []

    def build(self):
        built = subprocess.run([self.nvcc, "-g", "-O0", "--cudart", "shared", *(f"-L{f}" for f in self.libraries),
                                "program.cu", "-o", "program"], cwd=self.work, capture_output=True, text=True,
                               check=False)
        self.assertEqual(built.returncode, 0, built.stderr)

    def started(self):
        return ["./program"], {}

    @staticmethod
    def added(patch):
        return [line.strip() for line in patched.Case.added(patch)]


    def test_confirmed(self):
        """A copy of the folder is built and run without and with the patch; the folder itself stays as it is."""
        program, _ = PROGRAMS["no_stream"]
        self.patch({"program.cu": HEAD + program, "Makefile": f"program: program.cu\n\t{self.nvcc} -g -O0 --cudart shared "
                    f"{' '.join('-L' + f for f in self.libraries)} $< -o $@\n"})
        plan = os.path.join(self.folder, "plan.json")
        with open(plan, "w", encoding="utf-8") as file:
            subprocess.run([self.streamcheck, "repair", "--format=json", self.trace], cwd=self.work, stdout=file, check=True)
        writer = os.path.join(self.prefix, "share", "streamcheck", "patch")
        for build, code, said in (("make -B", 0, "confirmed: 0 of 2 findings left, output the same"),
                                  ("true", 1, "not confirmed: 2 of 2 findings left (SC-10"),
                                  ("false", 1, "not confirmed: the build ended with 1")):
            done = subprocess.run([sys.executable, "-B", writer, plan, "--build", build, "--run-option=device=sim", "--", "./program"],
                                  cwd=self.work, env=patched.writing(), capture_output=True, text=True, check=False)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.returncode, code)
            # The command asks the writer for the same, on the device that the trace is of.
            done = subprocess.run([self.streamcheck, "repair", self.trace, "--patch", f"--build={build}", "--", "./program"],
                                  cwd=self.work, env=patched.writing(), capture_output=True, text=True, check=False)
            self.assertIn("--device=sim", done.stderr)
            self.assertIn(said, done.stderr)
            self.assertIn("+++ b/program.cu", done.stdout)
            self.assertEqual(done.returncode, code)
        for wrong in (["--patch", "--build=make"], ["--patch", "--", "./program"], ["--build=make", "--", "./program"]):
            done = subprocess.run([self.streamcheck, "repair", self.trace, *wrong], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("option build needs option patch and a program after --", done.stderr)
        with open(os.path.join(self.work, "program.cu"), encoding="utf-8") as file:
            self.assertEqual(file.read(), HEAD + program)

    def test_confirmed_where_calls_failed(self):
        """What a failed use after the end printed is no reason against the patch with which it works."""
        makefile = (f"program: program.cu\n\t{self.nvcc} -g -O0 --cudart shared {' '.join('-L' + f for f in self.libraries)} $< -o $@\n")
        for body, code, said in ((USES_LATE, 0, "confirmed: 0 of 1 findings left, output differs: calls failed, of SC-116 among others, and "
                                                "work now"),
                                 ("#define KEEPS_FAILING 1\n" + USES_LATE, 1, "not confirmed: 0 of 1 findings left, output differs")):
            patch, _ = self.patch({"program.cu": HEAD + body, "Makefile": makefile})
            self.assertEqual(self.added(patch), ["cudaFree(data);"])
            done = subprocess.run([self.streamcheck, "repair", self.trace, "--patch", "--build=make -B", "--", "./program"], cwd=self.work,
                                  env=patched.writing(), capture_output=True, text=True, check=False)
            self.assertIn(f"streamcheck: {said}\n", done.stderr)
            self.assertEqual(done.returncode, code)

    def test_confirmed_by_both_orders(self):
        """A race that changed what was printed is no reason against its patch, if the output depends on the order of the two operations;
        what differs in each run is one."""
        makefile = (f"program: program.cu\n\t{self.nvcc} -g -O0 --cudart shared {' '.join('-L' + f for f in self.libraries)} $< -o $@\n")
        for body, code, said in ((READS_EARLY, 0, "confirmed: 0 of 1 findings left, output differs, and depends on the order that "
                                                  "SC-101 lacked"),
                                 ("#define COUNT 1\n" + READS_EARLY, 1, "not confirmed: 0 of 1 findings left, output differs")):
            self.patch({"program.cu": HEAD + body, "Makefile": makefile})
            done = subprocess.run([self.streamcheck, "repair", self.trace, "--patch", "--build=make -B", "--", "./program"], cwd=self.work,
                                  env={**patched.writing(), "STREAMCHECK_SIM_SCHEDULE": "lazy"}, capture_output=True, text=True, check=False)
            self.assertIn(f"streamcheck: {said}\n", done.stderr)
            self.assertEqual(done.returncode, code)


patched.add_tests(Patches, PROGRAMS, lambda self, program, lines: self.check({"program.cu": HEAD + program}, lines))

if __name__ == "__main__":
    prefix, Patches.nvcc, libraries = (sys.argv.pop(1) for _ in range(3))
    Patches.prefix, Patches.libraries = os.path.abspath(prefix), libraries.split(":")
    unittest.main()
