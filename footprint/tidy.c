/* Tidy ranges: duplicates and neighbours of a footprint become one range each. */
#include <stdbool.h>
#include <stdlib.h>

#include "footprint/kernel.h"

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
	ORDER(early);
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

static bool same_kind(const struct sc_footprint_range *x, const struct sc_footprint_range *y)
{
	return x->base_kind == y->base_kind && x->base == y->base && x->mode == y->mode &&
	       x->early == y->early && x->is_unbounded == y->is_unbounded && x->reason == y->reason;
}

/* Joins y, which begins at or after x, into x if the union is one range. */
static bool join(struct sc_footprint_range *x, const struct sc_footprint_range *y)
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

/* Joins `count` sets of rows that lie between each other's rows at equal distances. */
static bool interleaves(const struct sc_footprint_range *r, size_t count)
{
	uint64_t gap = (uint64_t)r[1].offset - (uint64_t)r[0].offset;

	if (r[0].rows < 2 || r[0].slices != 1 || gap < r[0].width || gap > r[0].pitch / 2 ||
	    r[0].pitch % gap || r[0].pitch / gap != count)
		return 0;
	for (size_t i = 1; i < count; i++)
		if (!same_kind(&r[i], &r[0]) || r[i].width != r[0].width ||
		    r[i].rows != r[0].rows || r[i].slices != 1 || r[i].pitch != r[0].pitch ||
		    (uint64_t)r[i].offset - (uint64_t)r[i - 1].offset != gap)
			return 0;
	return 1;
}

static void join_interleaved(sc_range_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; kept++) {
		struct sc_footprint_range r = list->items[i];
		uint64_t gap = i + 1 < list->count
				       ? (uint64_t)list->items[i + 1].offset - (uint64_t)r.offset
				       : 0;
		uint64_t count = gap && r.rows > 1 ? r.pitch / gap : 0;

		if (count > 1 && count <= list->count - i && interleaves(&list->items[i], count)) {
			r.pitch = gap;
			r.rows *= count;
			i += count;
		} else {
			i++;
		}
		list->items[kept] = r;
	}
	list->count = kept;
}

static bool join_all(sc_range_list *list)
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
	join_interleaved(list);
	return list->count < before;
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
		    last->mode != r.mode || last->early != r.early) {
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
