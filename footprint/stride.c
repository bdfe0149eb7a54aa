/* Strides: a box of coordinates with a linear address as strided ranges. */
#include "footprint/stride.h"

#include <stdbool.h>
#include <stdlib.h>

#define REACH	((__int128)1 << 47) /* more than an address space: unbounded */
#define UNKNOWN ((__int128)1 << 32) /* an inexact range of that size says nothing */
#define COPIES	64		    /* a third pitch is written out up to so many times */

struct level {
	int64_t pitch;
	int64_t count;
};

/* The bytes: width × levels, in order of pitch. */
struct stack {
	__int128 start;
	__int128 width;
	uint32_t levels;
	struct level level[SC_REGION_VARIABLES];
};

static int by_pitch(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	return (x->pitch > y->pitch) - (x->pitch < y->pitch);
}

/* Collects the coordinates that matter; false if the reach is beyond all measure. */
static bool collect(const struct sc_region *r, struct stack *s, uint8_t *reason)
{
	__int128 reach = 0;

	*s = (struct stack){.start = r->start, .width = r->width};
	for (uint32_t i = 0; i < r->variables; i++) {
		int64_t f = r->factors[i];
		__int128 steps = (__int128)r->high[i] - r->low[i];

		if (!f)
			continue;
		if (r->unknown[i] && !*reason)
			*reason = r->reasons[i];
		s->start += (__int128)f * (f > 0 ? r->low[i] : r->high[i]);
		if (!steps)
			continue;
		reach += (f > 0 ? f : -(__int128)f) * steps;
		if (reach >= REACH || steps >= INT64_MAX)
			return 0;
		s->level[s->levels].pitch = llabs(f);
		s->level[s->levels++].count = (int64_t)steps + 1;
	}
	qsort(s->level, s->levels, sizeof(*s->level), by_pitch);
	return s->start < REACH && s->start > -REACH && s->width < REACH;
}

/* Joins a level into one below it whose steps it continues. */
static bool continues(struct stack *s, uint32_t kept, const struct level *l)
{
	for (uint32_t i = 0; i < kept; i++)
		if (l->pitch % s->level[i].pitch == 0 &&
		    l->pitch / s->level[i].pitch <= s->level[i].count) {
			s->level[i].count += l->pitch / s->level[i].pitch * (l->count - 1);
			return 1;
		}
	return 0;
}

static void merge(struct stack *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->levels; i++) {
		struct level l = s->level[i];

		if (!kept && l.pitch <= s->width)
			s->width += (__int128)l.pitch * (l.count - 1);
		else if (!continues(s, kept, &l))
			s->level[kept++] = l;
	}
	s->levels = kept;
}

/* Fills the outermost levels up to their hull until two are left. */
static void flatten(struct stack *s, uint8_t *reason)
{
	__int128 extent = s->width;

	if (s->levels <= 2)
		return;
	for (uint32_t i = 0; i < s->levels; i++)
		extent += (__int128)s->level[i].pitch * (s->level[i].count - 1);
	s->width = extent;
	s->levels = 0;
	*reason = *reason ? *reason : SC_REASON_SHAPE;
}

static void append(const struct stack *s, const struct sc_footprint_range *like, uint8_t reason,
		   sc_range_list *out)
{
	struct sc_footprint_range range = *like;

	range.reason = reason;
	range.offset = (int64_t)s->start;
	range.width = (uint64_t)s->width;
	range.rows = range.slices = 1;
	if (s->levels > 0) {
		range.pitch = (uint64_t)s->level[0].pitch;
		range.rows = (uint64_t)s->level[0].count;
	}
	if (s->levels > 1) {
		range.slice_pitch = (uint64_t)s->level[1].pitch;
		range.slices = (uint64_t)s->level[1].count;
	}
	if (reason && s->width >= UNKNOWN)
		range.is_unbounded = 1;
	sc_vector_push(out, range);
}

/* Writes levels beyond the second out one by one, if they are few. */
static void append_copies(struct stack *s, const struct sc_footprint_range *like, uint8_t reason,
			  sc_range_list *out)
{
	int64_t copies = 1;
	struct stack part;

	for (uint32_t i = 2; i < s->levels && copies <= COPIES; i++)
		if (__builtin_mul_overflow(copies, s->level[i].count, &copies))
			copies = INT64_MAX;
	if (copies > COPIES)
		flatten(s, &reason);
	part = *s;
	part.levels = s->levels < 2 ? s->levels : 2;
	for (int64_t n = 0; n < copies; n++) {
		int64_t rest = n;

		part.start = s->start;
		for (uint32_t i = 2; i < s->levels; i++) {
			part.start += (__int128)s->level[i].pitch * (rest % s->level[i].count);
			rest /= s->level[i].count;
		}
		append(&part, like, reason, out);
		if (s->levels <= 2)
			break;
	}
}

/* Two levels that interlace irregularly are no rows and slices; their hull is. */
static void untangle(struct stack *s, uint8_t *reason)
{
	for (uint32_t i = 1; i < s->levels; i++) {
		__int128 below = s->width;

		for (uint32_t j = 0; j < i; j++)
			below += (__int128)s->level[j].pitch * (s->level[j].count - 1);
		if (s->level[i].pitch >= below)
			continue;
		s->width = below + (__int128)s->level[i].pitch * (s->level[i].count - 1);
		for (uint32_t j = i + 1; j < s->levels; j++)
			s->level[j - i - 1] = s->level[j];
		s->levels -= i + 1;
		*reason = *reason ? *reason : SC_REASON_SHAPE;
		merge(s);
		i = 0;
	}
}

void sc_stride_emit(const struct sc_region *r, const struct sc_footprint_range *like,
		    sc_range_list *out)
{
	struct sc_footprint_range range = *like;
	uint8_t reason = r->reason;
	struct stack s;

	if (r->is_unbounded || !collect(r, &s, &reason)) {
		range.reason = reason ? reason : SC_REASON_LOOP;
		range.is_unbounded = 1;
		range.rows = range.slices = 1;
		sc_vector_push(out, range);
		return;
	}
	merge(&s);
	untangle(&s, &reason);
	append_copies(&s, like, reason, out);
}
