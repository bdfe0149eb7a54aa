/* What the page guard knows about waits: a small, one-sided summary of the ordering.
 *
 * A cover says "everything that was put into this stream before op `sequence` is done once this is
 * waited for". It only ever knows too little: then memory stays guarded a little longer and a
 * harmless access is recorded, which the analyzer judges by the real rules.
 */
#ifndef SC_INTERPOSER_GUARD_COVER_H
#define SC_INTERPOSER_GUARD_COVER_H

#include <stdbool.h>
#include <stdint.h>

#define SC_COVERS 12

struct sc_cover_entry {
	uint32_t stream;  /* stream id; 0: every blocking stream of `context` and its legacy one */
	uint32_t context; /* context id, for stream 0 */
	uint64_t sequence;
};

struct sc_cover {
	uint32_t count;
	struct sc_cover_entry entry[SC_COVERS];
};

/* Adds one entry, replacing an older one of the same scope, or the oldest if there is no room. */
void sc_cover_add(struct sc_cover *cover, struct sc_cover_entry entry);
void sc_cover_join(struct sc_cover *cover, const struct sc_cover *other);
/* True if an op of that stream (blocking or legacy: `ordered`) is covered. */
bool sc_cover_holds(const struct sc_cover *cover, uint32_t stream, uint32_t context, bool ordered,
		    uint64_t sequence);

#endif
