/* Successors: the ordering engine, asked about one op after every record. */
#include "analyzer/order/successors.h"

#include <stdbool.h>
#include "analyzer/order/order.h"
#include "base/assert.h"

struct follower {
	struct sc_successors *found;
	struct sc_interval first; /* its clock is not kept: only its end is asked about */
};

static void add(struct sc_successors *t, uint64_t sequence, uint32_t stream)
{
	uint64_t *known = sc_u64_map_get(&t->known, stream);

	sc_assert(t->is_followed);
	if (*known)
		return;
	*known = 1;
	sc_vector_push(&t->links, ((struct sc_successor){sequence, stream}));
}

static void meet(struct follower *f, const struct sc_step *step)
{
	if (!step->is_enqueued || !step->stream)
		return;
	f->first = step->when;
	f->first.start = NULL;
	f->found->stream = step->op->stream;
	f->found->is_followed = 1;
	/* The op's own stream comes after the op by stream order. */
	*sc_u64_map_get(&f->found->known, step->op->stream) = 1;
}

static void ask(struct follower *f, const struct sc_record *record, const struct sc_step *step)
{
	bool is_end = record->op.phase == SC_PHASE_END;

	if (step->is_enqueued && sc_interval_before(&f->first, &step->when))
		add(f->found, step->sequence, step->op->stream);
	if ((is_end || step->is_finished) && sc_interval_before(&f->first, &step->host))
		add(f->found, step->sequence, 0);
}

void sc_successors_find(struct sc_successors *t, struct sc_reader *r,
			const struct sc_analysis_settings *settings, uint64_t first)
{
	struct follower follower = {.found = t};
	struct sc_record record;
	struct sc_order order;
	struct sc_step step;

	*t = (struct sc_successors){0};
	sc_order_init(&order, settings);
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) > 0) {
		sc_order_step(&order, &record, &step);
		if (t->is_followed)
			ask(&follower, &record, &step);
		else if (record.sequence == first)
			meet(&follower, &step);
	}
	sc_order_fini(&order);
}

void sc_successors_fini(struct sc_successors *t)
{
	sc_vector_fini(&t->links);
	sc_u64_map_fini(&t->known);
}
