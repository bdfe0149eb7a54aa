/* Transforms: sizes and steps become bytes. */
#include "extensions/agents/operands/transform.h"

#include "extensions/agents/operands/operand.h"
#include "extensions/agents/operands/shape.h"

_Static_assert(SC_TRANSFORM_RANK < SC_SHAPE_DIMENSIONS, "with the batch");

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
	struct sc_shape shape = {0};
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

		sc_shape_add(&shape, is_innermost ? part.last - part.first + 1 : t->size[i], step,
			     element);
		if (i && __builtin_mul_overflow(step, s.embed[i], &step))
			return false;
	}
	sc_shape_add(&shape, t->batch, s.distance, element);
	return sc_shape_bytes(&shape, out);
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
