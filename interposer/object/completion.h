/* What is complete once a stream or an event was waited for: a small vector clock, one-sided.
 *
 * An entry says "everything that was put into this stream before op `sequence` is complete". The
 * clock only ever knows too little: then the page guard protects memory a little longer and a
 * harmless access is recorded, which the analyzer judges by the real rules.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_COMPLETION_ENTRIES 12

struct sc_completion_entry {
	uint32_t stream;  /* stream id; 0: every blocking stream of `context` and its legacy one */
	uint32_t context; /* context id, for stream 0 */
	uint64_t sequence;
};

struct sc_completion {
	uint32_t count;
	struct sc_completion_entry entry[SC_COMPLETION_ENTRIES];
};

/* Adds one entry, replacing an older one of the same scope, or the oldest if there is no room. */
void sc_completion_add(struct sc_completion *completion, struct sc_completion_entry entry);
/* Copies what is used of the other one: mostly an entry or two. */
void sc_completion_set(struct sc_completion *completion, const struct sc_completion *other);
void sc_completion_join(struct sc_completion *completion, const struct sc_completion *other);
/* True if an op of that stream (blocking or legacy: `ordered`) is complete. */
bool sc_completion_has(const struct sc_completion *completion, uint32_t stream, uint32_t context,
		       bool ordered, uint64_t sequence);
