/* What is kept of NIXL: runs of blocks, prepared lists, names of agents, and requests by handle. */
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/agents/nixl/agents.h"
#include "extensions/agents/nixl/list.h"
#include "extensions/agents/nixl/request.h"

static struct sc_nixl_run block(uint64_t base, uint64_t width)
{
	return (struct sc_nixl_run){.base = base, .width = width, .count = 1};
}

/* ---- runs ---- */

TEST(valid_runs)
{
	struct sc_nixl_run dense = {4096, 64, 64, 10}, overlapping = {4096, 64, 32, 2};
	struct sc_nixl_run beyond = {4096, 64, UINT64_C(1) << 60, 17};
	struct sc_nixl_run at_end = block(UINT64_MAX - 8, 16), nothing = block(4096, 0);
	struct sc_nixl_run nowhere = block(0, 16), none = {4096, 64, 64, 0};

	assert_true(sc_nixl_run_is_valid(&dense));
	assert_false(sc_nixl_run_is_valid(&overlapping));
	assert_false(sc_nixl_run_is_valid(&beyond));
	assert_false(sc_nixl_run_is_valid(&at_end));
	assert_false(sc_nixl_run_is_valid(&nothing));
	assert_false(sc_nixl_run_is_valid(&nowhere));
	assert_false(sc_nixl_run_is_valid(&none));
}

TEST(equal_distances_are_one_run)
{
	struct sc_nixl_run run = block(4096, 64), more = {4096 + 3 * 256, 64, 256, 2};
	struct sc_nixl_run next = block(4096 + 256, 64), third = block(4096 + 512, 64);

	assert_true(sc_nixl_run_extend(&run, &next));
	assert_true(sc_nixl_run_extend(&run, &third));
	assert_true(sc_nixl_run_extend(&run, &more));
	assert_int_equal(run.count, 5);
	assert_int_equal(run.pitch, 256);
}

TEST(other_blocks_are_another_run)
{
	struct sc_nixl_run run = {4096, 64, 256, 3}, earlier = block(64, 64);
	struct sc_nixl_run gap = block(4096 + 4 * 256, 64), longer = block(4096 + 3 * 256, 65);
	struct sc_nixl_run inside = block(4096 + 256, 64), beside = block(4096 + 3 * 256 + 1, 64);
	struct sc_nixl_run one = block(4096, 64), over_it = block(4096 + 32, 64);

	assert_false(sc_nixl_run_extend(&run, &earlier));
	assert_false(sc_nixl_run_extend(&run, &gap));
	assert_false(sc_nixl_run_extend(&run, &longer));
	assert_false(sc_nixl_run_extend(&run, &inside));
	assert_false(sc_nixl_run_extend(&run, &beside));
	assert_false(sc_nixl_run_extend(&one, &over_it));
	assert_int_equal(run.count, 3);
}

/* ---- prepared lists ---- */

#define LIST 77

static void keep_list(const struct sc_nixl_run *run, size_t count)
{
	struct sc_nixl_list *list = sc_nixl_list_new();

	assert_non_null(list);
	for (size_t i = 0; i < count; i++)
		sc_nixl_list_add(list, &run[i]);
	sc_nixl_list_keep(list, LIST);
}

/* Numbers count blocks, of whichever run, and those that are no memory, too. */
TEST(blocks_by_number)
{
	const struct sc_nixl_run runs[] = {{4096, 64, 256, 10}, {0, 64, 0, 1}, {65536, 8, 8, 4}};
	const int32_t number[] = {0, 9, 10, 11, 14, 15, -1, INT32_MAX};
	struct sc_nixl_run out[8];

	keep_list(runs, 3);
	assert_true(sc_nixl_list_select(LIST, number, 8, out));
	assert_int_equal(out[0].base, 4096);
	assert_int_equal(out[1].base, 4096 + 9 * 256);
	assert_int_equal(out[1].count, 1);
	assert_false(sc_nixl_run_is_valid(&out[2]));
	assert_int_equal(out[3].base, 65536);
	assert_int_equal(out[4].base, 65536 + 3 * 8);
	for (unsigned i = 5; i < 8; i++)
		assert_int_equal(out[i].width, 0);
	sc_nixl_list_forget(LIST);
}

/* Against an array of the same blocks, which lie at all kinds of distances. */
TEST(many_blocks_by_number)
{
	enum { MANY = 5000 };
	static struct sc_nixl_run blocks[MANY];
	uint64_t at = 4096;

	for (uint64_t i = 0; i < MANY; i++) {
		blocks[i] = block(at, 16);
		at += 16 * (1 + (i / 7) % 3);
	}
	keep_list(blocks, MANY);
	for (int32_t i = 0; i < MANY; i++) {
		struct sc_nixl_run out;

		assert_true(sc_nixl_list_select(LIST, &i, 1, &out));
		assert_int_equal(out.base, blocks[i].base);
		assert_int_equal(out.width, 16);
	}
	sc_nixl_list_forget(LIST);
}

TEST(unknown_list)
{
	const struct sc_nixl_run endless[] = {{4096, 64, 64, UINT64_MAX}, {4096, 64, 64, 2}};
	const int32_t number = 0;
	struct sc_nixl_run out;

	assert_false(sc_nixl_list_select(LIST, &number, 1, &out));
	keep_list(NULL, 0); /* memory of another process */
	assert_true(sc_nixl_list_select(LIST, &number, 1, &out));
	assert_int_equal(out.width, 0);
	keep_list(endless, 2); /* the same handle again */
	assert_false(sc_nixl_list_select(LIST, &number, 1, &out));
	sc_nixl_list_forget(LIST);
	sc_nixl_list_forget(LIST);
}

/* ---- agents ---- */

/* What the library's strings begin with. */
struct string {
	const char *text;
	size_t length;
};

static bool has(const char *name)
{
	struct string s = {name, strlen(name)};

	return sc_nixl_agents_has((uint64_t)&s);
}

static void begin_agent(uint64_t address, const char *name)
{
	struct string s = {name, strlen(name)};

	sc_nixl_agents_begin(address, (uint64_t)&s);
}

TEST(agents)
{
	const struct string unreadable = {(const char *)64, 5};
	char longer[200];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	begin_agent(1, "here");
	begin_agent(2, "here");
	begin_agent(3, longer);
	sc_nixl_agents_begin(4, (uint64_t)&unreadable);
	sc_nixl_agents_begin(5, 64);
	assert_true(has("here"));
	assert_true(has(longer));
	assert_false(has("her"));
	assert_false(has(longer + 1));
	assert_false(sc_nixl_agents_has((uint64_t)&unreadable));
	sc_nixl_agents_end(2);
	assert_true(has("here"));
	sc_nixl_agents_end(1);
	sc_nixl_agents_end(1);
	assert_false(has("here"));
	sc_nixl_agents_end(3);
}

/* ---- requests ---- */

static struct sc_nixl_request *keep_request(uint64_t handle, uint64_t agent)
{
	struct sc_nixl_request *r = sc_nixl_request_new(handle, agent);

	assert_non_null(r);
	sc_nixl_request_keep(r);
	return r;
}

TEST(requests)
{
	struct sc_nixl_request *first = keep_request(7, 1), *second = keep_request(8, 2), *again;

	assert_ptr_equal(sc_nixl_request_take(7), first);
	assert_null(sc_nixl_request_take(7));
	sc_nixl_request_keep(first);
	assert_ptr_equal(sc_nixl_request_take_of(2), second);
	assert_null(sc_nixl_request_take_of(2));
	sc_nixl_request_free(second);
	again = keep_request(7, 2); /* the handle of one that was freed out of sight */
	assert_null(sc_nixl_request_take_of(1));
	assert_ptr_equal(sc_nixl_request_take(7), again);
	sc_nixl_request_free(again);
}

/* More blocks than are kept, and such as are no memory. */
TEST(blocks_of_request)
{
	struct sc_nixl_request *r = sc_nixl_request_new(7, 1);
	struct sc_nixl_run nothing = {0};

	assert_non_null(r);
	sc_nixl_request_add(r, &nothing, SC_READ);
	for (uint64_t i = 0; i < 20000; i++) {
		struct sc_nixl_run run = block(4096 + 64 * i * i, 16);

		sc_nixl_request_add(r, &run, i % 2 ? SC_READ : SC_WRITE);
	}
	assert_false(sc_nixl_request_is_in_flight(r));
	sc_nixl_request_free(r);
}
