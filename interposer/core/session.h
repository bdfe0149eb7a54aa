/* The recording session: its life (lifecycle.c), and the state that all rooms share. What a room
 * alone needs is a variable of that room, and its part in this life a row of module.def.
 *
 *	idle → starting → live → closed
 *
 * The library is inert until the process first resolves libcuda: no file, no thread, no signal
 * handler. Then the session opens its trace and says what process this is. It is closed when the
 * process leaves; a forked child begins again at idle.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "base/option.h"
#include "interposer/core/thread.h"
#include "trace/writer.h"

/* The exit status where the program's own status is 0, as under `streamcheck run` (cmds/command.h).
 */
enum sc_due { SC_STATUS_UNUSABLE = 2, SC_STATUS_INCOMPLETE = 3 };
enum sc_state { SC_IDLE, SC_STARTING, SC_LIVE, SC_CLOSED };

#define SC_PATH_BYTES 512

struct sc_session {
	atomic_int state;	 /* enum sc_state; first: libc.S looks at it */
	atomic_uint changes;	 /* of anything that a kept call rests on (site.h) */
	struct sc_writer writer; /* its first words, and what is above, are one line */
	struct sc_options options;
	atomic_uint string_ids, stream_ids, context_ids, object_ids, callback_ids;
	atomic_int callbacks; /* host functions that were enqueued and have not ended */
	atomic_uint captures; /* streams that capture now */
	atomic_uint recorded; /* 1 once a CUDA call other than a query was recorded */
	bool collected;	      /* a parent analyzes: STREAMCHECK_COLLECT */
	bool kept;	      /* the trace has the user's name and stays */
	/* ends the process, or had it end (process/shutdown.c) */
	struct sc_thread *_Atomic ending_thread;
	int process;	 /* whose session it is or was */
	int exit_status; /* as far as known: of _exit, quick_exit */
	int due;	 /* the status to end with, if the program's own is 0: enum sc_due */
	uint32_t fatal;	 /* signal that ends the process, 0: none */
	char trace_path[SC_PATH_BYTES];
	char own_path[SC_PATH_BYTES]; /* of libstreamcheck.so */
	/* What follows stays in the child of a fork. */
	atomic_uint sessions; /* of this process: names of collected traces */
	bool catches_faults;  /* our signal handlers are installed */
} __attribute__((aligned(SC_LINE)));

extern struct sc_session sc_session;

/* Something that kept calls rest on has changed (hook/site.h): they are looked at anew. */
static inline void sc_session_changed(void)
{
	/* release: pairs with the acquire in is_valid, hook/site.c */
	atomic_fetch_add_explicit(&sc_session.changes, 1, memory_order_release);
}

static inline bool sc_session_is_live(void)
{
	/* acquire: pairs with the release in sc_session_start */
	return atomic_load_explicit(&sc_session.state, memory_order_acquire) == SC_LIVE;
}

/* False in a child of vfork, which shares our memory and little else. */
bool sc_session_is_ours(void);
/* Begins the session if it is idle; returns once it is live, or will never be. Keeps errno. */
void sc_session_start(void);
/* Starts the thread that makes room in the trace ahead. */
void sc_session_start_server(void);
/* Once a run is long enough to want it. */
static inline void sc_session_serve(void)
{
	if (sc_writer_wants_server(&sc_session.writer))
		sc_session_start_server();
}
/* In place of a session, of a process that ends without one: a trace that says which process it
 * was, and no more. False if it cannot be written. */
bool sc_session_note_process(void);
/* Ends the session: EXIT op, guard lifted, trace closed. True if it was live until now. */
bool sc_session_close(int status);
/* Another thread has ended the process, and may still report: never returns then, or only if an
 * exec fails. No call returns that the trace does not have; and what threads do to each other on
 * the way out, while destructors have run, must not end the process otherwise. Keeps errno. */
void sc_session_hold(void);
/* The same, for calls: before they begin, and before they return. */
static inline void sc_session_meet_end(void)
{
	if (atomic_load_explicit(&sc_session.state, memory_order_relaxed) == SC_CLOSED)
		sc_session_hold();
}
/* In the child of a fork: forgets everything and goes back to idle. */
void sc_session_forget(void);
