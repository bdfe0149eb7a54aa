/* The page guard: accesses by functions, the end of memory, and what a fault means. */
#include <sys/mman.h>
#include "interposer/guard/guard.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/core/thread.h"
#include "interposer/core/lock.h"

#define MOST_SEEN 16 /* accesses that leave a watchpoint in place; then it is opened */

/* ---- ranges ---- */

struct span {
	uint64_t start, end;
	bool is_write;
	bool is_exempt; /* as long as this lasts, its pages are open */
	bool conflicts; /* found out by the test */
	uint64_t first; /* the lowest address that does */
};

/* The first byte at or above `start` that some row of the operand holds; UINT64_MAX: there is none.
 */
static uint64_t next_held(const struct sc_access *x, uint64_t start)
{
	uint64_t at = start - x->base, slice = 0, row = 0;

	if (start <= x->base)
		return x->base;
	if (x->slices > 1 && x->slice_pitch) {
		slice = at / x->slice_pitch;
		at %= x->slice_pitch;
	}
	if (x->rows > 1 && x->pitch) {
		row = at / x->pitch;
		at %= x->pitch;
	}
	if (at >= x->width) {
		row++;
		at = 0;
	}
	if (row >= x->rows) {
		slice++;
		row = at = 0;
	}
	return slice < x->slices ? x->base + slice * x->slice_pitch + row * x->pitch + at
				 : UINT64_MAX;
}

static bool touches_bytes(const struct sc_watchpoint *a, const struct span *s)
{
	return a->start < s->end && s->start < a->end && next_held(&a->access, s->start) < s->end;
}

static bool touches(const struct sc_watchpoint *a, const struct span *s)
{
	return touches_bytes(a, s) || (a->first_page < s->end && s->start < a->end_page);
}

/* Calls that only use the pages of a watchpoint leave it: their exemption keeps these open, and
 * protects them again when it ends. Many such calls open it, so that they do not become slow. */
static bool is_spared(struct sc_watchpoint *a, const struct span *s)
{
	uint64_t first = s->start & ~(SC_PAGE - 1);
	uint64_t end = (s->end + SC_PAGE - 1) & ~(SC_PAGE - 1);

	if (!s->is_exempt || touches_bytes(a, s) || a->seen >= MOST_SEEN)
		return false;
	a->seen++;
	sc_watchpoint_protect_pages(&sc_guard, first > a->first_page ? first : a->first_page,
				    end < a->end_page ? end : a->end_page);
	return true;
}

static bool is_opened(struct sc_watchpoint *a, void *context)
{
	const struct span *s = context;

	return touches(a, s) && !is_spared(a, s);
}

void sc_guard_open_range(uint64_t start, uint64_t bytes, bool is_exempt)
{
	struct span s = {.start = start, .end = start + bytes, .is_exempt = is_exempt};

	sc_watchpoint_remove_if(is_opened, &s);
}

void sc_guard_open_those(struct sc_guard *g, uint64_t low, uint64_t high)
{
	struct span s = {.start = low, .end = high, .is_exempt = true};

	if (sc_guard_near(g, low, high - low))
		sc_watchpoint_remove_those(g, is_opened, &s);
}

/* What a callback opens is its own to use until it ends. True if it is lent now. */
static bool lend(struct sc_watchpoint *a)
{
	struct sc_guard *g = &sc_guard;

	if (!sc_self.callback || a->lent_to)
		return a->lent_to;
	a->lent_to = sc_self.callback;
	atomic_fetch_add_explicit(&g->openings, 1, memory_order_relaxed);
	sc_watchpoint_protect_pages(g, a->first_page, a->end_page);
	return true;
}

static void note_conflict(const struct sc_watchpoint *a, struct span *s)
{
	uint64_t at = next_held(&a->access, s->start);

	if (!s->conflicts || at < s->first)
		s->first = at;
	s->conflicts = true;
}

/* Unprotected watchpoints stay for the end of their memory; after some accesses they are silent. */
static bool is_accessed(struct sc_watchpoint *a, void *context)
{
	struct span *s = context;
	bool forbids = s->is_write || a->right == SC_MAY_NOTHING;

	if (!touches(a, s) || !forbids || a->lent_to)
		return false;
	if (is_spared(a, s))
		return false;
	if (touches_bytes(a, s) && a->seen < MOST_SEEN)
		note_conflict(a, s);
	if (a->first_page == a->end_page) {
		a->seen++;
		return false;
	}
	return !lend(a);
}

uint64_t sc_guard_meet(uint64_t start, uint64_t bytes, bool is_write, bool is_exempt)
{
	struct span s = {
		.start = start, .end = start + bytes, .is_write = is_write, .is_exempt = is_exempt};

	sc_watchpoint_remove_if(is_accessed, &s);
	return s.first;
}

bool sc_guard_access(uint64_t start, uint64_t bytes, bool is_write)
{
	return sc_guard_meet(start, bytes, is_write, false) != 0;
}

/* What is torn here costs a system call or leaves a page protected, no more. */
__attribute__((no_sanitize("thread"))) void sc_guard_force(uint64_t start, uint64_t bytes)
{
	const struct sc_guard *g = &sc_guard;
	uint64_t low = start & ~(SC_PAGE - 1),
		 high = (start + bytes + SC_PAGE - 1) & ~(SC_PAGE - 1);

	for (unsigned i = 0; i < g->used && sc_guard_near(g, start, bytes); i++) {
		const struct sc_watchpoint *a = &g->watchpoint[i];
		uint64_t first = a->first_page > low ? a->first_page : low;
		uint64_t end = a->end_page < high ? a->end_page : high;

		if (a->is_live && first < end)
			sc_watchpoint_open_pages(first, end);
	}
}

static bool is_ended(struct sc_watchpoint *a, void *context)
{
	struct span *s = context;

	s->conflicts |= touches_bytes(a, s);
	return touches(a, s);
}

bool sc_guard_end(uint64_t start, uint64_t bytes)
{
	struct span s = {.start = start, .end = start + bytes};

	sc_watchpoint_remove_if(is_ended, &s);
	return s.conflicts;
}

/* ---- faults ---- */

/* The read came before: all such reads of that place are polls. Once all of them are, the range is
 * opened. */
static enum sc_fault poll_again(struct sc_watchpoint *a, struct sc_fault_access *t)
{
	sc_watchpoint_repeat_read(&sc_guard, a, t->start);
	t->is_poll = true;
	if (a->polled == (1u << a->polls) - 1 || ++a->seen >= MOST_SEEN)
		return SC_FAULT_OPENED;
	return SC_FAULT_NEIGHBOUR;
}

static enum sc_fault poll_first(struct sc_watchpoint *a, struct sc_fault_access *t, bool goes_on)
{
	if (a->polls == SC_WATCHPOINT_POLLS || a->seen++ >= MOST_SEEN)
		return goes_on ? SC_FAULT_OPENED : SC_FAULT_HIT;
	t->may_be_poll |= !goes_on;
	sc_watchpoint_add_read(a, t->pc, t->start);
	return goes_on ? SC_FAULT_NEIGHBOUR : SC_FAULT_FIRST;
}

/* The host may poll what a kernel writes (M-4), several words in turn, from several instructions:
 * the first reads leave the page watched, so that the next ones distinguish a poll from a read. One
 * instruction that goes on to other bytes, as a loop over results does, is recorded once. */
static enum sc_fault hit_of_launch(struct sc_watchpoint *a, struct sc_fault_access *t)
{
	bool goes_on = false;

	if (t->is_write || t->bytes > 8 || sc_self.callback || !t->may_step)
		return SC_FAULT_HIT;
	for (unsigned i = 0; i < a->polls; i++) {
		if (a->poll[i].pc == t->pc && a->poll[i].start == t->start)
			return poll_again(a, t);
		goes_on |= a->poll[i].pc == t->pc;
	}
	return poll_first(a, t, goes_on);
}

/* A callback may come that touches the same (SC-124): it must find the range watched. */
static enum sc_fault hit(struct sc_watchpoint *a, struct sc_fault_access *t)
{
	if (a->is_launch)
		return hit_of_launch(a, t);
	if (sc_self.callback || !t->may_step || a->seen >= MOST_SEEN ||
	    atomic_load_explicit(&sc_session.callbacks, memory_order_relaxed) <= 0)
		return SC_FAULT_HIT;
	a->seen++;
	return SC_FAULT_FIRST;
}

static enum sc_fault judge_one(struct sc_guard *g, struct sc_watchpoint *a,
			       struct sc_fault_access *t)
{
	if (t->is_silent)
		return SC_FAULT_OPENED;
	if (next_held(&a->access, t->start) < t->start + t->bytes)
		return hit(a, t);
	if (!t->may_step || t->is_locked)
		return SC_FAULT_OPENED;
	return sc_hot_page_may_step(&g->hot, t->page) ? SC_FAULT_NEIGHBOUR : SC_FAULT_OPENED;
}

/* The stronger of two verdicts on one access. */
static enum sc_fault stronger(enum sc_fault a, enum sc_fault b)
{
	static const uint8_t strength[] = {[SC_FAULT_FOREIGN] = 0,
					   [SC_FAULT_OPENED] = 1,
					   [SC_FAULT_NEIGHBOUR] = 2,
					   [SC_FAULT_FIRST] = 3,
					   [SC_FAULT_HIT] = 4};

	return strength[a] > strength[b] ? a : b;
}

/* A watchpoint that is given up for its neighbours' sake: first the page, then all of it. */
static void give_up(struct sc_guard *g, struct sc_watchpoint *a, const struct sc_fault_access *t)
{
	if (t->is_silent || next_held(&a->access, t->start) < t->start + t->bytes) {
		sc_watchpoint_remove(g, a);
		return;
	}
	if (sc_hot_page_give_up(&g->hot, t->page)) /* many operands may share the page */
		atomic_fetch_add_explicit(&g->given_up, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&g->openings, 1, memory_order_relaxed);
	if (sc_hot_page_steps_are_spent(&g->hot))
		sc_watchpoint_remove(g, a);
}

static enum sc_fault judge(struct sc_guard *g, struct sc_fault_access *t)
{
	enum sc_fault verdict = SC_FAULT_FOREIGN;
	bool is_stepped = false;

	for (unsigned i = 0; i < g->used; i++) {
		struct sc_watchpoint *a = &g->watchpoint[i];
		enum sc_fault one;

		if (!a->is_live || a->lent_to || !(a->right == SC_MAY_NOTHING || t->is_write) ||
		    !sc_watchpoint_protects(a, t->page))
			continue;
		g->loaded.faults += a->is_loaded;
		one = judge_one(g, a, t);
		verdict = stronger(verdict, one);
		if (one == SC_FAULT_NEIGHBOUR || one == SC_FAULT_FIRST)
			is_stepped = true;
		else if (one == SC_FAULT_OPENED)
			give_up(g, a, t);
		else if (!lend(a))
			sc_watchpoint_remove(g, a);
	}
	if (verdict == SC_FAULT_HIT && is_stepped)
		verdict = SC_FAULT_FIRST;
	if (verdict == SC_FAULT_NEIGHBOUR || verdict == SC_FAULT_FIRST)
		sc_watchpoint_open_pages(t->page, t->page + SC_PAGE);
	else if (verdict != SC_FAULT_FOREIGN)
		sc_watchpoint_protect_pages(g, t->page, t->page + SC_PAGE);
	if (verdict != SC_FAULT_FOREIGN)
		sc_watchpoint_set_bounds(g);
	return verdict;
}

enum sc_fault sc_guard_fault(struct sc_fault_access *touched)
{
	struct sc_guard *g = &sc_guard;
	enum sc_fault verdict;

	/* Not without the lock: another thread may have protected a page and not recorded it
	 * yet. */
	sc_lock_get(&g->lock);
	verdict = judge(g, touched);
	sc_lock_put(&g->lock);
	return verdict;
}

void sc_guard_name_read(const struct sc_fault_access *touched, uint64_t sequence)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	sc_watchpoint_name_read(g, touched->pc, touched->start, sequence);
	sc_lock_put(&g->lock);
}

void sc_guard_rearm(uint64_t page)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	sc_watchpoint_protect_pages(g, page, page + SC_PAGE);
	sc_lock_put(&g->lock);
}

/* ---- callbacks ---- */

void sc_guard_callback_ended(uint32_t stream, uint32_t context, uint64_t sequence)
{
	struct sc_guard *g = &sc_guard;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed))
		return;
	sc_lock_get(&g->lock);
	for (unsigned i = 0; i < g->used; i++) {
		struct sc_watchpoint *a = &g->watchpoint[i];

		if (!a->is_live || a->lent_to != sc_self.callback)
			continue;
		a->is_ordered = a->is_ordered && a->stream == stream;
		a->is_launch = false;
		sc_watchpoint_forget_reads(g, a);
		a->stream = stream;
		a->context = context;
		a->sequence = sequence;
		a->right = SC_MAY_NOTHING;
		a->lent_to = 0;
		sc_watchpoint_protect_pages(g, a->first_page, a->end_page);
	}
	sc_lock_put(&g->lock);
}
