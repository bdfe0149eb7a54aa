/* The PTX reader: numbers, positions in the source, variables with initializers. */
#include <string.h>
#include "tests/unit/unit.h"
#include "ptx/ptx.h"
#include "ptx/same.h"

static struct sc_ptx module;

static void read_text(const char *text)
{
	sc_ptx_read(&module, text, strlen(text));
}

static int tear_down(void **state)
{
	(void)state;
	sc_ptx_fini(&module);
	return 0;
}

/* The operand at that place of an instruction of the first function. */
static const struct sc_ptx_operand *operand(size_t instruction, uint32_t index)
{
	const struct sc_function *f = &module.functions.items[0];

	assert_true(instruction < f->code.count && index < f->code.items[instruction].count);
	return &f->operands.items[f->code.items[instruction].first + index];
}

static double wide(int64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

EACH_TEST(NULL, tear_down)

TEST(floating_point_numbers_keep_their_bits)
{
	read_text(".entry k() { mov.f32 a, 0f3F800000; mov.f64 a, 0dBFF0000000000000;"
		  "mov.f64 a, 1.5e-3; mov.f64 a, -2.25; mov.f32 a, -0f3F800000; }");
	assert_int_equal(operand(0, 1)->kind, SC_OPERAND_FLOAT);
	assert_true(operand(0, 1)->is_single);
	assert_int_equal(operand(0, 1)->value, 0x3F800000);
	assert_false(operand(1, 1)->is_single);
	assert_float_equal(wide(operand(1, 1)->value), -1, 0);
	assert_float_equal(wide(operand(2, 1)->value), 1.5e-3, 0);
	assert_float_equal(wide(operand(3, 1)->value), -2.25, 0);
	assert_int_equal(operand(4, 1)->value, 0xBF800000);
}

TEST(positions_in_the_source)
{
	const struct sc_function *f;

	read_text(".entry k() {\n add.s32 a, b, c;\n .loc 1 12 3, function_name $L, inlined_at 1\n"
		  "add.s32 a, b, c;\n .loc\n ret; }\n .file 1 \"/home/me/k.cu\"\n");
	f = &module.functions.items[0];
	assert_int_equal(f->code.count, 3);
	assert_int_equal(f->code.items[0].source_file, 0);
	assert_int_equal(f->code.items[1].source_file, 1);
	assert_int_equal(f->code.items[1].source_line, 12);
	assert_int_equal(f->code.items[2].source_line, 12);
	assert_int_equal(module.files.count, 1);
	assert_int_equal(module.files.items[0].number, 1);
	assert_string_equal(module.names.items[module.files.items[0].name], "/home/me/k.cu");
}

static const char *opcode(size_t instruction)
{
	return module.names.items[module.functions.items[0].code.items[instruction].name];
}

/* ptxas needs no white space before an operand that begins with '%', and takes it before a '.'. */
TEST(white_space_in_instructions)
{
	read_text(".entry k() { .reg.u32%r<3>; .reg.pred%p; mov.u32%r1,%laneid;"
		  "@%p add.s32%r2,%r1,7; ld .global\n.u32 %r1, [%r2]; setp.eq.s32%p|_,%r1,%r2; }");
	assert_string_equal(opcode(0), "mov.u32");
	assert_int_equal(operand(0, 0)->kind, SC_OPERAND_REGISTER);
	assert_int_equal(operand(0, 1)->kind, SC_OPERAND_SPECIAL);
	assert_string_equal(opcode(1), "add.s32");
	assert_int_equal(operand(1, 2)->value, 7);
	assert_string_equal(opcode(2), "ld.global.u32");
	assert_int_equal(module.functions.items[0].code.items[2].space, SC_SPACE_GLOBAL);
	assert_int_equal(module.functions.items[0].code.items[2].type, SC_TYPE_U32);
	assert_int_equal(operand(2, 1)->kind, SC_OPERAND_ADDRESS);
	assert_string_equal(opcode(3), "setp.eq.s32");
	assert_int_equal(module.functions.items[0].problems, 0);
}

static void check_initial(size_t index, uint64_t offset, uint64_t value, const char *target)
{
	const struct sc_ptx_initial *i = &module.initials.items[index];

	assert_true(index < module.initials.count);
	assert_int_equal(i->offset, offset);
	assert_int_equal(i->value, value);
	assert_int_equal(i->target != 0, target != NULL);
	if (target)
		assert_string_equal(module.names.items[i->target - 1], target);
}

TEST(initializers)
{
	read_text(".global .align 4 .u32 a[2][2] = {{1, -2}, {3, 4}}, b = 5;\n"
		  ".global .u64 p[2] = {generic(a)+4, b};\n"
		  ".global .f32 f = -1.5; .const .b8 c[1] = {0xFF00(generic(a))};\n"
		  ".global .u32 last;");
	assert_int_equal(module.symbols.count, 6);
	assert_int_equal(module.initials.count, 9);
	check_initial(1, 4, (uint64_t)-2, NULL);
	check_initial(3, 12, 4, NULL);
	assert_int_equal(module.initials.items[4].symbol, 1);
	check_initial(5, 0, 4, "a");
	check_initial(6, 8, 0, "b");
	check_initial(7, 0, 0xBFC00000, NULL);
	check_initial(8, 0, 0, "a");
	assert_int_equal(module.initials.items[8].mask, 0xFF00);
}

TEST(external_variables)
{
	read_text(".extern .shared .align 16 .b8 s[];\n.extern .func (.param .b32 r) f ();\n"
		  ".visible .entry k() { ret; }");
	assert_true(module.symbols.count >= 1);
	assert_true(module.symbols.items[0].is_extern);
	assert_int_equal(module.symbols.items[0].bytes, 0);
	assert_int_equal(module.symbols.items[0].align, 16);
	assert_int_equal(module.functions.count, 2);
}

/* The alignment of a pointer is that of what it points to, and moves no parameter. */
TEST(pointers_in_parameters)
{
	static const uint64_t offsets[] = {0, 8, 16, 24, 28};

	read_text(".visible .entry k(.param .u64 .ptr .align 1 a, .param .u32 n,\n"
		  ".param .u64 .ptr .align 1 b, .param .u32 m, .param .align 4 .b8 c[8]) { ret; }\n"
		  ".visible .entry l(.param .u64 .ptr .global .align 16 a,\n"
		  ".param .u64 .ptr .align 16 b) { ret; }");
	assert_int_equal(module.symbols.count, 7);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(module.symbols.items[i].offset, offsets[i]);
	assert_int_equal(module.symbols.items[6].offset, 8);
}

/* An initializer without an end, or of strange parts, ends with the text. */
TEST(broken_initializers_end)
{
	static const char *const texts[] = {".global .u32 a = {",    ".global .u32 a = -",
					    ".global .u32 a = ((((", ".global .u32 a = }}}, )b",
					    ".reg .f32 a = -1.0;",   ".global .b128 a = -1.0;"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		sc_ptx_fini(&module);
		read_text(texts[i]);
	}
}

/* Braces in strings, comments and operands, and a block inside. */
static const char three[] =
	".global .u32 a;\n"
	".entry k(.param .u64 p) {\n.reg .b32 %r<3>; // }\n.pragma \"}\"; /* }\n} */\n"
	"ld.param.u32 %r1, [p];\n{ .reg .b32 t; mov.b64 {t, %r2}, 5; }\nst.global.u32 [a], %r1;\n"
	"ret;\n}\n"
	".func (.param .b32 r) f(.param .b32 q) { .reg .b32 x; ld.param.b32 x, [q]; ret; }\n"
	".entry l(.param .u64 p) {\n.reg .b32 %r<2>;\n$L: bra $L;\n}\n";

/* What is asked for last is the same as when all is read in order. */
TEST(an_index_reads_the_bodies_that_are_asked_for)
{
	struct sc_ptx index;

	read_text(three);
	sc_ptx_index(&index, three, sizeof(three) - 1);
	assert_int_equal(index.functions.count, 3);
	for (size_t i = index.functions.count; i-- > 0;) {
		const struct sc_function *f = &index.functions.items[i];
		const struct sc_function *g = &module.functions.items[i];

		for (size_t below = 0; below <= i; below++)
			assert_int_equal(index.functions.items[below].code.count, 0);
		assert_true(f->has_body);
		assert_ptr_equal(sc_ptx_body(&index, f), f);
		assert_true(f->code.count);
		assert_true(sc_ptx_is_same(&index, f, &module, g));
		for (size_t n = 0; n < f->code.count; n++)
			assert_int_equal(f->code.items[n].line, g->code.items[n].line);
		assert_int_equal(f->problems, 0);
	}
	assert_int_equal(index.functions.items[0].code.items[0].line, 6);
	assert_ptr_equal(sc_ptx_body(&index, NULL), NULL);
	sc_ptx_fini(&index);
}

/* A name that was met may mean another register after a declaration, and the first one again after
 * the block. */
TEST(names_mean_what_was_declared_last)
{
	read_text(".entry k() { .reg .b32 a, %r<4>; mov.b32 a, %r1; mov.b32 a, %r1;"
		  "{ mov.b32 a, %r1; .reg .b32 a; .reg .b32 %r<4>; mov.b32 a, %r1;"
		  "{ mov.b32 a, %r1; } mov.b32 a, %r1; }"
		  "{ .reg .b32 a; mov.b32 a, %r1; } mov.b32 a, %r1; }"
		  ".entry l() { .reg .b32 %r<4>, b, a; mov.b32 a, %r1; }");
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t outer = operand(0, i)->id, inner = operand(3, i)->id;

		assert_int_equal(operand(0, i)->kind, SC_OPERAND_REGISTER);
		assert_int_not_equal(inner, outer);
		assert_int_equal(operand(1, i)->id, outer);
		assert_int_equal(operand(2, i)->id, outer);
		assert_int_equal(operand(4, i)->id, inner);
		assert_int_equal(operand(5, i)->id, inner);
		assert_int_equal(operand(7, i)->id, outer);
	}
	assert_int_not_equal(operand(6, 0)->id, operand(0, 0)->id);
	assert_int_equal(operand(6, 1)->id, operand(0, 1)->id);
	assert_int_equal(module.functions.items[1].registers.count, 2);
}
