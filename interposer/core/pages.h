/* A list that grows in mappings of its own, because hooks never touch the heap. */
#ifndef SC_INTERPOSER_CORE_PAGES_H
#define SC_INTERPOSER_CORE_PAGES_H

#include <stddef.h>

/* A mapping of `room` bytes, of which `used` are. Zeroed: empty. */
struct sc_pages {
	void *start; /* owned */
	size_t room, used;
};

/* Room for `bytes` more, zeroed where it was never used; its address, or NULL. What was there may
 * move. */
void *sc_pages_grow(struct sc_pages *pages, size_t bytes);
void sc_pages_fini(struct sc_pages *pages);

#endif
