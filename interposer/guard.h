/* The page guard: host accesses to memory that an asynchronous copy is using become faults.
 *
 * After a successful enqueue the host side of a copy is armed: a destination may not be touched, a
 * source may not be written. A host wait that covers the copy opens it; so does the first access,
 * which the fault handler records. The guard may err in one direction only: an access to memory
 * that is in fact free costs a fault and one op, and the analyzer decides. Pageable memory is
 * entered too, without protection, so that its free() is noticed.
 *
 * Which pages: those inside the allocation; a page that also holds foreign bytes only if these are
 * known to be nothing but malloc's header of a chunk of its own, because the kernel answers EFAULT
 * to a system call (a futex, say) whose argument is on a protected page.
 *
 * `lock` is the innermost lock; the fault handler takes it. While it is held no memory of the
 * application is touched.
 */
#ifndef SC_INTERPOSER_GUARD_H
#define SC_INTERPOSER_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include "interposer/lock.h"
#include "trace/op.h"

struct sc_call;
struct sc_handle;

#define SC_ARMS 2048

enum sc_right { SC_MAY_NOTHING, SC_MAY_READ, SC_MAY_ALL };

struct sc_arm {
	struct sc_access access;
	uint64_t start, end;	       /* bounds of `access` */
	uint64_t first_page, end_page; /* protected pages; equal: none */
	uint64_t sequence;	       /* of the op */
	uint32_t stream, context;
	uint32_t steps; /* neighbours single-stepped so far */
	uint8_t right;	/* enum sc_right: what the host may do meanwhile */
	bool is_live;
	bool is_ordered; /* the stream is legacy or blocking */
};

struct sc_guard {
	struct sc_lock lock;
	atomic_uint live;	    /* arms in use */
	_Atomic uint64_t low, high; /* bounds of all live arms */
	_Atomic uint64_t openings;  /* how often pages were opened */
	atomic_uint unguarded;	    /* operands that could not be protected */
	unsigned used;		    /* arms [0, used) were ever used since all were free */
	struct sc_arm arm[SC_ARMS];
};

/* Arms the host operands of an enqueued copy or fill. */
void sc_guard_arm(const struct sc_call *call);

/* A host wait returned; `sequence` is its BEGIN. */
void sc_guard_waited_stream(struct sc_handle *stream, uint64_t sequence);
void sc_guard_waited_event(struct sc_handle *event);
void sc_guard_open_context(uint32_t context, uint64_t sequence);
/* Events and stream waits carry what they cover. */
void sc_guard_record(struct sc_handle *event, const struct sc_handle *stream, uint64_t sequence);
void sc_guard_join(struct sc_handle *stream, const struct sc_handle *event);

/* Everything that [start, start + bytes) touches is opened, without a word. */
void sc_guard_open_range(uint64_t start, uint64_t bytes);
/* All is opened, for good: the process ends or forked. */
void sc_guard_lift(void);

/* An access by a function that cannot fault (a system call): opens what it touches. True if it
 * conflicts with an armed range, so that it is worth an op. */
bool sc_guard_access(uint64_t start, uint64_t bytes, bool is_write);
/* The same for the end of memory, pageable operands included. */
bool sc_guard_end(uint64_t start, uint64_t bytes);
/* Quick test: could any arm intersect [start, start + bytes)? */
static inline bool sc_guard_near(const struct sc_guard *guard, uint64_t start, uint64_t bytes)
{
	return atomic_load_explicit(&guard->live, memory_order_relaxed) &&
	       start < atomic_load_explicit(&guard->high, memory_order_relaxed) &&
	       start + bytes > atomic_load_explicit(&guard->low, memory_order_relaxed);
}

enum sc_fault {
	SC_FAULT_FOREIGN,   /* not ours */
	SC_FAULT_HIT,	    /* an armed operand; it is open now */
	SC_FAULT_NEIGHBOUR, /* its page; open until the instruction was stepped */
	SC_FAULT_OPENED	    /* ours, opened silently */
};

/* What a fault at `address` means; `silent`: open it without questions. */
enum sc_fault sc_guard_fault(uint64_t address, bool is_write, bool silent);
/* Protects a page again after a single step. */
void sc_guard_rearm(uint64_t page);

#endif
