/* The recording session: all global state of libstreamcheck.so, and its life.
 *
 *	idle → starting → live → closed
 *
 * The library is inert until the process first resolves libcuda: no file, no thread, no signal
 * handler. Then the session opens its trace and says what process this is. It is closed when the
 * process leaves; a forked child begins again at idle.
 */
#ifndef SC_INTERPOSER_CORE_SESSION_H
#define SC_INTERPOSER_CORE_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include "base/option.h"
#include "interposer/call/api.h"
#include "interposer/core/arena.h"
#include "interposer/cupti/cupti.h"
#include "interposer/call/graph.h"
#include "interposer/guard/guard.h"
#include "interposer/object/handle.h"
#include "interposer/object/image.h"
#include "interposer/library/library.h"
#include "interposer/object/link.h"
#include "interposer/object/memory.h"
#include "interposer/python/python.h"
#include "interposer/core/range.h"
#include "interposer/core/real.h"
#include "interposer/libc/signals.h"
#include "interposer/openmp/spare.h"
#include "interposer/stack/stack.h"
#include "interposer/sync/sync.h"
#include "interposer/core/table.h"
#include "interposer/core/thread.h"
#include "interposer/stack/unwind.h"
#include "trace/writer.h"

enum sc_state { SC_IDLE, SC_STARTING, SC_LIVE, SC_CLOSED };

#define SC_PATH_BYTES 512

struct sc_session {
	atomic_int state;    /* enum sc_state; first: libc.S looks at it, as at `real` */
	atomic_uint changes; /* of anything that a kept call rests on (site.h) */
	struct sc_clock_base clock;
	struct sc_writer writer; /* its first words, and what is above, are one line */
	struct sc_real real;
	struct sc_options options;
	struct sc_arena arena;
	struct sc_ranges ranges;
	struct sc_stacks stacks;
	struct sc_python python;
	struct sc_rule rules[SC_RULES];
	atomic_uint forgotten; /* times that the rules were forgotten */
	struct sc_handles handles;
	struct sc_images images;
	struct sc_links links;
	struct sc_memory_table memory;
	struct sc_guard guard;
	struct sc_graphs graphs;
	struct sc_signals signals;
	atomic_uint call_names[SC_APIS][2]; /* string ids, 0: not written yet */
	struct sc_table threads;	    /* pthread_t → struct sc_spawn (spawned.c) */
	atomic_uint thread_ids, string_ids, stream_ids, context_ids, object_ids, callback_ids;
	atomic_int callbacks;	/* host functions that were enqueued and have not ended */
	atomic_uint captures;	/* streams that capture now */
	atomic_uint recorded;	/* 1 once a CUDA call other than a query was recorded */
	atomic_uint described;	/* 1 once the devices were written */
	atomic_uint deep_binds; /* libraries loaded with RTLD_DEEPBIND: their calls escape */
	atomic_uint undecoded;	/* driver entry points resolved that are no rows of api.def */
	atomic_uint shares, launchables, refused; /* 1 once these were told as missing */
	atomic_uint runtimes; /* 1 once a shared runtime was called through runtime.S */
	struct sc_cupti_session cupti;
	struct sc_sync_session sync;
	struct sc_libraries libraries;
	struct sc_spares spares;
	struct sc_table nvtx_regions;	  /* address → bytes (nvtx_memory.c) */
	atomic_uint sessions;		  /* of this process: names of collected traces */
	bool collected;			  /* a parent analyzes: STREAMCHECK_COLLECT */
	bool kept;			  /* the trace has the user's name and stays */
	struct sc_thread *_Atomic leaver; /* that ends the process, or had it end (leave.c) */
	int driver_version, process;	  /* whose session it is or was */
	int exit_status, due; /* as far as known: _exit, quick_exit; if that is 0 (leave.h) */
	char trace_path[SC_PATH_BYTES], own_path[SC_PATH_BYTES]; /* own: of libstreamcheck.so */
} __attribute__((aligned(SC_LINE)));

extern struct sc_session sc_session;

static inline bool sc_session_is_live(void)
{
	/* acquire: pairs with the release in sc_session_start */
	return atomic_load_explicit(&sc_session.state, memory_order_acquire) == SC_LIVE;
}

/* False in a child of vfork, which shares our memory and little else. */
bool sc_session_is_ours(void);
/* Begins the session if it is idle; returns once it is live, or will never be. Keeps errno. */
void sc_session_start(void);
/* Appends an op. Returns its sequence number, or SC_NOT_WRITTEN. */
uint64_t sc_session_put(const struct sc_op *op, const struct sc_attachment *parts, unsigned count);
/* The same for an op that tells of order only: it is nothing that others have to be told of. */
uint64_t sc_session_put_unseen(const struct sc_op *op);
/* Appends ops that have no attachments; they are neighbours in the trace. */
void sc_session_put_all(const struct sc_op *ops, unsigned count);
/* Replaces the pending result of an op; SC_NOT_WRITTEN is let pass. */
void sc_session_result(uint64_t sequence, int32_t result);
/* Id of a string that is written now; for the few names that are no rows. */
uint32_t sc_session_string(const char *text);
/* Starts the thread that makes room in the trace ahead, once a run is long enough to want it. */
void sc_session_serve(void);
/* A host read that is written was a poll. */
void sc_session_set_polled(uint64_t sequence);
/* Counts what had to be left out (trace/gap.def). */
void sc_session_count(enum sc_gap gap, uint64_t count);
/* A SOURCE op: whether a source of events works. */
void sc_session_source(const char *name, bool works);
/* Ends the session: EXIT op, guard lifted, trace closed. True if it was live until now. */
bool sc_session_close(int status);
/* In the child of a fork: forgets everything and goes back to idle. */
void sc_session_forget(void);
/* An op of the calling thread, with its number, callback and time filled in. */
struct sc_op sc_session_op(enum sc_op_kind kind);
#endif
