/* Opaque calls: calls by name, and launches that record events. */
#include "analyzer/order/opaque_call.h"

#include <string.h>

/* Launch attributes that record an event (E-14), as bits of struct sc_launch; `peer` is the event
 * of one of them. */
#define RECORDING_ATTRIBUTES (1u << 7 | 1u << 12)

enum effect {
	WORK = 1,
	EDGE = 2,
	RECORD = 4,
	MEMOPS = 8,
	RETAIN = 16,
	RELEASE = 32,
	LOOKED_UP = 64
};

static const struct row {
	const char *name;
	unsigned effects;
} rows[] = {
#define SC_OPAQUE_CALL(name, effects) {name, effects},
#include "analyzer/order/opaque_call.def"
#include "base/assert.h"
#undef SC_OPAQUE_CALL
};

static unsigned effects_of(const char *call)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strncmp(call, rows[i].name, strlen(rows[i].name)))
			return rows[i].effects;
	return 0;
}

static unsigned effects_of_id(struct sc_order *o, const struct sc_reader *reader, uint32_t call)
{
	uint64_t *place = sc_u64_map_get(&o->opaque_calls, call);

	if (!*place)
		*place = LOOKED_UP | effects_of(sc_reader_string(reader, call));
	return (unsigned)*place;
}

/* The recorder marks the calls that touch the memory (4.2 note 3). This one returns when earlier
 * synchronous ones are complete (H-2): they went into default streams. */
static void note_memops(struct sc_order *o, const struct sc_record *r, struct sc_step *step)
{
	struct sc_context *c = sc_context_of(&o->streams, r->op.context);

	if (!(r->op.flags & SC_FLAG_SYNC_MEMOPS) || !r->op.dst) {
		o->has_sync_memops = 1;
		return;
	}
	for (struct sc_stream *s = sc_context_streams(c); s; s = s->next) {
		struct sc_target t;

		if (!sc_stream_is_legacy(s) && !(s->flags & SC_FLAG_PER_THREAD))
			continue;
		t = (struct sc_target){.point = sc_point_get(&s->tail)};
		sc_host_learn(&o->host, step, &t);
		sc_target_put(&o->pool, &t);
	}
}

static void note_call(struct sc_order *o, const struct sc_reader *reader, const struct sc_record *r,
		      struct sc_step *step)
{
	unsigned effects = effects_of_id(o, reader, r->op.call);

	if (effects & WORK)
		sc_order_enqueue(o, step);
	if (effects & EDGE)
		sc_order_wait_unresolved(o, step);
	if (effects & RECORD)
		o->has_hidden_records = 1;
	if (effects & MEMOPS)
		note_memops(o, r, step);
	if (effects & RETAIN)
		sc_user_objects_retain(&o->objects, &r->op, r->sequence);
	if (effects & RELEASE)
		sc_user_objects_release(&o->objects, &r->op);
}

void sc_opaque_call_note_launch(struct sc_order *o, const struct sc_record *r)
{
	uint32_t bytes;
	const struct sc_launch *launch = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);
	unsigned recording = launch ? launch->attributes & RECORDING_ATTRIBUTES : 0;

	sc_assert(r->op.kind == SC_OP_KERNEL && sc_op_took_effect(&r->op));
	if (recording && (!r->op.peer || recording == RECORDING_ATTRIBUTES))
		o->has_hidden_records = 1;
}

void sc_opaque_call_note(struct sc_order *o, const struct sc_reader *reader,
			 const struct sc_record *r, struct sc_step *step)
{
	if (!sc_op_took_effect(&r->op))
		return;
	sc_user_objects_note(&o->objects, &r->op, r->sequence);
	if (r->op.kind == SC_OP_CALL && r->op.call)
		note_call(o, reader, r, step);
	else if (r->op.kind == SC_OP_GRAPHICS_MAP || r->op.kind == SC_OP_GRAPHICS_UNMAP)
		sc_order_wait_unresolved(o, step); /* the graphics API is not followed (W-6) */
	else if (r->op.kind == SC_OP_KERNEL)
		sc_opaque_call_note_launch(o, r);
}
