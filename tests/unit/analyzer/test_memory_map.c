/* The map of memory: generations, second addresses, physical memory, what is kept of freed memory.
 */
#include "tests/unit/unit.h"
#include "analyzer/memory/memory.h"

#define MANY 5000

struct world {
	struct sc_clock_pool clocks;
	struct sc_memory_map map;
	uint64_t sequence;
};

static int set_up(void **state)
{
	static struct world w;

	w = (struct world){0};
	sc_memory_init(&w.map, &w.clocks);
	*state = &w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	sc_memory_fini(&w->map);
	sc_clock_pool_fini(&w->clocks);
	return 0;
}

static struct sc_allocation *add(struct world *w, struct sc_op op)
{
	op.kind = op.kind ? op.kind : SC_OP_ALLOC;
	return sc_memory_add(&w->map, &op, w->sequence++);
}

static struct sc_allocation *add_at(struct world *w, uint64_t start, uint64_t bytes)
{
	return add(w, (struct sc_op){.dst = start, .bytes = bytes, .dst_mem = SC_MEM_DEVICE});
}

static void end(struct world *w, struct sc_allocation *a)
{
	sc_memory_end(&w->map, a, w->sequence++);
}

static struct sc_allocation *find(struct world *w, uint64_t address)
{
	uint64_t canonical;

	return sc_memory_find(&w->map, address, &canonical);
}

EACH_TEST(set_up, tear_down)

TEST(bytes_inside_are_found)
{
	struct sc_allocation *a = add_at(*state, 4096, 64), *b = add_at(*state, 8192, 64);

	assert_ptr_equal(find(*state, 4096), a);
	assert_ptr_equal(find(*state, 4159), a);
	assert_null(find(*state, 4160));
	assert_null(find(*state, 4095));
	assert_ptr_equal(find(*state, 8255), b);
	assert_null(find(*state, 8256));
}

/* What was found before is over with the memory, and its bounds with the outermost one. */
TEST(what_ended_is_not_found)
{
	struct world *w = *state;
	struct sc_allocation *low = add_at(w, 4096, 64), *high = add_at(w, 1 << 30, 64);

	assert_ptr_equal(find(w, 4100), low);
	end(w, low);
	assert_null(find(w, 4100));
	assert_int_equal(sc_memory_bounds(&w->map).start, 1 << 30);
	assert_ptr_equal(find(w, (1 << 30) + 1), high);
	low = add_at(w, 4096, 128);
	assert_ptr_equal(find(w, 4200), low);
	end(w, high);
	assert_null(find(w, 1 << 30));
	assert_int_equal(sc_memory_bounds(&w->map).end, 4096 + 128);
}

TEST(two_blocks_of_one_place_of_the_cache)
{
	uint64_t far = 4096 + (UINT64_C(2) << 20) * SC_MEMORY_FOUND;
	struct sc_allocation *a = add_at(*state, 4096, 64), *b = add_at(*state, far, 64);

	for (unsigned i = 0; i < 3; i++) {
		assert_ptr_equal(find(*state, 4096 + i), a);
		assert_ptr_equal(find(*state, far + i), b);
	}
}

TEST(what_makes_no_sense_is_no_memory)
{
	assert_null(add_at(*state, 0, 64));
	assert_null(add_at(*state, 4096, 0));
	assert_null(add_at(*state, UINT64_MAX, 1));
	assert_null(find(*state, 0));
}

TEST(the_end_of_the_address_space)
{
	struct sc_allocation *a = add_at(*state, UINT64_MAX - 100, 4096);

	assert_ptr_equal(find(*state, UINT64_MAX - 1), a);
	assert_null(find(*state, UINT64_MAX));
}

TEST(a_second_address)
{
	struct world *w = *state;
	struct sc_allocation *a =
		add(w, (struct sc_op){.kind = SC_OP_PIN, .dst = 4096, .src = 65536, .bytes = 64});
	uint64_t canonical = 0;

	assert_int_equal(a->kind, SC_MEM_REGISTERED);
	assert_ptr_equal(sc_memory_find(&w->map, 65540, &canonical), a);
	assert_int_equal(canonical, 4100);
	sc_memory_alias(&w->map, a, 1 << 20); /* it has one */
	assert_null(find(w, 1 << 20));
	end(w, a);
	assert_null(find(w, 65540));
}

/* The bytes of such addresses would be two things at once. */
TEST(no_second_address_across_the_first)
{
	struct world *w = *state;
	struct sc_allocation *a = add_at(w, 4096, 64);

	sc_memory_alias(&w->map, a, 4100);
	assert_int_equal(a->alias.range.end, 0);
	sc_memory_alias(&w->map, a, UINT64_MAX);
	assert_int_equal(a->alias.range.end, 0);
	assert_ptr_equal(find(w, 4100), a);
}

TEST(an_unseen_end)
{
	struct world *w = *state;
	struct sc_allocation *b;

	add_at(w, 4096, 64);
	add_at(w, 4160, 64);
	b = add_at(w, 4128, 64);
	assert_null(find(w, 4096));
	assert_ptr_equal(find(w, 4128), b);
	assert_null(find(w, 4200));
}

static struct sc_allocation *map_at(struct world *w, uint64_t start, uint64_t offset)
{
	return add(w, (struct sc_op){.kind = SC_OP_VMM_MAP,
				     .dst = start,
				     .bytes = 64,
				     .object = 7,
				     .value = offset});
}

TEST(mappings_of_physical_memory)
{
	struct world *w = *state;
	struct sc_allocation *a = map_at(w, 4096, 0), *b = map_at(w, 8192, 0),
			     *c = map_at(w, 12288, 64);
	uint64_t shift;

	assert_ptr_equal(sc_memory_mapped_as(&w->map, a, NULL), c);
	assert_ptr_equal(sc_memory_mapped_as(&w->map, a, c), b);
	assert_null(sc_memory_mapped_as(&w->map, a, b));
	assert_true(sc_memory_shares(a, b, &shift));
	assert_int_equal(shift, 4096);
	assert_false(sc_memory_shares(a, c, &shift));
	end(w, a); /* the last of the list, */
	assert_null(sc_memory_mapped_as(&w->map, c, b));
	end(w, c); /* the first one, */
	assert_null(sc_memory_mapped_as(&w->map, b, NULL));
	end(w, b); /* and the only one */
	assert_null(sc_u64_map_find(&w->map.mapped, 7));
}

TEST(a_mapping_in_the_middle_ends)
{
	struct world *w = *state;
	struct sc_allocation *a = map_at(w, 4096, 0), *b = map_at(w, 8192, 0),
			     *c = map_at(w, 12288, 0);

	end(w, b);
	assert_ptr_equal(sc_memory_mapped_as(&w->map, c, NULL), a);
	assert_null(sc_memory_mapped_as(&w->map, c, a));
}

TEST(memory_that_outlives_its_context)
{
	struct world *w = *state;
	struct sc_op op = {.dst = 4096, .bytes = 64, .dst_mem = SC_MEM_DEVICE, .context = 3};

	add(w, op);
	op.dst = 8192;
	op.flags = SC_FLAG_POOL;
	add(w, op);
	op = (struct sc_op){.dst = 12288, .bytes = 64, .context = 4};
	add(w, op);
	op = (struct sc_op){
		.kind = SC_OP_VMM_MAP, .dst = 16384, .bytes = 64, .object = 1, .context = 3};
	add(w, op);
	sc_memory_end_context(&w->map, 3, w->sequence++);
	assert_null(find(w, 4096));
	assert_non_null(find(w, 8192));
	assert_non_null(find(w, 12288));
	assert_non_null(find(w, 16384));
}

TEST(freed_memory_until_it_is_used_again)
{
	struct world *w = *state;
	uint64_t begun = w->sequence;

	end(w, add_at(w, 4096, 64));
	assert_non_null(sc_memory_find_dead(&w->map, 4100));
	assert_non_null(sc_memory_find_former(&w->map, 4100, begun));
	assert_null(sc_memory_find_former(&w->map, 4100, w->sequence));
	assert_null(sc_memory_find_former(&w->map, 4160, begun));
	add_at(w, 4096, 64);
	assert_null(sc_memory_find_dead(&w->map, 4100));
	assert_non_null(sc_memory_find_former(&w->map, 4100, begun));
}

/* Memory that CUDA knew of says more, though it ended later. */
TEST(former_pageable_memory_is_found_last)
{
	struct world *w = *state;
	uint64_t begun = w->sequence;
	struct sc_allocation *a;

	sc_memory_end_pageable(&w->map, 4096, 4160, w->sequence++, 1);
	sc_memory_end_pageable(&w->map, 4096, 4160, w->sequence++, 0);
	assert_true(sc_memory_find_former(&w->map, 4100, begun)->is_frame);
	begun = w->sequence;
	a = add_at(w, 4096, 64);
	sc_memory_end_pageable(&w->map, 4096, 4160, w->sequence++, 0);
	end(w, a);
	assert_int_equal(sc_memory_find_former(&w->map, 4100, begun)->kind, SC_MEM_DEVICE);
}

TEST(only_some_freed_memory_is_remembered)
{
	struct world *w = *state;

	w->map.remembered = 2;
	for (uint64_t i = 1; i <= 3; i++)
		end(w, add_at(w, i * 4096, 64));
	assert_null(sc_memory_find_dead(&w->map, 4096));
	assert_non_null(sc_memory_find_dead(&w->map, 2 * 4096));
	assert_int_equal(w->map.forgotten, 1);
	add_at(w, 2 * 4096, 64); /* this one is in use again: it makes room without a loss */
	end(w, add_at(w, 4 * 4096, 64));
	assert_int_equal(w->map.forgotten, 1);
}

/* Of an address that is used again and again one freed memory is kept, sooner or later. */
TEST(freed_memory_does_not_pile_up)
{
	struct world *w = *state;

	for (unsigned i = 0; i < MANY; i++)
		end(w, add_at(w, 4096, 64));
	assert_true(w->map.dead_count < MANY);
	assert_non_null(sc_memory_find_dead(&w->map, 4096));
}

TEST(whom_managed_memory_is_attached_to)
{
	struct sc_op op = {
		.dst = 4096, .bytes = 64, .dst_mem = SC_MEM_MANAGED, .value = SC_ATTACHED_HOST};

	assert_int_equal(add(*state, op)->attached, SC_ATTACHED_HOST);
	op.value = 0;
	assert_int_equal(add(*state, op)->attached, SC_ATTACHED_ALL);
}

TEST(memory_of_a_pool)
{
	struct sc_op op = {.kind = SC_OP_ALLOC_ASYNC, .dst = 4096, .bytes = 64, .peer = 5};
	struct sc_allocation *a = add(*state, op);

	assert_int_equal(a->kind, SC_MEM_DEVICE);
	assert_int_equal(a->pool, 5);
	assert_true(a->is_pool);
	op.dst_mem = SC_MEM_PINNED;
	assert_int_equal(add(*state, op)->kind, SC_MEM_PINNED);
}
