/* Documented operands against their naive form: the loops of the operation, which mark each element
 * that they read and write. */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/agents/operands/blas.h"
#include "extensions/agents/nccl/collective.h"
#include "tests/unit/pick.h"

#define SPACE  16384 /* bytes, of which each may be marked */
#define ROUNDS 400
#define FLOAT  4

static const struct sc_blas_scalars ordinary = {SC_SCALAR_OTHER, SC_SCALAR_OTHER, true};

static uint8_t wanted[SPACE], found[SPACE]; /* bits of enum sc_mode */

/* Operands lie in this memory, which nothing touches. */
static char space[SPACE];

static void mark(const struct sc_blas_operand *o, int64_t element, uint8_t mode)
{
	int64_t first = (const char *)o->at - space + element * FLOAT;

	for (int64_t i = first; i < first + FLOAT; i++)
		wanted[i] |= mode;
}

static void paint(const struct sc_access *a)
{
	for (uint64_t slice = 0; slice < a->slices; slice++)
		for (uint64_t row = 0; row < a->rows; row++)
			for (uint64_t i = 0; i < a->width; i++)
				found[a->base - (uint64_t)space + slice * a->slice_pitch +
				      row * a->pitch + i] |= a->mode;
}

/* How well all of the operands are known, or -1. */
static int describe(const struct sc_blas *call, const struct sc_blas_scalars *scalars)
{
	struct sc_access list[SC_OPERANDS_MOST];
	struct sc_product product;
	unsigned count;
	int known = -1;

	memset(found, 0, sizeof(found));
	sc_blas_describe(call, scalars, &product);
	count = sc_operands_of(&product, list);
	for (unsigned i = 0; i < count; i++) {
		paint(&list[i]);
		known = list[i].known > known ? list[i].known : known;
	}
	return known;
}

static struct sc_blas_operand operand(int64_t at, int64_t ld, int64_t stride)
{
	return (struct sc_blas_operand){
		.at = space + at, .type = SC_TYPE_R_32F, .ld = ld, .stride = stride};
}

static struct sc_blas random_call(enum sc_blas_form form)
{
	return (struct sc_blas){.form = form,
				.m = 1 + pick(6),
				.n = 1 + pick(6),
				.k = 1 + pick(6),
				.operation = {(int)pick(3), (int)pick(3)},
				.side = (int)pick(2),
				.alpha = space,
				.beta = space,
				.scalar = SC_TYPE_R_32F};
}

static int64_t index_of(int64_t row, int64_t column, int operation, int64_t ld)
{
	return operation == SC_VENDOR_PLAIN ? row + column * ld : column + row * ld;
}

static void multiply_one(const struct sc_blas *c, bool adds, int64_t batch)
{
	for (int64_t i = 0; i < c->m; i++)
		for (int64_t j = 0; j < c->n; j++) {
			int64_t at = i + j * c->c.ld + batch * c->c.stride;

			for (int64_t l = 0; l < c->k; l++) {
				mark(&c->a,
				     index_of(i, l, c->operation[0], c->a.ld) + batch * c->a.stride,
				     SC_READ);
				mark(&c->b,
				     index_of(l, j, c->operation[1], c->b.ld) + batch * c->b.stride,
				     SC_READ);
			}
			mark(&c->c, at, adds ? SC_READ_WRITE : SC_WRITE);
		}
}

TEST(product)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_blas c = random_call(SC_BLAS_GEMM);
		struct sc_blas_scalars scalars = ordinary;

		scalars.beta = pick(2) ? SC_SCALAR_ZERO : SC_SCALAR_ONE;
		c.batches = pick(2) ? 0 : 1 + pick(3);
		c.a = operand(0, 6 + pick(3), pick(2) ? 0 : 60);
		c.b = operand(4000, 6 + pick(3), pick(2) ? 0 : 70);
		c.c = operand(8000, 6 + pick(3), 80);
		memset(wanted, 0, sizeof(wanted));
		for (int64_t batch = 0; batch < (c.batches ? c.batches : 1); batch++)
			multiply_one(&c, scalars.beta != SC_SCALAR_ZERO, batch);
		assert_int_equal(describe(&c, &scalars), SC_KNOWN_EXACT);
		assert_memory_equal(found, wanted, SPACE);
	}
}

TEST(product_with_a_vector)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_blas c = random_call(SC_BLAS_GEMV);
		bool is_plain = c.operation[0] == SC_VENDOR_PLAIN;

		c.a = operand(0, 6 + pick(3), 0);
		c.b = operand(4000, 1 + pick(3), 0);
		c.c = operand(8000, 1 + pick(3), 0);
		memset(wanted, 0, sizeof(wanted));
		for (int64_t i = 0; i < c.m; i++)
			for (int64_t j = 0; j < c.n; j++) {
				mark(&c.a, i + j * c.a.ld, SC_READ);
				mark(&c.b, (is_plain ? j : i) * c.b.ld, SC_READ);
				mark(&c.c, (is_plain ? i : j) * c.c.ld, SC_READ_WRITE);
			}
		assert_int_equal(describe(&c, &ordinary), SC_KNOWN_EXACT);
		assert_memory_equal(found, wanted, SPACE);
	}
}

/* What the forms of vectors do to element i of each of their operands. */
static void mark_vectors(const struct sc_blas *c)
{
	for (int64_t i = 0; i < c->n; i++) {
		if (c->form != SC_BLAS_SCAL)
			mark(&c->a, i * c->a.ld, SC_READ);
		if (c->form == SC_BLAS_DOT)
			mark(&c->b, i * c->b.ld, SC_READ);
		if (c->form == SC_BLAS_COPY)
			mark(&c->c, i * c->c.ld, SC_WRITE);
		if (c->form == SC_BLAS_AXPY || c->form == SC_BLAS_SCAL)
			mark(&c->c, i * c->c.ld, SC_READ_WRITE);
	}
}

TEST(vectors)
{
	static const enum sc_blas_form forms[] = {SC_BLAS_AXPY, SC_BLAS_SCAL, SC_BLAS_COPY,
						  SC_BLAS_DOT, SC_BLAS_NORM};

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_blas c = random_call(forms[round % 5]);

		c.a = operand(0, 1 + pick(3), 0);
		c.b = operand(4000, 1 + pick(3), 0);
		c.c = operand(8000, 1 + pick(3), 0);
		memset(wanted, 0, sizeof(wanted));
		mark_vectors(&c);
		assert_int_equal(describe(&c, &ordinary), SC_KNOWN_EXACT);
		assert_memory_equal(found, wanted, SPACE);
	}
}

TEST(outer_product)
{
	struct sc_blas c = random_call(SC_BLAS_GER);

	c.a = operand(0, 2, 0);
	c.b = operand(4000, 3, 0);
	c.c = operand(8000, 7, 0);
	memset(wanted, 0, sizeof(wanted));
	for (int64_t i = 0; i < c.m; i++)
		for (int64_t j = 0; j < c.n; j++) {
			mark(&c.a, 2 * i, SC_READ);
			mark(&c.b, 3 * j, SC_READ);
			mark(&c.c, i + 7 * j, SC_READ_WRITE);
		}
	assert_int_equal(describe(&c, &ordinary), SC_KNOWN_EXACT);
	assert_memory_equal(found, wanted, SPACE);
}

/* Of the triangle some elements are not used, and which is not looked at: a bound. */
TEST(triangle)
{
	for (int side = 0; side < 2; side++) {
		struct sc_blas c = random_call(SC_BLAS_TRSM);
		int64_t edge = side ? c.n : c.m;

		c.side = side;
		c.a = operand(0, 7, 0);
		c.c = operand(8000, 8, 0);
		memset(wanted, 0, sizeof(wanted));
		for (int64_t i = 0; i < edge * edge; i++)
			mark(&c.a, i % edge + i / edge * 7, SC_READ);
		for (int64_t i = 0; i < c.m * c.n; i++)
			mark(&c.c, i % c.m + i / c.m * 8, SC_READ_WRITE);
		assert_int_equal(describe(&c, &ordinary), SC_KNOWN_OVER);
		assert_memory_equal(found, wanted, SPACE);
	}
}

/* A number for the device is an operand; one for the host is none. */
TEST(results)
{
	struct sc_blas c = random_call(SC_BLAS_DOT);
	struct sc_blas_scalars device = {SC_SCALAR_UNKNOWN, SC_SCALAR_UNKNOWN, false};
	struct sc_blas_operand result = operand(12000, 1, 0);

	c.alpha = c.beta = NULL;
	c.a = operand(0, 1, 0);
	c.b = operand(4000, 1, 0);
	c.result = space + 12000;
	memset(wanted, 0, sizeof(wanted));
	mark_vectors(&c);
	assert_int_equal(describe(&c, &ordinary), SC_KNOWN_EXACT);
	assert_memory_equal(found, wanted, SPACE);
	mark(&result, 0, SC_WRITE);
	assert_int_equal(describe(&c, &device), SC_KNOWN_EXACT);
	assert_memory_equal(found, wanted, SPACE);
}

static struct sc_blas product(void)
{
	return (struct sc_blas){.form = SC_BLAS_GEMM,
				.m = 4,
				.n = 4,
				.k = 4,
				.a = operand(0, 4, 0),
				.b = operand(4000, 4, 0),
				.c = operand(8000, 4, 0),
				.alpha = space + 12000,
				.beta = space + 12000,
				.scalar = SC_TYPE_R_32F};
}

/* Where a library may leave operands alone, they are an upper bound. */
TEST(scalars)
{
	struct sc_blas c = product(), scal = product();
	struct sc_blas_scalars s = ordinary;

	s.alpha = SC_SCALAR_ZERO;
	assert_int_equal(describe(&c, &s), SC_KNOWN_OVER);
	s = (struct sc_blas_scalars){SC_SCALAR_UNKNOWN, SC_SCALAR_UNKNOWN, false};
	assert_int_equal(describe(&c, &s), SC_KNOWN_OVER);
	assert_int_equal(found[12000], SC_READ); /* alpha */
	c.k = 0;
	assert_int_equal(describe(&c, &ordinary), SC_KNOWN_OVER);
	scal.form = SC_BLAS_SCAL;
	scal.c.ld = 1;
	s = ordinary;
	s.alpha = SC_SCALAR_ONE;
	assert_int_equal(describe(&scal, &s), SC_KNOWN_OVER);
}

/* What makes no sense, or is empty, says nothing. */
TEST(senseless)
{
	struct sc_blas bad[] = {product(), product(), product(), product(), product(),
				product(), product(), product(), product(), product()};

	bad[0].m = -1;
	bad[1].a.ld = 3;
	bad[2].b.type = SC_TYPE_UNKNOWN;
	bad[3].operation[0] = 3;
	bad[4].c.at = NULL;
	bad[5].m = bad[5].a.ld = bad[5].c.ld = INT64_MAX / 2;
	bad[6].batches = -1;
	bad[7].batches = 2;
	bad[7].c.stride = -16;
	bad[8].n = 0;
	bad[9].batches = INT64_MAX;
	bad[9].a.stride = INT64_MAX / 4;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(describe(&bad[i], &ordinary), -1);
	bad[0] = product();
	bad[0].form = SC_BLAS_AXPY;
	bad[0].a.ld = -1;
	assert_int_equal(describe(&bad[0], &ordinary), -1);
}

TEST(values)
{
	const float floats[] = {0, -0.0f, 1, 2}, complex[] = {1, 0}, imaginary[] = {0, 1};
	const double doubles[] = {0, -0.0, 1, 1e-300};
	const uint16_t halves[] = {0, 0x8000, 0x3c00, 1};
	const int32_t integers[] = {0, 0, 1, 0x3f800000};
	static const enum sc_scalar is[] = {SC_SCALAR_ZERO, SC_SCALAR_ZERO, SC_SCALAR_ONE,
					    SC_SCALAR_OTHER};

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(sc_operand_scalar(SC_TYPE_R_32F, &floats[i]), is[i]);
		assert_int_equal(sc_operand_scalar(SC_TYPE_R_64F, &doubles[i]), is[i]);
		assert_int_equal(sc_operand_scalar(SC_TYPE_R_16F, &halves[i]), is[i]);
		assert_int_equal(sc_operand_scalar(SC_TYPE_R_32I, &integers[i]), is[i]);
	}
	assert_int_equal(sc_operand_scalar(SC_TYPE_C_32F, complex), SC_SCALAR_ONE);
	assert_int_equal(sc_operand_scalar(SC_TYPE_C_32F, imaginary), SC_SCALAR_OTHER);
	assert_int_equal(sc_operand_scalar(SC_TYPE_R_8I, integers), SC_SCALAR_UNKNOWN);
	assert_int_equal(sc_operand_scalar_type(68, SC_TYPE_R_16BF), SC_TYPE_R_32F);
	assert_int_equal(sc_operand_scalar_type(68, SC_TYPE_C_32F), SC_TYPE_C_32F);
	assert_int_equal(sc_operand_scalar_type(5, SC_TYPE_R_32F), SC_TYPE_UNKNOWN);
}

/* ---- collectives ---- */

static int bytes_of(enum sc_share sends, enum sc_share receives, int rank, uint64_t out[2])
{
	struct sc_collective c = {.sends = sends,
				  .receives = receives,
				  .send = space,
				  .receive = space + 4000,
				  .count = 10,
				  .type = 7,
				  .root = 1,
				  .rank = rank,
				  .ranks = 4};
	struct sc_access list[2];
	int n = sc_collective_bytes(&c, list);

	out[0] = out[1] = 0;
	for (int i = 0; i < n; i++)
		out[list[i].mode == SC_WRITE] = list[i].width;
	return n;
}

static void assert_bytes(enum sc_share sends, enum sc_share receives, int rank, uint64_t sent,
			 uint64_t received)
{
	uint64_t bytes[2];

	assert_int_equal(bytes_of(sends, receives, rank, bytes), (sent > 0) + (received > 0));
	assert_int_equal(bytes[0], sent);
	assert_int_equal(bytes[1], received);
}

TEST(collectives)
{
	assert_bytes(SC_SHARE_ALL, SC_SHARE_ALL, 0, 40, 40);   /* all reduce */
	assert_bytes(SC_SHARE_EACH, SC_SHARE_ALL, 0, 160, 40); /* reduce scatter */
	assert_bytes(SC_SHARE_ALL, SC_SHARE_EACH, 1, 40, 160); /* all gather */
	assert_bytes(SC_SHARE_ALL, SC_SHARE_ROOT, 0, 40, 0);   /* reduce */
	assert_bytes(SC_SHARE_ALL, SC_SHARE_ROOT, 1, 40, 40);
	assert_bytes(SC_SHARE_ROOT, SC_SHARE_ALL, 0, 0, 40); /* broadcast */
	assert_bytes(SC_SHARE_ROOT, SC_SHARE_ALL, 1, 40, 40);
	assert_bytes(SC_SHARE_ROOT, SC_SHARE_OTHERS, 1, 40, 0); /* in place */
	assert_bytes(SC_SHARE_ROOT, SC_SHARE_OTHERS, 2, 0, 40);
	assert_bytes(SC_SHARE_NONE, SC_SHARE_ALL, 0, 0, 40);
	assert_bytes(SC_SHARE_EACH, SC_SHARE_EACH, 0, 160, 160);  /* all to all */
	assert_bytes(SC_SHARE_ALL, SC_SHARE_ROOT_EACH, 0, 40, 0); /* gather */
	assert_bytes(SC_SHARE_ALL, SC_SHARE_ROOT_EACH, 1, 40, 160);
	assert_bytes(SC_SHARE_ROOT_EACH, SC_SHARE_ALL, 0, 0, 40); /* scatter */
	assert_bytes(SC_SHARE_ROOT_EACH, SC_SHARE_ALL, 1, 160, 40);
}

TEST(senseless_collectives)
{
	struct sc_collective c = {.sends = SC_SHARE_EACH, .send = space, .count = 10, .type = 7};
	struct sc_access list[2];

	c.ranks = 4;
	assert_int_equal(sc_collective_bytes(&c, list), 1);
	c.ranks = 0;
	assert_int_equal(sc_collective_bytes(&c, list), -1);
	c.ranks = 4;
	c.type = 12;
	assert_int_equal(sc_collective_bytes(&c, list), -1);
	c.type = 7;
	c.count = SIZE_MAX / 8;
	assert_int_equal(sc_collective_bytes(&c, list), -1);
}
