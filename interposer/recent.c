/* Recent stacks: words compared where they lie. */
#include "interposer/recent.h"

#include <string.h>
#include "interposer/arena.h"
#include "interposer/session.h"

#define RECENT_PLACES 64

struct sc_recent {
	struct sc_registers from;
	bool needs_rbp;	  /* it is compared too */
	uint32_t version; /* of the code that is loaded; 0: empty */
	uint32_t count;
	struct sc_stack stack;
	uint64_t low, high; /* bounds of the places, which are aligned */
	struct {
		uint64_t place, word;
	} link[SC_BASIS_MOST]; /* going up */
};

static struct sc_recent *slot_of(const struct sc_registers *from)
{
	uint64_t hash = (from->rip ^ from->rsp << 7) * UINT64_C(0x9e3779b97f4a7c15);

	return &sc_self.recent[hash >> 58];
}

static bool is_inside(const struct sc_recent *r)
{
	return r->low >= sc_self.stack_start && r->high < sc_self.stack_end;
}

/* The thread may be on another stack than last time, or that one be gone. */
static bool is_readable(const struct sc_recent *r)
{
	uint64_t word;

	if (!r->count || is_inside(r))
		return true;
	return sc_unwind_load(r->low, &word) && sc_unwind_load(r->high, &word) && is_inside(r);
}

static bool is_there(const struct sc_recent *r)
{
	if (!is_readable(r))
		return false;
	for (unsigned i = 0; i < r->count; i++) {
		if (*(const uint64_t *)r->link[i].place != r->link[i].word)
			return false;
	}
	return true;
}

struct sc_stack sc_recent_find(const struct sc_registers *from)
{
	const struct sc_recent *r = sc_self.recent ? slot_of(from) : NULL;

	if (!r || r->version != sc_unwind_version() || r->from.rip != from->rip ||
	    r->from.rsp != from->rsp || (r->needs_rbp && r->from.rbp != from->rbp) || !is_there(r))
		return (struct sc_stack){0};
	return r->stack;
}

int sc_recent_links(const struct sc_registers *from, uint64_t *links, unsigned most,
		    bool *needs_rbp)
{
	const struct sc_recent *r = sc_self.recent ? slot_of(from) : NULL;
	uint64_t last = from->rsp;

	if (!sc_recent_find(from).id || r->count > most)
		return -1;
	*needs_rbp = r->needs_rbp;
	for (unsigned i = 0; i < r->count; i++) {
		uint64_t words = (r->link[i].place - last) / 8;

		if (words >> 16 || r->link[i].word >> 48)
			return -1;
		links[i] = words << 48 | r->link[i].word;
		last = r->link[i].place;
	}
	return (int)r->count;
}

/* Into its place among those below it, once. */
static void add_link(struct sc_recent *r, uint64_t place)
{
	unsigned i = r->count;

	while (i && r->link[i - 1].place > place)
		i--;
	if (i && r->link[i - 1].place == place)
		return;
	memmove(&r->link[i + 1], &r->link[i], (r->count - i) * sizeof(r->link[0]));
	r->link[i].place = place;
	r->link[i].word = *(const uint64_t *)place;
	r->count++;
}

void sc_recent_keep(const struct sc_registers *from, struct sc_stack stack,
		    const struct sc_basis *basis)
{
	struct sc_recent *r;

	_Static_assert(RECENT_PLACES == 64, "six bits of the hash");
	if (!sc_self.recent)
		sc_self.recent = sc_arena_take(SC_ARENA_RECENT, RECENT_PLACES * sizeof(*r));
	if (!sc_self.recent || !stack.id || basis->is_unknown)
		return;
	r = slot_of(from);
	r->version = 0;
	atomic_signal_fence(memory_order_seq_cst); /* a handler finds it empty or whole */
	r->from = *from;
	r->needs_rbp = basis->needs_rbp;
	r->stack = stack;
	r->count = 0;
	for (unsigned i = 0; i < basis->count; i++)
		add_link(r, basis->place[i]);
	r->low = r->count ? r->link[0].place : UINT64_MAX;
	r->high = r->count ? r->link[r->count - 1].place : 0;
	atomic_signal_fence(memory_order_seq_cst);
	r->version = sc_unwind_version();
}
