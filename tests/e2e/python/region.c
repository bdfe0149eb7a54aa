/* A parallel region that reads memory in its last thread only, as NumPy's and PyTorch's do in all.
 */
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

__attribute__((visibility("default"))) uint32_t read_in_region(const uint8_t *memory, size_t bytes);

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
