/* Holds: memory that an operation of no stream uses, from its beginning to its end.
 *
 * Another process may touch it, or a network card, so it is not protected meanwhile. What the
 * operation still uses when the call that began it has returned is watched without protection, so
 * that its end by libc, and functions that read or write it, are recorded. One lock at the
 * beginning and one at the end; none where all of it is memory that the host cannot touch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/op.h"

struct sc_guard_hold {
	uint32_t exemption;  /* its number; 0: there is none */
	uint32_t watchpoint; /* its number, from 1 on; 0: nothing is watched */
	bool is_many;	     /* more than that one are watched */
};

/* The operation of op `sequence` begins to use these bytes. */
struct sc_guard_hold sc_guard_hold(const struct sc_access *list, unsigned count, uint64_t sequence,
				   bool is_watched);
/* It ended. */
void sc_guard_release(struct sc_guard_hold hold, uint64_t sequence);
