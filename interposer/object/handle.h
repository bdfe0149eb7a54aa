/* The application's handles and the ids that stand for them in the trace (specification 0.5).
 *
 * Handles are recycled by the driver, ids never: creating makes a new record under the handle,
 * destroying marks the record dead, and a handle that was never seen created gets its record on
 * first sight. NULL, 1 and 2 as stream handles mean the legacy or the caller's per-thread stream
 * of the current context, by the entry point's form. Records live for ever.
 */
#ifndef SC_INTERPOSER_OBJECT_HANDLE_H
#define SC_INTERPOSER_OBJECT_HANDLE_H

#include <stdbool.h>
#include "interposer/object/completion.h"
#include "interposer/core/table.h"

enum sc_handle_type {
	SC_HANDLE_CONTEXT,
	SC_HANDLE_STREAM,
	SC_HANDLE_IMPLICIT, /* legacy and per-thread streams, by context and thread */
	SC_HANDLE_EVENT,
	SC_HANDLE_GRAPH,
	SC_HANDLE_EXEC, /* executable graphs */
	SC_HANDLE_MODULE,
	SC_HANDLE_FUNCTION,
	SC_HANDLE_ARRAY,
	SC_HANDLE_SEMAPHORE, /* external semaphores */
	SC_HANDLE_PHYSICAL,  /* memory without an address (P-12) */
	SC_HANDLE_POOL,	     /* and the pools that devices allocate from, by device */
	SC_HANDLE_GRAPHICS,  /* resources of a graphics API */
	SC_HANDLE_IMPORT,    /* memory of another process, by address; `layout` counts the opens */
	SC_HANDLE_GREEN,     /* green contexts (S-9) */
	SC_HANDLE_LIBRARY,   /* of an NVIDIA library (library.h) */
	SC_HANDLE_PLAN,	     /* the same, where it is a number */
	SC_HANDLE_TYPES
};

struct sc_reading;
struct sc_old_launch;

struct sc_handle {
	uint32_t id;
	uint32_t flags;	  /* enum sc_op_flag, given when it was created */
	uint32_t context; /* context id; of a context its own */
	uint32_t device;
	uint32_t green;	 /* of a context: the green context that it was made from, or 0 */
	uint32_t layout; /* of a function: number of parameters */
	uint32_t param_bytes;
	bool has_gaps;	  /* of a function: bytes between its parameters */
	bool was_freed;	  /* of an array: what it was is gone, what it is now was not seen */
	bool is_embedded; /* of a module: it stands for a file's device code (embedded.h) */
	uint8_t memory;	  /* of a pool: enum sc_memory of what it gives out; 0: not known */
	const void *raw;
	atomic_bool is_dead;
	atomic_bool is_kept;		  /* a call that came again rests on it (site.c) */
	struct sc_handle *_Atomic legacy; /* of a context: its legacy stream */
	struct sc_handle *older;	  /* of a context: the one seen before it */
	struct sc_handle *outer; /* of a graph or function: the graph or module that it is in */
	struct sc_param *params; /* of a function: `layout` of them */
	uint64_t name_hash;	 /* of a function */
	atomic_uint looked; /* of a function that no seen call found: embedded.h's changes then */
	struct sc_old_launch *_Atomic old_launch; /* of a function, or NULL: launch_old.c */
	uint64_t row_bytes, row_count;		  /* of an array: its rows, and rows in a slice */
	struct sc_reading *nodes;		  /* of an executable graph, owned: graph.c */
	struct {
		atomic_uint stream;
		_Atomic uint64_t scratch, scratch_bytes;
	} library; /* of a library's handle: what was written last */
	struct {
		bool is_binary;
		_Atomic uint64_t signals, waits;
	} semaphore; /* of an external semaphore */
	struct sc_completion
		completion; /* of a stream or event: what is so once it was waited for */
};

struct sc_handles {
	struct sc_lock lock;   /* one first sight at a time */
	atomic_uint functions; /* times that a kernel's handle came to mean something */
	struct sc_handle *_Atomic only_context; /* as long as no second one was ever seen */
	struct sc_handle *_Atomic contexts;	/* the one seen last */
	struct sc_table table[SC_HANDLE_TYPES];
};

extern struct sc_handles sc_handles;

/* The record of a handle: live, dead, or NULL if it was never seen. */
struct sc_handle *sc_handle_find(enum sc_handle_type type, const void *raw);
/* The same, but a handle never seen before gets a record (and its defining op). NULL: no memory. */
struct sc_handle *sc_handle_see(enum sc_handle_type type, const void *raw);
/* A handle that a call just created; writes no op. What it meant before is dead. */
struct sc_handle *sc_handle_make(enum sc_handle_type type, const void *raw, uint32_t flags,
				 uint32_t context);
/* A kernel has another handle now, or a handle another kernel. */
void sc_handle_count_function(void);
void sc_handle_kill(struct sc_handle *handle);
/* True if the driver may be asked about the handle: it lives, and so does what it is a part of. */
bool sc_handle_may_ask(const struct sc_handle *handle);
/* The handle is free to mean something else; its next sight is a first one. */
void sc_handle_forget(enum sc_handle_type type, const void *raw);

/* The current context's record; NULL if there is none or it cannot be asked for now. */
struct sc_handle *sc_context_current(void);
/* The same for a call with a stream of its own: the driver is not asked while there is one context
 * only. */
struct sc_handle *sc_context_for(const void *stream);
/* The record of a context that a call returned; `primary` of device `device`; made from `green`. */
struct sc_handle *sc_context_seen(const void *raw, uint32_t flags, int device, uint32_t green);
void sc_context_set_primary(int device, struct sc_handle *context);
/* Handle of the primary context that was last retained for a device, or NULL. */
const void *sc_context_primary(int device);

/* The pool that a device allocates from, as far as it was seen, or NULL. */
struct sc_handle *sc_pool_of_device(int device);
void sc_pool_set_device(int device, struct sc_handle *pool);

/* Flags of a stream, as op flags. */
uint32_t sc_stream_kind(unsigned flags);
/* The stream that a handle means in this call (0.5). */
struct sc_handle *sc_stream_resolve(const void *raw, bool per_thread, struct sc_handle *context);
/* True if the handle stands for a default stream, whose context is the current one. */
bool sc_stream_is_implicit(const void *raw);
/* True if the stream is capturing at this moment; asks the driver only while any capture lives, and
 * of no stream that was destroyed. */
bool sc_stream_captures(const struct sc_handle *stream, const void *raw);

#endif
