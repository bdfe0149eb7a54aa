/* Datatypes of MPI, as a library that has Open MPI's form would answer for them. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/agents/mpi/datatype.h"

/* Open MPI's numbers, as in extensions/agents/mpi/abi.def. */
enum combiner {
	NAMED = 0,
	CONTIGUOUS = 2,
	VECTOR = 3,
	INDEXED = 6,
	STRUCT = 11,
	SUBARRAY = 12,
	DARRAY = 13,
	RESIZED = 17
};

#define MOST 64

/* A type of the library that is made up here; its handle is its address. */
struct type {
	enum combiner combiner;
	int size;
	int64_t extent, lower, true_extent; /* `lower` of the true extent */
	int integers, addresses, types;
	int integer[MOST];
	int64_t address[MOST];
	struct type *of[MOST];
	int gets; /* handles of it that were given out and not freed */
};

static const struct type *type_of(uint64_t handle)
{
	return (const struct type *)(uintptr_t)handle;
}

static int type_size(uint64_t type, int *size)
{
	*size = type_of(type)->size;
	return 0;
}

static int type_extent(uint64_t type, int64_t *lower, int64_t *extent)
{
	*lower = 0;
	*extent = type_of(type)->extent;
	return 0;
}

static int type_true_extent(uint64_t type, int64_t *lower, int64_t *extent)
{
	*lower = type_of(type)->lower;
	*extent = type_of(type)->true_extent;
	return 0;
}

static int type_envelope(uint64_t type, int *integers, int *addresses, int *types, int *combiner)
{
	const struct type *t = type_of(type);

	*integers = t->integers;
	*addresses = t->addresses;
	*types = t->types;
	*combiner = (int)t->combiner;
	return 0;
}

static int type_contents(uint64_t type, int integers, int addresses, int types, int *integer,
			 int64_t *address, void *of_types)
{
	const struct type *t = type_of(type);

	memcpy(integer, t->integer, (size_t)integers * sizeof(*integer));
	memcpy(address, t->address, (size_t)addresses * sizeof(*address));
	memcpy(of_types, t->of, (size_t)types * sizeof(t->of[0]));
	for (int i = 0; i < types; i++)
		t->of[i]->gets += t->of[i]->combiner != NAMED;
	return 0;
}

static int type_free(void *type)
{
	struct type *t;

	memcpy(&t, type, sizeof(t));
	assert_int_not_equal(t->combiner, NAMED); /* a predefined type is never freed */
	t->gets--;
	return 0;
}

static const struct sc_mpi_library library = {.handle_bytes = 8,
					      .order_fortran = 1,
					      .type_size = type_size,
					      .type_extent = type_extent,
					      .type_true_extent = type_true_extent,
					      .type_envelope = type_envelope,
					      .type_contents = type_contents,
					      .type_free = type_free};

static struct type number = {.combiner = NAMED, .size = 4, .extent = 4, .true_extent = 4};

static struct sc_mpi_pieces pieces_of(struct type *t, uint64_t count)
{
	struct sc_mpi_pieces p;

	assert_true(sc_mpi_pieces_of(&library, (uint64_t)(uintptr_t)t, count, &p));
	return p;
}

static void expect_piece(const struct sc_mpi_piece *p, int64_t at, uint64_t width, uint64_t pitch,
			 uint64_t rows)
{
	assert_int_equal(p->at, at);
	assert_int_equal(p->width, width);
	assert_int_equal(p->rows, rows);
	if (rows > 1)
		assert_int_equal(p->pitch, pitch);
}

TEST(named)
{
	struct sc_mpi_pieces p = pieces_of(&number, 10);

	assert_int_equal(p.count, 1);
	assert_true(p.is_exact);
	expect_piece(&p.item[0], 0, 40, 0, 1);
	assert_int_equal(pieces_of(&number, 0).count, 0);
}

/* A short and an int: two bytes between them are nobody's. */
TEST(named_with_gap)
{
	struct type pair = {.combiner = NAMED, .size = 6, .extent = 8, .true_extent = 8};
	struct sc_mpi_pieces p = pieces_of(&pair, 2);

	assert_false(p.is_exact);
	expect_piece(&p.item[0], 0, 16, 0, 1);
}

static struct type vector_of(struct type *of, int count, int length, int step)
{
	return (struct type){.combiner = VECTOR,
			     .size = of->size * count * length,
			     .extent = of->extent * ((count - 1) * step + length),
			     .true_extent = of->extent * ((count - 1) * step + length),
			     .integers = 3,
			     .types = 1,
			     .integer = {count, length, step},
			     .of = {of}};
}

static struct type resized(struct type *of, int64_t extent)
{
	return (struct type){.combiner = RESIZED,
			     .size = of->size,
			     .extent = extent,
			     .true_extent = of->true_extent,
			     .addresses = 2,
			     .types = 1,
			     .address = {0, extent},
			     .of = {of}};
}

TEST(column)
{
	struct type column = vector_of(&number, 8, 1, 16), next = resized(&column, 4);
	struct sc_mpi_pieces p = pieces_of(&column, 1);

	assert_int_equal(p.count, 1);
	expect_piece(&p.item[0], 0, 4, 64, 8);
	p = pieces_of(&next, 3); /* three columns side by side */
	assert_int_equal(p.count, 1);
	expect_piece(&p.item[0], 0, 12, 64, 8);
	assert_int_equal(column.gets, 0); /* each handle was put back */
}

/* Every second column: rows of four, of which each row has the like. */
TEST(columns_apart)
{
	struct type column = vector_of(&number, 8, 1, 16), next = resized(&column, 8);
	struct sc_mpi_pieces p = pieces_of(&next, 4);

	assert_int_equal(p.count, 1);
	assert_true(p.is_exact);
	expect_piece(&p.item[0], 0, 4, 8, 4);
	assert_int_equal(p.item[0].slices, 8);
	assert_int_equal(p.item[0].slice_pitch, 64);
}

TEST(negative_step)
{
	struct type back = vector_of(&number, 3, 1, -4);
	struct sc_mpi_pieces p = pieces_of(&back, 1);

	assert_int_equal(p.count, 1);
	expect_piece(&p.item[0], -32, 4, 16, 3);
}

TEST(struct)
{
	struct type both = {.combiner = STRUCT,
			    .size = 20,
			    .extent = 64,
			    .true_extent = 64,
			    .integers = 3,
			    .addresses = 2,
			    .types = 2,
			    .integer = {2, 2, 3},
			    .address = {0, 40},
			    .of = {&number, &number}};
	struct sc_mpi_pieces p = pieces_of(&both, 1);

	assert_int_equal(p.count, 2);
	expect_piece(&p.item[0], 0, 8, 0, 1);
	expect_piece(&p.item[1], 40, 12, 0, 1);
	p = pieces_of(&both, 5);
	expect_piece(&p.item[1], 40, 12, 64, 5);
}

/* Blocks that touch are one piece; more blocks than there is room for are a bound. */
TEST(indexed)
{
	struct type t = {.combiner = INDEXED,
			 .size = 24,
			 .extent = 40,
			 .true_extent = 40,
			 .integers = 7,
			 .types = 1,
			 .integer = {3, 2, 2, 2, 0, 2, 8},
			 .of = {&number}};
	struct sc_mpi_pieces p = pieces_of(&t, 1);

	assert_int_equal(p.count, 2);
	expect_piece(&p.item[0], 0, 16, 0, 1);
	expect_piece(&p.item[1], 32, 8, 0, 1);
	t.integers = 61;
	t.integer[0] = 30;
	for (int i = 0; i < 30; i++) {
		t.integer[1 + i] = 1;
		t.integer[31 + i] = 2 * i;
	}
	p = pieces_of(&t, 1);
	assert_int_equal(p.count, 1);
	assert_false(p.is_exact);
	expect_piece(&p.item[0], 0, 40, 0, 1);
}

TEST(subarray)
{
	struct type c = {.combiner = SUBARRAY,
			 .size = 24,
			 .extent = 4 * 5 * 6,
			 .true_extent = 48,
			 .integers = 8,
			 .types = 1,
			 .integer = {2, 5, 6, 2, 3, 1, 2, 0},
			 .of = {&number}};
	struct type fortran = c;
	struct sc_mpi_pieces p = pieces_of(&c, 1);

	assert_int_equal(p.count, 1);
	expect_piece(&p.item[0], (1 * 6 + 2) * 4, 12, 24, 2);
	fortran.integer[7] = 1;
	p = pieces_of(&fortran, 1);
	expect_piece(&p.item[0], (1 + 2 * 5) * 4, 8, 20, 3);
}

TEST(not_followed)
{
	struct type spread = {.combiner = DARRAY,
			      .size = 16,
			      .extent = 256,
			      .true_extent = 100,
			      .lower = 8,
			      .types = 1,
			      .of = {&number}};
	struct sc_mpi_pieces p = pieces_of(&spread, 1);

	assert_false(p.is_exact);
	expect_piece(&p.item[0], 8, 100, 0, 1);
	spread.combiner = 60; /* of a later standard */
	p = pieces_of(&spread, 2);
	assert_false(p.is_exact);
	expect_piece(&p.item[0], 8, 100, 256, 2);
}

TEST(deep)
{
	struct type level[10];
	struct sc_mpi_pieces p;

	level[0] = vector_of(&number, 2, 1, 2);
	for (int i = 1; i < 10; i++)
		level[i] = resized(&level[i - 1], 16);
	p = pieces_of(&level[3], 1);
	assert_true(p.is_exact);
	expect_piece(&p.item[0], 0, 4, 8, 2);
	p = pieces_of(&level[9], 1);
	assert_false(p.is_exact);
	expect_piece(&p.item[0], 0, 12, 0, 1);
	for (int i = 0; i < 10; i++)
		assert_int_equal(level[i].gets, 0);
}

/* What cannot be counted is not known. */
TEST(huge)
{
	struct type far = {
		.combiner = NAMED, .size = 4, .extent = INT64_C(1) << 40, .true_extent = 4};
	struct sc_mpi_pieces p;

	assert_false(sc_mpi_pieces_of(&library, (uint64_t)(uintptr_t)&far, UINT64_C(1) << 40, &p));
}
