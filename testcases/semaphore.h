// A semaphore of another side, which the program imports: signals and waits of both sides.
//
// On the simulated device its value is the first word of a file in memory, with a driver Vulkan has
// it (exported.h).
#ifndef SC_TESTCASES_SEMAPHORE_H
#define SC_TESTCASES_SEMAPHORE_H

#include "testcases/exported.h"

#define WORD_BYTES 4096

struct semaphore {
	cudaExternalSemaphore_t imported;
	volatile unsigned long long *word; // NULL: Vulkan has it
};

static inline void must(const char *failure)
{
	if (!failure)
		return;
	fprintf(stderr, "%s\n", failure);
	exit(1);
}

static inline int export_semaphore(struct semaphore *semaphore, bool is_timeline)
{
	void *word;
	int fd;

	if (!is_simulated()) {
		open_vulkan();
		need(vulkan_export_semaphore(&fd, is_timeline));
		return fd;
	}
	fd = make_file(WORD_BYTES);
	word = mmap(NULL, WORD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (word == MAP_FAILED)
		need("a file in memory cannot be mapped");
	semaphore->word = (volatile unsigned long long *)word;
	return fd;
}

static inline struct semaphore import_semaphore(bool is_timeline)
{
	cudaExternalSemaphoreHandleDesc wanted = {};
	struct semaphore made = {};

	wanted.type = is_timeline ? cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd
				  : cudaExternalSemaphoreHandleTypeOpaqueFd;
	wanted.handle.fd = export_semaphore(&made, is_timeline);
	CHECK(cudaImportExternalSemaphore(&made.imported, &wanted));
	return made;
}

static inline void signal(const struct semaphore *s, unsigned long long value, cudaStream_t stream)
{
	cudaExternalSemaphoreSignalParams params = {};

	params.params.fence.value = value;
	CHECK(cudaSignalExternalSemaphoresAsync(&s->imported, &params, 1, stream));
}

static inline void wait(const struct semaphore *s, unsigned long long value, cudaStream_t stream)
{
	cudaExternalSemaphoreWaitParams params = {};

	params.params.fence.value = value;
	CHECK(cudaWaitExternalSemaphoresAsync(&s->imported, &params, 1, stream));
}

// The other side waits for the value of a timeline semaphore, and notifies the program.
static inline void wait_elsewhere(const struct semaphore *s, unsigned long long value)
{
	uint64_t found = 0;

	while (found < value) {
		if (s->word)
			found = *s->word;
		else
			must(vulkan_get_value(&found));
		usleep(100);
	}
}

static inline void signal_elsewhere(const struct semaphore *s, unsigned long long value)
{
	if (s->word)
		*s->word = value;
	else
		must(vulkan_set_value(value));
}

#endif
