/* The executor: products of warpgroups, of factors that lie in shared memory in all ways that a
 * descriptor can say, against plain sums. */
#include <stdarg.h>
#include <stdlib.h>

#include "simulator/executor/hazard.h"
#include "tests/unit/executor/executor_fixture.h"

#define THREADS	 128
#define ROWS	 64
#define MOST	 256 /* columns */
#define ROOM	 (48 << 10)
#define RIGHT_AT (16 << 10) /* of the second factor */
#define TEXT	 (64 << 10)

enum element { F16, BF16, TF32, E4M3, S8 };

static const struct {
	const char *name, *sum;
	unsigned bits;
} elements[] = {{"f16", "f32", 16},
		{"bf16", "f32", 16},
		{"tf32", "f32", 32},
		{"e4m3", "f32", 8},
		{"s8", "s32", 8}};

/* A factor is `swizzle` bytes wide (0: 16, not swizzled), along k or along its rows. */
struct way {
	enum element element;
	unsigned columns;
	unsigned swizzle;
	bool is_turned;
};

static struct {
	unsigned char shared[ROOM];
	uint32_t result[ROWS * MOST];
} memory;

static char text[TEXT];
static size_t used;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, TEXT - used, format, args);
	va_end(args);
	assert_true(used < TEXT);
}

static uint32_t bits_of(int value, enum element e)
{
	static const uint16_t halves[] = {0, 0x3C00, 0x4000, 0x4200};
	static const uint8_t bytes[] = {0, 0x38, 0x40, 0x44};
	unsigned size = (unsigned)abs(value);
	float wide = (float)value;
	uint32_t bits;

	memcpy(&bits, &wide, sizeof(bits));
	switch (e) {
	case F16: return halves[size] | (value < 0 ? 0x8000U : 0);
	case BF16: return bits >> 16;
	case TF32: return bits;
	case E4M3: return bytes[size] | (value < 0 ? 0x80U : 0);
	case S8: break;
	}
	return (uint8_t)value;
}

static int left(unsigned row, unsigned k)
{
	return (int)((row * 3 + k * 5 + row * k) % 7) - 3;
}

static int right(unsigned column, unsigned k)
{
	return (int)((column * 2 + k * 3 + column * k / 4) % 6) - 3;
}

/* ---- layouts, as the figures of the PTX manual show them ---- */

static unsigned width(const struct way *w)
{
	return w->swizzle ? w->swizzle : 16;
}

/* Of one instruction, and of the test: as many numbers as the bytes of a swizzled row hold. */
static unsigned depth(const struct way *w)
{
	return 256 / elements[w->element].bits;
}

static unsigned total_depth(const struct way *w)
{
	return w->swizzle && !w->is_turned ? w->swizzle * 8 / elements[w->element].bits : depth(w);
}

/* Pieces of 16 bytes change places with those of other lines. */
static unsigned swizzled(const struct way *w, unsigned line, unsigned piece)
{
	return w->swizzle ? piece ^ line % 8 / (128 / w->swizzle) : piece;
}

static unsigned leading(const struct way *w, unsigned rows)
{
	if (!w->is_turned)
		return w->swizzle ? 0 : 128;
	return w->swizzle ? total_depth(w) * width(w) : rows / 8 * 128;
}

static unsigned striding(const struct way *w)
{
	if (w->is_turned)
		return w->swizzle ? 8 * width(w) : 128;
	return w->swizzle ? 8 * width(w) : 256;
}

static unsigned place(const struct way *w, unsigned rows, unsigned row, unsigned k)
{
	unsigned bytes = elements[w->element].bits / 8, line = w->is_turned ? k : row;
	unsigned along = (w->is_turned ? row : k) * bytes, piece = along % width(w) / 16;
	unsigned at = line % 8 * width(w) + swizzled(w, line, piece) * 16 + along % 16;

	if (w->is_turned && !w->swizzle)
		return at + line / 8 * leading(w, rows) + along / 16 * striding(w);
	return at + line / 8 * striding(w) + along / width(w) * leading(w, rows);
}

static void lay_out(const struct way *w, unsigned rows, unsigned at,
		    int (*value)(unsigned row, unsigned k))
{
	for (unsigned row = 0; row < rows; row++)
		for (unsigned k = 0; k < total_depth(w); k++) {
			uint32_t bits = bits_of(value(row, k), w->element);

			memcpy(&memory.shared[at + place(w, rows, row, k)], &bits,
			       elements[w->element].bits / 8);
		}
}

static uint64_t descriptor(const struct way *w, unsigned rows, unsigned at)
{
	uint64_t mode = w->swizzle == 128 ? 1 : w->swizzle == 64 ? 2 : w->swizzle == 32 ? 3 : 0;

	return at >> 4 | (uint64_t)(leading(w, rows) >> 4) << 16 |
	       (uint64_t)(striding(w) >> 4) << 32 | mode << 62;
}

/* ---- the kernel ---- */

static void say_list(const char *name, unsigned count)
{
	say("{");
	for (unsigned i = 0; i < count; i++)
		say("%s%s%u", i ? ", " : "", name, i);
	say("}");
}

/* All threads copy what the host has laid out; sums begin at 2. */
static void begin(unsigned registers, const char *start)
{
	used = 0;
	say(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
	    ".shared .align 1024 .b8 room[%u]; .reg .pred %%p<4>; .reg .b32 %%r<16>;\n"
	    ".reg .b32 %%f<%u>; .reg .b64 %%rd<8>, %%a, %%b; .reg .b32 %%v<4>;\n"
	    "ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, room;\n"
	    "shl.b32 %%r3, %%r1, 4;\n"
	    "L: cvt.u64.u32 %%rd2, %%r3; add.s64 %%rd2, %%rd2, %%rd1; add.u32 %%r4, %%r2, %%r3;\n"
	    "ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%rd2];\n"
	    "st.shared.v4.b32 [%%r4], {%%v0, %%v1, %%v2, %%v3}; add.u32 %%r3, %%r3, 2048;\n"
	    "setp.lt.u32 %%p1, %%r3, %u; @%%p1 bra L;\n"
	    "bar.sync 0; shr.u32 %%r2, %%r2, 4; cvt.u64.u32 %%rd3, %%r2;\n",
	    ROOM, registers, ROOM);
	for (unsigned i = 0; i < registers; i++)
		say("mov.b32 %%f%u, %s;\n", i, start);
	say("wgmma.fence.sync.aligned;\n");
}

/* The registers come to the rows and columns that the manual says. */
static void end(unsigned columns)
{
	say("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
	    "and.b32 %%r5, %%r1, 31; shr.u32 %%r6, %%r1, 5; shr.u32 %%r7, %%r5, 2;\n"
	    "mad.lo.u32 %%r6, %%r6, 16, %%r7; and.b32 %%r5, %%r5, 3; shl.b32 %%r5, %%r5, 1;\n"
	    "mad.lo.u32 %%r6, %%r6, %u, %%r5; mul.wide.u32 %%rd4, %%r6, 4;\n"
	    "add.s64 %%rd4, %%rd4, %%rd1;\n",
	    columns);
	for (unsigned i = 0; i < columns / 2; i++)
		say("st.global.b32 [%%rd4+%u], %%f%u;\n",
		    ROOM + (i / 2 % 2 * 8 * columns + i / 4 * 8 + i % 2) * 4, i);
	say("ret; }\n");
}

static void run_with(uint32_t hazards)
{
	struct device d = device_with(&memory, sizeof(memory), THREADS);
	struct exec_hazards found = {0};
	const uint64_t params = DEVICE_BASE;
	const char *why;

	d.hazards = &found;
	memset(memory.result, 0xA5, sizeof(memory.result));
	why = device_try(&d, text, &params, sizeof(params));
	if (why)
		fail_msg("%s", why);
	assert_int_equal(d.outcome.result, EXEC_DONE);
	assert_int_equal(found.count, hazards);
}

/* Nothing here is a hazard: what a warp brings lies there before a barrier. */
static void run(void)
{
	run_with(0);
}

static int plain(unsigned row, unsigned column, unsigned k_count)
{
	int sum = 0;

	for (unsigned k = 0; k < k_count; k++)
		sum += left(row, k) * right(column, k);
	return sum;
}

static int result(const struct way *w, unsigned row, unsigned column)
{
	uint32_t bits = memory.result[row * w->columns + column];
	float value;

	if (w->element == S8)
		return (int32_t)bits;
	memcpy(&value, &bits, sizeof(value));
	return (int)value;
}

static void check(const struct way *w)
{
	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned column = 0; column < w->columns; column++) {
			int expected = 2 + plain(row, column, total_depth(w));

			if (result(w, row, column) != expected)
				fail_msg("%s, %u columns, swizzle %u, turned %d: (%u, %u) is %d, "
					 "not %d",
					 elements[w->element].name, w->columns, w->swizzle,
					 w->is_turned, row, column, result(w, row, column),
					 expected);
		}
}

/* As many instructions as the rows are long: each begins 32 bytes after the one before. */
static void multiply(const struct way *w)
{
	const char *name = elements[w->element].name, *flags = "";

	if (w->element != S8)
		flags = elements[w->element].bits != 16 ? ", 1, 1"
			: w->is_turned			? ", 1, 1, 1, 1"
							: ", 1, 1, 0, 0";
	memset(memory.shared, 0xEE, sizeof(memory.shared));
	lay_out(w, ROWS, 0, left);
	lay_out(w, w->columns, RIGHT_AT, right);
	begin(w->columns / 2, w->element == S8 ? "2" : "0f40000000");
	for (unsigned i = 0; i < total_depth(w) / depth(w); i++) {
		say("add.s64 %%a, %%rd3, %llu; add.s64 %%b, %%rd3, %llu;\n"
		    "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ",
		    (unsigned long long)descriptor(w, ROWS, i * 32),
		    (unsigned long long)descriptor(w, w->columns, RIGHT_AT + i * 32), w->columns,
		    depth(w), elements[w->element].sum, name, name);
		say_list("%f", w->columns / 2);
		say(", %%a, %%b, 1%s;\n", flags);
	}
	end(w->columns);
	run();
	check(w);
}

TEST(factors_along_k)
{
	static const unsigned swizzles[] = {0, 32, 64, 128}, columns[] = {8, 24, 128, 256};

	for (unsigned e = F16; e <= S8; e++)
		for (unsigned i = 0; i < 4; i++)
			multiply(&(struct way){(enum element)e, columns[(i + e) % 3], swizzles[i],
					       0});
	multiply(&(struct way){F16, columns[3], swizzles[2], 0});
}

TEST(factors_along_rows)
{
	static const unsigned swizzles[] = {0, 32, 64, 128};

	for (unsigned i = 0; i < 4; i++) {
		multiply(&(struct way){F16, 64, swizzles[i], 1});
		multiply(&(struct way){BF16, 128, swizzles[i], 1});
	}
}

/* The first factor in registers, its sign and that of the second one turned, sums not added to. */
TEST(factor_in_registers)
{
	const struct way w = {F16, 16, 32, 0};

	lay_out(&w, w.columns, RIGHT_AT, right);
	begin(8, "0f40000000");
	say("mov.b32 %%v0, 0x40003C00; mov.b32 %%v1, 0; mov.b32 %%v2, 0; mov.b32 %%v3, 0;\n"
	    "setp.ne.u32 %%p1, %%r1, %%r1; add.s64 %%b, %%rd3, %llu;\n"
	    "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 ",
	    (unsigned long long)descriptor(&w, w.columns, RIGHT_AT));
	say_list("%f", 8);
	say(", {%%v0, %%v1, %%v2, %%v3}, %%b, %%p1, -1, 1, 0;\n");
	end(w.columns);
	run();
	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned c = 0; c < w.columns; c++) {
			int expected = 0;

			/* Rows 0 … 7 of a warp have 1 and 2 in neighbours of k below 8. */
			for (unsigned k = 0; row % 16 < 8 && k < 8; k++)
				expected -= (int)(k % 2 + 1) * right(c, k);
			assert_int_equal(result(&w, row, c), expected);
		}
}

/* Halves as sums: two of them are in a register. */
TEST(sums_of_halves)
{
	const struct way w = {F16, 8, 128, 0};

	lay_out(&w, ROWS, 0, left);
	lay_out(&w, w.columns, RIGHT_AT, right);
	begin(4, "0x40004000");
	say("add.s64 %%a, %%rd3, %llu; add.s64 %%b, %%rd3, %llu;\n"
	    "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%%f0, %%f1}, %%a, %%b, 1, 1, 1, 0, "
	    "0;\n",
	    (unsigned long long)descriptor(&w, ROWS, 0),
	    (unsigned long long)descriptor(&w, w.columns, RIGHT_AT));
	say(".reg .b16 %%h<4>; mov.b32 {%%h0, %%h1}, %%f0; mov.b32 {%%h2, %%h3}, %%f1;\n"
	    "cvt.f32.f16 %%f0, %%h0; cvt.f32.f16 %%f1, %%h1; cvt.f32.f16 %%f2, %%h2;\n"
	    "cvt.f32.f16 %%f3, %%h3;\n");
	end(w.columns);
	run();
	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned c = 0; c < w.columns; c++)
			assert_int_equal(result(&w, row, c), 2 + plain(row, c, 16));
}

/* Of factors of 8 bits, what is less than the 13th place after the largest addend's first is lost.
 */
TEST(sums_of_bytes_have_few_places)
{
	const struct way w = {E4M3, 8, 32, 0};

	lay_out(&w, ROWS, 0, left);
	lay_out(&w, w.columns, RIGHT_AT, right);
	begin(4, "0f46800000"); /* 2^14 */
	say("add.s64 %%a, %%rd3, %llu; add.s64 %%b, %%rd3, %llu;\n"
	    "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%%f0, %%f1, %%f2, %%f3}, %%a, "
	    "%%b, 1, 1, 1;\n",
	    (unsigned long long)descriptor(&w, ROWS, 0),
	    (unsigned long long)descriptor(&w, w.columns, RIGHT_AT));
	end(w.columns);
	run();
	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned c = 0; c < w.columns; c++) {
			int sum = 1 << 14;

			for (unsigned k = 0; k < 32; k++)
				sum += left(row, k) * right(c, k) / 2 * 2;
			assert_int_equal(result(&w, row, c), sum < 1 << 14 ? sum : sum / 2 * 2);
		}
}

/* A thread that has waited may overwrite what other warps multiply: they have come before it goes
 * on.
 */
TEST(one_wait_is_for_the_warpgroup)
{
	const struct way w = {F16, 8, 32, 0};

	lay_out(&w, ROWS, 0, left);
	lay_out(&w, w.columns, RIGHT_AT, right);
	begin(4, "0f40000000");
	say("shl.b32 %%r8, %%r1, 2; mov.u32 %%r9, room; add.u32 %%r8, %%r8, %%r9;\n"
	    "st.shared.b32 [%%r8+40960], 1; add.s64 %%a, %%rd3, %llu; add.s64 %%b, %%rd3, %llu;\n"
	    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%f0, %%f1, %%f2, %%f3}, %%a, %%b, "
	    "1, 1, 1,"
	    " 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
	    "setp.eq.u32 %%p2, %%r1, 0; @!%%p2 bra GO;\n",
	    (unsigned long long)descriptor(&w, ROWS, 0),
	    (unsigned long long)descriptor(&w, w.columns, RIGHT_AT));
	for (unsigned i = 0; i < 4 * THREADS; i += 4)
		say("st.shared.b32 [room+%u], 0;\n", 40960 + i);
	for (unsigned i = 0; i < ROWS * 32; i += 8)
		say("st.shared.b64 [room+%u], 0;\n", i);
	say("GO:\n");
	end(w.columns);
	run();
	check(&w);
}

/* It reads what two warps have written without order, and nobody has read before. */
TEST(products_read_what_was_written)
{
	const struct way w = {F16, 8, 32, 0};

	for (unsigned at = 0; at <= ROOM / 2; at += ROOM / 2) {
		lay_out(&w, ROWS, 0, left);
		lay_out(&w, w.columns, RIGHT_AT, right);
		begin(4, "0f40000000");
		say("st.shared.b32 [room+%u], %%r1; bar.sync 0;\n"
		    "add.s64 %%a, %%rd3, %llu; add.s64 %%b, %%rd3, %llu;\n"
		    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%f0, %%f1, %%f2, %%f3}, "
		    "%%a, %%b, 1, 1, 1, 0, 0;\n",
		    at, (unsigned long long)descriptor(&w, ROWS, 0),
		    (unsigned long long)descriptor(&w, w.columns, RIGHT_AT));
		end(w.columns);
		run_with(at == 0);
	}
}

TEST(descriptors_beyond_the_block)
{
	struct device d = device_with(&memory, sizeof(memory), THREADS);
	const uint64_t params = DEVICE_BASE;

	begin(4, "0f40000000");
	say("mov.b64 %%a, 0x3FFF; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
	    "{%%f0, %%f1, %%f2, %%f3}, %%a, %%a, 1, 1, 1, 0, 0;\n");
	end(8);
	assert_null(device_try(&d, text, &params, sizeof(params)));
	assert_int_equal(d.outcome.result, EXEC_ILLEGAL_ADDRESS);
	d = device_with(&memory, sizeof(memory), THREADS);
	device_refuses(&d,
		       "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4},"
		       " %rd1, %rd2, %r1, 0, 1, 1, 1, 0, 0;",
		       "wgmma.mma_async.sp");
}
