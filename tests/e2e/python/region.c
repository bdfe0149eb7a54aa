/* A parallel region that reads memory in its last thread only, as NumPy's and PyTorch's do in all.
 */
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT uint32_t read_in_region(const uint8_t *memory, size_t bytes);
EXPORT uint32_t read_in_two(const uint8_t *memory, size_t bytes);

uint32_t read_in_region(const uint8_t *memory, size_t bytes)
{
	uint32_t sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	if (omp_get_thread_num() == 2) {
		for (size_t i = 0; i < bytes; i++)
			sum += memory[i];
	}
	return sum;
}

/* The same in a region that a thread of a region forks. */
uint32_t read_in_two(const uint8_t *memory, size_t bytes)
{
	uint32_t sum = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
	if (omp_get_thread_num() == 1)
		sum += read_in_region(memory, bytes);
	return sum;
}
