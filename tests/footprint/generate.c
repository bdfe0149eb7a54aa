/* Writes random kernels and their cases: the same ones for the same seed.
 *
 *	generate_footprint KERNELS SEED out.cu out.cases
 *
 * Every kernel is built from index expressions, guards, loops and accesses over small numbers, so
 * that it stays within the test machine's buffers. Kernels without loaded indices, products of
 * coordinates and the like count as regular.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct writer {
	FILE *code;
	FILE *cases;
	uint64_t state;
	unsigned variables; /* declared: v0, v1, … */
	unsigned depth;	    /* of blocks */
	bool is_regular;
	const char *type;  /* of the elements */
	const char *index; /* type of indices */
	bool may_subtract;
};

static unsigned draw(struct writer *w, unsigned below)
{
	w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(w->state >> 33) % below;
}

static int between(struct writer *w, int low, int high)
{
	return low + (int)draw(w, (unsigned)(high - low + 1));
}

static void indent(struct writer *w)
{
	for (unsigned i = 0; i <= w->depth; i++)
		fputc('\t', w->code);
}

static void write_variable(struct writer *w)
{
	fprintf(w->code, "v%u", draw(w, w->variables));
}

/* One summand of an index. */
static void write_summand(struct writer *w)
{
	switch (draw(w, 7)) {
	case 0:
	case 1: write_variable(w); return;
	case 2:
		fprintf(w->code, "%d * ", between(w, 2, 5));
		write_variable(w);
		return;
	case 3: fprintf(w->code, "%d", between(w, 0, 20)); return;
	case 4: fprintf(w->code, "p%u", draw(w, 2)); return;
	case 5:
		write_variable(w);
		fprintf(w->code, " %c %d", draw(w, 2) ? '/' : '%', 1 << between(w, 1, 3));
		return;
	default:
		fprintf(w->code, "p2 * ");
		write_variable(w);
		return;
	}
}

static void write_sum(struct writer *w)
{
	unsigned count = 1 + draw(w, 2);

	fputc('(', w->code);
	for (unsigned i = 0; i < count; i++) {
		fprintf(w->code, "%s", !i ? "" : w->may_subtract && !draw(w, 4) ? " - " : " + ");
		write_summand(w);
	}
	fputc(')', w->code);
}

static void write_comparison(struct writer *w)
{
	static const char *const ops[] = {"<", "<", "<=", ">", ">=", "==", "!="};

	if (draw(w, 8) == 0) {
		write_variable(w);
		fprintf(w->code, " %% %d == %d", between(w, 2, 4), between(w, 0, 1));
		return;
	}
	write_variable(w);
	fprintf(w->code, " %s ", ops[draw(w, 7)]);
	if (draw(w, 2))
		fprintf(w->code, "p%u", draw(w, 2));
	else
		fprintf(w->code, "%d", between(w, 1, 60));
}

static void write_condition(struct writer *w)
{
	write_comparison(w);
	if (draw(w, 3) == 0) {
		fprintf(w->code, draw(w, 3) ? " && " : " || ");
		write_comparison(w);
	}
}

/* An access; all indices stay far below the size of a buffer. */
static void write_access(struct writer *w)
{
	unsigned kind = draw(w, 12);

	indent(w);
	if (kind == 0) {
		w->is_regular = 0;
		fprintf(w->code, "a[index[");
		write_variable(w);
		fprintf(w->code, " & 63] & 31] = (T)0;\n");
		return;
	}
	if (kind < 3) {
		fprintf(w->code, "a[min((int)");
		write_sum(w);
		fprintf(w->code, ", p0)] = (T)0;\n");
		return;
	}
	fprintf(w->code, "%s[", draw(w, 2) ? "a" : "b");
	write_sum(w);
	fprintf(w->code, draw(w, 3) ? "] = (T)0;\n" : "] += (T)1;\n");
}

static void write_block(struct writer *w);

static void write_loop(struct writer *w)
{
	unsigned v = w->variables;
	int step = between(w, 1, 3);

	indent(w);
	switch (draw(w, 4)) {
	case 0:
		fprintf(w->code, "for (I v%u = 0; v%u < %d; v%u += %d) {\n", v, v, between(w, 1, 9),
			v, step);
		break;
	case 1:
		fprintf(w->code, "for (I v%u = threadIdx.x; v%u < p1; v%u += blockDim.x) {\n", v, v,
			v);
		break;
	case 2:
		fprintf(w->code, "for (I v%u = x; v%u < p0; v%u += gridDim.x * blockDim.x) {\n", v,
			v, v);
		break;
	default:
		fprintf(w->code, "for (int v%u = p1; v%u > %d; v%u -= %d) {\n", v, v,
			between(w, 0, 3), v, step);
		break;
	}
	w->variables++;
	w->depth++;
	write_block(w);
	w->depth--;
	w->variables--;
	indent(w);
	fprintf(w->code, "}\n");
}

static void write_if(struct writer *w)
{
	indent(w);
	fprintf(w->code, "if (");
	write_condition(w);
	fprintf(w->code, ") {\n");
	w->depth++;
	write_block(w);
	w->depth--;
	indent(w);
	if (draw(w, 3) == 0) {
		fprintf(w->code, "} else {\n");
		w->depth++;
		write_access(w);
		w->depth--;
		indent(w);
	}
	fprintf(w->code, "}\n");
}

static void write_return(struct writer *w)
{
	indent(w);
	fprintf(w->code, "if (");
	write_comparison(w);
	fprintf(w->code, ")\n");
	w->depth++;
	indent(w);
	w->depth--;
	fprintf(w->code, "return;\n");
}

static void write_block(struct writer *w)
{
	unsigned count = 1 + draw(w, 2);

	for (unsigned i = 0; i < count; i++)
		switch (w->depth < 3 ? draw(w, 6) : 5) {
		case 0: write_loop(w); break;
		case 1:
		case 2: write_if(w); break;
		default: write_access(w); break;
		}
}

static void write_kernel(struct writer *w, unsigned number)
{
	static const char *const types[] = {"float", "unsigned char", "short", "double", "int"};
	static const char *const indices[] = {"int", "int", "unsigned", "long long"};

	w->is_regular = 1;
	w->depth = 0;
	w->variables = 2;
	w->type = types[draw(w, 5)];
	w->index = indices[draw(w, 4)];
	w->may_subtract = *w->index != 'u';
	fprintf(w->code, "#define T %s\n#define I %s\n", w->type, w->index);
	fprintf(w->code, "extern \"C\" __global__ void generated%u(T *a, T *b, const int *index, ",
		number);
	fprintf(w->code, "int p0, int p1, int p2)\n{\n");
	fprintf(w->code, "\tI x = blockIdx.x * blockDim.x + threadIdx.x;\n");
	fprintf(w->code, "\tI v0 = x, v1 = %s;\n",
		draw(w, 2) ? "blockIdx.y * blockDim.y + threadIdx.y" : "threadIdx.x");
	if (draw(w, 3))
		write_return(w);
	write_block(w);
	write_block(w);
	fprintf(w->code, "}\n#undef T\n#undef I\n\n");
	fprintf(w->cases, "generated%u %c %d,%d,1 %d,%d,1 0 p p p i%d i%d i%d\n", number,
		w->is_regular ? 'R' : 'I', between(w, 1, 3), between(w, 1, 2), between(w, 1, 5) * 8,
		between(w, 1, 3), between(w, 0, 90), between(w, 0, 40), between(w, 0, 30));
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
	fprintf(w.code, "/* Generated: random kernels whose footprints are checked. */\n\n");
	for (unsigned i = 0; i < kernels; i++)
		write_kernel(&w, i);
	return fclose(w.code) || fclose(w.cases);
}
