/* Memory that must never be protected: stacks, and what belongs to the kernel. */
#include "interposer/guard/ground.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include "interposer/guard/guard.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
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
	} item[SC_GROUNDS];
} grounds;

#define MOST_STACK (UINT64_C(128) << 20) /* of the first thread, if there is no limit */

void sc_ground_open(uint64_t start, uint64_t bytes)
{
	struct sc_memory_table *m = &sc_memory;
	struct sc_known_allocation a;

	if (!start || !bytes || sc_self.busy || !sc_memory_has_host(m))
		return;
	for (uint64_t at = start; at < start + bytes; at = a.start + a.bytes) {
		if (!sc_memory_next(m, at, &a) || a.start >= start + bytes)
			return;
		sc_memory_open(m, a.start); /* first: what is armed later must find it */
		sc_guard_open_range(a.start, a.bytes, false);
	}
}

void sc_ground_add(uint64_t start, uint64_t bytes)
{
	typeof(grounds) *g = &grounds;
	uint32_t i;

	if (!bytes || start + bytes <= start)
		return;
	sc_lock_get(&g->lock);
	for (i = 0; i < g->used; i++) {
		if (!g->item[i].bytes || g->item[i].start == start)
			break;
	}
	if (i < SC_GROUNDS) {
		g->item[i].start = start;
		g->item[i].bytes = bytes;
		g->used += i == g->used;
	} else {
		g->is_full = true;
	}
	sc_lock_put(&g->lock);
	sc_ground_open(start, bytes);
}

void sc_ground_remove(uint64_t start)
{
	typeof(grounds) *g = &grounds;

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
void sc_ground_add_own(uint64_t bytes)
{
	uint64_t top = ((uint64_t)pthread_self() | (SC_PAGE - 1)) + 1;

	sc_self.ground = top - bytes;
	sc_ground_add(sc_self.ground, bytes);
}

/* The kernel put its random bytes there, above all frames. */
void sc_ground_add_first(void)
{
	uint64_t top = (getauxval(AT_RANDOM) + SC_PAGE) & ~(SC_PAGE - 1);
	struct rlimit limit = {0};

	sc_raw(SYS_prlimit64, 0, RLIMIT_STACK, 0, (uint64_t)&limit, 0, 0);
	if (limit.rlim_cur > MOST_STACK)
		limit.rlim_cur = MOST_STACK;
	sc_ground_add(top - limit.rlim_cur, limit.rlim_cur);
}

void sc_ground_set_alternate(const stack_t *stack)
{
	if (sc_self.busy) /* a handler interrupted us: this very thread may hold the lock */
		return;
	if (sc_self.alternate)
		sc_ground_remove(sc_self.alternate);
	sc_self.alternate = stack->ss_flags & SS_DISABLE ? 0 : (uint64_t)stack->ss_sp;
	if (sc_self.alternate)
		sc_ground_add(sc_self.alternate, stack->ss_size);
}

void sc_ground_end(void)
{
	if (sc_self.alternate)
		sc_ground_remove(sc_self.alternate);
	if (sc_self.ground)
		sc_ground_remove(sc_self.ground);
}

bool sc_ground_touches(uint64_t start, uint64_t bytes)
{
	typeof(grounds) *g = &grounds;
	bool touches;

	sc_lock_get(&g->lock);
	touches = g->is_full || sc_ground_is_here(start, bytes);
	for (uint32_t i = 0; i < g->used; i++)
		touches |= g->item[i].start < start + bytes &&
			   start < g->item[i].start + g->item[i].bytes;
	sc_lock_put(&g->lock);
	return touches;
}

const struct sc_module sc_module_ground = {.begin = sc_ground_add_first, SC_MODULE_STATE(grounds)};
