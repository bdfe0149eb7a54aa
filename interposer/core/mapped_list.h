/* A list that grows in mappings of its own, because hooks never touch the heap. */
#pragma once

#include <stddef.h>

/* A mapping of `room` bytes, of which `used` are. Zeroed: empty. */
struct sc_mapped_list {
	void *start; /* owned */
	size_t room, used;
	void (*give)(void *start, size_t room); /* takes it back; NULL: it is a mapping */
};

/* Room for `bytes` more, zeroed where it was never used; its address, or NULL. What was there may
 * move. */
void *sc_mapped_list_grow(struct sc_mapped_list *pages, size_t bytes);
void sc_mapped_list_fini(struct sc_mapped_list *pages);
