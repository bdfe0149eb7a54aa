/* Threads: the calling one's state, and its number. */
#include "interposer/core/thread.h"

#include <stdatomic.h>
#include "interposer/core/arena.h"
#include "interposer/core/module.h"

__thread struct sc_thread sc_self __attribute__((tls_model("initial-exec")));

static atomic_uint ids;

uint32_t sc_thread_id(void)
{
	if (!sc_self.id)
		sc_self.id = 1 + atomic_fetch_add_explicit(&ids, 1, memory_order_relaxed);
	return sc_self.id;
}

/* Where there is no memory: of all threads, which then record nothing. */
static struct sc_thread_more none;

struct sc_thread_more *sc_thread_make_more(void)
{
	sc_self.more = sc_arena_take(SC_ARENA_THREAD, sizeof(*sc_self.more));
	if (sc_self.more)
		return sc_self.more;
	sc_self.busy++; /* for good */
	sc_self.more = &none;
	return &none;
}

void sc_thread_give_more(void)
{
	if (sc_self.more == &none)
		return;
	sc_arena_give(SC_ARENA_THREAD, sc_self.more);
	sc_self.more = NULL;
}

const struct sc_module sc_module_thread = {SC_MODULE_STATE(ids)};
