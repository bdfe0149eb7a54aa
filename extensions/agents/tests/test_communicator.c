/* Communicators of NCCL in the recorder: what is read of the program's memory, and when NCCL itself
 * is asked. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/core/module.h"
#include "interposer/core/thread.h"
#include "extensions/agents/nccl/communicator.h"
#include "tests/unit/interposer/trace_fixture.h"
#include "trace/message.h"

#define IN_PROGRESS 7

static char path[64];
static char *page; /* nothing is behind it */
static unsigned asked;
static int raised; /* sc_self.busy, when NCCL was asked */

static int count_of(const void *communicator, int *count)
{
	(void)communicator;
	asked++;
	raised = (int)sc_self.busy;
	*count = 4;
	return 0;
}

static int rank_of(const void *communicator, int *rank)
{
	(void)communicator;
	*rank = 3;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	asked = 0;
	memset(sc_module_communicators.state, 0, sc_module_communicators.bytes);
	page = mmap(NULL, 2 * (size_t)getpagesize(), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(munmap(page + getpagesize(), (size_t)getpagesize()), 0);
	open_trace(path, "test_communicator", 1 << 20);
	return 0;
}

static void *at_end(size_t bytes)
{
	return page + getpagesize() - bytes;
}

/* Closes the trace: so many communicators are in it, the last one with this rank and size. */
static void groups_are(unsigned count, uint32_t rank, uint64_t size)
{
	struct sc_reader *reader = close_trace(path);
	struct sc_op last = {0};
	struct sc_record r;

	while (sc_reader_next(reader, &r)) {
		if (r.op.kind != SC_OP_GROUP || r.op.value != SC_GROUP_NCCL)
			continue;
		count--;
		last = r.op;
	}
	sc_reader_free(reader);
	munmap(page, (size_t)getpagesize());
	assert_int_equal(count, 0);
	assert_int_equal(last.peer, rank ? rank + 1 : 0);
	assert_int_equal(last.bytes, size);
}

/* As ncclCommSplit makes one, whose rank and size only NCCL knows. */
static struct sc_communicator_birth split(void *const *place)
{
	return (struct sc_communicator_birth){
		.place = place,
		.name = 5,
		.calls = 1,
		.sequence = SC_NOT_WRITTEN,
		.ask = {(const void *)count_of, (const void *)rank_of}};
}

EACH_TEST(set_up, NULL)

TEST(nccl_is_asked_without_a_lock)
{
	void *handle = &handle;
	struct sc_communicator_birth b = split(&handle);

	sc_communicator_born(&b, 0);
	assert_int_equal(asked, 1);
	assert_int_equal(raised, 1); /* the lock would raise it, too */
	assert_int_equal(sc_self.busy, 0);
	groups_are(1, 3, 4);
}

TEST(nccl_is_asked_when_the_communicator_is_ready)
{
	void *handle = &handle;
	struct sc_communicator_birth b = split(&handle);

	sc_communicator_born(&b, IN_PROGRESS);
	sc_communicator_lose(handle);
	sc_communicator_part(&sc_operand_functions.ncclCommAbort, handle, SC_MESSAGE_CANCELED,
			     true);
	assert_int_equal(asked, 0);
	sc_communicator_born(&b, IN_PROGRESS);
	sc_communicator_part(&sc_operand_functions.ncclCommDestroy, handle, 0, true);
	assert_int_equal(asked, 1);
	groups_are(1, 3, 4);
}

/* NCCL refuses the call without having read them. */
TEST(more_ids_than_ranks_are_not_read)
{
	struct sc_nccl_id *ids = at_end(sizeof(*ids));
	void *handle = NULL;

	assert_non_null(sc_communicator_make(&handle, 2, 0, ids, 1).place);
	assert_null(sc_communicator_make(&handle, 2, 0, ids, 3).place);
	assert_null(sc_communicator_make(&handle, 2, 0, ids, 2).place); /* they are not there */
	assert_null(sc_communicator_make(&handle, 2, 0, NULL, 1).place);
	groups_are(0, 0, 0);
}

TEST(ranks_that_are_not_there_are_not_read)
{
	void *handle = &handle, *smaller = NULL;
	struct sc_communicator_birth b = split(&handle);
	const int *without = at_end(2 * sizeof(*without));

	sc_communicator_born(&b, 0);
	assert_int_not_equal(sc_communicator_shrink(handle, without, 2, &smaller, NULL).name, 0);
	assert_int_equal(sc_communicator_shrink(handle, without, 100, &smaller, NULL).name, 0);
	assert_int_equal(sc_communicator_shrink(handle, without, -1, &smaller, NULL).name, 0);
	assert_int_equal(sc_communicator_shrink(handle, NULL, 1, &smaller, NULL).name, 0);
	groups_are(1, 3, 4);
}

/* A vector of handles has grown between the call and the end of its group. */
TEST(a_handle_whose_place_is_gone_is_not_read)
{
	struct sc_communicator_birth b = split((void *const *)(page + getpagesize()));

	sc_communicator_born(&b, 0);
	assert_int_equal(asked, 0);
	groups_are(0, 0, 0);
}
