/* The executor: registers that share a place keep their values as long as they are read. */
#include "simulator/executor/code/kernel.h"
#include "tests/unit/executor/executor_fixture.h"

#define CHAIN 200

static uint32_t memory[1024];

static struct device device(uint32_t threads)
{
	memset(memory, 0, sizeof(memory));
	return device_with(memory, sizeof(memory), threads);
}

/* A register for each sum, as compilers write it. */
static void chain(char *body, size_t bytes)
{
	size_t count = (size_t)snprintf(body, bytes, ".reg .b32 %%c<%u>; mov.u32 %%c0, %%r9;\n",
					CHAIN + 1);

	for (unsigned i = 0; i < CHAIN; i++)
		count += (size_t)snprintf(body + count, bytes - count,
					  "add.u32 %%c%u, %%c%u, %u;\n", i + 1, i, i);
	snprintf(body + count, bytes - count, "st.global.u32 [%%rd7], %%c%u;", CHAIN);
}

TEST(a_chain_needs_few_places)
{
	static char body[8192];
	struct device d = device(32);
	struct exec_program *p = exec_program_new(device_address_of, &d);
	const struct exec_kernel *k;
	const char *why = NULL;

	chain(body, sizeof(body));
	device_runs(&d, body);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(memory[i], i + CHAIN * (CHAIN - 1) / 2);
	exec_program_add(p, d.text, strlen(d.text));
	k = exec_program_kernel(p, "k", &why);
	assert_non_null(k);
	assert_in_range(k->register_bytes, EXEC_SINK_BYTES, 4096);
	exec_program_free(p);
}

/* %r1 is named for the last time before %r3 to %r6, but the loop reads it again. */
TEST(values_last_through_loops)
{
	struct device d = device(4);

	device_runs(&d, "mov.u32 %r1, 10; mov.u32 %r2, 0;\n"
			"LOOP: add.u32 %r2, %r2, %r1; mov.u32 %r3, 1; mov.u32 %r4, 2;\n"
			"add.u32 %r5, %r3, %r4; add.u32 %r6, %r5, %r2; setp.lt.u32 %p1, %r2, 50;\n"
			"@%p1 bra LOOP; st.global.u32 [%rd7], %r6;");
	assert_int_equal(memory[3], 53);
}

/* The first turn writes %r1 in a block of its own, the others only read it; the threads leave the
 * loop one after the other. */
TEST(a_write_may_be_of_an_earlier_turn)
{
	struct device d = device(32);

	device_runs(&d, "mov.u32 %r2, 0; mov.u32 %r4, 0;\n"
			"LOOP: mov.u32 %r7, 99; add.u32 %r8, %r7, 1;\n"
			"setp.ne.u32 %p1, %r2, 0; @%p1 bra READ; mul.lo.u32 %r1, %r9, 3;\n"
			"READ: add.u32 %r3, %r1, 1; add.u32 %r4, %r4, %r3; add.u32 %r2, %r2, 1;\n"
			"mov.u32 %r5, 77; add.u32 %r6, %r5, %r4; setp.le.u32 %p1, %r2, %r9;\n"
			"@%p1 bra LOOP; st.global.u32 [%rd7], %r6;");
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(memory[i], 77 + (3 * i + 1) * (i + 1));
}

/* Code that jumps back to read what stands later in the text. */
TEST(the_text_need_not_be_in_order)
{
	struct device d = device(1);

	device_runs(&d,
		    "bra WRITE;\n"
		    "READ: mov.u32 %r3, 5; add.u32 %r4, %r3, %r1; st.global.u32 [%rd7], %r4; ret;\n"
		    "WRITE: mov.u32 %r1, 9; mov.u32 %r2, 1; add.u32 %r5, %r2, 1;\n"
		    "mov.u32 %r6, %r5; bra READ;");
	assert_int_equal(memory[0], 14);
}

/* A guarded write leaves what was there, here zero. */
TEST(what_is_read_first_begins_with_zero)
{
	struct device d = device(2);

	device_runs(&d, "mov.u32 %r2, 7; add.u32 %r3, %r2, 1; setp.eq.u32 %p1, %r9, 0;\n"
			"@%p1 mov.u32 %r1, %r3; st.global.u32 [%rd7], %r1;");
	assert_int_equal(memory[0], 8);
	assert_int_equal(memory[1], 0);
}

/* Both results of one instruction, and what it reads, have places of their own. */
TEST(operands_of_one_instruction_are_apart)
{
	struct device d = device(32);

	device_runs(&d, "add.u32 %r1, %r9, 5; mul.wide.u32 %rd1, %r1, 3; cvt.u32.u64 %r2, %rd1;\n"
			"xor.b32 %r3, %r9, 1; shfl.sync.idx.b32 %r4|%p1, %r2, %r3, 31, -1;\n"
			"st.global.u32 [%rd7], %r4;");
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(memory[i], ((i ^ 1) + 5) * 3);
}

/* So it is in each block, whatever the one before has left there: a way around the only write, a
 * guarded write, a part of a register that is written. */
TEST(each_block_begins_with_zero)
{
	struct device d = device(32);

	d.grid[0] = 4;
	device_runs(&d,
		    "mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0;\n"
		    "@%p1 bra READ; mov.u32 %r1, 7; mov.u32 %r3, 8;\n"
		    "READ: @!%p1 mov.u32 %r4, 9; vadd.u32.u32.u32 %r5.b0, %r2, %r2, 0;\n"
		    "add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r3;\n"
		    "mul.lo.u32 %r2, %r2, 128; cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd1, %rd7;\n"
		    "st.global.u32 [%rd1], %r1; mov.u32 %r3, 66; mov.u32 %r4, 77;\n"
		    "mov.u32 %r5, %r4; add.u32 %r7, %r3, %r5;");
	for (uint32_t i = 0; i < 128; i++)
		assert_int_equal(memory[i], i < 32 ? 24 : i / 32 * 2);
}
