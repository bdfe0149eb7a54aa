/* Digest: which kinds of records begin in which stretch of a trace, noted on each walk.
 *
 * A later walk for a few kinds passes by the stretches that have none of them. Takes 16 bytes for
 * each 64 KiB of the trace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vector.h"
#include "trace/op.h"

#define SC_DIGEST_SLOTS 1024 /* of a stretch */

#define SC_KIND_CAPTURED SC_OP_KINDS /* besides its kind: a kernel that became a node */

/* A set of kinds of ops. */
struct sc_kinds {
	uint64_t bits[2];
};
_Static_assert(SC_KIND_CAPTURED < 128, "a bit for each kind");

static inline void sc_kinds_add(struct sc_kinds *k, unsigned kind)
{
	k->bits[kind / 64 % 2] |= UINT64_C(1) << kind % 64;
}

static inline bool sc_kinds_meet(const struct sc_kinds *a, const struct sc_kinds *b)
{
	return (a->bits[0] & b->bits[0]) || (a->bits[1] & b->bits[1]);
}

/* An empty one is all zero. */
struct sc_digest {
	SC_VECTOR(struct sc_kinds) stretches; /* all before the last one are complete */
	struct sc_kinds phased;		      /* kinds of records that were one of two of a call */
	bool is_off;			      /* the trace may change in places that were read */
};

/* The slow parts of sc_digest_note. */
void sc_digest_grow(struct sc_digest *d, uint64_t at, const struct sc_op *op);
void sc_digest_note_odd(struct sc_digest *d, uint64_t at, const struct sc_op *op);

/* Notes a record at slot `at`, after those before it; of the op there may be the first SC_SLOT_DATA
 * bytes. */
static inline void sc_digest_note(struct sc_digest *d, uint64_t at, const struct sc_op *op)
{
	if (at / SC_DIGEST_SLOTS >= d->stretches.count)
		sc_digest_grow(d, at, op);
	else
		sc_kinds_add(&d->stretches.items[at / SC_DIGEST_SLOTS], op->kind);
	if (op->phase != SC_PHASE_ONCE || op->flags & SC_FLAG_CAPTURED)
		sc_digest_note_odd(d, at, op);
}

/* A walk for some kinds, and for records at some places, in order. */
struct sc_digest_walk {
	const struct sc_kinds *kinds; /* borrowed */
	const uint64_t *places;	      /* borrowed */
	size_t place_count;
	size_t reached; /* of the places */
	uint64_t until; /* slots before this one are to be looked at */
};

/* The slow part of sc_digest_pass_by. */
uint64_t sc_digest_skip(const struct sc_digest *d, struct sc_digest_walk *w, uint64_t at);
/* The slot where a walk that came to `at` goes on: past stretches that have nothing for it. */
static inline uint64_t sc_digest_pass_by(const struct sc_digest *d, struct sc_digest_walk *w,
					 uint64_t at)
{
	return at < w->until ? at : sc_digest_skip(d, w, at);
}

/* The trace may change from here on. */
void sc_digest_stop(struct sc_digest *d);
void sc_digest_fini(struct sc_digest *d);
