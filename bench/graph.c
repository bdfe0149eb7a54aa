/* What replaying graphs costs: one graph, launched again and again, analyzed in a process of its
 * own.
 *
 * Usage: `graph` prints a table: 10,000 nodes, 10,000 launches (`whole` 100), all kinds.
 * `graph NODES LAUNCHES KIND` prints one row.
 *
 * The graph is a lattice: each node reads what two nodes of the layer before wrote, and writes a
 * tile of its own. Kind `buffers` gives each node a buffer, `arena` puts all tiles into one
 * allocation and copies the first tile in and the last one out around each launch, with a wait
 * after it, `update` gives one node new parameters before each launch, `whole` defines the whole
 * graph again, as an update of all of it does. A finding is a failure: the program is correct.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "analyzer/analysis.h"
#include "trace/writer.h"

#define WIDTH	   100 /* nodes of a layer */
#define TILE_BYTES UINT64_C(4096)
#define SPACING	   (TILE_BYTES * 4)
#define BASE	   UINT64_C(0x7f0000000000)
#define HOST_BASE  UINT64_C(0x600000000000)
#define STREAM	   2
#define EXEC	   1

enum kind { BUFFERS, ARENA, UPDATE, WHOLE, KINDS };
static const char *const kinds[] = {"buffers", "arena", "update", "whole"};

struct shape {
	uint32_t nodes, launches;
	enum kind kind;
};

static uint64_t tile(const struct shape *s, uint32_t node)
{
	return BASE + node * (s->kind == ARENA ? TILE_BYTES : SPACING);
}

/* ---- the trace ---- */

static void put(struct sc_writer *w, struct sc_op op, const struct sc_attachment *parts,
		unsigned count)
{
	op.thread = 1;
	op.context = 1;
	if (sc_writer_put(w, &op, parts, count) == SC_NOT_WRITTEN) {
		fprintf(stderr, "graph: no room for the trace\n");
		exit(1);
	}
}

static void put_memory(struct sc_writer *w, uint64_t address, uint64_t bytes, uint8_t memory)
{
	static uint32_t id = 1000;

	put(w,
	    (struct sc_op){.kind = SC_OP_ALLOC,
			   .dst = address,
			   .bytes = bytes,
			   .dst_mem = memory,
			   .object = id++},
	    NULL, 0);
}

static void put_begin(struct sc_writer *w, const struct shape *s)
{
	put(w, (struct sc_op){.kind = SC_OP_CONTEXT_CREATE, .flags = SC_FLAG_PRIMARY}, NULL, 0);
	put(w, (struct sc_op){.kind = SC_OP_STREAM_CREATE, .stream = STREAM}, NULL, 0);
	put_memory(w, HOST_BASE, 2 * TILE_BYTES, SC_MEM_PINNED);
	if (s->kind == ARENA)
		put_memory(w, BASE, s->nodes * TILE_BYTES, SC_MEM_DEVICE);
	for (uint32_t i = 0; s->kind != ARENA && i < s->nodes; i++)
		put_memory(w, tile(s, i), TILE_BYTES, SC_MEM_DEVICE);
}

static struct sc_access access_of(uint64_t base, uint8_t mode)
{
	return (struct sc_access){.base = base,
				  .width = TILE_BYTES,
				  .rows = 1,
				  .slices = 1,
				  .mode = mode,
				  .memory = SC_MEM_DEVICE};
}

static void put_node(struct sc_writer *w, const struct shape *s, uint32_t i, uint32_t flags)
{
	uint32_t layer = i / WIDTH * WIDTH, column = i % WIDTH, count = i < WIDTH ? 0 : 2;
	struct sc_dependency on[2] = {{.node = layer - WIDTH + column},
				      {.node = layer - WIDTH + (column + 1) % WIDTH}};
	struct sc_node place = {.index = i, .flags = flags};
	struct sc_access uses[3] = {access_of(tile(s, i), SC_WRITE),
				    access_of(tile(s, on[0].node), SC_READ),
				    access_of(tile(s, on[1].node), SC_READ)};
	struct sc_attachment parts[] = {
		{SC_ATTACH_ACCESSES, (1 + count) * (uint32_t)sizeof(*uses), uses},
		{SC_ATTACH_NODE, sizeof(place), &place},
		{0, count * (uint32_t)sizeof(*on), on}};

	put(w,
	    (struct sc_op){.kind = SC_OP_KERNEL,
			   .peer = EXEC,
			   .object = 3,
			   .flags = SC_FLAG_NODE | SC_FLAG_CAPTURED},
	    parts, 3);
}

static void put_graph(struct sc_writer *w, const struct shape *s)
{
	put(w, (struct sc_op){.kind = SC_OP_INSTANTIATE, .object = EXEC, .bytes = s->nodes}, NULL,
	    0);
	for (uint32_t i = 0; i < s->nodes; i++)
		put_node(w, s, i, 0);
}

static void put_copy(struct sc_writer *w, uint64_t dst, uint64_t src, bool is_upload)
{
	put(w,
	    (struct sc_op){.kind = SC_OP_COPY,
			   .stream = STREAM,
			   .dst = dst,
			   .src = src,
			   .bytes = TILE_BYTES,
			   .dst_mem = is_upload ? SC_MEM_DEVICE : SC_MEM_PINNED,
			   .src_mem = is_upload ? SC_MEM_PINNED : SC_MEM_DEVICE},
	    NULL, 0);
}

static void put_launch(struct sc_writer *w, const struct shape *s, uint32_t i)
{
	if (s->kind == ARENA)
		put_copy(w, tile(s, 0), HOST_BASE, 1);
	if (s->kind == UPDATE)
		put_node(w, s, i % s->nodes, SC_NODE_UPDATE);
	if (s->kind == WHOLE)
		put_graph(w, s);
	put(w, (struct sc_op){.kind = SC_OP_GRAPH_LAUNCH, .stream = STREAM, .object = EXEC}, NULL,
	    0);
	if (s->kind != ARENA)
		return;
	put_copy(w, HOST_BASE + TILE_BYTES, tile(s, s->nodes - 1), 0);
	put(w, (struct sc_op){.kind = SC_OP_STREAM_SYNC, .stream = STREAM}, NULL, 0);
}

static void make(const char *path, const struct shape *s)
{
	struct sc_writer w;

	unlink(path);
	if (sc_writer_open(&w, path, UINT64_C(8) << 30)) {
		perror(path);
		exit(1);
	}
	put_begin(&w, s);
	put_graph(&w, s);
	for (uint32_t i = 0; i < s->launches; i++)
		put_launch(&w, s, i);
	sc_writer_close(&w);
}

/* ---- the analysis ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int analyze(const char *path, const struct shape *s)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct sc_analysis *a;
	struct sc_reader *r;
	struct rusage usage;
	double seconds;
	size_t count;

	if (sc_reader_open(&r, path, NULL, 0))
		return 1;
	seconds = now();
	if (sc_analysis_run(&a, r, &settings))
		return 1;
	seconds = now() - seconds;
	getrusage(RUSAGE_SELF, &usage);
	sc_analysis_findings(a, &count);
	printf("%8u %8u %8s %10.2f %10.1f %10ld\n", s->nodes, s->launches, kinds[s->kind], seconds,
	       seconds * 1e6 / s->launches, usage.ru_maxrss >> 10);
	if (count || !sc_analysis_complete(a))
		fprintf(stderr, "graph: %zu findings in a correct program\n", count);
	return count || !sc_analysis_complete(a);
}

static int row(const struct shape *s)
{
	char path[64];
	int status = 0;
	pid_t child;

	snprintf(path, sizeof(path), "/tmp/graph.%d.sct", (int)getpid());
	make(path, s);
	fflush(stdout);
	child = fork();
	if (!child) {
		status = analyze(path, s);
		fflush(stdout);
		_exit(status);
	}
	waitpid(child, &status, 0);
	unlink(path);
	return status != 0;
}

int main(int argc, char **argv)
{
	struct shape s = {.nodes = 10000, .launches = 10000};
	int status = 0;

	if (argc != 1 && argc != 4) {
		fprintf(stderr, "usage: graph [NODES LAUNCHES buffers|arena|update|whole]\n");
		return 2;
	}
	printf("%8s %8s %8s %10s %10s %10s\n", "nodes", "launches", "kind", "seconds", "us/launch",
	       "peak MiB");
	if (argc == 4) {
		s.nodes = (uint32_t)strtoul(argv[1], NULL, 10);
		s.launches = (uint32_t)strtoul(argv[2], NULL, 10);
	}
	for (s.kind = BUFFERS; s.kind < KINDS && !status; s.kind++) {
		if (argc != 4 && s.kind == WHOLE)
			s.launches = 100;
		if (argc != 4 || !strcmp(argv[3], kinds[s.kind]))
			status = row(&s);
	}
	return status;
}
