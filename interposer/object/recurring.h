/* Recurring ranges: which allocation a range of a pool's memory is now, if the range came back.
 *
 * A pool gives the same range out again and again. Once the table of memory (memory.h) has seen
 * that, the id of the allocation lies apart from the table's entry, which may move, and is set by
 * one store, without the table's lock. Nobody else sets it at that time: the driver gives memory to
 * one thread, after the call that freed it was entered, and takes all of its bytes back before it
 * gives any of them to another one. So whoever enters an allocation has the memory. A free by a
 * site takes the id before the driver has the memory back; a free that is recorded the ordinary way
 * takes it afterwards, and only if it is still the same one. Only a program that frees what it does
 * not have, in two threads at once, can have ids of other allocations in these two records.
 *
 * Only the id changes without the lock. What stands for a range whose entry is dropped stands for
 * another one later, and is never unmapped: whoever kept a pointer to it compares the start. Costs
 * 20 instructions, and no locked one, to look up and set.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_RECURRING_MOST	4096
#define SC_RECURRING_PLACE_BITS 10 /* of a hash of the start */

/* What a range must have in common with the last allocation to be the same. */
struct sc_recurring_key {
	uint64_t start, bytes;
	uint32_t context, flags; /* enum sc_op_flag */
	uint32_t device;
};

struct sc_recurring {
	_Atomic uint64_t start; /* 0: of no range */
	_Atomic uint64_t bytes;
	atomic_uint context, flags, device;
	atomic_uint object;	   /* id of the allocation; 0: the range is free */
	struct sc_recurring *next; /* of those of no range: under the table's lock */
};

struct sc_recurring_list {
	struct sc_recurring
		*_Atomic recent[1 << SC_RECURRING_PLACE_BITS]; /* hints: what was set last */
	struct sc_recurring *spare;			       /* these two under the lock */
	uint32_t count;					       /* of ranges */
};

/* Room for one more range; NULL: there are too many, or no memory. Under the table's lock, as these
 * three. */
struct sc_recurring *sc_recurring_take(struct sc_recurring_list *list);
/* The range is this one, and allocated. */
void sc_recurring_set(struct sc_recurring_list *list, struct sc_recurring *range,
		      const struct sc_recurring_key *key, uint32_t object);
/* It is no range any more; NULL is let pass. */
void sc_recurring_drop(struct sc_recurring_list *list, struct sc_recurring *range);

static inline uint32_t sc_recurring_object(const struct sc_recurring *range)
{
	return atomic_load_explicit(&range->object, memory_order_relaxed);
}

static inline struct sc_recurring *_Atomic *sc_recurring_place(struct sc_recurring_list *list,
							       uint64_t start)
{
	uint64_t hash = start * UINT64_C(0x9e3779b97f4a7c15);

	return &list->recent[hash >> (64 - SC_RECURRING_PLACE_BITS)];
}

/* The range that begins there (not at 0); NULL: it did not come back yet, or was forgotten. */
static inline struct sc_recurring *sc_recurring_find(struct sc_recurring_list *list, uint64_t start)
{
	struct sc_recurring *range =
		atomic_load_explicit(sc_recurring_place(list, start), memory_order_relaxed);

	/* acquire: pairs with the release in sc_recurring_set */
	if (!range || atomic_load_explicit(&range->start, memory_order_acquire) != start)
		return NULL;
	return range;
}

/* The range was allocated again; false: it is not known, or was not the same. */
static inline bool sc_recurring_renew(struct sc_recurring_list *list,
				      const struct sc_recurring_key *key, uint32_t object)
{
	struct sc_recurring *range = sc_recurring_find(list, key->start);

	if (!range || atomic_load_explicit(&range->bytes, memory_order_relaxed) != key->bytes ||
	    atomic_load_explicit(&range->context, memory_order_relaxed) != key->context ||
	    atomic_load_explicit(&range->flags, memory_order_relaxed) != key->flags ||
	    atomic_load_explicit(&range->device, memory_order_relaxed) != key->device)
		return false;
	atomic_store_explicit(&range->object, object, memory_order_relaxed);
	return true;
}

/* The range is about to be freed: returns the id of what ends; 0: none is known. */
static inline uint32_t sc_recurring_end(struct sc_recurring *range)
{
	uint32_t object = sc_recurring_object(range);

	atomic_store_explicit(&range->object, 0, memory_order_relaxed);
	return object;
}

/* The same after it was freed: another thread may have it by now, and then keeps it. */
static inline void sc_recurring_end_as(struct sc_recurring *range, uint32_t object)
{
	atomic_compare_exchange_strong_explicit(&range->object, &object, 0, memory_order_relaxed,
						memory_order_relaxed);
}

/* The free failed: the range is what it was. */
static inline void sc_recurring_undo_end(struct sc_recurring *range, uint32_t object)
{
	atomic_store_explicit(&range->object, object, memory_order_relaxed);
}
