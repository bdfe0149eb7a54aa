/* Transforms against the naive form of their layouts: loops over all elements, which mark each byte
 * as the manual of cuFFT places it. */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/agents/operands/transform.h"
#include "extensions/agents/operands/vendor.h"
#include "tests/unit/pick.h"

#define SPACE  65536 /* bytes of each side */
#define ROUNDS 300

static char input[SPACE], output[SPACE]; /* nothing touches them */
static uint8_t wanted[2][SPACE], exact[2][SPACE], over[2][SPACE];

static const struct {
	int type;
	unsigned element[2];
	bool is_complex[2];
} types[] = {{0x2a, {4, 8}, {false, true}},  {0x2c, {8, 4}, {true, false}},
	     {0x29, {8, 8}, {true, true}},   {0x6a, {8, 16}, {false, true}},
	     {0x6c, {16, 8}, {true, false}}, {0x69, {16, 16}, {true, true}}};

/* A layout: sizes of the array, and steps in elements. */
struct layout {
	int64_t count[3], embed[3], step, distance;
};

static void paint(const struct sc_access *a)
{
	bool is_output = a->base - (uint64_t)output < SPACE;
	uint64_t first = a->base - (uint64_t)(is_output ? output : input);
	uint8_t(*to)[SPACE] = a->known == SC_KNOWN_EXACT ? exact : over;

	for (uint64_t slice = 0; slice < a->slices; slice++)
		for (uint64_t row = 0; row < a->rows; row++)
			for (uint64_t i = 0; i < a->width; i++)
				to[is_output]
				  [first + slice * a->slice_pitch + row * a->pitch + i] |= a->mode;
}

static unsigned execute(const struct sc_transform *t, const void *in, const void *out)
{
	struct sc_access list[SC_TRANSFORM_ACCESSES];
	unsigned count = sc_transform_bytes(t, in, out, list);

	memset(exact, 0, sizeof(exact));
	memset(over, 0, sizeof(over));
	memset(wanted, 0, sizeof(wanted));
	for (unsigned i = 0; i < count; i++)
		paint(&list[i]);
	return count;
}

/* Marks all elements of a side. */
static void mark(int side, const struct layout *l, int64_t batch, unsigned element, uint8_t mode)
{
	for (int64_t b = 0; b < batch; b++)
		for (int64_t x = 0; x < l->count[0]; x++)
			for (int64_t y = 0; y < l->count[1]; y++)
				for (int64_t z = 0; z < l->count[2]; z++) {
					int64_t at = ((x * l->embed[1] + y) * l->embed[2] + z) *
							     l->step +
						     b * l->distance;

					for (unsigned i = 0; i < element; i++)
						wanted[side][at * element + i] |= mode;
				}
}

static struct sc_transform random_transform(unsigned type)
{
	struct sc_transform t = {.rank = 1 + (int)pick(3), .batch = 1 + pick(3)};

	assert_true(sc_transform_set_type(&t, types[type].type));
	for (int i = 0; i < t.rank; i++)
		t.size[i] = 2 + pick(5);
	return t;
}

/* Counts of a side in three sizes, the outer ones 1 where there are fewer. */
static struct layout counts(const struct sc_transform *t, unsigned type, int side)
{
	struct layout l = {.count = {1, 1, 1}, .embed = {1, 1, 1}, .step = 1};
	bool is_real = !types[type].is_complex[0] || !types[type].is_complex[1];

	for (int i = 0; i < t->rank; i++)
		l.count[3 - t->rank + i] = t->size[i];
	if (is_real && types[type].is_complex[side])
		l.count[2] = l.count[2] / 2 + 1;
	memcpy(l.embed, l.count, sizeof(l.embed));
	l.distance = l.count[0] * l.count[1] * l.count[2];
	return l;
}

/* All that is wanted was found, in modes as wanted; what is exact was wanted. */
static void assert_found(int side)
{
	for (unsigned i = 0; i < SPACE; i++) {
		uint8_t found = exact[side][i] | over[side][i];

		assert_int_equal(found & wanted[side][i], wanted[side][i]);
		assert_int_equal(exact[side][i] & ~wanted[side][i], 0);
	}
}

static bool is_into_reals(unsigned type)
{
	return types[type].is_complex[0] && !types[type].is_complex[1];
}

TEST(plain)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned type = pick(6);
		struct sc_transform t = random_transform(type);
		struct layout in = counts(&t, type, 0), out = counts(&t, type, 1);

		t.is_plain = true;
		assert_true(execute(&t, input, output) >= 2);
		mark(0, &in, t.batch, types[type].element[0], SC_READ);
		mark(1, &out, t.batch, types[type].element[1], SC_WRITE);
		assert_found(0);
		assert_memory_equal(exact[1], wanted[1], SPACE);
		if (!is_into_reals(type))
			assert_memory_equal(exact[0], wanted[0], SPACE);
	}
}

/* In place the reals are padded to the length of the complex numbers. */
TEST(in_place)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned type = pick(6), wider = types[type].is_complex[0] ? 0 : 1;
		struct sc_transform t = random_transform(type);
		struct layout l = counts(&t, type, (int)wider);

		t.is_plain = true;
		assert_int_equal(execute(&t, input, input), 1);
		mark(0, &l, t.batch, types[type].element[wider], SC_READ_WRITE);
		assert_memory_equal(exact[0], wanted[0], SPACE);
	}
}

/* Gives a side room around its elements, and perhaps puts the transforms between each other. */
static void spread(const struct sc_transform *t, struct layout *l, struct sc_transform_side *s)
{
	bool is_between = pick(3) == 0;

	for (int i = 3 - t->rank; i < 3; i++)
		l->embed[i] = l->count[i] + pick(2);
	l->step = is_between ? t->batch : 1 + pick(2);
	l->distance = is_between ? 1 : l->embed[0] * l->embed[1] * l->embed[2] * l->step + pick(3);
	for (int i = 0; i < t->rank; i++)
		s->embed[i] = l->embed[3 - t->rank + i];
	s->step = l->step;
	s->distance = l->distance;
}

TEST(layouts)
{
	unsigned exactly = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned type = pick(6);
		struct sc_transform t = random_transform(type);
		struct layout in = counts(&t, type, 0), out = counts(&t, type, 1);

		spread(&t, &in, &t.in);
		spread(&t, &out, &t.out);
		assert_true(execute(&t, input, output) >= 2);
		mark(0, &in, t.batch, types[type].element[0], SC_READ);
		mark(1, &out, t.batch, types[type].element[1], SC_WRITE);
		assert_found(0);
		assert_found(1);
		exactly += !memcmp(exact[1], wanted[1], SPACE);
	}
	assert_true(exactly >
		    ROUNDS / 2); /* three sizes with gaps are more than an access can say */
}

static unsigned count_of(struct sc_transform t)
{
	struct sc_access list[SC_TRANSFORM_ACCESSES];

	return sc_transform_bytes(&t, input, output, list);
}

TEST(senseless)
{
	struct sc_transform good = {.rank = 2, .size = {4, 4}, .batch = 1, .is_plain = true}, t;
	struct sc_access list[SC_TRANSFORM_ACCESSES];

	assert_false(sc_transform_set_type(&good, 1));
	assert_true(sc_transform_set_type(&good, 0x29));
	assert_int_equal(count_of(good), 2);
	t = good, t.rank = 4;
	assert_int_equal(count_of(t), 0);
	t = good, t.rank = 0;
	assert_int_equal(count_of(t), 0);
	t = good, t.batch = -1;
	assert_int_equal(count_of(t), 0);
	t = good, t.size[1] = 0;
	assert_int_equal(count_of(t), 0);
	t = good, t.size[0] = t.size[1] = INT64_C(1) << 40;
	assert_int_equal(count_of(t), 0);
	t = good, t.is_plain = false; /* no steps */
	assert_int_equal(count_of(t), 0);
	t = good, t.out.type = 77;
	assert_int_equal(count_of(t), 0);
	assert_int_equal(sc_transform_bytes(&good, NULL, output, list), 0);
	assert_int_equal(sc_transform_bytes(&good, (void *)UINTPTR_MAX, output, list), 0);
	t = good, t.size[0] = t.size[1] = 1; /* there may be nothing to do */
	assert_int_equal(sc_transform_bytes(&t, input, input, list), 1);
	assert_int_equal(list[0].known, SC_KNOWN_OVER);
}
