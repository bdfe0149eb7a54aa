/* Operands of cuSOLVER against their naive form: the loops of each factorization, which mark each
 * byte that they read and write. */
#include <stdbool.h>
#include "tests/unit/unit.h"
#include "extensions/agents/operands/solver.h"
#include "extensions/agents/tests/paint.h"
#include "tests/unit/pick.h"

#define ROUNDS 300
#define EDGE   8
#define FLOAT  4

static void *const at_a = space, *const at_b = space + 8192, *const at_u = space + 16384,
		   *const at_v = space + 24576, *const at_values = space + 32768,
		   *const at_work = space + 40960, *const at_info = space + 49152;

static struct sc_blas_operand operand(void *at, int type)
{
	return (struct sc_blas_operand){.at = at, .type = type, .ld = EDGE + pick(4)};
}

static struct sc_solver random_call(enum sc_solver_form form)
{
	return (struct sc_solver){.form = form,
				  .m = 1 + pick(EDGE),
				  .n = 1 + pick(EDGE),
				  .k = 1 + pick(EDGE),
				  .a = operand(at_a, SC_TYPE_R_32F),
				  .b = operand(at_b, SC_TYPE_R_32F),
				  .u = operand(at_u, SC_TYPE_R_32F),
				  .v = operand(at_v, SC_TYPE_R_32F),
				  .values = operand(at_values, SC_TYPE_R_32F),
				  .scratch = {at_work, 100},
				  .info = at_info};
}

/* One element of a matrix of this batch. */
static void use(const struct sc_blas_operand *o, int64_t row, int64_t column, int64_t batch,
		uint8_t mode)
{
	touch(o->at, row + column * o->ld + batch * o->stride, FLOAT, mode);
}

/* Begins a check: says what the call touches, and touches what all calls do. */
static void said(const struct sc_solver *call)
{
	struct sc_operand_list list;

	paint_clear();
	sc_solver_describe(call, &list);
	assert_false(list.is_unknown);
	for (unsigned i = 0; i < list.count; i++)
		paint(&list.access[i]);
	touch(at_work, 0, 100, SC_READ_WRITE);
	for (int64_t i = 0; i < (call->batches ? call->batches : 1); i++)
		touch(at_info, i, sizeof(int), SC_WRITE);
}

static void factor_lu(const struct sc_solver *c)
{
	for (int64_t k = 0; k < c->m && k < c->n; k++) {
		int64_t pivot = k + pick((uint32_t)(c->m - k));

		for (int64_t i = k; i < c->m; i++)
			use(&c->a, i, k, 0, SC_READ);
		if (c->values.at)
			touch(c->values.at, k, FLOAT, SC_WRITE);
		for (int64_t j = 0; j < c->n && pivot != k; j++) {
			use(&c->a, k, j, 0, SC_READ_WRITE);
			use(&c->a, pivot, j, 0, SC_READ_WRITE);
		}
		for (int64_t i = k + 1; i < c->m; i++) {
			use(&c->a, i, k, 0, SC_READ_WRITE);
			for (int64_t j = k + 1; j < c->n; j++) {
				use(&c->a, k, j, 0, SC_READ);
				use(&c->a, i, j, 0, SC_READ_WRITE);
			}
		}
	}
}

TEST(lu)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver call = random_call(SC_SOLVER_LU);

		if (pick(4) == 0)
			call.values.at = NULL;
		said(&call);
		factor_lu(&call);
		assert_said(call.m > 1 ? (unsigned)(call.m * call.n) * FLOAT : 0);
	}
}

/* Both triangles, one after the other, as the factors of getrf and of potrf lie. */
TEST(solved)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool is_lu = pick(2);
		struct sc_solver call =
			random_call(is_lu ? SC_SOLVER_LU_SOLVE : SC_SOLVER_CHOLESKY_SOLVE);

		said(&call);
		for (int64_t i = 0; i < call.n; i++) {
			if (is_lu)
				touch(at_values, i, FLOAT, SC_READ);
			for (int64_t j = 0; j < call.n; j++)
				if (is_lu || j <= i)
					use(&call.a, i, j, 0, SC_READ);
			for (int64_t j = 0; j < call.k; j++)
				use(&call.b, i, j, 0, SC_READ_WRITE);
		}
		assert_said((unsigned)(call.n * call.k) * FLOAT);
	}
}

/* It ends where the matrix is not positive definite. */
TEST(cholesky)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver call = random_call(SC_SOLVER_CHOLESKY);
		int64_t end = pick((uint32_t)call.n + 1);
		bool is_lower = pick(2);

		said(&call);
		use(&call.a, 0, 0, 0, SC_READ);
		for (int64_t i = 0; i < end; i++)
			for (int64_t j = 0; j <= i; j++)
				use(&call.a, is_lower ? i : j, is_lower ? j : i, 0, SC_READ_WRITE);
		assert_said(FLOAT);
	}
}

TEST(symmetric)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool solves = pick(2);
		struct sc_solver call =
			random_call(solves ? SC_SOLVER_SYMMETRIC_SOLVE : SC_SOLVER_SYMMETRIC);

		said(&call);
		for (int64_t i = 0; i < call.n; i++) {
			touch(at_values, i, FLOAT, solves ? SC_READ : SC_WRITE);
			for (int64_t j = 0; j <= i; j++)
				use(&call.a, i, j, 0, solves ? SC_READ : SC_READ_WRITE);
			for (int64_t j = 0; j < call.k && solves; j++)
				use(&call.b, i, j, 0, SC_READ_WRITE);
		}
		assert_said(solves ? (unsigned)(call.n * call.k) * FLOAT : 0);
	}
}

TEST(qr)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver c = random_call(SC_SOLVER_QR);

		said(&c);
		for (int64_t k = 0; k < c.m && k < c.n; k++) {
			touch(at_values, k, FLOAT, SC_WRITE);
			for (int64_t j = k; j < c.n && c.m > 1; j++)
				for (int64_t i = k; i < c.m; i++)
					use(&c.a, i, j, 0, SC_READ_WRITE);
		}
		assert_said(c.m > 1 ? (unsigned)(c.m * c.n) * FLOAT : 0);
	}
}

TEST(made)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver c = random_call(SC_SOLVER_QR_MAKE);

		c.n = c.n < c.m ? c.n : c.m;
		c.k = c.k < c.n ? c.k : c.n;
		said(&c);
		for (int64_t j = 0; j < c.n; j++)
			for (int64_t i = 0; i < c.m; i++)
				use(&c.a, i, j, 0, j < c.k && i > j ? SC_READ_WRITE : SC_WRITE);
		for (int64_t k = 0; k < c.k; k++)
			touch(at_values, k, FLOAT, SC_READ);
		assert_said((unsigned)(c.m * c.n) * FLOAT);
	}
}

TEST(applied)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver c = random_call(SC_SOLVER_QR_APPLY);
		int64_t order;

		c.side = (int)pick(2);
		order = c.side == SC_VENDOR_LEFT ? c.m : c.n;
		c.k = c.k < order ? c.k : order;
		said(&c);
		for (int64_t k = 0; k < c.k; k++) {
			touch(at_values, k, FLOAT, SC_READ);
			for (int64_t i = k + 1; i < order; i++)
				use(&c.a, i, k, 0, SC_READ);
		}
		for (int64_t j = 0; j < c.n && order > 1; j++)
			for (int64_t i = 0; i < c.m; i++)
				use(&c.b, i, j, 0, SC_READ_WRITE);
		assert_said(order > 1 ? (unsigned)(c.m * c.n) * FLOAT : 0);
	}
}

/* A triangle is read, and all becomes vectors, in one matrix or in several. */
TEST(eigen)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver c = random_call(SC_SOLVER_EIGEN);
		int64_t batches;

		c.vectors = (int)pick(2);
		c.batches = pick(2) ? 0 : 1 + pick(3);
		c.a.stride = sc_solver_area(c.a.ld, c.n);
		c.values.stride = c.n;
		batches = c.batches ? c.batches : 1;
		said(&c);
		for (int64_t b = 0; b < batches; b++)
			for (int64_t i = 0; i < c.n; i++) {
				touch(at_values, b * c.n + i, FLOAT, SC_WRITE);
				for (int64_t j = 0; j <= i; j++)
					use(&c.a, i, j, b, SC_READ_WRITE);
				for (int64_t j = i; j < c.n && c.vectors; j++)
					use(&c.a, i, j, b, SC_WRITE);
			}
		assert_said((unsigned)(batches * c.n) * FLOAT);
	}
}

TEST(general_eigen)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver c = random_call(SC_SOLVER_GENERAL_EIGEN);

		c.left = (int)pick(2);
		c.right = (int)pick(2);
		said(&c);
		for (int64_t i = 0; i < 2 * c.n; i++)
			touch(at_values, i, FLOAT, SC_WRITE);
		for (int64_t j = 0; j < c.n; j++)
			for (int64_t i = 0; i < c.n && c.n > 1; i++) {
				use(&c.a, i, j, 0, SC_READ_WRITE);
				if (c.left)
					use(&c.u, i, j, 0, SC_WRITE);
				if (c.right)
					use(&c.v, i, j, 0, SC_WRITE);
			}
		assert_said(c.n > 1 ? (unsigned)(c.n * c.n) * FLOAT : 0);
	}
}

static int64_t wanted(int letter, int64_t all, int64_t fewest)
{
	return letter == SC_SOLVER_ALL ? all : letter == SC_SOLVER_LEAST ? fewest : 0;
}

static void decompose(const struct sc_solver *c, int64_t fewest, int64_t batch)
{
	for (int64_t j = 0; j < c->n; j++)
		for (int64_t i = 0; i < c->m; i++)
			use(&c->a, i, j, batch, c->a_is_kept ? SC_READ : SC_READ_WRITE);
	for (int64_t i = 0; i < fewest; i++)
		touch(at_values, i + batch * c->values.stride, FLOAT, SC_WRITE);
	for (int64_t j = 0; j < wanted(c->left, c->m, fewest); j++)
		for (int64_t i = 0; i < c->m; i++)
			use(&c->u, i, j, batch, SC_WRITE);
	for (int64_t j = 0; j < wanted(c->right, c->n, fewest); j++)
		for (int64_t i = 0; i < c->n; i++)
			use(&c->v, c->v_is_transposed ? j : i, c->v_is_transposed ? i : j, batch,
			    SC_WRITE);
}

TEST(svd)
{
	static const int letters[] = {SC_SOLVER_ALL, SC_SOLVER_LEAST, SC_SOLVER_NONE,
				      SC_SOLVER_OVER};

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sc_solver c = random_call(SC_SOLVER_SVD);
		int64_t fewest = c.m < c.n ? c.m : c.n;

		c.left = letters[pick(4)];
		c.right = letters[pick(4)];
		c.v_is_transposed = pick(2);
		if (pick(2)) {
			c.batches = 1 + pick(3);
			c.a_is_kept = true;
			c.value_count = fewest = 1 + pick((uint32_t)fewest);
			c.a.stride = c.u.stride = c.v.stride = 200;
			c.values.stride = 20;
		}
		said(&c);
		for (int64_t b = 0; b < (c.batches ? c.batches : 1); b++)
			decompose(&c, fewest, b);
		assert_said((unsigned)(c.m * c.n) * FLOAT);
	}
}

TEST(unknown)
{
	struct sc_operand_list list;

	for (unsigned i = 0; i < 8; i++) {
		struct sc_solver c = random_call(i == 0 ? SC_SOLVER_EIGEN : SC_SOLVER_SVD);

		c.left = c.right = SC_SOLVER_ALL;
		if (i == 0)
			c.vectors = 2;
		if (i == 1)
			c.left = 'X';
		if (i == 2)
			c.a.type = 99;
		if (i == 3)
			c.m = -1;
		if (i == 4)
			c.u.at = NULL;
		if (i == 5)
			c.scratch.bytes = -1;
		if (i == 6)
			c.batches = -1;
		if (i == 7)
			c.m = c.a.ld = INT64_MAX / 2;
		sc_solver_describe(&c, &list);
		assert_true(list.is_unknown);
	}
}
