/* Hot pages: a bound on what single steps over accesses beside an operand may cost.
 *
 * A page whose other bytes the host uses all the time stays open, until others need its place here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_HOT_PAGES  32
#define SC_WARM_PAGES 256

struct sc_hot_pages {
	uint64_t page[SC_HOT_PAGES]; /* open for good */
	unsigned next;
	uint64_t steps, watched; /* so far; the one is bounded by the other */
	struct {
		uint64_t page;
		uint32_t steps;
	} warm[SC_WARM_PAGES];
};

/* May an instruction on a neighbour in this page be stepped over once more? */
bool sc_hot_page_may_step(struct sc_hot_pages *hot, uint64_t page);
/* True if the process has stepped as often as it may for now. */
bool sc_hot_page_steps_are_spent(const struct sc_hot_pages *hot);
/* Opens the page until others need its place; false if it is open already. */
bool sc_hot_page_give_up(struct sc_hot_pages *hot, uint64_t page);
/* The part of [page, *next) that begins here is hot, or ends at *next before the first that is. */
bool sc_hot_page_holds(const struct sc_hot_pages *hot, uint64_t page, uint64_t *next);
