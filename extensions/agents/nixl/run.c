/* Runs: blocks of one length at equal distances. */
#include "extensions/agents/nixl/run.h"

static uint64_t end_of(const struct sc_nixl_run *r)
{
	return r->base + (r->count - 1) * r->pitch + r->width;
}

bool sc_nixl_run_is_valid(const struct sc_nixl_run *r)
{
	uint64_t more, end;

	if (!r->base || !r->width || !r->count || (r->count > 1 && r->pitch < r->width))
		return false;
	return !__builtin_mul_overflow(r->count - 1, r->pitch, &more) &&
	       !__builtin_add_overflow(r->base, more, &end) &&
	       !__builtin_add_overflow(end, r->width, &end);
}

bool sc_nixl_run_extend(struct sc_nixl_run *last, const struct sc_nixl_run *next)
{
	uint64_t pitch = last->count > 1 ? last->pitch : next->base - last->base;

	if (next->width != last->width || next->base <= last->base || pitch < last->width ||
	    (next->count > 1 && next->pitch != pitch) ||
	    (next->base - last->base) / pitch != last->count || (next->base - last->base) % pitch)
		return false;
	last->pitch = pitch;
	last->count += next->count;
	return true;
}

struct sc_nixl_run sc_nixl_run_hull(const struct sc_nixl_run *a, const struct sc_nixl_run *b)
{
	uint64_t low = a->base < b->base ? a->base : b->base;
	uint64_t high = end_of(a) > end_of(b) ? end_of(a) : end_of(b);

	return (struct sc_nixl_run){.base = low, .width = high - low, .count = 1};
}
