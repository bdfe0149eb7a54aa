/* Compares the analysis of kernels with what the test machine sees them touch.
 *
 *	check_footprint kernels.ptx kernels.cases LEAST_EXACT_PERCENT
 *
 * A case is a line: kernel, R (regular) or I (irregular), grid, block, dynamic shared bytes, then
 * arguments: p (a buffer of its own), aN+B (B bytes into the buffer of argument N), iN, lN, hN, cN
 * (numbers of 4, 8, 2, 1 bytes), f (a float). The analysis must cover every byte touched, claim no
 * byte as exact that is not touched, and be exact for enough of the regular kernels.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "footprint/kernel.h"
#include "tests/footprint/machine.h"

#define LINE_BYTES  512
#define IMAGE_BYTES 4096

struct test_case {
	char name[128];
	bool is_regular;
	struct sc_footprint_launch launch;
	uint8_t image[IMAGE_BYTES];
};

struct totals {
	unsigned cases, all_exact, regular, exact, wrong;
};

/* What the analysis says of each byte: modes that may happen, modes that do. */
struct claim {
	uint8_t *may[BUFFERS];	/* owned */
	uint8_t *does[BUFFERS]; /* owned */
};

static char *read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(2);
	}
	rewind(f);
	text = malloc((size_t)size + 1);
	if (!text || fread(text, 1, (size_t)size, f) != (size_t)size)
		exit(2);
	text[size] = 0;
	*bytes = (size_t)size;
	fclose(f);
	return text;
}

static uint32_t put(struct test_case *t, uint32_t at, const void *value, uint32_t bytes)
{
	at = (at + bytes - 1) / bytes * bytes;
	memcpy(t->image + at, value, bytes);
	return at + bytes;
}

static uint32_t put_argument(struct test_case *t, struct memory *m, const char *word, uint32_t at,
			     unsigned *buffers)
{
	uint64_t value = (uint64_t)strtoll(word + 1, NULL, 10);
	const char *plus = strchr(word, '+');

	switch (*word) {
	case 'p': value = memory_buffer(m, (*buffers)++); return put(t, at, &value, 8);
	case 'a':
		value = BUFFER_BASE(value) + BUFFER_FRONT;
		value += plus ? (uint64_t)strtoll(plus + 1, NULL, 10) : 0;
		return put(t, at, &value, 8);
	case 'l': return put(t, at, &value, 8);
	case 'h': return put(t, at, &value, 2);
	case 'c': return put(t, at, &value, 1);
	default: return put(t, at, &value, 4); /* i, f */
	}
}

/* Reads a line; false for comments and empty lines. */
static bool read_case(struct test_case *t, struct memory *m, char *line)
{
	char kind, *word, *rest = line;
	unsigned *g = t->launch.grid, *b = t->launch.block, buffers = 0;
	int used;

	memset(t, 0, sizeof(*t));
	if (*line == '#' ||
	    sscanf(line, "%127s %c %u,%u,%u %u,%u,%u %u%n", t->name, &kind, &g[0], &g[1], &g[2],
		   &b[0], &b[1], &b[2], &t->launch.shared_bytes, &used) != 9)
		return 0;
	t->is_regular = kind == 'R';
	t->launch.params = t->image;
	for (rest += used; (word = strsep(&rest, " \n"));)
		if (*word)
			t->launch.param_bytes =
				put_argument(t, m, word, t->launch.param_bytes, &buffers);
	return 1;
}

static void mark(uint8_t *flags, int64_t first, uint64_t bytes, uint8_t mode)
{
	int64_t at = first + (int64_t)BUFFER_FRONT;

	mode &= (uint8_t)~SC_FOOTPRINT_STRONG; /* how, not what */
	for (uint64_t i = 0; i < bytes; i++)
		if (at + (int64_t)i >= 0 && at + (int64_t)i < (int64_t)BUFFER_BYTES)
			flags[at + (int64_t)i] |= mode;
}

static bool claim_range(struct claim *c, const struct sc_footprint_range *r, uint64_t pointer)
{
	uint64_t n = (pointer - BUFFER_BASE(0)) / (BUFFER_BASE(1) - BUFFER_BASE(0));
	int64_t start = (int64_t)(pointer - BUFFER_BASE(n) - BUFFER_FRONT) + r->offset;

	if (pointer < BUFFER_BASE(0) || n >= BUFFERS)
		return 0;
	if (r->is_unbounded || r->rows > BUFFER_BYTES || r->slices > BUFFER_BYTES) {
		mark(c->may[n], -(int64_t)BUFFER_FRONT, BUFFER_BYTES, r->mode);
		return 1;
	}
	for (uint64_t s = 0; s < r->slices; s++)
		for (uint64_t row = 0; row < r->rows; row++) {
			int64_t at = start + (int64_t)(s * r->slice_pitch + row * r->pitch);

			mark(c->may[n], at, r->width, r->mode);
			if (!r->reason)
				mark(c->does[n], at, r->width, r->mode);
		}
	return 1;
}

static void claim_all(struct claim *c, const struct sc_footprint *f, const struct test_case *t,
		      struct machine *machine)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct sc_footprint_range *r = &f->ranges[i];
		uint64_t pointer = 0;

		if (r->base_kind == SC_BASE_PARAMETER)
			memcpy(&pointer, t->image + r->base, 8);
		else if (r->base_kind == SC_BASE_SYMBOL)
			pointer = machine_symbol(machine, r->base);
		if (r->base_kind != SC_BASE_UNKNOWN && claim_range(c, r, pointer))
			continue;
		for (unsigned n = 0; n < BUFFERS; n++)
			mark(c->may[n], -(int64_t)BUFFER_FRONT, BUFFER_BYTES, r->mode);
	}
}

static unsigned compare(const struct claim *c, const struct memory *m, const char *name)
{
	for (unsigned n = 0; n < BUFFERS; n++)
		for (uint64_t i = 0; m->bytes[n] && i < BUFFER_BYTES; i++) {
			unsigned missing = m->modes[n][i] & ~c->may[n][i];
			unsigned invented = c->does[n][i] & ~m->modes[n][i];

			if (!missing && !invented)
				continue;
			printf("%s: buffer %u, byte %lld: %s mode %u\n", name, n,
			       (long long)(i - BUFFER_FRONT), missing ? "missing" : "invented",
			       missing ? missing : invented);
			return 1;
		}
	return 0;
}

static void print_ranges(const struct sc_footprint *f)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct sc_footprint_range *r = &f->ranges[i];

		printf("    base %u:%u mode %u: %lld +%llu, %llu x %llu, %llu x %llu%s; line %u: "
		       "%s\n",
		       r->base_kind, r->base, r->mode, (long long)r->offset,
		       (unsigned long long)r->width, (unsigned long long)r->rows,
		       (unsigned long long)r->pitch, (unsigned long long)r->slices,
		       (unsigned long long)r->slice_pitch, r->is_unbounded ? " unbounded" : "",
		       r->line, sc_footprint_reason_text(r->reason));
	}
}

static void claim_init(struct claim *c)
{
	for (unsigned n = 0; n < BUFFERS; n++) {
		c->may[n] = calloc(1, BUFFER_BYTES);
		c->does[n] = calloc(1, BUFFER_BYTES);
		if (!c->may[n] || !c->does[n])
			abort();
	}
}

static void claim_fini(struct claim *c)
{
	for (unsigned n = 0; n < BUFFERS; n++) {
		free(c->may[n]);
		free(c->does[n]);
	}
}

static void count(struct totals *totals, const struct test_case *t, const struct sc_footprint *f,
		  unsigned wrong)
{
	totals->cases++;
	totals->wrong += wrong;
	totals->all_exact += f->is_exact;
	if (t->is_regular) {
		totals->regular++;
		totals->exact += f->is_exact;
	}
	if (wrong || (t->is_regular && !f->is_exact) || getenv("FOOTPRINT_VERBOSE")) {
		printf("  %s%s\n", t->name, f->is_exact ? "" : " is not exact");
		print_ranges(f);
	}
}

static void run_case(struct sc_footprint_module *module, struct test_case *t, struct memory *m,
		     struct totals *totals)
{
	struct sc_footprint_kernel *kernel = sc_footprint_find(module, t->name);
	struct machine machine = {.m = &module->ptx, .launch = &t->launch, .memory = m};
	struct claim claim = {0};
	struct sc_footprint f;

	if (!kernel) {
		printf("%s: no such kernel\n", t->name);
		totals->wrong++;
		return;
	}
	machine.kernel = kernel->function;
	m->param = t->image;
	if (t->launch.param_bytes < sc_footprint_param_bytes(kernel))
		t->launch.param_bytes = sc_footprint_param_bytes(kernel);
	f = sc_footprint_of(kernel, &t->launch);
	claim_init(&claim);
	claim_all(&claim, &f, t, &machine);
	if (machine_run(&machine)) {
		printf("%s: %s %s (address %llx)\n", t->name, machine.error, machine.error_opcode,
		       (unsigned long long)m->error_address);
		totals->wrong++;
	} else {
		count(totals, t, &f, compare(&claim, m, t->name));
	}
	claim_fini(&claim);
}

static void run_cases(struct sc_footprint_module *module, const char *path, struct totals *totals)
{
	FILE *cases = fopen(path, "r");
	char line[LINE_BYTES];

	if (!cases) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(2);
	}
	while (fgets(line, sizeof(line), cases)) {
		struct test_case t;
		struct memory m;

		memory_init(&m);
		if (read_case(&t, &m, line))
			run_case(module, &t, &m, totals);
		memory_fini(&m);
	}
	fclose(cases);
}

int main(int argc, char **argv)
{
	struct totals totals = {0};
	struct sc_footprint_module *module;
	unsigned percent, least;
	size_t bytes;
	char *text;

	if (argc != 4) {
		fprintf(stderr, "usage: check_footprint PTX CASES LEAST_EXACT_PERCENT\n");
		return 2;
	}
	least = (unsigned)strtoul(argv[3], NULL, 10);
	text = read_file(argv[1], &bytes);
	module = sc_footprint_parse(text, bytes);
	totals.wrong += sc_footprint_problems(module) != 0;
	run_cases(module, argv[2], &totals);
	percent = totals.regular ? totals.exact * 100 / totals.regular : 0;
	printf("%u cases, %u wrong, %u exact; %u of %u regular ones exact (%u %%, at least %u)\n",
	       totals.cases, totals.wrong, totals.all_exact, totals.exact, totals.regular, percent,
	       least);
	sc_footprint_free(module);
	free(text);
	return totals.wrong || !totals.cases || percent < least;
}
