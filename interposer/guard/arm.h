/* Arms: the operands that the page guard watches, and the pages that it protects for them.
 *
 * Which pages: those inside the allocation; a page that also holds foreign bytes only if these are
 * known to be nothing but malloc's header of a chunk of its own, because the kernel answers EFAULT
 * to a system call (a futex, say) whose argument is on a protected page. Never a stack's: a signal
 * could not be delivered on it. Of a sparse arm only SC_PIECES pieces are protected, the first and
 * the last bytes among them.
 *
 * `lock` is the innermost lock; the fault handler takes it. While it is held no memory of the
 * application is touched. Functions here, but sc_arm_renew, _enter and _release_if, want it held.
 */
#ifndef SC_INTERPOSER_GUARD_ARM_H
#define SC_INTERPOSER_GUARD_ARM_H

#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/lock.h"
#include "interposer/core/raw.h"
#include "interposer/guard/exemption.h"
#include "trace/op.h"

#define SC_PIECES	8
#define SC_PIECE_PAGES	16
#define SC_LEAST_SPARSE (UINT64_C(4) << 20) /* bytes; protecting all of less is cheaper */
#define SC_ARMS		2048
#define SC_LOOKS	4
#define SC_HOT_PAGES	32
#define SC_WARM_PAGES	256

enum sc_right { SC_MAY_NOTHING, SC_MAY_READ, SC_MAY_ALL };

struct sc_arm {
	struct sc_access access;
	uint64_t start, end;	       /* bounds of `access` */
	uint64_t first_page, end_page; /* protected pages; equal: none */
	uint64_t sequence;	       /* of the op */
	struct {
		uint64_t pc, start;
	} look[SC_LOOKS]; /* small reads of what a kernel may reach: polls, if they come again */
	uint64_t frame;	  /* on a stack: where its function's return address lies; else 0 */
	uint64_t caller;  /* that address */
	uint64_t base;	  /* on a stack: where the outermost function's lies */
	uint32_t thread;  /* whose stack that is */
	uint32_t stream, context;
	uint32_t seen;	  /* accesses that left it armed */
	uint32_t lent_to; /* callback that opened it, and is running; not protected meanwhile */
	uint8_t right;	  /* enum sc_right: what the host may do meanwhile */
	uint8_t looks;	  /* that there were */
	uint8_t polled;	  /* bits: those that came again */
	bool is_live;
	bool is_ordered; /* the stream is legacy or blocking */
	bool is_launch;	 /* a kernel's: the host may legitimately poll it (M-4) */
	bool is_sparse;	 /* only pieces of its pages are protected */
};

/* Pages whose other bytes the host uses all the time are given up: stepping costs too much. */
struct sc_hot {
	uint64_t page[SC_HOT_PAGES]; /* open for good */
	unsigned next;
	uint64_t steps, armed; /* so far; the one is bounded by the other */
	struct {
		uint64_t page;
		uint32_t steps;
	} warm[SC_WARM_PAGES];
};

struct sc_guard {
	struct sc_lock lock;
	atomic_uint live;	    /* arms in use */
	_Atomic uint64_t low, high; /* bounds of all live arms */
	_Atomic uint64_t openings;  /* how often pages were opened */
	atomic_uint unguarded;	    /* operands that could not be protected */
	atomic_uint given_up;	    /* hot pages, each once while it is one */
	atomic_uint sparse;	    /* operands of which only parts were protected */
	atomic_uint stood_down;	    /* 1: it would disturb this program; nothing is protected */
	unsigned used;		    /* arms [0, used) were ever used since all were free */
	uint64_t bytes;		    /* protected by live arms, overlaps counted twice */
	struct sc_hot hot;
	struct sc_exemptions exemptions;
	struct sc_arm arm[SC_ARMS];
};

extern struct sc_guard sc_guard;

/* Renews what is armed for the same operand in the same stream; false if nothing is. */
bool sc_arm_renew(const struct sc_arm *model);
/* Enters an arm and protects its pages. */
void sc_arm_enter(const struct sc_arm *model);
/* Releases every arm that `test` accepts. Returns how many. */
unsigned sc_arm_release_if(bool (*test)(struct sc_arm *, void *), void *context);
/* Opens one arm; after releasing some the caller calls sc_arm_set_bounds. */
void sc_arm_release(struct sc_guard *guard, struct sc_arm *arm);
void sc_arm_set_bounds(struct sc_guard *guard);
/* Gives the pages the protection that the live arms ask for; false if that failed. */
bool sc_arm_protect(const struct sc_guard *guard, uint64_t first, uint64_t end);
/* True if its page is one of those that are protected for the arm. */
bool sc_arm_guards(const struct sc_arm *arm, uint64_t page);

/* May an instruction on a neighbour in this page be stepped over once more? (hot.c) */
bool sc_hot_may_step(struct sc_hot *hot, uint64_t page);
/* True if the process has stepped as often as it may for now. */
bool sc_hot_is_spent(const struct sc_hot *hot);
/* Opens the page until others need its place; false if it is open already. */
bool sc_hot_give_up(struct sc_hot *hot, uint64_t page);
/* The part of [page, *next) that begins here is hot, or ends at *next before the first that is. */
bool sc_hot_holds(const struct sc_hot *hot, uint64_t page, uint64_t *next);

#endif
