/* Speed of the executor: kernels as users write them (executor.cu), against plain C loops.
 *
 * usage: executor [SECONDS [TIMES [KERNEL]]]; a line for each kernel: instructions of threads that
 * one core executes in a second, so many while it notes which bytes the launch touches, and while
 * it looks for accesses that nothing orders; times
 * of one launch and of the loop on one core and on all; how many times faster all cores run the
 * launch, and the processor time on one core by that on all, which tells of losses also on a
 * machine that is busy (1: none). Times are the best of those that fit into SECONDS (1), all
 * measured in turn. With TIMES (1 to 16) a launch has so many times the blocks: where starting a
 * thread takes half a millisecond, launches of a few show nothing else.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/plain.h"
#include "simulator/executor/executor.h"
#include "simulator/executor/hazard.h"
#include "simulator/executor/path.h"
#include "simulator/executor/touched.h"

#define BASE	     UINT64_C(0x700000000000)
#define TIMES_MOST   16
#define BUFFER_BYTES ((size_t)4 * TIMES_MOST << 20)
#define THREADS_MOST 64
#define CODE_MOST    1024

/* The kernel's operands: written, read, read. */
static char *buffer[3];

struct kernel {
	const char *name;
	uint32_t grid[2], block[2];
	uint32_t n;
	bench_plain *plain;
	size_t parts;	    /* that the loop counts: elements, rows, blocks */
	size_t results;	    /* of 4 bytes, that are compared */
	bool is_integer;    /* they are */
	size_t apart_bytes; /* from thread to thread: the results of the loop, which adds to them */
};

static const struct kernel kernels[] = {
	{"saxpy", {4096, 1}, {256, 1}, 1 << 20, bench_saxpy, 1 << 20, 1 << 20, 0, 0},
	{"reduce", {64, 1}, {256, 1}, 1 << 20, bench_reduce, 1 << 20, 1, 0, 4096},
	{"matrix", {16, 16}, {16, 16}, 256, bench_matrix, 256, 1 << 16, 0, 0},
	{"histogram", {64, 1}, {256, 1}, 1 << 20, bench_histogram, 1 << 20, 256, 1, 4096},
	{"divergent", {128, 1}, {256, 1}, 1 << 15, bench_divergent, 1 << 15, 1 << 15, 1, 0},
	{"calls", {256, 1}, {256, 1}, 1 << 16, bench_calls, 256, 1 << 16, 0, 0},
};

/* ---- operands ---- */

static bool find(void *context, uint64_t address, struct exec_span *span)
{
	uint64_t which = (address - BASE) >> 32;

	(void)context;
	if (which > 2)
		return 0;
	*span = (struct exec_span){BASE + (which << 32), BUFFER_BYTES, buffer[which], 1};
	return 1;
}

static void fill(const struct kernel *k)
{
	bool is_bytes = k->plain == bench_histogram;

	memset(buffer[0], 0, BUFFER_BYTES);
	for (unsigned i = 1; i < 3; i++)
		for (size_t at = 0; at < BUFFER_BYTES / 4; at++) {
			uint32_t random = (uint32_t)at * 2654435761U;
			float value = (float)(random >> 8) * 0x1p-24F;

			memcpy(buffer[i] + at * 4, is_bytes ? (void *)&random : (void *)&value, 4);
		}
}

/* The sum of the results, each by a weight of its place. */
static double weigh(const struct kernel *k)
{
	double sum = 0;

	for (size_t i = 0; i < k->results; i++) {
		uint32_t integer;
		float number;

		memcpy(&integer, buffer[0] + i * 4, 4);
		memcpy(&number, buffer[0] + i * 4, 4);
		sum += (double)(i % 16 + 1) * (k->is_integer ? integer : (double)number);
	}
	return sum;
}

/* ---- the loop and the launch, on so many threads ---- */

struct work {
	const struct kernel *k;
	struct exec_job *job; /* NULL: the loop */
	unsigned index, threads;
};

static void *run_part(void *arg)
{
	const struct work *work = arg;
	const struct kernel *k = work->k;
	struct exec_run *run;

	if (!work->job) {
		k->plain(k->parts * work->index / work->threads,
			 k->parts * (work->index + 1) / work->threads, k->n,
			 buffer[0] + work->index * k->apart_bytes, buffer[1], buffer[2]);
		return NULL;
	}
	run = exec_run_new(work->job);
	while (run && exec_run_work(run) != EXEC_ENDED)
		;
	exec_run_free(run);
	return NULL;
}

static void run_parts(const struct kernel *k, struct exec_job *job, unsigned threads)
{
	pthread_t thread[THREADS_MOST];
	struct work work[THREADS_MOST];

	for (unsigned i = 0; i < threads; i++) {
		work[i] = (struct work){k, job, i, threads};
		if (i && pthread_create(&thread[i], NULL, run_part, &work[i]))
			exit(1);
	}
	run_part(&work[0]);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
}

/* What a launch is asked for beside its results. */
enum extra { NOTHING, NOTES, CHECKS };

static void launch(const struct kernel *k, const struct exec_kernel *code, unsigned threads,
		   enum extra extra)
{
	const struct {
		uint32_t n;
		uint64_t operand[3];
	} params = {k->n, {BASE, BASE + (UINT64_C(1) << 32), BASE + (UINT64_C(2) << 32)}};
	struct exec_touched touched = {0};
	struct exec_hazards hazards = {0};
	const struct exec_launch l = {.kernel = code,
				      .grid = {k->grid[0], k->grid[1], 1},
				      .block = {k->block[0], k->block[1], 1},
				      .params = &params,
				      .params_bytes = sizeof(params),
				      .memory = {.find = find},
				      .touched = extra == NOTES ? &touched : NULL,
				      .hazards = extra == CHECKS ? &hazards : NULL};
	struct exec_job *job = exec_job_new(&l);
	struct exec_outcome outcome;

	run_parts(k, job, threads);
	exec_job_free(job, &outcome);
	exec_touched_fini(&touched);
	if (hazards.count) {
		printf("%s: %u hazards\n", k->name, hazards.count);
		exit(1);
	}
	if (outcome.result != EXEC_DONE) {
		printf("%s failed: %d, line %u\n", k->name, outcome.result, outcome.ptx_line);
		exit(1);
	}
}

/* ---- how many instructions: each handler counts its lanes first ---- */

static struct {
	struct exec_instruction *code;
	exec_handler *run[CODE_MOST];
	size_t count;
} counted[8];
static size_t counted_codes;
static uint64_t instructions;

static void count(struct exec_warp *w, const struct exec_instruction *in)
{
	size_t i = 0, at;

	while ((at = (size_t)(in - counted[i].code)) >= counted[i].count)
		i++;
	if (counted[i].run[at] != exec_path_join)
		instructions += (unsigned)__builtin_popcount(exec_mask(w, in));
	counted[i].run[at](w, in);
}

static void count_code(const struct exec_kernel *code)
{
	size_t i = counted_codes++;

	if (i >= sizeof(counted) / sizeof(*counted) || code->code_count > CODE_MOST)
		exit(1);
	counted[i].code = code->code;
	counted[i].count = code->code_count;
	for (size_t at = 0; at < code->code_count; at++) {
		counted[i].run[at] = code->code[at].run;
		code->code[at].run = count;
	}
}

static void count_instructions(const struct kernel *k, const struct exec_kernel *code)
{
	instructions = counted_codes = 0;
	count_code(code);
	for (size_t i = 0; i < code->function_count; i++)
		count_code(code->functions[i]);
	launch(k, code, 1, NOTHING);
	for (size_t i = 0; i < counted_codes; i++)
		for (size_t at = 0; at < counted[i].count; at++)
			counted[i].code[at].run = counted[i].run[at];
}

/* ---- measuring ---- */

static double now(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

enum way { PLAIN, PLAIN_ALL, LAUNCH, LAUNCH_ALL, LAUNCH_NOTES, LAUNCH_CHECKS, WAYS };

static void run_way(const struct kernel *k, const struct exec_kernel *code, enum way way,
		    unsigned cores)
{
	switch (way) {
	case PLAIN: run_parts(k, NULL, 1); return;
	case PLAIN_ALL: run_parts(k, NULL, cores); return;
	case LAUNCH: launch(k, code, 1, NOTHING); return;
	case LAUNCH_ALL: launch(k, code, cores, NOTHING); return;
	case LAUNCH_NOTES: launch(k, code, 1, NOTES); return;
	case LAUNCH_CHECKS: launch(k, code, 1, CHECKS); return;
	case WAYS: return;
	}
}

static bool computes_the_same(const struct kernel *k, const struct exec_kernel *code)
{
	double expected, result;

	fill(k);
	run_way(k, code, PLAIN, 1);
	expected = weigh(k);
	fill(k);
	count_instructions(k, code);
	result = weigh(k);
	if (fabs(result - expected) <= 1e-3 * fabs(expected))
		return 1;
	printf("%s computes %g, the loop %g\n", k->name, result, expected);
	return 0;
}

/* The best times of each way, and the processor's. */
struct times {
	double wall[WAYS], processor[WAYS];
};

static void least(double *best, double value)
{
	*best = value < *best ? value : *best;
}

static void print_times(const struct kernel *k, const struct times *t)
{
	const double *wall = t->wall;

	printf("%-10s %6.2f %6.2f %6.2f %8.2f %8.3f %6.1f %8.2f %8.3f %6.1f %6.2f %6.2f\n", k->name,
	       (double)instructions / wall[LAUNCH] * 1e-9,
	       (double)instructions / wall[LAUNCH_NOTES] * 1e-9,
	       (double)instructions / wall[LAUNCH_CHECKS] * 1e-9, wall[LAUNCH] * 1e3,
	       wall[PLAIN] * 1e3, wall[LAUNCH] / wall[PLAIN], wall[LAUNCH_ALL] * 1e3,
	       wall[PLAIN_ALL] * 1e3, wall[LAUNCH_ALL] / wall[PLAIN_ALL],
	       wall[LAUNCH] / wall[LAUNCH_ALL], t->processor[LAUNCH] / t->processor[LAUNCH_ALL]);
}

static void measure(const struct kernel *k, const struct exec_kernel *code, unsigned cores,
		    double seconds)
{
	double end = now(CLOCK_MONOTONIC) + seconds;
	struct times t;

	for (int i = 0; i < WAYS; i++)
		t.wall[i] = t.processor[i] = INFINITY;
	do {
		for (int i = 0; i < WAYS; i++) {
			double processor = now(CLOCK_PROCESS_CPUTIME_ID);
			double wall = now(CLOCK_MONOTONIC);

			run_way(k, code, (enum way)i, cores);
			least(&t.wall[i], now(CLOCK_MONOTONIC) - wall);
			least(&t.processor[i], now(CLOCK_PROCESS_CPUTIME_ID) - processor);
		}
	} while (now(CLOCK_MONOTONIC) < end);
	print_times(k, &t);
}

static void add_file(struct exec_program *p, const char *path)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "r");
	size_t bytes = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (!bytes) {
		fprintf(stderr, "executor: %s cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	exec_program_add(p, text, bytes);
}

/* The kernel with so many times the work; a product of matrices has enough. */
static struct kernel larger(struct kernel k, unsigned times)
{
	if (k.grid[1] > 1)
		return k;
	k.n *= times;
	k.grid[0] *= times;
	k.parts *= times;
	return k;
}

static unsigned count_cores(void)
{
	cpu_set_t mine;
	int cores = sched_getaffinity(0, sizeof(mine), &mine) ? 1 : CPU_COUNT(&mine);

	return cores < THREADS_MOST ? (unsigned)cores : THREADS_MOST;
}

int main(int argc, char **argv)
{
	struct exec_program *p = exec_program_new(NULL, NULL);
	unsigned cores = count_cores(), times = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	bool ok = times && times <= TIMES_MOST;

	add_file(p, EXECUTOR_PTX);
	for (unsigned i = 0; i < 3; i++)
		buffer[i] = aligned_alloc(4096, BUFFER_BYTES);
	printf("%-10s %20s %24s %20s %2u cores\n", "", "G instr./s", "ms on one core", "ms on",
	       cores);
	printf("%-10s %6s %6s %6s %8s %8s %6s %8s %8s %6s %6s %6s\n", "kernel", "", "notes",
	       "checks", "launch", "C loop", "ratio", "launch", "C loop", "ratio", "faster",
	       "effort");
	for (size_t i = 0; ok && i < sizeof(kernels) / sizeof(*kernels); i++) {
		const struct kernel k = larger(kernels[i], times);
		const char *why = NULL;
		const struct exec_kernel *code = exec_program_kernel(p, k.name, &why);

		if (argc > 3 && strcmp(argv[3], k.name) != 0)
			continue;
		if (!code)
			printf("%s: %s\n", k.name, why);
		if (code && computes_the_same(&k, code))
			measure(&k, code, cores, argc > 1 ? atof(argv[1]) : 1);
		else
			ok = 0;
	}
	exec_program_free(p);
	for (unsigned i = 0; i < 3; i++)
		free(buffer[i]);
	return !ok;
}
