/* What recording costs a call: the same loops without and with libstreamcheck.so, in one run.
 *
 * Usage: record [libstreamcheck.so]. Runs itself as a child several times, in turn without and
 * with the library preloaded, takes the best time of each loop and prints a table. Needs a CUDA
 * driver: a GPU's, or by LD_LIBRARY_PATH the simulated one, or driver.c's. In the environment
 * RECORD_OPTIONS are further options of the recorder; with RECORD_BEST the best hundred calls
 * count. `record --child [NUMBER]` runs the loops once, or one of them, for a profiler
 * (instructions.py) and for comparisons (variants.py); RECORD_CUPTI in its environment then turns
 * CUPTI's records on without streamcheck. `record --paired [NUMBER]`, run with the library
 * preloaded, makes each call in turn through the library and past it, in one process: runs differ
 * by more than what a launch costs. It prints the median past it, what is added, and that of the
 * runs between which half of all lie.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench/alone.h"
#include "bench/real.h"

#define ROUNDS	   5
#define CALLS	   2000
#define SYNC_EVERY 100
#define PAIRS	   400
#define PAIR_CALLS 50
#define COPY_BYTES 4096

/* An empty kernel with the parameters of a typical one. */
static const char image[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
			    ".visible .entry nothing(.param .u64 a, .param .u64 b, .param .u32 n)\n"
			    "{\n\tret;\n}\n";

/* The driver's functions, found as programs without a link to libcuda find them. */
#define FUNCTIONS(F)                                  \
	F(Init, cuInit)                               \
	F(DeviceGet, cuDeviceGet)                     \
	F(PrimaryCtxRetain, cuDevicePrimaryCtxRetain) \
	F(CtxSetCurrent, cuCtxSetCurrent)             \
	F(StreamCreate, cuStreamCreate)               \
	F(StreamSynchronize, cuStreamSynchronize)     \
	F(EventCreate, cuEventCreate)                 \
	F(EventRecord, cuEventRecord)                 \
	F(EventQuery, cuEventQuery)                   \
	F(StreamWaitEvent, cuStreamWaitEvent)         \
	F(MemAlloc, cuMemAlloc_v2)                    \
	F(MemAllocAsync, cuMemAllocAsync)             \
	F(MemFreeAsync, cuMemFreeAsync)               \
	F(MemHostAlloc, cuMemHostAlloc)               \
	F(MemsetD32Async, cuMemsetD32Async)           \
	F(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2)      \
	F(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)      \
	F(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)      \
	F(ModuleLoadData, cuModuleLoadData)           \
	F(ModuleGetFunction, cuModuleGetFunction)     \
	F(LaunchKernel, cuLaunchKernel)

struct driver {
#define MEMBER(name, symbol) typeof(symbol) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

struct bench {
	struct driver cu;
	CUstream stream, other;
	CUevent event;
	CUdeviceptr a, b;
	void *host;
	CUfunction kernel;
};

#define TRY(call)                                                                        \
	do {                                                                             \
		CUresult result_ = (call);                                               \
		if (result_) {                                                           \
			fprintf(stderr, "record: %s failed: %d\n", #call, (int)result_); \
			exit(1);                                                         \
		}                                                                        \
	} while (0)

/* ---- the loops ---- */

static void launch(struct bench *b)
{
	unsigned n = 1;
	void *params[] = {&b->a, &b->b, &n};

	TRY(b->cu.LaunchKernel(b->kernel, 1, 1, 1, 32, 1, 1, 0, b->stream, params, NULL));
}

static void copy_device(struct bench *b)
{
	TRY(b->cu.MemcpyDtoDAsync(b->a, b->b, COPY_BYTES, b->stream));
}

static void copy_in(struct bench *b)
{
	TRY(b->cu.MemcpyHtoDAsync(b->a, b->host, COPY_BYTES, b->stream));
}

static void copy_out(struct bench *b)
{
	TRY(b->cu.MemcpyDtoHAsync(b->host, b->a, COPY_BYTES, b->stream));
}

static void fill(struct bench *b)
{
	TRY(b->cu.MemsetD32Async(b->a, 0, COPY_BYTES / 4, b->stream));
}

static void record_event(struct bench *b)
{
	TRY(b->cu.EventRecord(b->event, b->stream));
}

static void wait_for_event(struct bench *b)
{
	TRY(b->cu.StreamWaitEvent(b->other, b->event, 0));
}

static void query(struct bench *b)
{
	CUresult result = b->cu.EventQuery(b->event);

	if (result != CUDA_ERROR_NOT_READY)
		TRY(result);
}

static void allocate(struct bench *b)
{
	CUdeviceptr memory;

	TRY(b->cu.MemAllocAsync(&memory, COPY_BYTES, b->stream));
	TRY(b->cu.MemFreeAsync(memory, b->stream));
}

static const struct loop {
	const char *name;
	void (*body)(struct bench *b);
	unsigned calls; /* in one body */
} loops[] = {
	{"kernel launch", launch, 1},
	{"copy device to device", copy_device, 1},
	{"copy pinned to device", copy_in, 1},
	{"copy device to pinned", copy_out, 1},
	{"fill", fill, 1},
	{"event record", record_event, 1},
	{"stream wait", wait_for_event, 1},
	{"event query", query, 1},
	{"allocate and free", allocate, 2},
};

#define LOOPS (sizeof(loops) / sizeof(loops[0]))

/* ---- the child ---- */

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* As a program finds them, or the driver's own. */
static void open_driver(struct driver *cu, bool is_real)
{
	void *(*find)(void *, const char *) = is_real ? sc_real_symbol : dlsym;
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!library) {
		fprintf(stderr, "record: %s\n", dlerror());
		exit(77);
	}
#define FIND(name, symbol) cu->name = (typeof(cu->name))find(library, #symbol);
	FUNCTIONS(FIND)
#undef FIND
}

static void set_up(struct bench *b)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;

	open_driver(&b->cu, false);
	TRY(b->cu.Init(0));
	TRY(b->cu.DeviceGet(&device, 0));
	TRY(b->cu.PrimaryCtxRetain(&context, device));
	TRY(b->cu.CtxSetCurrent(context));
	TRY(b->cu.StreamCreate(&b->stream, CU_STREAM_NON_BLOCKING));
	TRY(b->cu.StreamCreate(&b->other, CU_STREAM_NON_BLOCKING));
	TRY(b->cu.EventCreate(&b->event, CU_EVENT_DISABLE_TIMING));
	TRY(b->cu.MemAlloc(&b->a, COPY_BYTES));
	TRY(b->cu.MemAlloc(&b->b, COPY_BYTES));
	TRY(b->cu.MemHostAlloc(&b->host, COPY_BYTES, 0));
	TRY(b->cu.ModuleLoadData(&module, image));
	TRY(b->cu.ModuleGetFunction(&b->kernel, module, "nothing"));
}

/* Nanoseconds a call, enqueue only: the waits in between are not counted. On a machine that does
 * other things too only the best stretch says something. */
static double measure(struct bench *b, const struct loop *loop)
{
	double spent = 0, best = 1e18;

	for (unsigned i = 0; i < CALLS; i += SYNC_EVERY) {
		double start = now_ns(), stretch;

		for (unsigned j = 0; j < SYNC_EVERY; j++)
			loop->body(b);
		stretch = now_ns() - start;
		spent += stretch;
		best = stretch < best ? stretch : best;
		TRY(b->cu.StreamSynchronize(b->stream));
		TRY(b->cu.StreamSynchronize(b->other));
	}
	return (getenv("RECORD_BEST") ? best / SYNC_EVERY : spent / CALLS) / loop->calls;
}

static int child(size_t first, size_t end)
{
	struct bench b = {0};

	sc_alone_begin();
	set_up(&b);
	for (size_t i = first; i < end && i < LOOPS; i++) {
		measure(&b, &loops[i]); /* warm up: lazy loading, stacks, files */
		printf("%.1f\n", measure(&b, &loops[i]));
	}
	sc_alone_end();
	return 0;
}

/* ---- in turn ---- */

/* Begins with idle streams, whose freed memory the driver gives out faster than that of busy ones.
 */
static double batch(struct bench *b, const struct loop *loop)
{
	double start = now_ns(), spent;

	for (unsigned i = 0; i < PAIR_CALLS; i++)
		loop->body(b);
	spent = now_ns() - start;
	TRY(b->cu.StreamSynchronize(b->stream));
	TRY(b->cu.StreamSynchronize(b->other));
	return spent / PAIR_CALLS / loop->calls;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void compare(struct bench *recorded, struct bench *plain, const struct loop *loop)
{
	static double without[PAIRS], added[PAIRS];

	for (int i = -PAIRS / 4; i < PAIRS; i++) { /* the first ones warm up */
		bool is_first = i & 1;
		double first = batch(is_first ? recorded : plain, loop);
		double second = batch(is_first ? plain : recorded, loop);

		if (i < 0)
			continue;
		without[i] = is_first ? second : first;
		added[i] = is_first ? first - second : second - first;
	}
	qsort(without, PAIRS, sizeof(*without), by_value);
	qsort(added, PAIRS, sizeof(*added), by_value);
	printf("%-24s %8.0f plain %+8.0f added (%+.0f to %+.0f) %6.3f\n", loop->name,
	       without[PAIRS / 2], added[PAIRS / 2], added[PAIRS / 4], added[3 * PAIRS / 4],
	       1 + added[PAIRS / 2] / without[PAIRS / 2]);
}

static int paired(size_t first, size_t end)
{
	struct bench recorded = {0}, plain;

	sc_alone_begin();
	set_up(&recorded);
	plain = recorded;
	open_driver(&plain.cu, true);
	for (size_t i = first; i < end && i < LOOPS; i++)
		compare(&recorded, &plain, &loops[i]);
	sc_alone_end();
	return 0;
}

/* ---- the parent ---- */

/* Runs the child and keeps the best time of each loop. Returns its status. */
static int run(const char *self, const char *library, double best[LOOPS])
{
	char line[64], command[4608];
	FILE *pipe;

	/* the trace goes where the shell's own process id makes it unique, and is removed */
	if (library)
		snprintf(command, sizeof(command),
			 "t=${TMPDIR:-/tmp}/record.$$.sct; LD_PRELOAD='%s' "
			 "STREAMCHECK_OPTIONS=analyze=no:trace=$t"
			 "${RECORD_OPTIONS:+:$RECORD_OPTIONS} "
			 "'%s' --child; s=$?; rm -f $t; exit $s",
			 library, self);
	else
		snprintf(command, sizeof(command), "'%s' --child", self);
	pipe = popen(command, "r");
	if (!pipe)
		return 1;
	for (size_t i = 0; i < LOOPS && fgets(line, sizeof(line), pipe); i++) {
		double ns = strtod(line, NULL);

		if (ns > 0 && (best[i] == 0 || ns < best[i]))
			best[i] = ns;
	}
	return WEXITSTATUS(pclose(pipe));
}

static void find_library(const char *self, char *out, size_t bytes)
{
	const char *slash = strrchr(self, '/');

	snprintf(out, bytes, "%.*s/../lib/libstreamcheck.so", (int)(slash - self), self);
}

int main(int argc, char **argv)
{
	double plain[LOOPS] = {0}, recorded[LOOPS] = {0};
	char self[2048] = "", library[2304];
	int status;

	if (argc >= 2 && argv[1][0] == '-') {
		size_t only = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
		size_t end = argc > 2 ? only + 1 : LOOPS;

		return strcmp(argv[1], "--paired") ? child(only, end) : paired(only, end);
	}
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
		return 1;
	find_library(self, library, sizeof(library));
	if (argc == 2)
		snprintf(library, sizeof(library), "%s", argv[1]);
	for (unsigned i = 0; i < ROUNDS; i++) {
		status = run(self, NULL, plain);
		if (!status)
			status = run(self, library, recorded);
		if (status)
			return status;
	}
	printf("%-24s %10s %10s %10s %8s\n", "call", "plain ns", "recorded", "added", "ratio");
	for (size_t i = 0; i < LOOPS; i++)
		printf("%-24s %10.0f %10.0f %10.0f %8.2f\n", loops[i].name, plain[i], recorded[i],
		       recorded[i] - plain[i], recorded[i] / plain[i]);
	return 0;
}
