/* Launches: footprints become uses of allocations. */
#include "analyzer/launch.h"

#include <string.h>

#define LOWEST_POINTER 4096
#define NEAR	       64 /* uses that a new one is compared with */

struct launch {
	struct sc_launch head;
	const uint8_t *params; /* borrowed from the record */
	uint32_t param_bytes;
};

static _Bool read_launch(const struct sc_record *record, struct launch *l)
{
	uint32_t bytes = 0;
	const uint8_t *data = sc_record_attachment(record, SC_ATTACH_LAUNCH, &bytes);

	if (!data || bytes < sizeof(l->head))
		return 0;
	memcpy(&l->head, data, sizeof(l->head));
	l->params = data + sizeof(l->head);
	l->param_bytes = bytes - (uint32_t)sizeof(l->head);
	if (l->param_bytes > l->head.param_bytes)
		l->param_bytes = l->head.param_bytes;
	return 1;
}

static _Bool is_same_place(const struct sc_use *a, const struct sc_use *b)
{
	const struct sc_access *s = &a->shape, *t = &b->shape;

	return a->allocation == b->allocation && a->pointer == b->pointer && s->base == t->base &&
	       s->width == t->width && s->pitch == t->pitch && s->rows == t->rows &&
	       s->slice_pitch == t->slice_pitch && s->slices == t->slices && s->known == t->known;
}

/* Reading and writing the same bytes is one use; atomics stay apart. */
static void push(const struct sc_use *use, sc_uses *out)
{
	for (size_t i = out->count; i-- > 0 && out->count - i <= NEAR;) {
		struct sc_use *old = &out->items[i];
		_Bool is_atomic = old->shape.mode == SC_ATOMIC;

		if (is_atomic != (use->shape.mode == SC_ATOMIC) || !is_same_place(old, use))
			continue;
		old->shape.mode |= use->shape.mode;
		return;
	}
	sc_vector_push(out, *use);
}

/* ---- pointers of which nothing more is known ---- */

static void push_whole(struct sc_allocation *a, uint64_t pointer, uint8_t mode, sc_uses *out)
{
	struct sc_use use = {.allocation = a, .pointer = pointer};

	use.shape = sc_shape_linear(a->home.range.start, a->home.range.end - a->home.range.start,
				    mode, SC_KNOWN_PARAMETER);
	push(&use, out);
}

void sc_launch_add_whole(struct sc_memory_map *m, uint64_t pointer, uint8_t mode, sc_uses *out)
{
	uint64_t canonical;
	struct sc_allocation *a = sc_memory_find(m, pointer, &canonical);

	if (a)
		push_whole(a, canonical, mode, out);
}

/* Pointers are 8 bytes and lie at multiples of 8, in structs passed by value too. */
static void add_parameters(struct sc_memory_map *m, const struct launch *l, uint8_t mode,
			   sc_uses *out)
{
	for (uint32_t at = 0; at + sizeof(uint64_t) <= l->param_bytes; at += sizeof(uint64_t)) {
		uint64_t value;

		memcpy(&value, l->params + at, sizeof(value));
		if (value >= LOWEST_POINTER)
			sc_launch_add_whole(m, value, mode, out);
	}
}

/* ---- footprints ---- */

/* A range of a footprint with the allocation that it is in. */
struct place {
	struct sc_allocation *allocation;
	uint64_t pointer; /* as the allocation's history knows addresses */
	_Bool is_sure;	  /* the device runs this code */
};

/* The parameter's pointer may lead to its memory by its own value, or only with the offset. */
static _Bool find_place(struct sc_memory_map *m, const struct launch *l,
			const struct sc_footprint_range *r, struct place *p)
{
	uint64_t pointer, canonical;

	if (r->base > l->param_bytes || l->param_bytes - r->base < sizeof(pointer))
		return 0;
	memcpy(&pointer, l->params + r->base, sizeof(pointer));
	if (pointer < LOWEST_POINTER)
		return 0;
	p->allocation = sc_memory_find(m, pointer, &p->pointer);
	if (p->allocation || r->is_unbounded)
		return p->allocation != NULL;
	p->allocation = sc_memory_find(m, pointer + (uint64_t)r->offset, &canonical);
	p->pointer = canonical - (uint64_t)r->offset;
	return p->allocation != NULL;
}

/* Cuts the shape to the allocation; false if nothing is left. */
static _Bool clip(const struct sc_allocation *a, struct sc_access *shape)
{
	const struct sc_range *whole = &a->home.range;
	uint64_t first = shape->base, end = sc_shape_end(shape);

	if (first >= whole->start && end <= whole->end)
		return 1;
	first = first > whole->start ? first : whole->start;
	end = end < whole->end ? end : whole->end;
	if (first >= end)
		return 0;
	*shape = sc_shape_linear(first, end - first, shape->mode, SC_KNOWN_OVER);
	return 1;
}

static void push_range(const struct place *p, const struct sc_footprint_range *r, uint8_t mode,
		       sc_uses *out)
{
	_Bool is_exact = p->is_sure && r->reason == SC_REASON_NONE;
	struct sc_use use = {.allocation = p->allocation,
			     .shape = {.width = r->width,
				       .pitch = r->pitch,
				       .rows = r->rows,
				       .slice_pitch = r->slice_pitch,
				       .slices = r->slices,
				       .mode = mode,
				       .known = is_exact ? SC_KNOWN_EXACT : SC_KNOWN_OVER}};

	if (r->is_unbounded || __builtin_add_overflow(p->pointer, r->offset, &use.shape.base) ||
	    !sc_shape_simplify(&use.shape)) {
		push_whole(p->allocation, p->pointer, mode, out);
		return;
	}
	if (clip(p->allocation, &use.shape))
		push(&use, out);
}

static void add_mode(struct sc_memory_map *m, const struct launch *l,
		     const struct sc_footprint_range *r, const struct place *p, uint8_t mode,
		     sc_uses *out)
{
	if (r->base_kind == SC_BASE_UNKNOWN)
		add_parameters(m, l, mode, out);
	else
		push_range(p, r, mode, out);
}

/* Module variables have no address here that other ops could name. */
static void add_range(struct sc_memory_map *m, const struct launch *l,
		      const struct sc_footprint_range *r, _Bool is_sure, sc_uses *out)
{
	uint8_t plain = r->mode & SC_READ_WRITE;
	struct place p = {.is_sure = is_sure};

	if (r->base_kind == SC_BASE_SYMBOL)
		return;
	if (r->base_kind == SC_BASE_PARAMETER && !find_place(m, l, r, &p))
		return;
	if (plain)
		add_mode(m, l, r, &p, plain, out);
	if (r->mode & SC_FOOTPRINT_ATOMIC)
		add_mode(m, l, r, &p, SC_ATOMIC, out);
}

static _Bool find_footprint(struct sc_code *code, const struct sc_record *record,
			    const struct launch *l, struct sc_footprint *out, _Bool *is_sure)
{
	struct sc_footprint_launch launch = {.shared_bytes = l->head.shared_bytes,
					     .param_bytes = l->param_bytes,
					     .params = l->params};

	memcpy(launch.grid, l->head.grid, sizeof(launch.grid));
	memcpy(launch.block, l->head.block, sizeof(launch.block));
	return code && sc_code_footprint(code, record->op.object, &launch, out, is_sure);
}

void sc_launch_add(struct sc_memory_map *m, struct sc_code *code, const struct sc_record *record,
		   sc_uses *out)
{
	struct sc_footprint footprint;
	struct launch l;
	_Bool is_sure;

	if (!read_launch(record, &l))
		return;
	if (!find_footprint(code, record, &l, &footprint, &is_sure)) {
		add_parameters(m, &l, SC_READ_WRITE, out);
		return;
	}
	for (size_t i = 0; i < footprint.count; i++)
		add_range(m, &l, &footprint.ranges[i], is_sure, out);
}
