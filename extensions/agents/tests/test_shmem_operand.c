/* What calls of NVSHMEM use of this process, by the rows of shmem.def and what the library says. */
#include "tests/unit/unit.h"
#include "extensions/agents/shmem/operand.h"
#include "extensions/agents/shmem/shmem.h"

#define TO	  0x1000
#define FROM	  0x2000
#define ROW(name) sc_shmem_row(&sc_shmem_functions.name)

/* Process 2 of all; of the four of a team the one with number 3. */
static const struct sc_shmem_self self = {2, 4, 3};
static const struct sc_shmem_self nobody = {-1, -1, -1};

static struct sc_shmem_accesses found;

static unsigned describe(const struct sc_shmem_row *row, const struct sc_shmem_self *who,
			 const uint64_t *parameters)
{
	assert_true(sc_shmem_describe(row, parameters, who, &found));
	return found.count;
}

#define DESCRIBE(name, who, ...) describe(ROW(name), who, (uint64_t[8]){__VA_ARGS__})

static void expect(unsigned i, uint64_t base, uint64_t width, uint8_t mode)
{
	assert_true(i < found.count);
	assert_int_equal(found.item[i].base, base);
	assert_int_equal(found.item[i].width, width);
	assert_int_equal(found.item[i].mode, mode);
}

TEST(put)
{
	assert_int_equal(DESCRIBE(nvshmemx_double_put_on_stream, &self, TO, FROM, 10, 1), 1);
	expect(0, FROM, 80, SC_READ);
	assert_int_equal(DESCRIBE(nvshmemx_double_put_on_stream, &nobody, TO, FROM, 10, 2), 1);
	assert_int_equal(DESCRIBE(nvshmem_put128, &self, TO, FROM, 0, 1), 0);
}

/* The upper half of a register that has an int means nothing. */
TEST(own_process)
{
	assert_int_equal(DESCRIBE(nvshmemx_double_put_on_stream, &self, TO, FROM, 10,
				  UINT64_C(0xabcd00000002)),
			 2);
	expect(1, TO, 80, SC_WRITE);
	assert_int_equal(DESCRIBE(nvshmem_getmem, &self, TO, FROM, 10, 2), 2);
	expect(0, FROM, 10, SC_READ);
	expect(1, TO, 10, SC_WRITE);
	assert_int_equal(
		DESCRIBE(nvshmemx_int_put_signal_on_stream, &self, TO, FROM, 1, 0x3000, 7, 0, 2),
		3);
	expect(2, 0x3000, 8, SC_WRITE);
	assert_int_equal(DESCRIBE(nvshmemx_short_p_on_stream, &self, TO, 77, 2), 1);
	expect(0, TO, 2, SC_WRITE);
	assert_int_equal(DESCRIBE(nvshmemx_short_p_on_stream, &self, TO, 77, 1), 0);
	assert_int_equal(DESCRIBE(nvshmemx_float_p_on_stream, &self, TO, 2), 1);
	expect(0, TO, 4, SC_WRITE);
	assert_int_equal(DESCRIBE(nvshmemx_float_g_on_stream, &self, FROM, 2), 1);
	expect(0, FROM, 4, SC_READ);
}

TEST(spread)
{
	assert_int_equal(DESCRIBE(nvshmemx_int_iput_on_stream, &self, TO, FROM, 1, 3, 5, 1), 1);
	expect(0, FROM, 4, SC_READ);
	assert_int_equal(found.item[0].rows, 5);
	assert_int_equal(found.item[0].pitch, 12);
	assert_int_equal(DESCRIBE(nvshmem_iget64, &self, TO, FROM, 2, 1, 5, 1), 1);
	expect(0, TO, 8, SC_WRITE);
	assert_int_equal(found.item[0].pitch, 16);
}

TEST(team)
{
	assert_int_equal(DESCRIBE(nvshmemx_int_alltoall_on_stream, &self, 0, TO, FROM, 5), 2);
	expect(0, FROM, 80, SC_READ);
	expect(1, TO, 80, SC_WRITE);
	DESCRIBE(nvshmem_fcollectmem, &self, 0, TO, FROM, 5);
	expect(0, FROM, 5, SC_READ);
	expect(1, TO, 20, SC_WRITE);
	DESCRIBE(nvshmemx_float_sum_reduce_on_stream, &self, 0, TO, FROM, 5);
	expect(0, FROM, 20, SC_READ);
	expect(1, TO, 20, SC_WRITE);
	DESCRIBE(nvshmemx_float_sum_reducescatter_on_stream, &self, 0, TO, FROM, 5);
	expect(0, FROM, 80, SC_READ);
	expect(1, TO, 20, SC_WRITE);
}

TEST(broadcast)
{
	assert_int_equal(DESCRIBE(nvshmem_broadcastmem, &self, 0, TO, FROM, 5, 1), 1);
	expect(0, TO, 5, SC_WRITE);
	assert_int_equal(found.item[0].known, SC_KNOWN_EXACT);
	assert_int_equal(DESCRIBE(nvshmem_broadcastmem, &self, 0, TO, FROM, 5, 3), 2);
	expect(0, FROM, 5, SC_READ);
	expect(1, TO, 5, SC_WRITE);
	assert_int_equal(found.item[1].known, SC_KNOWN_OVER);
	assert_int_equal(DESCRIBE(nvshmem_broadcastmem, &self, 0, TO, TO, 5, 3), 1);
	expect(0, TO, 5, SC_READ);
}

TEST(wait)
{
	assert_int_equal(DESCRIBE(nvshmemx_signal_wait_until_on_stream, &self, FROM, 0, 1), 1);
	expect(0, FROM, 8, SC_READ);
	assert_int_equal(DESCRIBE(nvshmemx_int_wait_until_all_vector_on_stream, &self, FROM, 5,
				  0x4000, 0, 0x3000),
			 3);
	expect(0, FROM, 20, SC_READ);
	assert_int_equal(found.item[0].known, SC_KNOWN_OVER);
	expect(1, 0x3000, 20, SC_READ);
	expect(2, 0x4000, 20, SC_READ);
	assert_int_equal(found.item[2].known, SC_KNOWN_EXACT);
	assert_int_equal(DESCRIBE(nvshmemx_int_wait_until_all_on_stream, &self, FROM, 5), 1);
	assert_int_equal(found.item[0].known, SC_KNOWN_EXACT);
}

#define REFUSED(name, who, ...) \
	assert_false(sc_shmem_describe(ROW(name), (uint64_t[8]){__VA_ARGS__}, who, &found))

/* Sizes that no memory has, steps that the manual forbids, a team that this process is not in. */
TEST(refused)
{
	REFUSED(nvshmemx_double_put_on_stream, &self, TO, FROM, UINT64_MAX / 4, 1);
	REFUSED(nvshmemx_putmem_on_stream, &self, TO, FROM, UINT64_MAX - 1, 1);
	REFUSED(nvshmemx_int_iput_on_stream, &self, TO, FROM, 1, 0, 5, 1);
	REFUSED(nvshmemx_int_iput_on_stream, &self, TO, FROM, 1, (uint64_t)-2, 5, 1);
	REFUSED(nvshmemx_int_iput_on_stream, &self, TO, FROM, 1, INT64_MAX, 5, 1);
	REFUSED(nvshmem_fcollectmem, &self, 0, TO, FROM, UINT64_MAX / 2);
	REFUSED(nvshmem_fcollectmem, &nobody, 0, TO, FROM, 5);
}

static uint64_t call_looked_up(struct sc_library_function *function)
{
	return sc_shmem_call(function, NULL, (uint64_t[]){64}, NULL, __builtin_frame_address(0));
}

/* Else the program would write to address 1. */
TEST(a_library_that_is_not_there_gives_no_memory)
{
	assert_int_equal(call_looked_up(&sc_shmem_functions.nvshmem_malloc), 0);
	assert_int_equal(call_looked_up(&sc_shmem_functions.nvshmem_barrier), SC_SHMEM_NOT_THERE);
}
