/* Shared: names, objects and the records of events. */
#include "extensions/ranks/across/shared.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

#define RECORDS_MOST 64 /* of an event in a stream; a wait for an older one is not certain */

/* ---- objects ---- */

static struct sc_sharing_object *own_object(const struct sc_shared *s, unsigned process,
					    uint64_t id)
{
	struct sc_sharing_key key = {.id = id, .process = process};
	struct sc_sharing_object *x;

	HASH_FIND(hh, s->objects, &key, sizeof(key), x);
	return x;
}

static struct sc_sharing_object *root_of(struct sc_sharing_object *x)
{
	while (x && x->same)
		x = x->same;
	return x;
}

struct sc_sharing_object *sc_shared_object(const struct sc_shared *s, unsigned process, uint64_t id)
{
	struct sc_sharing_object *x = root_of(own_object(s, process, id));

	return x && x->sharers.count > 1 && !x->is_spoilt ? x : NULL;
}

static void add_sharer(struct sc_sharing_object *x, unsigned process)
{
	for (size_t i = 0; i < x->sharers.count; i++)
		if (x->sharers.items[i] == process)
			return;
	sc_vector_push(&x->sharers, process);
}

static struct sc_sharing_object *object_of(struct sc_shared *s, unsigned process, uint64_t id,
					   bool is_event)
{
	struct sc_sharing_key key = {.id = id, .process = process};
	struct sc_sharing_object *x;

	sc_hash_get(s->objects, key, key, x);
	if (x->sharers.count)
		return root_of(x);
	x->is_event = is_event;
	add_sharer(x, process);
	return x;
}

/* All names are bound before anything is used, so there is nothing else to join. */
static struct sc_sharing_object *unite(struct sc_sharing_object *a, struct sc_sharing_object *b)
{
	if (a == b)
		return a;
	for (size_t i = 0; i < b->sharers.count; i++)
		add_sharer(a, b->sharers.items[i]);
	a->is_spoilt |= b->is_spoilt || a->is_event != b->is_event;
	a->is_far |= b->is_far;
	b->same = a;
	return a;
}

/* ---- names ---- */

static struct sc_sharing_name *name_at(const struct sc_shared *s, uint64_t name)
{
	struct sc_sharing_name *x;

	HASH_FIND(hh, s->names, &name, sizeof(name), x);
	return x;
}

struct sc_sharing_object *sc_shared_named(const struct sc_shared *s, uint64_t name)
{
	struct sc_sharing_name *x = name_at(s, name);

	return x ? root_of(x->object) : NULL;
}

/* Whose bytes do not tell two of its memories apart leads nowhere. */
void sc_shared_bind(struct sc_shared *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_sharing_object *x =
		object_of(s, process, e->tag, e->value == SC_ACROSS_BOUND_EVENT);
	struct sc_sharing_name *name;

	sc_hash_get(s->names, name, e->group, name);
	name->object = name->object ? unite(root_of(name->object), x) : x;
	name->object->is_far |= e->bytes != 0;
	if (e->peer != SC_SHARE_GIVEN)
		return;
	name->object->is_spoilt |=
		name->is_given && (name->giver != process ||
				   (e->value == SC_ACROSS_BOUND_ONCE && name->given != e->tag));
	name->is_given = 1;
	name->giver = process;
	name->given = e->tag;
}

static void go_on(struct sc_shared *s, struct sc_sharing_name *name)
{
	for (size_t i = 0; i < name->held.count; i++) {
		unsigned process = name->held.items[i];

		sc_clock_join(&s->knowledge->pool, &s->knowledge->of[process].clock, name->clock);
		s->knowledge->hold(s->knowledge->hold_data, process, 0);
	}
	sc_vector_clear(&name->held);
}

void sc_shared_hand_over(struct sc_shared *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_sharing_name *name = name_at(s, e->group);

	if (!name)
		return;
	if (e->peer == SC_SHARE_GIVEN && !name->is_seen) {
		name->is_seen = 1;
		name->clock = sc_knowledge_snapshot(s->knowledge, process, e->sequence);
		go_on(s, name);
	} else if (e->peer == SC_SHARE_OPENED && name->is_seen) {
		sc_clock_join(&s->knowledge->pool, &s->knowledge->of[process].clock, name->clock);
	} else if (e->peer == SC_SHARE_OPENED && name->is_given && name->giver != process) {
		if (s->knowledge->has_given_up) {
			sc_knowledge_miss(s->knowledge, process);
			return;
		}
		sc_vector_push(&name->held, process);
		s->knowledge->hold(s->knowledge->hold_data, process, 1);
	}
}

void sc_shared_give_up(struct sc_shared *s)
{
	for (struct sc_sharing_name *x = s->names; x; x = x->hh.next) {
		for (size_t i = 0; i < x->held.count; i++)
			sc_knowledge_miss(s->knowledge, x->held.items[i]);
		sc_vector_clear(&x->held);
	}
}

/* ---- events ---- */

static struct sc_sharing_lane *lane_of(struct sc_sharing_object *x, unsigned process,
				       uint32_t stream)
{
	for (size_t i = 0; i < x->lanes.count; i++)
		if (x->lanes.items[i].process == process && x->lanes.items[i].stream == stream)
			return &x->lanes.items[i];
	sc_vector_push(&x->lanes, ((struct sc_sharing_lane){.process = process, .stream = stream}));
	return sc_vector_last(&x->lanes);
}

void sc_shared_record(struct sc_shared *s, unsigned process, const struct sc_across_event *e,
		      struct sc_clock *clock)
{
	struct sc_sharing_object *x = sc_shared_object(s, process, e->tag);
	struct sc_sharing_lane *l;

	if (!x || !x->is_event) {
		sc_clock_put(&s->knowledge->pool, clock);
		return;
	}
	l = lane_of(x, process, e->peer);
	if (l->records.count)
		sc_clock_join(&s->knowledge->pool, &clock, sc_vector_last(&l->records)->clock);
	if (l->records.count == RECORDS_MOST) {
		sc_clock_put(&s->knowledge->pool, l->records.items[0].clock);
		memmove(l->records.items, l->records.items + 1,
			--l->records.count * sizeof(*l->records.items));
	}
	sc_vector_push(&l->records, ((struct sc_sharing_record){e->sequence, clock}));
}

/* The newest record of the lane that comes before what the process does now, or NULL. */
static const struct sc_sharing_record *last_before(const struct sc_shared *s, unsigned process,
						   const struct sc_sharing_lane *l)
{
	const struct sc_clock *knows = s->knowledge->of[process].clock;

	for (size_t i = l->records.count; i-- > 0;)
		if (l->process == process ||
		    sc_knowledge_has(knows, l->process, l->records.items[i].sequence))
			return &l->records.items[i];
	return NULL;
}

/* Of several processes' or streams' records, a wait is for the last one if the others come before
 * it; if there is no last one, it is for any of them. */
struct sc_clock *sc_shared_wait(struct sc_shared *s, unsigned process, uint64_t event)
{
	struct sc_sharing_object *x = sc_shared_object(s, process, event);
	const struct sc_sharing_record *best = NULL, *r;
	const struct sc_sharing_lane *of = NULL;
	struct sc_clock *unsure = NULL;
	bool is_certain = 1;

	for (size_t i = 0; x && i < x->lanes.count; i++) {
		const struct sc_sharing_lane *l = &x->lanes.items[i];

		r = last_before(s, process, l);
		if (!r) {
			is_certain &= !l->records.count;
			continue;
		}
		if (best && !sc_knowledge_has(r->clock, of->process, best->sequence)) {
			is_certain &= sc_knowledge_has(best->clock, l->process, r->sequence);
			continue;
		}
		best = r;
		of = l;
	}
	if (x && x->is_event && !(best && is_certain))
		sc_clock_raise(&s->knowledge->pool, &unsure, s->unsure, 1);
	return best && is_certain ? sc_clock_get(best->clock) : unsure;
}

/* ---- begin and end ---- */

void sc_shared_init(struct sc_shared *s, struct sc_knowledge *k)
{
	*s = (struct sc_shared){.knowledge = k, .unsure = k->count + 1};
}

static void free_object(struct sc_shared *s, struct sc_sharing_object *x)
{
	for (size_t i = 0; i < x->lanes.count; i++) {
		struct sc_sharing_lane *l = &x->lanes.items[i];

		for (size_t k = 0; k < l->records.count; k++)
			sc_clock_put(&s->knowledge->pool, l->records.items[k].clock);
		sc_vector_fini(&l->records);
	}
	HASH_DEL(s->objects, x);
	sc_vector_fini(&x->lanes);
	sc_vector_fini(&x->sharers);
	sc_vector_fini(&x->uses);
	free(x);
}

void sc_shared_fini(struct sc_shared *s)
{
	while (s->objects)
		free_object(s, s->objects);
	while (s->names) {
		struct sc_sharing_name *x = s->names;

		HASH_DEL(s->names, x);
		sc_clock_put(&s->knowledge->pool, x->clock);
		sc_vector_fini(&x->held);
		free(x);
	}
}
