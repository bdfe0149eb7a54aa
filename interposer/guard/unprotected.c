/* Memory that must never be protected: stacks, and what belongs to the kernel. */
#include "interposer/guard/unprotected.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include "interposer/guard/guard.h"
#include "interposer/guard/guard_thread.h"
#include "interposer/core/raw.h"
#include "interposer/object/memory.h"
#include "interposer/core/lock.h"
#include "interposer/core/thread.h"
#include "interposer/core/module.h"

static struct {
	struct sc_lock lock;
	uint32_t used;
	bool is_full; /* one found no place: registered memory may hold stacks */
	struct {
		uint64_t start, bytes; /* bytes 0: free */
	} item[SC_UNPROTECTED_STACKS];
} stacks;

#define MOST_STACK (UINT64_C(128) << 20) /* of the first thread, if there is no limit */

void sc_unprotected_mark(uint64_t start, uint64_t bytes)
{
	struct sc_memory_table *m = &sc_memory;
	struct sc_known_allocation a;

	if (!start || !bytes || sc_self.busy || !sc_memory_has_host(m))
		return;
	for (uint64_t at = start; at < start + bytes; at = a.start + a.bytes) {
		if (!sc_memory_next(m, at, &a) || a.start >= start + bytes)
			return;
		sc_memory_open(m, a.start); /* first: what is watched later must find it */
		sc_guard_open_range(a.start, a.bytes, false);
	}
}

void sc_unprotected_add_stack(uint64_t start, uint64_t bytes)
{
	typeof(stacks) *g = &stacks;
	uint32_t i;

	if (!bytes || start + bytes <= start)
		return;
	sc_lock_get(&g->lock);
	for (i = 0; i < g->used; i++) {
		if (!g->item[i].bytes || g->item[i].start == start)
			break;
	}
	if (i < SC_UNPROTECTED_STACKS) {
		g->item[i].start = start;
		g->item[i].bytes = bytes;
		g->used += i == g->used;
	} else {
		g->is_full = true;
	}
	sc_lock_put(&g->lock);
	sc_unprotected_mark(start, bytes);
}

void sc_unprotected_remove_stack(uint64_t start)
{
	typeof(stacks) *g = &stacks;

	sc_lock_get(&g->lock);
	for (uint32_t i = 0; i < g->used; i++) {
		if (g->item[i].start == start)
			g->item[i].bytes = 0;
	}
	while (g->used && !g->item[g->used - 1].bytes)
		g->used--;
	sc_lock_put(&g->lock);
}

/* glibc puts a thread's descriptor, which is what pthread_self() points to, on the topmost page of
 * its stack. Not a page more: what lies above or below may well be CUDA's. */
void sc_unprotected_add_own_stack(uint64_t bytes)
{
	uint64_t top = ((uint64_t)pthread_self() | (SC_PAGE - 1)) + 1;

	sc_guard_thread()->own_stack = top - bytes;
	sc_unprotected_add_stack(sc_guard_thread()->own_stack, bytes);
}

/* The kernel put its random bytes there, above all frames. */
void sc_unprotected_add_first_stack(void)
{
	uint64_t top = (getauxval(AT_RANDOM) + SC_PAGE) & ~(SC_PAGE - 1);
	struct rlimit limit = {0};

	sc_raw(SYS_prlimit64, 0, RLIMIT_STACK, 0, (uint64_t)&limit, 0, 0);
	if (limit.rlim_cur > MOST_STACK)
		limit.rlim_cur = MOST_STACK;
	sc_unprotected_add_stack(top - limit.rlim_cur, limit.rlim_cur);
}

void sc_unprotected_set_alternate_stack(const stack_t *stack)
{
	if (sc_self.busy) /* a handler interrupted us: this very thread may hold the lock */
		return;
	if (sc_guard_thread()->alternate_stack)
		sc_unprotected_remove_stack(sc_guard_thread()->alternate_stack);
	sc_guard_thread()->alternate_stack =
		stack->ss_flags & SS_DISABLE ? 0 : (uint64_t)stack->ss_sp;
	if (sc_guard_thread()->alternate_stack)
		sc_unprotected_add_stack(sc_guard_thread()->alternate_stack, stack->ss_size);
}

void sc_unprotected_end_thread(void)
{
	if (sc_guard_thread()->alternate_stack)
		sc_unprotected_remove_stack(sc_guard_thread()->alternate_stack);
	if (sc_guard_thread()->own_stack)
		sc_unprotected_remove_stack(sc_guard_thread()->own_stack);
}

bool sc_unprotected_has_stack(uint64_t start, uint64_t bytes)
{
	typeof(stacks) *g = &stacks;
	bool touches;

	sc_lock_get(&g->lock);
	touches = g->is_full || sc_unprotected_has_current_stack(start, bytes);
	for (uint32_t i = 0; i < g->used; i++)
		touches |= g->item[i].start < start + bytes &&
			   start < g->item[i].start + g->item[i].bytes;
	sc_lock_put(&g->lock);
	return touches;
}

const struct sc_module sc_module_unprotected = {.begin = sc_unprotected_add_first_stack,
						SC_MODULE_STATE(stacks)};
