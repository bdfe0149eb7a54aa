/* Operands on the stack, and functions that return. */
#include "interposer/guard/stack_operand.h"

#include <pthread.h>
#include "interposer/guard/host.h"
#include "interposer/core/put.h"
#include "interposer/stack/unwind.h"
#include "interposer/core/thread.h"
#include "interposer/guard/guard_thread.h"

#define MOST_STACK (UINT64_C(64) << 20) /* an operand further up is not on this stack */
#define MOST_ENDED 16			/* of one return; more are not distinguished */

void sc_stack_operand_unwind(struct sc_stack_places *p)
{
	uint64_t frames[SC_STACK_PLACES], places[SC_STACK_PLACES];
	unsigned count = sc_unwind(SC_REGISTERS_HERE(), frames, places, SC_STACK_PLACES);

	p->count = 0;
	p->is_cut = count == SC_STACK_PLACES;
	for (unsigned i = 1; i < count; i++) {
		if (!places[i])
			continue;
		p->value[p->count] = frames[i];
		p->at[p->count++] = places[i];
	}
}

/* The first return address above an address; `count`: it is on no frame. */
static unsigned above(const struct sc_stack_places *p, uint64_t address)
{
	unsigned i = 0;

	while (i < p->count && p->at[i] <= address)
		i++;
	return i;
}

static bool is_near(uint64_t address)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	return address > here && address - here < MOST_STACK;
}

bool sc_stack_operand_is_on_stack(uint64_t address)
{
	struct sc_stack_places p;

	if (!is_near(address))
		return false;
	sc_stack_operand_unwind(&p);
	return above(&p, address) < p.count;
}

bool sc_stack_operand_find(struct sc_watchpoint *a)
{
	struct sc_stack_places p;
	unsigned at;

	if (!is_near(a->start))
		return false;
	sc_stack_operand_unwind(&p);
	at = above(&p, a->start);
	if (at == p.count) {
		if (p.is_cut && a->start >= sc_self.stack_start && a->start < sc_self.stack_end)
			sc_put_gap(SC_GAP_frames, 1);
		return false;
	}
	a->frame = p.at[at];
	a->caller = p.value[at];
	a->base = p.at[p.count - 1];
	a->thread = sc_thread_id();
	return true;
}

/* ---- the end ---- */

struct ended {
	const struct sc_stack_places *places; /* NULL: all of the thread's */
	uint32_t thread;
	unsigned left, count;
	uint64_t start[MOST_ENDED], bytes[MOST_ENDED];
};

/* With the thread its own stack ends; that of a fiber, which began there, goes on elsewhere. */
static bool is_own_stack(const struct sc_watchpoint *a)
{
	uint64_t top = ((uint64_t)pthread_self() | (SC_PAGE - 1)) + 1; /* as in unprotected.c */

	return sc_guard_thread()->own_stack && sc_guard_thread()->own_stack <= a->base &&
	       a->base < top;
}

/* Not if the unwinding ended elsewhere than then: another stack, or a broken one. */
bool sc_stack_operand_has_returned(const struct sc_watchpoint *a, const struct sc_stack_places *p)
{
	if (!p->count || p->at[p->count - 1] != a->base)
		return false;
	for (unsigned i = 0; i < p->count; i++) {
		if (p->at[i] == a->frame && p->value[i] == a->caller)
			return false;
	}
	return true;
}

static bool is_ended(struct sc_watchpoint *a, void *context)
{
	struct ended *e = context;

	if (!a->frame || a->thread != e->thread)
		return false;
	if (!(e->places ? sc_stack_operand_has_returned(a, e->places) : is_own_stack(a))) {
		e->left++;
		return false;
	}
	if (e->count == MOST_ENDED) {
		sc_put_gap(SC_GAP_frames, 1);
		return true;
	}
	e->start[e->count] = a->start;
	e->bytes[e->count++] = a->end - a->start;
	return true;
}

static void check(const struct sc_stack_places *places)
{
	struct ended e = {.places = places, .thread = sc_self.id};

	sc_watchpoint_remove_if(is_ended, &e);
	sc_self.framed = e.left;
	for (unsigned i = 0; i < e.count; i++)
		sc_host_put(SC_OP_HOST_FREE, e.start[i], e.bytes[i], SC_FLAG_FRAME);
}

void sc_stack_operand_check(void)
{
	struct sc_stack_places p;

	if (!sc_self.framed)
		return;
	sc_stack_operand_unwind(&p);
	check(&p);
}

void sc_stack_operand_end_thread(void)
{
	if (sc_self.framed)
		check(NULL);
}
