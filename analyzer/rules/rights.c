/* Rule 128: kernels that use memory of another device (D-4, P-8); mapped memory is in mapping.c. */
#include "analyzer/rules/rights.h"

#include <stdbool.h>
#include "base/recall.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/lifetime.h"

#define DEVICES 64

struct rights {
	struct sc_u64_map peers;    /* 1: context, in the upper half, may use memory of the lower */
	struct sc_u64_map readers;  /* of a pool: bit a device */
	struct sc_u64_map homes;    /* of a pool: its device + 1 */
	struct sc_recall destroyed; /* pools; memory of theirs may live on */
	bool has_pool_access;	    /* some pool's rights were set */
	uint64_t changes;	    /* how often a right was given or taken */
};

uint64_t sc_rights_changes(const struct sc_analysis *a)
{
	const struct rights *s = sc_family_state(a, SC_FAMILY_rights);

	return s->changes;
}

void sc_rights_changed(struct sc_analysis *a)
{
	struct rights *s = sc_family_state(a, SC_FAMILY_rights);

	s->changes++;
}

static uint64_t value_at(const struct sc_u64_map *m, uint64_t key)
{
	const uint64_t *place = sc_u64_map_find(m, key);

	return place ? *place : 0;
}

static uint64_t pair_of(uint32_t user, uint32_t owner)
{
	return (uint64_t)user << 32 | owner;
}

/* Checks the device's uses of memory that the device may not use any more. */
static void check_end(struct sc_analysis *a, const struct sc_step *step, uint32_t owner,
		      uint32_t pool, int device)
{
	for (struct sc_range *r = sc_ranges_from(&a->memory.live, 0); r;
	     r = sc_ranges_from(&a->memory.live, r->end)) {
		struct sc_allocation *m = ((struct sc_address *)r)->allocation;

		if (m->kind == SC_MEM_DEVICE && !m->physical &&
		    (pool ? m->pool == pool : !m->is_pool && m->context == owner))
			sc_lifetime_check_end(a, step, m, SC_END_PEER, device);
	}
}

static void set_peer(struct rights *s, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	s->changes++;
	*sc_u64_map_get(&s->peers, pair_of(op->context, op->peer)) = op->value;
	if (!op->value)
		check_end(a, step, op->peer, 0,
			  sc_context_of(&a->order.streams, op->context)->device);
}

static void set_pool_access(struct rights *s, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	uint64_t *readers = sc_u64_map_get(&s->readers, op->object);
	uint64_t bit = UINT64_C(1) << op->device % DEVICES;

	s->has_pool_access = 1;
	s->changes++;
	if (*readers & bit && !op->value)
		check_end(a, step, 0, op->object, op->device);
	*readers = op->value ? *readers | bit : *readers & ~bit;
}

/* The device that the memory is on, -1: not known. */
static int home_of(const struct rights *s, struct sc_analysis *a, const struct sc_allocation *m)
{
	if (m->pool)
		return (int)value_at(&s->homes, m->pool) - 1;
	return m->context ? sc_context_of(&a->order.streams, m->context)->device : -1;
}

/* Rights of a pool that is not known may have been set. */
static bool may_use(const struct rights *s, const struct sc_allocation *m,
		    const struct sc_context *c)
{
	if (m->is_pool && !m->pool)
		return s->has_pool_access;
	if (m->is_pool)
		return value_at(&s->readers, m->pool) >> c->device % DEVICES & 1;
	return value_at(&s->peers, pair_of(c->id, m->context)) != 0;
}

struct sc_finding sc_worker_finding(const struct sc_analysis *a, unsigned rule,
				    const struct sc_worker *w, const struct sc_use *use)
{
	struct sc_step step = *w->step;
	struct sc_finding f;

	step.op = sc_worker_op(w);
	step.sequence = w->node ? w->node->sequence : step.sequence;
	f = sc_finding_of_use(a, rule, &step, use);
	if (!w->node)
		return f;
	f.side[0].launch = w->step->sequence + 1;
	f.side[0].stream = w->step->op->stream;
	f.side[0].thread = w->step->op->thread;
	if (f.doubt == SC_DOUBT_OVER && sc_graph_node_is_unsure(w->node) && !use->reason)
		f.doubt = SC_DOUBT_BODY;
	return f;
}

void sc_worker_file(struct sc_analysis *a, const struct sc_worker *w, struct sc_finding *f)
{
	sc_finding_file(a, f, NULL, sc_worker_op(w));
}

void sc_rights_check(struct sc_analysis *a, const struct sc_worker *w)
{
	const struct rights *s = sc_family_state(a, SC_FAMILY_rights);
	const struct sc_context *c = w->context;

	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		const struct sc_allocation *m = use->allocation;
		struct sc_finding f;
		int home;

		if (m->kind != SC_MEM_DEVICE || !m->sequence || m->physical || m->is_imported ||
		    m->resource || use->is_host)
			continue;
		home = home_of(s, a, m);
		if (home < 0 || home == c->device || may_use(s, m, c))
			continue;
		f = sc_worker_finding(a, SC_RULE_128, w, use);
		if (a->machine.reads_pageable && f.confidence == SC_PROVEN) {
			f.confidence = SC_POSSIBLE; /* one address space for all (M-10) */
			f.doubt = SC_DOUBT_RIGHTS;
		}
		sc_worker_file(a, w, &f);
		return;
	}
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	(void)state;
	return a->machine.has_others;
}

static const uint16_t kinds[] = {SC_OP_PEER_ACCESS,  SC_OP_POOL_ACCESS, SC_OP_POOL,
				 SC_OP_POOL_DESTROY, SC_OP_KERNEL,	SC_OP_NONE};

/* The oldest of the pools that were destroyed is forgotten. */
static void destroy_pool(struct rights *s, const struct sc_analysis *a, const struct sc_op *op)
{
	struct sc_map_entry gone;

	s->destroyed.most = sc_settings_remembered(&a->settings, 16);
	if (!sc_recall_note(&s->destroyed, op->object, 0, &gone))
		return;
	sc_u64_map_remove(&s->readers, gone.key_plus - 1);
	sc_u64_map_remove(&s->homes, gone.key_plus - 1);
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct rights *s = state;
	const struct sc_op *op = &r->op;

	if (!sc_op_took_effect(op))
		return;
	switch (op->kind) {
	case SC_OP_PEER_ACCESS: set_peer(s, a, step); break;
	case SC_OP_POOL_ACCESS: set_pool_access(s, a, step); break;
	case SC_OP_POOL:
		if (op->dst_mem == SC_MEM_NONE || op->dst_mem == SC_MEM_DEVICE)
			*sc_u64_map_get(&s->homes, op->object) = op->device + 1u;
		break;
	case SC_OP_POOL_DESTROY: destroy_pool(s, a, op); break;
	case SC_OP_KERNEL:
		if (step->is_enqueued && a->machine.has_others)
			sc_rights_check(a, &(struct sc_worker){.step = step,
							       .context = step->stream->context});
		break;
	default: break;
	}
}

static void finish(void *state, struct sc_analysis *a)
{
	struct rights *s = state;

	(void)a;
	sc_u64_map_fini(&s->peers);
	sc_u64_map_fini(&s->readers);
	sc_u64_map_fini(&s->homes);
	sc_recall_fini(&s->destroyed);
}

const struct sc_rule_family sc_rules_rights = {
	.state_bytes = sizeof(struct rights),
	.kinds = kinds,
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
