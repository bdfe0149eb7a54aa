/* The dialect (runtime or driver) of the calls in a fix. */
#include "reports/words/dialect.h"

#include <string.h>
#include "tests/unit/unit.h"

#define FRAME(name, path, object)                                                 \
	{                                                                         \
		.function = (name), .file = (path), .module = (object), .line = 3 \
	}

static struct sc_report_site site_of(const struct sc_frame *frames, size_t count, size_t user,
				     const char *api)
{
	return (struct sc_report_site){.frames = frames, .count = count, .user = user, .api = api};
}

TEST(calls_are_named_as_the_program_writes_them)
{
	static const struct sc_frame c[] = {FRAME("main", "main.cu", "/bin/app")};
	static const struct sc_frame torch[] = {FRAME("copy_", "", "/lib/libtorch_cuda.so"),
						FRAME("<module>", "train.py", "")};
	static const struct sc_frame cupy[] = {FRAME("get", "", "/lib/cupy/_core/core.so"),
					       FRAME("<module>", "run.py", "")};
	static const struct sc_frame numba[] = {FRAME("launch", "/lib/numba_cuda/driver.py", ""),
						FRAME("<module>", "run.py", "")};
	static const struct sc_frame plain[] = {FRAME("call", "", "/lib/libffi.so"),
						FRAME("<module>", "run.py", "")};
	static const struct sc_frame driver[] = {
		FRAME("call", "", "/lib/site-packages/cuda/bindings/driver.cpython-311.so"),
		FRAME("<module>", "run.py", "")};
	static const struct sc_frame runtime[] = {
		FRAME("call", "", "/lib/site-packages/cuda/bindings/runtime.cpython-311.so"),
		FRAME("<module>", "run.py", "")};
	static const struct sc_frame own[] = {FRAME("<module>", "/home/me/cupy_test.py", "")};
	const struct {
		struct sc_report_site sites[2];
		const char *name;
	} cases[] = {
		{{site_of(c, 1, 0, "cudaMemcpyAsync")}, "runtime"},
		{{site_of(c, 1, 0, "cudaMemcpyAsync"), site_of(c, 1, 0, "cuMemcpyAsync")},
		 "driver"},
		{{site_of(torch, 2, 1, "cudaMemcpyAsync")}, "torch"},
		{{site_of(c, 1, 0, "cudaMemcpyAsync"), site_of(torch, 2, 1, NULL)}, "torch"},
		{{site_of(torch, 2, 0, "cudaMemcpyAsync")}, "runtime"},
		{{site_of(cupy, 2, 1, "cudaMemcpyAsync")}, "cupy"},
		{{site_of(numba, 2, 1, "cuLaunchKernel")}, "numba"},
		{{site_of(plain, 2, 1, "cuLaunchKernel")}, "python"},
		{{site_of(driver, 2, 1, "cuLaunchKernel")}, "cuda_driver"},
		{{site_of(runtime, 2, 1, "cudaLaunchKernel")}, "cuda_python"},
		{{site_of(own, 1, 0, "cuLaunchKernel")}, "python"},
		{{{0}}, "runtime"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(sc_dialect_of(cases[i].sites)->name, cases[i].name);
}

/* What a user of a framework can do about a kernel that has no PTX. */
TEST(a_framework_has_its_own_advice)
{
	static const struct sc_frame torch[] = {FRAME("copy_", "", "/lib/libtorch_cuda.so"),
						FRAME("<module>", "train.py", "")};
	const struct sc_report_site sites[2] = {site_of(torch, 2, 1, "cudaMemcpyAsync")};
	const struct sc_report_site nowhere[2] = {{0}};

	assert_non_null(strstr(sc_dialect_of(sites)->knowing, "--allocators=visible"));
	assert_non_null(strstr(sc_dialect_of(nowhere)->knowing, "build it with PTX"));
	assert_non_null(strstr(sc_dialect_of(sites)->pinned, "pin_memory()"));
	assert_string_equal(sc_dialect_of(nowhere)->pinned, "");
	assert_non_null(strstr(sc_dialect_of(sites)->blocking, "non_blocking=True"));
	assert_string_equal(sc_dialect_of(nowhere)->blocking, "");
}

/* Nobody gets a line of C for a file of Python. */
TEST(code_is_written_in_the_language_of_the_file)
{
	static const struct sc_frame plain[] = {FRAME("<module>", "run.py", "")};
	const struct sc_report_site sites[2] = {site_of(plain, 1, 0, "cudaMemcpyAsync")};
	const struct sc_dialect *d = sc_dialect_of(sites);

	assert_string_equal(d->stream_sync.name, "cudaStreamSynchronize");
	assert_string_equal(d->stream_sync.code, "");
	assert_true(sc_dialect_is_runtime(d));
	assert_true(sc_dialect_is_python("a.py"));
	assert_false(sc_dialect_is_python(".py"));
	assert_false(sc_dialect_is_python("a.pyx"));
}
