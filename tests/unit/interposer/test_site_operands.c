/* Copies, fills, allocations and frees that come again from the same place: the same records as by
 * the ordinary way, with what their addresses mean now. */
#include "tests/unit/interposer/site_fixture.h"

#define POOL   RAW(0x500)
#define DEVICE UINT64_C(0x70000000)

/* ---- a driver ---- */

static CUdeviceptr allocated_at;
static bool is_changing; /* what sites rest on, while the call runs */
static char values[2][64];

static CUresult real_fill(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
	(void)to, (void)value, (void)count, (void)stream;
	return answer;
}

static CUresult real_copy_in(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	(void)to, (void)from, (void)bytes, (void)stream;
	return answer;
}

static CUresult real_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	(void)to, (void)from, (void)bytes, (void)stream;
	return answer;
}

static CUresult real_free(CUdeviceptr memory, CUstream stream)
{
	(void)memory, (void)stream;
	return answer;
}

static CUresult real_allocate(CUdeviceptr *memory, size_t bytes, CUstream stream)
{
	(void)bytes, (void)stream;
	if (is_changing)
		sc_session_changed();
	*memory = allocated_at;
	return answer;
}

static CUresult real_allocate_from(CUdeviceptr *memory, size_t bytes, CUmemoryPool from,
				   CUstream stream)
{
	(void)from;
	return real_allocate(memory, bytes, stream);
}

/* ---- a session ---- */

/* ---- calls, each from one place ---- */

enum kind { FILL, COPY_IN, COPY, ALLOCATE, ALLOCATE_FROM, FREE };

static void know(uint64_t start, uint8_t memory)
{
	struct sc_known_allocation a = {.start = start, .bytes = 4096, .memory = memory};

	a.object = 1 + atomic_fetch_add(&sc_session.object_ids, 1);
	assert_int_equal(sc_memory_insert(&sc_memory, &a), 0);
}

static void call_here(int kind, unsigned number)
{
	CUdeviceptr allocated;

	if (kind == FILL)
		cuMemsetD32Async(DEVICE + 64, number, 16, STREAM);
	else if (kind == COPY_IN)
		cuMemcpyHtoDAsync_v2(DEVICE, values[number], 64, STREAM);
	else if (kind == COPY)
		cuMemcpyAsync(DEVICE + 256, HOST, 64, STREAM);
	else if (kind == ALLOCATE)
		cuMemAllocAsync(&allocated, 512, STREAM);
	else if (kind == ALLOCATE_FROM)
		cuMemAllocFromPoolAsync(&allocated, 512, POOL, STREAM);
	else
		cuMemFreeAsync(allocated_at, STREAM);
	__asm__ volatile("" : : : "memory");
}

static int set_up(void **state)
{
	(void)state;
	open_session(&(struct sc_driver){0});
	sc_entry_learn(SC_API_cuMemsetD32Async, false, (void *)real_fill);
	sc_entry_learn(SC_API_cuMemcpyHtoDAsync_v2, false, (void *)real_copy_in);
	sc_entry_learn(SC_API_cuMemcpyAsync, false, (void *)real_copy);
	sc_entry_learn(SC_API_cuMemAllocAsync, false, (void *)real_allocate);
	sc_entry_learn(SC_API_cuMemAllocFromPoolAsync, false, (void *)real_allocate_from);
	sc_entry_learn(SC_API_cuMemFreeAsync, false, (void *)real_free);
	call = call_here;
	is_changing = false;
	allocated_at = DEVICE;
	return 0;
}

EACH_TEST(set_up, tear_down)

/* ---- records ---- */

static struct sc_op last_op(void)
{
	struct sc_slot record[SLOTS];
	struct sc_op op;

	assert_int_equal(last_record(record), 2);
	memcpy(&op, record[0].data, SC_SLOT_DATA);
	memcpy((char *)&op + SC_SLOT_DATA, record[1].data, SC_SLOT_DATA);
	return op;
}

TEST(a_call_is_kept_at_once)
{
	know(DEVICE, SC_MEM_DEVICE);
	know(HOST, SC_MEM_DEVICE);
	sc_session.options.stack_depth = 32;
	call(FILL, 0); /* the first one of a session looks which code is loaded */
	expect_kept_at_once(FILL, 1);
	expect_kept_at_once(COPY_IN, 0);
	expect_kept_at_once(COPY, 0);
	expect_kept_at_once(FREE, 0);
	expect_kept_at_once(ALLOCATE, 0);
}

/* Operands are looked up each time. */
TEST(copies_and_fills_are_the_same_record)
{
	know(DEVICE, SC_MEM_DEVICE);
	know(HOST, SC_MEM_DEVICE);
	for (unsigned i = 0; i < 2; i++) {
		compare_ways(FILL, i, true);
		compare_ways(COPY_IN, i, true);
		compare_ways(COPY, i, true);
	}
	compare_ways(FREE, 0, true); /* the first one freed it: the others are of nothing known */
}

TEST(a_fill_of_what_was_allocated_anew)
{
	know(DEVICE, SC_MEM_DEVICE);
	for (unsigned i = 0; i < 4; i++)
		call(FILL, i);
	assert_true(was_found());
	assert_int_equal(last_op().dst_mem, SC_MEM_DEVICE);
	assert_int_equal(last_op().dst, DEVICE + 64);
	assert_int_equal(last_op().value, 3);
	sc_memory_remove(&sc_memory, DEVICE, 0);
	know(DEVICE, SC_MEM_MANAGED);
	call(FILL, 5);
	assert_true(was_found());
	assert_int_equal(last_op().dst_mem, SC_MEM_MANAGED);
	assert_int_equal(last_op().value, 5);
	sc_memory_remove(&sc_memory, DEVICE, 0);
	call(FILL, 6);
	assert_true(was_found());
	assert_int_equal(last_op().dst_mem, SC_MEM_PAGEABLE);
}

/* Each free names the allocation that ends, and what it freed is not known any more. */
TEST(a_free_of_what_was_allocated_anew)
{
	struct sc_known_allocation known;

	for (unsigned i = 0; i < 4; i++) {
		know(DEVICE, SC_MEM_DEVICE);
		call(FREE, 0);
		assert_int_equal(last_op().object, sc_session.object_ids);
		assert_false(sc_memory_look_up(&sc_memory, DEVICE, &known));
	}
	assert_true(was_found());
	know(DEVICE, SC_MEM_DEVICE);
	answer = CUDA_ERROR_INVALID_VALUE;
	call(FREE, 0);
	assert_true(was_found());
	assert_int_equal(last_op().result, CUDA_ERROR_INVALID_VALUE);
	assert_true(sc_memory_look_up(&sc_memory, DEVICE, &known));
}

/* The next of these calls, of the same memory: what it wrote is this, with an id of its own. */
static void allocate_once_more(bool is_found)
{
	uint32_t last = sc_session.object_ids;
	struct sc_known_allocation known;
	struct sc_op op;

	call(ALLOCATE, 0);
	assert_int_equal(was_found(), is_found);
	op = last_op();
	assert_int_equal(op.kind, SC_OP_ALLOC_ASYNC);
	assert_int_equal(op.object, last + 1);
	assert_int_equal(op.result, 0);
	assert_int_equal(op.dst, DEVICE);
	assert_int_equal(op.bytes, 512);
	assert_int_equal(op.dst_mem, SC_MEM_DEVICE);
	assert_int_equal(op.flags, SC_FLAG_POOL);
	assert_int_equal(op.stream, sc_handle_find(SC_HANDLE_STREAM, STREAM)->id);
	assert_true(sc_memory_look_up(&sc_memory, DEVICE, &known));
	assert_int_equal(known.object, op.object);
	assert_int_equal(known.bytes, 512);
	assert_int_equal(sc_self.depth, 0);
}

TEST(an_allocation_is_the_same_record)
{
	for (volatile unsigned i = 0; i < 7; i++) {
		is_changing = i == 5; /* its site was found, but is not used: it is kept anew */
		allocate_once_more(i > 1 && i != 5);
	}
}

/* The record but for its object, which is the last one given out. */
static void take_record(struct sc_slot out[SLOTS])
{
	uint32_t object = 0;

	assert_int_equal(last_record(out), 2);
	memcpy(&object, out->data + offsetof(struct sc_op, object), sizeof(object));
	assert_int_equal(object, sc_session.object_ids);
	memset(out->data + offsetof(struct sc_op, object), 0, sizeof(object));
}

/* The pair by its sites, then by the ordinary way: two records that differ in nothing but the id.
 */
static void compare_pair(enum kind allocation)
{
	struct sc_slot made[2][SLOTS] = {0}, freed[2][SLOTS] = {0};

	for (volatile unsigned i = 0; i < 6; i++) {
		if (i == 5)
			sc_session_changed();
		was_found();
		call(allocation, 0);
		if (i >= 4) {
			assert_int_equal(was_found(), i == 4);
			take_record(made[i - 4]);
		}
		call(FREE, 0);
		if (i >= 4) {
			assert_int_equal(was_found(), i == 4);
			take_record(freed[i - 4]);
		}
	}
	assert_memory_equal(made[0], made[1], sizeof(made[0]));
	assert_memory_equal(freed[0], freed[1], sizeof(freed[0]));
}

TEST(a_pair_is_the_same_records)
{
	sc_session.options.stack_depth = 32;
	sc_self.credit = 100;
	compare_pair(ALLOCATE);
	allocated_at = UINT64_C(0x7f1234567800); /* an address with bits in both slots */
	compare_pair(ALLOCATE);
	sc_handle_make(SC_HANDLE_POOL, POOL, 0, 0);
	compare_pair(ALLOCATE_FROM);
}

/* What could not be freed is what it was. */
TEST(a_free_that_fails)
{
	struct sc_known_allocation known;
	uint32_t object;

	for (volatile unsigned i = 0; i < 5; i++) {
		call(ALLOCATE, 0);
		object = last_op().object;
		was_found();
		answer = i == 4 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
		call(FREE, 0);
	}
	assert_true(was_found());
	assert_int_equal(last_op().object, object);
	assert_int_equal(last_op().result, CUDA_ERROR_INVALID_VALUE);
	assert_true(sc_memory_look_up(&sc_memory, DEVICE, &known));
	assert_int_equal(known.object, object);
	answer = CUDA_SUCCESS;
	call(FREE, 0);
	assert_int_equal(last_op().object, object);
	assert_false(sc_memory_look_up(&sc_memory, DEVICE, &known));
}

/* The record names the pool, and what memory it has. */
TEST(an_allocation_from_another_pool)
{
	struct sc_handle *pool = sc_handle_make(SC_HANDLE_POOL, POOL, 0, 0);
	struct sc_known_allocation known;

	for (unsigned i = 0; i < 4; i++)
		call(ALLOCATE, 0);
	assert_true(was_found());
	assert_int_equal(last_op().peer, 0);
	pool->memory = SC_MEM_MANAGED;
	sc_pool_set_device(0, pool);
	for (unsigned i = 0; i < 4; i++) {
		call(ALLOCATE, 0);
		assert_int_equal(last_op().peer, pool->id);
		assert_int_equal(last_op().dst_mem, SC_MEM_MANAGED);
		assert_true(sc_memory_look_up(&sc_memory, DEVICE, &known));
		assert_int_equal(known.memory, SC_MEM_MANAGED);
		assert_int_equal(known.object, last_op().object);
	}
	assert_true(was_found());
}

/* The pool is destroyed, and another one has its handle. */
TEST(an_allocation_from_a_pool_with_the_handle_of_another)
{
	struct sc_handle *pool;
	uint32_t id;

	for (unsigned round = 0; round < 3; round++) {
		pool = sc_handle_make(SC_HANDLE_POOL, POOL, 0, 0);
		id = pool->id;
		pool->memory = round == 1 ? SC_MEM_MANAGED : SC_MEM_DEVICE;
		for (volatile unsigned i = 0; i < 4; i++) {
			was_found();
			call(ALLOCATE_FROM, 0);
			assert_int_equal(last_op().peer, id);
			assert_int_equal(last_op().dst_mem, pool->memory);
		}
		assert_true(was_found());
		if (round == 1)
			sc_handle_forget(SC_HANDLE_POOL, POOL, id);
	}
}

/* Two frees of one allocation: the second one is of nothing known. */
TEST(a_free_of_what_was_freed)
{
	for (unsigned i = 0; i < 4; i++) {
		call(ALLOCATE, 0);
		call(FREE, 0);
	}
	assert_true(was_found());
	assert_int_equal(last_op().object, sc_session.object_ids);
	assert_int_equal(last_op().dst_mem, SC_MEM_DEVICE);
	call(FREE, 0);
	assert_true(was_found());
	assert_int_equal(last_op().object, 0);
	assert_int_equal(last_op().dst, DEVICE);
	assert_int_equal(last_op().dst_mem, SC_MEM_PAGEABLE);
}

/* Its site is found, but what failed is written the ordinary way. */
TEST(an_allocation_that_fails)
{
	struct sc_op op;

	for (unsigned i = 0; i < 4; i++)
		call(ALLOCATE, 0);
	was_found();
	answer = CUDA_ERROR_OUT_OF_MEMORY;
	call(ALLOCATE, 0);
	assert_true(was_found());
	op = last_op();
	assert_int_equal(op.kind, SC_OP_CALL);
	assert_int_equal(op.result, CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(sc_self.depth, 0);
}
