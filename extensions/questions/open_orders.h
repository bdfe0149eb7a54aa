/* Open orders: in which orders operations may run, some of which are ordered already.
 *
 * Naive form: all permutations that keep what is ordered, of which those are one that agree on all
 * pairs. Here each pair is decided in turn, where what is decided does not decide it: the ends of
 * this search are the orders, each once. Compared with the naive form in
 * extensions/questions/tests/test_open_orders.c. Cost: one row of bits for each operation; a
 * decision costs the square of their number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two operations, whose order is open unless something decides it. */
struct sc_open_pair {
	uint32_t a, b;
};

/* What is ordered before what, transitively. */
struct sc_open_orders {
	uint32_t ops;
	uint64_t *rows; /* owned: bits of those that come after each */
};

/* No two of the operations are ordered. */
void sc_open_orders_init(struct sc_open_orders *o, uint32_t ops);
void sc_open_orders_copy(struct sc_open_orders *o, const struct sc_open_orders *from);
void sc_open_orders_fini(struct sc_open_orders *o);
bool sc_open_orders_has(const struct sc_open_orders *o, uint32_t first, uint32_t then);
/* Orders two operations; false, and no effect, if they are ordered the other way round. */
bool sc_open_orders_add(struct sc_open_orders *o, uint32_t first, uint32_t then);
/* Is the order of the pair decided? */
bool sc_open_orders_decides(const struct sc_open_orders *o, const struct sc_open_pair *p);
/* How many orders of the pairs are open; `most` if there are at least so many. */
uint64_t sc_open_orders_count(const struct sc_open_orders *o, const struct sc_open_pair *pairs,
			      size_t count, uint64_t most);
