/* Tensors: sizes and steps become bytes; windows and what they meet. */
#include "extensions/agents/operands/tensor.h"

#include "extensions/agents/operands/shape.h"

_Static_assert(SC_TENSOR_DIMENSIONS <= SC_SHAPE_DIMENSIONS, "each size is a dimension");

unsigned sc_tensor_element(int type)
{
	switch (type) {
#define ROW(name, number, bytes) \
	case number: return bytes;
		DNN_TYPES(ROW)
#undef ROW
	default: return 0;
	}
}

static bool is_sound(const struct sc_tensor *t)
{
	return t->dimensions > 0 && t->dimensions <= SC_TENSOR_DIMENSIONS;
}

/* The places of the dimensions from the innermost one on: of K, C, rows and columns, the last one
 * is, or C is. */
static int from_inside(const struct sc_tensor *t, int format, int number)
{
	if (format != SC_DNN_CHANNELS_LAST)
		return t->dimensions - 1 - number;
	if (number == 0)
		return 1;
	return number == t->dimensions - 1 ? 0 : t->dimensions - number;
}

bool sc_tensor_pack(struct sc_tensor *t, int format)
{
	int64_t step = 1;

	if (!is_sound(t) || t->dimensions < 3 ||
	    (format != SC_DNN_ROWS_FIRST && format != SC_DNN_CHANNELS_LAST))
		return false;
	for (int i = 0; i < t->dimensions; i++) {
		int at = from_inside(t, format, i);

		t->step[at] = step;
		if (t->size[at] < 1 || __builtin_mul_overflow(step, t->size[at], &step))
			return false;
	}
	return true;
}

bool sc_tensor_bytes(const struct sc_tensor *t, uint64_t at, struct sc_access *out)
{
	unsigned element = sc_tensor_element(t->type);
	struct sc_shape shape = {0};
	bool is_shared = false;

	if (!element || !is_sound(t))
		return false;
	*out = (struct sc_access){
		.base = at, .width = element, .rows = 1, .slices = 1, .known = SC_KNOWN_EXACT};
	for (int i = 0; i < t->dimensions; i++) {
		if (t->size[i] > 1 && !t->step[i])
			is_shared = true;
		else
			sc_shape_add(&shape, t->size[i], t->step[i], element);
	}
	if (!sc_shape_bytes(&shape, out))
		return false;
	if (is_shared)
		out->known = SC_KNOWN_OVER;
	return true;
}

/* ---- windows ---- */

bool sc_window_set(struct sc_window_sizes *s, const struct sc_moving_window *w,
		   enum sc_window_part part, const struct sc_tensor *t)
{
	if (w->dimensions < 1 || w->dimensions > t->dimensions || !is_sound(t))
		return false;
	for (int i = 0; i < w->dimensions; i++)
		s->size[part][i] = t->size[t->dimensions - w->dimensions + i];
	return true;
}

/* Of one dimension. */
struct line {
	int64_t input, window, output, padding, stride, dilation;
};

#define LINE_MOST (INT64_C(1) << 30) /* products of two do not overflow */

static bool is_sane(const struct line *l)
{
	const int64_t sizes[] = {l->input, l->window, l->output, l->stride, l->dilation};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] < 1 || sizes[i] > LINE_MOST)
			return false;
	return l->padding >= 0 && l->padding <= LINE_MOST;
}

/* The places that windows lie on follow each other, and reach from the input's first to its last.
 */
static bool meets_input(const struct line *l)
{
	bool is_dense = (l->dilation == 1 && l->stride <= l->window) ||
			(l->stride == 1 && l->dilation <= l->output);

	return is_dense &&
	       (l->output - 1) * l->stride + (l->window - 1) * l->dilation - l->padding >=
		       l->input - 1;
}

/* Places `steps` apart, `count` of them, of which the first one is `first` to `last`, depending on
 * the element: each time one lies in the input. */
static bool always_hits(const struct line *l, int64_t first, int64_t last, int64_t count,
			int64_t steps)
{
	return first + (count - 1) * steps >= 0 && last < l->input && steps <= l->input;
}

static bool meets(const struct line *l, enum sc_window_part part)
{
	int64_t windows = (l->output - 1) * l->stride, reach = (l->window - 1) * l->dilation;

	switch (part) {
	case SC_WINDOW_NONE: return true;
	case SC_WINDOW_INPUT: return meets_input(l);
	case SC_WINDOW_FILTER:
		return always_hits(l, -l->padding, reach - l->padding, l->output, l->stride);
	case SC_WINDOW_OUTPUT:
		return always_hits(l, -l->padding, windows - l->padding, l->window, l->dilation);
	}
	return false;
}

bool sc_window_uses_all(const struct sc_window_sizes *s, const struct sc_moving_window *w,
			enum sc_window_part part)
{
	for (int i = 0; i < w->dimensions; i++) {
		struct line l = {s->size[SC_WINDOW_INPUT][i],
				 s->size[SC_WINDOW_FILTER][i],
				 s->size[SC_WINDOW_OUTPUT][i],
				 w->padding[i],
				 w->stride[i],
				 w->dilation[i]};

		if (!is_sane(&l) || !meets(&l, part))
			return false;
	}
	return true;
}
