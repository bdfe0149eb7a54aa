/* NCCL's operations: keys of meetings, and who has data for whom. */
#include "extensions/ranks/across/nccl_operation.h"

#include <stdlib.h>
#include "base/heap.h"

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
	sc_hash_get(n->counts, key, key, x);
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

static bool is_root(const struct sc_across_event *e)
{
	return e->peer && e->peer == e->own;
}

bool sc_nccl_gives(const struct sc_across_event *e)
{
	if (sc_across_kind(e) != SC_MESSAGE_COLLECTIVE)
		return sc_across_kind(e) == SC_MESSAGE_SEND;
	switch (sc_message_flow(e->value)) {
	case SC_FLOW_ALL_TO_ALL: return 1;
	case SC_FLOW_ONE_TO_ALL: return is_root(e);
	case SC_FLOW_ALL_TO_ONE: return !is_root(e);
	case SC_FLOW_SCAN: /* NCCL has none */
	case SC_FLOW_LISTED:
	case SC_FLOW_NONE: break;
	}
	return 0;
}

bool sc_nccl_takes(const struct sc_across_event *e)
{
	if (sc_across_kind(e) != SC_MESSAGE_COLLECTIVE)
		return sc_across_kind(e) == SC_MESSAGE_RECEIVE;
	switch (sc_message_flow(e->value)) {
	case SC_FLOW_ALL_TO_ALL: return 1;
	case SC_FLOW_ONE_TO_ALL: return !is_root(e);
	case SC_FLOW_ALL_TO_ONE: return is_root(e);
	case SC_FLOW_SCAN:
	case SC_FLOW_LISTED:
	case SC_FLOW_NONE: break;
	}
	return 0;
}

unsigned sc_nccl_givers(const struct sc_match_group *g, const struct sc_across_event *e)
{
	unsigned ranks = HASH_COUNT(g->members);

	if (sc_across_kind(e) != SC_MESSAGE_COLLECTIVE)
		return 1;
	switch (sc_message_flow(e->value)) {
	case SC_FLOW_ALL_TO_ALL: return ranks;
	case SC_FLOW_ONE_TO_ALL: return 1;
	case SC_FLOW_ALL_TO_ONE: return ranks - 1;
	case SC_FLOW_SCAN:
	case SC_FLOW_LISTED:
	case SC_FLOW_NONE: break;
	}
	return 0;
}

bool sc_nccl_is_same(const struct sc_across_event *a, const struct sc_across_event *b)
{
	return sc_across_kind(a) != SC_MESSAGE_COLLECTIVE ||
	       (a->call == b->call && a->peer == b->peer &&
		sc_message_flow(a->value) == sc_message_flow(b->value));
}

unsigned sc_nccl_expected(const struct sc_match_group *g, const struct sc_nccl_key *key)
{
	return key->from == SC_NCCL_NO_RANK ? HASH_COUNT(g->members) : 2;
}
