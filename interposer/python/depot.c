/* The depot of stacks of Python lines. */
#include "interposer/python/depot.h"

#include <string.h>
#include "interposer/core/put.h"
#include "interposer/stack/depot.h"
#include "interposer/core/thread.h"
#include "interposer/core/arena.h"
#include "interposer/python/python_thread.h"

#define PROBES 64

struct entry {
	uint64_t hash;
	uint32_t id, below, count;
	struct sc_python_key key[];
};

static uint64_t hash_stack(const struct sc_python_stack *s, uint32_t below)
{
	uint64_t h = below;

	for (uint32_t i = 0; i < s->count; i++) {
		h = (h ^ s->key[i].what) * UINT64_C(0x9e3779b97f4a7c15);
		h = (h ^ (h >> 32) ^ s->key[i].where) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return h ^ (h >> 32);
}

/* Written before anyone can find it. */
static void write_stack(uint32_t id, uint32_t below, const struct sc_python_text *text)
{
	struct sc_op op = {.kind = SC_OP_STACK, .peer = below, .object = id};
	struct sc_attachment part = {
		.type = SC_ATTACH_PYTHON, .bytes = text->used, .data = text->bytes};

	sc_put_op(&op, &part, 1);
}

struct sc_python_text *sc_python_depot_text(void)
{
	if (!sc_python_thread()->text)
		sc_python_thread()->text = sc_arena_get(sizeof(*sc_python_thread()->text));
	if (sc_python_thread()->text)
		sc_python_thread()->text->used = 0;
	return sc_python_thread()->text;
}

static struct entry *make_entry(const struct sc_python_stack *s, uint64_t hash, uint32_t below,
				bool (*print)(void *, struct sc_python_text *), void *context)
{
	struct sc_python_text *text = sc_python_depot_text();
	struct entry *e;

	if (!text || !print(context, text))
		return NULL;
	e = sc_arena_get(sizeof(*e) + s->count * sizeof(s->key[0]));
	if (!e)
		return NULL;
	*e = (struct entry){.hash = hash, .below = below, .count = s->count};
	memcpy(e->key, s->key, s->count * sizeof(s->key[0]));
	e->id = 1 + atomic_fetch_add_explicit(&sc_stacks.ids, 1, memory_order_relaxed);
	write_stack(e->id, below, text);
	return e;
}

static bool is_same(const struct entry *e, const struct sc_python_stack *s, uint64_t hash,
		    uint32_t below)
{
	return e->hash == hash && e->below == below && e->count == s->count &&
	       !memcmp(e->key, s->key, s->count * sizeof(s->key[0]));
}

uint32_t sc_python_depot_find(struct sc_python_depot *d, const struct sc_python_stack *stack,
			      uint32_t below, bool (*print)(void *context, struct sc_python_text *),
			      void *context)
{
	uint64_t hash = hash_stack(stack, below);
	struct entry *mine = NULL;

	for (unsigned probe = 0; probe < PROBES; probe++) {
		void *_Atomic *slot = &d->slot[(hash + probe) & (SC_PYTHON_SLOTS - 1)];
		/* acquire: pairs with the release below, which publishes the entry */
		void *found = atomic_load_explicit(slot, memory_order_acquire);

		if (!found) {
			mine = mine ? mine : make_entry(stack, hash, below, print, context);
			if (!mine)
				break;
			if (atomic_compare_exchange_strong_explicit(
				    slot, &found, mine, memory_order_release, memory_order_acquire))
				return mine->id;
		}
		if (is_same(found, stack, hash, below))
			return ((struct entry *)found)->id;
	}
	return mine ? mine->id : below;
}
