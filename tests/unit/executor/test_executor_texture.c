/* The executor: fetches from textures. */
#include "tests/unit/executor/texture_fixture.h"

/* One thread's fetch by its inputs. */
static void fetch_one(const char *body, float x, float y, float z, float w)
{
	struct device d = device_with_objects(1);

	memory.in[0][0] = x;
	memory.in[0][1] = y;
	memory.in[0][2] = z;
	memory.in[0][3] = w;
	objects_run(&d, body);
}

#define TEX_1D "tex.1d.v4.f32.f32 " FETCHED ", [%rd1, {%f5}];"
#define TEX_2D "tex.2d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6}];"

static float at_1d(float x)
{
	fetch_one(TEX_1D, x, 0, 0, 0);
	return memory.out[0].number[0];
}

/* ---- formats ---- */

TEST(words_of_each_format)
{
	static const struct {
		enum exec_channel channel;
		unsigned bits, count;
		uint32_t want[4];
	} cases[] = {
		{EXEC_CHANNEL_UNSIGNED, 8, 4, {0xF0, 0x81, 0x7F, 1}},
		{EXEC_CHANNEL_SIGNED, 8, 2, {UINT32_MAX - 15, UINT32_MAX - 126, 0, 0}},
		{EXEC_CHANNEL_UNSIGNED, 16, 2, {0x81F0, 0x017F, 0, 0}},
		{EXEC_CHANNEL_SIGNED, 16, 1, {UINT32_MAX - 0x7E0F, 0, 0, 0}},
		{EXEC_CHANNEL_UNSIGNED, 32, 1, {0x017F81F0, 0, 0, 0}},
		{EXEC_CHANNEL_SIGNED, 32, 4, {0x017F81F0, 2, 3, 4}},
	};
	static uint32_t texel[4] = {0x017F81F0, 2, 3, 4};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		objects[0] = object_from(texel, cases[i].channel, cases[i].bits, cases[i].count, 1,
					 1, 1);
		fetch_one(TEX_1D, 0, 0, 0, 0);
		assert_memory_equal(memory.out[0].word, cases[i].want, sizeof(cases[i].want));
	}
}

TEST(numbers_of_each_format)
{
	static uint8_t bytes[4] = {255, 51, 0, 128};
	static int8_t signs[2] = {-128, 127};
	static uint16_t halves[2] = {0x3C00, 0xFC00}, words[1] = {13107};

	objects[0] = object_from(bytes, EXEC_CHANNEL_UNSIGNED, 8, 4, 1, 1, 1);
	objects[0].is_number = 1;
	fetch_one(TEX_1D, 0, 0, 0, 0);
	assert_true(memory.out[0].number[0] == 1 && memory.out[0].number[1] == 0.2F);
	assert_true(memory.out[0].number[3] == 128 / 255.0F);
	objects[0].is_srgb = 1;
	fetch_one(TEX_1D, 0, 0, 0, 0);
	assert_true(fabsf(memory.out[0].number[1] - 0.0331F) < 1e-4F);
	assert_true(memory.out[0].number[3] == 128 / 255.0F); /* no colour */
	objects[0] = object_from(signs, EXEC_CHANNEL_SIGNED, 8, 2, 1, 1, 1);
	objects[0].is_number = 1;
	fetch_one(TEX_1D, 0, 0, 0, 0);
	assert_true(memory.out[0].number[0] == -1 && memory.out[0].number[1] == 1);
	assert_true(memory.out[0].number[2] == 0 && memory.out[0].number[3] == 0);
	objects[0] = object_from(halves, EXEC_CHANNEL_FLOAT, 16, 2, 1, 1, 1);
	fetch_one(TEX_1D, 0, 0, 0, 0);
	assert_true(memory.out[0].number[0] == 1 && memory.out[0].number[1] < -1e38F);
	objects[0] = object_from(words, EXEC_CHANNEL_UNSIGNED, 16, 1, 1, 1, 1);
	objects[0].is_number = 1;
	assert_true(at_1d(0) == 0.2F);
}

/* ---- filters ---- */

/* A weight is a multiple of 1/256, the nearest one. */
TEST(weights_have_eight_bits)
{
	static float texels[2] = {0, 256};

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 2, 1, 1);
	objects[0].is_filtered = 1;
	for (unsigned i = 0; i <= 256; i++) {
		assert_true(at_1d(0.5F + (float)i / 256) == (float)i);
		if (i < 256) {
			assert_true(at_1d(0.5F + ((float)i + 0.4375F) / 256) == (float)i);
			assert_true(at_1d(0.5F + ((float)i + 0.5F) / 256) == (float)(i + 1));
		}
	}
	assert_true(at_1d(0.25F) == 0 && at_1d(1.75F) == 256);
}

TEST(filters_in_two_and_three_axes)
{
	static float texels[8] = {0, 16, 32, 48, 64, 80, 96, 112};

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 2, 2, 2);
	objects[0].is_filtered = 1;
	fetch_one(TEX_2D, 1, 0.75F, 0, 0);
	assert_true(memory.out[0].number[0] == 8 + 8);
	fetch_one("tex.3d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6,%f7,%f7}];", 0.75F, 1, 1.25F, 0);
	assert_true(memory.out[0].number[0] == 4 + 16 + 48);
}

/* Texels of which a filter takes nothing do not matter, though they are infinite. */
TEST(a_weight_of_zero_takes_nothing)
{
	static float texels[3] = {1, 2, INFINITY};

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 3, 1, 1);
	objects[0].is_filtered = 1;
	assert_true(at_1d(1.5F) == 2);
	assert_true(isinf(at_1d(2)));
}

/* ---- address modes ---- */

#define BORDER 99

TEST(what_is_outside_has_a_texel)
{
	static float texels[4] = {0, 1, 2, 3};
	static const float coordinates[] = {-5.5F, -4.5F, -1, -0.25F, 0, 3.75F, 4, 5, 8.5F, 9.5F};
	static const float wrap[] = {2, 3, 3, 3, 0, 3, 0, 1, 0, 1};
	static const float clamp[] = {0, 0, 0, 0, 0, 3, 3, 3, 3, 3};
	static const float mirror[] = {2, 3, 0, 0, 0, 3, 3, 2, 0, 1};
	static const float border[] = {BORDER, BORDER, BORDER, BORDER, 0,
				       3,      BORDER, BORDER, BORDER, BORDER};
	static const float *const want[] = {wrap, clamp, mirror, border};

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 4, 1, 1);
	objects[0].border[0] = BORDER;
	for (unsigned mode = 0; mode < 4; mode++)
		for (size_t i = 0; i < sizeof(coordinates) / sizeof(*coordinates); i++) {
			objects[0].address_mode[0] = (uint8_t)mode;
			objects[0].is_normalized = 1;
			assert_true(at_1d(coordinates[i] / 4) == want[mode][i]);
			objects[0].is_normalized = 0; /* then wrap and mirror clamp */
			assert_true(at_1d(coordinates[i]) == want[mode == 3 ? 3 : 1][i]);
		}
}

TEST(filters_mix_what_is_outside)
{
	static float texels[4] = {0, 8, 16, 32};
	static const float want[] = {16, 0, 0, 50}; /* at the left edge */

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 4, 1, 1);
	objects[0].border[0] = 100;
	objects[0].is_filtered = objects[0].is_normalized = 1;
	for (unsigned mode = 0; mode < 4; mode++) {
		objects[0].address_mode[0] = (uint8_t)mode;
		assert_true(at_1d(0) == want[mode]);
	}
}

/* ---- instructions ---- */

TEST(a_predicate_says_that_memory_is_resident)
{
	static float texels[2] = {7, 8};
	struct device d = device_with_objects(THREADS);

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 2, 1, 1);
	memset(memory.in, 0, sizeof(memory.in));
	objects_run(&d, "setp.ne.u32 %p2, %r9, 5; mov.b32 %r1, 3; mov.b32 %r2, 4;\n"
			"@%p2 tex.base.1d.v4.f32.f32 " FETCHED "|%p1, [%rd1, {%f5}];"
			"selp.u32 %r2, 1, 0, %p1;");
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(memory.out[i].word[1], i != 5);
		if (i == 5) /* it did not fetch */
			assert_int_equal(memory.out[i].word[0], 3);
		else
			assert_true(memory.out[i].number[0] == 7);
	}
}

TEST(results_of_half_precision)
{
	static float texels[4] = {1, -2, 0.5F, 65536};

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 4, 1, 1, 1);
	fetch_one("tex.1d.v2.f16x2.f32 {%r1,%r2}, [%rd1, {%f5}];"
		  "tex.1d.v4.f16.f32 {%h1,%h2,%h3,%h4}, [%rd1, {%f5}];"
		  "mov.b32 %r3, {%h1,%h2}; mov.b32 %r4, {%h3,%h4};",
		  0, 0, 0, 0);
	for (unsigned k = 0; k < 4; k += 2) {
		assert_int_equal(memory.out[0].word[k], 0xC0003C00);
		assert_int_equal(memory.out[0].word[k + 1], 0x7C003800);
	}
}

static uint32_t at_index(const char *body, int x, int y)
{
	struct device d = device_with_objects(1);

	memcpy(&memory.in[0][0], &x, sizeof(x));
	memcpy(&memory.in[0][1], &y, sizeof(y));
	objects_run(&d, body);
	return memory.out[0].word[0];
}

TEST(integer_coordinates_fetch_zero_outside)
{
	static uint32_t texels[6] = {10, 11, 12, 13, 14, 15};
	static const char body[] = "tex.2d.v4.u32.s32 " FETCHED ", [%rd1, {%r5,%r6}];";

	objects[0] = object_from(texels, EXEC_CHANNEL_UNSIGNED, 32, 1, 3, 2, 1);
	assert_int_equal(at_index(body, 2, 1), 15);
	assert_int_equal(at_index(body, 3, 1), 0);
	assert_int_equal(at_index(body, -1, 0), 0);
	assert_int_equal(at_index(body, 0, INT32_MIN), 0);
}

TEST(layers_and_levels)
{
	static float level[3][8];

	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < 8; i++)
			level[k][i] = (float)(100 * k + 10 * (i / 4));
	objects[0] = object_from(level[0], EXEC_CHANNEL_FLOAT, 32, 1, 4, 1, 2);
	objects[0].is_layered = objects[0].is_normalized = objects[0].is_mip_filtered = 1;
	objects[0].level_count = 3;
	objects[0].most_level = 2;
	for (unsigned k = 1; k < 3; k++) {
		objects[0].levels[k] = objects[0].levels[0];
		objects[0].levels[k].bytes = (char *)level[k];
		objects[0].levels[k].width = 4 >> k;
	}
#define LEVEL \
	"cvt.rzi.u32.f32 %r6, %f6; tex.level.a1d.v4.f32.f32 " FETCHED ", [%rd1, {%r6,%f5}], %f7;"
	fetch_one(LEVEL, 0.5F, 0, 0, 0);
	assert_true(memory.out[0].number[0] == 0);
	fetch_one(LEVEL, 0.5F, 1, 0.25F, 0);
	assert_true(memory.out[0].number[0] == 35);
	fetch_one(LEVEL, 0.5F, 7, 9, 0); /* the last layer, the last level */
	assert_true(memory.out[0].number[0] == 210);
	objects[0].is_mip_filtered = 0;
	fetch_one(LEVEL, 0.5F, 0, 1.25F, 0);
	assert_true(memory.out[0].number[0] == 100);
	objects[0].bias = 0.5F;
	fetch_one(LEVEL, 0.5F, 0, 1.25F, 0);
	assert_true(memory.out[0].number[0] == 200);
	objects[0].most_level = 1;
	fetch_one(LEVEL, 0.5F, 0, 1.25F, 0);
	assert_true(memory.out[0].number[0] == 100);
	fetch_one("tex.grad.a1d.v4.f32.f32 " FETCHED ", [%rd1, {0,%f5}], {%f6}, {%f7};", 0.5F,
		  0.25F, 0.5F, 0); /* two texels a step: level 1, and the bias */
	assert_true(memory.out[0].number[0] == 100);
}

TEST(gathers_go_counter_clockwise)
{
	static float texels[8] = {1, -1, 2, -2, 3, -3, 4, -4};

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 2, 2, 2, 1);
	fetch_one("tld4.r.2d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6}];", 1, 1, 0, 0);
	assert_memory_equal(memory.out[0].number, ((float[]){3, 4, 2, 1}), 16);
	fetch_one("tld4.g.2d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6}];", 1, 1, 0, 0);
	assert_memory_equal(memory.out[0].number, ((float[]){-3, -4, -2, -1}), 16);
}

TEST(queries)
{
	static uint16_t texels[2 * 3 * 5 * 7];

	objects[0] = object_from(texels, EXEC_CHANNEL_SIGNED, 16, 2, 3, 5, 7);
	objects[0].is_layered = 1;
	fetch_one("txq.width.b32 %r1, [%rd1]; txq.height.b32 %r2, [%rd1];"
		  "txq.array_size.b32 %r3, [%rd1]; txq.depth.b32 %r4, [%rd1];",
		  0, 0, 0, 0);
	assert_memory_equal(memory.out[0].word, ((uint32_t[]){3, 5, 7, 1}), 16);
	fetch_one("txq.channel_data_type.b32 %r1, [%rd1]; txq.channel_order.b32 %r2, [%rd1];"
		  "txq.normalized_coords.b32 %r3, [%rd1];"
		  "txq.num_mipmap_levels.b32 %r4, [%rd1];",
		  0, 0, 0, 0);
	assert_memory_equal(memory.out[0].word, ((uint32_t[]){0x10D8, 0x10B2, 0, 1}), 16);
}

/* ---- cubes ---- */

/* Each face has its own number everywhere. */
TEST(edges_of_cubes)
{
	static float texels[6 * 4];
	static const char body[] = "tex.cube.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6,%f7,%f7}];";

	for (unsigned i = 0; i < 24; i++)
		texels[i] = (float)(i / 4 * 6);
	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 2, 2, 6);
	objects[0].is_cube = objects[0].is_filtered = 1;
	fetch_one(body, 1, 0, 0.9999F, 0); /* face 0 beside face 4 */
	assert_true(memory.out[0].number[0] == 0);
	objects[0].is_seamless = 1;
	fetch_one(body, 1, 0, 0.9999F, 0);
	assert_true(memory.out[0].number[0] == 12);
	fetch_one(body, -1, 0.9999F, 0.9999F, 0); /* faces 1, 2 and 4 meet */
	assert_true(fabsf(memory.out[0].number[0] - (6 + 12 + 24) / 3.0F) < 1e-5F);
	fetch_one(body, 0, 0, 0, 0);
	assert_true(memory.out[0].number[0] >= 0 && memory.out[0].number[0] <= 30);
}

/* ---- bounds ---- */

/* Whatever the instruction, the shape and the coordinates are: nothing is read outside of the
 * texture (AddressSanitizer watches), and the result is a texel or the border. */
TEST(wild_coordinates_stay_inside)
{
	static const char *const bodies[] = {
		TEX_1D,
		TEX_2D,
		"tex.3d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6,%f7,%f7}];",
		"tex.a1d.v4.f32.f32 " FETCHED ", [%rd1, {%r6,%f5}];",
		"tex.level.a2d.v4.f32.f32 " FETCHED ", [%rd1, {%r6,%f5,%f7,%f7}], %f8;",
		"tex.cube.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6,%f7,%f7}];",
		"tex.acube.v4.f32.f32 " FETCHED ", [%rd1, {%r6,%f5,%f7,%f8}];",
		"tex.grad.2d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6}], {%f7,%f8}, {%f8,%f8};",
		"tex.3d.v4.f32.s32 " FETCHED ", [%rd1, {%r5,%r6,%r7,%r7}];",
		"tld4.r.2d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6}];",
	};
	static const float wild[] = {0,	       -0.0F,	  0.5F,	 1,	 1e-40F, -1e-40F,
				     2.9999F,  1e9F,	  -1e9F, 1e30F,	 -1e30F, 3,
				     INFINITY, -INFINITY, NAN,	 0.3333F};
	const unsigned kinds = sizeof(wild) / sizeof(*wild);
	uint32_t seed = 1;

	for (unsigned shape = 0; shape < 64 * sizeof(bodies) / sizeof(*bodies); shape++) {
		unsigned width = shape % 3 + 1, height = shape % 5 + 1, depth = shape % 8;
		char *texels;
		struct device d = device_with_objects(THREADS);

		depth = depth > 6 ? 12 : depth + 1;
		texels = calloc(width * height * depth, 4);
		objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, width, height, depth);
		objects[0].is_filtered = shape & 1;
		objects[0].is_normalized = shape >> 1 & 1;
		objects[0].is_cube = shape >> 2 & 1;
		objects[0].is_seamless = shape >> 3 & 1;
		for (unsigned a = 0; a < 3; a++)
			objects[0].address_mode[a] = (uint8_t)(seed >> (8 + 2 * a) & 3);
		for (unsigned i = 0; i < THREADS * 4; i++) {
			seed = seed * 1664525 + 1013904223;
			memory.in[i / 4][i % 4] = wild[(seed >> 8) % kinds];
		}
		objects_run(&d, bodies[shape / 64]);
		for (unsigned i = 0; i < THREADS; i++)
			assert_true(memory.out[i].number[0] == 0);
		free(texels);
	}
}

TEST(unknown_handles_fail)
{
	static float texel;
	struct device d = device_with_objects(1);

	objects[0] = object_from(&texel, EXEC_CHANNEL_FLOAT, 32, 1, 1, 1, 1);
	objects[0].is_surface = 1;
	objects_end(&d, TEX_1D, EXEC_NO_TEXTURE);
	assert_int_equal(d.outcome.address, 1);
	objects_end(&d, "mov.u64 %rd1, 0x123456789; " TEX_1D, EXEC_NO_TEXTURE);
	objects_end(&d, "mov.u64 %rd1, 0; " TEX_1D, EXEC_NO_TEXTURE);
	objects_end(&d, "txq.width.b32 %r1, [%rd9];", EXEC_NO_TEXTURE);
	d.texture = NULL;
	objects_end(&d, "mov.u64 %rd1, 2; " TEX_1D, EXEC_NO_TEXTURE);
}

/* ---- linear memory ---- */

static struct exec_texture words_at(uint64_t address, uint32_t count)
{
	struct exec_texture t = object_from(NULL, EXEC_CHANNEL_UNSIGNED, 32, 1, count, 1, 1);

	t.levels[0].address = address;
	t.is_linear = 1;
	return t;
}

static const char by_index[] = "tex.1d.v4.u32.s32 " FETCHED ", [%rd1, {%r5}];";

TEST(linear_memory_is_found_by_address)
{
	struct exec_piece *pieces;
	struct exec_touched touched = {0};
	struct device d = device_with_objects(1);
	bool is_lost;
	int index = 3;

	objects[0] = words_at(DEVICE_BASE, 4);
	memcpy(&memory.in[0][0], &index, sizeof(index));
	memory.in[0][3] = 1;
	d.touched = &touched;
	objects_run(&d, by_index);
	assert_true(memory.out[0].number[0] == 1);
	/* What the thread read and wrote otherwise is the same 16 bytes, of which it does not use
	 * all (code/moved.h), and its result. */
	assert_int_equal(exec_touched_pieces(&touched, EXEC_PIECES_MOST, &pieces, &is_lost), 3);
	assert_false(is_lost);
	free(pieces);
	exec_touched_fini(&touched);
	d.touched = NULL;
	d.is_private = 1; /* memory that the device copies */
	objects_run(&d, by_index);
	assert_true(memory.out[0].number[0] == 1);
}

TEST(linear_memory_that_is_gone_is_an_error)
{
	struct device d = device_with_objects(1);
	int index = 70;

	objects[0] = words_at(DEVICE_BASE + sizeof(memory) - 64, 100);
	memcpy(&memory.in[0][0], &index, sizeof(index));
	objects_end(&d, by_index, EXEC_ILLEGAL_ADDRESS);
	assert_true(d.outcome.address == DEVICE_BASE + sizeof(memory) - 64 + 4 * 70);
	index = 100; /* outside of the texture */
	memcpy(&memory.in[0][0], &index, sizeof(index));
	objects_run(&d, by_index);
	assert_int_equal(memory.out[0].word[0], 0);
}

/* Without an address the launch's bytes are not all known. */
TEST(arrays_make_the_touched_bytes_unknown)
{
	static float texel;
	struct exec_touched touched = {0};
	struct device d = device_with_objects(1);
	struct exec_piece *pieces;
	bool is_lost;

	objects[0] = object_from(&texel, EXEC_CHANNEL_FLOAT, 32, 1, 1, 1, 1);
	d.touched = &touched;
	objects_run(&d, TEX_1D);
	exec_touched_pieces(&touched, EXEC_PIECES_MOST, &pieces, &is_lost);
	assert_true(is_lost);
	free(pieces);
	exec_touched_fini(&touched);
}

TEST(texels_are_listed_where_their_array_is)
{
	static float texels[4];
	const uint64_t place = UINT64_C(0xA) << 60;
	struct exec_touched touched = {0};
	struct device d = device_with_objects(1);
	struct exec_piece *pieces;
	bool is_lost;
	size_t count;

	objects[0] = object_from(texels, EXEC_CHANNEL_FLOAT, 32, 1, 4, 1, 1);
	objects[0].levels[0].address = place;
	memory.in[0][0] = 2.5F;
	d.touched = &touched;
	objects_run(&d, TEX_1D);
	count = exec_touched_pieces(&touched, EXEC_PIECES_MOST, &pieces, &is_lost);
	assert_false(is_lost);
	assert_true(count && pieces[count - 1].address == place + 8);
	assert_int_equal(pieces[count - 1].width, 4);
	assert_int_equal(pieces[count - 1].uses, 1 << EXEC_READ);
	free(pieces);
	exec_touched_fini(&touched);
}

TEST(other_forms_are_refused)
{
	static const char *const bodies[] = {
		"tex.1d.v4.f32.f32 " FETCHED ", [%rd1, %rd2, {%f5}];",
		"tex.1d.v4.f32.f32 " FETCHED ", [reference, {%f5}];",
		"tex.2d.v4.f32.f32 " FETCHED ", [%rd1, {%f5,%f6}], {1,1};",
		"tex.2d.v4.f32.f32 " FETCHED ", [%rd1, {%f5}];",
		"tex.2dms.v4.f32.s32 " FETCHED ", [%rd1, {%r5,%r6,%r7,%r7}];",
		"tex.v4.f32.f32 " FETCHED ", [%rd1, {%f5}];",
	};
	struct device d = device_with_objects(1);

	d.functions = ".global .texref reference;";
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		device_refuses(&d, bodies[i], "tex.");
}
