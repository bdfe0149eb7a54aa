/* Tensors against the naive form: loops over all elements, and over all places of a window. */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/agents/operands/shape.h"
#include "extensions/agents/operands/tensor.h"
#include "tests/unit/pick.h"

#define SPACE  65536 /* bytes */
#define AT     4096  /* where tensors begin */
#define ROUNDS 2000

static uint8_t wanted[SPACE], found[SPACE];

static void paint(const struct sc_access *a)
{
	memset(found, 0, sizeof(found));
	for (uint64_t slice = 0; slice < a->slices; slice++)
		for (uint64_t row = 0; row < a->rows; row++)
			for (uint64_t i = 0; i < a->width; i++)
				found[a->base + slice * a->slice_pitch + row * a->pitch + i] = 1;
}

/* Marks each element from dimension `i` on. */
static void mark(const struct sc_tensor *t, int i, int64_t at)
{
	if (i == t->dimensions) {
		memset(wanted + AT + at * sc_tensor_element(t->type), 1,
		       sc_tensor_element(t->type));
		return;
	}
	for (int64_t place = 0; place < t->size[i]; place++)
		mark(t, i + 1, at + place * t->step[i]);
}

/* Dimensions in any order, with gaps now and then, and a shared one now and then. */
static struct sc_tensor random_tensor(void)
{
	static const int types[] = {SC_DNN_TYPE_DOUBLE, 0, 2, 3};
	struct sc_tensor t = {.type = types[pick(4)], .dimensions = 1 + (int)pick(4)};
	int64_t step = 1 + (pick(4) == 0);
	unsigned first = pick(4);

	for (int i = 0; i < t.dimensions; i++) {
		int at = (int)((first + (unsigned)i) % (unsigned)t.dimensions);

		t.size[at] = 1 + pick(4);
		t.step[at] = pick(10) ? step : 0;
		step *= t.size[at];
		step += pick(4) == 0;
	}
	return t;
}

TEST(bytes)
{
	unsigned exactly = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_tensor t = random_tensor();
		struct sc_access a;

		assert_true(sc_tensor_bytes(&t, AT, &a));
		assert_true(sc_shape_fits(&a));
		memset(wanted, 0, sizeof(wanted));
		mark(&t, 0, 0);
		paint(&a);
		for (unsigned i = 0; i < SPACE; i++)
			assert_true(found[i] >= wanted[i]);
		if (a.known == SC_KNOWN_EXACT)
			assert_memory_equal(found, wanted, SPACE);
		exactly += a.known == SC_KNOWN_EXACT;
	}
	assert_true(exactly > ROUNDS / 2);
}

TEST(packed)
{
	struct sc_tensor t = {.dimensions = 4, .size = {5, 3, 2, 7}};

	assert_true(sc_tensor_pack(&t, SC_DNN_ROWS_FIRST));
	assert_int_equal(t.step[0], 42);
	assert_int_equal(t.step[1], 14);
	assert_int_equal(t.step[2], 7);
	assert_int_equal(t.step[3], 1);
	assert_true(sc_tensor_pack(&t, SC_DNN_CHANNELS_LAST));
	assert_int_equal(t.step[0], 42);
	assert_int_equal(t.step[1], 1);
	assert_int_equal(t.step[2], 21);
	assert_int_equal(t.step[3], 3);
	assert_false(sc_tensor_pack(&t, 2)); /* vectors of channels */
}

TEST(senseless)
{
	const struct sc_tensor good = {.dimensions = 2, .size = {4, 4}, .step = {4, 1}};
	struct sc_tensor t = good;
	struct sc_access a;

	assert_true(sc_tensor_bytes(&t, AT, &a));
	assert_false(sc_tensor_bytes(&t, UINT64_MAX - 8, &a));
	t = good, t.type = 11; /* bits */
	assert_false(sc_tensor_bytes(&t, AT, &a));
	t = good, t.dimensions = 9;
	assert_false(sc_tensor_bytes(&t, AT, &a));
	t = good, t.dimensions = 0;
	assert_false(sc_tensor_bytes(&t, AT, &a));
	t = good, t.size[0] = 0;
	assert_false(sc_tensor_bytes(&t, AT, &a));
	t = good, t.step[1] = -1;
	assert_false(sc_tensor_bytes(&t, AT, &a));
	t = good, t.size[0] = t.step[0] = INT64_C(1) << 40;
	assert_false(sc_tensor_bytes(&t, AT, &a));
}

/* ---- windows ---- */

struct place {
	int64_t input, window, output;
	struct sc_moving_window w;
};

/* Whether element `i` of a part meets others. */
static bool is_met(const struct place *p, enum sc_window_part part, int64_t i)
{
	for (int64_t o = 0; o < p->output; o++)
		for (int64_t k = 0; k < p->window; k++) {
			int64_t at = o * p->w.stride[0] - p->w.padding[0] + k * p->w.dilation[0];
			int64_t mine = part == SC_WINDOW_INPUT	  ? at
				       : part == SC_WINDOW_FILTER ? k
								  : o;

			if (at >= 0 && at < p->input && mine == i)
				return true;
		}
	return false;
}

static bool are_all_met(const struct place *p, enum sc_window_part part)
{
	const int64_t counts[] = {0, p->input, p->window, p->output};

	for (int64_t i = 0; i < counts[part]; i++)
		if (!is_met(p, part, i))
			return false;
	return true;
}

static struct place random_place(void)
{
	struct place p = {.input = 1 + pick(9), .window = 1 + pick(4)};
	int64_t room;

	p.w = (struct sc_moving_window){.dimensions = 1,
					.padding = {pick(4)},
					.stride = {1 + pick(3)},
					.dilation = {1 + pick(3)}};
	room = p.input + 2 * p.w.padding[0] - (p.window - 1) * p.w.dilation[0] - 1;
	p.output = room < 0 ? 1 : room / p.w.stride[0] + 1;
	return p;
}

static bool uses_all(const struct place *p, enum sc_window_part part)
{
	struct sc_window_sizes sizes;
	const int64_t counts[] = {0, p->input, p->window, p->output};

	for (int i = SC_WINDOW_INPUT; i <= SC_WINDOW_OUTPUT; i++) {
		struct sc_tensor t = {.dimensions = 3, .size = {2, 2, counts[i]}};

		assert_true(sc_window_set(&sizes, &p->w, (enum sc_window_part)i, &t));
	}
	return sc_window_uses_all(&sizes, &p->w, part);
}

TEST(windows)
{
	unsigned sure = 0, met = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct place p = random_place();

		for (int i = SC_WINDOW_INPUT; i <= SC_WINDOW_OUTPUT; i++) {
			enum sc_window_part part = (enum sc_window_part)i;
			bool is_sure = uses_all(&p, part), is_so = are_all_met(&p, part);

			assert_true(is_so || !is_sure);
			sure += is_sure;
			met += is_so;
		}
	}
	assert_true(sure > met / 2); /* it may be too careful, but not always */
}

TEST(usual_windows)
{
	struct place same = {8, 3, 8, {1, {1}, {1}, {1}}}, halves = {8, 1, 4, {1, {0}, {2}, {1}}};
	struct place alone = {1, 3, 1, {1, {1}, {1}, {1}}};

	assert_true(uses_all(&same, SC_WINDOW_INPUT));
	assert_true(uses_all(&same, SC_WINDOW_FILTER));
	assert_true(uses_all(&same, SC_WINDOW_OUTPUT));
	assert_false(uses_all(&halves, SC_WINDOW_INPUT)); /* each second one */
	assert_true(uses_all(&halves, SC_WINDOW_OUTPUT));
	assert_false(uses_all(&alone, SC_WINDOW_FILTER)); /* its middle */
	alone.w.stride[0] = -1;
	assert_false(uses_all(&alone, SC_WINDOW_INPUT));
	alone.w.stride[0] = INT64_MAX;
	assert_false(uses_all(&alone, SC_WINDOW_INPUT));
}
