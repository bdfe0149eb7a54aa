/* Given: a short list, under the guard's lock. */
#include "interposer/guard/given.h"

#include "interposer/core/lock.h"
#include "interposer/core/thread.h"
#include "interposer/guard/host.h"
#include "interposer/guard/stack_operand.h"
#include "interposer/guard/watchpoint.h"

/* Only where they are, and whose frame that is, says something; nothing is watched. */
static struct sc_watchpoint given[SC_GIVEN];

/* ---- keeping ---- */

static bool is_same(const struct sc_watchpoint *a, const struct sc_watchpoint *b)
{
	return a->start == b->start && a->frame == b->frame && a->caller == b->caller &&
	       a->thread == b->thread;
}

static void put(const struct sc_watchpoint *a)
{
	unsigned count = atomic_load_explicit(&sc_guard.given, memory_order_relaxed);

	for (unsigned i = 0; i < count; i++) {
		if (!is_same(&given[i], a))
			continue;
		given[i].end = given[i].end > a->end ? given[i].end : a->end;
		return;
	}
	if (count == SC_GIVEN) { /* as an operand that finds no place */
		atomic_fetch_add_explicit(&sc_guard.unguarded, 1, memory_order_relaxed);
		return;
	}
	given[count] = *a;
	atomic_store_explicit(&sc_guard.given, count + 1, memory_order_relaxed);
}

static void keep(void *context, const struct sc_access *access)
{
	struct sc_watchpoint a = {.start = access->base, .end = sc_operand_end(access)};

	(void)context;
	if (access->memory != SC_MEM_PAGEABLE || a.end <= a.start)
		return;
	sc_stack_operand_find(&a);
	sc_lock_get(&sc_guard.lock);
	put(&a);
	sc_lock_put(&sc_guard.lock);
}

void sc_given_keep(const struct sc_enqueued *node)
{
	if (node->op->kind == SC_OP_COPY)
		sc_operand_visit(node, (struct sc_operand_visitor){keep, NULL});
}

/* ---- ends ---- */

static bool is_idle(void)
{
	return !atomic_load_explicit(&sc_guard.given, memory_order_relaxed) || sc_self.busy ||
	       sc_self.depth;
}

static void drop(unsigned i)
{
	unsigned last = atomic_load_explicit(&sc_guard.given, memory_order_relaxed) - 1;

	given[i] = given[last];
	atomic_store_explicit(&sc_guard.given, last, memory_order_relaxed);
}

/* Takes one out that the test accepts; false: there is none. */
static bool take(bool (*test)(const struct sc_watchpoint *, const void *), const void *context,
		 struct sc_watchpoint *out)
{
	bool is_found = false;

	sc_lock_get(&sc_guard.lock);
	for (unsigned i = 0; !is_found && i < sc_guard.given; i++) {
		is_found = test(&given[i], context);
		if (is_found) {
			*out = given[i];
			drop(i);
		}
	}
	sc_lock_put(&sc_guard.lock);
	return is_found;
}

struct span {
	uint64_t start, end;
};

static bool is_in(const struct sc_watchpoint *a, const void *context)
{
	const struct span *s = context;

	return a->start < s->end && s->start < a->end;
}

bool sc_given_ends(uint64_t start, uint64_t bytes)
{
	const struct span s = {start, start + bytes};
	struct sc_watchpoint a;
	bool ends = false;

	while (!is_idle() && take(is_in, &s, &a))
		ends = true;
	return ends;
}

/* If the list is full, some are not in it. */
bool sc_given_is_there(uint64_t start)
{
	bool is_found;

	sc_lock_get(&sc_guard.lock);
	is_found = sc_guard.given == SC_GIVEN;
	for (unsigned i = 0; !is_found && i < sc_guard.given; i++)
		is_found = given[i].start <= start && start < given[i].end;
	sc_lock_put(&sc_guard.lock);
	return is_found;
}

static bool has_returned(const struct sc_watchpoint *a, const void *places)
{
	return a->frame && a->thread == sc_self.id && sc_stack_operand_has_returned(a, places);
}

void sc_given_check_stack(void)
{
	struct sc_stack_places places;
	struct sc_watchpoint a;

	if (is_idle())
		return;
	sc_stack_operand_unwind(&places);
	while (take(has_returned, &places, &a))
		sc_host_put(SC_OP_HOST_FREE, a.start, a.end - a.start, SC_FLAG_FRAME);
}
