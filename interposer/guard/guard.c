/* The page guard: all of it lifted, what calls in progress use, and its part in a session. */
#include "interposer/guard/guard.h"

#include <stdio.h>
#include "interposer/core/put.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/arch/valgrind.h"
#include "interposer/object/managed_variable.h"

/* ---- all of it ---- */

static bool is_any(struct sc_watchpoint *a, void *context)
{
	(void)a;
	(void)context;
	return true;
}

void sc_guard_lift(void)
{
	sc_watchpoint_remove_if(is_any, NULL);
}

/* Pageable memory is watched on. */
static bool is_protecting(struct sc_watchpoint *a, void *context)
{
	(void)context;
	return a->first_page < a->end_page;
}

void sc_guard_stand_down(const char *reason)
{
	if (atomic_exchange(&sc_guard.stood_down, 1))
		return;
	sc_watchpoint_remove_if(is_protecting, NULL);
	if (sc_session.writer.head)
		sc_put_source(reason, false);
}

/* ---- exemptions ---- */

uint32_t sc_guard_exempt(uint32_t number, uint64_t low, uint64_t high, const void *frame)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	number = sc_exemption_set(&g->exemptions, number, low, high, (uint64_t)frame);
	sc_lock_put(&g->lock);
	if (!number)
		sc_guard_have_too_many();
	return number;
}

void sc_guard_have_too_many(void)
{
	sc_guard_stand_down("page guard: too many calls at a time use CUDA's memory");
}

void sc_guard_end_exemption(struct sc_guard *g, uint32_t number)
{
	struct sc_exemption was =
		sc_exemption_take(&g->exemptions, &g->exemptions.item[number - 1]);

	if (!g->bytes) /* nothing is protected, whatever is watched */
		return;
	for (unsigned i = 0; i < g->used; i++) {
		const struct sc_watchpoint *a = &g->watchpoint[i];
		uint64_t first = a->first_page > was.low ? a->first_page : was.low;
		uint64_t end = a->end_page < was.high ? a->end_page : was.high;

		if (a->is_live && first < end)
			sc_watchpoint_protect_pages(g, first, end);
	}
}

void sc_guard_exempt_end(uint32_t number)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	sc_guard_end_exemption(g, number);
	sc_lock_put(&g->lock);
}

void sc_guard_end_thread(void)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	for (uint32_t i = 0; i < g->exemptions.used; i++) {
		struct sc_exemption *e = &g->exemptions.item[i];

		if (e->high && e->thread == &sc_self)
			sc_guard_end_exemption(g, i + 1);
	}
	sc_watchpoint_forget_reader(g);
	sc_lock_put(&g->lock);
}

/* ---- the module ---- */

static void begin(void)
{
	bool is_on = sc_session.options.guard != SC_GUARD_OFF;

	sc_put_source("page guard", is_on);
	if (sc_valgrind_runs() && is_on)
		sc_guard_stand_down("page guard: the program runs under Valgrind");
}

/* What the page guard left out. */
static void write_counts(void)
{
	unsigned unguarded = atomic_load(&sc_guard.unguarded) + sc_managed_variable_lost();
	unsigned given_up = atomic_load(&sc_guard.given_up);
	unsigned sparse = atomic_load(&sc_guard.sparse);
	char source[96];

	if (unguarded && sc_session.options.guard != SC_GUARD_OFF) {
		snprintf(source, sizeof(source), "page guard of %u host operands", unguarded);
		sc_put_source(source, false);
	}
	if (given_up) {
		snprintf(source, sizeof(source),
			 "page guard of %u pages that the host uses beside an operand", given_up);
		sc_put_source(source, false);
	}
	if (sparse) {
		snprintf(source, sizeof(source),
			 "page guard of all of %u operands (256 MiB at once)", sparse);
		sc_put_source(source, false);
	}
}

static void lift(void)
{
	if (sc_self.busy > 1) /* left from a handler that interrupted us: the holder may be we */
		atomic_store(&sc_guard.lock.held, 0);
	sc_guard_lift();
}

/* The threads that may have held the lock do not exist in the child, and the reads that may be
 * polls are its parent's. */
static void forget(void)
{
	atomic_store(&sc_guard.lock.held, 0);
	for (unsigned i = 0; i < sc_guard.used; i++)
		sc_guard.watchpoint[i].polls = 0;
	sc_guard_lift();
}

const struct sc_module sc_module_guard = {.begin = begin,
					  .flush = write_counts,
					  .close = lift,
					  .forget = forget,
					  SC_MODULE_STATE(sc_guard)};
