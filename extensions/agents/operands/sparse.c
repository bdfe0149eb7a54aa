/* Sparse: descriptors of cuSPARSE become operands. */
#include "extensions/agents/operands/sparse.h"

int sc_sparse_index_type(int index)
{
	switch (index) {
	case SC_INDEX_16U: return SC_TYPE_R_16U;
	case SC_INDEX_32I: return SC_TYPE_R_32I;
	case SC_INDEX_64I: return SC_TYPE_R_64I;
	default: return SC_TYPE_UNKNOWN;
	}
}

/* A call that is being described. */
struct work {
	const struct sc_sparse *call;
	struct sc_operand_list *list;
	uint8_t sure;	 /* how values are known: exactly unless alpha is 0 or not known */
	uint8_t pattern; /* how the pattern is known */
};

static void add_array(struct work *w, const struct sc_sparse_array *a, uint8_t mode, uint8_t known)
{
	struct sc_matrix m = {.at = a->at, .rows = a->count, .columns = 1, .type = a->type};

	sc_operand_list_add(w->list, &m, mode, known);
}

/* The first offset is 0 and the last one the number of elements, so that kernels leave them out (of
 * conversions, and now and then of products: seen on an H100). */
static void add_pattern(struct work *w, uint8_t mode, uint8_t known)
{
	const struct sc_sparse_matrix *s = &w->call->sparse;

	if (s->format == SC_SPARSE_CSR || s->format == SC_SPARSE_CSC)
		add_array(w, &s->offsets, mode, SC_KNOWN_OVER);
	else if (s->format != SC_SPARSE_VECTOR && s->format != SC_SPARSE_BLOCKED_ELL)
		add_array(w, &s->offsets, mode, known);
	add_array(w, &s->indices, mode, known);
}

/* Blocks that are missing have an index below 0, and values that nobody reads. */
static void add_values(struct work *w, uint8_t mode, uint8_t known)
{
	const struct sc_sparse_matrix *s = &w->call->sparse;

	add_array(w, &s->values, mode, s->format == SC_SPARSE_BLOCKED_ELL ? SC_KNOWN_OVER : known);
}

static void add_dense(struct work *w, unsigned which, uint8_t mode, uint8_t known)
{
	sc_operand_list_add(w->list, &w->call->dense[which], mode, known);
}

static void add_sparse(struct work *w, uint8_t mode, uint8_t known)
{
	add_pattern(w, mode, known);
	add_values(w, mode, known);
}

/* Whether results are worked out one by one. Else elements are added to them where the pattern has
 * some, after all were multiplied by beta, which is left out for 1. */
static bool is_by_results(const struct sc_sparse *c)
{
	switch (c->sparse.format) {
	case SC_SPARSE_CSR:
	case SC_SPARSE_BLOCKED_ELL: return c->operation == SC_VENDOR_PLAIN;
	case SC_SPARSE_CSC: return c->operation != SC_VENDOR_PLAIN;
	default: return false;
	}
}

/* What is written by a function that adds to its result. */
static uint8_t result_mode(const struct sc_sparse *c)
{
	return c->beta == SC_SCALAR_ZERO ? SC_WRITE : SC_READ_WRITE;
}

/* ---- what the forms do ---- */

static void multiply(struct work *w)
{
	const struct sc_sparse *c = w->call;
	bool is_whole = is_by_results(c) && c->beta != SC_SCALAR_ONE;

	add_pattern(w, SC_READ, w->pattern);
	add_values(w, SC_READ, w->sure);
	add_dense(w, 0, SC_READ, SC_KNOWN_OVER);
	add_dense(w, 1, result_mode(c), is_whole ? w->sure : SC_KNOWN_OVER);
}

static void sample(struct work *w)
{
	add_pattern(w, SC_READ, w->pattern);
	add_dense(w, 0, SC_READ, SC_KNOWN_OVER);
	add_dense(w, 1, SC_READ, SC_KNOWN_OVER);
	add_values(w, result_mode(w->call), w->sure);
}

/* A solver may have kept the values, too. */
static void solve(struct work *w)
{
	add_sparse(w, SC_READ, SC_KNOWN_OVER);
	add_dense(w, 0, SC_READ, w->sure);
	add_dense(w, 1, SC_READ_WRITE, SC_KNOWN_OVER);
	add_dense(w, 1, SC_WRITE, w->sure);
}

static void add(struct work *w)
{
	const struct sc_sparse *c = w->call;

	add_pattern(w, SC_READ, w->pattern);
	add_values(w, SC_READ, w->sure);
	add_dense(w, 1, result_mode(c), c->beta == SC_SCALAR_OTHER ? w->sure : SC_KNOWN_OVER);
}

static void convert(struct work *w)
{
	const struct sc_sparse_matrix *o = &w->call->other;

	add_sparse(w, SC_READ, SC_KNOWN_EXACT);
	add_array(w, &o->offsets, SC_WRITE, SC_KNOWN_EXACT);
	add_array(w, &o->indices, SC_WRITE, SC_KNOWN_EXACT);
	add_array(w, &o->values, SC_WRITE, SC_KNOWN_EXACT);
}

static void dot(struct work *w)
{
	const struct sc_sparse *c = w->call;

	add_sparse(w, SC_READ, SC_KNOWN_EXACT);
	add_dense(w, 0, SC_READ, SC_KNOWN_OVER);
	sc_operand_list_add_bytes(w->list, c->result, sc_operand_element(c->scalar), SC_WRITE,
				  SC_KNOWN_EXACT);
}

static void describe(struct work *w)
{
	switch (w->call->form) {
	case SC_SPARSE_MULTIPLY: multiply(w); break;
	case SC_SPARSE_SAMPLE: sample(w); break;
	case SC_SPARSE_PREPARE: add_sparse(w, SC_READ, SC_KNOWN_OVER); break;
	case SC_SPARSE_SOLVE: solve(w); break;
	case SC_SPARSE_EXPAND:
		add_sparse(w, SC_READ, SC_KNOWN_EXACT);
		add_dense(w, 0, SC_WRITE, SC_KNOWN_OVER);
		break;
	case SC_SPARSE_COUNT:
		add_dense(w, 0, SC_READ, SC_KNOWN_EXACT);
		add_array(w, &w->call->sparse.offsets, SC_READ_WRITE, SC_KNOWN_OVER);
		break;
	case SC_SPARSE_COLLECT:
		add_dense(w, 0, SC_READ, SC_KNOWN_OVER);
		add_sparse(w, SC_READ_WRITE, SC_KNOWN_OVER);
		break;
	case SC_SPARSE_ADD: add(w); break;
	case SC_SPARSE_GATHER:
		add_pattern(w, SC_READ, SC_KNOWN_EXACT);
		add_dense(w, 0, SC_READ, SC_KNOWN_OVER);
		add_values(w, SC_WRITE, SC_KNOWN_EXACT);
		break;
	case SC_SPARSE_SCATTER:
		add_sparse(w, SC_READ, SC_KNOWN_EXACT);
		add_dense(w, 1, SC_WRITE, SC_KNOWN_OVER);
		break;
	case SC_SPARSE_CONVERT: convert(w); break;
	case SC_SPARSE_DOT: dot(w); break;
	}
}

/* A product of no columns, or sums of no depth. */
static bool has_nothing_to_do(const struct sc_sparse *c)
{
	bool is_product = c->form == SC_SPARSE_MULTIPLY || c->form == SC_SPARSE_SAMPLE ||
			  c->form == SC_SPARSE_SOLVE;

	return is_product && (!c->dense[0].rows || !c->dense[0].columns || !c->dense[1].rows ||
			      !c->dense[1].columns);
}

void sc_sparse_describe(const struct sc_sparse *call, struct sc_operand_list *out)
{
	bool is_sure = (call->alpha == SC_SCALAR_OTHER || call->alpha == SC_SCALAR_ONE) &&
		       call->beta != SC_SCALAR_UNKNOWN && !has_nothing_to_do(call);
	struct work w = {.call = call,
			 .list = out,
			 .sure = is_sure ? SC_KNOWN_EXACT : SC_KNOWN_OVER,
			 .pattern = is_sure && !call->is_prepared ? SC_KNOWN_EXACT : SC_KNOWN_OVER};

	*out = (struct sc_operand_list){.is_unknown = call->is_unknown};
	if (call->operation < SC_VENDOR_PLAIN || call->operation > SC_VENDOR_CONJUGATED)
		out->is_unknown = true;
	describe(&w);
	sc_operand_list_add_bytes(out, call->buffer.at, call->buffer.bytes, SC_READ_WRITE,
				  SC_KNOWN_OVER);
}
