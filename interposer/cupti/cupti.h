/* CUPTI in the recorder: what the device really did, and calls that no hook sees.
 *
 * Three uses of one subscription, each only when it is wanted:
 *	runtime calls inside host functions (C-4) of a static runtime, once one is enqueued;
 *	device times (option device-times), by activity records (times.h);
 *	driver calls (option source=cupti), from callbacks, without hooks (cupti_source.c).
 *
 * CUPTI serves one subscriber a process. Where another one is first, we do without; where another
 * one comes later, we give way (sc_cupti_yield), so that the program's own profiler works.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/thread.h"

struct sc_cupti;

struct sc_cupti_session {
	atomic_uint state;	 /* whether there is a subscription, and if not, why (cupti.c) */
	atomic_bool is_wanted;	 /* a host function was enqueued */
	atomic_bool has_runtime; /* one has asked the driver for its private table */
	atomic_bool has_hooks;	 /* a hook saw a call that CUPTI reports too */
	/* Records a driver call from its callback: row × 2 + per-thread form (hook/cupti_source.c).
	 */
	void (*record)(unsigned row, const void *data);
	struct sc_cupti *subscription; /* once it was tried */
};

extern struct sc_cupti_session sc_cupti;

struct sc_cupti_thread {
	uint32_t in_runtime; /* > 0: inside a runtime call that CUPTI reported */
};

SC_THREAD_STATE(cupti)

/* The session is live: begins what the options ask for. */
void sc_cupti_begin(void);
/* The driver was initialized; subscribes for a static runtime. */
void sc_cupti_ready(void);
/* A host function is about to be enqueued. */
void sc_cupti_want(void);
/* True if CUPTI is about to report the call that a hook has come upon, so that the hook passes the
 * call on. Inside host functions CUPTI does not report all calls: there the hook records the call,
 * and what CUPTI reports inside the call is the same once more. */
bool sc_cupti_reports_call(void);
/* Writes the device times that are known by now. Safe in a signal handler, waits a second at most.
 */
void sc_cupti_flush(void);
/* Another user of CUPTI is about to subscribe: ends all that is ours. */
void sc_cupti_yield(void);
/* Our function of that name, which gives way first; NULL if there is none. */
void *sc_cupti_wrapper(const char *name);
