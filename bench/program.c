/* The native half of a program like a framework's: bench/program.py calls it step by step.
 *
 * Each operation goes its own way, always the same, through several libraries of small functions
 * (bench/layer.c), and ends in a call of the driver: forward ones in the calling thread, below the
 * interpreter, backward ones in a thread of their own. Neighbours share the outer part of the way.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/layer.h"

#define EXPORT	       __attribute__((visibility("default")))
#define LIBRARIES      5
#define FORWARD_STEPS  14
#define BACKWARD_STEPS 27
#define SHARED_STEPS   5 /* of neighbours */
#define ENGINE_STEPS   8 /* of all backward operations */
#define NEIGHBOURS     6
#define KERNELS	       40
#define WAYS	       120 /* distinct ones of each thread: blocks of a network are alike */
#define MOST_OPS       1024
#define MOST_BYTES     1024
#define EVENT_EVERY    25

EXPORT void program_begin(const char *folder, unsigned ops);
EXPORT void program_forward(unsigned number);
EXPORT void program_backward(void);

struct op {
	struct sc_way way; /* first: the last step finds the op by it */
	CUfunction kernel;
	unsigned number;
	bool is_ex; /* launched with attributes */
};

static struct {
	typeof(cuLaunchKernel) *LaunchKernel;
	typeof(cuLaunchKernelEx) *LaunchKernelEx;
	typeof(cuEventRecord) *EventRecord;
	typeof(cuStreamWaitEvent) *StreamWaitEvent;
} cu;

static struct op forward[MOST_OPS], backward[MOST_OPS];
static unsigned op_count;
static CUstream side;
static CUevent event;
static CUdeviceptr memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned asked, done;

/* ---- the last step ---- */

static __attribute__((noinline)) unsigned long enqueue(const struct sc_way *way, unsigned depth)
{
	const struct op *op = (const struct op *)way;
	CUdeviceptr from = memory + 256 * op->number, to = memory;
	unsigned count[MOST_BYTES / sizeof(unsigned)];
	void *params[] = {&from, &to, count};
	CUlaunchConfig config = {.gridDimX = 1 + op->number, .blockDimX = 128};
	int failed;

	count[0] = op->number;
	if (op->number % EVENT_EVERY == EVENT_EVERY - 1)
		failed = cu.EventRecord(event, NULL) || cu.StreamWaitEvent(side, event, 0);
	else if (op->is_ex)
		failed = cu.LaunchKernelEx(&config, op->kernel, params, NULL);
	else
		failed = cu.LaunchKernel(op->kernel, 1 + op->number, 1, 1, 128, 1, 1, 0, NULL,
					 params, NULL);
	if (failed)
		abort();
	return depth;
}

/* ---- ways ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a + 1) * UINT64_C(0x9e3779b97f4a7c15) + b;

	h = (h ^ h >> 31) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 29;
}

static void make_way(struct op *op, sc_layer_function *(*const library[])(unsigned), unsigned steps,
		     unsigned shared)
{
	for (unsigned i = 0; i < steps - 1; i++) {
		unsigned who = op->number % WAYS;
		unsigned group = i < shared		     ? 0
				 : i < shared + SHARED_STEPS ? 1 + who / NEIGHBOURS
							     : 1000 + who;
		uint64_t draw = mix(mix(shared, group), i);
		unsigned at = (i * LIBRARIES + (unsigned)(draw >> 40) % 3) / steps % LIBRARIES;

		op->way.step[i] = library[at]((unsigned)draw);
	}
	op->way.step[steps - 1] = enqueue;
	op->way.salt = op->number;
}

static void *symbol(void *library, const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;

	if (!found) {
		fprintf(stderr, "program: %s: %s\n", name, dlerror());
		exit(77);
	}
	return found;
}

static void open_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	CUdevice device;
	CUcontext context;
	int failed = 0;

#define CALL(function, ...) \
	(failed |= (int)((typeof(function) *)symbol(library, #function))(__VA_ARGS__))
	CALL(cuInit, 0);
	CALL(cuDeviceGet, &device, 0);
	CALL(cuDevicePrimaryCtxRetain, &context, device);
	CALL(cuCtxSetCurrent, context);
	CALL(cuStreamCreate, &side, CU_STREAM_NON_BLOCKING);
	CALL(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
	CALL(cuMemAlloc_v2, &memory, 1 << 20);
	cu.LaunchKernel = symbol(library, "cuLaunchKernel");
	cu.LaunchKernelEx = symbol(library, "cuLaunchKernelEx");
	cu.EventRecord = symbol(library, "cuEventRecord");
	cu.StreamWaitEvent = symbol(library, "cuStreamWaitEvent");
	if (failed)
		exit(77);
}

/* As an eager training loop's: of forty kernels six have large parameters. */
static void find_kernels(CUfunction kernels[KERNELS])
{
	static const char *const names[KERNELS] = {"large208", "large344", "large344",
						   "large720", "large752", "large1016"};
	static const char image[] =
		".version 7.0\n.target sm_52\n.address_size 64\n"
		".visible .entry nothing(.param .u64 a, .param .u64 b, .param .u32 n)\n"
		"{\n\tret;\n}\n";
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	typeof(cuModuleLoadData) *load = symbol(library, "cuModuleLoadData");
	typeof(cuModuleGetFunction) *find = symbol(library, "cuModuleGetFunction");

	for (unsigned i = 0; i < KERNELS; i++) {
		CUmodule module;

		if (load(&module, image) ||
		    find(&kernels[i], module, names[i] ? names[i] : "nothing"))
			exit(77);
	}
}

/* ---- the thread of backward operations ---- */

static void *run_backward(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (done == asked)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
		for (unsigned i = op_count; i--;)
			backward[i].way.step[0](&backward[i].way, 1);
		pthread_mutex_lock(&lock);
		done++;
		pthread_cond_broadcast(&changed);
	}
	return NULL;
}

/* ---- what the program calls ---- */

/* Before anything else; `folder` has the libraries. */
void program_begin(const char *folder, unsigned ops)
{
	sc_layer_function *(*library[LIBRARIES])(unsigned);
	CUfunction kernels[KERNELS];
	pthread_t thread;
	char path[4096];

	for (unsigned i = 0; i < LIBRARIES; i++) {
		snprintf(path, sizeof(path), "%s/layer%u.so", folder, i);
		library[i] = symbol(dlopen(path, RTLD_NOW), "sc_layer_function_at");
	}
	open_driver();
	find_kernels(kernels);
	op_count = ops < MOST_OPS ? ops : MOST_OPS;
	for (unsigned i = 0; i < op_count; i++) {
		forward[i].number = backward[i].number = i;
		forward[i].kernel = backward[i].kernel = kernels[mix(i % WAYS, 7) % KERNELS];
		forward[i].is_ex = backward[i].is_ex = mix(i % WAYS, 9) % 16 == 0;
		make_way(&forward[i], library, FORWARD_STEPS, 0);
		make_way(&backward[i], library, BACKWARD_STEPS, ENGINE_STEPS);
	}
	if (pthread_create(&thread, NULL, run_backward, NULL))
		exit(77);
	pthread_detach(thread);
}

void program_forward(unsigned number)
{
	const struct op *op = &forward[number % MOST_OPS];

	op->way.step[0](&op->way, 1);
}

void program_backward(void)
{
	pthread_mutex_lock(&lock);
	asked++;
	pthread_cond_broadcast(&changed);
	while (done != asked)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}
