/* Planes: how much memory they take, and who has which. A fake API gives out host memory. */
#include "interposer/sanitizer/plane.h"

#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

static size_t most, taken, hosts;
static unsigned frees;
static struct sc_planes planes;

static int alloc(CUcontext context, void **at, size_t bytes)
{
	(void)context;
	if (taken + bytes > most)
		return 1;
	taken += bytes;
	*at = malloc(bytes + sizeof(size_t));
	memcpy(*at, &bytes, sizeof(bytes));
	*at = (char *)*at + sizeof(bytes);
	return 0;
}

static int give_back(CUcontext context, void *at)
{
	size_t bytes;

	(void)context;
	memcpy(&bytes, (char *)at - sizeof(bytes), sizeof(bytes));
	taken -= bytes;
	frees++;
	free((char *)at - sizeof(bytes));
	return 0;
}

static int alloc_host(CUcontext context, void **at, size_t bytes)
{
	(void)context;
	hosts++;
	*at = malloc(bytes);
	return 0;
}

static int free_host(CUcontext context, void *at)
{
	(void)context;
	hosts--;
	free(at);
	return 0;
}

/* The bits of planes are not looked at here. */
static int fill(void *at, int value, size_t bytes, void *stream)
{
	(void)stream;
	memset(at, value, bytes);
	return 0;
}

static int copy(void *to, void *from, size_t bytes, void *stream)
{
	(void)stream;
	memcpy(to, from, bytes);
	return 0;
}

static int synchronize(void *stream)
{
	(void)stream;
	return 0;
}

static const struct sc_sanitizer_calls calls = {.Alloc = alloc,
						.Free = give_back,
						.AllocHost = alloc_host,
						.FreeHost = free_host,
						.Fill = fill,
						.CopyToDevice = copy,
						.Synchronize = synchronize};

/* Memory of planes stays until the context ends; here until the test does. */
static int end(void **state)
{
	const struct sc_plane *first = planes.slot[0].plane;

	(void)state;
	if (planes.is_usable) {
		free_host(NULL, planes.slot[0].runs);
		give_back(NULL, first->keys);
		give_back(NULL, first->words);
		give_back(NULL, planes.slot[0].plane);
		give_back(NULL, planes.head[0].plane);
	}
	memset(&planes, 0, sizeof(planes));
	assert_int_equal(taken, 0);
	assert_int_equal(hosts, 0);
	return 0;
}

TEST(places_are_a_power_of_two_within_the_memory)
{
	assert_int_equal(sc_planes_places(0), 0);
	assert_int_equal(sc_planes_places(SC_PAGE_BYTES - 1), 0);
	assert_int_equal(sc_planes_places(SC_PAGE_BYTES), 1);
	assert_int_equal(sc_planes_places(3 * SC_PAGE_BYTES), 2);
	assert_int_equal(sc_planes_places(UINT64_C(512) << 20), 32768);
	assert_int_equal(sc_planes_places(UINT64_MAX), SC_PLACES_MOST);
}

TEST_WITH(each_plane_has_its_own_list_and_runs, NULL, end)
{
	const struct sc_plane *a, *b;

	most = SIZE_MAX;
	assert_true(sc_planes_make(&planes, &calls, NULL, UINT64_C(64) << 20));
	a = planes.slot[0].plane;
	b = planes.slot[1].plane;
	assert_ptr_equal(a->keys, b->keys);
	assert_int_equal(b->used - a->used, SC_PLANE_PAGES);
	assert_true((char *)b->runs - (char *)a->runs >=
		    (long)(SC_PLANE_RUNS * sizeof(struct sc_run)));
	assert_true(a->runs_most > a->used_most);
	assert_int_equal(a->mask + 1, 4096);
	assert_int_not_equal(a->number, b->number);
	assert_true(planes.bytes <= UINT64_C(64) << 20);
}

/* Nothing is freed meanwhile: that may wait for work that waits for the host. */
TEST_WITH(less_memory_is_taken_where_there_is_less, NULL, end)
{
	frees = 0;
	most = (size_t)200 << 20;
	assert_true(sc_planes_make(&planes, &calls, NULL, UINT64_C(512) << 20));
	assert_in_range(planes.bytes, 1, (uint64_t)200 << 20);
	assert_int_equal(frees, 0);
}

TEST_WITH(without_memory_there_are_no_planes, NULL, end)
{
	most = 1 << 20;
	assert_false(sc_planes_make(&planes, &calls, NULL, UINT64_C(512) << 20));
	assert_false(planes.is_usable);
}

TEST_WITH(a_plane_is_had_by_one_launch_until_its_runs_were_read, NULL, end)
{
	struct sc_plane_slot *slot;

	most = SIZE_MAX;
	assert_true(sc_planes_make(&planes, &calls, NULL, UINT64_C(64) << 20));
	for (unsigned i = 0; i < SC_PLANES; i++)
		assert_non_null(sc_planes_take(&planes));
	assert_null(sc_planes_take(&planes));
	assert_false(sc_planes_have_free(&planes));
	slot = &planes.slot[5];
	slot->runs->is_ready = 1;
	assert_false(sc_plane_begin_reading(slot)); /* `collect` was not enqueued */
	slot->runs->is_ready = 0;
	slot->state = SC_PLANE_RUNNING;
	assert_false(sc_plane_begin_reading(slot));
	slot->runs->is_ready = 1;
	assert_true(sc_plane_begin_reading(slot));
	assert_false(sc_plane_begin_reading(slot));
	sc_plane_put_back(slot);
	assert_true(sc_planes_have_free(&planes));
	assert_ptr_equal(sc_planes_take(&planes), slot);
	assert_int_equal(slot->runs->is_ready, 0);
}

TEST_WITH(a_head_leads_each_node_to_its_plane, NULL, end)
{
	struct sc_plane_slot *first, *second;
	const struct sc_plane_grid *grids;
	struct sc_head *head;

	most = SIZE_MAX;
	assert_true(sc_planes_make(&planes, &calls, NULL, UINT64_C(64) << 20));
	first = sc_planes_take(&planes);
	second = sc_planes_take(&planes);
	head = sc_heads_take(&planes, &calls, NULL);
	grids = ((const struct sc_plane *)head->plane)->grids;
	assert_ptr_equal(grids, head->grids);
	assert_true(sc_head_add(head, &calls, NULL, 7, 100, first));
	assert_true(sc_head_add(head, &calls, NULL, 8, 101, NULL)); /* no plane was free */
	assert_true(sc_head_add(head, &calls, NULL, 9, 102, second));
	assert_int_equal(grids[0].number, 100);
	assert_ptr_equal(grids[0].plane, first->plane);
	assert_null(grids[1].plane);
	assert_ptr_equal(grids[2].plane, second->plane);
	assert_int_equal(grids[3].number, 0);
	assert_false(head->is_cut);
	assert_false(sc_head_begin_reading(head)); /* not launched yet */
	head->state = SC_PLANE_RUNNING;
	first->runs->is_ready = 1;
	assert_false(sc_head_begin_reading(head));
	second->runs->is_ready = 1;
	assert_true(sc_head_begin_reading(head));
	assert_false(sc_head_begin_reading(head));
	sc_head_put_back(head);
	assert_int_equal(first->state, SC_PLANE_FREE);
	assert_int_equal(second->state, SC_PLANE_FREE);
	/* The next launch's table has nothing of the last one. */
	assert_ptr_equal(sc_heads_take(&planes, &calls, NULL), head);
	assert_int_equal(grids[0].number, 0);
}

TEST_WITH(what_does_not_fit_into_a_head_is_known_to_be_missing, NULL, end)
{
	struct sc_head *head;

	most = SIZE_MAX;
	assert_true(sc_planes_make(&planes, &calls, NULL, UINT64_C(64) << 20));
	for (unsigned i = 0; i < SC_HEADS; i++)
		head = sc_heads_take(&planes, &calls, NULL);
	assert_null(sc_heads_take(&planes, &calls, NULL));
	for (unsigned i = 0; i < SC_GRIDS; i++)
		assert_true(sc_head_add(head, &calls, NULL, i, i + 1, NULL));
	assert_false(head->is_cut);
	assert_false(sc_head_add(head, &calls, NULL, SC_GRIDS, SC_GRIDS + 1, NULL));
	assert_true(head->is_cut);
	assert_int_equal(head->count, SC_GRIDS);
}
