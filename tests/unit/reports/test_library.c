/* Library: whose business a finding is, by the frames of its two sides and of its memory. */
#include "tests/unit/reports/report_fake.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "reports/sources/library.h"

#define FRAMES 3

struct place {
	const char *function, *file;
	unsigned line;
	const char *module;
};

/* A call of CUDA, and what led to it: the frames of a stack, innermost first. */
struct way {
	struct place frames[FRAMES];
};

#define CUDA                                                           \
	{                                                              \
		"cudaMemcpyAsync", NULL, 0, "/opt/lib/libcudart.so.13" \
	}
#define THRUST                                                                         \
	{                                                                              \
		"thrust::sort", "/usr/local/cuda/include/cccl/thrust/sort.h", 90, NULL \
	}
#define EIGEN                                                                             \
	{                                                                                 \
		"Eigen::run", "/home/me/include/deps/include/eigen3/Eigen/Run.h", 9, NULL \
	}
#define PACKAGE                                                                           \
	{                                                                                 \
		"nccl_run", NULL, 0, "/usr/lib/python3/dist-packages/nvidia/libnccl.so.2" \
	}
#define SHMEM                                                            \
	{                                                                \
		"nvshmem_init", NULL, 0, "/usr/lib/libnvshmem_host.so.3" \
	}
#define PROXY                                                                       \
	{                                                                           \
		"nvshmemi_proxy_progress", NULL, 0, "/usr/lib/libnvshmem_host.so.3" \
	}
#define FILTER(line)                                       \
	{                                                  \
		"filter", "/home/me/filter.cu", line, NULL \
	}
#define FOLDER "/usr/lib/python3/dist-packages/own/"
#define SCRIPT                                                            \
	{                                                                 \
		"run", FOLDER "include/tool/run.h", 3, FOLDER "libown.so" \
	}

enum how { POSSIBLE, PROVEN, LOOKED }; /* LOOKED: possible, the first side is the host's */

static const struct {
	const char *about;
	struct way ways[3]; /* of the sides and of the memory; none: it is not known */
	enum how how;
	const char *name; /* NULL: the user's */
} rows[] = {
	{"one call of the user's leads to all",
	 {{{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}},
	 POSSIBLE,
	 "thrust"},
	{"it is proven",
	 {{{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}},
	 PROVEN,
	 NULL},
	{"two calls of the user's",
	 {{{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(5)}}, {{CUDA, THRUST, FILTER(4)}}},
	 POSSIBLE,
	 NULL},
	{"the user calls CUDA on one side",
	 {{{CUDA, THRUST, FILTER(4)}}, {{CUDA, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}},
	 POSSIBLE,
	 NULL},
	{"the user calls CUDA on both",
	 {{{CUDA, FILTER(4)}}, {{CUDA, FILTER(4)}}, {{CUDA, FILTER(4)}}},
	 POSSIBLE,
	 NULL},
	{"the user's memory",
	 {{{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}, {{CUDA, FILTER(2)}}},
	 POSSIBLE,
	 NULL},
	{"memory of another call",
	 {{{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(2)}}},
	 POSSIBLE,
	 NULL},
	{"the memory is not known",
	 {{{CUDA, THRUST, FILTER(4)}}, {{CUDA, THRUST, FILTER(4)}}},
	 POSSIBLE,
	 NULL},
	{"only one side is a library's",
	 {{{CUDA, SCRIPT}}, {{CUDA, THRUST, FILTER(4)}}, {{CUDA, SCRIPT}}},
	 POSSIBLE,
	 NULL},
	{"nothing of the user's on either side: the memory may be anybody's",
	 {{{CUDA, SCRIPT}}, {{CUDA, SCRIPT}}},
	 POSSIBLE,
	 "tool"},
	{"the last folder of headers counts",
	 {{{CUDA, EIGEN, FILTER(4)}}, {{CUDA, EIGEN, FILTER(4)}}, {{CUDA, EIGEN, FILTER(4)}}},
	 POSSIBLE,
	 NULL}, /* a folder of that name below the user's own is the user's */
	{"else the module",
	 {{{CUDA, PACKAGE, FILTER(4)}}, {{CUDA, PACKAGE, FILTER(4)}}, {{CUDA, PACKAGE, FILTER(4)}}},
	 POSSIBLE,
	 "libnccl.so.2"},
	{"a library's thread looks at its memory",
	 {{{PROXY}}, {{CUDA, FILTER(4)}}, {{CUDA, SHMEM, FILTER(2)}}},
	 LOOKED,
	 "libnvshmem_host.so.3"},
	{"the same as an operation",
	 {{{PROXY}}, {{CUDA, FILTER(4)}}, {{CUDA, SHMEM, FILTER(2)}}},
	 POSSIBLE,
	 NULL},
	{"another library's memory",
	 {{{PROXY}}, {{CUDA, FILTER(4)}}, {{CUDA, PACKAGE, FILTER(2)}}},
	 LOOKED,
	 NULL},
	{"the user's memory under a library's thread",
	 {{{PROXY}}, {{CUDA, FILTER(4)}}, {{CUDA, FILTER(2)}}},
	 LOOKED,
	 NULL},
	{"a library called by the user looks",
	 {{{SHMEM, FILTER(7)}}, {{CUDA, FILTER(4)}}, {{CUDA, SHMEM, FILTER(2)}}},
	 LOOKED,
	 NULL},
	{"no stack at all", {{{{0}}}}, POSSIBLE, NULL},
};

static void put_stack(struct fake *f, uint32_t stack, const struct way *way)
{
	const struct place *p = way->frames;

	for (size_t i = 0; i < FRAMES && p[i].function; i++)
		fake_frame(f, stack, p[i].function, p[i].file, p[i].line, p[i].module);
	sc_frames_judge(f->symbols.stacks[stack].frames, f->symbols.stacks[stack].count);
}

/* The text folds it, JSON and HTML name it. */
static void assert_said(const struct fake *f, const char *library)
{
	static const struct {
		const char *format, *said, *unsaid;
	} reports[] = {{"text", "1 finding of what %s does with itself", "does with itself"},
		       {"json", "\"library\": \"%s\"", "\"library\":"},
		       {"html", "\"%s\"", "\"library\":"}};

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		const struct sc_report_ops *ops =
			sc_report_find(reports[i].format, strlen(reports[i].format));
		struct sc_report_style style = {0};
		struct sc_buf text = {0}, said = {0};

		sc_report_print(ops, &text, &f->report, &style);
		sc_buf_printf(&said, library ? reports[i].said : reports[i].unsaid, library);
		assert_int_equal(strstr(text.text, said.text) != NULL, library != NULL);
		sc_buf_fini(&said);
		sc_buf_fini(&text);
	}
}

TEST(whose_it_is)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sc_finding *finding;
		struct sc_buf name = {0};
		struct fake f;
		bool is_owned;

		fake_init(&f, rows[i].how == LOOKED ? "alloc a 64 stack=3\nhost_read a 64 stack=1\n"
						      "set n2 a 64 stack=2\n"
						    : "alloc a 64 stack=3\nset n1 a 64 stack=1\n"
						      "set n2 a 64 stack=2\n");
		for (uint32_t k = 0; k < 3; k++)
			put_stack(&f, k + 1, &rows[i].ways[k]);
		finding = fake_finding(&f, SC_RULE_204, SC_WARNING);
		finding->confidence = rows[i].how == PROVEN ? SC_PROVEN : SC_POSSIBLE;
		finding->side[0] = fake_side(&f, 2, SC_SIDE_WRITE, 0, 64);
		finding->side[1] = fake_side(&f, 3, SC_SIDE_WRITE, 0, 64);
		if (rows[i].ways[2].frames[0].function)
			finding->allocation = fake_op(&f, 1) + 1;
		is_owned = sc_library_owns(&name, &f.report, finding);
		if (is_owned != (rows[i].name != NULL) ||
		    strcmp(sc_buf_text(&name), is_owned ? rows[i].name : "") != 0)
			fail_msg("%s: \"%s\"", rows[i].about, sc_buf_text(&name));
		assert_said(&f, is_owned ? rows[i].name : NULL);
		finding->sides = 1; /* about one operation: the user's, wherever it is */
		assert_false(sc_library_owns(&name, &f.report, finding));
		sc_buf_fini(&name);
		fake_fini(&f);
	}
}

static const struct {
	const char *about, *called[3]; /* by the user, of memory, first and second side */
	uint64_t from[3];	       /* addresses of these calls */
	bool is_inside;
} calls[] = {
	{"one call", {"cudaCopy", "cudaCopy", "cudaCopy"}, {8, 8, 8}, 1},
	{"two of one line", {"cudaCopy", "cudaCopy", "cudaCopy"}, {8, 8, 9}, 0},
	{"a pointer to functions", {"cudaMalloc", "cudaCopy", "cudaFree"}, {8, 8, 8}, 0},
	{"addresses are not known", {"cudaCopy", "cudaCopy", "cudaCopy"}, {0, 0, 0}, 0},
};

/* Of NVIDIA's runtime is known that cudaMemcpyArrayToArray frees memory that it copies through. */
TEST(what_one_call_does)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct sc_finding *finding;
		struct fake f;

		fake_init(&f, "alloc a 64 stack=1\nset n1 a 64 stack=2\nfree a stack=3\n");
		for (uint32_t k = 0; k < 3; k++) {
			fake_frame(&f, k + 1, "libcuda.so.1+0x10", NULL, 0,
				   "/opt/lib/libcuda.so.1");
			fake_frame(&f, k + 1, calls[i].called[k], NULL, 0,
				   "/opt/lib/libcudart.so.13");
			fake_frame(&f, k + 1, "filter", "/home/me/filter.cu", 4, NULL);
			f.symbols.stacks[k + 1].frames[2].pc = calls[i].from[k];
			sc_frames_judge(f.symbols.stacks[k + 1].frames, 3);
		}
		finding = fake_finding(&f, SC_RULE_204, SC_WARNING);
		finding->confidence = SC_PROVEN;
		finding->side[0] = fake_side(&f, 2, SC_SIDE_WRITE, 0, 64);
		finding->side[1] = fake_side(&f, 3, SC_SIDE_FREE, 0, 64);
		assert_false(sc_library_is_inside(&f.report, finding)); /* whose memory? */
		finding->allocation = fake_op(&f, 1) + 1;
		if (sc_library_is_inside(&f.report, finding) != calls[i].is_inside)
			fail_msg("%s", calls[i].about);
		fake_fini(&f);
	}
}
