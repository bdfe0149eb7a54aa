/* Writes random PTX kernels and their cases: every integer instruction, at its edges.
 *
 *	generate_footprint_ptx KERNELS SEED out.ptx out.cases
 *
 * Registers r0 … r7 take part in random arithmetic (wrapping, signed and unsigned), under random
 * branches and in short loops; addresses are cut to a few thousand elements at the very end. No
 * kernel counts as regular: what matters is that no byte is missed and none is invented.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define REGISTERS 8

struct writer {
	FILE *code;
	FILE *cases;
	uint64_t state;
	unsigned labels;
	unsigned depth;
};

static unsigned draw(struct writer *w, unsigned below)
{
	w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(w->state >> 33) % below;
}

static int small(struct writer *w)
{
	static const int edges[] = {0,	1,  -1, 2,   3,	   4,	       5,  7,	 8,    16,
				    31, 32, 64, 100, 1000, 2147483647, -2, -100, 65535};

	return edges[draw(w, sizeof(edges) / sizeof(*edges))];
}

static const char *pick(struct writer *w, const char *const *from, unsigned count)
{
	return from[draw(w, count)];
}

#define PICK(w, ...)                                  \
	pick((w), (const char *const[]){__VA_ARGS__}, \
	     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void write_operand(struct writer *w)
{
	if (draw(w, 4) == 0)
		fprintf(w->code, "%d", small(w));
	else
		fprintf(w->code, "%%r%u", draw(w, REGISTERS));
}

static void write_binary(struct writer *w, const char *opcode)
{
	fprintf(w->code, "\t%s %%r%u, %%r%u, ", opcode, draw(w, REGISTERS), draw(w, REGISTERS));
	write_operand(w);
	fprintf(w->code, ";\n");
}

static void write_setp(struct writer *w)
{
	fprintf(w->code, "\tsetp.%s.%s %%p%u, %%r%u, ", PICK(w, "eq", "ne", "lt", "le", "gt", "ge"),
		PICK(w, "s32", "u32"), draw(w, 3), draw(w, REGISTERS));
	write_operand(w);
	fprintf(w->code, ";\n");
}

static void write_wide(struct writer *w)
{
	unsigned x = draw(w, REGISTERS), y = draw(w, REGISTERS), z = draw(w, REGISTERS);

	switch (draw(w, 4)) {
	case 0:
		fprintf(w->code, "\tmul.wide.%s %%d1, %%r%u, %d;\n\tcvt.u32.u64 %%r%u, %%d1;\n",
			PICK(w, "s32", "u32"), x, small(w), y);
		return;
	case 1:
		fprintf(w->code,
			"\tcvt.%s %%d1, %%r%u;\n\tshr.%s %%d1, %%d1, %u;\n\tcvt.u32.u64 %%r%u, "
			"%%d1;\n",
			PICK(w, "s64.s32", "u64.u32"), x, PICK(w, "s64", "u64"), draw(w, 40), y);
		return;
	case 2:
		fprintf(w->code,
			"\tmov.b64 %%d1, {%%r%u, %%r%u};\n\tmov.b64 {%%r%u, %%r%u}, %%d1;\n", x, y,
			y, z == y ? (y + 1) % REGISTERS : z);
		return;
	default:
		fprintf(w->code, "\tcvt.%s %%r%u, %%r%u;\n",
			PICK(w, "u32.u8", "s32.s8", "u32.u16", "s32.s16"), x, y);
		return;
	}
}

static void write_value(struct writer *w)
{
	switch (draw(w, 12)) {
	case 0:
	case 1:
	case 2: write_binary(w, PICK(w, "add.s32", "sub.s32", "add.u32", "mul.lo.s32")); return;
	case 3: write_binary(w, PICK(w, "and.b32", "or.b32", "xor.b32")); return;
	case 4: write_binary(w, PICK(w, "min.s32", "min.u32", "max.s32", "max.u32")); return;
	case 5:
		fprintf(w->code, "\t%s %%r%u, %%r%u, %u;\n",
			PICK(w, "shl.b32", "shr.s32", "shr.u32"), draw(w, REGISTERS),
			draw(w, REGISTERS), draw(w, 9) ? draw(w, 6) : 31);
		return;
	case 6:
		fprintf(w->code, "\t%s %%r%u, %%r%u, %u;\n",
			PICK(w, "div.s32", "div.u32", "rem.s32", "rem.u32"), draw(w, REGISTERS),
			draw(w, REGISTERS), 1 + draw(w, 40));
		return;
	case 7:
		fprintf(w->code, "\tmad.lo.s32 %%r%u, %%r%u, %d, %%r%u;\n", draw(w, REGISTERS),
			draw(w, REGISTERS), small(w), draw(w, REGISTERS));
		return;
	case 8:
		write_setp(w);
		fprintf(w->code, "\tselp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", draw(w, REGISTERS),
			draw(w, REGISTERS), draw(w, REGISTERS), draw(w, 3));
		return;
	case 9:
		fprintf(w->code, "\t%s %%r%u, %%r%u;\n",
			PICK(w, "not.b32", "neg.s32", "abs.s32", "popc.b32"), draw(w, REGISTERS),
			draw(w, REGISTERS));
		return;
	case 10: write_wide(w); return;
	default:
		fprintf(w->code, "\t@%s%%p%u add.s32 %%r%u, %%r%u, %d;\n", PICK(w, "", "!"),
			draw(w, 3), draw(w, REGISTERS), draw(w, REGISTERS), small(w));
		return;
	}
}

/* An access at a register's value, cut to what the buffer holds. */
static void write_access(struct writer *w)
{
	unsigned r = draw(w, REGISTERS);
	static const char *const types[] = {"u8", "u16", "u32", "u64"};
	static const char *const values[] = {"%h0", "%h0", "%r0", "%d1"};
	static const char *const results[] = {"%h1", "%h1", "%r9", "%d4"};
	unsigned t = draw(w, 4);
	bool stores = draw(w, 3) != 0;

	switch (draw(w, 3)) {
	case 0: fprintf(w->code, "\tand.b32 %%r9, %%r%u, 4095;\n", r); break;
	case 1: fprintf(w->code, "\tmin.u32 %%r9, %%r%u, 2000;\n", r); break;
	default: fprintf(w->code, "\trem.u32 %%r9, %%r%u, 1000;\n", r); break;
	}
	fprintf(w->code, "\tmul.wide.u32 %%d2, %%r9, 8;\n\tadd.s64 %%d3, %%d0, %%d2;\n\t");
	if (draw(w, 3) == 0)
		fprintf(w->code, "@%s%%p%u ", PICK(w, "", "!"), draw(w, 3));
	fprintf(w->code, "%s.global.%s ", stores ? "st" : "ld", types[t]);
	if (stores)
		fprintf(w->code, "[%%d3+%u], %s;\n", draw(w, 5) * 8, values[t]);
	else
		fprintf(w->code, "%s, [%%d3+%u];\n", results[t], draw(w, 5) * 8);
}

static void write_block(struct writer *w);

static void write_if(struct writer *w)
{
	unsigned label = w->labels++;

	write_setp(w);
	if (draw(w, 4) == 0)
		fprintf(w->code, "\t%s.pred %%p%u, %%p%u, %%p%u;\n", PICK(w, "and", "or", "xor"),
			draw(w, 3), draw(w, 3), draw(w, 3));
	fprintf(w->code, "\t@%s%%p%u bra L%u;\n", PICK(w, "", "!"), draw(w, 3), label);
	write_block(w);
	if (draw(w, 3) == 0) {
		fprintf(w->code, "\tbra E%u;\nL%u:\n", label, label);
		write_block(w);
		fprintf(w->code, "E%u:\n", label);
	} else {
		fprintf(w->code, "L%u:\n", label);
	}
}

/* A loop that ends: its counter is its own; a register steps along. */
static void write_loop(struct writer *w)
{
	unsigned label = w->labels++, counter = 10 + w->depth, r = draw(w, REGISTERS);

	fprintf(w->code, "\tmov.u32 %%r%u, %u;\nL%u:\n", counter, draw(w, 3), label);
	write_block(w);
	if (draw(w, 5) == 0) {
		write_setp(w);
		fprintf(w->code, "\t@%%p%u bra B%u;\n", draw(w, 3), label);
	}
	fprintf(w->code, "\tadd.s32 %%r%u, %%r%u, %d;\n", r, r, small(w));
	fprintf(w->code, "\tadd.s32 %%r%u, %%r%u, 1;\n\tsetp.lt.%s %%p3, %%r%u, ", counter, counter,
		PICK(w, "s32", "u32"), counter);
	if (draw(w, 2))
		fprintf(w->code, "%u;\n", 1 + draw(w, 6));
	else
		fprintf(w->code, "%%r8;\n");
	fprintf(w->code, "\t@%%p3 bra L%u;\nB%u:\n", label, label);
}

static void write_block(struct writer *w)
{
	unsigned count = 1 + draw(w, 4);

	w->depth++;
	for (unsigned i = 0; i < count; i++)
		switch (w->depth < 4 ? draw(w, 9) : 8) {
		case 0: write_if(w); break;
		case 1: write_loop(w); break;
		case 2:
		case 3: write_access(w); break;
		default: write_value(w); break;
		}
	w->depth--;
}

static void write_start(struct writer *w)
{
	static const char *const sources[] = {"%tid.x",	  "%tid.y",  "%ctaid.x",
					      "%ctaid.y", "%ntid.x", "%nctaid.x"};

	fprintf(w->code, "\tld.param.u64 %%d0, [p];\n\tld.param.u32 %%r0, [x];\n");
	fprintf(w->code, "\tld.param.u32 %%r1, [y];\n\tld.param.u32 %%r8, [z];\n");
	fprintf(w->code, "\tmov.u64 %%d1, 0;\n\tmov.u16 %%h0, 0;\n");
	for (unsigned i = 2; i < REGISTERS; i++)
		fprintf(w->code, "\tmov.u32 %%r%u, %s;\n", i, sources[i - 2]);
	fprintf(w->code, "\tmad.lo.s32 %%r4, %%r4, %%r6, %%r2;\n");
	for (unsigned i = 0; i < 3; i++)
		fprintf(w->code, "\tsetp.lt.s32 %%p%u, %%r%u, %u;\n", i, 2 + i, 1 + draw(w, 30));
}

static void write_kernel(struct writer *w, unsigned number)
{
	fprintf(w->code,
		".visible .entry assembled%u(.param .u64 p, .param .u32 x, .param .u32 y, .param "
		".u32 z)\n{\n",
		number);
	fprintf(w->code, "\t.reg .b32 %%r<20>;\n\t.reg .b64 %%d<5>;\n\t.reg .b16 %%h<2>;\n");
	fprintf(w->code, "\t.reg .pred %%p<4>;\n");
	w->depth = 0;
	write_start(w);
	for (unsigned i = 0; i < 4; i++)
		write_block(w);
	write_access(w);
	fprintf(w->code, "\tret;\n}\n\n");
	fprintf(w->cases, "assembled%u I %u,%u,1 %u,%u,1 0 p i%d i%d i%u\n", number, 1 + draw(w, 3),
		1 + draw(w, 2), 1 + draw(w, 40), 1 + draw(w, 3), small(w), small(w), draw(w, 6));
}

int main(int argc, char **argv)
{
	struct writer w = {0};
	unsigned kernels;

	if (argc != 5)
		return 2;
	kernels = (unsigned)strtoul(argv[1], NULL, 10);
	w.state = strtoul(argv[2], NULL, 10);
	w.code = fopen(argv[3], "w");
	w.cases = fopen(argv[4], "w");
	if (!w.code || !w.cases)
		return 2;
	fprintf(w.code, ".version 9.0\n.target sm_80\n.address_size 64\n\n");
	for (unsigned i = 0; i < kernels; i++)
		write_kernel(&w, i);
	return fclose(w.code) || fclose(w.cases);
}
