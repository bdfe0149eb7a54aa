/* Speed of the executor: thread instructions a second of small kernels, on one core.
 *
 * usage: executor [SECONDS]; one line for each kernel. Instructions are those of the loop's body,
 * as written in PTX, times threads and turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulator/executor/executor.h"

#define BASE	UINT64_C(0x700000000000)
#define THREADS 256
#define TURNS	1000

static char memory[1 << 22];

static bool find(void *context, uint64_t address, struct exec_span *span)
{
	(void)context;
	*span = (struct exec_span){BASE, sizeof(memory), memory, 1};
	return address - BASE < sizeof(memory);
}

struct kernel {
	const char *name;
	unsigned instructions; /* of the body */
	const char *body;      /* in a loop; %rd1: the thread's 4 bytes */
};

static const struct kernel kernels[] = {
	{"integer", 6,
	 "add.s32 %r1, %r1, %r9; xor.b32 %r2, %r1, %r2; mad.lo.s32 %r3, %r1, %r2, %r3;"
	 "shl.b32 %r4, %r3, 3; sub.s32 %r5, %r4, %r1; and.b32 %r6, %r5, %r2;"},
	{"float", 4,
	 "fma.rn.f32 %f1, %f2, %f3, %f1; add.f32 %f2, %f1, %f3; mul.f32 %f3, %f2, %f1;"
	 "fma.rn.f32 %f1, %f3, %f2, %f1;"},
	{"memory", 4,
	 "ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f1, %f1, %f2, %f3;"
	 "st.global.f32 [%rd1], %f1; ld.global.f32 %f2, [%rd1+4096];"},
	{"divergent", 5,
	 "and.b32 %r2, %r1, %r9; setp.eq.s32 %p2, %r2, 0; @%p2 bra EVEN; add.s32 %r3, %r3, 1;"
	 "EVEN: add.s32 %r1, %r1, 1;"},
};

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void measure(const struct kernel *k, double seconds)
{
	char text[4096];
	struct exec_program *p = exec_program_new(NULL, NULL);
	const char *why;
	const uint64_t param = BASE;
	struct exec_outcome outcome;
	struct exec_launch l = {.grid = {8, 1, 1},
				.block = {THREADS, 1, 1},
				.params = &param,
				.params_bytes = sizeof(param),
				.memory = {.find = find}};
	double start, end, count = 0;

	snprintf(text, sizeof(text),
		 ".version 8.0 .target sm_75 .address_size 64 .entry k(.param .u64 p) {"
		 ".reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .f32 %%f<8>; .reg .b64 %%rd<4>;"
		 "ld.param.u64 %%rd1, [p]; mov.u32 %%r9, %%tid.x; mul.wide.u32 %%rd2, %%r9, 4;"
		 "add.s64 %%rd1, %%rd1, %%rd2; mov.u32 %%r8, 0; LOOP: %s add.s32 %%r8, %%r8, 1;"
		 "setp.lt.s32 %%p1, %%r8, %d; @%%p1 bra LOOP; ret; }",
		 k->body, TURNS);
	exec_program_add(p, text, strlen(text));
	l.kernel = exec_program_kernel(p, "k", &why);
	if (!l.kernel) {
		printf("%s: %s\n", k->name, why);
		exit(1);
	}
	start = now();
	do {
		exec_launch_run(&l, &outcome);
		count += 8.0 * THREADS * TURNS * (k->instructions + 3);
		end = now();
	} while (end - start < seconds);
	printf("%-10s %6.2f G thread instructions/s\n", k->name, count / (end - start) * 1e-9);
	exec_program_free(p);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.5;

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		measure(&kernels[i], seconds);
	return 0;
}
