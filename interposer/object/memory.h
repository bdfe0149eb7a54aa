/* The recorder's table of allocations: what kind of memory an address is (specification 4.1).
 *
 * Entries are disjoint address ranges, sorted, in chunks that are split when they are full, so that
 * an entry costs the move of half a chunk, however many there are. What is freed keeps its place,
 * as an entry that no reader finds, until something overlaps it or too many have gathered: a range
 * that is allocated, freed and allocated again, as pools give it out, is found by its start without
 * a search, and moves nothing. Registered and write-combined host memory may have a second,
 * device-side address (M-2); it is an entry of its own that points back, so that ops always carry
 * the host address. Readers take no lock unless a writer was put to sleep in the middle, and may
 * run in a signal handler. Writers exclude each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "interposer/core/lock.h"
#include "interposer/object/recurring.h"
#include "trace/op.h"

struct sc_known_allocation {
	uint64_t start, bytes;
	uint64_t host;	 /* for a device-side alias: the host address of `start`; else 0 */
	uint64_t alias;	 /* the other address of host memory, or 0 */
	uint32_t object; /* allocation id */
	uint32_t context;
	uint32_t module; /* of a global variable, else 0 */
	uint32_t flags;	 /* enum sc_op_flag */
	uint8_t memory;	 /* enum sc_memory */
	uint8_t device;
	bool is_open; /* its pages must not be protected: a stack, or not simply readable and
			 writable */
	/* of the table's own entries: */
	bool was_freed;			/* it is no allocation any more */
	struct sc_recurring *recurring; /* it has `object`; or NULL */
};

#define SC_MEMORY_CHUNK	      128
#define SC_MEMORY_RECENT_BITS 8 /* of a hash of the start */

struct sc_memory_chunk {
	uint32_t count;
	struct sc_memory_chunk *next; /* of those that are empty */
	struct sc_known_allocation entry[SC_MEMORY_CHUNK];
};

struct sc_memory_table {
	struct sc_lock lock;
	atomic_uint version;  /* odd while a writer moves entries */
	uint32_t count, room; /* of chunks that hold entries, of pointers in `chunk` */
	atomic_uint holding;  /* some allocation has SYNC_MEMOPS */
	_Atomic uint64_t host_low, host_high; /* bounds of all that the host could ever touch */
	_Atomic uint64_t low, high;	      /* of everything */
	struct sc_memory_chunk **chunk;	      /* own mapping; none of these is empty */
	struct sc_memory_chunk *spare;
	uint32_t entries, freed; /* of all chunks; how many of these were freed */
	uint32_t swept;		 /* the chunk whose freed entries are dropped next */
	uint64_t moved;		 /* entries and pointers, for tests of what it costs */
	/* By the start of an entry: where it was found or made last. Only a hint: writers set it
	 * under the lock, and what it leads to is compared. */
	struct sc_known_allocation *recent[1 << SC_MEMORY_RECENT_BITS];
	struct sc_recurring_list recurring;
};

extern struct sc_memory_table sc_memory;

/* Enters an allocation; what overlaps it is forgotten. Returns 0 or -ENOMEM. */
int sc_memory_insert(struct sc_memory_table *table, const struct sc_known_allocation *allocation);
/* Forgets the allocation with this id (0: any) that begins at `start`, its alias too. */
void sc_memory_remove(struct sc_memory_table *table, uint64_t start, uint32_t object);
/* Forgets the globals of a module, or what a context owned (pool memory survives, P-13). */
void sc_memory_remove_module(struct sc_memory_table *table, uint32_t module);
void sc_memory_remove_context(struct sc_memory_table *table, uint32_t context);
/* The allocation that holds `address`. False if there is none. */
bool sc_memory_look_up(struct sc_memory_table *table, uint64_t address,
		       struct sc_known_allocation *out);
/* False if some allocation has one of two addresses only, the lower one first. */
bool sc_memory_are_in_one(uint64_t low, uint64_t high);
/* The first allocation that ends above `address`. False if there is none. */
bool sc_memory_next(struct sc_memory_table *table, uint64_t address,
		    struct sc_known_allocation *out);
/* The pages of the allocation that begins at `start` must not be protected any more. */
void sc_memory_open(struct sc_memory_table *table, uint64_t start);
/* The allocation's synchronous copies and fills hold the host from here on (4.2 note 3). */
void sc_memory_hold_host(struct sc_memory_table *table, uint32_t object);
/* False if no allocation ever was such a one. */
static inline bool sc_memory_holds_host(const struct sc_memory_table *table)
{
	return atomic_load_explicit(&table->holding, memory_order_relaxed) != 0;
}
/* False if no allocation ever was one that the host can touch. */
static inline bool sc_memory_has_host(const struct sc_memory_table *table)
{
	return atomic_load_explicit(&table->host_high, memory_order_relaxed) != 0;
}
/* False if `address` is certainly in no allocation that the host can touch, by either address of
 * it. Two loads; most words of a kernel's parameters end here. */
static inline bool sc_memory_may_be_host(const struct sc_memory_table *table, uint64_t address)
{
	return address < atomic_load_explicit(&table->host_high, memory_order_relaxed) &&
	       address >= atomic_load_explicit(&table->host_low, memory_order_relaxed);
}
/* False if `address` is certainly in no allocation. */
static inline bool sc_memory_may_be_known(const struct sc_memory_table *table, uint64_t address)
{
	return address < atomic_load_explicit(&table->high, memory_order_relaxed) &&
	       address >= atomic_load_explicit(&table->low, memory_order_relaxed);
}
/* True if an entry intersects [start, start + bytes). */
bool sc_memory_touches(struct sc_memory_table *table, uint64_t start, uint64_t bytes);

/* An operand of a call. */
struct sc_call_operand {
	uint64_t address; /* canonical: the host address of host memory */
	uint32_t object;  /* allocation id, or 0 */
	uint32_t flags;
	uint8_t memory; /* enum sc_memory */
};

/* Classifies a whole operand, by the table and, unless `is_host`, by asking the driver. */
struct sc_call_operand sc_memory_classify(uint64_t address, uint64_t bytes, bool is_host);
/* The access of all of a plain operand, so classified. */
struct sc_access sc_memory_access(uint64_t address, uint64_t bytes, enum sc_mode mode);
