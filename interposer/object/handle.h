/* The application's handles and the ids that stand for them in the trace (specification 0.5).
 *
 * Handles are recycled by the driver, ids never: creating makes a new record under the handle,
 * destroying marks the record dead, and a handle that was never seen created gets its record on
 * first sight. NULL, 1 and 2 as stream handles mean the legacy or the caller's per-thread stream
 * of the current context, by the entry point's form.
 *
 * What was destroyed keeps its record until the driver gives out the handle again, or until many
 * others of its type were destroyed after it, so that a use of a dead handle is noticed; then the
 * record is used again (handle_record.h).
 */
#pragma once

#include <stdbool.h>
#include "interposer/core/table.h"
#include "interposer/core/thread.h"
#include "interposer/object/handle_record.h"

struct sc_handles {
	struct sc_lock lock;   /* one first sight at a time */
	atomic_uint functions; /* times that a kernel's handle came to mean something */
	struct sc_handle *_Atomic only_context; /* as long as no second one was ever seen */
	struct sc_handle *_Atomic contexts;	/* the one seen last */
	struct sc_table table[SC_HANDLE_TYPES];
};

extern struct sc_handles sc_handles;

struct sc_handle_thread {
	uint32_t implicit_for;	    /* context id that `implicit` belongs to */
	struct sc_handle *implicit; /* the thread's per-thread stream there */
	struct sc_handle *context;  /* last current context, and its handle */
	const void *context_raw;
};

SC_THREAD_STATE(handle)

/* The record of a handle: live, dead, or NULL if it was never seen. */
struct sc_handle *sc_handle_find(enum sc_handle_type type, const void *raw);
/* The same, but a handle never seen before gets a record (and its defining op). NULL: no memory. */
struct sc_handle *sc_handle_see(enum sc_handle_type type, const void *raw);
/* A handle that a call just created; writes no op. What it meant before is dead. */
struct sc_handle *sc_handle_make(enum sc_handle_type type, const void *raw, uint32_t flags,
				 uint32_t context);
/* The same in two steps, for a kernel: a record that its maker fills in before the handle leads to
 * it. */
struct sc_handle *sc_handle_new(enum sc_handle_type type, const void *raw, uint32_t flags,
				uint32_t context);
/* Returns what the kernel's handle leads to then: this record, or one of the same name and module
 * that another thread has entered meanwhile; this one is given back then. */
struct sc_handle *sc_handle_enter_function(struct sc_handle *function);
/* Another handle means the same. */
void sc_handle_alias(enum sc_handle_type type, const void *raw, struct sc_handle *handle);
/* What it was then is destroyed. False if that was known, or the record stands for another object;
 * handle NULL is let pass. */
bool sc_handle_kill(struct sc_handle_ref ref);
/* A kernel has another handle now, or a handle another kernel. */
void sc_handle_count_function(void);
/* True if the driver may be asked about the handle: it lives, and so does what it is a part of. */
bool sc_handle_may_ask(const struct sc_handle *handle);
/* The object with this id is gone, and its handle free to mean something else: its next sight is a
 * first one. If another thread's object has the handle by now, that one is left alone. */
void sc_handle_forget(enum sc_handle_type type, const void *raw, uint32_t id);

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
/* True if the stream is capturing at this moment, also for a graphics command buffer (W-9); asks
 * the driver only while any capture lives, and of no stream that was destroyed. */
bool sc_stream_captures(const struct sc_handle *stream, const void *raw);
