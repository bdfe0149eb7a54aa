/* Watchpoints: adding them, their pages, and opening these. */
#include "interposer/guard/watchpoint.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include "base/assert.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/lock.h"
#include "interposer/core/put.h"
#include "interposer/core/thread.h"
#include "interposer/object/memory.h"

struct sc_guard sc_guard;

/* ---- protection ---- */

/* The first page of a piece of a sparse watchpoint. */
static uint64_t piece_of(const struct sc_watchpoint *a, unsigned number)
{
	uint64_t spare = (a->end_page - a->first_page) / SC_PAGE - SC_PIECE_PAGES;

	return a->first_page + spare * number / (SC_PIECES - 1) * SC_PAGE;
}

static bool holds(uint64_t first, uint64_t end, uint64_t page, uint64_t *next)
{
	if (first > page && first < *next)
		*next = first;
	if (end > page && end < *next)
		*next = end;
	return first <= page && page < end;
}

/* True if the page is protected for the watchpoint; *next is lowered to where that may change. */
static bool guards(const struct sc_watchpoint *a, uint64_t page, uint64_t *next)
{
	bool is_held = false;

	if (!a->is_sparse)
		return holds(a->first_page, a->end_page, page, next);
	for (unsigned i = 0; i < SC_PIECES; i++) {
		uint64_t first = piece_of(a, i);

		is_held |= holds(first, first + SC_PIECE_PAGES * SC_PAGE, page, next);
	}
	return is_held;
}

bool sc_watchpoint_protects(const struct sc_watchpoint *a, uint64_t page)
{
	uint64_t next = UINT64_MAX;

	return guards(a, page, &next);
}

/* What the host may do with the page now, and where the next change may be. */
static enum sc_right wanted(const struct sc_guard *g, uint64_t page, uint64_t *next)
{
	enum sc_right right = SC_MAY_ALL;

	if (sc_hot_page_holds(&g->hot, page, next) ||
	    sc_exemption_holds(&g->exemptions, page, next))
		return SC_MAY_ALL;
	for (unsigned i = 0; i < g->used; i++) {
		const struct sc_watchpoint *a = &g->watchpoint[i];

		if (a->is_live && !a->lent_to && guards(a, page, next) && a->right < right)
			right = a->right;
	}
	return right;
}

/* Counts what the kernel has no room for: one more piece of a mapping. Memory that is gone is none.
 */
static bool is_refused(int err, uint64_t first, uint64_t end)
{
	if (err != -ENOMEM || sc_raw(SYS_msync, first, end - first, MS_ASYNC, 0, 0, 0))
		return false;
	sc_put_gap(SC_GAP_unprotected, 1);
	return true;
}

bool sc_watchpoint_open_pages(uint64_t first, uint64_t end)
{
	int err = sc_raw_mprotect(first, end - first, PROT_READ | PROT_WRITE);
	struct sc_known_allocation all;

	if (!is_refused(err, first, end))
		return !err;
	if (sc_memory_look_up(&sc_memory, first, &all)) {
		first = all.start & ~(SC_PAGE - 1);
		end = (all.start + all.bytes + SC_PAGE - 1) & ~(SC_PAGE - 1);
	}
	return !sc_raw_mprotect(first, end - first, PROT_READ | PROT_WRITE);
}

static bool close_span(uint64_t first, uint64_t end, int protection)
{
	int err = sc_raw_mprotect(first, end - first, protection);

	is_refused(err, first, end);
	return !err;
}

bool sc_watchpoint_protect_pages(const struct sc_guard *g, uint64_t first, uint64_t end)
{
	bool ok = true;

	while (first < end) {
		uint64_t next = end;
		enum sc_right right = wanted(g, first, &next);

		if (right == SC_MAY_ALL)
			ok &= sc_watchpoint_open_pages(first, next);
		else
			ok &= close_span(first, next, right == SC_MAY_READ ? PROT_READ : PROT_NONE);
		first = next;
	}
	return ok;
}

/* ---- bounds ---- */

static void widen(struct sc_guard *g, const struct sc_watchpoint *a)
{
	uint64_t low = a->first_page && a->first_page < a->start ? a->first_page : a->start;
	uint64_t high = a->end_page > a->end ? a->end_page : a->end;

	if (atomic_load_explicit(&g->live, memory_order_relaxed) > 1) {
		uint64_t old_low = atomic_load_explicit(&g->low, memory_order_relaxed);
		uint64_t old_high = atomic_load_explicit(&g->high, memory_order_relaxed);

		low = old_low < low ? old_low : low;
		high = old_high > high ? old_high : high;
	}
	atomic_store_explicit(&g->low, low, memory_order_relaxed);
	atomic_store_explicit(&g->high, high, memory_order_relaxed);
}

void sc_watchpoint_set_bounds(struct sc_guard *g)
{
	uint64_t low = UINT64_MAX, high = 0;
	unsigned live = 0;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed))
		g->used = 0;
	while (g->used && !g->watchpoint[g->used - 1].is_live)
		g->used--;
	for (unsigned i = 0; i < g->used; i++) {
		const struct sc_watchpoint *a = &g->watchpoint[i];

		if (!a->is_live)
			continue;
		live++;
		low = a->start < low ? a->start : low;
		low = a->first_page && a->first_page < low ? a->first_page : low;
		high = a->end > high ? a->end : high;
		high = a->end_page > high ? a->end_page : high;
	}
	sc_assert(live == g->live);
	atomic_store_explicit(&g->low, low, memory_order_relaxed);
	atomic_store_explicit(&g->high, high, memory_order_relaxed);
}

/* ---- reads that may be polls ---- */

void sc_watchpoint_add_read(struct sc_watchpoint *a, uint64_t pc, uint64_t start)
{
	a->poll[a->polls++] = (struct sc_watchpoint_read){
		.pc = pc, .start = start, .op = SC_NOT_WRITTEN, .reader = &sc_self};
}

void sc_watchpoint_name_read(struct sc_guard *g, uint64_t pc, uint64_t start, uint64_t sequence)
{
	bool is_known = false;

	for (unsigned i = 0; i < g->used; i++) {
		struct sc_watchpoint *a = &g->watchpoint[i];

		for (unsigned k = 0; a->is_live && k < a->polls; k++) {
			struct sc_watchpoint_read *r = &a->poll[k];

			if (r->pc != pc || r->start != start || r->reader != &sc_self ||
			    r->op != SC_NOT_WRITTEN)
				continue;
			r->op = sequence;
			is_known = true;
		}
	}
	if (!is_known) /* another thread opened them meanwhile */
		sc_put_result(sequence, 0);
}

static struct sc_watchpoint_read *find(struct sc_guard *g, uint64_t op)
{
	for (unsigned i = 0; i < g->used; i++) {
		struct sc_watchpoint *a = &g->watchpoint[i];

		for (unsigned k = 0; a->is_live && k < a->polls; k++)
			if (a->poll[k].op == op)
				return &a->poll[k];
	}
	return NULL;
}

/* What was recorded as reads was a loop that waits for another value. */
static void decide(struct sc_guard *g, uint64_t op)
{
	struct sc_watchpoint_read *r;

	if (op == SC_NOT_WRITTEN)
		return;
	sc_put_polled(op);
	while ((r = find(g, op)))
		r->op = SC_NOT_WRITTEN;
}

void sc_watchpoint_repeat_read(struct sc_guard *g, struct sc_watchpoint *a, uint64_t start)
{
	for (unsigned i = 0; i < a->polls; i++) {
		if (a->poll[i].start != start)
			continue;
		a->polled |= (uint8_t)(1u << i);
		if (a->poll[i].reader == &sc_self)
			decide(g, a->poll[i].op);
	}
}

/* It was no poll, unless another watchpoint may yet see that it is one. */
static void let_go(struct sc_guard *g, struct sc_watchpoint_read *r)
{
	uint64_t op = r->op;

	r->op = SC_NOT_WRITTEN;
	if (op != SC_NOT_WRITTEN && !find(g, op))
		sc_put_result(op, 0);
}

void sc_watchpoint_forget_reads(struct sc_guard *g, struct sc_watchpoint *a)
{
	for (unsigned i = 0; i < a->polls; i++)
		let_go(g, &a->poll[i]);
	a->polls = a->polled = 0;
}

void sc_watchpoint_forget_reader(struct sc_guard *g)
{
	for (unsigned i = 0; i < g->used; i++) {
		struct sc_watchpoint *a = &g->watchpoint[i];

		for (unsigned k = 0; a->is_live && k < a->polls; k++) {
			if (a->poll[k].reader != &sc_self)
				continue;
			let_go(g, &a->poll[k]);
			a->poll[k].reader = NULL;
		}
	}
}

/* ---- entering and releasing ---- */

/* Bytes that a watchpoint protects. */
static uint64_t cost_of(const struct sc_watchpoint *a)
{
	return a->is_sparse ? SC_PIECES * SC_PIECE_PAGES * SC_PAGE : a->end_page - a->first_page;
}

void sc_watchpoint_remove(struct sc_guard *g, struct sc_watchpoint *a)
{
	bool was_protected = a->first_page < a->end_page && !a->lent_to;

	sc_assert(a->is_live && g->live > 0 && g->bytes >= cost_of(a));
	a->is_live = false;
	a->lent_to = 0;
	sc_watchpoint_forget_reads(g, a);
	g->bytes -= cost_of(a);
	if (was_protected) {
		atomic_fetch_add_explicit(&g->openings, 1, memory_order_relaxed);
		sc_watchpoint_protect_pages(g, a->first_page, a->end_page);
	}
	atomic_fetch_sub_explicit(&g->live, 1, memory_order_release); /* last, as above */
}

unsigned sc_watchpoint_remove_those(struct sc_guard *g,
				    bool (*test)(struct sc_watchpoint *, void *), void *context)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->used; i++) {
		if (g->watchpoint[i].is_live && test(&g->watchpoint[i], context)) {
			sc_watchpoint_remove(g, &g->watchpoint[i]);
			n++;
		}
	}
	if (n)
		sc_watchpoint_set_bounds(g);
	return n;
}

unsigned sc_watchpoint_remove_if(bool (*test)(struct sc_watchpoint *, void *), void *context)
{
	struct sc_guard *g = &sc_guard;
	int saved = errno;
	unsigned n;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed))
		return 0;
	sc_lock_get(&g->lock);
	n = sc_watchpoint_remove_those(g, test, context);
	sc_lock_put(&g->lock);
	errno = saved;
	return n;
}

/* A place for one more; when all are taken, that of the oldest watchpoint, which then is open. */
static struct sc_watchpoint *free_watchpoint(struct sc_guard *g)
{
	struct sc_watchpoint *oldest = &g->watchpoint[0];

	if (g->used < SC_WATCHPOINTS)
		return &g->watchpoint[g->used++];
	for (unsigned i = 0; i < g->used; i++) {
		if (!g->watchpoint[i].is_live)
			return &g->watchpoint[i];
		if (g->watchpoint[i].sequence < oldest->sequence)
			oldest = &g->watchpoint[i];
	}
	sc_watchpoint_remove(g, oldest);
	atomic_fetch_add_explicit(&g->unguarded, 1, memory_order_relaxed);
	return oldest;
}

/* Large operands are protected in part, if that is wanted or they would be too much. */
static void choose_pieces(struct sc_guard *g, struct sc_watchpoint *a)
{
	const struct sc_options *o = &sc_session.options;
	uint64_t bytes = a->end_page - a->first_page;

	a->is_sparse = bytes >= SC_LEAST_SPARSE &&
		       (o->guard == SC_GUARD_SPARSE || g->bytes + bytes > SC_GUARD_BYTES);
	if (a->is_sparse && o->guard != SC_GUARD_SPARSE)
		atomic_fetch_add_explicit(&g->sparse, 1, memory_order_relaxed);
}

/* True if the pages are already as the watchpoint wants them: a kernel in a loop, on the same
 * memory. */
static bool is_protected(const struct sc_guard *g, const struct sc_watchpoint *a)
{
	for (unsigned i = 0; i < g->used; i++) {
		const struct sc_watchpoint *b = &g->watchpoint[i];

		if (b == a || !b->is_live || b->lent_to || b->right > a->right)
			continue;
		if (b->is_sparse ? a->is_sparse && b->first_page == a->first_page &&
					   b->end_page == a->end_page
				 : b->first_page <= a->first_page && a->end_page <= b->end_page)
			return true;
	}
	return false;
}

static void close_pages(struct sc_guard *g, struct sc_watchpoint *a)
{
	uint64_t first = a->first_page, end = a->end_page;

	if (first == end || is_protected(g, a) || sc_watchpoint_protect_pages(g, first, end))
		return;
	g->bytes -= cost_of(a);
	a->first_page = a->end_page = 0;
	a->is_sparse = false;
	sc_watchpoint_protect_pages(g, first, end);
}

static bool is_again(const struct sc_watchpoint *a, const struct sc_watchpoint *model)
{
	return a->is_live && !a->lent_to && a->start == model->start && a->end == model->end &&
	       a->stream == model->stream && a->context == model->context &&
	       a->first_page == model->first_page && a->end_page == model->end_page &&
	       a->right == model->right && a->is_launch == model->is_launch &&
	       a->frame == model->frame && a->caller == model->caller &&
	       a->thread == model->thread && !memcmp(&a->access, &model->access, sizeof(a->access));
}

void sc_watchpoint_wait_for(struct sc_guard *g, struct sc_watchpoint *a, uint64_t sequence)
{
	if (a->sequence < sequence)
		a->sequence = sequence;
	sc_watchpoint_forget_reads(g, a);
	a->seen = 0;
}

/* The same operand in the same stream again, of a loop or a replay: its watchpoint waits for the
 * later operation, which ends later, and counts accesses anew. */
static struct sc_watchpoint *renew(struct sc_guard *g, const struct sc_watchpoint *model)
{
	for (unsigned i = 0; i < g->used; i++) {
		struct sc_watchpoint *a = &g->watchpoint[i];

		if (!is_again(a, model))
			continue;
		sc_watchpoint_wait_for(g, a, model->sequence);
		a->is_loaded &= model->is_loaded;
		return a;
	}
	return NULL;
}

static struct sc_watchpoint *enter(struct sc_guard *g, const struct sc_watchpoint *model)
{
	struct sc_watchpoint *a = free_watchpoint(g);

	sc_assert(!a->is_live && model->first_page <= model->end_page);
	memcpy(a, model, offsetof(struct sc_watchpoint, poll));
	choose_pieces(g, a);
	a->is_live = true;
	g->bytes += cost_of(a);
	atomic_fetch_add_explicit(&g->live, 1, memory_order_relaxed);
	widen(g, a); /* first: a handler that comes now must find what it touches */
	close_pages(g, a);
	if (a->access.memory != SC_MEM_PAGEABLE && a->first_page == a->end_page)
		atomic_fetch_add_explicit(&g->unguarded, 1, memory_order_relaxed);
	return a;
}

bool sc_watchpoint_renew(const struct sc_watchpoint *model)
{
	struct sc_guard *g = &sc_guard;
	bool renewed;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed))
		return false;
	sc_lock_get(&g->lock);
	renewed = renew(g, model) != NULL;
	g->hot.watched += renewed;
	sc_lock_put(&g->lock);
	return renewed;
}

struct sc_watchpoint *sc_watchpoint_put(struct sc_guard *g, const struct sc_watchpoint *model)
{
	struct sc_watchpoint *a;

	g->hot.watched++;
	a = renew(g, model); /* another thread may have been as fast */
	return a ? a : enter(g, model);
}

void sc_watchpoint_add(const struct sc_watchpoint *model)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	sc_watchpoint_put(g, model);
	sc_lock_put(&g->lock);
}
