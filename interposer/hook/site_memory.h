/* Sites of asynchronous allocations and frees: pools give the same memory out again and again.
 *
 * Their records are two slots, written without an op in between: the site has what the place, the
 * stream and the pool determine; the call adds its address and size, and the allocation's id. What
 * the table of memory does not know, or the guard watches, goes the ordinary way, which writes the
 * same record (test_site_operands.c).
 */
#pragma once

#include "interposer/hook/site_record.h"

/* The stack with Python's lines; keeps errno. */
uint32_t sc_site_ask_python(uint32_t below);
/* Of an op with this head. */
static inline uint32_t sc_site_stack(const uint8_t *head, bool asks_python)
{
	uint32_t stack;

	memcpy(&stack, head + offsetof(struct sc_op, stack), sizeof(stack));
	return asks_python ? sc_site_ask_python(stack) : stack;
}

/* The op of an allocation without what differs from call to call: the pool stays. */
void sc_site_clear_allocation(struct sc_op *op);
/* False if the call allocates from another pool by now, or that has other memory. */
bool sc_site_is_pool_as_before(const struct sc_call *call);

/* Writes the record of a free, at its entry; false, and nothing has been done: the ordinary way. */
bool sc_site_put_free(struct sc_call *call, const struct sc_site *site, const void *params);
/* Its exit. */
void sc_site_freed(struct sc_call *call, CUresult result);
/* An allocation's entry: the call takes what it needs of the site, which may be another's at the
 * exit. */
void sc_site_begin_allocation(struct sc_call *call, const struct sc_site *site, const void *params);
/* Enters what was allocated into the table, and writes the record, at the exit of a call that
 * succeeded; false, and nothing has been done: the ordinary way. */
bool sc_site_put_allocation(struct sc_call *call);
