/* What another side exports: memory and a semaphore of Vulkan, on the device that CUDA uses.
 *
 * One of each for a program. The loader, libvulkan.so.1, is looked for at run time. What can fail
 * returns NULL, or a sentence that says what is missing. Files are the caller's until CUDA has
 * imported them.
 */
#ifndef SC_TESTCASES_VULKAN_H
#define SC_TESTCASES_VULKAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct exported_memory {
	int fd;
	size_t size_bytes; /* of the whole, which importers have to know */
	bool is_dedicated; /* to one buffer, which importers have to know as well */
};

/* Opens the device with these 16 bytes as its UUID; nothing if it is open. */
const char *vulkan_open(const void *uuid);

const char *vulkan_export_memory(struct exported_memory *made, size_t bytes);

const char *vulkan_export_semaphore(int *fd, bool is_timeline);

/* Sets and reads the value of the semaphore, a timeline one, as the host. */
const char *vulkan_set_value(uint64_t value);
const char *vulkan_get_value(uint64_t *value);

/* Destroys everything, after CUDA has done so with what it imported; nothing if it is not open. */
void vulkan_close(void);

#ifdef __cplusplus
}
#endif

#endif
