/* Who holds which user object, and whose destructor runs. */
#include "analyzer/order/user_object.h"

#include "trace/op.h"

/* Of objects that live on; of more the oldest that an executable graph held is forgotten. */
#define HOLDS_MOST 512

static struct sc_user_hold *find_hold(struct sc_user_objects *u, uint32_t graph, uint64_t object)
{
	for (size_t i = 0; i < u->holds.count; i++) {
		struct sc_user_hold *h = &u->holds.items[i];

		if (!h->is_exec && h->holder == graph && h->object == object)
			return h;
	}
	return NULL;
}

static void drop_hold(struct sc_user_objects *u, size_t index)
{
	u->holds.items[index] = u->holds.items[--u->holds.count];
}

static void add_hold(struct sc_user_objects *u, struct sc_user_hold hold)
{
	size_t oldest = SIZE_MAX;

	for (size_t i = 0; u->holds.count >= HOLDS_MOST && i < u->holds.count; i++) {
		const struct sc_user_hold *h = &u->holds.items[i];

		if (h->is_exec && (oldest == SIZE_MAX || h->since < u->holds.items[oldest].since))
			oldest = i;
	}
	if (oldest != SIZE_MAX)
		drop_hold(u, oldest);
	if (u->holds.count < HOLDS_MOST)
		sc_vector_push(&u->holds, hold);
}

void sc_user_objects_retain(struct sc_user_objects *u, const struct sc_op *op, uint64_t sequence)
{
	struct sc_user_hold *known = find_hold(u, op->object, op->link);
	struct sc_user_hold made = {.object = op->link,
				    .since = sequence,
				    .until = UINT64_MAX,
				    .count = op->value,
				    .holder = op->object};

	if (known)
		known->count += op->value;
	else if (op->link)
		add_hold(u, made);
}

void sc_user_objects_release(struct sc_user_objects *u, const struct sc_op *op)
{
	struct sc_user_hold *known = find_hold(u, op->object, op->link);

	if (!known)
		return;
	if (known->count > op->value)
		known->count -= op->value;
	else
		drop_hold(u, (size_t)(known - u->holds.items));
}

static void empty_graph(struct sc_user_objects *u, uint32_t graph)
{
	for (size_t i = u->holds.count; i-- > 0;)
		if (!u->holds.items[i].is_exec && u->holds.items[i].holder == graph)
			drop_hold(u, i);
}

static bool is_held(const struct sc_user_objects *u, uint32_t exec, uint64_t object)
{
	for (size_t i = 0; i < u->holds.count; i++) {
		const struct sc_user_hold *h = &u->holds.items[i];

		if (h->is_exec && h->holder == exec && h->object == object &&
		    h->until == UINT64_MAX)
			return 1;
	}
	return 0;
}

/* What the graph held before is held no longer, unless it still is. */
static void take_over(struct sc_user_objects *u, const struct sc_op *op, uint64_t sequence)
{
	size_t count = u->holds.count;

	for (size_t i = 0; i < count; i++) {
		struct sc_user_hold *h = &u->holds.items[i];

		if (h->is_exec && h->holder == op->object && h->until == UINT64_MAX &&
		    !(op->peer && find_hold(u, op->peer, h->object)))
			h->until = sequence;
	}
	for (size_t i = 0; op->peer && i < u->holds.count; i++) {
		struct sc_user_hold made = u->holds.items[i];

		if (made.is_exec || made.holder != op->peer || is_held(u, op->object, made.object))
			continue;
		made.is_exec = 1;
		made.holder = op->object;
		made.since = sequence;
		add_hold(u, made);
	}
}

/* The object is gone. */
static void forget(struct sc_user_objects *u, uint32_t execution)
{
	const uint64_t *object = sc_u64_map_find(&u->running, execution);

	for (size_t i = object ? u->holds.count : 0; i-- > 0;)
		if (u->holds.items[i].object == *object)
			drop_hold(u, i);
	if (object)
		sc_u64_map_remove(&u->running, execution);
}

void sc_user_objects_note(struct sc_user_objects *u, const struct sc_op *op, uint64_t sequence)
{
	if (!u->holds.count)
		return;
	if (op->kind == SC_OP_INSTANTIATE)
		take_over(u, op, sequence);
	else if (op->kind == SC_OP_CAPTURE_BEGIN && op->object)
		empty_graph(u, op->object);
	else if (op->kind == SC_OP_CALLBACK_BEGIN && op->link)
		*sc_u64_map_get(&u->running, op->callback) = op->link;
	else if (op->kind == SC_OP_CALLBACK_END)
		forget(u, op->callback);
}

bool sc_user_objects_order(const struct sc_user_objects *u, uint32_t exec, uint64_t sequence,
			   uint32_t execution)
{
	const uint64_t *object = execution ? sc_u64_map_find(&u->running, execution) : NULL;

	for (size_t i = 0; object && i < u->holds.count; i++) {
		const struct sc_user_hold *h = &u->holds.items[i];

		if (h->is_exec && h->holder == exec && h->object == *object &&
		    sequence >= h->since && sequence < h->until)
			return 1;
	}
	return 0;
}

void sc_user_objects_fini(struct sc_user_objects *u)
{
	sc_vector_fini(&u->holds);
	sc_u64_map_fini(&u->running);
}
