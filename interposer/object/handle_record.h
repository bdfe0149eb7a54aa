/* Records of handles: what is known of one object, and records that are used again.
 *
 * A record that no handle leads to any more, because the driver gave the handle to another object
 * or the handle was forgotten, is used again for an object of the same type, with another id. It
 * stays a record of that type for ever, so a pointer to it may always be followed, in any thread,
 * without a lock. What it stands for may have changed meanwhile. So whoever keeps a pointer keeps
 * the id too (struct sc_handle_ref) and compares; a call does so after the driver has returned: the
 * object that it destroyed may have a successor by then. A reader that loses the race against an
 * application that destroys what it uses sees facts of both objects, never an invalid pointer.
 * Records of contexts and of implicit streams live for ever.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/lock.h"
#include "interposer/object/completion.h"

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
	SC_HANDLE_IMPORT,    /* memory of another process, by address */
	SC_HANDLE_GREEN,     /* green contexts (S-9) */
	SC_HANDLE_LIBRARY,   /* of an NVIDIA library (library.h) */
	SC_HANDLE_PLAN,	     /* the same, where it is a number */
	SC_HANDLE_TYPES
};

/* Dead handles of a type that are known as such; of more, those that died first are forgotten. The
 * analyzer remembers as many, and counts the others. */
#define SC_HANDLES_DEAD 65536

struct sc_reading;
struct sc_old_launch;
struct sc_param_layout;

/* What a record stood for when the reference was made: NULL, or an object by its id. */
struct sc_handle_ref {
	struct sc_handle *handle;
	uint32_t id;
};

struct sc_handle {
	atomic_uint id;	     /* of what it stands for now; no number is given out twice */
	atomic_uint alive;   /* the same; 0: destroyed */
	atomic_uint flags;   /* enum sc_op_flag, given when it was created */
	atomic_uint context; /* context id; of a context its own */
	atomic_uint device;
	atomic_uint green;	 /* of a context: the green context that it was made from, or 0 */
	atomic_uint opens;	 /* of imported memory: how often it is open */
	atomic_uint keys;	 /* handles that mean it, in the tables; 0: it may be used again */
	atomic_bool was_freed;	 /* of an array: what it was is gone, what it is now was not seen */
	atomic_bool is_kernel;	 /* of a function: found as a kernel, of all contexts */
	atomic_bool is_embedded; /* of a module: it stands for a file's device code (embedded.h) */
	_Atomic uint8_t memory;	 /* of a pool or physical memory: enum sc_memory; 0: not known */
	atomic_bool is_kept;	 /* a call that came again rests on it (site.c) */
	uint8_t type;		 /* for ever: enum sc_handle_type */
	const void *_Atomic raw;
	struct sc_handle *_Atomic legacy; /* of a context: its legacy stream */
	struct sc_handle *older;	  /* of a context: the one seen before it */
	/* of those that may be used again, or of the dead ones: under the records' lock, which says
	 * whether it is a dead one */
	struct sc_handle *next, *earlier;
	bool is_remembered;
	/* of a graph or function: the graph or module that it is in */
	struct sc_handle *_Atomic outer;
	atomic_uint outer_id;
	atomic_uint looked; /* of a function that no seen call found: embedded.h's changes then */
	const struct sc_param_layout *_Atomic layout; /* of a function; NULL: not known */
	_Atomic uint64_t name_hash;		      /* of a function, and its module */
	_Atomic uint64_t text_name;		      /* of a function: kernel_text.h */
	struct sc_old_launch *_Atomic old_launch;     /* of a function, or NULL: launch_old.c */
	_Atomic uint64_t row_bytes, row_count; /* of an array: its rows, and rows in a slice */
	atomic_uint cig_of; /* of a stream: the id that captures for a command buffer, or 0 */
	struct sc_reading *_Atomic nodes; /* of an executable graph, owned: graph.c */
	atomic_uint nodes_of;		  /* the id that they are of; another one: not its own */
	struct {
		atomic_uint stream;
		_Atomic uint64_t scratch, scratch_bytes;
	} library; /* of a library's handle: what was written last */
	struct {
		atomic_bool is_binary;
		_Atomic uint64_t signals, waits;
	} semaphore; /* of an external semaphore */
	/* of a stream or event: what is so once it was waited for; under the guard's lock */
	struct sc_completion completion;
	atomic_uint completion_of; /* the id that it is of; another one: nothing is known */
};

struct sc_handle_list {
	struct sc_handle *first, *last;
};

/* The free records, and the dead ones that handles lead to: the one that ended longest ago is used
 * first, or forgotten first. */
struct sc_handle_records {
	struct sc_lock lock; /* a leaf */
	struct sc_handle_list free[SC_HANDLE_TYPES], dead[SC_HANDLE_TYPES];
	unsigned dead_count[SC_HANDLE_TYPES];
};

extern struct sc_handle_records sc_handle_records;

/* A record that stands for nothing but this id, and is alive. NULL: no memory. */
struct sc_handle *sc_handle_record_take(enum sc_handle_type type, uint32_t id);
/* One more handle leads to the record, or one less. Without any, it is dead and free. */
void sc_handle_record_hold(struct sc_handle *handle);
void sc_handle_record_drop(enum sc_handle_type type, struct sc_handle *handle);

/* What it was then is destroyed. False if that was known, or the record stands for another object;
 * handle NULL is let pass. */
bool sc_handle_record_kill(struct sc_handle_ref ref);
/* What it was is dead, and its handle still leads to it. Returns another such one, the first that
 * died, if they are too many; it has to be forgotten. */
struct sc_handle_ref sc_handle_record_remember(struct sc_handle_ref dead);
/* Sets what a graph or function is in; NULL: nothing. */
void sc_handle_set_outer(struct sc_handle *handle, struct sc_handle *outer);

static inline struct sc_handle_ref sc_handle_refer(struct sc_handle *handle)
{
	return (struct sc_handle_ref){handle, handle ? handle->id : 0};
}
/* The record if it still stands for the same object, destroyed or not; else NULL. */
static inline struct sc_handle *sc_handle_of(struct sc_handle_ref ref)
{
	return ref.handle && ref.handle->id == ref.id ? ref.handle : NULL;
}
/* The nodes of an executable graph, or NULL. What a graph whose end was not seen left in the record
 * is no later one's. */
static inline struct sc_reading *sc_handle_nodes(const struct sc_handle *exec)
{
	return exec->nodes_of == exec->id ? exec->nodes : NULL;
}
static inline bool sc_handle_is_dead(const struct sc_handle *handle)
{
	return !atomic_load_explicit(&handle->alive, memory_order_acquire);
}
