/* Touches: one side of a possible conflict, kept until nothing can race with it any more.
 *
 * All touches of one op share its note.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/graph/graph.h"
#include "analyzer/clock/note.h"
#include "analyzer/memory/shape.h"

/* What one op does to some bytes. Has the end of its note's `when`, except of a graph's: for most
 * questions the note is not looked at. */
struct sc_touch {
	struct sc_note *note; /* owned reference */
	uint64_t position;
	uint32_t lane;
	uint8_t mode;	     /* enum sc_mode */
	uint8_t known;	     /* enum sc_known */
	uint8_t traits;	     /* enum sc_trait */
	bool is_launch;	     /* stands for all nodes of a launch, `node` is one of them */
	uint64_t first, end; /* the bytes as one span, at least one */
	uint32_t node;	     /* of the note's graph */
	uint8_t how;	     /* enum sc_how */
	uint8_t reason;	     /* enum sc_footprint_reason: why it is not exact */
	uint16_t site;	     /* of the note */
};

/* A read that is before or after other touches by their clocks alone. */
static inline bool sc_touch_is_plain_read(const struct sc_touch *t)
{
	return t->mode == SC_READ && !(t->traits & SC_TRAIT_GRAPH);
}

/* The source of a pageable copy, which today's drivers stage before they return (C-A1). */
static inline bool sc_touch_is_staged(const struct sc_touch *t)
{
	return t->note->source_staged && t->mode == SC_READ;
}

/* The result of a pageable copy, which today's drivers wait for (C-A2). */
static inline bool sc_touch_is_waited(const struct sc_touch *t)
{
	return t->note->result_waited && t->mode == SC_WRITE;
}

/* Drivers provide the order that no text promises (class O): of a staged source, and of all of a
 * copy whose result is waited for. */
static inline bool sc_touch_is_weak(const struct sc_touch *t)
{
	return t->traits & SC_TRAIT_WEAK;
}

/* Words that streams wait for and write are made to be used at the same time: a wait reads beside
 * what fills memory, a write beside host code, kernels and such ops that look at it (W-2, M-4). */
bool sc_touch_is_polled(const struct sc_touch *a, const struct sc_touch *b);

/* True if both were made by one launch of a graph. */
bool sc_touch_same_launch(const struct sc_touch *a, const struct sc_touch *b);

/* The note that knows when the touch was: not the launch's own note if the node changed since
 * then. */
static inline struct sc_note *sc_touch_note(const struct sc_touch *t)
{
	struct sc_bygone *b;

	if (!t->note->is_replay || t->is_launch)
		return t->note;
	b = t->note->graph->nodes.items[t->node].bygone;
	return b && b->of == t->note ? &b->note : t->note;
}

/* The op that made a touch: a launch's node, not the launch. Of a conflict's touches, or of a note
 * that has its op (note.h). */
static inline const struct sc_op *sc_touch_op(const struct sc_touch *t)
{
	return t->note->is_replay ? &t->note->graph->nodes.items[t->node].op : &t->note->op;
}

/* Counts a touch's note up; for keeping a copy of the touch. */
static inline struct sc_touch sc_touch_get(const struct sc_touch *t)
{
	sc_note_get(t->note);
	return *t;
}

/* The order of what a graph's node does is the graph's. */
uint8_t sc_touch_traits_in_graph(const struct sc_note *note, uint32_t node);

static inline uint8_t sc_touch_traits_of(const struct sc_note *n, uint32_t node, uint8_t mode)
{
	bool is_weak = n->result_waited || (n->source_staged && mode == SC_READ);
	uint8_t traits = n->graph ? sc_touch_traits_in_graph(n, node) : n->traits;

	return (uint8_t)(traits | (is_weak ? SC_TRAIT_WEAK : 0));
}

/* A touch of `shape` by the note's op, `node` of its graph if it has one; borrows the note. */
static inline void sc_touch_init(struct sc_touch *t, struct sc_note *note, uint32_t node,
				 const struct sc_access *shape)
{
	t->note = note;
	t->position = note->when.position;
	t->lane = note->when.lane;
	t->mode = shape->mode;
	t->known = shape->known;
	t->traits = sc_touch_traits_of(note, node, shape->mode);
	t->is_launch = 0;
	t->first = shape->base;
	t->end = sc_shape_end(shape);
	t->node = node;
	t->how = shape->how;
	t->site = note->site;
	t->reason = 0;
}

struct sc_touch sc_touch_of(struct sc_note *note, uint32_t node, const struct sc_access *shape);
