/* Tidy ranges: duplicates and neighbours of a footprint become one range each. */
#include <stdlib.h>

#include "analyzer/footprint/kernel.h"

#define LIMIT  512 /* ranges of one footprint; beyond it, hulls */
#define ROUNDS 4

#define ORDER(member)                                          \
	do {                                                   \
		if (x->member != y->member)                    \
			return x->member < y->member ? -1 : 1; \
	} while (0)

static int by_place(const void *a, const void *b)
{
	const struct sc_footprint_range *x = a, *y = b;

	ORDER(base_kind);
	ORDER(base);
	ORDER(mode);
	ORDER(is_unbounded);
	ORDER(reason);
	ORDER(slices);
	ORDER(slice_pitch);
	ORDER(rows);
	ORDER(pitch);
	ORDER(offset);
	ORDER(width);
	ORDER(line);
	return 0;
}

/* One shape for one set: full rows are one range, one row has no pitch. */
static void normalize(struct sc_footprint_range *r)
{
	if (r->rows > 1 && r->pitch == r->width) {
		r->width *= r->rows;
		r->rows = 1;
	}
	if (r->rows == 1) {
		r->rows = r->slices;
		r->pitch = r->slice_pitch;
		r->slices = 1;
	}
	if (r->slices == 1)
		r->slice_pitch = 0;
	if (r->rows == 1)
		r->pitch = 0;
	if (r->rows > 1 && r->slices == 1 && r->pitch == r->width)
		normalize(r);
	if (r->slices > 1 && r->slice_pitch == r->rows * r->pitch) {
		r->rows *= r->slices;
		r->slices = 1;
		normalize(r);
	}
}

static _Bool same_kind(const struct sc_footprint_range *x, const struct sc_footprint_range *y)
{
	return x->base_kind == y->base_kind && x->base == y->base && x->mode == y->mode &&
	       x->is_unbounded == y->is_unbounded && x->reason == y->reason;
}

/* Joins y, which begins at or behind x, into x if the union is one range. */
static _Bool join(struct sc_footprint_range *x, const struct sc_footprint_range *y)
{
	uint64_t gap = (uint64_t)y->offset - (uint64_t)x->offset;

	if (!same_kind(x, y))
		return 0;
	if (x->is_unbounded)
		return 1;
	if (x->rows != y->rows || x->slices != y->slices || x->pitch != y->pitch ||
	    x->slice_pitch != y->slice_pitch || y->offset < x->offset)
		return 0;
	if (gap <= x->width && (x->rows == 1 || gap + y->width <= x->pitch)) {
		if (gap + y->width > x->width)
			x->width = gap + y->width;
		return 1;
	}
	if (x->rows > 1 && x->slices == 1 && x->width == y->width && gap % x->pitch == 0 &&
	    gap / x->pitch <= x->rows) {
		x->rows += gap / x->pitch;
		return 1;
	}
	return 0;
}

static _Bool join_all(sc_range_list *list)
{
	size_t kept = 0, before = list->count;

	for (size_t i = 0; i < list->count; i++)
		normalize(&list->items[i]);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_place);
	for (size_t i = 0; i < list->count; i++)
		if (!kept || !join(&list->items[kept - 1], &list->items[i]))
			list->items[kept++] = list->items[i];
	list->count = kept;
	return kept < before;
}

static uint64_t extent(const struct sc_footprint_range *r)
{
	return r->width + (r->rows - 1) * r->pitch + (r->slices - 1) * r->slice_pitch;
}

/* Too many ranges: one hull for each base and mode. */
static void make_hulls(sc_range_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct sc_footprint_range r = list->items[i];
		struct sc_footprint_range *last = &list->items[kept ? kept - 1 : 0];

		r.width = extent(&r);
		r.rows = r.slices = 1;
		r.pitch = r.slice_pitch = 0;
		r.reason = r.reason ? r.reason : SC_REASON_SHAPE;
		if (!kept || last->base_kind != r.base_kind || last->base != r.base ||
		    last->mode != r.mode) {
			list->items[kept++] = r;
			continue;
		}
		if (r.offset < last->offset) {
			last->width += (uint64_t)last->offset - (uint64_t)r.offset;
			last->offset = r.offset;
		}
		if ((uint64_t)r.offset - (uint64_t)last->offset + r.width > last->width)
			last->width = (uint64_t)r.offset - (uint64_t)last->offset + r.width;
		last->is_unbounded |= r.is_unbounded;
	}
	list->count = kept;
}

void sc_ranges_tidy(sc_range_list *list)
{
	for (unsigned i = 0; i < ROUNDS && join_all(list); i++)
		;
	if (list->count > LIMIT)
		make_hulls(list);
}
