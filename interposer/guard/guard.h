/* The page guard: host accesses to memory that the device uses become faults (docs/user/guard.md).
 *
 * After a successful enqueue the host side of an operation is watched: a destination, and all that
 * a kernel may reach, may not be touched, a source may not be written. A host wait after which the
 * operation is complete opens it; so does the first access, which the fault handler records. The
 * guard may err in one direction only: an access to memory that is in fact free costs a fault and
 * one op, and the analyzer decides. Pageable memory is entered too, without protection, so that its
 * end is noticed.
 *
 *	watchpoint.c  protecting and opening pages    watch.c           what an operation watches
 *	waits.c       what waits open                 access.c          accesses, faults, ends
 *	exemption.c   what calls in progress use      graph_operands.c  what a graph watches
 *	hot_page.c    what single steps may cost      unprotected.c     stacks
 *	hold.c        what operations of agents use
 */
#pragma once

#include "interposer/guard/watchpoint.h"
#include "interposer/object/handle_record.h"

/* Never protects again: `reason` says why, in the trace. */
void sc_guard_stand_down(const char *reason);

/* A host wait returned; `sequence` is its BEGIN. */
void sc_guard_waited_stream(struct sc_handle_ref stream, uint64_t sequence);
void sc_guard_waited_event(struct sc_handle_ref event);
void sc_guard_open_context(uint32_t context, uint64_t sequence);
/* Events and stream waits carry what is complete after them. */
void sc_guard_record(struct sc_handle_ref event, struct sc_handle_ref stream, uint64_t sequence);
void sc_guard_join(struct sc_handle_ref stream, struct sc_handle_ref event);
/* The event was recorded in a way that completes nothing of which the guard knows. */
void sc_guard_forget_record(struct sc_handle_ref event);

/* Everything that [start, start + bytes) touches is opened, and nothing is recorded. During an
 * exemption what only shares its pages stays watched, and is protected again when that ends. */
void sc_guard_open_range(uint64_t start, uint64_t bytes, bool is_exempt);
/* The same of [low, high) for an exemption that begins, for who holds the lock. */
void sc_guard_open_those(struct sc_guard *guard, uint64_t low, uint64_t high);
/* Nothing in [low, high) is protected until sc_guard_exempt_end: a call uses it, whose frame is at
 * `frame`. Widens exemption `number`, or if that is 0 takes one. Returns its number, 1 or more; 0:
 * there is none to be had, and the guard stood down. */
uint32_t sc_guard_exempt(uint32_t number, uint64_t low, uint64_t high, const void *frame);
/* The call is over: protects what is watched there. */
void sc_guard_exempt_end(uint32_t number);
/* The same, for who holds the lock. */
void sc_guard_end_exemption(struct sc_guard *guard, uint32_t number);
/* There is no room for another exemption. Without the lock. */
void sc_guard_have_too_many(void);
/* The same for all of the calling thread, which ends, as do its reads that may be polls. */
void sc_guard_end_thread(void);
/* All is opened, for good: the process ends or forked. */
void sc_guard_lift(void);

/* An access by a function that cannot fault (a system call): opens what it touches. True if it
 * conflicts with a watched range, so that it is worth an op. */
bool sc_guard_access(uint64_t start, uint64_t bytes, bool is_write);
/* The same; returns where the access first conflicts; 0: nowhere. */
uint64_t sc_guard_meet(uint64_t start, uint64_t bytes, bool is_write, bool is_exempt);
/* Opens what is protected there without the lock, which the interrupted code of this very thread
 * may hold: for system calls of a signal handler. */
void sc_guard_force(uint64_t start, uint64_t bytes);
/* The same for the end of memory, pageable operands included. */
bool sc_guard_end(uint64_t start, uint64_t bytes);
/* Quick test: could any watchpoint intersect [start, start + bytes)? */
static inline bool sc_guard_near(const struct sc_guard *guard, uint64_t start, uint64_t bytes)
{
	return atomic_load_explicit(&guard->live, memory_order_relaxed) &&
	       start < atomic_load_explicit(&guard->high, memory_order_relaxed) &&
	       start + bytes > atomic_load_explicit(&guard->low, memory_order_relaxed);
}

enum sc_fault {
	SC_FAULT_FOREIGN,   /* not ours */
	SC_FAULT_HIT,	    /* a watched operand; it is open now */
	SC_FAULT_FIRST,	    /* the same, but it is watched again after the instruction */
	SC_FAULT_NEIGHBOUR, /* its page; open until the instruction was stepped */
	SC_FAULT_OPENED	    /* ours, opened silently */
};

struct sc_fault_access {
	uint64_t page;	       /* that refused */
	uint64_t start, bytes; /* of the access */
	uint64_t pc;
	bool is_write;
	bool is_silent; /* open it without questions */
	bool may_step;	/* the instruction can be stepped over */
	bool is_locked; /* beside an operand: a lock, whose futex must not be refused */
	/* results, of what a kernel may reach */
	bool may_be_poll; /* SC_FAULT_FIRST of a read that may be a poll: sc_guard_name_read */
	bool is_poll;	  /* this very read came before */
};

/* What a fault means. */
enum sc_fault sc_guard_fault(struct sc_fault_access *touched);
/* The read that may be a poll is op `sequence`, written with a pending result. */
void sc_guard_name_read(const struct sc_fault_access *touched, uint64_t sequence);
/* Protects a page again after a single step. */
void sc_guard_rearm(uint64_t page);
/* What a callback opened is watched again when it ends, as the callback's own (SC-124). */
void sc_guard_callback_ended(uint32_t stream, uint32_t context, uint64_t sequence);
