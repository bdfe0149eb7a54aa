/* The recorder's state of one thread of the traced program: thread-local, and a piece of the arena.
 *
 * A thread gets its number (1, 2, …) the first time that it is seen. `busy` is raised while the
 * recorder itself runs (so that its own libc and CUDA calls, and a signal handler that interrupts
 * it, are passed through unrecorded), `depth` while a recorded CUDA call runs (so that what the
 * driver calls inside is not recorded a second time).
 *
 * A call may be left by a jump or an exception (out of a signal's handler, or an error handler of
 * MPI), and then lowers nothing. Stacks grow downwards: whoever calls from the place of the
 * outermost call's frame, or from above, is not inside of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "interposer/core/clock_reading.h"
#include "interposer/core/mapped_list.h"

struct sc_safe_read;

#define SC_LINE 64 /* bytes of a cache line */

/* What every call looks at: the core's, and what each module keeps (HOT of module.def).
 * Thread-local memory that is there from a program's start is scarce: where a tool audits the
 * loader, or another library has much of it, more than some hundred bytes are refused (lint/symbols
 * has the bound). */
struct sc_thread {
	uint32_t id;	   /* 0: not numbered yet */
	uint32_t parent;   /* its creator's number, 0 if not known */
	uint32_t callback; /* execution of a host function that the thread is inside, else 0 */
	uint32_t unasked;  /* 1: a launch failed, and the thread did not ask for the error yet */
	uint32_t busy;	   /* > 0: inside the recorder */
	uint32_t depth;	   /* > 0: inside a recorded CUDA call */
	bool resolving;	   /* a real function is being looked up */
#define HOT(type, name) type name;
#include "interposer/core/module.def"
#undef HOT
	uint64_t current; /* op of the recorded call it is in, +1; 0: none */
	uint64_t records; /* written by this thread, synchronization not counted */
	struct sc_call_clock clock;
	uint64_t stack_start, stack_end; /* readable for certain (unwind.c) */
	uint8_t *scratch;	     /* SC_SCRATCH_BYTES for decoders; owned, made on first use */
	struct sc_thread_more *more; /* owned, made on first use: sc_more() */
	const void *outermost; /* frame of the call that raised `depth` from 0; NULL: not known */
} __attribute__((aligned(SC_LINE)));

/* What fewer calls look at: the core's, and what each module keeps (THREAD of it). */
struct sc_thread_more {
	struct sc_mapped_list wide; /* owned: scratch for what is larger than `scratch` */
	struct sc_safe_read
		*safe_read; /* memory is being read that may not be there; on its stack */
#define THREAD(name, bytes) _Alignas(8) uint8_t name[bytes];
#include "interposer/core/module.def"
#undef THREAD
};

/* Makes sc_NAME_thread(), which gives the calling thread's struct of that name, zeros at first. */
#define SC_THREAD_STATE(name)                                              \
	_Static_assert(sizeof(struct sc_##name##_thread) <=                \
			       sizeof(((struct sc_thread_more *)0)->name), \
		       "module.def");                                      \
	static inline struct sc_##name##_thread *sc_##name##_thread(void)  \
	{                                                                  \
		return (void *)sc_more()->name;                            \
	}

extern __thread struct sc_thread sc_self __attribute__((tls_model("initial-exec")));

/* Gives the calling thread its number. */
uint32_t sc_thread_number(void);
static inline uint32_t sc_thread_id(void)
{
	return sc_self.id ? sc_self.id : sc_thread_number();
}
/* Makes `more` (scratch.c); one for all threads, which then record nothing, where there is no
 * memory. */
struct sc_thread_more *sc_thread_make_more(void);
/* Counts the thread if it has none, where there is a trace by now. */
void sc_thread_note_lost(void);
/* The thread needs it no more. */
void sc_thread_give_more(void);

/* The calls that the thread is in are over, if both frames are on its stack, as far as that is
 * known. True if they are. */
bool sc_thread_forget_calls(const void *frame);

/* A recorded call begins, whose wrapper has the frame; NULL: it is not known. */
static inline void sc_thread_enter(const void *frame)
{
	if (!sc_self.depth++)
		sc_self.outermost = frame;
}

static inline void sc_thread_leave(void)
{
	sc_self.depth--;
}

/* True if a call from a wrapper with this frame is made inside of a recorded one. */
static inline bool sc_thread_is_inside(const void *frame)
{
	if (!sc_self.depth)
		return false;
	if (!sc_self.outermost || (uintptr_t)frame < (uintptr_t)sc_self.outermost)
		return true;
	return !sc_thread_forget_calls(frame);
}

static inline struct sc_thread_more *sc_more(void)
{
	return sc_self.more ? sc_self.more : sc_thread_make_more();
}
