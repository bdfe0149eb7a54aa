// What the programs of kernels/ share: typed memory, random numbers, and comparisons with what the
// host computes. The comparisons print lines that are the same on every device.
#ifndef SC_TESTCASES_COMPUTE_H
#define SC_TESTCASES_COMPUTE_H

#include "testcases/common.h"

#include <math.h>

// Ends a program that has nothing to compare where no kernel runs.
HOST_LOOP void need_kernels(void)
{
	if (runs_kernels())
		return;
	printf("needs a device that executes kernels\n");
	exit(EXIT_SKIPPED);
}

// Pinned memory, zeroed.
template <typename T> T *host_array(size_t n)
{
	T *data = NULL;

	CHECK(cudaMallocHost(&data, n * sizeof(T)));
	memset((void *)data, 0, n * sizeof(T));
	return data;
}

template <typename T> T *device_array(size_t n)
{
	T *data = NULL;

	CHECK(cudaMalloc(&data, n * sizeof(T)));
	return data;
}

template <typename T> T *device_zeros(size_t n)
{
	T *data = device_array<T>(n);

	CHECK(cudaMemset(data, 0, n * sizeof(T)));
	return data;
}

template <typename T> T *device_copy(const T *from, size_t n)
{
	T *data = device_array<T>(n);

	CHECK(cudaMemcpy(data, from, n * sizeof(T), cudaMemcpyHostToDevice));
	return data;
}

template <typename T> void read_back(T *to, const T *from, size_t n)
{
	CHECK(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost));
}

template <typename... T> void free_device(T *...arrays)
{
	(check(cudaFree((void *)arrays), "cudaFree", __FILE__, __LINE__), ...);
}

template <typename... T> void free_host(T *...arrays)
{
	(check(cudaFreeHost((void *)arrays), "cudaFreeHost", __FILE__, __LINE__), ...);
}

// The same numbers on every machine.
__host__ __device__ static inline unsigned random_next(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

// A number from 0 to 1 with 12 bits, so that sums of products are exact for long.
__host__ __device__ static inline float random_unit(unsigned *state)
{
	return (float)(random_next(state) & 4095) / 4096;
}

HOST_LOOP unsigned hash_bytes(const void *data, size_t bytes)
{
	const unsigned char *at = (const unsigned char *)data;
	unsigned hash = 2166136261u;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * 16777619u;
	return hash;
}

// Every bit as the host has it; prints a hash.
template <typename T> void expect_equal(const char *what, const T *got, const T *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!memcmp(got + i, want + i, sizeof(T)))
			continue;
		printf("%s: element %zu of %zu is wrong\n", what, i, n);
		if constexpr (std::is_arithmetic<T>::value)
			fprintf(stderr, "it is %.17g, not %.17g\n", (double)got[i],
				(double)want[i]);
		exit(EXIT_WRONG);
	}
	printf("%s: %zu equal, hash %08x\n", what, n, hash_bytes(got, n * sizeof(T)));
}

template <typename T> void expect_value(const char *what, T got, T want)
{
	expect_equal(what, &got, &want, 1);
}

// Nearer to what the host has than `tolerance`, relative to numbers above 1.
template <typename T>
void expect_near(const char *what, const T *got, const T *want, size_t n, double tolerance)
{
	for (size_t i = 0; i < n; i++) {
		double scale = fabs((double)want[i]) > 1 ? fabs((double)want[i]) : 1;

		if (fabs((double)got[i] - (double)want[i]) <= tolerance * scale)
			continue;
		printf("%s: element %zu of %zu is wrong\n", what, i, n);
		fprintf(stderr, "it is %.17g, not %.17g\n", (double)got[i], (double)want[i]);
		exit(EXIT_WRONG);
	}
	printf("%s: %zu within %g\n", what, n, tolerance);
}

#endif
