/* Watchpoints: the operands that the page guard watches, and the pages that it protects for them.
 *
 * Which pages: those inside the allocation; a page that also holds foreign bytes only if these are
 * known to be nothing but malloc's header of a chunk of its own, because the kernel answers EFAULT
 * to a system call (a futex, say) whose argument is on a protected page. Never a stack's: a signal
 * could not be delivered on it. Of a sparse watchpoint only SC_PIECES pieces are protected, the
 * first and the last bytes among them.
 *
 * `lock` is the innermost lock; the fault handler takes it. While it is held no memory of the
 * application is touched. Functions here, but sc_watchpoint_renew, _add and _remove_if, want it
 * held.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/lock.h"
#include "interposer/core/raw.h"
#include "interposer/guard/exemption.h"
#include "interposer/guard/hot_page.h"
#include "trace/op.h"

#define SC_PIECES	    8
#define SC_PIECE_PAGES	    16
#define SC_GUARD_BYTES	    (UINT64_C(256) << 20) /* protected at once; of more memory only parts */
#define SC_LEAST_SPARSE	    (UINT64_C(4) << 20)	  /* bytes; protecting all of less is cheaper */
#define SC_WATCHPOINTS	    2048
#define SC_WATCHPOINT_POLLS 4

/* A place that the host read. */
struct sc_watchpoint_read {
	uint64_t pc, start;
	uint64_t op;			/* SC_NOT_WRITTEN: none that is undecided */
	const struct sc_thread *reader; /* of whom nothing else is looked at; NULL: it has ended */
};

enum sc_right { SC_MAY_NOTHING, SC_MAY_READ, SC_MAY_ALL };

struct sc_watchpoint {
	struct sc_access access;
	uint64_t start, end;	       /* bounds of `access` */
	uint64_t first_page, end_page; /* protected pages; equal: none */
	uint64_t sequence;	       /* of the op */
	uint64_t frame;	 /* on a stack: where its function's return address lies; else 0 */
	uint64_t caller; /* that address */
	uint64_t base;	 /* on a stack: where the outermost function's lies */
	uint32_t thread; /* whose stack that is */
	uint32_t stream, context;
	uint32_t seen;	  /* accesses that left it watched */
	uint32_t lent_to; /* callback that opened it, and is running; not protected meanwhile */
	uint8_t right;	  /* enum sc_right: what the host may do meanwhile */
	uint8_t polls;	  /* entries of `poll` */
	uint8_t polled;	  /* bits: those that came again */
	bool is_live;
	bool is_ordered; /* the stream is legacy or blocking */
	bool is_launch;	 /* a kernel's: the host may legitimately poll it (M-4) */
	bool is_sparse;	 /* only pieces of its pages are protected */
	bool is_loaded;	 /* a kernel may reach it by a loaded address only (loaded.h) */
	/* small reads: polls, if they come again; last, since most watchpoints have none */
	struct sc_watchpoint_read poll[SC_WATCHPOINT_POLLS];
};

/* What loaded.h watches. */
struct sc_loaded_watch {
	uint32_t stream, context;
	unsigned memory;   /* version of the table of allocations */
	uint64_t openings; /* as below */
};

struct sc_guard {
	struct sc_lock lock;
	atomic_uint live;	    /* watchpoints in use */
	atomic_uint given;	    /* entries of given.c's list */
	_Atomic uint64_t low, high; /* bounds of all live watchpoints */
	_Atomic uint64_t openings;  /* how often pages were opened */
	atomic_uint unguarded;	    /* operands that could not be protected */
	atomic_uint given_up;	    /* hot pages, each once while it is one */
	atomic_uint sparse;	    /* operands of which only parts were protected */
	atomic_uint stood_down;	    /* 1: it would disturb this program; nothing is protected */
	unsigned used;		    /* watchpoints [0, used) were ever used since all were free */
	unsigned loose;		    /* ends since the bounds were the narrowest (hold.c) */
	uint64_t bytes;		    /* protected by live watchpoints, overlaps counted twice */
	struct {
		struct sc_loaded_watch last;
		uint64_t launches, faults, unwatched; /* so far; in MiB, for one launch */
	} loaded;
	struct sc_hot_pages hot;
	struct sc_exemptions exemptions;
	struct sc_watchpoint watchpoint[SC_WATCHPOINTS];
};

extern struct sc_guard sc_guard;

/* Renews what is watched for the same operand in the same stream; false if nothing is. */
bool sc_watchpoint_renew(const struct sc_watchpoint *model);
/* What is watched waits for a later operation, and counts accesses anew. */
void sc_watchpoint_wait_for(struct sc_guard *guard, struct sc_watchpoint *watchpoint,
			    uint64_t sequence);
/* Adds a watchpoint and protects its pages. */
void sc_watchpoint_add(const struct sc_watchpoint *model);
/* Removes every watchpoint that `test` accepts. Returns how many. */
unsigned sc_watchpoint_remove_if(bool (*test)(struct sc_watchpoint *, void *), void *context);
/* The same of both, for who holds the lock. */
struct sc_watchpoint *sc_watchpoint_put(struct sc_guard *guard, const struct sc_watchpoint *model);
unsigned sc_watchpoint_remove_those(struct sc_guard *guard,
				    bool (*test)(struct sc_watchpoint *, void *), void *context);
/* Opens one watchpoint; after removing some the caller calls sc_watchpoint_set_bounds. */
void sc_watchpoint_remove(struct sc_guard *guard, struct sc_watchpoint *watchpoint);
void sc_watchpoint_set_bounds(struct sc_guard *guard);
/* A host read of what a kernel may write is written with a pending result, as a call that has not
 * returned is. It is a poll (M-4) once its thread reads the same place again while a watchpoint
 * that knows the read is there, and none once no such watchpoint is left, or its thread has ended:
 * then its record says so. The first read of this place; sc_watchpoint_name_read comes when it is
 * written. */
void sc_watchpoint_add_read(struct sc_watchpoint *watchpoint, uint64_t pc, uint64_t start);
/* The calling thread's read of this place is op `sequence`, in all watchpoints that met it. */
void sc_watchpoint_name_read(struct sc_guard *guard, uint64_t pc, uint64_t start,
			     uint64_t sequence);
/* The calling thread reads this place again: its reads there are polls. */
void sc_watchpoint_repeat_read(struct sc_guard *guard, struct sc_watchpoint *watchpoint,
			       uint64_t start);
/* The watchpoint will see none of its reads again. */
void sc_watchpoint_forget_reads(struct sc_guard *guard, struct sc_watchpoint *watchpoint);
/* The calling thread ends. */
void sc_watchpoint_forget_reader(struct sc_guard *guard);
/* Opens the pages; where the kernel cannot open these alone, those of their whole allocation, which
 * is then not watched, and counted. False if they stay closed. */
bool sc_watchpoint_open_pages(uint64_t first, uint64_t end);
/* Gives the pages the protection that the live watchpoints ask for; false if that failed. */
bool sc_watchpoint_protect_pages(const struct sc_guard *guard, uint64_t first, uint64_t end);
/* True if its page is one of those that are protected for the watchpoint. */
bool sc_watchpoint_protects(const struct sc_watchpoint *watchpoint, uint64_t page);
