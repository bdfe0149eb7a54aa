/* Shapes: counts and steps become bytes. */
#include "extensions/agents/operands/shape.h"

void sc_shape_add(struct sc_shape *s, int64_t count, int64_t step, unsigned element)
{
	uint64_t bytes;
	unsigned at = s->count;

	if (count == 1)
		return;
	if (count < 1 || step < 1 || at == SC_SHAPE_DIMENSIONS ||
	    __builtin_mul_overflow((uint64_t)step, element, &bytes) || bytes > INT64_MAX) {
		s->is_senseless = true;
		return;
	}
	for (; at && s->dimension[at - 1].step > bytes; at--)
		s->dimension[at] = s->dimension[at - 1];
	s->dimension[at] = (struct sc_shape_dimension){(uint64_t)count, bytes};
	s->count++;
}

static void drop(struct sc_shape *s, unsigned at)
{
	s->count--;
	for (; at < s->count; at++)
		s->dimension[at] = s->dimension[at + 1];
}

/* Pieces that follow each other without a gap are one piece; rows of rows are rows. */
static void join(struct sc_shape *s, struct sc_access *out)
{
	while (s->count && s->dimension[0].step == out->width &&
	       !__builtin_mul_overflow(out->width, s->dimension[0].count, &out->width))
		drop(s, 0);
	for (unsigned i = 0; i + 1 < s->count;) {
		struct sc_shape_dimension *d = &s->dimension[i];
		uint64_t whole;

		if (__builtin_mul_overflow(d->count, d->step, &whole) || whole != d[1].step) {
			i++;
			continue;
		}
		d[1].count *= d->count;
		d[1].step = d->step;
		drop(s, i);
	}
}

/* From the first byte to the last one. */
static bool span(const struct sc_shape *s, uint64_t *bytes)
{
	for (unsigned i = 0; i < s->count; i++) {
		uint64_t steps;

		if (__builtin_mul_overflow(s->dimension[i].count - 1, s->dimension[i].step,
					   &steps) ||
		    __builtin_add_overflow(*bytes, steps, bytes))
			return false;
	}
	return true;
}

bool sc_shape_bytes(struct sc_shape *s, struct sc_access *out)
{
	uint64_t whole = out->width, end;

	if (s->is_senseless || !span(s, &whole) || whole > INT64_MAX ||
	    __builtin_add_overflow(out->base, whole, &end))
		return false;
	join(s, out);
	if (s->count > 2 || (s->count && s->dimension[0].step < out->width)) {
		/* More than rows and slices, or rows that overlap. */
		out->width = whole;
		out->known = SC_KNOWN_OVER;
		return true;
	}
	if (s->count) {
		out->rows = s->dimension[0].count;
		out->pitch = s->dimension[0].step;
	}
	if (s->count > 1) {
		out->slices = s->dimension[1].count;
		out->slice_pitch = s->dimension[1].step;
	}
	return true;
}

bool sc_shape_fits(const struct sc_access *a)
{
	uint64_t rows, slices, end;

	return !__builtin_mul_overflow(a->rows - 1, a->pitch, &rows) &&
	       !__builtin_mul_overflow(a->slices - 1, a->slice_pitch, &slices) &&
	       !__builtin_add_overflow(a->base, a->width, &end) &&
	       !__builtin_add_overflow(end, rows, &end) &&
	       !__builtin_add_overflow(end, slices, &end);
}
