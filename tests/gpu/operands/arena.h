// What programs of calls by chance have in common: numbers by chance, and rooms in one allocation,
// with gaps between them.
#ifndef SC_TESTS_GPU_OPERANDS_ARENA_H
#define SC_TESTS_GPU_OPERANDS_ARENA_H

#include <functional>
#include <random>
#include "testcases/common.h"

static const size_t ARENA = (size_t)256 << 20;

static std::mt19937 chance;
static char *arena;
static size_t used;
static bool is_aligned; // what comes next lies at a multiple of 256 bytes
static cudaStream_t stream;

static int upto(int least, int most)
{
	return std::uniform_int_distribution<int>(least, most)(chance);
}

static bool maybe(void)
{
	return upto(0, 1);
}

static void must(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "%s answered %d\n", what, status);
	exit(1);
}

#define MUST(call) must((int)(call), #call)

// Room for n elements, an odd number of elements behind what was there.
template <class T> static T *room(long long n)
{
	size_t at = (used + 4096) / sizeof(T) * sizeof(T) + (maybe() ? 16 : 1) * sizeof(T);

	if (is_aligned)
		at = (used + 4096) / 256 * 256;
	used = at + (size_t)n * sizeof(T);
	if (used > ARENA) {
		fprintf(stderr, "the arena is too small\n");
		exit(1);
	}
	return (T *)(arena + at);
}

static void open_arena(void)
{
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc((void **)&arena, ARENA));
	CHECK(cudaMemset(arena, 0, ARENA));
	CHECK(cudaDeviceSynchronize());
}

static void close_arena(void)
{
	CHECK(cudaFree(arena));
	CHECK(cudaStreamDestroy(stream));
}

// Calls with parameters by chance, as many as the first argument says; the second one is the seed.
// Each kind of call comes once, and then by chance.
template <int KINDS>
static void sweep(const std::function<void()> (&calls)[KINDS], int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 100;

	chance.seed(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
	for (int i = 0; i < count; i++) {
		used = 0;
		calls[i < KINDS ? i : upto(0, KINDS - 1)]();
		CHECK(cudaStreamSynchronize(stream));
	}
}

#endif
