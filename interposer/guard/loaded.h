/* Memory behind loaded pointers: what a kernel may use by an address that it loads itself.
 *
 * The launch's parameters do not say which memory that is, so all of the host's memory that devices
 * reach is watched for it, as if each allocation were an operand; the analyzer knows by the bytes
 * that the launch touched which accesses matter. Bounds, beyond which memory is not watched, and
 * counted (trace/gap.def): SC_LOADED_ALLOCATIONS of a launch, SC_GUARD_BYTES, half of
 * all watchpoints, and faults, as many for each launch as a program can afford.
 */
#pragma once

#include "interposer/guard/operand.h"

#define SC_LOADED_ALLOCATIONS	256
#define SC_LOADED_FIRST_FAULTS	4096 /* of the process; and as many more for each such launch: */
#define SC_LOADED_LAUNCH_FAULTS 8

/* True if there is such memory and the kernel loads addresses, or may, and its bytes will be known.
 * NULL is let pass. */
bool sc_loaded_is_used_by(const struct sc_handle *function);
/* True if the last such launch was in the same stream, and what was watched for it still is: then
 * it is watched for this one. */
bool sc_loaded_renew(const struct sc_enqueued *launch);
/* Walks over what is to be watched; all zero at its beginning. */
struct sc_loaded_walk {
	uint64_t at;
	unsigned count;
	uint64_t unwatched; /* bytes */
};

/* The next allocation, as an access of all of it; false: there are no more. */
bool sc_loaded_next(struct sc_loaded_walk *walk, struct sc_access *access);
/* True if it may be watched, though it is not yet; else it is counted. */
bool sc_loaded_has_room(struct sc_loaded_walk *walk, const struct sc_access *access);
void sc_loaded_end(const struct sc_loaded_walk *walk);
