/* Common notes: made, and parted into those of single ops. */
#include "analyzer/common.h"

#include <string.h>
#include "analyzer/transfer.h"

struct sc_note *sc_common_make(struct sc_notes *all, const struct sc_stream *s, uint8_t traits)
{
	struct sc_note *n = sc_slab_take(&all->slab, sizeof(*n));

	memset(n, 0, offsetof(struct sc_note, op));
	n->context = s->context->id;
	n->edge = SC_EDGE_NONE;
	n->traits = traits;
	n->is_nonblocking = (s->flags & SC_FLAG_NON_BLOCKING) != 0;
	n->is_legacy = sc_stream_is_legacy(s);
	n->when.start = sc_clock_get(s->tail.base);
	n->when.lane = s->tail.lane;
	return n;
}

struct sc_note *sc_common_renew(struct sc_notes *all, const struct sc_stream *s, uint8_t traits)
{
	uint32_t lane = s->tail.lane;
	struct sc_note *n = sc_note_get(sc_common_make(all, s, traits));

	n->is_common = 1;
	n->owed = sc_clock_get(s->owed);
	while (all->common.count <= lane)
		sc_vector_push(&all->common, NULL);
	if (all->common.items[lane])
		sc_note_put(all, all->common.items[lane]);
	all->common.items[lane] = n;
	return n;
}

struct sc_note *sc_common_part(struct sc_notes *all, struct sc_note *common, uint16_t kind,
			       uint64_t position)
{
	struct sc_note *n = sc_slab_take(&all->slab, sizeof(*n));

	sc_clock_join(all->pool, &common->when.start, common->owed);
	sc_clock_set(all->pool, &common->owed, NULL);
	memcpy(n, common, offsetof(struct sc_note, op));
	n->refs = 1;
	n->is_common = 0;
	n->kind = kind;
	n->when.position = n->when.entered = position;
	n->sequence = position - 1;
	sc_clock_get(n->when.start);
	return n;
}
