/* Open operations of NVSHMEM: one that the host knows to be complete is not open any more, whatever
 * other threads complete at that moment. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "tests/unit/unit.h"
#include "interposer/core/module.h"
#include "extensions/agents/shmem/open.h"
#include "tests/unit/interposer/trace_fixture.h"
#include "trace/agent.h"

#define OPERATIONS 5000
#define ENOUGH_S   2 /* where threads get a processor now and then only */

static char path[64];
static atomic_bool is_over;
static atomic_uint waits; /* of the other thread */
static struct sc_handle stream = {.id = 7, .context = 1};

static struct sc_mpi_flight flight_of(uint64_t sequence)
{
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;

	flight.sequence = sequence;
	return flight;
}

static int set_up(void **state)
{
	(void)state;
	memset(sc_module_shmem.state, 0, sc_module_shmem.bytes);
	open_trace(path, "test_shmem_open", 1 << 26);
	return 0;
}

static void *wait_in_stream(void *unused)
{
	while (!atomic_load(&is_over)) {
		sc_shmem_open_complete_in(&stream, true);
		atomic_fetch_add(&waits, 1);
	}
	return unused;
}

/* Else the two are seldom in the way of each other. */
static void let_other_wait(void)
{
	unsigned before = atomic_load(&waits);

	while (atomic_load(&waits) == before)
		sched_yield();
}

/* Ends for the host, in order; what a stream waits for is not yet one. */
static unsigned ended(void)
{
	struct sc_reader *reader = close_trace(path);
	unsigned count = 0, late = 0;
	struct sc_record r;

	while (sc_reader_next(reader, &r)) {
		if (r.op.kind != SC_OP_AGENT_END)
			continue;
		late += r.op.link <= count; /* after the next one began */
		count += !r.op.stream;
	}
	sc_reader_free(reader);
	assert_int_equal(late, 0);
	return count;
}

EACH_TEST(set_up, NULL)

TEST(what_the_host_completes_is_complete)
{
	time_t begun = time(NULL);
	unsigned begins = 0;
	pthread_t other;

	assert_int_equal(pthread_create(&other, NULL, wait_in_stream, NULL), 0);
	while (begins < OPERATIONS && time(NULL) - begun <= ENOUGH_S) {
		sc_shmem_open_add(flight_of(begins++), NULL);
		let_other_wait();
		sc_shmem_open_complete();
	}
	atomic_store(&is_over, true);
	pthread_join(other, NULL);
	assert_int_equal(ended(), begins);
}

/* As a program does whose kernels say that they are complete. */
TEST(those_that_nobody_completes_are_bounded)
{
	struct sc_reader *reader;
	struct sc_record r;
	uint64_t next = 1;

	for (uint64_t i = 0; i < 5000; i++)
		sc_shmem_open_add(flight_of(i), &stream);
	reader = close_trace(path);
	while (sc_reader_next(reader, &r))
		if (r.op.kind == SC_OP_AGENT_END)
			assert_int_equal(r.op.link, next++);
	sc_reader_free(reader);
	assert_int_equal(next - 1, 5000 - 4096); /* the oldest ones */
}

TEST(a_stream_ends_its_own_and_passes_others_on)
{
	struct sc_handle other = {.id = 8, .context = 1};
	struct sc_reader *reader;
	struct sc_record r;
	unsigned in_stream = 0, in_other = 0, for_host = 0;

	sc_shmem_open_add(flight_of(0), &stream);
	sc_shmem_open_complete_in(&other, false);
	sc_shmem_open_complete_in(&other, true);
	sc_shmem_open_complete_in(&stream, true);
	sc_shmem_open_complete();
	reader = close_trace(path);
	while (sc_reader_next(reader, &r)) {
		if (r.op.kind != SC_OP_AGENT_END)
			continue;
		in_stream += r.op.stream == stream.id;
		in_other += r.op.stream == other.id;
		for_host += !r.op.stream;
	}
	sc_reader_free(reader);
	assert_int_equal(in_stream, 1);
	assert_int_equal(in_other, 1);
	assert_int_equal(for_host, 0);
}
