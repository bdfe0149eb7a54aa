/* Pending operations of UCX: by the request that the program has, or by none.
 *
 * An operation with a callback of ours (callback.h) stays until the callback has run, however the
 * program learns of its end before: both may happen in two threads at once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/agents/mpi/agent.h"
#include "trace/agent.h"

/* The word that a program gave for a function of its own. */
typedef uint64_t sc_ucx_word;

struct sc_ucx_pending {
	struct sc_ucx_pending *next;
	uint64_t request; /* 0: there is none */
	uint64_t owner;	  /* endpoint, or worker */
	uint64_t number;  /* in the order in which operations begin */
	struct sc_mpi_flight flight;
	bool is_receive;   /* its callback gets more than a status */
	bool is_flush;	   /* its end is that of remote accesses */
	bool is_workers;   /* `owner` is a worker */
	bool is_remote;	   /* a flush shows that it is complete */
	bool is_polled;	   /* the program's own callback is called for it */
	bool has_callback; /* ours is: */
	bool has_run, is_listed;
	sc_ucx_word callback, user_data; /* of the program */
};

/* A new one that is in no list, or NULL. */
struct sc_ucx_pending *sc_ucx_pending_new(void);
/* Its call returned this request, or none; an operation whose callback has run already goes. */
void sc_ucx_pending_begun(struct sc_ucx_pending *p, uint64_t request);
/* Its call failed, or completed it (`is_complete`), and no callback comes. */
void sc_ucx_pending_returned(struct sc_ucx_pending *p, bool is_complete);
/* Its callback is about to run; true: it is the caller's to give back. */
bool sc_ucx_pending_called(struct sc_ucx_pending *p);
void sc_ucx_pending_put(struct sc_ucx_pending *p);

/* The program asked, and the request is complete. */
void sc_ucx_pending_seen(uint64_t request);
/* The program freed the request, which was complete or is nobody's any more. */
void sc_ucx_pending_freed(uint64_t request, bool is_complete);
/* A flush of the endpoint, or the worker, that began with this number is complete. */
void sc_ucx_pending_flushed(uint64_t owner, bool is_workers, uint64_t number);
/* The worker is destroyed: with all of its operations, and those of endpoints, whose workers are
 * not known. Receives that nothing came for are given up by that. */
void sc_ucx_pending_destroyed(uint64_t worker);
/* The number of an operation that begins now. */
uint64_t sc_ucx_pending_number(void);
/* Requests with a callback of the program, `most` of them; returns how many. */
unsigned sc_ucx_pending_polled(uint64_t *out, unsigned most);
/* False: nothing is pending that has a request. */
bool sc_ucx_pending_is_any(void);
