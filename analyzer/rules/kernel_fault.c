/* Rules 152, 154, 155: kernels that failed on the simulated device, and the memory nearest to the
 * address; threads that race there, in the shared memory of their block or in global memory. */
#include "analyzer/rules/family.h"
#include "base/vector.h"

#define IN_GLOBAL (UINT64_C(1) << 63) /* of the number of a pair of places */
#define FAR	  (UINT64_C(1) << 20) /* memory beyond has nothing to do with the address */

static uint64_t distance(const struct sc_range *r, uint64_t address)
{
	return address < r->start ? r->start - address : address - (r->end - 1);
}

/* The live allocation that begins or ends nearest to an address that is in none; NULL: none is
 * near. */
static const struct sc_allocation *nearest(struct sc_analysis *a, uint64_t address)
{
	struct sc_ranges *live = &a->memory.live;
	const struct sc_allocation *best = NULL;
	uint64_t least = FAR, first = address > FAR ? address - FAR : 0;

	for (struct sc_range *r = sc_ranges_from(live, first); r;
	     r = sc_ranges_from(live, r->end)) {
		if (r->start > address && r->start - address >= least)
			break;
		if (address - r->start < r->end - r->start || distance(r, address) >= least)
			continue;
		least = distance(r, address);
		best = ((struct sc_address *)r)->allocation;
	}
	return best;
}

/* The memory that the failure is about: that at the address, dead memory there, or the nearest. */
static void add_memory(struct sc_analysis *a, struct sc_finding *f, uint64_t address)
{
	uint64_t canonical;
	const struct sc_allocation *m = sc_memory_find(&a->memory, address, &canonical);

	const struct sc_dead *dead =
		m && m->sequence ? NULL : sc_memory_find_dead(&a->memory, address);

	if (dead)
		sc_finding_add_earlier(f, dead->freed - 1, SC_SIDE_FREE);
	if (dead && dead->sequence) {
		f->allocation = dead->sequence;
		return;
	}
	if (!m || !m->sequence)
		m = nearest(a, address);
	if (m)
		f->allocation = m->sequence;
}

/* The launch has a pointer to memory that was freed, or to pageable memory, and was reported for
 * that: the failure is what came of it. */
static bool is_known(const struct sc_analysis *a, const struct sc_finding *f)
{
	const struct sc_finding *list = a->findings.list.items;

	for (size_t i = 0; i < a->findings.list.count; i++)
		if (list[i].side[list[i].sides - 1].op == f->side[f->sides - 1].op &&
		    (list[i].rule == SC_RULE_127 ||
		     (list[i].allocation && list[i].allocation == f->allocation)))
			return 1;
	return 0;
}

/* A finding, and the record that it is about. */
struct held {
	struct sc_finding finding;
	struct sc_op op;
};

struct faults {
	SC_VECTOR(struct held) held; /* until it is known which launches were executed */
};

static void hold(struct faults *all, const struct sc_finding *f, const struct sc_op *op)
{
	const struct held h = {*f, *op};

	sc_vector_push(&all->held, h);
}

static void check_hazard(struct faults *all, const struct sc_record *r, uint64_t launch)
{
	enum sc_rule rule = r->op.dst & IN_GLOBAL ? SC_RULE_155 : SC_RULE_154;
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, &r->op, launch);

	f.fault = r->sequence + 1;
	f.doubt = SC_DOUBT_SIMULATED;
	f.fix = rule == SC_RULE_155 ? SC_FIX_ORDER_OF_THREADS : SC_FIX_BARRIER;
	if (r->op.dst & 1) /* a look at a counter that others change may be meant */
		f.severity = SC_WARNING;
	f.part = r->op.dst;
	hold(all, &f, &r->op);
}

static const uint16_t kinds[] = {SC_OP_KERNEL_FAULT, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	uint64_t launch = r->op.link ? r->op.link - 1 : r->sequence;
	struct sc_finding f = sc_finding_begin(SC_RULE_152, NULL, 0, &r->op, launch);

	(void)step;
	if (!r->op.value) {
		check_hazard(state, r, launch);
		return;
	}
	f.fault = r->sequence + 1;
	f.doubt = SC_DOUBT_SIMULATED;
	if (r->op.value == SC_RESULT_ASSERT)
		f.fix = SC_FIX_ASSERTION;
	if (r->op.dst)
		add_memory(a, &f, r->op.dst);
	if (!is_known(a, &f))
		hold(state, &f, &r->op);
}

/* After a launch that was left out, the data of later ones may not be the program's. */
static void finish(void *state, struct sc_analysis *a)
{
	struct faults *all = state;

	for (size_t i = 0; i < all->held.count; i++) {
		struct held *h = &all->held.items[i];

		h->finding.confidence = a->coverage.skipped ? SC_POSSIBLE : SC_LIKELY;
		sc_finding_file(a, &h->finding, NULL, &h->op);
	}
	sc_vector_fini(&all->held);
}

const struct sc_rule_family sc_rules_kernel_fault = {
	.state_bytes = sizeof(struct faults),
	.kinds = kinds,
	.step = check_record,
	.finish = finish,
};
