/* Facts: one walk over the trace. */
#include "analyzer/repair/facts.h"

#define LOOKS_MOST 1000 /* records of other streams that are passed by */

static void note_record(struct sc_trace_facts *f, const struct sc_record *r)
{
	if (r->op.flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE) || r->op.result || !r->op.object)
		return;
	sc_vector_push(&f->records, ((struct sc_known_record){r->sequence, r->op.stream,
							      r->op.object, r->op.stack}));
}

static void note(struct sc_trace_facts *f, const struct sc_record *r)
{
	f->count++;
	f->slots = r->sequence + 1;
	switch (r->op.kind) {
	case SC_OP_EVENT_RECORD: note_record(f, r); break;
	case SC_OP_EVENT_DESTROY:
		*sc_u64_map_get(&f->destroyed, r->op.object) = r->sequence + 1;
		break;
	case SC_OP_CALLBACK_BEGIN:
		*sc_u64_map_get(&f->functions, r->op.callback) = r->op.link;
		break;
	default: break;
	}
}

void sc_facts_read(struct sc_trace_facts *f, struct sc_reader *r)
{
	struct sc_record record;

	*f = (struct sc_trace_facts){0};
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record))
		note(f, &record);
}

/* The number of records up to a place. */
static size_t search(const struct sc_trace_facts *f, uint64_t place)
{
	size_t low = 0, high = f->records.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->records.items[middle].place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct sc_known_record *sc_facts_record(const struct sc_trace_facts *f, uint32_t stream,
					      uint64_t after, uint64_t before)
{
	size_t first = search(f, after);

	for (size_t i = first; i < f->records.count && i - first < LOOKS_MOST; i++) {
		const struct sc_known_record *r = &f->records.items[i];
		const uint64_t *end;

		if (r->place >= before)
			return NULL;
		end = sc_u64_map_find(&f->destroyed, r->event);
		if (r->stream == stream && !(end && *end > r->place && *end <= before))
			return r;
	}
	return NULL;
}

void sc_facts_fini(struct sc_trace_facts *f)
{
	sc_vector_fini(&f->records);
	sc_u64_map_fini(&f->functions);
	sc_u64_map_fini(&f->destroyed);
}
