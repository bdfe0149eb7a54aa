/* Runs of bytes that a launch touched, as accesses: compared with the bytes themselves. */
#include "interposer/sanitizer/runs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

#define BASE  UINT64_C(0x7f0000000000)
#define BYTES 65536u

enum { READS = 1, WRITES = 2, ATOMICS = 4, COPIES = 8 };

static struct sc_run runs[1 << 15], room[1 << 15];
static struct sc_access accesses[SC_RUN_ACCESSES];
static uint32_t count, number;

static void run(uint64_t first, uint64_t bytes, enum sc_record_use use, bool gaps)
{
	runs[number++] =
		(struct sc_run){.first = BASE + first,
				.end_use = (BASE + first + bytes) << 8 | (uint64_t)use << 1 | gaps};
}

#define TABLE 32768u

static bool are_in_one_table(uint64_t low, uint64_t high)
{
	return (low - BASE) / TABLE == (high - BASE) / TABLE;
}

static void make(void)
{
	count = sc_runs_accesses(runs, number, room, are_in_one_table, accesses);
	number = 0;
}

static void expect(uint32_t at, uint64_t base, uint64_t width, uint64_t rows, uint64_t pitch,
		   enum sc_mode mode, enum sc_known known)
{
	const struct sc_access *a = &accesses[at];

	assert_true(at < count);
	assert_int_equal(a->base - BASE, base);
	assert_int_equal(a->width, width);
	assert_int_equal(a->rows, rows);
	assert_int_equal(a->pitch, pitch);
	assert_int_equal(a->mode, mode);
	assert_int_equal(a->known, known);
	assert_int_equal(a->how, SC_HOW_RECORDED);
}

TEST(neighbours_are_joined_whatever_their_order)
{
	run(64, 64, SC_RECORD_WRITE, false);
	run(0, 64, SC_RECORD_WRITE, false);
	run(100, 50, SC_RECORD_WRITE, false);
	make();
	assert_int_equal(count, 1);
	expect(0, 0, 150, 1, 0, SC_WRITE, SC_KNOWN_EXACT);
}

TEST(uses_stay_apart)
{
	run(0, 64, SC_RECORD_ATOMIC, false);
	run(0, 64, SC_RECORD_READ, false);
	run(64, 64, SC_RECORD_WRITE, false);
	make();
	assert_int_equal(count, 3);
	expect(0, 0, 64, 1, 0, SC_READ, SC_KNOWN_EXACT);
	expect(1, 64, 64, 1, 0, SC_WRITE, SC_KNOWN_EXACT);
	expect(2, 0, 64, 1, 0, SC_ATOMIC, SC_KNOWN_EXACT);
}

TEST(equal_distances_are_rows)
{
	for (unsigned i = 0; i < 100; i++)
		run(i * 256, 16, SC_RECORD_WRITE, false);
	run(100 * 256 + 8, 16, SC_RECORD_WRITE, false);
	make();
	assert_int_equal(count, 2);
	expect(0, 0, 16, 100, 256, SC_WRITE, SC_KNOWN_EXACT);
	expect(1, 100 * 256 + 8, 16, 1, 0, SC_WRITE, SC_KNOWN_EXACT);
}

TEST(what_has_gaps_is_an_upper_bound)
{
	run(0, 64, SC_RECORD_READ, true);
	run(4096, 64, SC_RECORD_READ, false);
	make();
	assert_int_equal(count, 2);
	expect(0, 0, 64, 1, 0, SC_READ, SC_KNOWN_OVER);
	expect(1, 4096, 64, 1, 0, SC_READ, SC_KNOWN_EXACT);
}

/* The rest of each sixteen bytes may have been filled with zeros. */
TEST(a_copy_certainly_reads_first_bytes_only)
{
	run(8, 4096 + 8, SC_RECORD_COPY, false);
	make();
	assert_int_equal(count, 2);
	expect(0, 8, 4096 + 8, 1, 0, SC_READ, SC_KNOWN_OVER);
	expect(1, 16, 1, 64, 64, SC_READ, SC_KNOWN_EXACT);
}

TEST(a_copy_of_rows_certainly_reads_their_first_bytes)
{
	for (unsigned i = 0; i < 8; i++)
		run(i * 1024, 64, SC_RECORD_COPY, false);
	make();
	assert_int_equal(count, 2);
	expect(0, 0, 64, 8, 1024, SC_READ, SC_KNOWN_OVER);
	expect(1, 0, 1, 8, 1024, SC_READ, SC_KNOWN_EXACT);
}

TEST(too_many_become_upper_bounds)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < 20000; i++) {
		run(at, 4, SC_RECORD_READ, false);
		at += 8 + (uint64_t)(i * i % 7) * 4;
	}
	make();
	assert_in_range(count, 1, SC_RUN_ACCESSES);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(accesses[i].known,
				 accesses[i].width > 4 ? SC_KNOWN_OVER : SC_KNOWN_EXACT);
	assert_int_equal(accesses[0].base, BASE);
}

/* Nothing is said of what lies between the last bytes of a table and the first ones of the next. */
TEST(gaps_of_allocations_stay_apart)
{
	for (unsigned i = 0; i < 20000; i++)
		run(i / 2500 * (uint64_t)TABLE + i % 2500 * 8 + (uint64_t)(i * i % 2) * 4, 4,
		    SC_RECORD_READ, false);
	make();
	assert_in_range(count, 8, SC_RUN_ACCESSES);
	for (uint32_t i = 0; i < count; i++)
		assert_true(are_in_one_table(accesses[i].base,
					     accesses[i].base + accesses[i].width - 1));
}

TEST(more_allocations_than_accesses_stay)
{
	for (unsigned i = 0; i < SC_RUN_ACCESSES + 1; i++)
		run(i * (uint64_t)TABLE, 4 + (uint64_t)(i * i % 7), SC_RECORD_WRITE, false);
	make();
	assert_true(count > SC_RUN_ACCESSES);
}

TEST(nothing_is_no_access)
{
	make();
	assert_int_equal(count, 0);
}

/* ---- random runs: each byte of an exact access was touched so, and each touched byte is in an
 * access
 * ---- */

static uint8_t touched[BYTES], certain[BYTES], covered[BYTES];

static void touch_randomly(void)
{
	static const uint8_t bits[] = {READS, WRITES, ATOMICS, COPIES};

	memset(touched, 0, sizeof(touched));
	memset(certain, 0, sizeof(certain));
	memset(covered, 0, sizeof(covered));
	for (unsigned n = 1 + (unsigned)rand() % 40; n > 0; n--) {
		unsigned use = (unsigned)rand() % 4;
		unsigned first = (unsigned)rand() % (BYTES - 4096) & ~3u;
		unsigned bytes = 4 * (1 + (unsigned)rand() % 64), rows = 1 + (unsigned)rand() % 8;

		for (unsigned row = 0; row < rows; row++)
			for (unsigned i = 0; i < bytes; i++)
				touched[first + row * 512 + i] |= bits[use];
		for (unsigned row = 0; row < rows; row++)
			run(first + row * 512, bytes, (enum sc_record_use)use, false);
	}
}

static void spread(const struct sc_access *a)
{
	static const uint8_t bits[] = {
		[SC_READ] = READS | COPIES, [SC_WRITE] = WRITES, [SC_ATOMIC] = ATOMICS};
	uint8_t *to = a->known == SC_KNOWN_EXACT ? certain : covered;

	for (uint64_t row = 0; row < a->rows; row++)
		for (uint64_t i = 0; i < a->width; i++)
			to[a->base - BASE + row * a->pitch + i] |= bits[a->mode];
}

TEST(random_runs)
{
	srand(1);
	for (unsigned round = 0; round < 300; round++) {
		touch_randomly();
		make();
		for (uint32_t i = 0; i < count; i++)
			spread(&accesses[i]);
		for (unsigned i = 0; i < BYTES; i++) {
			uint8_t reads = touched[i] & (READS | COPIES);
			uint8_t all = touched[i] & (WRITES | ATOMICS);

			all |= reads ? READS | COPIES : 0;
			assert_int_equal(certain[i] & ~all, 0);
			assert_int_equal(all & ~(certain[i] | covered[i]), 0);
		}
	}
}
