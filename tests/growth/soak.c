/* A long run, analyzed as it is written: what an analysis has in memory, over the operations.
 *
 * Usage: soak OPERATIONS [SELDOM [REMEMBERED]]
 *
 * Prints 200 lines: operations, bytes allocated, resident bytes. Events, streams, cudaMalloc and
 * host functions come SELDOM times more seldom (1). REMEMBERED: things that are over and still
 * known, instead of the usual number: a short run is like a long one then.
 *
 * For a person (soak.py draws it): 100,000,000 operations take a minute or two. The run is a
 * correct program of 16 streams that works, exchanges events, makes and destroys events, streams,
 * allocations at addresses of their own and pool memory, launches a graph, and enqueues host
 * functions. The trace is given back as it is read, so it takes no room. Exit code 1: a finding,
 * more than 200 MiB resident, or a twentieth more allocated after the first tenth than in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/analysis.h"
#include "trace/writer.h"

#define STREAMS	   16
#define BATCH	   UINT64_C(20000) /* operations that are written before they are read */
#define LINES	   200
#define TILE	   UINT64_C(65536)
#define BASE	   UINT64_C(0x100000000000) /* of the streams' own memory */
#define ELSEWHERE  UINT64_C(0x200000000000) /* of what is allocated and freed */
#define MOST_BYTES (UINT64_C(200) << 20)

struct soak {
	struct sc_writer writer;
	uint64_t random;
	uint64_t made;	  /* operations */
	uint64_t reached; /* address of the next allocation */
	uint32_t ids;
	uint32_t seldom;
	size_t remembered;
};

static uint32_t pick(struct soak *s, uint32_t below)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)((s->random >> 32) * below >> 32);
}

static uint64_t put_with(struct soak *s, struct sc_op op, const struct sc_attachment *a)
{
	uint64_t sequence;

	op.thread = op.thread ? op.thread : 1;
	op.context = 1;
	sequence = sc_writer_put(&s->writer, &op, a, a != NULL);
	if (sequence == SC_NOT_WRITTEN) {
		fprintf(stderr, "soak: no room for the trace after %" PRIu64 " operations\n",
			s->made);
		exit(1);
	}
	s->made++;
	return sequence;
}

static uint64_t put(struct soak *s, struct sc_op op)
{
	return put_with(s, op, NULL);
}

static uint64_t tile(uint32_t stream)
{
	return BASE + stream * TILE;
}

/* ---- what a turn does ---- */

static void launch(struct soak *s, uint32_t stream)
{
	struct sc_access use = {.base = tile(stream),
				.width = TILE,
				.rows = 1,
				.slices = 1,
				.mode = SC_WRITE,
				.memory = SC_MEM_DEVICE};
	struct sc_attachment a = {SC_ATTACH_ACCESSES, sizeof(use), &use};

	put_with(s,
		 (struct sc_op){.kind = SC_OP_KERNEL, .stream = stream, .object = 1 + pick(s, 50)},
		 &a);
}

static void set(struct soak *s, uint32_t stream, uint64_t address)
{
	put(s, (struct sc_op){.kind = SC_OP_SET,
			      .stream = stream,
			      .dst = address,
			      .dst_mem = SC_MEM_DEVICE,
			      .bytes = TILE});
}

static void wait(struct soak *s, uint32_t stream)
{
	struct sc_op op = {.kind = SC_OP_STREAM_SYNC, .phase = SC_PHASE_BEGIN, .stream = stream};

	op.link = put(s, op) + 1;
	op.phase = SC_PHASE_END;
	put(s, op);
}

/* The other stream comes after this one. */
static void order(struct soak *s, uint32_t from, uint32_t to, uint32_t event)
{
	put(s, (struct sc_op){.kind = SC_OP_EVENT_RECORD, .stream = from, .object = event});
	put(s, (struct sc_op){.kind = SC_OP_EVENT_WAIT, .stream = to, .object = event});
}

static void exchange(struct soak *s, uint32_t stream)
{
	uint32_t other = stream % STREAMS + 1;

	order(s, stream, other, stream);
	set(s, other, tile(stream));
	order(s, other, stream, other);
}

static void pass_event(struct soak *s, uint32_t stream)
{
	uint32_t event = ++s->ids;

	put(s, (struct sc_op){.kind = SC_OP_EVENT_CREATE, .object = event});
	order(s, stream, stream % STREAMS + 1, event);
	put(s, (struct sc_op){.kind = SC_OP_EVENT_DESTROY, .object = event});
}

static void pass_stream(struct soak *s, uint32_t stream)
{
	uint32_t new = ++s->ids;

	put(s, (struct sc_op){
		       .kind = SC_OP_STREAM_CREATE, .stream = new, .flags = SC_FLAG_NON_BLOCKING});
	order(s, stream, new, stream);
	set(s, new, tile(stream));
	wait(s, new);
	put(s, (struct sc_op){.kind = SC_OP_STREAM_DESTROY, .stream = new});
}

static void pass_memory(struct soak *s, uint32_t stream, bool is_async)
{
	struct sc_op op = {.kind = is_async ? SC_OP_ALLOC_ASYNC : SC_OP_ALLOC,
			   .stream = is_async ? stream : 0,
			   .object = ++s->ids,
			   .dst = ELSEWHERE + s->reached,
			   .dst_mem = SC_MEM_DEVICE,
			   .bytes = TILE};

	s->reached = (s->reached + TILE) & ((UINT64_C(1) << 44) - 1);
	put(s, op);
	set(s, stream, op.dst);
	if (!is_async)
		wait(s, stream);
	op.kind = is_async ? SC_OP_FREE_ASYNC : SC_OP_FREE;
	put(s, op);
}

static void call_host(struct soak *s, uint32_t stream)
{
	uint32_t execution = ++s->ids;
	uint64_t link = put(s, (struct sc_op){.kind = SC_OP_HOST_FUNC, .stream = stream}) + 1;

	put(s, (struct sc_op){.kind = SC_OP_CALLBACK_BEGIN,
			      .thread = 2,
			      .callback = execution,
			      .link = link});
	put(s,
	    (struct sc_op){
		    .kind = SC_OP_CALLBACK_END, .thread = 2, .callback = execution, .link = link});
	wait(s, stream);
}

static void pass(struct soak *s, uint32_t stream, uint32_t what)
{
	if (s->seldom > 1 && pick(s, s->seldom))
		return;
	switch (what) {
	case 0: pass_event(s, stream); break;
	case 1: pass_stream(s, stream); break;
	case 2: pass_memory(s, stream, 0); break;
	default: call_host(s, stream); break;
	}
}

static void turn(struct soak *s)
{
	uint32_t stream = 1 + pick(s, STREAMS), what = pick(s, 40);

	switch (what) {
	case 0 ... 3: pass(s, stream, what); break;
	case 4: pass_memory(s, stream, 1); break;
	case 5:
	case 6: put(s, (struct sc_op){.kind = SC_OP_GRAPH_LAUNCH, .stream = 1, .object = 1}); break;
	case 7:
	case 8:
	case 9: exchange(s, stream); break;
	case 10: wait(s, stream); break;
	default: launch(s, stream); break;
	}
}

/* ---- before the first turn ---- */

static void make_graph(struct soak *s)
{
	struct {
		struct sc_node node;
		struct sc_dependency after;
	} parts[2] = {{{.index = 0}, {0}}, {{.index = 1}, {.node = 0}}};
	struct sc_op op = {.kind = SC_OP_INSTANTIATE, .object = 1, .bytes = 2};

	put(s, op);
	op = (struct sc_op){.kind = SC_OP_SET,
			    .flags = SC_FLAG_NODE,
			    .peer = 1,
			    .dst = tile(1),
			    .dst_mem = SC_MEM_DEVICE,
			    .bytes = TILE};
	for (unsigned i = 0; i < 2; i++) {
		struct sc_attachment a = {SC_ATTACH_NODE,
					  i ? sizeof(parts[i]) : sizeof(parts[i].node), &parts[i]};

		put_with(s, op, &a);
	}
}

static void begin(struct soak *s)
{
	put(s, (struct sc_op){.kind = SC_OP_DRIVER, .value = 13000});
	put(s, (struct sc_op){.kind = SC_OP_CONTEXT_CREATE});
	for (s->ids = 1; s->ids <= STREAMS; s->ids++) {
		put(s, (struct sc_op){.kind = SC_OP_STREAM_CREATE,
				      .stream = s->ids,
				      .flags = SC_FLAG_NON_BLOCKING});
		put(s, (struct sc_op){.kind = SC_OP_EVENT_CREATE, .object = s->ids});
		put(s, (struct sc_op){.kind = SC_OP_ALLOC,
				      .object = s->ids,
				      .dst = tile(s->ids),
				      .dst_mem = SC_MEM_DEVICE,
				      .bytes = TILE});
	}
	make_graph(s);
}

/* ---- its analysis ---- */

static uint64_t resident(void)
{
	unsigned long all = 0, now = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu %lu", &all, &now) != 2)
		now = 0;
	if (f)
		fclose(f);
	return now * (uint64_t)sysconf(_SC_PAGESIZE);
}

static size_t allocated(void)
{
	struct mallinfo2 now = mallinfo2();

	return now.uordblks + now.hblkhd;
}

/* The pages of the trace are this process's, too, because it writes them. */
static void give_back(struct soak *s, uint64_t slots)
{
	uint64_t bytes = (SC_TRACE_HEADER + slots * SC_SLOT_SIZE) & ~UINT64_C(4095);

	(void)fallocate(s->writer.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, SC_TRACE_HEADER,
			(off_t)(bytes - SC_TRACE_HEADER));
}

static int follow(struct soak *s, struct sc_reader *r, uint64_t operations)
{
	struct sc_analysis_settings settings = {
		.profile = SC_REFERENCE, .is_live = 1, .remembered = s->remembered};
	struct sc_analysis *a = sc_analysis_begin(r, &settings);
	uint64_t most = 0;
	size_t findings, early = 0, late = 0, *period;

	for (uint64_t due = 0; s->made < operations;) {
		for (uint64_t end = s->made + BATCH; s->made < end;)
			turn(s);
		sc_reader_set_end(r, s->writer.head->slots);
		sc_analysis_read_on(a);
		give_back(s, s->writer.head->slots);
		if (s->made < due)
			continue;
		due += operations / LINES;
		most = resident() > most ? resident() : most;
		period = s->made <= operations / 10 ? &early : &late;
		*period = allocated() > *period ? allocated() : *period;
		printf("%" PRIu64 " %zu %" PRIu64 "\n", s->made, allocated(), resident());
		fflush(stdout);
	}
	(void)sc_analysis_findings(a, &findings);
	if (findings)
		fprintf(stderr, "soak: %zu findings in a correct program\n", findings);
	if (late > early + early / 20)
		fprintf(stderr, "soak: %zu bytes in the first tenth, %zu later\n", early, late);
	sc_analysis_free(a);
	return findings || most > MOST_BYTES || late > early + early / 20;
}

int main(int argc, char **argv)
{
	struct soak s = {.random = UINT64_C(0x9e3779b97f4a7c15),
			 .seldom = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1,
			 .remembered = argc > 3 ? strtoul(argv[3], NULL, 0) : 0};
	uint64_t operations = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX], message[256] = "";
	struct sc_reader *r;
	int failed;

	if (!operations) {
		fprintf(stderr, "usage: soak OPERATIONS [SELDOM [REMEMBERED]]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/soak.%d.sct", folder ? folder : "/tmp", (int)getpid());
	failed = sc_writer_open(&s.writer, path, UINT64_MAX);
	if (failed) {
		fprintf(stderr, "soak: %s: %s\n", path, strerror(-failed));
		return 1;
	}
	begin(&s);
	if (sc_reader_open(&r, path, message, sizeof(message))) {
		fprintf(stderr, "soak: %s: %s\n", path, message);
		return 1;
	}
	unlink(path);
	failed = follow(&s, r, operations);
	sc_reader_free(r);
	return failed;
}
