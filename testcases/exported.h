// Memory that another side exports, for programs that import it; semaphore.h has semaphores.
//
// The simulated device takes files in memory. A driver takes what Vulkan made on the same device; a
// machine without it skips the program.
#ifndef SC_TESTCASES_EXPORTED_H
#define SC_TESTCASES_EXPORTED_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "testcases/common.h"
#include "testcases/vulkan.h"

#define PATIENCE_SECONDS 60

static inline void need(const char *missing)
{
	if (!missing)
		return;
	printf("%s\n", missing);
	exit(EXIT_SKIPPED);
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

	if (!is_simulated()) {
		open_vulkan();
		need(vulkan_export_memory(&made, bytes));
	} else {
		made.fd = make_file(bytes);
	}
	return made;
}

// The other side is done, with semaphores too; the program has destroyed what it imported.
static inline void close_exports(void)
{
	vulkan_close();
}

#endif
