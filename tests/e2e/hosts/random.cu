// A random program of copies, fills, waits and host accesses, and what must be found in it.
//
// usage: random SEED
//
// Each step is a function of its own, so that a finding tells which steps raced.
#include <sys/mman.h>
#include "testcases/common.h"
#include "tests/e2e/hosts/model.h"

#define STEPS	48
#define BUFFERS 4
#define BYTES	(UINT64_C(6) * 4096)
#define WORDS	16
#define EVENTS	2

enum { PINNED, REGISTERED, MANAGED, PAGEABLE };

static struct model model;
static char *buffer[BUFFERS], *device;
static cudaStream_t stream[STREAMS];
static cudaEvent_t event[EVENTS];
static uint64_t recorded[EVENTS], state;
static volatile uint64_t sink;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
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

// Few words, so that no page is given up for its neighbours.
static void access_some(int step)
{
	struct footprint f = {};
	bool is_write = draw(2);
	volatile uint64_t *word;

	f.buffer = draw(PAGEABLE);
	f.rows = 1;
	f.width = 8 * (1 + draw(WORDS));
	f.start = 8 * draw((BYTES - f.width) / 8);
	word = (volatile uint64_t *)(buffer[f.buffer] + f.start);
	model_access(&model, step, f, is_write);
	for (uint64_t i = 0; i < f.width / 8; i++) {
		if (is_write)
			word[i] = i;
		else
			sink = word[i];
	}
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

	kinds[draw(sizeof(kinds) / sizeof(*kinds))](step);
}

template <int N> static __attribute__((noinline)) void step()
{
	act(N);
	asm volatile("" ::: "memory"); // the call above is no jump
}

template <int N> static void run()
{
	if constexpr (N < STEPS) {
		step<N>();
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
