/* Window: the slots of a trace, a stretch at a time, from a file or from memory.
 *
 * A file is copied by pread and never mapped: a live trace may be cut short by its writer, and a
 * mapped page that vanishes would end the tool. Memory is looked at in place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "trace/format.h"

struct sc_window {
	int fd;		     /* owned; -1 for memory */
	const uint8_t *data; /* slots from `start` on; borrowed memory or `buffer` */
	uint64_t start;	     /* index of the first slot in `data` */
	uint64_t count;	     /* slots in `data` */
	uint64_t total;	     /* slots of the trace that are there */
	uint8_t *buffer;     /* owned */
};

/* Takes over the descriptor of a file with `total` slots. */
void sc_window_init_file(struct sc_window *w, int fd, uint64_t total);
void sc_window_init_memory(struct sc_window *w, const uint8_t *slots, uint64_t total);
void sc_window_fini(struct sc_window *w);
/* The trace has so many slots now; false if memory has fewer, which are then all that there are. */
bool sc_window_set_total(struct sc_window *w, uint64_t total);
/* Moves the window so that `n` slots from `at` on are inside, as far as they exist; at most
 * SC_RECORD_SLOTS. A file that has become shorter lowers `total`. */
void sc_window_move(struct sc_window *w, uint64_t at, uint64_t n);

/* Reads so many bytes of a file, as far as they are there, however often a read is cut short;
 * returns how many there were. */
size_t sc_window_read(int fd, void *out, size_t bytes, uint64_t offset);
/* Copies `n` slots from `at` on without moving the window; false if they are not there (any more).
 */
bool sc_window_copy(const struct sc_window *w, uint64_t at, uint64_t n, uint8_t *out);

/* `n` slots from `at` on, or NULL if they are not all in the window. */
static inline const uint8_t *sc_window_look(const struct sc_window *w, uint64_t at, uint64_t n)
{
	uint64_t passed = at - w->start; /* `at` before the window: huge */

	if (passed > w->count || w->count - passed < n)
		return NULL;
	return w->data + passed * SC_SLOT_SIZE;
}

/* True if `n` slots from `at` on reach beyond the window, and the trace does, too. */
static inline bool sc_window_must_move(const struct sc_window *w, uint64_t at, uint64_t n)
{
	uint64_t end = w->start + w->count;

	return at < w->start || (at + n > end && end < w->total);
}
