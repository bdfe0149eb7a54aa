/* Executed launches: read ahead, found by the launch. */
#include "analyzer/access/executed.h"

static bool is_wanted(void *data, const struct sc_op *head, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return head->kind == SC_OP_LAUNCH_BYTES;
}

/* Two records of one launch contradict each other: it is not known then. */
static void take(void *data, const struct sc_record *r)
{
	struct sc_executed *e = data;
	uint64_t *place;

	if (!r->op.link)
		return;
	place = sc_u64_map_get(&e->by_launch, r->op.link - 1);
	if (*place) {
		e->launches.items[*place - 1].is_unclear = 1;
		return;
	}
	sc_vector_push(&e->launches, ((struct sc_executed_launch){.first = e->accesses.count,
								  .count = r->access_count}));
	*place = e->launches.count;
	for (uint32_t i = 0; i < r->access_count; i++) {
		struct sc_access *access = sc_vector_add(&e->accesses);

		*access = r->accesses[i];
		access->how = SC_HOW_EXECUTION;
		access->known = access->known == SC_KNOWN_EXACT ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
	}
}

void sc_executed_read(struct sc_executed *e, struct sc_reader *r)
{
	const struct sc_visit visit = {.data = e, .is_wanted = is_wanted, .take = take};

	if (e->is_read)
		return;
	e->is_read = 1;
	sc_reader_visit(r, &visit);
}

const struct sc_access *sc_executed_find(const struct sc_executed *e, uint64_t launch,
					 size_t *count)
{
	const uint64_t *place = e->is_read ? sc_u64_map_find(&e->by_launch, launch) : NULL;

	if (!place || !*place || e->launches.items[*place - 1].is_unclear)
		return NULL;
	*count = e->launches.items[*place - 1].count;
	return e->accesses.items + e->launches.items[*place - 1].first;
}

void sc_executed_fini(struct sc_executed *e)
{
	sc_u64_map_fini(&e->by_launch);
	sc_vector_fini(&e->launches);
	sc_vector_fini(&e->accesses);
	*e = (struct sc_executed){0};
}
