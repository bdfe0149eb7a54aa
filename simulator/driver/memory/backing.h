/* Real bytes of an allocation, as the engines see them.
 *
 * The engines must reach memory past the page protection of the host's view, as DMA does. So a
 * backing is a mapping of its own: private pages for device memory, which the host cannot see at
 * all, until another process shall see them (share.h); a second mapping of the same pages for
 * pinned and managed memory; for registered memory a duplicate of a shared mapping where there is
 * one, else none, and bytes then travel through /proc/self/mem (hostmem.h). Counted: ops in flight
 * keep it alive past a free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_backing {
	unsigned int refs;
	char *bytes;	   /* the engines' view; NULL for registered private memory */
	size_t size_bytes; /* rounded up to pages */
	void *host;	   /* the host's view, unmapped at the end; NULL when not ours */
	int file;	   /* owned; what other processes map, or -1 */
	bool is_of_range;  /* the pages are those of an open range (range.h) */
	bool is_lent;	   /* then: they are not its own */
	uintptr_t base;	   /* and the address */
};

/* Pages of device memory with that address, which the host sees in an open range only; 0: none.
 * NULL when out of memory. */
struct sim_backing *sim_backing_new_device(size_t size_bytes, uintptr_t base);

/* The same of memory that ends and begins again at its address while the old one may be in use:
 * pages of its own, but in an open range, which has one page for each address. */
struct sim_backing *sim_backing_new_device_again(size_t size_bytes, uintptr_t base);

/* Address space of the engines without pages; the owner maps some into it. */
struct sim_backing *sim_backing_new_empty(size_t size_bytes);

/* Pages with a host's view; at the fixed address `at` if not NULL. NULL when out of memory. */
struct sim_backing *sim_backing_new_shared(size_t size_bytes, void *at);

/* The same in a file that other processes can map (share.h). */
struct sim_backing *sim_backing_new_exported(size_t size_bytes);

/* All of a file that others can map too (share.h); takes it over. NULL when out of memory. */
struct sim_backing *sim_backing_new_file(int fd, size_t size_bytes);

/* The same, of another process's: the descriptor is not kept. */
struct sim_backing *sim_backing_new_imported(int fd, size_t size_bytes);
struct sim_backing *sim_backing_new_imported_shared(int fd,
						    size_t size_bytes); /* the host sees it */

/* Moves the bytes of a device's memory, which nobody is using now, to a file that others can map,
 * unless they are there; false when out of memory. */
bool sim_backing_share(struct sim_backing *backing);

/* The engines' way to memory that the application owns. NULL when out of memory. */
struct sim_backing *sim_backing_new_registered(void *host, size_t size_bytes);

void sim_backing_get(struct sim_backing *backing);
void sim_backing_put(struct sim_backing *backing);
