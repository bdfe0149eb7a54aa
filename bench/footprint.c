/* Footprints: what reading, analyzing and looking up a kernel costs; printed, nothing is judged.
 *
 *	footprint [INSTRUCTIONS]
 *
 * The kernel is a straight line of loads and stores of 1000 instructions, or as many as are wanted,
 * with an index that is computed anew for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "footprint/footprint.h"
#include "base/buf.h"

#define LAUNCHES 1000000
#define REPEATS	 20

struct parameters {
	uint64_t in, out;
	uint32_t count;
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Five instructions a step: index, two addresses, load, store. */
static void write_kernel(struct sc_buf *out, unsigned instructions)
{
	sc_buf_add(out, ".version 9.0\n.target sm_90\n.address_size 64\n"
			".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
			".reg .b64 %d<9>; .reg .b32 %r<9>; .reg .pred %p;\n"
			"ld.param.u64 %d5, [a]; ld.param.u64 %d6, [b]; ld.param.u32 %r0, [n];\n"
			"cvta.to.global.u64 %d0, %d5; cvta.to.global.u64 %d1, %d6;\n"
			"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
			"mad.lo.s32 %r4, %r1, %r2, %r3;\n"
			"setp.ge.s32 %p, %r4, %r0; @%p ret;\n");
	for (unsigned i = 0; i < instructions / 5; i++)
		sc_buf_printf(out,
			      "mul.wide.s32 %%d2, %%r4, %u;\nadd.s64 %%d3, %%d0, %%d2;\n"
			      "add.s64 %%d4, %%d1, %%d2;\nld.global.u32 %%r5, [%%d3+%u];\n"
			      "st.global.u32 [%%d4+%u], %%r5;\n",
			      4 * (1 + i % 4), 4 * (i % 16), 4 * (i % 16));
	sc_buf_add(out, "ret;\n}\n");
}

static double analyze(const struct sc_buf *text, const struct sc_footprint_launch *launch,
		      double *read_us)
{
	double start = now_us(), read, done;
	struct sc_footprint_module *m = sc_footprint_parse(text->text, text->bytes);

	read = now_us();
	(void)sc_footprint_of(sc_footprint_kernel_at(m, 0), launch);
	done = now_us();
	sc_footprint_free(m);
	*read_us = read - start;
	return done - read;
}

static double relaunch(const struct sc_buf *text, struct sc_footprint_launch *launch,
		       struct parameters *p)
{
	struct sc_footprint_module *m = sc_footprint_parse(text->text, text->bytes);
	struct sc_footprint_kernel *k = sc_footprint_kernel_at(m, 0);
	size_t ranges = 0;
	double start;

	(void)sc_footprint_of(k, launch);
	start = now_us();
	for (unsigned i = 0; i < LAUNCHES; i++) {
		p->out += 256; /* pointers do not count */
		ranges += sc_footprint_of(k, launch).count;
	}
	start = now_us() - start;
	sc_footprint_free(m);
	return ranges ? start / LAUNCHES : -1;
}

/* Of a text of many kernels one is asked for. */
static void print_first_of_many(const struct sc_buf *one, unsigned kernels)
{
	const char *name = strstr(one->text, ".entry k");
	struct sc_footprint_module *m;
	struct sc_buf text = {0};
	double start;

	for (unsigned i = 0; i < kernels; i++) {
		sc_buf_add_bytes(&text, one->text, (size_t)(name + 8 - one->text));
		sc_buf_printf(&text, "%u%s", i, name + 8);
	}
	start = now_us();
	m = sc_footprint_parse(text.text, text.bytes);
	(void)sc_footprint_kernel_at(m, kernels / 2);
	printf("one kernel of %u in %.1f MB: %.1f ms to read\n", kernels, (double)text.bytes / 1e6,
	       (now_us() - start) / 1e3);
	sc_footprint_free(m);
	sc_buf_fini(&text);
}

int main(int argc, char **argv)
{
	unsigned instructions = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
	struct parameters p = {0x700000000000, 0x710000000000, 100000};
	struct sc_footprint_launch launch = {
		.grid = {400, 1, 1}, .block = {256, 1, 1}, .param_bytes = 20, .params = &p};
	double best_read = 1e9, best = 1e9;
	struct sc_buf text = {0};

	write_kernel(&text, instructions);
	for (unsigned i = 0; i < REPEATS; i++) {
		double read, took = analyze(&text, &launch, &read);

		best = took < best ? took : best;
		best_read = read < best_read ? read : best_read;
	}
	printf("%u instructions: %.3f ms to read, %.3f ms to analyze (wanted: 5 ms together)\n",
	       instructions, best_read / 1e3, best / 1e3);
	printf("a launch that is known: %.3f us (wanted: 0.5 us)\n", relaunch(&text, &launch, &p));
	print_first_of_many(&text, 500);
	sc_buf_fini(&text);
	return 0;
}
