/* Executed launches: read ahead, found by the launch. */
#include "analyzer/access/executed.h"

static bool is_wanted(void *data, const struct sc_op *head, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return head->kind == SC_OP_LAUNCH_BYTES;
}

static void add(struct sc_executed *e, const struct sc_record *r, size_t next)
{
	sc_vector_push(&e->launches,
		       ((struct sc_executed_launch){.first = e->accesses.count,
						    .count = r->access_count,
						    .is_unclear = r->op.value == SC_BYTES_NOT_KNOWN,
						    .is_partial = r->op.value == SC_BYTES_AT_LEAST,
						    .node = r->op.object,
						    .next = next}));
	for (uint32_t i = 0; i < r->access_count; i++) {
		struct sc_access *access = sc_vector_add(&e->accesses);

		*access = r->accesses[i];
		access->how = access->how == SC_HOW_RECORDED ? SC_HOW_RECORDED : SC_HOW_EXECUTION;
		access->known = access->known == SC_KNOWN_EXACT ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
	}
}

/* Two records of one launch contradict each other: it is not known then. */
static void take_launch(struct sc_executed *e, const struct sc_record *r)
{
	uint64_t *place = sc_u64_map_get(&e->by_launch, r->op.link - 1);

	if (*place) {
		e->launches.items[*place - 1].is_unclear = 1;
		return;
	}
	add(e, r, 0);
	*place = e->launches.count;
}

static void take(void *data, const struct sc_record *r)
{
	struct sc_executed *e = data;
	uint64_t *place;

	if (!r->op.link)
		return;
	if (r->op.object) {
		place = sc_u64_map_get(&e->by_graph, r->op.link - 1);
		add(e, r, *place);
		*place = e->launches.count;
	} else if (r->op.value == SC_BYTES_COMPLETE) {
		*sc_u64_map_get(&e->complete, r->op.link - 1) = 1;
	} else {
		take_launch(e, r);
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

	return place ? sc_executed_at(e, *place, count) : NULL;
}

bool sc_executed_is_partial(const struct sc_executed *e, uint64_t launch)
{
	const uint64_t *place = e->is_read ? sc_u64_map_find(&e->by_launch, launch) : NULL;

	return place && e->launches.items[*place - 1].is_partial;
}

const struct sc_access *sc_executed_at(const struct sc_executed *e, size_t number, size_t *count)
{
	const struct sc_executed_launch *l = number ? &e->launches.items[number - 1] : NULL;

	if (!l || l->is_unclear)
		return NULL;
	*count = l->count;
	return e->accesses.items + l->first;
}

bool sc_executed_graph(const struct sc_executed *e, uint64_t launch, size_t *first)
{
	const uint64_t *place = e->is_read ? sc_u64_map_find(&e->by_graph, launch) : NULL;

	*first = place ? *place : 0;
	return e->is_read && sc_u64_map_find(&e->complete, launch);
}

void sc_executed_fini(struct sc_executed *e)
{
	sc_u64_map_fini(&e->by_launch);
	sc_u64_map_fini(&e->by_graph);
	sc_u64_map_fini(&e->complete);
	sc_vector_fini(&e->launches);
	sc_vector_fini(&e->accesses);
	*e = (struct sc_executed){0};
}
