/* Writer: what is put comes out, from any thread, after any end, and never at the program's cost.
 */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "trace/reader.h"

#define MEGABYTE ((uint64_t)1 << 20)
#define THREADS	 4

static char directory[] = "/tmp/streamcheck-writer-XXXXXX";
static char path[64];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/t.sct", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

/* An op whose fields all follow from its thread and number, so that a torn one is noticed. */
static struct sc_op numbered(uint32_t thread, uint64_t number)
{
	return (struct sc_op){
		.kind = SC_OP_COPY,
		.thread = thread,
		.value = number,
		.dst = number * UINT64_C(0x9E3779B97F4A7C15) + thread,
		.src = ~number,
		.bytes = number ^ thread,
		.link = number << 7,
		.time_ns = number + 1,
	};
}

static void assert_numbered(const struct sc_op *op)
{
	struct sc_op expected = numbered(op->thread, op->value);

	assert_memory_equal(op, &expected, sizeof(expected));
}

static struct sc_reader *open_trace(void)
{
	char message[200] = "";
	struct sc_reader *r;

	if (sc_reader_open(&r, path, message, sizeof(message)))
		fail_msg("%s", message);
	return r;
}

/* Reads the whole trace of numbered ops; counts[t] gets the ops of thread t. */
static struct sc_reader_stats read_numbered(uint64_t counts[THREADS + 1])
{
	struct sc_reader *r = open_trace();
	struct sc_reader_stats stats;
	struct sc_record record;

	memset(counts, 0, (THREADS + 1) * sizeof(counts[0]));
	while (sc_reader_next(r, &record)) {
		assert_in_range(record.op.thread, 0, THREADS);
		assert_numbered(&record.op);
		assert_int_equal(record.op.value, counts[record.op.thread]);
		counts[record.op.thread]++;
	}
	stats = *sc_reader_stats(r);
	sc_reader_free(r);
	return stats;
}

static void put_numbered(struct sc_writer *w, uint32_t thread, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct sc_op op = numbered(thread, i);

		sc_writer_put(w, &op, NULL, 0);
	}
}

EACH_TEST(NULL, remove_path)
ALL_TESTS(make_directory, remove_directory)

TEST(attachments_in_pieces)
{
	static const char long_text[300] = {[0 ... 298] = 'x'};
	static const uint64_t frames[] = {1, 2, 3};
	const struct sc_attachment attachments[] = {
		{SC_ATTACH_TEXT, 3, "abc"},
		{0, 2, "de"},
		{0, sizeof(long_text) - 1, long_text},
		{SC_ATTACH_FRAMES, 8, frames},
		{0, 16, frames + 1},
		{SC_ATTACH_PYTHON, 0, NULL},
	};
	struct sc_op op = numbered(1, 5);
	struct sc_record record;
	struct sc_reader *r;
	struct sc_writer w;
	const uint8_t *data;
	uint32_t bytes;

	assert_int_equal(sc_writer_open(&w, path, MEGABYTE), 0);
	assert_int_equal(sc_writer_put(&w, &op, attachments, 6), 0);
	assert_int_equal(sc_writer_put(&w, &op, NULL, 0), 8);
	sc_writer_close(&w);
	r = open_trace();
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_numbered(&record.op);
	data = sc_record_attachment(&record, SC_ATTACH_TEXT, &bytes);
	assert_int_equal(bytes, 5 + sizeof(long_text) - 1);
	assert_memory_equal(data, "abcdexxx", 8);
	data = sc_record_attachment(&record, SC_ATTACH_FRAMES, &bytes);
	assert_int_equal(bytes, sizeof(frames));
	assert_memory_equal(data, frames, sizeof(frames));
	assert_non_null(sc_record_attachment(&record, SC_ATTACH_PYTHON, &bytes));
	assert_int_equal(bytes, 0);
	assert_null(sc_record_attachment(&record, SC_ATTACH_LAUNCH, &bytes));
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(record.sequence, 8);
	assert_int_equal(sc_reader_next(r, &record), 0);
	assert_true(sc_reader_stats(r)->closed);
	assert_int_equal(sc_reader_stats(r)->damaged + sc_reader_stats(r)->uncommitted, 0);
	assert_int_equal(sc_reader_header(r)->process, getpid());
	sc_reader_free(r);
}

TEST(result_is_patched)
{
	struct sc_op op = {.kind = SC_OP_KERNEL, .result = SC_RESULT_PENDING};
	struct sc_record record;
	struct sc_reader *r;
	struct sc_writer w;
	uint64_t first;

	assert_int_equal(sc_writer_open(&w, path, MEGABYTE), 0);
	first = sc_writer_put(&w, &op, NULL, 0);
	sc_writer_put(&w, &op, NULL, 0);
	sc_writer_set_result(&w, first, 719);
	sc_writer_set_result(&w, SC_NOT_WRITTEN, 1);
	sc_writer_close(&w);
	r = open_trace();
	sc_reader_next(r, &record);
	assert_int_equal(record.op.result, 719);
	sc_reader_next(r, &record);
	assert_int_equal(record.op.result, SC_RESULT_PENDING);
	sc_reader_free(r);
}

TEST(what_is_too_long_is_lost_and_counted)
{
	static uint8_t data[SC_RECORD_MOST * SC_SLOT_DATA];
	struct sc_attachment attachment = {SC_ATTACH_TEXT, sizeof(data) - 128, data};
	struct sc_attachment orphan = {0, 4, data};
	struct sc_op op = numbered(0, 0);
	uint64_t counts[THREADS + 1];
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, 80 * MEGABYTE), 0);
	assert_int_not_equal(sc_writer_put(&w, &op, &attachment, 1), SC_NOT_WRITTEN);
	attachment.bytes++;
	assert_int_equal(sc_writer_put(&w, &op, &attachment, 1), SC_NOT_WRITTEN);
	assert_int_equal(sc_writer_put(&w, &op, &orphan, 1), SC_NOT_WRITTEN);
	sc_writer_close(&w);
	assert_int_equal(read_numbered(counts).lost, 2);
	assert_int_equal(counts[0], 1);
}

/* Counts survive in the header, whether or not the trace was closed. */
TEST(what_was_left_out_is_counted_at_once)
{
	uint64_t counts[THREADS + 1];
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, MEGABYTE), 0);
	sc_writer_count(&w, SC_GAP_operands, 3);
	assert_int_equal(read_numbered(counts).gaps[SC_GAP_operands], 3);
	sc_writer_close(&w);
	sc_writer_count(&w, SC_GAP_operands, 1);
	assert_int_equal(read_numbered(counts).gaps[SC_GAP_operands], 3);
	assert_int_equal(read_numbered(counts).damaged, 0);
}

TEST(size_limit_drops_and_counts)
{
	uint64_t counts[THREADS + 1], room = (MEGABYTE - SC_TRACE_HEADER) / 128;
	struct sc_reader_stats stats;
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, MEGABYTE), 0);
	put_numbered(&w, 1, 10000);
	sc_writer_close(&w);
	stats = read_numbered(counts);
	assert_int_equal(counts[1], room);
	assert_int_equal(stats.lost, 10000 - room);
	assert_int_equal(stats.damaged, 0);
	assert_true(stats.closed);
}

/* A file that may not grow is what a full disk looks like; there must be no signal. */
TEST(full_disk_drops_and_counts)
{
	struct rlimit old, limit;
	uint64_t counts[THREADS + 1];
	struct sc_reader_stats stats;
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	put_numbered(&w, 1, 1000);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 6 * MEGABYTE;
	setrlimit(RLIMIT_FSIZE, &limit);
	errno = ERANGE;
	put_numbered(&w, 2, 100000);
	assert_int_equal(errno, ERANGE);
	sc_writer_close(&w);
	setrlimit(RLIMIT_FSIZE, &old);
	stats = read_numbered(counts);
	assert_int_equal(counts[1], 1000);
	assert_true(counts[2] > 40000 && counts[2] < 49152);
	assert_int_equal(counts[2] + stats.lost, 100000);
	assert_int_equal(stats.damaged, 0);
}

TEST(without_fallocate)
{
	uint64_t counts[THREADS + 1];
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	w.no_allocate = 1;
	put_numbered(&w, 1, 3000);
	assert_int_equal(w.ready_slots, 0);
	sc_writer_close(&w);
	assert_int_equal(read_numbered(counts).lost, 0);
	assert_int_equal(counts[1], 3000);
}

/* A program that closes descriptors it does not know, and gets the number for a file of its own. */
TEST(program_takes_our_descriptor)
{
	uint64_t counts[THREADS + 1];
	struct stat theirs;
	struct sc_writer w;
	int fd;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	put_numbered(&w, 1, 10);
	fd = memfd_create("theirs", 0);
	assert_int_equal(dup2(fd, w.fd), w.fd);
	put_numbered(&w, 2, 100000);
	sc_writer_close(&w);
	assert_int_equal(fstat(fd, &theirs), 0);
	assert_int_equal(theirs.st_size, 0);
	close(fd);
	assert_int_equal(read_numbered(counts).lost, 0);
	assert_int_equal(counts[1], 10);
	assert_int_equal(counts[2], 100000);
}

TEST(file_is_cut_and_must_be_new)
{
	struct sc_writer w, other;
	struct stat st;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	assert_int_equal(sc_writer_open(&other, path, MEGABYTE), -EEXIST);
	assert_int_equal(other.fd, -1);
	assert_int_equal(sc_writer_open(&other, "/nonexistent/t.sct", MEGABYTE), -ENOENT);
	assert_int_equal(sc_writer_open(&other, "/dev/full/x", 1), -EFBIG);
	put_numbered(&w, 1, 100);
	sc_writer_close(&w);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, SC_TRACE_HEADER + 200 * SC_SLOT_SIZE);
	assert_int_equal(st.st_mode & 0777, 0600);
	put_numbered(&w, 1, 1);
	assert_int_equal(w.head->lost, 0);
	sc_writer_close(&w);
}

/* As before it was opened, and in a child that gave it up. */
TEST(no_trace_takes_nothing)
{
	struct sc_writer w = {.fd = -1};
	struct sc_op op = numbered(1, 0);

	sc_writer_put_all(&w, &op, 1);
	sc_writer_count(&w, SC_GAP_operands, 1);
	sc_writer_mark(&w, 1);
	sc_writer_set_result(&w, 0, 1);
	sc_writer_set_polled(&w, 0);
	sc_writer_flush(&w);
	sc_writer_close(&w);
	sc_writer_abandon(&w);
	assert_int_equal(sc_writer_put(&w, &op, NULL, 0), SC_NOT_WRITTEN);
	assert_int_equal(sc_writer_open(&w, path, MEGABYTE), 0);
	sc_writer_mark(&w, 1);
	sc_writer_mark(&w, 4);
	sc_writer_close(&w);
	sc_writer_mark(&w, 2);
	sc_writer_put_all(&w, &op, 1);
	sc_writer_set_polled(&w, SC_NOT_WRITTEN);
	assert_int_equal(w.head->marks, 5);
	assert_int_equal(w.head->slots, 0);
	w.fd = open("/dev/null", O_RDONLY); /* by now the program's */
	sc_writer_abandon(&w);
	assert_int_equal(w.fd, -1);
}

/* A path that is too long to be kept: the file is lost when the program closes it, and that said.
 */
TEST(long_path)
{
	char name[SC_WRITER_PATH_BYTES + sizeof(path)];
	uint64_t counts[THREADS + 1];
	struct sc_writer w;

	memset(name, '/', sizeof(name));
	strcpy(name + sizeof(name) - strlen(path) - 1, path);
	assert_int_equal(sc_writer_open(&w, name, 64 * MEGABYTE), 0);
	put_numbered(&w, 1, 10);
	close(w.fd);
	put_numbered(&w, 2, 100000);
	sc_writer_close(&w);
	assert_true(w.head->lost > 0);
	assert_int_equal(w.head->lost + read_numbered(counts).records, 100010);
}

/* A trace whose file was replaced under its name is not written into the new one. */
TEST(replaced_file)
{
	struct sc_writer w;
	struct stat st;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	put_numbered(&w, 1, 10);
	close(w.fd);
	assert_int_equal(unlink(path), 0);
	close(open(path, O_RDWR | O_CREAT, 0600));
	put_numbered(&w, 1, 100000);
	assert_true(w.head->lost > 0);
	sc_writer_close(&w);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

TEST(child_gives_the_trace_up)
{
	uint64_t counts[THREADS + 1];
	struct sc_writer w;
	int status;
	pid_t child;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	put_numbered(&w, 1, 10);
	child = fork();
	if (!child) {
		struct sc_op op = numbered(2, 0);

		sc_writer_abandon(&w);
		sc_writer_set_result(&w, 0, 1);
		_exit(sc_writer_put(&w, &op, NULL, 0) == SC_NOT_WRITTEN ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	sc_writer_close(&w);
	assert_int_equal(read_numbered(counts).lost, 0);
	assert_int_equal(counts[1], 10);
	assert_int_equal(counts[2], 0);
}

/* What such a child knows to be ready is old: the room that it makes may hold records by now. */
TEST(child_of_a_bare_fork_writes_over_nothing)
{
	uint64_t counts[THREADS + 1];
	int status, go[2];
	struct sc_writer w;
	pid_t child;
	char byte;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	assert_int_equal(pipe(go), 0);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child) {
		if (read(go[0], &byte, 1) == 1)
			put_numbered(&w, 2, 10);
		_exit(0);
	}
	put_numbered(&w, 1, 100000); /* three steps */
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(go[0]);
	close(go[1]);
	sc_writer_close(&w);
	assert_int_equal(read_numbered(counts).lost, 0);
	assert_int_equal(counts[1], 100000);
	assert_int_equal(counts[2], 10);
}

struct work {
	struct sc_writer *writer;
	uint32_t thread;
	uint64_t count;
};

static void *put_work(void *data)
{
	struct work *work = data;

	put_numbered(work->writer, work->thread, work->count);
	return NULL;
}

static void start_threads(pthread_t threads[THREADS], struct work work[THREADS],
			  struct sc_writer *w, uint64_t count)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		work[i] = (struct work){w, i + 1, count};
		assert_int_equal(pthread_create(&threads[i], NULL, put_work, &work[i]), 0);
	}
}

TEST(threads_write_side_by_side)
{
	uint64_t counts[THREADS + 1];
	struct work work[THREADS];
	pthread_t threads[THREADS];
	struct sc_reader_stats stats;
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	start_threads(threads, work, &w, 30000);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	sc_writer_close(&w);
	stats = read_numbered(counts);
	for (int i = 1; i <= THREADS; i++)
		assert_int_equal(counts[i], 30000);
	assert_int_equal(stats.lost + stats.damaged + stats.uncommitted, 0);
}

/* Whatever the threads had reserved when the trace was closed is whole; nothing comes later. */
TEST(close_while_threads_write)
{
	uint64_t counts[THREADS + 1];
	struct work work[THREADS];
	pthread_t threads[THREADS];
	struct sc_reader_stats stats;
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, 256 * MEGABYTE), 0);
	start_threads(threads, work, &w, 200000);
	while (__atomic_load_n(&w.head->slots, __ATOMIC_RELAXED) < 100000)
		sched_yield();
	sc_writer_close(&w);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stats = read_numbered(counts);
	assert_true(stats.closed);
	assert_int_equal(stats.lost + stats.damaged, 0);
	assert_true(stats.records >= 50000 - THREADS);
}

static struct sc_writer *handler_writer;
static uint64_t handler_count;

static void write_from_handler(int signal)
{
	struct sc_op op = numbered(2, handler_count);

	(void)signal;
	if (sc_writer_put(handler_writer, &op, NULL, 0) != SC_NOT_WRITTEN)
		handler_count++;
}

TEST(signal_handler_writes_too)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
	struct sigaction act = {.sa_handler = write_from_handler}, old;
	uint64_t counts[THREADS + 1];
	struct sc_writer w;

	assert_int_equal(sc_writer_open(&w, path, 256 * MEGABYTE), 0);
	handler_writer = &w;
	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	put_numbered(&w, 1, 200000);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	sc_writer_close(&w);
	assert_int_equal(read_numbered(counts).lost, 0);
	assert_int_equal(counts[1], 200000);
	assert_int_equal(counts[2], handler_count);
}

static void write_until_killed(void)
{
	struct work work[THREADS];
	pthread_t threads[THREADS];
	struct sc_writer w;

	if (sc_writer_open(&w, path, 1024 * MEGABYTE))
		_exit(1);
	start_threads(threads, work, &w, UINT64_MAX);
	pause();
	_exit(1);
}

/* Slots reserved in the file of another process, by its header. */
static uint64_t reserved_slots(void)
{
	struct sc_trace_header header = {0};
	int fd = open(path, O_RDONLY);
	ssize_t got = fd < 0 ? 0 : pread(fd, &header, sizeof(header), 0);

	if (fd >= 0)
		close(fd);
	return got == sizeof(header) ? header.slots : 0;
}

TEST(kill_loses_nothing_committed)
{
	uint64_t counts[THREADS + 1], total = 0;
	struct sc_reader_stats stats;
	int status;
	pid_t child = fork();

	if (!child)
		write_until_killed();
	while (reserved_slots() < 200000)
		assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	stats = read_numbered(counts);
	for (int i = 1; i <= THREADS; i++)
		total += counts[i];
	assert_int_equal(total, stats.records);
	assert_true(stats.records >= 100000 - THREADS);
	assert_int_equal(stats.damaged, 0);
	assert_true(stats.uncommitted <= 2 * THREADS);
	assert_false(stats.closed);
}
