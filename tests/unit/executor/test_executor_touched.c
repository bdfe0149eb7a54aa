/* Tests of simulator/executor/touched.h: sets of bytes against an array of bytes. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "simulator/executor/touched.h"

#define BASE  UINT64_C(0x7f0000000f00) /* not at the beginning of a page */
#define BYTES 65536

#define WRITES	  (1 << EXEC_WRITE | 1 << EXEC_EXCHANGED)
#define FIRST	  (1 << EXEC_READ_FIRST)
#define MOVED	  (1 << EXEC_READ_MOVED)
#define EXCHANGED (1 << EXEC_EXCHANGED)

/* The naive form. */
struct naive {
	uint8_t uses[BYTES];
};

/* The first write finds whether something was read. */
static void use_byte(uint8_t *uses, enum exec_use use)
{
	if (1 << use & WRITES && *uses & ~MOVED && !(*uses & WRITES))
		*uses |= FIRST;
	*uses |= (uint8_t)(1 << use);
}

static void add(struct exec_touched *t, struct naive *n, uint64_t at, size_t bytes,
		enum exec_use use)
{
	assert_true(at + bytes <= BYTES);
	exec_touched_add_range(t, BASE + at, bytes, use);
	for (size_t i = 0; i < bytes; i++)
		use_byte(&n->uses[at + i], use);
}

/* What another thread wrote is not known to have been read first. */
static void join(struct naive *n, const struct naive *other)
{
	for (size_t i = 0; i < BYTES; i++) {
		uint8_t x = n->uses[i], y = other->uses[i];

		x &= (uint8_t)(y & WRITES ? ~FIRST : UINT8_MAX);
		y &= (uint8_t)(n->uses[i] & WRITES ? ~FIRST : UINT8_MAX);
		n->uses[i] = x | y;
	}
}

static enum exec_use any_use(void)
{
	enum exec_use use = (enum exec_use)(rand() % EXEC_USES);

	return use == EXEC_READ_FIRST ? EXEC_READ_MOVED : use;
}

/* What is moved is read, and counts as moved if nothing else reads it; what is exchanged is so by
 * an atomic, and counts as that if nothing waits for it. */
static uint8_t shown(uint8_t uses)
{
	static const uint8_t reads =
		1 << EXEC_READ | 1 << EXEC_ATOMIC | 1 << EXEC_ATOMIC_READ | 1 << EXEC_SWAP;
	static const uint8_t waits = 1 << EXEC_ATOMIC_READ | 1 << EXEC_SWAP;
	bool is_exchanged = uses & EXCHANGED;

	if (is_exchanged && uses & waits)
		uses &= (uint8_t)~EXCHANGED;
	if (uses & MOVED && uses & reads)
		uses = (uint8_t)((uses & ~MOVED) | 1 << EXEC_READ);
	if (is_exchanged)
		uses |= 1 << EXEC_ATOMIC;
	if (!(uses & MOVED))
		return uses;
	return (uint8_t)(uses | 1 << EXEC_READ);
}

static void take_piece(const struct exec_piece *p, uint8_t uses[BYTES], bool is_exact)
{
	for (uint64_t row = 0; row < p->rows; row++)
		for (uint64_t i = 0; i < p->width; i++) {
			uint64_t at = p->address + row * p->pitch + i - BASE;

			assert_true(at < BYTES);
			if (is_exact) /* exact pieces have no byte twice */
				assert_int_equal(uses[at], 0);
			uses[at] |= p->uses;
		}
}

/* Exact pieces are what the naive form has; others have it inside. */
static size_t compare_few(const struct exec_touched *t, const struct naive *n, size_t most,
			  bool is_exact)
{
	static uint8_t uses[BYTES];
	struct exec_piece *pieces;
	bool is_lost;
	size_t count = exec_touched_pieces(t, most, &pieces, &is_lost);

	assert_false(is_lost);
	assert_true(count <= most);
	memset(uses, 0, sizeof(uses));
	for (size_t i = 0; i < count; i++) {
		if (is_exact)
			assert_true(pieces[i].is_exact);
		take_piece(&pieces[i], uses, is_exact);
	}
	for (size_t i = 0; i < BYTES; i++) {
		if (is_exact)
			assert_int_equal(uses[i], shown(n->uses[i]));
		else
			assert_int_equal(
				shown(n->uses[i]) & ~(FIRST | MOVED | EXCHANGED) & ~uses[i], 0);
	}
	free(pieces);
	return count;
}

static size_t compare(const struct exec_touched *t, const struct naive *n)
{
	return compare_few(t, n, EXEC_PIECES_MOST, 1);
}

TEST(nothing_has_no_pieces)
{
	struct exec_touched t = {0};
	struct exec_piece *pieces;
	bool is_lost = 1;

	assert_int_equal(exec_touched_pieces(&t, EXEC_PIECES_MOST, &pieces, &is_lost), 0);
	assert_false(is_lost);
	assert_null(pieces);
	exec_touched_fini(&t);
}

TEST(bytes_side_by_side_are_one_piece)
{
	static struct naive n;
	struct exec_touched t = {0};

	memset(&n, 0, sizeof(n));
	for (unsigned i = 0; i < 4000; i++)
		add(&t, &n, i * 4, 4, EXEC_READ);
	assert_int_equal(compare(&t, &n), 1);
	add(&t, &n, 8000, 100, EXEC_WRITE);
	assert_int_equal(compare(&t, &n), 3);
	add(&t, &n, 16000, 4, EXEC_ATOMIC);
	assert_int_equal(compare(&t, &n), 4);
	exec_touched_fini(&t);
}

/* A kernel that reads one field of each struct and writes another one. */
TEST(fields_of_structs_are_shapes)
{
	static struct naive n;
	struct exec_touched t = {0};
	struct exec_piece *pieces;
	bool is_lost;

	memset(&n, 0, sizeof(n));
	for (unsigned i = 0; i < 1000; i++) {
		add(&t, &n, i * 24, 4, EXEC_READ);
		add(&t, &n, i * 24 + 12, 8, EXEC_WRITE);
	}
	assert_int_equal(compare(&t, &n), 2);
	assert_int_equal(exec_touched_pieces(&t, EXEC_PIECES_MOST, &pieces, &is_lost), 2);
	assert_int_equal(pieces[0].address, BASE);
	assert_int_equal(pieces[0].width, 4);
	assert_int_equal(pieces[0].pitch, 24);
	assert_int_equal(pieces[0].rows, 1000);
	assert_int_equal(pieces[0].uses, 1 << EXEC_READ);
	assert_int_equal(pieces[1].uses, 1 << EXEC_WRITE);
	free(pieces);
	exec_touched_fini(&t);
}

TEST(random_bytes_are_as_in_the_naive_form)
{
	static struct naive n, other;

	srand(1);
	for (unsigned round = 0; round < 300; round++) {
		struct exec_touched t = {0}, more = {0};

		memset(&n, 0, sizeof(n));
		memset(&other, 0, sizeof(other));
		for (int i = rand() % 200; i > 0; i--) {
			size_t bytes = (size_t)(rand() % (rand() % 8 ? 64 : 9000)) + 1;
			uint64_t at = (uint64_t)rand() % (BYTES - bytes);

			if (rand() % 2)
				add(&t, &n, at, bytes, any_use());
			else
				add(&more, &other, at, bytes, any_use());
		}
		exec_touched_join(&t, &more);
		join(&n, &other);
		compare(&t, &n);
		exec_touched_fini(&more);
		exec_touched_fini(&t);
	}
}

/* Whether the first byte was read before all writes. */
static bool is_first(const struct exec_touched *t)
{
	struct exec_piece *pieces;
	bool is_lost, is_first;

	assert_int_equal(exec_touched_pieces(t, EXEC_PIECES_MOST, &pieces, &is_lost), 1);
	is_first = pieces[0].uses & FIRST;
	free(pieces);
	return is_first;
}

static void use_twice(struct exec_touched *t, enum exec_use first, enum exec_use then)
{
	exec_touched_add(t, BASE, 4, first);
	exec_touched_add(t, BASE, 4, then);
}

TEST(reads_before_the_write_come_first)
{
	static const enum exec_use reads[] = {EXEC_READ, EXEC_ATOMIC, EXEC_ATOMIC_READ, EXEC_SWAP};

	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
		struct exec_touched before = {0}, after = {0};

		use_twice(&before, reads[i], EXEC_WRITE);
		use_twice(&after, EXEC_WRITE, reads[i]);
		assert_true(is_first(&before));
		assert_false(is_first(&after));
		use_twice(&after, EXEC_WRITE, EXEC_WRITE);
		assert_false(is_first(&after));
		exec_touched_fini(&before);
		exec_touched_fini(&after);
	}
}

TEST(reads_come_first_where_no_other_thread_wrote)
{
	for (unsigned round = 0; round < 4; round++) {
		struct exec_touched t = {0}, other = {0};
		bool writes = round & 1, is_other = round & 2;

		use_twice(is_other ? &other : &t, EXEC_READ, EXEC_WRITE);
		exec_touched_add(is_other ? &t : &other, BASE, 4, writes ? EXEC_WRITE : EXEC_READ);
		exec_touched_join(&t, &other);
		assert_int_equal(is_first(&t), !writes);
		exec_touched_fini(&t);
	}
}

/* The short way for accesses of lanes. */
TEST(accesses_of_lanes_are_ranges)
{
	static struct naive n;
	struct exec_touched t = {0};

	memset(&n, 0, sizeof(n));
	srand(2);
	for (unsigned i = 0; i < 500; i++) {
		unsigned bytes = 1U + (unsigned)rand() % 130;
		uint64_t at = (uint64_t)(rand() % (BYTES - 130));
		enum exec_use use = any_use();

		exec_touched_add(&t, BASE + at, bytes, use);
		for (unsigned k = 0; k < bytes; k++)
			use_byte(&n.uses[at + k], use);
	}
	compare(&t, &n);
	exec_touched_fini(&t);
}

/* Distances up to 40 bytes, of which some divide a word, and elements at any place. */
TEST(elements_apart_are_those_of_each_lane)
{
	static struct naive n;
	struct exec_touched t = {0};

	memset(&n, 0, sizeof(n));
	srand(6);
	for (unsigned i = 0; i < 500; i++) {
		unsigned bytes = 1U << rand() % 4, lanes = rand() % 2 ? 32 : 8;
		uint64_t apart = rand() % 2 ? 1ULL << rand() % 6 : 1ULL + (unsigned)rand() % 40;
		uint64_t at = (uint64_t)(rand() % (BYTES - 32 * 40 - 8));
		enum exec_use use = any_use();

		exec_touched_add_apart(&t, BASE + at, bytes, apart, lanes, use);
		for (unsigned k = 0; k < lanes * bytes; k++)
			use_byte(&n.uses[at + k / bytes * apart + k % bytes], use);
	}
	compare(&t, &n);
	exec_touched_fini(&t);
}

/* Of one launch after the other, each with more bits than are kept, of two threads. */
TEST(sets_begin_empty)
{
	enum { PAGES = 10000 };

	for (uint64_t round = 0; round < 3; round++) {
		struct exec_touched t = {0}, other = {0};
		struct exec_piece *pieces;
		bool is_lost;

		for (uint64_t i = 0; i < PAGES; i++) {
			uint64_t at = BASE + i * EXEC_TOUCHED_PAGE + round * 4096;

			exec_touched_add(&t, at, 4, EXEC_READ);
			exec_touched_add(&other, at + 8, 4, EXEC_WRITE);
		}
		exec_touched_join(&t, &other);
		assert_int_equal(exec_touched_pieces(&t, EXEC_PIECES_FEW, &pieces, &is_lost), 2);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(pieces[i].address, BASE + round * 4096 + i * 8);
			assert_int_equal(pieces[i].width, 4);
			assert_int_equal(pieces[i].rows, PAGES);
		}
		free(pieces);
		exec_touched_fini(&t);
	}
}

/* A kernel that scatters: each byte is in the pieces as it was used. With room for few pieces gaps
 * are filled, and it says so. */
TEST(scattered_bytes_are_exact_while_there_is_room)
{
	static struct naive n;
	struct exec_touched t = {0};
	size_t count;

	memset(&n, 0, sizeof(n));
	srand(3);
	for (unsigned i = 0; i < 20000; i++)
		add(&t, &n, (uint64_t)(rand() % (BYTES - 8)), 1 + (size_t)(rand() % 3), any_use());
	count = compare(&t, &n);
	assert_true(count > EXEC_PIECES_FEW);
	assert_int_equal(compare_few(&t, &n, count, 1), count);
	count = compare_few(&t, &n, count - 1, 0); /* not known: which use came first */
	assert_true(count > EXEC_PIECES_FEW);
	assert_true(compare_few(&t, &n, count - 1, 0) <= EXEC_PIECES_FEW);
	exec_touched_fini(&t);
}

/* A kernel that gathers from one table and scatters to the next one, which lies beside it; in a
 * third one it reads some fields and writes others. Each piece is of one table, and says what some
 * bytes there are used for and no more. */
TEST(gaps_of_tables_and_uses_stay_apart)
{
	enum { TABLE = 16384 };
	static const uint8_t reads = 1 << EXEC_READ, writes = 1 << EXEC_WRITE;
	static struct naive n;
	struct exec_touched t = {0};
	struct exec_piece *pieces;
	bool is_lost;
	size_t count;

	memset(&n, 0, sizeof(n));
	srand(4);
	for (unsigned i = 0; i < 3; i++)
		exec_touched_add_base(&t, BASE + (2 - i) * TABLE);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t at = (uint64_t)(rand() % (TABLE / 4));

		add(&t, &n, at * 4, 1, EXEC_READ);
		add(&t, &n, TABLE + at * 4, 1, EXEC_WRITE);
		add(&t, &n, 2 * TABLE + at * 4 + at % 3, 1, at % 2 ? EXEC_READ : EXEC_WRITE);
	}
	compare_few(&t, &n, EXEC_PIECES_FEW, 0);
	count = exec_touched_pieces(&t, EXEC_PIECES_FEW, &pieces, &is_lost);
	assert_true(count > 2);
	for (size_t i = 0; i < count; i++) {
		uint64_t first = pieces[i].address - BASE;
		uint64_t last =
			first + (pieces[i].rows - 1) * pieces[i].pitch + pieces[i].width - 1;

		assert_int_equal(first / TABLE, last / TABLE);
		assert_true(pieces[i].uses == reads || pieces[i].uses == writes);
		if (first / TABLE < 2)
			assert_int_equal(pieces[i].uses, first < TABLE ? reads : writes);
	}
	free(pieces);
	exec_touched_fini(&t);
}

/* Many more rows than pieces, of a kernel that reads every third number and writes every eighth one
 * of those between them. */
TEST(rows_are_no_pieces)
{
	enum { ROWS = 1 << 20 };
	struct exec_touched t = {0};
	struct exec_piece *pieces;
	bool is_lost;

	for (uint64_t i = 0; i < ROWS; i++)
		exec_touched_add(&t, BASE + i * 12, 4, EXEC_READ);
	for (uint64_t i = 0; i < ROWS; i += 8)
		exec_touched_add(&t, BASE + i * 12 + 6, 4, EXEC_WRITE);
	assert_int_equal(exec_touched_pieces(&t, EXEC_PIECES_FEW, &pieces, &is_lost), 2);
	assert_int_equal(pieces[0].rows, ROWS);
	assert_int_equal(pieces[1].rows, ROWS / 8);
	assert_true(pieces[0].is_exact && pieces[1].is_exact);
	free(pieces);
	exec_touched_fini(&t);
}

/* Bytes on both sides of the end of an allocation, in sets of two threads. */
TEST(pieces_end_with_their_allocation)
{
	static struct naive n;
	struct exec_touched t = {0}, other = {0};

	memset(&n, 0, sizeof(n));
	exec_touched_add_base(&t, BASE);
	exec_touched_add_base(&other, BASE + 6000);
	exec_touched_add_base(&other, BASE);
	add(&t, &n, 0, 7000, EXEC_READ);
	add(&other, &n, 7000, 1000, EXEC_READ);
	exec_touched_join(&t, &other);
	assert_int_equal(compare(&t, &n), 2);
	exec_touched_fini(&t);
}

TEST(more_allocations_than_pieces_are_lost)
{
	struct exec_touched t = {0};
	struct exec_piece *pieces;
	bool is_lost = 0;

	srand(5);
	for (uint64_t i = 0; i < EXEC_PIECES_FEW + 1; i++) {
		exec_touched_add_base(&t, BASE + i * 512);
		exec_touched_add(&t, BASE + i * 512 + (uint64_t)(rand() % 500), 4, EXEC_READ);
	}
	assert_int_equal(exec_touched_pieces(&t, EXEC_PIECES_FEW, &pieces, &is_lost), 0);
	assert_true(is_lost);
	free(pieces);
	exec_touched_fini(&t);
}

/* Of a kernel that waits for the grids before: each piece says whether the threads had waited. */
TEST(phases_are_told_apart)
{
	struct exec_touched sets[EXEC_PHASES] = {0}, more[EXEC_PHASES] = {0};
	struct exec_piece *pieces;
	bool is_lost;

	use_twice(&sets[EXEC_WAITED], EXEC_READ, EXEC_WRITE);
	exec_touched_add(&sets[EXEC_NOT_WAITED], BASE, 4, EXEC_READ);
	exec_touched_add(&more[EXEC_NOT_WAITED], BASE + 64, 8, EXEC_WRITE);
	exec_touched_join_phases(sets, more);
	assert_int_equal(exec_touched_phases(sets, EXEC_PIECES_MOST, &pieces, &is_lost), 3);
	assert_false(is_lost);
	assert_int_equal(pieces[0].phase, EXEC_WAITED);
	assert_false(pieces[0].uses & FIRST); /* of two phases it is not known */
	assert_int_equal(pieces[1].phase, EXEC_NOT_WAITED);
	assert_int_equal(pieces[1].address, BASE);
	assert_int_equal(pieces[2].phase, EXEC_NOT_WAITED);
	assert_int_equal(pieces[2].address, BASE + 64);
	free(pieces);
	sets[EXEC_MAYBE_WAITED].is_lost = 1;
	assert_int_equal(exec_touched_phases(sets, EXEC_PIECES_MOST, &pieces, &is_lost), 0);
	assert_true(is_lost);
	free(pieces);
	exec_touched_fini_phases(sets);
}

TEST(too_much_is_lost)
{
	struct exec_touched t = {0}, other = {0};
	struct exec_piece *pieces;
	bool is_lost = 0;

	for (uint64_t i = 0; i < 70000; i++)
		exec_touched_add(&t, BASE + i * EXEC_TOUCHED_PAGE, 4, EXEC_READ);
	assert_true(t.is_lost);
	exec_touched_join(&other, &t);
	assert_int_equal(exec_touched_pieces(&other, EXEC_PIECES_FEW, &pieces, &is_lost), 0);
	assert_true(is_lost);
	exec_touched_fini(&t);
	exec_touched_fini(&other);
}
