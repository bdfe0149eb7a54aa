/* NCCL's ways: keys of meetings, and the table of collectives. */
#include "extensions/ranks/across/nccl_way.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

static const struct {
	const char *name;
	enum sc_nccl_way way;
} rows[] = {
#define SC_NCCL_WAY(name, way) {name, SC_NCCL_##way},
#include "extensions/ranks/across/nccl_way.def"
#undef SC_NCCL_WAY
};

/* Without gaps: it is hashed as bytes. */
struct count_key {
	uint64_t group;
	uint32_t from, to;
	uint64_t is_receive;
};

struct sc_nccl_count {
	struct count_key key;
	uint64_t count;
	UT_hash_handle hh;
};

bool sc_nccl_is_operation(const struct sc_match *m, const struct sc_across_event *e)
{
	const struct sc_match_group *g;
	enum sc_message kind = sc_across_kind(e);

	if (e->what != SC_ACROSS_MESSAGE || !e->own ||
	    (kind != SC_MESSAGE_COLLECTIVE && kind != SC_MESSAGE_SEND &&
	     kind != SC_MESSAGE_RECEIVE))
		return 0;
	g = sc_match_group(m, e->group);
	return g && g->kind == SC_GROUP_NCCL;
}

bool sc_nccl_is_known(const struct sc_match_group *g)
{
	return !g->is_out_of_step && !g->is_aborted && !g->has_many && !g->has_vague;
}

struct sc_nccl_key sc_nccl_number(struct sc_nccl_numbers *n, const struct sc_across_event *e)
{
	bool is_receive = sc_across_kind(e) == SC_MESSAGE_RECEIVE;
	struct count_key key = {.group = e->group, .is_receive = is_receive};
	struct sc_nccl_count *x;

	if (sc_across_kind(e) == SC_MESSAGE_COLLECTIVE)
		return (struct sc_nccl_key){.group = e->group,
					    .number = e->tag,
					    .from = SC_NCCL_NO_RANK,
					    .to = SC_NCCL_NO_RANK};
	key.from = (is_receive ? e->peer : e->own) - 1;
	key.to = (is_receive ? e->own : e->peer) - 1;
	HASH_FIND(hh, n->counts, &key, sizeof(key), x);
	if (!x) {
		x = sc_heap_xcalloc(1, sizeof(*x));
		x->key = key;
		HASH_ADD(hh, n->counts, key, sizeof(x->key), x);
	}
	return (struct sc_nccl_key){
		.group = e->group, .number = ++x->count, .from = key.from, .to = key.to};
}

void sc_nccl_numbers_fini(struct sc_nccl_numbers *n)
{
	while (n->counts) {
		struct sc_nccl_count *x = n->counts;

		HASH_DEL(n->counts, x);
		free(x);
	}
}

enum sc_nccl_way sc_nccl_way_of(const struct sc_match *m, const struct sc_across_event *e)
{
	const char *name = sc_match_call(m, e->call);

	if (sc_across_kind(e) != SC_MESSAGE_COLLECTIVE)
		return SC_NCCL_MESSAGE;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(name, rows[i].name))
			return rows[i].way;
	return SC_NCCL_NONE;
}

static bool is_root(const struct sc_across_event *e)
{
	return e->peer && e->peer == e->own;
}

bool sc_nccl_gives(enum sc_nccl_way way, const struct sc_across_event *e)
{
	switch (way) {
	case SC_NCCL_ALL: return 1;
	case SC_NCCL_FROM_ROOT: return is_root(e);
	case SC_NCCL_TO_ROOT: return !is_root(e);
	case SC_NCCL_MESSAGE: return sc_across_kind(e) == SC_MESSAGE_SEND;
	case SC_NCCL_NONE: break;
	}
	return 0;
}

bool sc_nccl_takes(enum sc_nccl_way way, const struct sc_across_event *e)
{
	switch (way) {
	case SC_NCCL_ALL: return 1;
	case SC_NCCL_FROM_ROOT: return !is_root(e);
	case SC_NCCL_TO_ROOT: return is_root(e);
	case SC_NCCL_MESSAGE: return sc_across_kind(e) == SC_MESSAGE_RECEIVE;
	case SC_NCCL_NONE: break;
	}
	return 0;
}

bool sc_nccl_needs(const struct sc_match *m, const struct sc_across_event *a,
		   const struct sc_across_event *b)
{
	enum sc_nccl_way way = sc_nccl_way_of(m, a);

	if (way != SC_NCCL_MESSAGE && (a->call != b->call || a->peer != b->peer))
		return 0;
	return sc_nccl_takes(way, a) && sc_nccl_gives(way, b);
}

unsigned sc_nccl_expected(const struct sc_match_group *g, const struct sc_nccl_key *key)
{
	return key->from == SC_NCCL_NO_RANK ? HASH_COUNT(g->members) : 2;
}
