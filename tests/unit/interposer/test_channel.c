/* Files by which threads synchronize: which descriptor means which file, and what is
 * written. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/libc/effect_rows.h"
#include "tests/unit/interposer/trace_fixture.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/sync/channel.h"
#include "interposer/sync/descriptor.h"
#include "interposer/sync/sync.h"

static char path[64];

static int set_up(void **state)
{
	(void)state;
	memset(&sc_self, 0, sizeof(sc_self));
	memset((void *)&sc_sync, 0, sizeof(sc_sync));
	memset((void *)&sc_channels, 0, sizeof(sc_channels));
	memset((void *)&sc_descriptors, 0, sizeof(sc_descriptors));
	open_trace(path, "test_channel", 1 << 20);
	atomic_store(&sc_sync.wanted, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (atomic_exchange(&sc_session.state, SC_CLOSED) == SC_LIVE)
		sc_writer_close(&sc_session.writer);
	unlink(path);
	return 0;
}

/* ---- descriptors ---- */

static uint64_t in(int fd)
{
	return sc_descriptor_find(fd).in;
}

static uint64_t out(int fd)
{
	return sc_descriptor_find(fd).out;
}

static void close_both(const int ends[2])
{
	for (unsigned i = 0; i < 2; i++) {
		sc_descriptor_forget(ends[i]);
		close(ends[i]);
	}
}

EACH_TEST(set_up, tear_down)

TEST(both_ends_of_a_pipe_and_their_duplicates_are_one_file)
{
	int ends[2], other[2], copy;

	assert_int_equal(pipe(ends) | pipe(other), 0);
	copy = dup(ends[1]);
	assert_int_not_equal(in(ends[0]), 0);
	assert_int_equal(out(ends[1]), in(ends[0]));
	assert_int_equal(out(copy), in(ends[0]));
	assert_int_not_equal(out(other[1]), in(ends[0]));
	close(copy);
	close_both(ends);
	close_both(other);
}

TEST(a_number_that_is_given_out_again_is_another_file)
{
	int ends[2], again[2];
	uint64_t before;

	assert_int_equal(pipe(ends), 0);
	before = in(ends[0]);
	close_both(ends);
	assert_int_equal(pipe(again), 0);
	assert_int_equal(again[0], ends[0]);
	assert_int_not_equal(in(again[0]), before);
	close_both(again);
}

TEST(what_a_socket_of_a_pair_gets_its_peer_wrote)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	sc_descriptor_pair(ends);
	assert_int_not_equal(in(ends[0]), 0);
	assert_int_equal(in(ends[0]), out(ends[1]));
	assert_int_equal(in(ends[1]), out(ends[0]));
	assert_int_not_equal(in(ends[0]), out(ends[0]));
	close_both(ends);
}

TEST(the_last_pairs_are_remembered)
{
	int ends[2], first[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, first), 0);
	sc_descriptor_pair(first);
	for (unsigned i = 0; i < SC_SOCKET_PAIRS; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
		sc_descriptor_pair(ends);
		assert_int_equal(in(ends[0]), out(ends[1]));
		assert_int_not_equal(in(ends[0]), 0);
		close_both(ends);
	}
	assert_int_equal(in(first[0]), 0);
	close_both(first);
}

TEST(eventfds_are_distinguished)
{
	int a = eventfd(0, 0), b = eventfd(0, 0);
	uint64_t before = in(a);

	assert_int_not_equal(before, 0);
	assert_int_equal(before, out(a));
	assert_int_not_equal(before, out(b));
	sc_descriptor_forget(a);
	close(a);
	assert_int_equal(eventfd(0, 0), a);
	assert_int_not_equal(in(a), before);
	sc_descriptor_forget(a);
	sc_descriptor_forget(b);
	close(a);
	close(b);
}

/* Nobody says when a FIFO, say, is opened, or when a socket is accepted. */
TEST(what_was_not_open_may_be_opened_later)
{
	int ends[2], fd;

	assert_int_equal(pipe(ends), 0);
	fd = dup(ends[1]);
	close(fd);
	assert_int_equal(out(fd), 0);
	assert_int_equal(dup(ends[1]), fd);
	assert_int_equal(out(fd), in(ends[0]));
	sc_descriptor_forget(fd);
	close(fd);
	close_both(ends);
}

/* ---- calls ---- */

#undef OTHER
#define OTHER(function)

/* As system.c does, which is syscall() itself and so not for this program. */
static void add_effects(struct sc_side_effects *e, uint64_t number, uint64_t a0, uint64_t a1)
{
	const uint64_t a2 = 1, a3 = 0, a4 = 0, a5 = 0;

	sc_side_effect_begin(e, SC_FAILS_MINUS);
	switch (number) {
#define CALL(its_number, name, effects) \
	case its_number:                \
		effects break;
#define FILE CALL
#define PLAIN(its_number, name)
#define GONE(its_number, name)
#include "interposer/libc/system.def"
#undef CALL
#undef FILE
#undef PLAIN
#undef GONE
	}
}

TEST(who_writes_while_a_number_is_made_a_duplicate)
{
	int ends[2], other[2], copy;
	struct sc_side_effects e;

	assert_int_equal(pipe(ends) | pipe(other), 0);
	copy = dup(ends[1]);
	add_effects(&e, SYS_dup2, (uint64_t)other[1], (uint64_t)copy);
	assert_int_equal(out(copy), in(ends[0]));
	assert_int_equal(dup2(other[1], copy), copy);
	assert_true(sc_side_effect_is_needed(&e));
	sc_side_effect_end(&e, copy);
	assert_int_equal(out(copy), in(other[0]));
	sc_descriptor_forget(copy);
	close(copy);
	close_both(ends);
	close_both(other);
}

TEST(its_own_duplicate_stays_what_it_is)
{
	int fd = eventfd(0, 0);
	uint64_t before = in(fd);
	struct sc_side_effects e;

	add_effects(&e, SYS_dup2, (uint64_t)fd, (uint64_t)fd);
	sc_side_effect_end(&e, fd);
	assert_int_equal(in(fd), before);
	sc_descriptor_forget(fd);
	close(fd);
}

/* Nothing that is there says which socket is at the other end. */
TEST(other_files_are_not_followed)
{
	int ends[2], plain = open("/proc/self/stat", O_RDONLY);
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	const int others[] = {plain, open("/dev/null", O_RDWR), timer, -1, 1 << 20};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(in(ends[0]), 0);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(in(others[i]), 0);
		assert_int_equal(out(others[i]), 0);
		sc_descriptor_forget(others[i]);
		if (others[i] >= 0)
			close(others[i]);
	}
	close_both(ends);
}

/* ---- what is written ---- */

static void *read_end(void *data)
{
	const int *ends = data;
	uint64_t number;

	memset(&sc_self, 0, sizeof(sc_self));
	number = sc_channel_of_read(0, ends[0]);
	sc_channel_acquire(number);
	sc_channel_acquire(number);
	return NULL;
}

static void hear_in_thread(int *ends)
{
	pthread_t other;

	assert_int_equal(pthread_create(&other, NULL, read_end, ends), 0);
	assert_int_equal(pthread_join(other, NULL), 0);
}

static void *write_end(void *data)
{
	const int *ends = data;

	memset(&sc_self, 0, sizeof(sc_self));
	record_anything();
	sc_channel_release(0, ends[1]);
	return NULL;
}

static void write_in_thread(int *ends)
{
	pthread_t other;

	assert_int_equal(pthread_create(&other, NULL, write_end, ends), 0);
	assert_int_equal(pthread_join(other, NULL), 0);
}

TEST(only_news_is_written)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	sc_channel_release(0, ends[1]); /* nothing was recorded yet */
	record_anything();
	sc_channel_release(0, ends[1]);
	sc_channel_release(0, ends[1]);
	hear_in_thread(ends);
	close_both(ends);
	written_are(path, 1, 1);
}

TEST(what_nobody_wants_is_not_written)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	atomic_store(&sc_sync.wanted, 0);
	record_anything();
	sc_channel_release(0, ends[1]);
	hear_in_thread(ends);
	close_both(ends);
	written_are(path, 0, 0);
}

struct call {
	uint64_t number;
	int64_t result;
};

struct hearing {
	struct call call;
	int fd;
};

static void *hear_by_call(void *data)
{
	const struct hearing *h = data;
	struct sc_side_effects e;

	memset(&sc_self, 0, sizeof(sc_self));
	add_effects(&e, h->call.number, (uint64_t)h->fd, 0);
	sc_side_effect_end(&e, h->call.result);
	return NULL;
}

/* Two of them got something. */
TEST(the_result_says_what_was_acquired)
{
	const struct call calls[] = {
		{SYS_read, 8}, {SYS_read, 0}, {SYS_read, -1}, {SYS_preadv2, 8}};
	const unsigned count = sizeof(calls) / sizeof(calls[0]);
	struct hearing h;
	pthread_t other;
	int ends[2];

	record_anything();
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(pipe(ends), 0);
		sc_channel_release(0, ends[1]);
		h = (struct hearing){calls[i], ends[0]};
		assert_int_equal(pthread_create(&other, NULL, hear_by_call, &h), 0);
		assert_int_equal(pthread_join(other, NULL), 0);
		close_both(ends);
	}
	written_are(path, count, 2);
}

/* The reader slept before anybody needed to know what it hears of, or before there was a session.
 */
TEST(what_began_before_it_was_wanted_is_acquired)
{
	const enum sc_state begun[] = {SC_LIVE, SC_IDLE};
	const unsigned count = sizeof(begun) / sizeof(begun[0]);
	struct sc_side_effects e;
	int ends[2];

	record_anything();
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(pipe(ends), 0);
		atomic_store(&sc_sync.wanted, 0);
		atomic_store(&sc_session.state, begun[i]);
		add_effects(&e, SYS_read, (uint64_t)ends[0], 0);
		assert_true(sc_side_effect_is_needed(&e));
		atomic_store(&sc_sync.wanted, 1);
		atomic_store(&sc_session.state, SC_LIVE);
		write_in_thread(ends);
		sc_side_effect_end(&e, 8);
		close_both(ends);
	}
	written_are(path, count, count);
}

/* Each pipe needs a place; the ones before are forgotten, and nothing goes wrong. */
TEST(more_files_than_places)
{
	unsigned releases = 0;
	int ends[2];

	record_anything();
	for (unsigned i = 0; i < 2 * SC_CHANNELS; i++) {
		assert_int_equal(pipe(ends), 0);
		sc_channel_release(0, ends[1]);
		releases++;
		if (i == 2 * SC_CHANNELS - 1)
			hear_in_thread(ends);
		close_both(ends);
	}
	written_are(path, releases, 1);
}

#define THREADS 4
#define ROUNDS	500

/* Their descriptors' numbers go round, and so do the places of their files. */
static void *use_and_close(void *unused)
{
	int ends[2];

	memset(&sc_self, 0, sizeof(sc_self));
	record_anything();
	for (unsigned i = 0; i < ROUNDS; i++) {
		if (pipe(ends))
			return &sc_self;
		sc_channel_release(0, ends[1]);
		if (in(ends[0]) != out(ends[1]) || !in(ends[0]))
			return &sc_self;
		sc_channel_acquire(sc_channel_of_read(0, ends[0]));
		close_both(ends);
	}
	return unused;
}

TEST(threads_that_use_and_close_at_a_time)
{
	pthread_t thread[THREADS];
	void *result;

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, use_and_close, NULL), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &result), 0);
		assert_null(result);
	}
	written_are(path, THREADS * ROUNDS, 0);
}
