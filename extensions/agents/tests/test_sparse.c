/* Operands of cuSPARSE against their naive form: loops over the elements of random patterns, which
 * mark each byte that they read and write. */
#include <stdbool.h>
#include "tests/unit/unit.h"
#include "extensions/agents/operands/sparse.h"
#include "extensions/agents/tests/paint.h"
#include "tests/unit/pick.h"

#define ROUNDS 400
#define EDGE   12
#define FLOAT  4

static void *const offsets = space, *const indices = space + 4096, *const values = space + 8192,
		   *const first = space + 16384, *const second = space + 32768,
		   *const buffer = space + 49152;

/* A random pattern: which elements there are. */
static struct {
	int64_t rows, columns, count;
	int64_t row[EDGE * EDGE], column[EDGE * EDGE];
	unsigned index; /* bytes of one */
} pattern;

static const int formats[] = {SC_SPARSE_CSR, SC_SPARSE_CSC, SC_SPARSE_COO};

static void make_pattern(bool by_rows)
{
	pattern.rows = 1 + pick(EDGE);
	pattern.columns = 1 + pick(EDGE);
	pattern.count = 0;
	pattern.index = pick(2) ? 4 : 8;
	for (int64_t i = 0; i < (by_rows ? pattern.rows : pattern.columns); i++)
		for (int64_t j = 0; j < (by_rows ? pattern.columns : pattern.rows); j++) {
			if (pick(3))
				continue;
			pattern.row[pattern.count] = by_rows ? i : j;
			pattern.column[pattern.count++] = by_rows ? j : i;
		}
}

static struct sc_sparse_matrix matrix(int format)
{
	int type = sc_sparse_index_type(pattern.index == 4 ? SC_INDEX_32I : SC_INDEX_64I);
	struct sc_sparse_matrix m = {.format = format,
				     .offsets = {offsets, pattern.count, type},
				     .indices = {indices, pattern.count, type},
				     .values = {values, pattern.count, SC_TYPE_R_32F}};

	if (format == SC_SPARSE_CSR)
		m.offsets.count = pattern.rows + 1;
	if (format == SC_SPARSE_CSC)
		m.offsets.count = pattern.columns + 1;
	return m;
}

static struct sc_sparse random_call(enum sc_sparse_form form)
{
	int format = formats[pick(3)];
	struct sc_sparse call = {.form = form, .alpha = SC_SCALAR_OTHER};

	make_pattern(format != SC_SPARSE_CSC);
	call.sparse = matrix(format);
	call.operation = (int)pick(3);
	call.beta = (enum sc_scalar)pick(3);
	return call;
}

static struct sc_matrix vector(void *at, int64_t count)
{
	return (struct sc_matrix){.at = at, .rows = count, .columns = 1, .type = SC_TYPE_R_32F};
}

static void said(const struct sc_sparse *call)
{
	struct sc_operand_list list;

	sc_sparse_describe(call, &list);
	assert_false(list.is_unknown);
	for (unsigned i = 0; i < list.count; i++)
		paint(&list.access[i]);
}

/* Reads of the pattern and of the values of all elements. */
static void read_sparse(const struct sc_sparse *call)
{
	const struct sc_sparse_matrix *m = &call->sparse;

	for (int64_t i = 0; m->format != SC_SPARSE_VECTOR && i < m->offsets.count; i++)
		touch(offsets, i, pattern.index, SC_READ);
	for (int64_t i = 0; i < pattern.count; i++) {
		touch(indices, i, pattern.index, SC_READ);
		if (call->form != SC_SPARSE_SAMPLE && call->form != SC_SPARSE_GATHER)
			touch(values, i, FLOAT, SC_READ);
	}
}

static uint8_t mode_of(enum sc_scalar beta)
{
	return beta == SC_SCALAR_ZERO ? SC_WRITE : SC_READ_WRITE;
}

/* Results one by one if the format has them so; else all are multiplied by beta, unless that is 1,
 * and then each element of the pattern is added to one. */
static void multiply(const struct sc_sparse *call, int64_t columns, int64_t ld)
{
	bool is_plain = call->operation == SC_VENDOR_PLAIN;
	int64_t results = is_plain ? pattern.rows : pattern.columns;

	read_sparse(call);
	for (int64_t j = 0; j < columns; j++) {
		for (int64_t i = 0; i < results && call->beta != SC_SCALAR_ONE; i++)
			touch(second, i + j * ld, FLOAT, mode_of(call->beta));
		for (int64_t e = 0; e < pattern.count; e++) {
			int64_t from = is_plain ? pattern.column[e] : pattern.row[e];
			int64_t to = is_plain ? pattern.row[e] : pattern.column[e];

			touch(first, from + j * ld, FLOAT, SC_READ);
			touch(second, to + j * ld, FLOAT, mode_of(call->beta));
		}
	}
}

TEST(vector_product)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_sparse call = random_call(SC_SPARSE_MULTIPLY);
		bool is_plain = call.operation == SC_VENDOR_PLAIN;

		call.dense[0] = vector(first, is_plain ? pattern.columns : pattern.rows);
		call.dense[1] = vector(second, is_plain ? pattern.rows : pattern.columns);
		call.is_prepared = pick(4) == 0;
		paint_clear();
		said(&call);
		multiply(&call, 1, 0);
		assert_said((unsigned)pattern.count * FLOAT);
	}
}

TEST(matrix_product)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_sparse call = random_call(SC_SPARSE_MULTIPLY);
		bool is_plain = call.operation == SC_VENDOR_PLAIN;
		int64_t columns = 1 + pick(5), ld = EDGE + pick(4);

		call.dense[0] = vector(first, is_plain ? pattern.columns : pattern.rows);
		call.dense[1] = vector(second, is_plain ? pattern.rows : pattern.columns);
		for (unsigned i = 0; i < 2; i++) {
			call.dense[i].columns = columns;
			call.dense[i].ld = ld;
		}
		paint_clear();
		said(&call);
		multiply(&call, columns, ld);
		assert_said((unsigned)pattern.count * FLOAT);
	}
}

/* By rows, and of another factor than 1, all results are certain. */
TEST(certain_results)
{
	struct sc_sparse call = {
		.form = SC_SPARSE_MULTIPLY, .alpha = SC_SCALAR_ONE, .beta = SC_SCALAR_ZERO};

	make_pattern(true);
	call.sparse = matrix(SC_SPARSE_CSR);
	call.dense[0] = vector(first, pattern.columns);
	call.dense[1] = vector(second, pattern.rows);
	paint_clear();
	said(&call);
	for (int64_t i = 0; i < pattern.rows * FLOAT; i++)
		assert_int_equal(exact[(char *)second - space + i], SC_WRITE);
}

TEST(sampled_product)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_sparse call = random_call(SC_SPARSE_SAMPLE);
		int64_t depth = 1 + pick(4);

		call.dense[0] = vector(first, pattern.rows * depth);
		call.dense[1] = vector(second, pattern.columns * depth);
		paint_clear();
		said(&call);
		read_sparse(&call);
		for (int64_t e = 0; e < pattern.count; e++) {
			for (int64_t k = 0; k < depth; k++) {
				touch(first, pattern.row[e] * depth + k, FLOAT, SC_READ);
				touch(second, pattern.column[e] * depth + k, FLOAT, SC_READ);
			}
			touch(values, e, FLOAT, mode_of(call.beta));
		}
		assert_said((unsigned)pattern.count * FLOAT);
	}
}

/* What was analyzed may be kept, so that solving reads none of the matrix. */
TEST(solved)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_sparse call = random_call(SC_SPARSE_SOLVE);

		call.beta = SC_SCALAR_ZERO;
		call.dense[0] = vector(first, pattern.rows);
		call.dense[1] = vector(second, pattern.rows);
		call.buffer.at = buffer;
		call.buffer.bytes = 100;
		paint_clear();
		said(&call);
		if (pick(2))
			read_sparse(&call);
		touch(buffer, 0, 100, SC_READ_WRITE);
		for (int64_t i = 0; i < pattern.rows; i++) {
			touch(first, i, FLOAT, SC_READ);
			touch(second, i, FLOAT, pick(2) ? SC_WRITE : SC_READ_WRITE);
		}
		assert_said(2 * (unsigned)pattern.rows * FLOAT);
	}
}

static void use_elements(const struct sc_sparse *call)
{
	read_sparse(call);
	for (int64_t e = 0; e < pattern.count; e++) {
		int64_t at = pattern.column[e];

		switch (call->form) {
		case SC_SPARSE_GATHER:
			touch(first, at, FLOAT, SC_READ);
			touch(values, e, FLOAT, SC_WRITE);
			break;
		case SC_SPARSE_SCATTER: touch(second, at, FLOAT, SC_WRITE); break;
		case SC_SPARSE_DOT: touch(first, at, FLOAT, SC_READ); break;
		default: touch(second, at, FLOAT, mode_of(call->beta)); break;
		}
	}
}

TEST(vectors)
{
	static const enum sc_sparse_form forms[] = {SC_SPARSE_ADD, SC_SPARSE_GATHER,
						    SC_SPARSE_SCATTER, SC_SPARSE_DOT};

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_sparse call = random_call(forms[round % 4]);

		call.sparse.format = SC_SPARSE_VECTOR;
		call.operation = SC_VENDOR_PLAIN;
		call.dense[call.form == SC_SPARSE_ADD || call.form == SC_SPARSE_SCATTER] =
			vector(call.form == SC_SPARSE_ADD || call.form == SC_SPARSE_SCATTER ? second
											    : first,
			       pattern.columns);
		call.dense[0].type = call.dense[1].type = SC_TYPE_R_32F;
		call.result = round % 8 < 4 ? NULL : buffer;
		call.scalar = SC_TYPE_R_64F;
		paint_clear();
		said(&call);
		use_elements(&call);
		if (call.form == SC_SPARSE_ADD && call.beta != SC_SCALAR_ONE)
			for (int64_t i = 0; i < pattern.columns; i++)
				touch(second, i, FLOAT, mode_of(call.beta));
		if (call.form == SC_SPARSE_DOT && call.result)
			touch(buffer, 0, 8, SC_WRITE);
		assert_said((unsigned)pattern.count * FLOAT);
	}
}

TEST(converted)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_sparse call = {
			.form = SC_SPARSE_CONVERT, .alpha = SC_SCALAR_ONE, .beta = SC_SCALAR_ZERO};

		make_pattern(true);
		call.sparse = matrix(SC_SPARSE_CSR);
		call.other = matrix(SC_SPARSE_CSC);
		call.other.offsets.at = first;
		call.other.indices.at = second;
		call.other.values.at = buffer;
		paint_clear();
		said(&call);
		read_sparse(&call);
		for (int64_t i = 0; i <= pattern.columns; i++)
			touch(first, i, pattern.index, SC_WRITE);
		for (int64_t e = 0; e < pattern.count; e++) {
			touch(second, e, pattern.index, SC_WRITE);
			touch(buffer, e, FLOAT, SC_WRITE);
		}
		assert_said(2 * (unsigned)pattern.count * FLOAT);
	}
}

/* A product of no columns reads nothing. */
TEST(empty)
{
	struct sc_sparse call = random_call(SC_SPARSE_MULTIPLY);

	call.dense[0] = vector(first, pattern.columns);
	call.dense[1] = vector(second, pattern.rows);
	call.dense[0].columns = call.dense[1].columns = 0;
	paint_clear();
	said(&call);
	assert_said(0);
}

/* A factor that is 0, or is not known, leaves all in doubt. */
TEST(doubt)
{
	struct sc_sparse call = random_call(SC_SPARSE_MULTIPLY);

	call.alpha = SC_SCALAR_ZERO;
	call.dense[0] = call.dense[1] = vector(first, EDGE);
	paint_clear();
	said(&call);
	for (unsigned i = 0; i < PAINT_SPACE; i++)
		assert_int_equal(exact[i], 0);
}

TEST(unknown)
{
	struct sc_sparse good = {.form = SC_SPARSE_MULTIPLY, .alpha = SC_SCALAR_ONE}, call;
	struct sc_operand_list list;

	make_pattern(true);
	good.sparse = matrix(SC_SPARSE_CSR);
	good.dense[0] = vector(first, pattern.columns);
	good.dense[1] = vector(second, pattern.rows);
	for (unsigned i = 0; i < 6; i++) {
		call = good;
		if (i == 0)
			call.sparse.values.type = 77;
		if (i == 1)
			call.sparse.indices.type = sc_sparse_index_type(9);
		if (i == 2)
			call.sparse.offsets.count = -1;
		if (i == 3)
			call.operation = 3;
		if (i == 4)
			call.dense[1].at = NULL;
		if (i == 5)
			call.sparse.values.count = INT64_MAX / 2;
		sc_sparse_describe(&call, &list);
		assert_true(list.is_unknown);
	}
}
