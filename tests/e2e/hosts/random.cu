// A random program of copies, fills, kernels, graphs, host functions, waits and accesses of two
// host threads, and what must be found in it.
//
// usage: random SEED
//
// Each step is a line of its own (steps.h), so that no two pairs of steps are one finding, and a
// function of its own, so that a finding shows which steps raced.
#include <pthread.h>
#include <sys/mman.h>
#include "testcases/common.h"
#include "tests/e2e/hosts/model.h"

#define STEPS	48
#define BUFFERS 4
#define BYTES	(UINT64_C(6) * 4096)
#define WORDS	16
#define EVENTS	2
#define GRAPHS	3

enum { PINNED, REGISTERED, MANAGED, PAGEABLE };

static struct model model;
static char *buffer[BUFFERS], *device;
static cudaStream_t stream[STREAMS];
static cudaEvent_t event[EVENTS];
static uint64_t recorded[EVENTS], state;
static volatile uint64_t sink;
static void (*called)(void *); // the host function or thread of this step

// What a host function or another thread does.
struct job {
	volatile uint64_t *word;
	uint64_t words;
	bool is_write;
};

struct graph {
	cudaGraphExec_t exec;
	struct model_op node[2];
	int nodes, in;
};

static struct graph graph[GRAPHS];

static __global__ void write_words(uint64_t *word, uint64_t words)
{
	uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < words)
		word[i] = 1;
}

static __global__ void read_words(const uint64_t *word, uint64_t words, uint64_t *to)
{
	uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < words)
		to[i] = word[i];
}

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static struct footprint some_words(uint64_t most)
{
	struct footprint f = {};

	f.buffer = draw(PAGEABLE);
	f.rows = 1;
	f.width = 8 * (1 + draw(most));
	f.start = 8 * draw((BYTES - f.width) / 8);
	return f;
}

static struct footprint some_bytes(int most_rows)
{
	struct footprint f = {};

	f.rows = 1 + draw(most_rows);
	f.pitch = BYTES / f.rows;
	f.width = 1 + draw(f.pitch - 1);
	f.start = draw(f.pitch - f.width + 1);
	return f;
}

// ---- operations ----

// Each has bytes of the device of its own: only the host's memory is fought for.
static void copy(int step)
{
	struct footprint f = some_bytes(draw(3) ? 1 : 8);
	int in = draw(STREAMS);
	bool is_write = draw(3) != 0;
	char *there = device + step * BYTES, *here;

	f.buffer = draw(BUFFERS);
	if (!buffer[f.buffer])
		return;
	here = buffer[f.buffer] + f.start;
	if (f.rows == 1)
		CHECK(cudaMemcpyAsync(is_write ? here : there, is_write ? there : here, f.width,
				      cudaMemcpyDefault, stream[in]));
	else
		CHECK(cudaMemcpy2DAsync(is_write ? here : there, f.pitch, is_write ? there : here,
					f.pitch, f.width, f.rows, cudaMemcpyDefault, stream[in]));
	model_enqueue(&model, in, {f, 0, step, is_write, f.buffer != PAGEABLE});
}

static void fill_some(int step)
{
	struct footprint f = some_bytes(1);
	int in = draw(STREAMS);

	f.buffer = draw(2) ? PINNED : MANAGED;
	CHECK(cudaMemsetAsync(buffer[f.buffer] + f.start, 1, f.width, stream[in]));
	model_enqueue(&model, in, {f, 0, step, true, true});
}

struct kernel {
	struct footprint at;
	bool is_write;
	uint64_t *word, words, *there;
};

static struct kernel some_kernel(int step)
{
	struct footprint f = some_words(BYTES / 16);

	return {f, draw(3) != 0, (uint64_t *)(buffer[f.buffer] + f.start), f.width / 8,
		(uint64_t *)(device + step * BYTES)};
}

static struct model_op kernel_op(const struct kernel *k, int step)
{
	return {k->at, 0, step, k->is_write, true, true, false};
}

static void launch(int step)
{
	struct kernel k = some_kernel(step);
	int in = draw(STREAMS), blocks = (int)(k.words + 63) / 64;

	if (k.is_write)
		write_words<<<blocks, 64, 0, stream[in]>>>(k.word, k.words);
	else
		read_words<<<blocks, 64, 0, stream[in]>>>(k.word, k.words, k.there);
	CHECK(cudaGetLastError());
	model_enqueue(&model, in, kernel_op(&k, step));
}

// ---- graphs ----

static cudaGraphNode_t add_kernel(cudaGraph_t to, cudaGraphNode_t *after, struct kernel *k)
{
	void *parameters[] = {&k->word, &k->words, &k->there};
	cudaKernelNodeParams p = {};
	cudaGraphNode_t node;

	p.func = k->is_write ? (void *)write_words : (void *)read_words;
	p.gridDim = dim3((unsigned)(k->words + 63) / 64);
	p.blockDim = dim3(64);
	p.kernelParams = parameters;
	CHECK(cudaGraphAddKernelNode(&node, to, after, after != NULL, &p));
	return node;
}

static cudaGraphNode_t add_copy(cudaGraph_t to, cudaGraphNode_t *after, struct kernel *k)
{
	cudaGraphNode_t node;

	CHECK(cudaGraphAddMemcpyNode1D(
		&node, to, after, after != NULL, k->is_write ? k->word : k->there,
		k->is_write ? k->there : k->word, k->at.width, cudaMemcpyDefault));
	return node;
}

static void launch_graph(struct graph *g)
{
	CHECK(cudaGraphLaunch(g->exec, stream[g->in]));
	for (int i = 0; i < g->nodes; i++)
		model_enqueue(&model, g->in, g->node[i]);
}

// One or two nodes, one after the other; a copy's operand is as wide as a kernel's.
static void build_graph(int step)
{
	struct graph *g = &graph[draw(GRAPHS)];
	cudaGraphNode_t last = NULL;
	cudaGraph_t made;

	if (g->exec)
		return;
	g->in = draw(2) ? FREE : OTHER;
	g->nodes = 1 + draw(2);
	CHECK(cudaGraphCreate(&made, 0));
	for (int i = 0; i < g->nodes; i++) {
		struct kernel k = some_kernel(step);
		bool is_kernel = draw(2);

		last = is_kernel ? add_kernel(made, i ? &last : NULL, &k)
				 : add_copy(made, i ? &last : NULL, &k);
		g->node[i] = {k.at, 0, step, k.is_write, true, is_kernel, false};
	}
	CHECK(cudaGraphInstantiate(&g->exec, made, 0));
	CHECK(cudaGraphDestroy(made));
	launch_graph(g);
}

static void replay_graph(int step)
{
	struct graph *g = &graph[draw(GRAPHS)];

	(void)step;
	if (g->exec)
		launch_graph(g);
}

static void copy_and_wait(int step)
{
	struct footprint f = some_bytes(1);

	f.buffer = PINNED;
	CHECK(cudaMemcpy(buffer[PINNED] + f.start, device + step * BYTES, f.width,
			 cudaMemcpyDeviceToHost));
	model_enqueue(&model, LEGACY, {f, 0, step, true, false});
	model_wait_stream(&model, LEGACY);
}

// ---- order ----

static void record(int step)
{
	int e = draw(EVENTS), in = draw(2) ? FREE : OTHER;

	(void)step;
	CHECK(cudaEventRecord(event[e], stream[in]));
	recorded[e] = model.reach[in];
}

static void wait_in_stream(int step)
{
	int e = draw(EVENTS), in = draw(2) ? FREE : OTHER;

	(void)step;
	CHECK(cudaStreamWaitEvent(stream[in], event[e], 0));
	model.reach[in] |= recorded[e];
}

static void wait_for_event(int step)
{
	int e = draw(EVENTS);

	(void)step;
	if (draw(2))
		CHECK(cudaEventSynchronize(event[e]));
	else if (cudaEventQuery(event[e]) != cudaSuccess)
		return;
	model.known |= recorded[e];
}

static void wait_for_stream(int step)
{
	int in = draw(STREAMS);

	(void)step;
	if (in == LEGACY || draw(2))
		CHECK(cudaStreamSynchronize(stream[in]));
	else if (cudaStreamQuery(stream[in]) != cudaSuccess)
		return;
	model_wait_stream(&model, in);
}

static void wait_for_all(int step)
{
	(void)step;
	CHECK(cudaDeviceSynchronize());
	model_wait_all(&model);
}

// ---- the host ----

static __attribute__((noinline)) void work(const struct job *job)
{
	for (uint64_t i = 0; i < job->words; i++) {
		if (job->is_write)
			job->word[i] = i;
		else
			sink = job->word[i];
	}
}

// Few words, so that no page is given up for its neighbours.
static struct job some_job(struct footprint *f)
{
	*f = some_words(WORDS);
	return {(volatile uint64_t *)(buffer[f->buffer] + f->start), f->width / 8, draw(2) != 0};
}

static void access_some(int step)
{
	struct footprint f;
	struct job job = some_job(&f);

	model_access(&model, step, f, job.is_write);
	work(&job);
	asm volatile("" ::: "memory"); // the call above is no jump
}

static void *run_thread(void *job)
{
	called(job);
	return NULL;
}

static void access_in_thread(int step)
{
	struct footprint f;
	struct job job = some_job(&f);
	pthread_t thread;

	model_access(&model, step, f, job.is_write);
	if (pthread_create(&thread, NULL, run_thread, &job) || pthread_join(thread, NULL))
		exit(EXIT_WRONG);
}

// Its job lives on: nobody waits for it.
static void call_host(int step)
{
	struct footprint f;
	struct job *job = (struct job *)malloc(sizeof(*job));
	int in = draw(STREAMS);

	*job = some_job(&f);
	CHECK(cudaLaunchHostFunc(stream[in], called, job));
	model_enqueue(&model, in, {f, 0, step, job->is_write, false, false, true});
}

static char *map(void *at, int flags)
{
	void *start =
		mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (start == MAP_FAILED)
		exit(EXIT_WRONG);
	return (char *)start;
}

// Other memory takes its place, so that what is still in flight lands somewhere.
static void end_pageable(int step)
{
	struct footprint f = {PAGEABLE, 0, BYTES, BYTES, 1};

	if (!buffer[PAGEABLE])
		return;
	model_free(&model, step, f);
	map(buffer[PAGEABLE], MAP_FIXED);
	buffer[PAGEABLE] = NULL;
}

// ---- programs ----

static void act(int step)
{
	static void (*const kinds[])(int) = {copy,
					     copy,
					     copy,
					     copy,
					     copy,
					     fill_some,
					     launch,
					     launch,
					     build_graph,
					     replay_graph,
					     call_host,
					     access_in_thread,
					     copy_and_wait,
					     record,
					     record,
					     wait_in_stream,
					     access_some,
					     access_some,
					     access_some,
					     access_some,
					     access_some,
					     access_some,
					     wait_for_event,
					     wait_for_stream,
					     wait_for_stream,
					     wait_for_all,
					     end_pageable};

	if (model_is_full(&model))
		return;
	kinds[draw(sizeof(kinds) / sizeof(*kinds))](step);
}

#include "tests/e2e/hosts/steps.h"

template <int N> static void run()
{
	if constexpr (N < STEPS) {
		step<N>::run();
		run<N + 1>();
	}
}

static void set_up()
{
	buffer[PINNED] = (char *)pinned(BYTES);
	buffer[REGISTERED] = (char *)aligned_alloc(4096, BYTES);
	CHECK(cudaHostRegister(buffer[REGISTERED], BYTES, cudaHostRegisterDefault));
	CHECK(cudaMallocManaged(&buffer[MANAGED], BYTES));
	buffer[PAGEABLE] = map(NULL, 0);
	device = (char *)on_device(STEPS * BYTES);
	CHECK(cudaMemset(device, 0, STEPS * BYTES));
	CHECK(cudaStreamCreate(&stream[BLOCKING]));
	CHECK(cudaStreamCreateWithFlags(&stream[FREE], cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&stream[OTHER], cudaStreamNonBlocking));
	stream[LEGACY] = cudaStreamLegacy;
	for (int i = 0; i < EVENTS; i++)
		CHECK(cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming));
	CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1;
	set_up();
	run<0>();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
