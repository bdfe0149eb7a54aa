/* Byte sets: spans that are put together when there are many of them. */
#include "footprint/byte_set.h"

#include <stdbool.h>
#include <stdlib.h>

#define FEW 4096 /* spans that are kept without a look */

static int by_first(const void *a, const void *b)
{
	const struct sc_byte_span *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static void put_together(struct sc_byte_set *t)
{
	struct sc_byte_span *s = t->spans.items;
	size_t kept = 0;

	if (t->spans.count > 1)
		qsort(s, t->spans.count, sizeof(*s), by_first);
	for (size_t i = 0; i < t->spans.count; i++) {
		if (!kept || s[i].first > s[kept - 1].end)
			s[kept++] = s[i];
		else if (s[i].end > s[kept - 1].end)
			s[kept - 1].end = s[i].end;
	}
	t->spans.count = t->tidy = kept;
}

bool sc_byte_set_add(struct sc_byte_set *t, int64_t first, int64_t end, size_t *room)
{
	struct sc_byte_span *last = t->spans.count ? sc_vector_last(&t->spans) : NULL;
	size_t before = t->spans.count;

	if (last && first <= last->end && end >= last->first) {
		last->first = first < last->first ? first : last->first;
		last->end = end > last->end ? end : last->end;
		return 1;
	}
	if (before >= FEW && before >= 2 * t->tidy) {
		put_together(t);
		*room += before - t->spans.count;
	}
	if (!*room)
		return 0;
	--*room;
	sc_vector_push(&t->spans, ((struct sc_byte_span){first, end}));
	return 1;
}

void sc_byte_set_drop(struct sc_byte_set *t, struct sc_byte_set *other)
{
	struct sc_byte_span *s = t->spans.items, *o = other->spans.items;
	size_t kept = 0, at = 0;

	put_together(t);
	put_together(other);
	for (size_t i = 0; i < t->spans.count; i++) {
		while (at < other->spans.count && o[at].end < s[i].end)
			at++;
		if (at == other->spans.count || o[at].first > s[i].first)
			s[kept++] = s[i];
	}
	t->spans.count = t->tidy = kept;
}

void sc_byte_set_fini(struct sc_byte_set *t)
{
	sc_vector_fini(&t->spans);
}

/* How many spans from the first on have one width and one distance. */
static size_t run_of(const struct sc_byte_span *s, size_t count)
{
	int64_t width = s->end - s->first, pitch;
	size_t n = 1;

	if (count < 2 || s[1].end - s[1].first != width)
		return 1;
	pitch = s[1].first - s[0].first;
	while (n < count && s[n].end - s[n].first == width && s[n].first - s[n - 1].first == pitch)
		n++;
	return n;
}

/* Makes y, whose rows are like those of x, a further slice of it. */
static bool stack(struct sc_footprint_range *x, const struct sc_footprint_range *y)
{
	uint64_t away = (uint64_t)y->offset - (uint64_t)x->offset;

	if (x->width != y->width || x->rows != y->rows || x->pitch != y->pitch || x->rows < 2)
		return 0;
	if (x->slices > 1 && away != x->slices * x->slice_pitch)
		return 0;
	x->slice_pitch = x->slices > 1 ? x->slice_pitch : away;
	x->slices++;
	return 1;
}

bool sc_byte_set_emit(struct sc_byte_set *t, const struct sc_footprint_range *like, size_t most,
		      struct sc_footprint_range *ranges, size_t *count,
		      struct sc_footprint_range *hull)
{
	const struct sc_byte_span *s;
	size_t n = 0;

	put_together(t);
	s = t->spans.items;
	for (size_t i = 0, run; i < t->spans.count; i += run) {
		struct sc_footprint_range r = *like;

		run = run_of(&s[i], t->spans.count - i);
		r.offset = s[i].first;
		r.width = (uint64_t)(s[i].end - s[i].first);
		r.rows = run;
		r.pitch = run > 1 ? (uint64_t)(s[i + 1].first - s[i].first) : 0;
		if (n && stack(&ranges[n - 1], &r))
			continue;
		if (n == most) {
			*hull = *like;
			hull->offset = s[0].first;
			hull->width = (uint64_t)(s[t->spans.count - 1].end - s[0].first);
			return 0;
		}
		ranges[n++] = r;
	}
	*count = n;
	return 1;
}
