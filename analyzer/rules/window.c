/* Rule 173: operations on the memory of other ranks outside of every epoch.
 *
 * An epoch begins with a fence, a lock of the rank or of all, or a start, as long as it has not
 * ended. Whom a start is for is not recorded: it counts for all. Of a window that was used before
 * anything was recorded nothing is said.
 */
#include <stdlib.h>
#include "analyzer/rules/family.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/map.h"
#include "trace/message.h"

struct window {
	uint32_t id; /* key */
	bool is_fenced, is_started;
	struct sc_u64_map locked; /* 1: the rank + 1 is; 0: all are */
	UT_hash_handle hh;
};

struct windows {
	struct window *list; /* owned, by id */
};

static void add(struct windows *all, const struct sc_op *op)
{
	struct window *w;

	HASH_FIND(hh, all->list, &op->object, sizeof(op->object), w);
	if (w || op->value != SC_GROUP_WINDOW || op->src)
		return;
	w = sc_heap_xcalloc(1, sizeof(*w));
	w->id = op->object;
	HASH_ADD(hh, all->list, id, sizeof(w->id), w);
}

static bool is_locked(const struct window *w, uint32_t rank)
{
	const uint64_t *one = sc_u64_map_find(&w->locked, rank);
	const uint64_t *all = sc_u64_map_find(&w->locked, 0);

	return (one && *one) || (all && *all);
}

static void check(struct sc_analysis *a, const struct window *w, const struct sc_record *r)
{
	struct sc_finding f;

	if (w->is_fenced || w->is_started || is_locked(w, r->op.peer))
		return;
	f = sc_finding_begin(SC_RULE_173, NULL, 0, &r->op, r->sequence);
	sc_finding_file(a, &f, NULL, &r->op);
}

static void take_message(struct sc_analysis *a, struct window *w, const struct sc_record *r)
{
	switch (sc_message_kind(r->op.value)) {
	case SC_MESSAGE_ACCESS: check(a, w, r); break;
	case SC_MESSAGE_FENCE: w->is_fenced = !(r->op.value & SC_MESSAGE_CLOSES); break;
	case SC_MESSAGE_LOCK: *sc_u64_map_get(&w->locked, r->op.peer) = 1; break;
	case SC_MESSAGE_UNLOCK: *sc_u64_map_get(&w->locked, r->op.peer) = 0; break;
	case SC_MESSAGE_START: w->is_started = 1; break;
	case SC_MESSAGE_COMPLETE: w->is_started = 0; break;
	case SC_MESSAGE_SEND:
	case SC_MESSAGE_RECEIVE:
	case SC_MESSAGE_PROBE:
	case SC_MESSAGE_COLLECTIVE:
	case SC_MESSAGE_WAIT:
	case SC_MESSAGE_PART:
	case SC_MESSAGE_LOSE:
	case SC_MESSAGE_LIST:
	case SC_MESSAGE_POST:
	case SC_MESSAGE_AWAIT:
	case SC_MESSAGES: break;
	}
}

static const uint16_t kinds[] = {SC_OP_GROUP, SC_OP_MESSAGE, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct windows *all = state;
	struct window *w;

	(void)step;
	if (r->op.kind == SC_OP_GROUP) {
		add(all, &r->op);
		return;
	}
	HASH_FIND(hh, all->list, &r->op.object, sizeof(r->op.object), w);
	if (w)
		take_message(a, w, r);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct windows *all = state;

	(void)a;
	while (all->list) {
		struct window *w = all->list;

		HASH_DEL(all->list, w);
		sc_u64_map_fini(&w->locked);
		free(w);
	}
}

const struct sc_rule_family sc_rules_window = {
	.state_bytes = sizeof(struct windows),
	.kinds = kinds,
	.step = check_record,
	.finish = finish,
};
