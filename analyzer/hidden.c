/* Hidden edges: calls by name, and launches that record events. */
#include "analyzer/hidden.h"

#include <string.h>

/* Launch attributes that record an event (E-14), as bits of struct sc_launch. */
#define RECORDING_ATTRIBUTES (1u << 7 | 1u << 12)

enum effect { UNKNOWN_YET, NOTHING, EDGE, RECORD, MEMOPS };

static const struct row {
	const char *name;
	enum effect effect;
} rows[] = {
#define SC_HIDDEN(name, effect) {name, effect},
#include "analyzer/hidden.def"
#undef SC_HIDDEN
};

static enum effect effect_of(const char *call)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strncmp(call, rows[i].name, strlen(rows[i].name)))
			return rows[i].effect;
	return NOTHING;
}

static enum effect effect_of_id(struct sc_analysis *a, uint32_t call)
{
	uint64_t *place = sc_u64_map_get(&a->hidden, call);

	if (*place == UNKNOWN_YET)
		*place = effect_of(sc_reader_string(a->reader, call));
	return (enum effect) * place;
}

static void note_call(struct sc_analysis *a, const struct sc_record *r)
{
	switch (effect_of_id(a, r->op.call)) {
	case EDGE: a->order.foreign = r->sequence + 1; break;
	case RECORD: a->order.has_hidden_records = 1; break;
	case MEMOPS: a->order.has_sync_memops = 1; break;
	case UNKNOWN_YET:
	case NOTHING: break;
	}
}

static void note_launch(struct sc_analysis *a, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const struct sc_launch *launch = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);

	if (launch && bytes >= sizeof(*launch) && launch->attributes & RECORDING_ATTRIBUTES)
		a->order.has_hidden_records = 1;
}

void sc_hidden_note(struct sc_analysis *a, const struct sc_record *r)
{
	if (!sc_op_took_effect(&r->op))
		return;
	if (r->op.kind == SC_OP_CALL && r->op.call)
		note_call(a, r);
	else if (r->op.kind == SC_OP_KERNEL)
		note_launch(a, r);
}
