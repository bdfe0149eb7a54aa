/* Shapes: rows and slices, simplified and compared. */
#include "analyzer/memory/shape.h"

#include <stdbool.h>
#include "base/assert.h"

/* *end = base + width + (rows - 1) * pitch + (slices - 1) * slice_pitch, or false. */
static bool checked_end(const struct sc_access *a, uint64_t *end)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow(a->rows - 1, a->pitch, &rows) &&
	       !__builtin_mul_overflow(a->slices - 1, a->slice_pitch, &slices) &&
	       !__builtin_add_overflow(a->base, a->width, end) &&
	       !__builtin_add_overflow(*end, rows, end) &&
	       !__builtin_add_overflow(*end, slices, end);
}

bool sc_shape_simplify_rows(struct sc_access *a)
{
	uint64_t end;

	if (!a->rows)
		a->rows = 1;
	if (!a->slices)
		a->slices = 1;
	if (!a->width || !checked_end(a, &end))
		return 0;
	if (a->rows > 1 && a->pitch <= a->width) {
		a->width += (a->rows - 1) * a->pitch;
		a->rows = 1;
	}
	if (a->rows == 1 && a->slices > 1) {
		a->rows = a->slices;
		a->pitch = a->slice_pitch;
		a->slices = 1;
		return sc_shape_simplify(a);
	}
	if (a->slices > 1 && a->slice_pitch < (a->rows - 1) * a->pitch + a->width) {
		/* Slices inside each other: no CUDA call does that; a box is enough. */
		*a = sc_shape_linear(a->base, end - a->base, a->mode, SC_KNOWN_OVER);
	} else if (a->slices > 1 && a->slice_pitch == a->rows * a->pitch) {
		a->rows *= a->slices; /* slices that follow each other like rows are rows */
		a->slices = 1;
	}
	return 1;
}

uint64_t sc_shape_strided_end(const struct sc_access *a)
{
	uint64_t end = 0;

	sc_assert(a->rows > 0 && a->slices > 0);
	checked_end(a, &end);
	return end;
}

/* First piece of `count` pieces of `width` bytes, `pitch` apart, that ends above `low`. */
static uint64_t first_piece(uint64_t base, uint64_t width, uint64_t pitch, uint64_t low)
{
	if (low < base + width || !pitch)
		return 0;
	return (low - base - width) / pitch + 1;
}

/* First common bytes of [low, high) and one slice that begins at `base`. */
static bool slice_meets(const struct sc_access *a, uint64_t base, uint64_t low, uint64_t high,
			uint64_t *first, uint64_t *end)
{
	uint64_t row = a->rows > 1 ? first_piece(base, a->width, a->pitch, low) : 0;
	uint64_t start;

	if (row >= a->rows)
		return 0;
	start = base + row * a->pitch;
	if (start >= high || start + a->width <= low)
		return 0;
	*first = start > low ? start : low;
	*end = start + a->width < high ? start + a->width : high;
	return 1;
}

/* First common bytes of a shape and a linear range. */
static bool piece_meets(const struct sc_access *a, uint64_t low, uint64_t high, uint64_t *first,
			uint64_t *end)
{
	uint64_t extent = (a->rows - 1) * a->pitch + a->width;
	uint64_t slice = 0;

	if (a->slices > 1)
		slice = first_piece(a->base, extent, a->slice_pitch, low);
	for (; slice < a->slices; slice++) {
		uint64_t base = a->base + slice * a->slice_pitch;

		if (base >= high)
			return 0;
		if (slice_meets(a, base, low, high, first, end))
			return 1;
	}
	return 0;
}

/* Both repeat with one pitch, and their columns do not meet: column tiles of one matrix. */
static bool columns_apart(const struct sc_access *a, const struct sc_access *b)
{
	uint64_t shift;

	if (a->rows < 2 || b->rows < 2 || a->pitch != b->pitch)
		return 0;
	if ((a->slices > 1 && a->slice_pitch % a->pitch) ||
	    (b->slices > 1 && b->slice_pitch % a->pitch))
		return 0;
	if (a->base > b->base) {
		const struct sc_access *swap = a;

		a = b;
		b = swap;
	}
	shift = (b->base - a->base) % a->pitch;
	return a->width <= shift && shift + b->width <= a->pitch;
}

enum sc_overlap sc_shape_overlap(const struct sc_access *a, const struct sc_access *b,
				 uint64_t *first, uint64_t *end)
{
	const struct sc_access *few = a, *many = b;

	sc_assert(a->width > 0 && b->width > 0);
	if (a->base >= sc_shape_end(b) || b->base >= sc_shape_end(a) || columns_apart(a, b))
		return SC_APART;
	if (few->rows * few->slices > many->rows * many->slices) {
		few = b;
		many = a;
	}
	if (few->rows * few->slices > SC_SHAPE_PIECES) {
		*first = a->base > b->base ? a->base : b->base;
		*end = *first + 1;
		return SC_PERHAPS;
	}
	for (uint64_t slice = 0; slice < few->slices; slice++) {
		for (uint64_t row = 0; row < few->rows; row++) {
			uint64_t low = few->base + slice * few->slice_pitch + row * few->pitch;

			if (piece_meets(many, low, low + few->width, first, end))
				return SC_OVERLAPS;
		}
	}
	return SC_APART;
}
