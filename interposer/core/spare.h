/* Pieces of memory that come and go: the cells of host functions, and which functions of libraries
 * were found.
 *
 * The driver, or a frame on a stack, holds pointers to them across a fork, and they are needed in
 * processes that never use CUDA, for which the arena is too large. A few kinds of fixed size, each
 * with a list of those that are free.
 */
#ifndef SC_INTERPOSER_CORE_SPARE_H
#define SC_INTERPOSER_CORE_SPARE_H

#include "interposer/core/lock.h"

enum sc_spare_kind { SC_SPARE_FOUND, SC_SPARE_CELL, SC_SPARE_KINDS };

struct sc_spare {
	struct sc_spare *next;
};

struct sc_spares {
	struct sc_lock lock;
	unsigned slabs;
	struct sc_spare *free[SC_SPARE_KINDS]; /* under the lock, as all here */
};

extern struct sc_spares sc_spares;

/* A zeroed piece of always the same size for a kind, or NULL. Keeps errno. */
void *sc_spare_get(enum sc_spare_kind kind, size_t bytes);
void sc_spare_put(enum sc_spare_kind kind, void *piece);

#endif
