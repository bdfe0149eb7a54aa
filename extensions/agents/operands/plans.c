/* Plans of cuFFT: a table by number. */
#include "extensions/agents/operands/plans.h"

#include <errno.h>
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/safe_read.h"
#include "interposer/core/slab.h"

#define LISTS 64

struct plan {
	struct plan *next;
	int number;
	struct sc_transform transform;
};

/* Programs keep their plans across a fork, as the library does. */
static struct {
	struct sc_lock lock;
	struct plan *list[LISTS]; /* owned, by number; under the lock */
} plans;

static struct plan **find(int number)
{
	struct plan **at = &plans.list[(unsigned)number % LISTS];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

void sc_plans_forget(int number)
{
	struct plan **at, *plan;

	sc_lock_get(&plans.lock);
	at = find(number);
	plan = *at;
	if (plan)
		*at = plan->next;
	sc_lock_put(&plans.lock);
	if (plan)
		sc_slab_put(SC_SLAB_PLAN, plan);
}

void sc_plans_set(int number, const struct sc_transform *t)
{
	struct plan *plan, **at;

	sc_plans_forget(number);
	plan = t ? sc_slab_get(SC_SLAB_PLAN, sizeof(*plan)) : NULL;
	if (!plan)
		return;
	plan->number = number;
	plan->transform = *t;
	sc_lock_get(&plans.lock);
	at = find(number);
	if (!*at) {
		*at = plan;
		plan = NULL;
	}
	sc_lock_put(&plans.lock);
	if (plan) /* two threads made one number: neither is to be trusted */
		sc_slab_put(SC_SLAB_PLAN, plan);
}

/* ---- plans with layouts ---- */

static bool read_sizes(struct sc_safe_read *memory, const void *at, bool are_long, int rank,
		       int64_t *out)
{
	union {
		int32_t narrow[SC_TRANSFORM_RANK];
		int64_t wide[SC_TRANSFORM_RANK];
	} in;
	size_t bytes = (size_t)rank * (are_long ? sizeof(in.wide[0]) : sizeof(in.narrow[0]));

	if (!at || !sc_safe_read_bytes(memory, &in, (uint64_t)at, bytes))
		return false;
	for (int i = 0; i < rank; i++)
		out[i] = are_long ? in.wide[i] : in.narrow[i];
	return true;
}

void sc_plans_set_many(int number, struct sc_transform *t, const struct sc_plan_sizes *sizes)
{
	struct sc_safe_read memory;
	int saved = errno;
	bool is_known;

	if (t->rank < 1 || t->rank > SC_TRANSFORM_RANK) {
		sc_plans_forget(number);
		return;
	}
	t->is_plain = !sizes->in_embed || !sizes->out_embed;
	sc_self.busy++;
	sc_safe_read_begin(&memory);
	is_known = read_sizes(&memory, sizes->size, sizes->are_long, t->rank, t->size);
	if (!t->is_plain)
		is_known = is_known &&
			   read_sizes(&memory, sizes->in_embed, sizes->are_long, t->rank,
				      t->in.embed) &&
			   read_sizes(&memory, sizes->out_embed, sizes->are_long, t->rank,
				      t->out.embed);
	sc_safe_read_end(&memory);
	sc_self.busy--;
	sc_plans_set(number, is_known ? t : NULL);
	errno = saved;
}

/* ---- executions ---- */

void sc_plans_note(const struct sc_enqueues *e, struct sc_library_function *function, int number,
		   const void *in, const void *out)
{
	struct sc_access list[SC_TRANSFORM_ACCESSES];
	struct sc_documented documented = {.function = function, .accesses = list};
	struct sc_transform transform = {0};
	int saved = errno;
	struct plan *plan;

	if (!e->count)
		return;
	sc_lock_get(&plans.lock);
	plan = *find(number);
	if (plan)
		transform = plan->transform;
	sc_lock_put(&plans.lock);
	sc_self.busy++;
	documented.count = sc_transform_bytes(&transform, in, out, list);
	if (documented.count)
		sc_enqueues_document(e, &documented);
	sc_self.busy--;
	errno = saved;
}

/* A child has the plans, but not the thread that may have held the lock. */
static void forget(void)
{
	atomic_store(&plans.lock.held, 0);
}

const struct sc_module sc_module_plans = {.forget = forget};
