/* Transforms: sizes and steps become bytes. */
#include "interposer/library/transform.h"

#include "interposer/library/operand.h"

#define DIMENSIONS (SC_TRANSFORM_RANK + 1) /* with the batch */

bool sc_transform_set_type(struct sc_transform *t, int type)
{
	switch (type) {
#define ROW(name, number, in_type, out_type) \
	case number:                         \
		t->in.type = in_type;        \
		t->out.type = out_type;      \
		return true;
		VENDOR_TRANSFORMS(ROW)
#undef ROW
	default: return false;
	}
}

static bool is_complex(int type)
{
	return type == SC_TYPE_C_16F || type == SC_TYPE_C_16BF || type == SC_TYPE_C_32F ||
	       type == SC_TYPE_C_64F;
}

/* ---- the elements of one side ---- */

/* `count` pieces, `step` bytes from one to the next. */
struct dimension {
	uint64_t count, step;
};

struct shape {
	struct dimension dimension[DIMENSIONS]; /* by their steps, smallest first */
	unsigned count;
	bool is_senseless;
};

static void add(struct shape *s, int64_t count, int64_t step, unsigned element)
{
	uint64_t bytes;
	unsigned at = s->count;

	if (count == 1)
		return;
	if (count < 1 || step < 1 || __builtin_mul_overflow((uint64_t)step, element, &bytes) ||
	    bytes > INT64_MAX) {
		s->is_senseless = true;
		return;
	}
	for (; at && s->dimension[at - 1].step > bytes; at--)
		s->dimension[at] = s->dimension[at - 1];
	s->dimension[at] = (struct dimension){(uint64_t)count, bytes};
	s->count++;
}

static void drop(struct shape *s, unsigned at)
{
	s->count--;
	for (; at < s->count; at++)
		s->dimension[at] = s->dimension[at + 1];
}

/* Pieces that follow each other without a gap are one piece; rows of rows are rows. */
static void join(struct shape *s, struct sc_access *out)
{
	while (s->count && s->dimension[0].step == out->width &&
	       !__builtin_mul_overflow(out->width, s->dimension[0].count, &out->width))
		drop(s, 0);
	for (unsigned i = 0; i + 1 < s->count;) {
		struct dimension *d = &s->dimension[i];
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
static bool span(const struct shape *s, uint64_t *bytes)
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

static bool set_shape(struct shape *s, struct sc_access *out)
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

/* ---- sides ---- */

/* Elements of the innermost size on a side: of the complex side of a real transform those that are
 * not another one's conjugate. */
static int64_t innermost(const struct sc_transform *t, const struct sc_transform_side *s)
{
	int64_t size = t->size[t->rank - 1];

	return is_complex(s->type) && is_complex(t->in.type) != is_complex(t->out.type)
		       ? size / 2 + 1
		       : size;
}

/* The layout of a side that has none of its own: one element after the other. */
static bool make_plain(const struct sc_transform *t, struct sc_transform_side *s)
{
	s->step = 1;
	s->distance = 1;
	for (int i = 0; i < t->rank; i++) {
		s->embed[i] = i == t->rank - 1 ? innermost(t, s) : t->size[i];
		if (s->embed[i] < 1 ||
		    __builtin_mul_overflow(s->distance, s->embed[i], &s->distance))
			return false;
	}
	return true;
}

/* The elements `first` to `last` of the innermost size. */
struct part {
	int64_t first, last;
};

static bool side_bytes(const struct sc_transform *t, struct sc_transform_side s, const void *at,
		       struct part part, struct sc_access *out)
{
	unsigned element = sc_operand_element(s.type);
	struct shape shape = {0};
	uint64_t skipped;
	int64_t step;

	if (!element || !at || (t->is_plain && !make_plain(t, &s)))
		return false;
	if (__builtin_mul_overflow((uint64_t)part.first, (uint64_t)s.step * element, &skipped))
		return false;
	*out = (struct sc_access){.base = (uint64_t)at + skipped,
				  .width = element,
				  .rows = 1,
				  .slices = 1,
				  .known = SC_KNOWN_EXACT};
	step = s.step;
	for (int i = t->rank - 1; i >= 0; i--) {
		bool is_innermost = i == t->rank - 1;

		add(&shape, is_innermost ? part.last - part.first + 1 : t->size[i], step, element);
		if (i && __builtin_mul_overflow(step, s.embed[i], &step))
			return false;
	}
	add(&shape, t->batch, s.distance, element);
	return set_shape(&shape, out);
}

static bool whole_side(const struct sc_transform *t, const struct sc_transform_side *s,
		       const void *at, struct sc_access *out)
{
	return side_bytes(t, *s, at, (struct part){0, innermost(t, s) - 1}, out);
}

/* Of the first coefficient and of the middle one a transform into reals may take the real half
 * only; of what is between it takes all. */
static unsigned coefficients(const struct sc_transform *t, const void *in, struct sc_access *list)
{
	int64_t last = (t->size[t->rank - 1] - 1) / 2;

	if (last < 1 || !side_bytes(t, t->in, in, (struct part){1, last}, list))
		return 0;
	list->mode = SC_READ;
	return 1;
}

/* Both sides at one address, without layouts of their own: the reals lie in the complex numbers'
 * bytes, rows padded to their length. */
static unsigned in_place(const struct sc_transform *t, const void *at, struct sc_access *list)
{
	const struct sc_transform_side *wider = is_complex(t->in.type) ? &t->in : &t->out;

	if (!whole_side(t, wider, at, list))
		return 0;
	list->mode = SC_READ_WRITE;
	return 1;
}

/* Of one element: there may be nothing to do. */
static bool is_single(const struct sc_transform *t)
{
	for (int i = 0; i < t->rank; i++)
		if (t->size[i] != 1)
			return false;
	return true;
}

static bool is_sound(const struct sc_transform *t)
{
	if (t->rank < 1 || t->rank > SC_TRANSFORM_RANK || t->batch < 1)
		return false;
	for (int i = 0; i < t->rank; i++)
		if (t->size[i] < 1)
			return false;
	return true;
}

static unsigned accesses(const struct sc_transform *t, const void *in, const void *out,
			 struct sc_access *list)
{
	bool is_into_reals = is_complex(t->in.type) && !is_complex(t->out.type);

	if (in == out && t->is_plain)
		return in_place(t, in, list);
	if (!whole_side(t, &t->in, in, &list[0]) || !whole_side(t, &t->out, out, &list[1]))
		return 0;
	list[0].mode = SC_READ;
	list[1].mode = SC_WRITE;
	if (!is_into_reals)
		return 2;
	/* Its manual allows such a transform to overwrite its input. */
	list[0].mode = SC_READ_WRITE;
	list[0].known = SC_KNOWN_OVER;
	return 2 + coefficients(t, in, &list[2]);
}

unsigned sc_transform_bytes(const struct sc_transform *t, const void *in, const void *out,
			    struct sc_access list[SC_TRANSFORM_ACCESSES])
{
	unsigned count = is_sound(t) ? accesses(t, in, out, list) : 0;

	for (unsigned i = 0; i < count && is_single(t); i++)
		list[i].known = SC_KNOWN_OVER;
	return count;
}
