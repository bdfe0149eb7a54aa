/* Real bytes behind an allocation, as the engines see them.
 *
 * The engines must reach memory past the page protection of the host's view, as DMA does. So a
 * backing is a mapping of its own: private pages for device memory, which the host cannot see at
 * all; a second mapping of the same pages for pinned and managed memory; for registered memory a
 * duplicate of a shared mapping where there is one, else none, and bytes then travel through
 * /proc/self/mem (hostmem.h). Counted: ops in flight keep it alive past a free.
 */
#ifndef SIM_BACKING_H
#define SIM_BACKING_H

#include <stddef.h>

struct sim_backing {
	unsigned int refs;
	char *bytes;	   /* the engines' view; NULL for registered private memory */
	size_t size_bytes; /* rounded up to pages */
	void *host;	   /* the host's view, unmapped at the end; NULL when not ours */
};

/* Pages that only the engines see. NULL when out of memory. */
struct sim_backing *sim_backing_new_device(size_t size_bytes);

/* Address space of the engines without pages; the owner maps some into it. */
struct sim_backing *sim_backing_new_empty(size_t size_bytes);

/* Pages with a host's view; at the fixed address `at` if not NULL. NULL when out of memory. */
struct sim_backing *sim_backing_new_shared(size_t size_bytes, void *at);

/* The engines' way to memory that the application owns. NULL when out of memory. */
struct sim_backing *sim_backing_new_registered(void *host, size_t size_bytes);

void sim_backing_get(struct sim_backing *backing);
void sim_backing_put(struct sim_backing *backing);

#endif
