/* Scratch memory of threads, which passes to other threads when they end. */
#include "interposer/core/scratch.h"

#include "interposer/core/arena.h"
#include "interposer/core/thread.h"
#include "trace/format.h"

uint8_t *sc_thread_scratch(void)
{
	if (!sc_self.scratch)
		sc_self.scratch = sc_arena_take(SC_ARENA_SCRATCH, SC_SCRATCH_BYTES);
	return sc_self.scratch;
}

void *sc_thread_room(size_t bytes)
{
	if (bytes <= SC_SCRATCH_BYTES)
		return sc_thread_scratch();
	if (bytes > (size_t)SC_RECORD_MOST * SC_SLOT_DATA)
		return NULL; /* no record would hold it */
	sc_self.wide.used = 0;
	return sc_mapped_list_grow(&sc_self.wide, bytes);
}

#define GIVE(kind, member)                              \
	do {                                            \
		void *piece_ = sc_self.member;          \
                                                        \
		sc_self.member = NULL;                  \
		sc_arena_give(SC_ARENA_##kind, piece_); \
	} while (0)

void sc_thread_end(void)
{
	GIVE(SCRATCH, scratch);
	GIVE(REPEATED, repeated);
	GIVE(RECENT, recent);
	GIVE(SITES, sites);
	GIVE(PYTHON, python_frames);
	GIVE(ENQUEUES, enqueued);
	GIVE(MPI, mpi_known);
	sc_mapped_list_fini(&sc_self.wide);
}
