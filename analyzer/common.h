/* Common notes: the notes of routine ops, as long as nothing but spans looks at their touches.
 *
 * Naive form: a note for each op (note.h). Ops of a stream that come after the same differ in what
 * a touch knows, too: kind and position. So they share a note, and whoever wants to see more parts
 * their touches first (sc_spans_part). What the stream owes (stream.h) is not joined before that.
 */
#ifndef SC_ANALYZER_COMMON_H
#define SC_ANALYZER_COMMON_H

#include "analyzer/note.h"
#include "analyzer/stream.h"

/* A note for the stream's next op, without what is the op's; count 0. */
struct sc_note *sc_common_make(struct sc_notes *all, const struct sc_stream *s, uint8_t traits);
/* The slow part of sc_common_of: a new one takes the place of the lane's last. */
struct sc_note *sc_common_renew(struct sc_notes *all, const struct sc_stream *s, uint8_t traits);
/* A note of its own for an op at `position` that has a common one; count 1. */
struct sc_note *sc_common_part(struct sc_notes *all, struct sc_note *common, uint16_t kind,
			       uint64_t position);

/* The common note of the stream's next op, not counted up. Lanes may have been another stream's. */
static inline struct sc_note *sc_common_of(struct sc_notes *all, const struct sc_stream *s,
					   uint8_t traits)
{
	uint32_t lane = s->tail.lane;
	struct sc_note *n = lane < all->common.count ? all->common.items[lane] : NULL;

	if (n && n->when.start == s->tail.base && n->owed == s->owed && n->traits == traits &&
	    n->context == s->context->id &&
	    n->is_nonblocking == ((s->flags & SC_FLAG_NON_BLOCKING) != 0) &&
	    n->is_legacy == sc_stream_is_legacy(s))
		return n;
	return sc_common_renew(all, s, traits);
}

#endif
