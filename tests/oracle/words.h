/* Words in memory and external semaphores of the naive model: which write a wait comes after.
 *
 * From the specification (W-1, W-2, W-4): of all writes so far that fulfil the condition, those
 * that were certainly written over before the wait begins do not count. If the others stand in one
 * stream, and all make visible what came before them, the wait comes after the first of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/vector.h"
#include "trace/op.h"

struct word_write {
	struct sc_op op;
	size_t start, end; /* nodes */
	uint64_t *before;  /* owned: bits of the nodes that lead to its start */
};

struct words {
	SC_VECTOR(struct word_write) writes;
};

bool words_has(uint16_t kind);
bool words_is_wait(uint16_t kind);
/* A write whose start has all that comes before it; takes the bits. */
void words_write(struct words *w, const struct sc_op *op, size_t start, size_t end,
		 uint64_t *before);
/* The end of the write that a wait certainly comes after, whose start has `before`; SIZE_MAX: none.
 */
size_t words_wait(const struct words *w, const struct sc_op *op, const uint64_t *before);
void words_fini(struct words *w);
