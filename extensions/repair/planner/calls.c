/* Calls: one walk over the trace, with the open call of each thread. */
#include "extensions/repair/planner/calls.h"

#include <stdlib.h>
#include "base/heap.h"

/* What a stack has to do with a line. */
enum lead {
	LEAD_UNKNOWN,
	LEAD_ELSEWHERE,
	LEAD_LINE, /* it leads through the line */
	LEAD_WAY   /* by the way of the edit's own operation */
};

/* A line that is read, while it is. */
struct reading {
	struct sc_line_calls *line;
	struct sc_places places; /* the way and the line */
	struct sc_u64_map last;	 /* of each thread: its last call, + 1 */
	struct sc_u64_map open;	 /* the same, 0 once it has ended */
};

const struct sc_line_calls *sc_calls_want(struct sc_calls *c, const struct sc_edit_place *place)
{
	struct sc_line_calls *new;

	for (size_t i = 0; i < c->list.count; i++)
		if (c->list.items[i]->place.hash == place->hash &&
		    c->list.items[i]->place.inlined == place->inlined)
			return c->list.items[i];
	new = sc_heap_xcalloc(1, sizeof(*new));
	new->place = *place;
	sc_vector_push(&c->list, new);
	return new;
}

const struct sc_line_call *sc_line_call_at(const struct sc_line_calls *l,
					   struct sc_u64_map *cursors, uint32_t thread,
					   uint64_t place)
{
	uint64_t *cursor = sc_u64_map_get(cursors, thread);
	const uint64_t *first = *cursor ? cursor : sc_u64_map_find(&l->first, thread);
	const struct sc_line_call *call;

	if (!first)
		return NULL;
	*cursor = *first;
	call = &l->list.items[*cursor - 1];
	while (call->end < place && call->next) {
		*cursor = call->next;
		call = &l->list.items[*cursor - 1];
	}
	return call->begin <= place && place <= call->end ? call : NULL;
}

/* Which stacks lead through a line. */

static void read_stacks(struct sc_calls *c, struct sc_reader *r)
{
	struct sc_u64_map met = {0};
	struct sc_record record;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record)) {
		uint64_t *is_met = sc_u64_map_get(&met, record.op.stack);

		if (record.op.stack && !*is_met)
			sc_vector_push(&c->stacks, record.op.stack);
		*is_met = 1;
	}
	sc_u64_map_fini(&met);
}

static void ask(struct sc_calls *c, struct sc_line_calls *l)
{
	bool *is_from = sc_heap_xcalloc(c->stacks.count + 1, sizeof(*is_from));

	c->from(c->data, &l->place, c->stacks.items, c->stacks.count, is_from);
	for (size_t i = 0; i < c->stacks.count; i++)
		if (is_from[i])
			*sc_u64_map_get(&l->leads, c->stacks.items[i]) = LEAD_LINE;
	free(is_from);
}

/* Place 0 is the way, place 1 the line. */
static enum lead lead_of(struct reading *g, const struct sc_record *r)
{
	uint64_t *lead = sc_u64_map_get(&g->line->leads, r->op.stack), found = *lead;
	const uint32_t *place;

	if (found == LEAD_ELSEWHERE || found == LEAD_WAY)
		return (enum lead)found;
	place = sc_places_of(&g->places, r->op.stack, r->sequence);
	found = found == LEAD_LINE || *place != SC_PLACE_END ? LEAD_LINE : LEAD_ELSEWHERE;
	for (; *place != SC_PLACE_END; place++)
		if (!*place)
			found = LEAD_WAY;
	return (enum lead)(*lead = found);
}

/* The walk. */

static void add_use(struct sc_line_calls *l, struct sc_line_call *call, uint64_t place,
		    uint32_t stream)
{
	for (uint32_t i = call->uses; i; i = l->uses.items[i - 1].before)
		if (l->uses.items[i - 1].stream == stream) {
			l->uses.items[i - 1].place = place;
			return;
		}
	sc_vector_push(&l->uses, ((struct sc_line_use){place, stream, call->uses}));
	call->uses = (uint32_t)l->uses.count;
}

static bool is_use(const struct sc_op *op)
{
	return op->stream && op->phase != SC_PHASE_BEGIN && !(op->flags & SC_FLAG_DEAD_HANDLE) &&
	       sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE;
}

static uint32_t add_call(struct reading *g, uint32_t thread, uint64_t begin)
{
	struct sc_line_calls *l = g->line;
	uint64_t *last = sc_u64_map_get(&g->last, thread);
	uint32_t number;

	sc_vector_push(&l->list, ((struct sc_line_call){.begin = begin}));
	number = (uint32_t)l->list.count;
	if (*last)
		l->list.items[*last - 1].next = number;
	else
		*sc_u64_map_get(&l->first, thread) = number;
	*last = number;
	return number;
}

/* `loose` is the place + 1 of the thread's first op without a stack since the last with one. */
static void see(struct reading *g, const struct sc_record *r, uint64_t loose)
{
	struct sc_line_calls *l = g->line;
	uint64_t *open = sc_u64_map_get(&g->open, r->op.thread);
	enum lead lead = r->op.stack ? lead_of(g, r) : LEAD_UNKNOWN;
	struct sc_line_call *call;

	if (lead == LEAD_ELSEWHERE)
		*open = 0;
	if (lead == LEAD_ELSEWHERE || (lead == LEAD_UNKNOWN && !*open))
		return;
	if (!*open)
		*open = add_call(g, r->op.thread, loose ? loose - 1 : r->sequence);
	call = &l->list.items[*open - 1];
	call->end = r->sequence;
	if (lead == LEAD_WAY && is_use(&r->op))
		add_use(l, call, r->sequence, r->op.stream);
}

static void walk(struct reading *readings, size_t count, struct sc_reader *r)
{
	struct sc_u64_map loose = {0};
	struct sc_record record;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record)) {
		uint64_t *first;

		if (sc_op_kind_class(record.op.kind) == SC_CLASS_DEFINE ||
		    record.op.flags & SC_FLAG_NODE || record.op.callback)
			continue;
		first = sc_u64_map_get(&loose, record.op.thread);
		if (!record.op.stack && !*first && record.op.phase != SC_PHASE_END)
			*first = record.sequence + 1;
		for (size_t i = 0; i < count; i++)
			see(&readings[i], &record, *first);
		if (record.op.stack)
			*first = 0;
	}
	sc_u64_map_fini(&loose);
}

static void begin(struct sc_calls *c, struct sc_reader *r, struct reading *g,
		  struct sc_line_calls *l)
{
	struct sc_edit_place own = sc_place_line(r, &l->place);

	*g = (struct reading){.line = l, .places.reader = r};
	sc_places_add(&g->places, &l->place);
	sc_places_add(&g->places, &own);
	if (c->from)
		ask(c, l);
}

static void end(struct reading *g)
{
	g->line->is_read = 1;
	sc_u64_map_fini(&g->line->leads);
	sc_u64_map_fini(&g->last);
	sc_u64_map_fini(&g->open);
	sc_places_fini(&g->places);
}

void sc_calls_read(struct sc_calls *c, struct sc_reader *r)
{
	struct reading *readings = sc_heap_xcalloc(c->list.count + 1, sizeof(*readings));
	size_t count = 0;

	for (size_t i = 0; i < c->list.count; i++) {
		if (c->list.items[i]->is_read)
			continue;
		if (c->from && !c->stacks.count)
			read_stacks(c, r);
		begin(c, r, &readings[count++], c->list.items[i]);
	}
	if (count)
		walk(readings, count, r);
	for (size_t i = 0; i < count; i++)
		end(&readings[i]);
	free(readings);
}

void sc_calls_fini(struct sc_calls *c)
{
	for (size_t i = 0; i < c->list.count; i++) {
		struct sc_line_calls *l = c->list.items[i];

		sc_vector_fini(&l->list);
		sc_vector_fini(&l->uses);
		sc_u64_map_fini(&l->first);
		free(l);
	}
	sc_vector_fini(&c->list);
	sc_vector_fini(&c->stacks);
}
