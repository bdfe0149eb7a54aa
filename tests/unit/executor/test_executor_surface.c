/* The executor: accesses to surfaces. */
#include "tests/unit/executor/texture_fixture.h"

/* A surface of 4 times 3 words. */
static uint32_t words[4 * 3 * 2];

static struct device device_for_words(void)
{
	struct device d = device_with_objects(1);

	for (unsigned i = 0; i < 24; i++)
		words[i] = 100 + i;
	objects[0] = object_from(words, EXEC_CHANNEL_UNSIGNED, 32, 1, 4, 3, 2);
	objects[0].is_surface = 1;
	return d;
}

static void place(int x, int y, int z)
{
	memcpy(&memory.in[0][0], &x, sizeof(x));
	memcpy(&memory.in[0][1], &y, sizeof(y));
	memcpy(&memory.in[0][2], &z, sizeof(z));
}

static uint32_t load(const char *body, int x, int y, int z)
{
	struct device d = device_for_words();

	place(x, y, z);
	objects_run(&d, body);
	return memory.out[0].word[0];
}

TEST(rows_are_counted_in_bytes)
{
	assert_int_equal(load("suld.b.2d.b32.trap {%r1}, [%rd1, {%r5,%r6}];", 8, 2, 0), 110);
	assert_int_equal(load("suld.b.3d.b32.trap {%r1}, [%rd1, {%r5,%r6,%r7,%r7}];", 4, 1, 1),
			 117);
	assert_int_equal(load("suld.b.a2d.b32.trap {%r1}, [%rd1, {%r7,%r5,%r6,%r6}];", 4, 1, 1),
			 117);
	load("suld.b.1d.v2.b64.trap {%rd7,%rd8}, [%rd1, {%r5}]; mov.b64 {%r1,%r2}, %rd7;"
	     "mov.b64 {%r3,%r4}, %rd8;",
	     0, 0, 0);
	assert_memory_equal(memory.out[0].word, words, 16);
	load("suld.b.1d.v4.b8.trap {%h1,%h2,%h3,%h4}, [%rd1, {%r5}]; cvt.u32.u16 %r1, %h1;"
	     "cvt.u32.u16 %r2, %h2;",
	     4, 0, 0);
	assert_int_equal(memory.out[0].word[0], 101);
	assert_int_equal(memory.out[0].word[1], 0);
}

TEST(clamp_and_zero_outside)
{
	static const char clamp[] = "suld.b.2d.b32.clamp {%r1}, [%rd1, {%r5,%r6}];";
	static const char zero[] = "suld.b.2d.b32.zero {%r1}, [%rd1, {%r5,%r6}];";

	assert_int_equal(load(clamp, -4, -1, 0), 100);
	assert_int_equal(load(clamp, 16, 7, 0), 111);
	assert_int_equal(load(clamp, INT32_MAX, INT32_MIN, 0), 103);
	assert_int_equal(load(zero, 12, 2, 0), 111);
	assert_int_equal(load(zero, 16, 2, 0), 0);
	assert_int_equal(load(zero, 0, 3, 0), 0);
	assert_int_equal(load(zero, -4, 0, 0), 0);
	load("sust.b.2d.b32.zero [%rd1, {%r5,%r6}], {%r7};", 16, 0, 5);
	for (unsigned i = 0; i < 24; i++)
		assert_int_equal(words[i], 100 + i);
	load("sust.b.2d.b32.clamp [%rd1, {%r5,%r6}], {%r7};", 16, 0, 5);
	assert_int_equal(words[3], 5);
}

TEST(traps_outside)
{
	static const char *const bodies[] = {
		"suld.b.2d.b32.trap {%r1}, [%rd1, {%r5,%r6}];",
		"sust.b.2d.b32.trap [%rd1, {%r5,%r6}], {%r7};",
		"sured.b.add.2d.u32.trap [%rd1, {%r5,%r6}], %r7;",
		"sust.p.2d.b32.trap [%rd1, {%r5,%r6}], {%r7};",
	};
	struct device d = device_for_words();

	for (unsigned i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		place(0, 3, 1);
		objects_end(&d, bodies[i], EXEC_OUTSIDE_SURFACE);
		place(-4, 0, 1);
		objects_end(&d, bodies[i], EXEC_OUTSIDE_SURFACE);
		place(16, 0, 1);
		objects_end(&d, bodies[i], EXEC_OUTSIDE_SURFACE);
	}
	place(2, 0, 1);
	objects_end(&d, bodies[0], EXEC_MISALIGNED_ADDRESS);
	objects[0].is_surface = 0;
	objects_end(&d, bodies[0], EXEC_NO_TEXTURE);
}

/* Wider than a row. */
TEST(an_access_may_not_fit)
{
	static uint8_t byte[3];
	struct device d = device_for_words();

	objects[0] = object_from(byte, EXEC_CHANNEL_UNSIGNED, 8, 1, 3, 1, 1);
	objects[0].is_surface = 1;
	place(0, 0, 0);
	objects_end(&d, "suld.b.1d.b32.clamp {%r1}, [%rd1, {%r5}];", EXEC_OUTSIDE_SURFACE);
	objects_run(&d, "mov.b32 %r1, 5; suld.b.1d.b32.zero {%r1}, [%rd1, {%r5}];");
	assert_int_equal(memory.out[0].word[0], 0);
}

TEST(formatted_stores_convert)
{
	static int16_t shorts[4];
	static uint8_t bytes[2];
	static uint16_t halves[1];
	struct device d = device_for_words();

	place(1, -40000, 40000);
	objects[0] = object_from(shorts, EXEC_CHANNEL_SIGNED, 16, 2, 2, 1, 1);
	objects[0].is_surface = 1;
	objects_run(&d, "sust.p.1d.v2.b32.trap [%rd1, {%r5}], {%r6,%r7};");
	assert_int_equal(shorts[2], -32768);
	assert_int_equal(shorts[3], 32767);
	objects[0] = object_from(bytes, EXEC_CHANNEL_UNSIGNED, 8, 1, 2, 1, 1);
	objects[0].is_surface = 1;
	objects_run(&d, "sust.p.1d.b32.trap [%rd1, {%r5}], {%r7};");
	assert_int_equal(bytes[1], 255);
	assert_int_equal(bytes[0], 0);
	objects[0] = object_from(halves, EXEC_CHANNEL_FLOAT, 16, 1, 1, 1, 1);
	objects[0].is_surface = 1;
	objects_run(&d, "mov.f32 %f1, 0f3FC00000; sust.p.1d.b32.zero [%rd1, {0}], {%f1};");
	assert_int_equal(halves[0], 0x3E00);
}

TEST(reductions_of_all_threads)
{
	struct device d = device_for_words();

	d.block[0] = THREADS;
	words[0] = words[4] = 0;
	words[1] = words[3] = 40;
	words[2] = UINT32_MAX;
	objects_run(&d, "sured.b.add.2d.u32.trap [%rd1, {0,0}], %r9;"
			"sured.b.min.2d.s32.trap [%rd1, {4,0}], %r9;"
			"sured.b.max.2d.s32.trap [%rd1, {8,0}], %r9;"
			"sured.b.and.2d.b32.trap [%rd1, {12,0}], 8;"
			"sured.b.or.2d.b32.trap [%rd1, {0,1}], %r9;");
	assert_memory_equal(words, ((uint32_t[]){496, 0, 31, 8, 31}), 20);
}

/* The last piece that a launch with that body touches. */
static struct exec_piece last_piece(const char *body)
{
	struct device d = device_for_words();
	struct exec_touched touched = {0};
	struct exec_piece *pieces, last;
	bool is_lost;
	size_t count;

	objects[0].levels[0].address = UINT64_C(0xA) << 60;
	d.touched = &touched;
	objects_run(&d, body);
	count = exec_touched_pieces(&touched, EXEC_PIECES_MOST, &pieces, &is_lost);
	assert_false(is_lost);
	assert_true(count);
	last = pieces[count - 1];
	free(pieces);
	exec_touched_fini(&touched);
	return last;
}

TEST(bytes_are_listed_by_use)
{
	static const struct {
		const char *body;
		uint64_t offset, width;
		unsigned use;
	} rows[] = {
		{"suld.b.2d.v2.b32.trap {%r1,%r2}, [%rd1, {8,1}];", 24, 8, EXEC_READ},
		{"sust.b.2d.b32.trap [%rd1, {4,2}], {%r7};", 36, 4, EXEC_WRITE},
		{"sust.b.2d.b32.clamp [%rd1, {400,2}], {%r7};", 44, 4, EXEC_WRITE},
		{"sust.p.3d.b32.trap [%rd1, {1,0,1,1}], {%r7};", 52, 4, EXEC_WRITE},
		{"sured.b.add.2d.u32.trap [%rd1, {0,2}], 1;", 32, 4, EXEC_ATOMIC},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct exec_piece piece = last_piece(rows[i].body);

		assert_true(piece.address == (UINT64_C(0xA) << 60) + rows[i].offset);
		assert_int_equal(piece.width, rows[i].width);
		assert_int_equal(piece.uses, 1U << rows[i].use);
	}
	/* Outside, where that is nothing. */
	assert_true(last_piece("sust.b.2d.b32.zero [%rd1, {400,2}], {%r7};").address <
		    DEVICE_BASE * 2);
}

TEST(queries)
{
	load("suq.width.b32 %r1, [%rd1]; suq.height.b32 %r2, [%rd1]; suq.depth.b32 %r3, [%rd1];"
	     "suq.channel_data_type.b32 %r4, [%rd1];",
	     0, 0, 0);
	assert_memory_equal(memory.out[0].word, ((uint32_t[]){4, 3, 2, 0x10DC}), 16);
}
