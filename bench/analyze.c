/* What analyzing costs: a made-up trace in the binary form, analyzed in a process of its own.
 *
 * Usage: analyze                           a table: 1e5 to 1e7 ops, 4 to 1,024 streams
 *        analyze OPS STREAMS GROUP [advice|pool|framework]  one row
 *
 * The trace is what a busy, correct program does: every stream fills, copies and computes in tiles
 * of its own, which lie in 1,000 allocations however many streams there are; one op in three
 * belongs to an exchange with another stream of its group (record, wait, kernel, record, wait), and
 * every 1,000 ops the host waits for the next stream in turn. The rows before the last have one
 * group only: everybody exchanges with everybody, the worst case of vector clocks. Time is
 * processor time of the analysis, peak is the process's resident memory (the trace is read through
 * a window, its page cache is not counted). A finding is a failure: the program is correct.
 *
 * In the row `pool` all ops are launches as a framework's: kernels of which the parameters alone
 * are known, a struct of 640 bytes or, one in 16, of 4,096, with two to five pointers to blocks of
 * a pool, of which an allocation has 64. In the row `framework` two ops in seven are such launches,
 * the others create, record, ask for and destroy an event; each op has one of 256 stacks of 40
 * frames in 80 files, and the rules of advice are on, as they are by default.
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

#define ALLOCATIONS  1000
#define WAIT_EVERY   1000
#define BUFFER_BYTES (UINT64_C(256) << 10)
#define TILES	     4
#define TILE_BYTES   (BUFFER_BYTES / TILES)
#define SIDE	     (ALLOCATIONS / 2) /* on the device, and as many pinned ones */
#define DEVICE_BASE  UINT64_C(0x7f0000000000)
#define HOST_BASE    UINT64_C(0x600000000000)

enum work { PLAIN, ADVICE, POOL, FRAMEWORK };

static const char *const works[] = {"", "advice", "pool", "framework"};

struct shape {
	uint64_t ops;
	uint32_t streams;
	uint32_t group; /* streams that exchange with each other */
	enum work work;
};

struct maker {
	struct sc_writer writer;
	struct shape shape;
	uint64_t random;
	uint64_t made;
	uint32_t next_waited;
	uint32_t events;
};

/* ---- the trace ---- */

static uint32_t pick(struct maker *m, uint32_t below)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)((m->random >> 32) * below >> 32);
}

static uint64_t put(struct maker *m, const struct sc_op *op, const struct sc_access *accesses,
		    uint32_t count)
{
	struct sc_attachment a = {.type = SC_ATTACH_ACCESSES,
				  .bytes = count * (uint32_t)sizeof(*accesses),
				  .data = accesses};
	struct sc_op full = *op;
	uint64_t sequence;

	full.thread = 1;
	full.context = 1;
	sequence = sc_writer_put(&m->writer, &full, &a, count != 0);
	if (sequence == SC_NOT_WRITTEN) {
		fprintf(stderr, "analyze: no room for the trace in %s\n", m->writer.path);
		exit(1);
	}
	return sequence;
}

/* The first tile of a stream (1, 2, …), on either side. */
static uint32_t first_tile(const struct maker *m, uint32_t stream)
{
	return (stream - 1) * (SIDE * TILES) / m->shape.streams;
}

/* Some tile of a stream. */
static uint64_t tile(struct maker *m, uint64_t base, uint32_t stream)
{
	uint32_t first = first_tile(m, stream);

	return base + (first + pick(m, first_tile(m, stream + 1) - first)) * TILE_BYTES;
}

static struct sc_access use(uint64_t base, uint8_t mode)
{
	return (struct sc_access){.base = base,
				  .width = TILE_BYTES,
				  .rows = 1,
				  .slices = 1,
				  .mode = mode,
				  .memory = SC_MEM_DEVICE};
}

static void make_kernel(struct maker *m, uint32_t stream, uint32_t source)
{
	struct sc_access uses[] = {use(tile(m, DEVICE_BASE, source), SC_READ),
				   use(tile(m, DEVICE_BASE, stream), SC_WRITE)};
	struct sc_op op = {.kind = SC_OP_KERNEL, .stream = stream, .object = 1 + pick(m, 100)};

	put(m, &op, uses, 2);
	m->made++;
}

static void make_copy(struct maker *m, uint32_t stream, bool is_in)
{
	uint64_t device = tile(m, DEVICE_BASE, stream), host = tile(m, HOST_BASE, stream);
	struct sc_op op = {.kind = SC_OP_COPY,
			   .stream = stream,
			   .dst = is_in ? device : host,
			   .src = is_in ? host : device,
			   .dst_mem = is_in ? SC_MEM_DEVICE : SC_MEM_PINNED,
			   .src_mem = is_in ? SC_MEM_PINNED : SC_MEM_DEVICE,
			   .bytes = TILE_BYTES};

	put(m, &op, NULL, 0);
	m->made++;
}

static void make_set(struct maker *m, uint32_t stream)
{
	struct sc_op op = {.kind = SC_OP_SET,
			   .stream = stream,
			   .dst = tile(m, DEVICE_BASE, stream),
			   .dst_mem = SC_MEM_DEVICE,
			   .bytes = TILE_BYTES};

	put(m, &op, NULL, 0);
	m->made++;
}

/* Event `from` (each stream has one) orders `to` after `from`. */
static void make_order(struct maker *m, uint32_t from, uint32_t to)
{
	struct sc_op record = {.kind = SC_OP_EVENT_RECORD, .stream = from, .object = from};
	struct sc_op wait = {.kind = SC_OP_EVENT_WAIT, .stream = to, .object = from};

	put(m, &record, NULL, 0);
	put(m, &wait, NULL, 0);
	m->made += 2;
}

/* The stream reads what another one has made, which then may go on. */
static void make_exchange(struct maker *m, uint32_t stream)
{
	uint32_t group = m->shape.group, first = (stream - 1) / group * group;
	uint32_t other = 1 + first + (stream - first + pick(m, group - 1)) % group;

	make_order(m, other, stream);
	make_kernel(m, stream, other);
	make_order(m, stream, other);
}

#define KERNELS	    100
#define BLOCK_BYTES 4096
#define WORDS	    80
#define WORDS_MOST  512

static uint32_t words_of(uint32_t kernel)
{
	return kernel % 16 ? WORDS : WORDS_MOST;
}

static void put_with(struct maker *m, struct sc_op op, const struct sc_attachment *a,
		     unsigned count)
{
	op.thread = op.context = 1;
	if (sc_writer_put(&m->writer, &op, a, count) == SC_NOT_WRITTEN)
		exit(1);
}

static void make_functions(struct maker *m)
{
	for (uint32_t kernel = 1; kernel <= KERNELS; kernel++) {
		struct sc_param all = {.bytes = 8 * words_of(kernel)};
		const struct sc_attachment a[] = {
			{.type = SC_ATTACH_TEXT, .bytes = 6, .data = "kernel"},
			{.type = SC_ATTACH_LAYOUT, .bytes = sizeof(all), .data = &all}};

		put_with(m, (struct sc_op){.kind = SC_OP_FUNCTION, .object = kernel}, a, 2);
	}
}

#define FILES	   80
#define FILE_BYTES (UINT64_C(1) << 20)
#define CODE_BASE  UINT64_C(0x500000000000)
#define STACKS	   256 /* a power of two */
#define FRAMES	   40

/* The outer half of the frames is the same in all stacks. */
static void make_stacks(struct maker *m)
{
	for (uint32_t i = 0; i < FILES; i++) {
		const struct sc_attachment a = {
			.type = SC_ATTACH_TEXT, .bytes = 9, .data = "/lib/x.so"};

		put_with(m,
			 (struct sc_op){.kind = SC_OP_MAP,
					.dst = CODE_BASE + i * FILE_BYTES,
					.bytes = FILE_BYTES},
			 &a, 1);
	}
	for (uint32_t id = 1; id <= STACKS; id++) {
		uint64_t frames[FRAMES];
		const struct sc_attachment a = {
			.type = SC_ATTACH_FRAMES, .bytes = sizeof(frames), .data = frames};

		for (uint32_t i = 0; i < FRAMES; i++)
			frames[i] = CODE_BASE + pick(m, FILES) * FILE_BYTES +
				    (i < FRAMES / 2 ? id : FRAMES) * 64 + i;
		put_with(m, (struct sc_op){.kind = SC_OP_STACK, .object = id}, &a, 1);
	}
}

/* Words that are no pointers are sizes and strides. */
static void make_launch(struct maker *m, uint32_t stream)
{
	struct {
		struct sc_launch head;
		uint64_t words[WORDS_MOST];
	} launch = {.head = {.grid = {1, 1, 1}, .block = {128, 1, 1}}};
	struct sc_op op = {.kind = SC_OP_KERNEL, .stream = stream, .object = 1 + pick(m, KERNELS)};
	uint32_t words = words_of(op.object), pointers = 2 + op.object % 4;
	struct sc_attachment a = {.type = SC_ATTACH_LAUNCH,
				  .bytes = (uint32_t)sizeof(launch.head) + 8 * words,
				  .data = &launch};

	if (m->shape.work == FRAMEWORK)
		op.stack = 1 + (m->made & (STACKS - 1));
	launch.head.param_bytes = 8 * words;
	for (uint32_t i = pointers; i < words; i++)
		launch.words[i] = i % 8;
	for (uint32_t i = 0; i < pointers; i++)
		launch.words[i] = tile(m, DEVICE_BASE, stream) +
				  BLOCK_BYTES * pick(m, TILE_BYTES / BLOCK_BYTES);
	put_with(m, op, &a, 1);
	m->made++;
}

static void make_call(struct maker *m, struct sc_op op)
{
	op.stack = 1 + (m->made & (STACKS - 1));
	put_with(m, op, NULL, 0);
	m->made++;
}

static void make_query(struct maker *m, uint32_t event, int result)
{
	struct sc_op op = {.kind = SC_OP_EVENT_QUERY,
			   .phase = SC_PHASE_BEGIN,
			   .object = event,
			   .stack = 1 + (m->made & (STACKS - 1))};

	op.link = put(m, &op, NULL, 0) + 1;
	op.phase = SC_PHASE_END;
	op.result = result;
	put(m, &op, NULL, 0);
	m->made++;
}

/* What measuring a launch takes. */
static void make_measured_launch(struct maker *m, uint32_t stream)
{
	uint32_t event = m->shape.streams + ++m->events;

	make_launch(m, stream);
	make_call(m, (struct sc_op){.kind = SC_OP_EVENT_CREATE, .object = event});
	make_call(m, (struct sc_op){.kind = SC_OP_EVENT_RECORD, .stream = stream, .object = event});
	make_launch(m, stream);
	make_query(m, event, 600);
	make_query(m, event, 0);
	make_call(m, (struct sc_op){.kind = SC_OP_EVENT_DESTROY, .object = event});
}

static void make_wait(struct maker *m)
{
	struct sc_op op = {.kind = SC_OP_STREAM_SYNC,
			   .phase = SC_PHASE_BEGIN,
			   .stream = 1 + m->next_waited++ % m->shape.streams};

	op.link = put(m, &op, NULL, 0) + 1;
	op.phase = SC_PHASE_END;
	put(m, &op, NULL, 0);
	m->made++;
}

static void make_definitions(struct maker *m)
{
	put(m, &(struct sc_op){.kind = SC_OP_DRIVER, .value = 13000}, NULL, 0);
	put(m, &(struct sc_op){.kind = SC_OP_CONTEXT_CREATE}, NULL, 0);
	for (uint32_t i = 1; i <= m->shape.streams; i++) {
		struct sc_op stream = {.kind = SC_OP_STREAM_CREATE, .stream = i};
		struct sc_op event = {.kind = SC_OP_EVENT_CREATE, .object = i};

		stream.flags = SC_FLAG_NON_BLOCKING;
		put(m, &stream, NULL, 0);
		put(m, &event, NULL, 0);
	}
	for (uint32_t i = 0; i < ALLOCATIONS; i++) {
		bool is_device = i < SIDE;
		struct sc_op op = {.kind = SC_OP_ALLOC, .object = i + 1, .bytes = BUFFER_BYTES};

		op.dst = is_device ? DEVICE_BASE + i * BUFFER_BYTES
				   : HOST_BASE + (i - SIDE) * BUFFER_BYTES;
		op.dst_mem = is_device ? SC_MEM_DEVICE : SC_MEM_PINNED;
		put(m, &op, NULL, 0);
	}
}

static void make_step(struct maker *m)
{
	uint32_t stream = 1 + pick(m, m->shape.streams);

	if (m->shape.work >= POOL) {
		(m->shape.work == POOL ? make_launch : make_measured_launch)(m, stream);
		return;
	}
	switch (pick(m, 10)) {
	case 0:
	case 1:
	case 2:
	case 3: make_kernel(m, stream, stream); break;
	case 4:
	case 5: make_copy(m, stream, 1); break;
	case 6:
	case 7: make_copy(m, stream, 0); break;
	case 8: make_set(m, stream); break;
	default: make_exchange(m, stream); break;
	}
}

static int generate(const char *path, const struct shape *shape)
{
	struct maker m = {.shape = *shape, .random = UINT64_C(0x9e3779b97f4a7c15)};
	struct sc_op sync = {.kind = SC_OP_CONTEXT_SYNC};
	int err = sc_writer_open(&m.writer, path, UINT64_C(16) << 30);

	if (err) {
		fprintf(stderr, "analyze: %s: %s\n", path, strerror(-err));
		return 1;
	}
	make_definitions(&m);
	if (shape->work >= POOL)
		make_functions(&m);
	if (shape->work == FRAMEWORK)
		make_stacks(&m);
	for (uint64_t due = WAIT_EVERY; m.made < shape->ops;) {
		make_step(&m);
		if (m.made < due)
			continue;
		make_wait(&m);
		due += WAIT_EVERY;
	}
	put(&m, &sync, NULL, 0);
	sc_writer_close(&m.writer);
	return 0;
}

/* ---- its analysis ---- */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int analyze(const char *path, const struct shape *shape)
{
	bool advice = shape->work == ADVICE || shape->work == FRAMEWORK;
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .advice = advice};
	struct sc_analysis *analysis;
	struct sc_reader *reader;
	struct rusage usage;
	char message[256];
	double start, seconds;
	size_t findings;

	if (sc_reader_open(&reader, path, message, sizeof(message))) {
		fprintf(stderr, "analyze: %s: %s\n", path, message);
		return 1;
	}
	start = now_s();
	if (sc_analysis_run(&analysis, reader, &settings))
		return 1;
	seconds = now_s() - start;
	getrusage(RUSAGE_SELF, &usage);
	sc_analysis_findings(analysis, &findings);
	findings = advice ? 0 : findings; /* what it would be better without is no error */
	printf("%10llu %8u %8u %10.2f %8.0f %10.0f %s\n", (unsigned long long)shape->ops,
	       shape->streams, shape->group, 1e-6 * (double)shape->ops / seconds,
	       1e9 * seconds / (double)shape->ops, (double)usage.ru_maxrss / 1024,
	       works[shape->work]);
	sc_analysis_free(analysis);
	sc_reader_free(reader);
	if (findings)
		fprintf(stderr, "analyze: %zu findings in a correct program\n", findings);
	return findings != 0;
}

/* ---- rows ---- */

/* Runs one half in a process of its own, so that peaks do not mix. */
static int in_child(int (*half)(const char *, const struct shape *), const char *path,
		    const struct shape *shape)
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		status = half(path, shape);
		fflush(stdout);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

static int row(struct shape shape)
{
	const char *folder = getenv("TMPDIR");
	char path[512];
	int status;

	snprintf(path, sizeof(path), "%s/analyze.%d.sct", folder ? folder : "/tmp", (int)getpid());
	status = in_child(generate, path, &shape);
	if (!status)
		status = in_child(analyze, path, &shape);
	unlink(path);
	return status;
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	static const struct shape rows[] = {
		{100000, 64, 8, PLAIN},	  {1000000, 64, 8, PLAIN},    {10000000, 64, 8, PLAIN},
		{1000000, 4, 4, PLAIN},	  {1000000, 256, 8, PLAIN},   {1000000, 1024, 8, PLAIN},
		{1000000, 64, 64, PLAIN}, {1000000, 256, 256, PLAIN}, {1000000, 1024, 1024, PLAIN},
		{1000000, 64, 8, ADVICE}, {300000, 4, 4, POOL},	      {1000000, 4, 4, FRAMEWORK}};
	unsigned work = argc == 5 ? FRAMEWORK : PLAIN;
	int status = 0;

	while (argc == 5 && work && strcmp(argv[4], works[work]) != 0)
		work--;
	if ((argc != 1 && argc != 4 && argc != 5) || (argc == 5 && !work)) {
		fprintf(stderr, "usage: analyze [OPS STREAMS GROUP [advice|pool|framework]]\n");
		return 2;
	}
	if (argc > 1 && (!number(argv[2]) || number(argv[2]) > SIDE * TILES)) {
		fprintf(stderr, "analyze: 1 to %d streams, each has a tile\n", SIDE * TILES);
		return 2;
	}
	printf("%10s %8s %8s %10s %8s %10s\n", "ops", "streams", "group", "M ops/s", "ns/op",
	       "peak MiB");
	if (argc > 1)
		return row((struct shape){strtoull(argv[1], NULL, 10), number(argv[2]),
					  number(argv[3]), (enum work)work});
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !status; i++)
		status = row(rows[i]);
	return status;
}
