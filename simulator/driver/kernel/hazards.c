/* Hazards: what a launch did without order in shared and in global memory, as sentences for the
 * tool. */
#include "simulator/driver/kernel/hazards.h"

#include <stdio.h>
#include <string.h>

#include "simulator/driver/kernel/tally.h"

#define IN_GLOBAL (UINT64_C(1) << 63)

static const char *manner(const struct exec_hazard_side *s)
{
	if (s->is_narrow)
		return " atomically in its block";
	if (s->is_volatile)
		return " (volatile)";
	return s->is_atomic ? " atomically" : "";
}

/* What the second access did to the bytes, from which follows what the first one wrote or read. */
static void add_value(char *text, size_t bytes, const struct exec_hazard *h,
		      const struct exec_hazard_side *s)
{
	*text = 0;
	if (s != &h->side[1] || !h->value_bytes)
		return;
	if (s->is_write)
		snprintf(text, bytes, " 0x%x over 0x%x", h->after, h->before);
	else
		snprintf(text, bytes, " 0x%x", h->before);
}

/* The block is that of the memory, or is said. */
static void add_side(char *text, size_t bytes, const struct exec_hazard *h,
		     const struct exec_hazard_side *s)
{
	char block[64] = "", value[40];
	int length;

	add_value(value, sizeof(value), h, s);
	if (h->address || memcmp(s->block, h->owner, sizeof(h->owner)) != 0)
		snprintf(block, sizeof(block), "block (%u,%u,%u) ", s->block[0], s->block[1],
			 s->block[2]);
	length = snprintf(text, bytes, "%sthread (%u,%u,%u) %s%s%s", block, s->thread[0],
			  s->thread[1], s->thread[2],
			  s->is_copy	? "copies to it and does not wait"
			  : s->is_write ? "writes"
					: "reads",
			  value, manner(s));
	if (s->file && (size_t)length < bytes)
		snprintf(text + length, bytes - (size_t)length, " at %.200s:%u", s->file, s->line);
}

/* Tells pairs of places apart, in each run alike where their lines are known; odd: one is an
 * atomic, the other is none. */
static uint64_t number_of(const struct exec_hazard *h)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < 2; i++)
		number += (h->side[i].line ? h->side[i].line : h->side[i].ptx_line) *
			  (UINT64_C(1) + 65536 * h->side[i].is_write);
	if (h->side[1].is_end)
		return number * 2 + 2;
	number = number * 2 + 2 +
		 (h->address ? h->side[0].is_atomic != h->side[1].is_atomic
			     : h->side[0].is_atomic || h->side[1].is_atomic);
	return h->address ? number | IN_GLOBAL : number;
}

static void tell(const struct exec_hazard *h, const char *kernel, uint64_t call)
{
	const uint32_t *block = h->owner;
	char first[384], second[384], often[32] = "once", line[1280];

	if (h->count > 1)
		snprintf(often, sizeof(often), "%llu times", (unsigned long long)h->count);
	add_side(first, sizeof(first), h, &h->side[0]);
	add_side(second, sizeof(second), h, &h->side[1]);
	if (h->address)
		snprintf(line, sizeof(line),
			 "uses 0x%llx in global memory twice without order: %s, %s; %s",
			 (unsigned long long)h->address, first, second, often);
	else if (h->side[1].is_end)
		snprintf(line, sizeof(line),
			 "uses byte %u of shared memory in block (%u,%u,%u) when that block "
			 "may have ended: %s; %s",
			 h->offset, block[0], block[1], block[2], first, often);
	else
		snprintf(line, sizeof(line),
			 "uses byte %u of shared memory in block (%u,%u,%u) twice without a "
			 "barrier between: %s, %s; %s",
			 h->offset, block[0], block[1], block[2], first, second, often);
	sim_tally_failed(call, 0, number_of(h), kernel, line);
}

void sim_hazards_tell(const struct exec_hazards *all, const char *kernel, uint64_t call)
{
	for (uint32_t i = 0; i < all->count; i++)
		tell(&all->items[i], kernel, call);
}
