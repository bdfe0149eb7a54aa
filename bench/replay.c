/* What the page guard costs a launch of a graph, by how many operands the graph has in the host's
 * memory: nanoseconds a launch, of launches that a wait follows (everything is watched and opened
 * again) and of launches without one (watchpoints are renewed). No device, no driver.
 *
 * Usage: replay [OPERANDS [LAUNCHES [awaited | renewed]]]. For instructions:
 *	valgrind --tool=callgrind --toggle-collect=sc_guard_watch_graph replay 64 1000 awaited
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/object/handle.h"
#include "interposer/guard/graph_operands.h"
#include "interposer/guard/watch.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/operand.h"

#define PAGE	 4096
#define LAUNCHES 2000

static struct sc_handle stream = {.id = 1, .context = 1};
static uint64_t sequence = 1;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* An executable graph of copies to the host, each to every other page. */
static void make(struct sc_graph_operands *graph, unsigned operands, size_t step, size_t bytes)
{
	char *memory = mmap(NULL, operands * step, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sc_known_allocation whole = {.start = (uint64_t)memory,
					    .bytes = operands * step,
					    .object = 1,
					    .memory = SC_MEM_PINNED};

	if (memory == MAP_FAILED || sc_memory_insert(&sc_memory, &whole))
		exit(2);
	memset(memory, 1, operands * step);
	for (unsigned i = 0; i < operands; i++) {
		struct sc_op copy = {.kind = SC_OP_COPY,
				     .dst = (uint64_t)memory + i * step,
				     .src = 0x1000,
				     .bytes = bytes,
				     .dst_mem = SC_MEM_PINNED,
				     .src_mem = SC_MEM_DEVICE};
		struct sc_enqueued node = {.op = &copy};

		sc_graph_operands_set_node(graph, i, &node);
	}
}

static void launch(struct sc_graph_operands *graph)
{
	struct sc_op op = {.context = 1};
	struct sc_enqueued launch = {
		.op = &op, .stream = sc_handle_refer(&stream), .sequence = sequence++};

	sc_guard_watch_graph(&launch, graph);
}

static double time_of(struct sc_graph_operands *graph, int launches, int is_awaited)
{
	double start = now_ns();

	for (int i = 0; i < launches; i++) {
		launch(graph);
		if (is_awaited)
			sc_guard_waited_stream(sc_handle_refer(&stream), sequence++);
	}
	return (now_ns() - start) / launches;
}

static void measure(unsigned operands, int launches, const char *only, size_t step, size_t bytes)
{
	struct sc_graph_operands graph = {0};
	double awaited = 0, renewed = 0;

	make(&graph, operands, step, bytes);
	if (!only || !strcmp(only, "awaited"))
		awaited = time_of(&graph, launches, 1);
	if (!only || !strcmp(only, "renewed"))
		renewed = time_of(&graph, launches, 0);
	printf("%8u %8zu %8u %10.0f %10.0f\n", operands, step, sc_graph_operands_merge(&graph),
	       awaited, renewed);
	sc_guard_lift();
	sc_graph_operands_fini(&graph);
}

int main(int argc, char **argv)
{
	unsigned operands = argc > 1 ? (unsigned)atoi(argv[1]) : 4096;
	int launches = argc > 2 ? atoi(argv[2]) : LAUNCHES;

	sc_session.options.guard = SC_GUARD_FULL;
	printf("%8s %8s %8s %10s %10s\n", "operands", "apart", "watchpoints", "waited ns",
	       "renewed ns");
	for (unsigned n = argc > 1 ? operands : 1; n <= operands; n *= 4) {
		measure(n, launches, argc > 3 ? argv[3] : NULL, (size_t)2 * PAGE, PAGE);
	}
	return 0;
}
