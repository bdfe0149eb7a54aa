/* Solvers: the operands of cuSOLVER's functions on dense matrices. */
#include "extensions/agents/operands/solver.h"

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* So many rows and columns at an operand, in each of the batches. */
static void add(struct sc_operand_list *l, const struct sc_solver *c,
		const struct sc_blas_operand *o, int64_t rows, int64_t columns, uint8_t mode,
		uint8_t known)
{
	struct sc_matrix m = {.at = o->at,
			      .rows = rows,
			      .columns = columns,
			      .ld = o->ld,
			      .stride = o->stride,
			      .batches = c->batches,
			      .type = o->type};

	sc_operand_list_add(l, &m, mode, known);
}

/* `count` numbers that follow each other, in each of the batches. */
static void add_values(struct sc_operand_list *l, const struct sc_solver *c, int64_t count,
		       uint8_t mode, uint8_t known)
{
	add(l, c, &c->values, count, 1, mode, known);
}

/* All of a is read, and some of it is written; of a single row nothing need be. */
static void add_factored(struct sc_operand_list *l, const struct sc_solver *c, int64_t rows,
			 int64_t columns)
{
	add(l, c, &c->a, rows, columns, SC_READ, rows > 1 ? SC_KNOWN_EXACT : SC_KNOWN_OVER);
	add(l, c, &c->a, rows, columns, SC_WRITE, SC_KNOWN_OVER);
}

/* Of a triangle the first element belongs to either half. */
static void add_triangle(struct sc_operand_list *l, const struct sc_solver *c, uint8_t mode)
{
	add(l, c, &c->a, 1, 1, SC_READ, SC_KNOWN_EXACT);
	add(l, c, &c->a, c->n, c->n, mode, SC_KNOWN_OVER);
}

/* ---- what the forms do ---- */

static void lu(const struct sc_solver *c, struct sc_operand_list *l)
{
	add_factored(l, c, c->m, c->n);
	if (c->values.at) /* else there is no pivoting */
		add_values(l, c, least(c->m, c->n), SC_WRITE, SC_KNOWN_EXACT);
}

static void lu_solve(const struct sc_solver *c, struct sc_operand_list *l)
{
	add(l, c, &c->a, c->n, c->n, SC_READ, SC_KNOWN_EXACT);
	add(l, c, &c->b, c->n, c->k, SC_READ_WRITE, SC_KNOWN_EXACT);
	if (c->values.at)
		add_values(l, c, c->n, SC_READ, SC_KNOWN_EXACT);
}

static void cholesky_solve(const struct sc_solver *c, struct sc_operand_list *l)
{
	add_triangle(l, c, SC_READ);
	add(l, c, &c->b, c->n, c->k, SC_READ_WRITE, SC_KNOWN_EXACT);
}

/* With which element pivoting begins depends on the triangle. */
static void symmetric(const struct sc_solver *c, struct sc_operand_list *l)
{
	add(l, c, &c->a, c->n, c->n, SC_READ_WRITE, SC_KNOWN_OVER);
	if (c->values.at)
		add_values(l, c, c->n, SC_WRITE, SC_KNOWN_OVER);
}

static void symmetric_solve(const struct sc_solver *c, struct sc_operand_list *l)
{
	add(l, c, &c->a, c->n, c->n, SC_READ, SC_KNOWN_OVER);
	add(l, c, &c->b, c->n, c->k, SC_READ_WRITE, SC_KNOWN_EXACT);
	if (c->values.at)
		add_values(l, c, c->n, SC_READ, SC_KNOWN_OVER);
}

static void qr(const struct sc_solver *c, struct sc_operand_list *l)
{
	add_factored(l, c, c->m, c->n);
	add_values(l, c, least(c->m, c->n), SC_WRITE, SC_KNOWN_OVER);
}

/* Reflections lie below the diagonal of the first k columns. */
static void qr_make(const struct sc_solver *c, struct sc_operand_list *l)
{
	add(l, c, &c->a, c->m, c->k, SC_READ, SC_KNOWN_OVER);
	add(l, c, &c->a, c->m, c->n, SC_WRITE, SC_KNOWN_EXACT);
	add_values(l, c, c->k, SC_READ, SC_KNOWN_EXACT);
}

static void qr_apply(const struct sc_solver *c, struct sc_operand_list *l)
{
	bool is_left = c->side == SC_VENDOR_LEFT;
	int64_t order = is_left ? c->m : c->n;

	l->is_unknown |= !is_left && c->side != SC_VENDOR_RIGHT;
	add(l, c, &c->a, order, c->k, SC_READ, SC_KNOWN_OVER);
	add_values(l, c, c->k, SC_READ, SC_KNOWN_EXACT);
	/* a reflection of one element may be the identity */
	add(l, c, &c->b, c->m, c->n, SC_READ_WRITE,
	    c->k && order > 1 ? SC_KNOWN_EXACT : SC_KNOWN_OVER);
}

static void eigen(const struct sc_solver *c, struct sc_operand_list *l)
{
	bool has_vectors = c->vectors == SC_SOLVER_VECTORS;

	l->is_unknown |= !has_vectors && c->vectors != SC_SOLVER_WITHOUT;
	add_triangle(l, c, SC_READ_WRITE);
	if (has_vectors)
		add(l, c, &c->a, c->n, c->n, SC_WRITE, SC_KNOWN_EXACT);
	add_values(l, c, c->n, SC_WRITE, SC_KNOWN_EXACT);
}

/* Eigenvalues are complex: of real matrices they may be given as two lists of real numbers. */
static void general_eigen(const struct sc_solver *c, struct sc_operand_list *l)
{
	bool are_known = c->left >= 0 && c->left <= SC_SOLVER_VECTORS && c->right >= 0 &&
			 c->right <= SC_SOLVER_VECTORS;
	bool are_pairs = c->values.type == SC_TYPE_R_32F || c->values.type == SC_TYPE_R_64F;

	l->is_unknown |= !are_known;
	add_factored(l, c, c->n, c->n);
	add_values(l, c, are_pairs ? sc_solver_area(2, c->n) : c->n, SC_WRITE, SC_KNOWN_OVER);
	if (c->left)
		add(l, c, &c->u, c->n, c->n, SC_READ_WRITE, SC_KNOWN_OVER);
	if (c->right)
		add(l, c, &c->v, c->n, c->n, SC_READ_WRITE, SC_KNOWN_OVER);
}

/* How many vectors a letter asks for, of so many and of the least number. */
static int64_t vectors_of(int letter, int64_t all, int64_t fewest, bool *is_known)
{
	switch (letter) {
	case SC_SOLVER_ALL: return all;
	case SC_SOLVER_LEAST: return fewest;
	case SC_SOLVER_NONE:
	case SC_SOLVER_OVER: return 0;
	default: *is_known = false; return 0;
	}
}

static void svd(const struct sc_solver *c, struct sc_operand_list *l)
{
	int64_t fewest = c->value_count ? c->value_count : least(c->m, c->n);
	bool is_known = true;
	int64_t left = vectors_of(c->left, c->m, fewest, &is_known);
	int64_t right = vectors_of(c->right, c->n, fewest, &is_known);

	l->is_unknown |= !is_known;
	add(l, c, &c->a, c->m, c->n, SC_READ, SC_KNOWN_EXACT);
	if (!c->a_is_kept)
		add(l, c, &c->a, c->m, c->n, SC_WRITE, SC_KNOWN_OVER);
	add_values(l, c, fewest, SC_WRITE, SC_KNOWN_EXACT);
	if (left)
		add(l, c, &c->u, c->m, left, SC_WRITE, SC_KNOWN_EXACT);
	if (right)
		add(l, c, &c->v, c->v_is_transposed ? right : c->n,
		    c->v_is_transposed ? c->n : right, SC_WRITE, SC_KNOWN_EXACT);
}

static void describe(const struct sc_solver *c, struct sc_operand_list *l)
{
	switch (c->form) {
	case SC_SOLVER_LU: lu(c, l); break;
	case SC_SOLVER_LU_SOLVE: lu_solve(c, l); break;
	case SC_SOLVER_CHOLESKY: add_triangle(l, c, SC_READ_WRITE); break;
	case SC_SOLVER_CHOLESKY_SOLVE: cholesky_solve(c, l); break;
	case SC_SOLVER_SYMMETRIC: symmetric(c, l); break;
	case SC_SOLVER_SYMMETRIC_SOLVE: symmetric_solve(c, l); break;
	case SC_SOLVER_QR: qr(c, l); break;
	case SC_SOLVER_QR_MAKE: qr_make(c, l); break;
	case SC_SOLVER_QR_APPLY: qr_apply(c, l); break;
	case SC_SOLVER_EIGEN: eigen(c, l); break;
	case SC_SOLVER_GENERAL_EIGEN: general_eigen(c, l); break;
	case SC_SOLVER_SVD: svd(c, l); break;
	}
}

/* ---- public ---- */

int sc_solver_letter(int vectors, int economic)
{
	switch (vectors) {
	case SC_SOLVER_WITHOUT: return SC_SOLVER_NONE;
	case SC_SOLVER_VECTORS: return economic ? SC_SOLVER_LEAST : SC_SOLVER_ALL;
	default: return 0;
	}
}

void sc_solver_describe(const struct sc_solver *call, struct sc_operand_list *out)
{
	uint64_t matrices = call->batches > 1 ? (uint64_t)call->batches : 1;

	*out = (struct sc_operand_list){
		.is_unknown = call->batches < 0 || call->scratch.bytes < 0 || call->more.bytes < 0};
	describe(call, out);
	sc_operand_list_add_bytes(out, call->scratch.at, (uint64_t)call->scratch.bytes,
				  SC_READ_WRITE, SC_KNOWN_OVER);
	sc_operand_list_add_bytes(out, call->more.at, (uint64_t)call->more.bytes, SC_READ_WRITE,
				  SC_KNOWN_OVER);
	sc_operand_list_add_bytes(out, call->info, matrices * sizeof(int), SC_WRITE, SC_KNOWN_OVER);
}
