/* Pairs of operations in imposed orders: they are made where CUDA permits, and given up elsewhere.
 *
 * The driver reads its environment once, so each run is a process of its own: the first one without
 * a pair, whose notes say what the operations are called.
 */
#include "tests/unit/simulator/sim_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/sim_note.h"

#define BYTES	64
#define OPS_MAX 16
#define FIRST	0x11
#define SECOND	0x22

/* What one run left. */
struct outcome {
	int status;		/* what the scenario returned */
	char name[OPS_MAX][64]; /* "STREAM.NUMBER" of each op, in the order of the calls */
	int ops;
	uint64_t memory;		   /* id of the last allocation */
	int order;			   /* enum sc_sim_note_order, or -1; of several the last */
	int made;			   /* pairs in the order that was wanted */
	unsigned char before[2], after[2]; /* first byte of the range */
	uint64_t range_bytes;
	unsigned char delivered;
};

static char folder[] = "/tmp/test_sim_pair.XXXXXX";

static void take(struct outcome *o, const struct sc_sim_note *note, const unsigned char *data)
{
	uint64_t which = note->number[0];

	switch (note->kind) {
	case SC_NOTE_OP:
		assert_in_range(o->ops, 0, OPS_MAX - 1);
		snprintf(o->name[o->ops++], sizeof(o->name[0]), "%llu.%llu",
			 (unsigned long long)note->number[1], (unsigned long long)note->number[2]);
		break;
	case SC_NOTE_MEMORY: o->memory = note->number[1]; break;
	case SC_NOTE_ORDER:
		o->order = (int)which;
		o->made += which == SC_ORDER_MADE;
		break;
	case SC_NOTE_BEFORE:
		which &= 1;
		o->before[which] = data[0];
		o->range_bytes = note->data_bytes;
		break;
	case SC_NOTE_AFTER: o->after[which & 1] = data[0]; break;
	case SC_NOTE_DELIVERED: o->delivered = data[0]; break;
	}
}

static void read_notes(struct outcome *o, pid_t process)
{
	unsigned char data[8192];
	struct sc_sim_note note;
	char path[128];
	FILE *file;

	o->order = -1;
	snprintf(path, sizeof(path), "%s/%d", folder, (int)process);
	file = fopen(path, "rb");
	if (!file)
		return;
	while (fread(&note, sizeof(note), 1, file) == 1) {
		assert_int_equal(note.magic, SC_NOTE_MAGIC);
		assert_true(note.data_bytes <= sizeof(data));
		assert_int_equal(fread(data, 1, note.data_bytes, file), note.data_bytes);
		take(o, &note, data);
	}
	fclose(file);
	unlink(path);
}

/* Runs a scenario with a pair, "" for none. */
static struct outcome run(int (*scenario)(void), const char *pair)
{
	struct outcome o = {0};
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (!child) {
		setenv("STREAMCHECK_SIM_PAIR", pair, 1);
		setenv("STREAMCHECK_SIM_NOTES", folder, 1);
		_exit(sim_setup(NULL) ? 99 : scenario());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	o.status = WEXITSTATUS(status);
	read_notes(&o, child);
	return o;
}

static CUstream new_stream(void)
{
	CUstream stream;

	return cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) ? NULL : stream;
}

/* Two fills of the same bytes that nothing orders; returns what is there in the end. */
static int two_fills(void)
{
	unsigned char result[BYTES];
	CUstream a = new_stream(), b = new_stream();
	CUdeviceptr memory;

	if (cuMemAlloc(&memory, BYTES) || cuMemsetD8Async(memory, FIRST, BYTES, a) ||
	    cuMemsetD8Async(memory, SECOND, BYTES, b) || cuStreamSynchronize(a) ||
	    cuStreamSynchronize(b) || cuMemcpyDtoH(result, memory, BYTES))
		return 98;
	return result[0];
}

TEST(either_fill_can_be_the_last)
{
	struct outcome plain = run(two_fills, ""), o;
	char pair[256];

	assert_int_equal(plain.ops, 3);
	snprintf(pair, sizeof(pair), "%s,%s,%llu+8+16", plain.name[0], plain.name[1],
		 (unsigned long long)plain.memory);
	o = run(two_fills, pair);
	assert_int_equal(o.order, SC_ORDER_MADE);
	assert_int_equal(o.status, SECOND);
	assert_int_equal(o.range_bytes, 16);
	assert_int_equal(o.after[0], FIRST);
	assert_int_equal(o.before[1], FIRST);
	assert_int_equal(o.after[1], SECOND);
	assert_int_equal(o.delivered, SECOND);
	snprintf(pair, sizeof(pair), "%s,%s,%llu+8+16", plain.name[1], plain.name[0],
		 (unsigned long long)plain.memory);
	o = run(two_fills, pair);
	assert_int_equal(o.order, SC_ORDER_MADE);
	assert_int_equal(o.status, FIRST);
	assert_int_equal(o.before[1], SECOND);
	assert_int_equal(o.after[1], FIRST);
	assert_int_equal(o.delivered, FIRST);
}

/* Three fills of the same bytes; returns what is there in the end. */
static int three_fills(void)
{
	unsigned char result[BYTES];
	CUdeviceptr memory;

	if (cuMemAlloc(&memory, BYTES))
		return 98;
	for (unsigned char i = 1; i <= 3; i++)
		if (cuMemsetD8Async(memory, i, BYTES, new_stream()))
			return 98;
	return cuCtxSynchronize() || cuMemcpyDtoH(result, memory, BYTES) ? 98 : result[0];
}

TEST(several_pairs_make_any_order)
{
	static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	struct outcome plain = run(three_fills, ""), o;
	char pairs[512];

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		const unsigned *n = orders[i];

		snprintf(pairs, sizeof(pairs), "%s,%s;%s,%s;%s,%s", plain.name[n[0]],
			 plain.name[n[1]], plain.name[n[1]], plain.name[n[2]], plain.name[n[0]],
			 plain.name[n[2]]);
		o = run(three_fills, pairs);
		assert_int_equal(o.made, 3);
		assert_int_equal(o.status, n[2] + 1);
	}
}

/* The second fill comes after the first one by an event. */
static int ordered_fills(void)
{
	unsigned char result[BYTES];
	CUstream a = new_stream(), b = new_stream();
	CUdeviceptr memory;
	CUevent event;

	if (cuMemAlloc(&memory, BYTES) || cuEventCreate(&event, 0) ||
	    cuMemsetD8Async(memory, FIRST, BYTES, a) || cuEventRecord(event, a) ||
	    cuStreamWaitEvent(b, event, 0) || cuMemsetD8Async(memory, SECOND, BYTES, b) ||
	    cuStreamSynchronize(b) || cuMemcpyDtoH(result, memory, BYTES))
		return 98;
	return result[0];
}

TEST(what_is_ordered_stays_so)
{
	struct outcome plain = run(ordered_fills, ""), o;
	char pair[256];

	snprintf(pair, sizeof(pair), "%s,%s", plain.name[1], plain.name[0]);
	o = run(ordered_fills, pair);
	assert_int_equal(o.order, SC_ORDER_DEPENDS);
	assert_int_equal(o.status, SECOND);
}

/* The host waits for the first fill before it enqueues the second. */
static int fills_apart(void)
{
	unsigned char result[BYTES];
	CUstream a = new_stream(), b = new_stream();
	CUdeviceptr memory;

	if (cuMemAlloc(&memory, BYTES) || cuMemsetD8Async(memory, FIRST, BYTES, a) ||
	    cuStreamSynchronize(a) || cuMemsetD8Async(memory, SECOND, BYTES, b) ||
	    cuStreamSynchronize(b) || cuMemcpyDtoH(result, memory, BYTES))
		return 98;
	return result[0];
}

TEST(a_wait_ends_the_hold)
{
	struct outcome plain = run(fills_apart, ""), o;
	char pair[256];

	snprintf(pair, sizeof(pair), "%s,%s", plain.name[1], plain.name[0]);
	o = run(fills_apart, pair);
	assert_int_equal(o.order, SC_ORDER_DEMANDED);
	assert_int_equal(o.status, SECOND);
}

/* A host function, which no call waits for, opens the way to the rest. */
static int host_signals(void)
{
	unsigned char result[BYTES];
	CUstream a = new_stream(), b = new_stream();
	CUdeviceptr memory;
	struct gate gate;

	if (cuMemAlloc(&memory, BYTES) || cuMemsetD8Async(memory, FIRST, BYTES, a))
		return 98;
	gate_close(&gate, a);
	sem_wait(&gate.entered);
	gate_open(&gate);
	if (cuMemsetD8Async(memory, SECOND, BYTES, b) || cuCtxSynchronize() ||
	    cuMemcpyDtoH(result, memory, BYTES))
		return 98;
	return result[0];
}

TEST(time_ends_the_hold)
{
	struct outcome plain = run(host_signals, ""), o;
	char pair[256];

	snprintf(pair, sizeof(pair), "%s,%s", plain.name[2], plain.name[0]);
	o = run(host_signals, pair);
	assert_true(o.order == SC_ORDER_TIME || o.order == SC_ORDER_DEMANDED);
	assert_int_equal(o.status, SECOND);
}

/* The host reads pinned memory without a wait. */
static int read_too_early(void)
{
	CUstream stream = new_stream();
	unsigned char *host, seen;
	CUdeviceptr memory;

	if (cuMemAlloc(&memory, BYTES) || cuMemAllocHost((void **)&host, BYTES) ||
	    cuMemsetD8(memory, SECOND, BYTES) || cuCtxSynchronize())
		return 98;
	memset(host, FIRST, BYTES);
	if (cuMemcpyDtoHAsync(host, memory, BYTES, stream))
		return 98;
	seen = *(volatile unsigned char *)host;
	return cuStreamSynchronize(stream) ? 98 : seen;
}

TEST(the_host_can_be_first_or_last)
{
	struct outcome plain = run(read_too_early, ""), o;
	char pair[256];

	snprintf(pair, sizeof(pair), "host,%s,dst+0+4", plain.name[1]);
	o = run(read_too_early, pair);
	assert_int_equal(o.order, SC_ORDER_MADE);
	assert_int_equal(o.status, FIRST);
	assert_int_equal(o.before[1], FIRST);
	snprintf(pair, sizeof(pair), "%s,host,dst+0+4", plain.name[1]);
	o = run(read_too_early, pair);
	assert_int_equal(o.order, SC_ORDER_MADE);
	assert_int_equal(o.status, SECOND);
	assert_int_equal(o.after[0], SECOND);
}

/* A copy to the host, then a fill of what it copies, then a look at what it brought. */
static int read_after_both(void)
{
	CUstream a = new_stream(), b = new_stream();
	unsigned char *host, seen;
	CUdeviceptr memory;

	if (cuMemAlloc(&memory, BYTES) || cuMemAllocHost((void **)&host, BYTES) ||
	    cuMemsetD8(memory, FIRST, BYTES) || cuCtxSynchronize())
		return 98;
	memset(host, 0, BYTES);
	if (cuMemcpyDtoHAsync(host, memory, BYTES, a) || cuMemsetD8Async(memory, SECOND, BYTES, b))
		return 98;
	seen = *(volatile unsigned char *)host;
	return cuCtxSynchronize() ? 98 : seen;
}

TEST(the_host_comes_after_a_later_operation)
{
	struct outcome plain = run(read_after_both, ""), o;
	const char *copy = plain.name[1], *fill = plain.name[2];
	char pairs[512];

	snprintf(pairs, sizeof(pairs), "%s,%s;%s,host@%s", fill, copy, copy, fill);
	o = run(read_after_both, pairs);
	assert_int_equal(o.made, 2);
	assert_int_equal(o.status, SECOND);
	snprintf(pairs, sizeof(pairs), "%s,%s;%s,host@%s", copy, fill, copy, fill);
	o = run(read_after_both, pairs);
	assert_int_equal(o.made, 2);
	assert_int_equal(o.status, FIRST);
	snprintf(pairs, sizeof(pairs), "%s,%s;host@%s,%s", fill, copy, fill, copy);
	o = run(read_after_both, pairs);
	assert_int_equal(o.made, 2);
	assert_int_equal(o.status, 0);
}

TEST(ranges_outside_are_not_read)
{
	static const char *const ranges[] = {"dst+0+65", "dst+64+1", "src+18446744073709551615+2",
					     "999999+0+1"};
	struct outcome plain = run(read_too_early, ""), o;
	char pair[256];

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		snprintf(pair, sizeof(pair), "host,%s,%s", plain.name[1], ranges[i]);
		o = run(read_too_early, pair);
		assert_int_equal(o.order, SC_ORDER_MADE);
		assert_int_equal(o.range_bytes, 0);
	}
}

TEST(values_that_are_no_pair)
{
	static const char *const wrong[] = {",",
					    "host",
					    "host,host",
					    "1.1",
					    "1.1,",
					    "1.1,1.1",
					    "1.0,2.1",
					    "1.1,2.1,",
					    "1.1,2.1,5",
					    "1.1,2.1,5+1",
					    "1.1,2",
					    "-1.1,2.1",
					    "1.1,2.1,a+1+1",
					    "1.1, 2.1",
					    "1.1,2.1,dst+0+1",
					    "1,2,3",
					    "1.1,2.1 ",
					    "1.1,2.1,5+1+1,",
					    "0x1.1,2.1",
					    "host,1.1,dst",
					    "host1.1",
					    "host,1.1,+1+1",
					    "99999999999999999999.1,2.1",
					    "1.1,hostage",
					    "1.1,2.1;",
					    ";1.1,2.1",
					    "1.1,2.1;1.1",
					    "host@1.1,host@1.2",
					    "1.1,host@",
					    "1.1,host@2",
					    "1.1,host@2.0"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct outcome o = run(two_fills, wrong[i]);

		assert_int_equal(o.order, -1);
		assert_true(o.status == FIRST || o.status == SECOND);
	}
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}
ALL_TESTS(make_folder, remove_folder)
