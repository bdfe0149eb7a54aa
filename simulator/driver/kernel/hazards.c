/* Hazards: what a launch did in shared memory without order, as sentences for the tool. */
#include "simulator/driver/kernel/hazards.h"

#include <stdio.h>

#include "simulator/driver/kernel/tally.h"

static void add_side(char *text, size_t bytes, const struct exec_hazard_side *s)
{
	int length = snprintf(text, bytes, "thread (%u,%u,%u) %s%s", s->thread[0], s->thread[1],
			      s->thread[2],
			      s->is_copy    ? "copies to it and does not wait"
			      : s->is_write ? "writes"
					    : "reads",
			      s->is_atomic ? " atomically" : "");

	if (s->file && (size_t)length < bytes)
		snprintf(text + length, bytes - (size_t)length, " at %.200s:%u", s->file, s->line);
}

/* Tells pairs of places apart, in each run alike where their lines are known; odd: one is an
 * atomic. */
static uint64_t number_of(const struct exec_hazard *h)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < 2; i++)
		number += (h->side[i].line ? h->side[i].line : h->side[i].ptx_line) *
			  (UINT64_C(1) + 65536 * h->side[i].is_write);
	return number * 2 + 2 + (h->side[0].is_atomic || h->side[1].is_atomic);
}

static void tell(const struct exec_hazard *h, const char *kernel, uint64_t call)
{
	char first[320], second[320], line[1024];

	add_side(first, sizeof(first), &h->side[0]);
	add_side(second, sizeof(second), &h->side[1]);
	snprintf(line, sizeof(line),
		 "%.200s uses byte %u of shared memory in block (%u,%u,%u) twice without a barrier "
		 "between: %s, %s; %llu times",
		 kernel, h->offset, h->block[0], h->block[1], h->block[2], first, second,
		 (unsigned long long)h->count);
	sim_tally_failed(call, 0, number_of(h), line);
}

void sim_hazards_tell(const struct exec_hazards *all, const char *kernel, uint64_t call)
{
	for (uint32_t i = 0; i < all->count; i++)
		tell(&all->items[i], kernel, call);
}
