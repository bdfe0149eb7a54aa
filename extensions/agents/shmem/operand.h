/* Operands of a call of NVSHMEM: the bytes of this process that it reads and writes (B-22).
 *
 * Nothing here looks at memory or asks the library. What makes no sense (a step below one, bytes
 * beyond the address space), and what a process does in a team of which it is no member, is not
 * described.
 */
#pragma once

#include "extensions/agents/shmem/row.h"
#include "trace/attach.h"

#define SC_SHMEM_ACCESSES 4 /* of one call, at most */

/* What the library says of this process; -1: it does not. */
struct sc_shmem_self {
	int process;	 /* its number among all */
	int size, index; /* of the call's team */
};

struct sc_shmem_accesses {
	unsigned count;
	struct sc_access item[SC_SHMEM_ACCESSES];
};

/* False: nothing can be said of the call. */
bool sc_shmem_describe(const struct sc_shmem_row *row, const uint64_t *parameter,
		       const struct sc_shmem_self *self, struct sc_shmem_accesses *out);
