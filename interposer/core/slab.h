/* Slabs: memory cut into pieces that come and go: the cells of host functions, which functions of
 * libraries were found, what their plans and descriptors are, requests, windows and communicators
 * of MPI, communicators of NCCL, requests and handlers of UCX, agents, lists and requests of NIXL.
 *
 * The driver, or a frame on a stack, holds pointers to them across a fork, and they are needed in
 * processes that never use CUDA, for which the arena is too large. A few kinds of fixed size, each
 * with a list of those that are free.
 */
#pragma once

#include <stdbool.h>
#include "interposer/core/lock.h"

enum sc_slab_kind {
	SC_SLAB_FOUND,
	SC_SLAB_BESIDE,
	SC_SLAB_CELL,
	SC_SLAB_PLAN,
	SC_SLAB_DESCRIPTOR,
	SC_SLAB_GRAPH,
	SC_SLAB_REQUEST,
	SC_SLAB_GROUP,
	SC_SLAB_COMMUNICATOR,
	SC_SLAB_WINDOW,
	SC_SLAB_PENDING,
	SC_SLAB_HANDLER,
	SC_SLAB_NIXL_AGENT,
	SC_SLAB_NIXL_LIST,
	SC_SLAB_NIXL_REQUEST,
	SC_SLAB_NIXL_PART,
	SC_SLAB_OPEN,
	SC_SLAB_KINDS
};

struct sc_slab_piece {
	struct sc_slab_piece *next;
};

struct sc_slabs {
	struct sc_lock lock;
	unsigned slabs;
	struct sc_slab_piece *free[SC_SLAB_KINDS]; /* under the lock, as all here */
};

extern struct sc_slabs sc_slabs;

/* A zeroed piece of always the same size for a kind, or NULL. Keeps errno. */
void *sc_slab_get(enum sc_slab_kind kind, size_t bytes);
void sc_slab_put(enum sc_slab_kind kind, void *piece);
/* True if pieces were given out, or another thread was about to when the process was forked. */
bool sc_slab_is_used(void);
