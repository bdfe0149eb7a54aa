/* Memory of threads, which passes to other threads when they end. */
#include "interposer/core/scratch.h"

#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/thread.h"
#include "trace/format.h"

/* Where there is no memory: of all threads, which then record nothing. */
static struct sc_thread_more none;

void sc_thread_note_lost(void)
{
	if (sc_self.more == &none)
		sc_put_loss(SC_GAP_lost_threads);
}

struct sc_thread_more *sc_thread_make_more(void)
{
	sc_self.more = sc_arena_take(SC_ARENA_THREAD, sizeof(*sc_self.more));
	if (sc_self.more)
		return sc_self.more;
	sc_self.busy++; /* for good */
	sc_self.more = &none;
	sc_thread_note_lost();
	return &none;
}

void sc_thread_give_more(void)
{
	if (sc_self.more == &none)
		return;
	sc_arena_give(SC_ARENA_THREAD, sc_self.more);
	sc_self.more = NULL;
}

uint8_t *sc_thread_make_scratch(void)
{
	return sc_self.scratch = sc_arena_take(SC_ARENA_SCRATCH, SC_SCRATCH_BYTES);
}

void *sc_thread_room(size_t bytes)
{
	if (bytes <= SC_SCRATCH_BYTES)
		return sc_thread_scratch();
	if (bytes > (size_t)SC_RECORD_MOST * SC_SLOT_DATA)
		return NULL; /* no record would hold it */
	sc_more()->wide.used = 0;
	return sc_mapped_list_grow(&sc_more()->wide, bytes);
}

void sc_thread_end(void)
{
	SC_ARENA_GIVE(SCRATCH, sc_self.scratch);
	SC_ARENA_GIVE(RECENT, sc_self.recent);
	SC_ARENA_GIVE(SITES, sc_self.sites);
	sc_modules_thread_end();
	sc_mapped_list_fini(&sc_more()->wide);
}
