// Memory and a semaphore that another side exports, for programs that import them.
//
// The simulated device takes files in memory; the first word of one is the value of a semaphore. A
// driver takes what Vulkan made on the same device. A machine without it skips the program.
#ifndef SC_TESTCASES_EXPORTED_H
#define SC_TESTCASES_EXPORTED_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "testcases/common.h"
#include "testcases/vulkan.h"

#define WORD_BYTES	 4096
#define PATIENCE_SECONDS 60

struct exported_semaphore {
	int fd;
	volatile unsigned long long *word; // NULL: Vulkan has it
};

static inline void need(const char *missing)
{
	if (!missing)
		return;
	printf("%s\n", missing);
	exit(EXIT_SKIPPED);
}

static inline void must(const char *failure)
{
	if (!failure)
		return;
	fprintf(stderr, "%s\n", failure);
	exit(1);
}

static inline int make_file(size_t size)
{
	int fd = memfd_create("exported", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		need("this machine has no files in memory");
	return fd;
}

// A wait for the other side that does not end would hold the device for good: the alarm ends it.
static inline void open_vulkan(void)
{
	struct cudaDeviceProp prop;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	need(vulkan_open(&prop.uuid));
	alarm(PATIENCE_SECONDS);
}

static inline struct exported_memory export_memory(size_t bytes)
{
	struct exported_memory made = {-1, bytes, false};

	if (runs_kernels()) {
		open_vulkan();
		need(vulkan_export_memory(&made, bytes));
	} else {
		made.fd = make_file(bytes);
	}
	return made;
}

static inline struct exported_semaphore export_semaphore(bool is_timeline)
{
	struct exported_semaphore made = {-1, NULL};
	void *word;

	if (runs_kernels()) {
		open_vulkan();
		need(vulkan_export_semaphore(&made.fd, is_timeline));
		return made;
	}
	made.fd = make_file(WORD_BYTES);
	word = mmap(NULL, WORD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, made.fd, 0);
	if (word == MAP_FAILED)
		need("a file in memory cannot be mapped");
	made.word = (volatile unsigned long long *)word;
	return made;
}

// The other side's view of a timeline semaphore.
static inline unsigned long long get_value(const struct exported_semaphore *semaphore)
{
	uint64_t value;

	if (semaphore->word)
		return *semaphore->word;
	must(vulkan_get_value(&value));
	return value;
}

static inline void set_value(const struct exported_semaphore *semaphore, unsigned long long value)
{
	if (semaphore->word)
		*semaphore->word = value;
	else
		must(vulkan_set_value(value));
}

// The other side is done; the program has destroyed what it imported.
static inline void close_exports(void)
{
	vulkan_close();
}

#endif
