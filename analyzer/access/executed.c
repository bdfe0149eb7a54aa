/* Executed launches: read ahead, found by the launch. */
#include "analyzer/access/executed.h"

#include <stddef.h>
#include "base/assert.h"

static bool is_captured(const struct sc_op *op)
{
	return op->kind == SC_OP_KERNEL && op->flags & SC_FLAG_CAPTURED;
}

static bool is_wanted(void *data, const struct sc_op *head, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return head->kind == SC_OP_LAUNCH_BYTES || is_captured(head);
}

static bool is_documented(const struct sc_record *r)
{
	return r->op.value == SC_BYTES_DOCUMENTED;
}

static uint8_t how_of(const struct sc_record *r, const struct sc_access *access)
{
	if (is_documented(r))
		return SC_HOW_DOCUMENTED;
	return access->how == SC_HOW_RECORDED ? SC_HOW_RECORDED : SC_HOW_EXECUTION;
}

/* Older traces say it of the bytes only. */
static uint8_t source_of(const struct sc_record *r)
{
	uint8_t source = (uint8_t)r->op.peer;

	if (r->access_count && r->accesses[0].how == SC_HOW_RECORDED)
		source |= SC_BYTES_RECORDED;
	return source;
}

static void add(struct sc_executed *e, const struct sc_record *r, size_t next)
{
	sc_assert(next <= e->launches.count);
	sc_vector_push(&e->launches,
		       ((struct sc_executed_launch){.launch = r->op.link - 1,
						    .first = e->accesses.count,
						    .count = r->access_count,
						    .is_unclear = r->op.value == SC_BYTES_NOT_KNOWN,
						    .is_documented = is_documented(r),
						    .is_partial = r->op.value == SC_BYTES_AT_LEAST,
						    .source = source_of(r),
						    .node = r->op.object,
						    .next = next}));
	for (uint32_t i = 0; i < r->access_count; i++) {
		struct sc_access *access = sc_vector_add(&e->accesses);

		*access = r->accesses[i];
		access->how = how_of(r, access);
		access->known = access->known == SC_KNOWN_EXACT ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
	}
}

/* How much a record of a launch says: a part of its bytes, at most which ones are documented of it,
 * all that it touched, or what is documented for certain. The last may be written of one launch for
 * others of its call, so what these touched does not replace it. */
static unsigned rank_of(const struct sc_record *r)
{
	if (r->op.value == SC_BYTES_AT_LEAST)
		return 0;
	if (!is_documented(r))
		return 2;
	for (uint32_t i = 0; i < r->access_count; i++)
		if (r->accesses[i].known != SC_KNOWN_EXACT)
			return 1;
	return 3;
}

/* Two records of one launch that say the same contradict each other: it is not known then. Else the
 * one counts that says more. */
static void take_launch(struct sc_executed *e, const struct sc_record *r)
{
	uint64_t *place = sc_u64_map_get(&e->by_launch, r->op.link - 1);
	struct sc_executed_launch *old = *place ? &e->launches.items[*place - 1] : NULL;
	unsigned rank = rank_of(r);

	if (old && rank == old->rank)
		old->is_unclear = 1;
	if (old && rank <= old->rank)
		return;
	add(e, r, 0);
	e->launches.items[e->launches.count - 1].rank = (uint8_t)rank;
	*place = e->launches.count;
	if (!is_documented(r))
		return;
	*sc_u64_map_get(&e->functions, r->op.link - 1) = r->op.call;
	sc_vector_push(&e->named, r->op.link - 1);
}

static uint64_t hash(uint64_t start, const void *data, size_t bytes)
{
	const uint8_t *from = data;

	for (size_t i = 0; i < bytes; i++)
		start = (start ^ from[i]) * UINT64_C(0x100000001b3);
	return start;
}

/* Of the kernel, how it is launched, and the values of its parameters. Attributes are left out: of
 * a node they are not known. */
static uint64_t hash_of(const struct sc_record *r)
{
	uint32_t bytes = 0;
	const uint8_t *data = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);
	uint64_t sum = hash(UINT64_C(0xcbf29ce484222325), &r->op.object, sizeof(r->op.object));
	size_t used = bytes < sizeof(struct sc_launch) ? bytes : sizeof(struct sc_launch);

	if (!data)
		return sum;
	sum = hash(sum, data,
		   used < offsetof(struct sc_launch, attributes)
			   ? used
			   : offsetof(struct sc_launch, attributes));
	return hash(sum, data + used, bytes - used);
}

static void take(void *data, const struct sc_record *r)
{
	struct sc_executed *e = data;
	uint64_t *place;

	if (is_captured(&r->op)) {
		*sc_u64_map_get(&e->captured, r->sequence) = hash_of(r);
		sc_vector_push(&e->captures, r->sequence);
	}
	if (r->op.kind != SC_OP_LAUNCH_BYTES || !r->op.link)
		return;
	if (r->op.object) {
		place = sc_u64_map_get(&e->by_graph, r->op.link - 1);
		add(e, r, *place);
		*place = e->launches.count;
	} else if (r->op.value == SC_BYTES_COMPLETE) {
		*sc_u64_map_get(&e->complete, r->op.link - 1) = 1;
		sc_vector_push(&e->ended, r->op.link - 1);
	} else {
		take_launch(e, r);
	}
}

void sc_executed_take(struct sc_executed *e, const struct sc_record *r)
{
	e->is_read = 1;
	take(e, r);
}

void sc_executed_read(struct sc_executed *e, struct sc_reader *r)
{
	struct sc_kinds kinds = {0};
	const struct sc_visit visit = {
		.data = e, .is_wanted = is_wanted, .take = take, .kinds = &kinds};

	if (e->is_read)
		return;
	e->is_read = 1;
	sc_kinds_add(&kinds, SC_OP_LAUNCH_BYTES);
	sc_kinds_add(&kinds, SC_KIND_CAPTURED);
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

unsigned sc_executed_source(const struct sc_executed *e, uint64_t launch)
{
	const uint64_t *place = e->is_read ? sc_u64_map_find(&e->by_launch, launch) : NULL;

	return place ? e->launches.items[*place - 1].source : 0;
}

const struct sc_access *sc_executed_at(const struct sc_executed *e, size_t number, size_t *count)
{
	static const struct sc_access nothing[] = {
		{.how = SC_HOW_EXECUTION}, {.how = SC_HOW_DOCUMENTED}, {.how = SC_HOW_RECORDED}};
	const struct sc_executed_launch *l = number ? &e->launches.items[number - 1] : NULL;

	sc_assert(number <= e->launches.count);
	if (!l || l->is_unclear)
		return NULL;
	*count = l->count;
	sc_assert(l->first + l->count <= e->accesses.count);
	if (!l->count)
		return &nothing[l->source & SC_BYTES_RECORDED ? 2 : l->is_documented];
	return e->accesses.items + l->first;
}

const struct sc_access *sc_executed_captured(const struct sc_executed *e,
					     const struct sc_record *node, size_t *count)
{
	const uint64_t *place = NULL, *hash = NULL;

	if (e->is_read && node->op.link) {
		place = sc_u64_map_find(&e->by_launch, node->op.link - 1);
		hash = sc_u64_map_find(&e->captured, node->op.link - 1);
	}
	if (!place || !hash || !e->launches.items[*place - 1].is_documented ||
	    *hash != hash_of(node))
		return NULL;
	return sc_executed_at(e, *place, count);
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
	sc_u64_map_fini(&e->captured);
	sc_u64_map_fini(&e->functions);
	sc_vector_fini(&e->launches);
	sc_vector_fini(&e->accesses);
	sc_vector_fini(&e->ended);
	sc_vector_fini(&e->captures);
	sc_vector_fini(&e->named);
	*e = (struct sc_executed){0};
}
