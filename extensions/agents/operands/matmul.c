/* cublasLt: a product whose matrices and further operands are described by objects. */
#include <errno.h>
#include <string.h>
#include "extensions/agents/operands/blas.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/wrap.h"

/* The parameters of a call. */
struct call {
	const void *product, *alpha, *a, *a_layout, *b, *b_layout, *beta, *c, *c_layout;
	void *d;
	const void *d_layout;
	void *workspace;
	size_t workspace_bytes;
};

/* ---- questions ---- */

/* All of them: object, attribute, where to, room, bytes that were written. */
typedef int ask_fn(const void *object, int attribute, void *out, size_t room, size_t *written);

struct questions {
	ask_fn *layout, *product;
};

static bool find_questions(struct sc_library_function *function, void *real, struct questions *q)
{
	static const char *const names[SC_BESIDE] = {"cublasLtMatrixLayoutGetAttribute",
						     "cublasLtMatmulDescGetAttribute"};
	const struct sc_beside *beside = sc_function_beside(function, real, names);

	if (!beside)
		return false;
	q->layout = (ask_fn *)beside->function[0];
	q->product = (ask_fn *)beside->function[1];
	return true;
}

/* The attribute, extended by its sign from so many bytes; `otherwise` if it has no such answer. */
static int64_t ask(ask_fn *question, const void *object, int attribute, unsigned bytes,
		   int64_t otherwise)
{
	int64_t wide = 0;
	int32_t narrow = 0;
	size_t written = 0;
	void *to = bytes == sizeof(wide) ? (void *)&wide : (void *)&narrow;

	if (!object || question(object, attribute, to, bytes, &written) || written != bytes)
		return otherwise;
	return bytes == sizeof(wide) ? wide : narrow;
}

/* ---- matrices ---- */

/* Only plain columns and rows: other orders interleave them. False: it is another, or no answer. */
static bool ask_matrix(const struct questions *q, const void *layout, const void *at,
		       struct sc_matrix *m)
{
	int64_t order = ask(q->layout, layout, SC_LAYOUT_ORDER, 4, -1);
	int64_t rows = ask(q->layout, layout, SC_LAYOUT_ROWS, 8, -1);
	int64_t columns = ask(q->layout, layout, SC_LAYOUT_COLUMNS, 8, -1);

	*m = (struct sc_matrix){
		.at = at,
		.rows = order == SC_ORDER_ROW ? columns : rows,
		.columns = order == SC_ORDER_ROW ? rows : columns,
		.ld = ask(q->layout, layout, SC_LAYOUT_LD, 8, -1),
		.stride = ask(q->layout, layout, SC_LAYOUT_STRIDE, 8, 0),
		.batches = ask(q->layout, layout, SC_LAYOUT_BATCHES, 4, -1),
		.type = (int)ask(q->layout, layout, SC_LAYOUT_TYPE, 4, SC_TYPE_UNKNOWN)};
	return (order == SC_ORDER_COLUMN || order == SC_ORDER_ROW) && m->rows > 0 &&
	       m->columns > 0 && m->batches > 0 && !ask(q->layout, layout, SC_LAYOUT_PLANE, 8, 0) &&
	       !ask(q->layout, layout, SC_LAYOUT_BATCH_MODE, 4, 0);
}

/* ---- further operands ---- */

static const void *ask_pointer(const struct questions *q, const void *product, int attribute)
{
	return (const void *)ask(q->product, product, attribute, 8, 0);
}

/* The bias has an element for each row of the result, of a type that is said, or of the result's:
 * but for elements of one byte, where the manual has exceptions. */
static bool add_bias(const struct questions *q, const void *product, const struct sc_matrix *d,
		     int64_t rows, struct sc_product *p)
{
	int64_t type = ask(q->product, product, SC_PRODUCT_BIAS_TYPE, 4, -1);
	struct sc_matrix bias = {.at = ask_pointer(q, product, SC_PRODUCT_BIAS),
				 .rows = rows,
				 .columns = 1,
				 .stride = ask(q->product, product, SC_PRODUCT_BIAS_STRIDE, 8, 0),
				 .batches = d->batches,
				 .type = type < 0 ? d->type : (int)type};
	struct sc_access *a = &p->other[p->others];
	bool is_exception =
		sc_operand_element(p->in[0].type) < 2 || sc_operand_element(d->type) < 2;

	if ((type < 0 && is_exception) || !sc_operand_bytes(&bias, a) || !a->width)
		return false;
	a->mode = SC_READ;
	a->known = SC_KNOWN_EXACT;
	p->others++;
	return true;
}

/* Factors of whole matrices are one number each; other kinds of them are not described here. */
static bool add_scales(const struct questions *q, const void *product, struct sc_product *p)
{
	for (int i = 0; i < 4; i++) {
		const void *at = ask_pointer(q, product, SC_PRODUCT_A_SCALE + i);

		if (at && ask(q->product, product, SC_PRODUCT_A_SCALE_MODE + i, 4, 0))
			return false;
		sc_operand_add(p, at, sizeof(float), SC_READ, SC_KNOWN_EXACT);
	}
	return true;
}

/* True if nothing else is read or written than what is described here. */
static bool is_plain(const struct questions *q, const void *product)
{
	static const int others[] = {SC_PRODUCT_AUX, SC_PRODUCT_AMAX, SC_PRODUCT_AUX_SCALE,
				     SC_PRODUCT_AUX_AMAX, SC_PRODUCT_D_OUT_SCALE};
	int64_t epilogue = ask(q->product, product, SC_PRODUCT_EPILOGUE, 4, -1);

	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (ask_pointer(q, product, others[i]))
			return false;
	if (ask(q->product, product, SC_PRODUCT_FILL, 4, SC_FILL_ALL) != SC_FILL_ALL)
		return false;
	return epilogue > 0 && !(epilogue & ~(SC_EPILOGUE_NONE | SC_EPILOGUE_RELU |
					      SC_EPILOGUE_BIAS | SC_EPILOGUE_GELU));
}

/* Scalars in host memory are read; of those on the device only the place is known. */
static bool add_scalars(const struct questions *q, const struct call *c, struct sc_product *p)
{
	int64_t pointers = ask(q->product, c->product, SC_PRODUCT_POINTERS, 4, -1);
	int type = (int)ask(q->product, c->product, SC_PRODUCT_SCALAR_TYPE, 4, SC_TYPE_UNKNOWN);
	unsigned bytes = sc_operand_element(type);

	p->alpha = p->beta = SC_SCALAR_UNKNOWN;
	if (pointers == SC_VENDOR_HOST) {
		p->alpha = sc_blas_read_scalar(type, c->alpha);
		p->beta = sc_blas_read_scalar(type, c->beta);
		return true;
	}
	sc_operand_add(p, c->alpha, bytes, SC_READ, SC_KNOWN_OVER);
	sc_operand_add(p, c->beta, bytes, SC_READ, SC_KNOWN_OVER);
	return pointers == SC_VENDOR_DEVICE && bytes;
}

static bool describe(const struct questions *q, const struct call *c, struct sc_product *p)
{
	int64_t rows = ask(q->layout, c->d_layout, SC_LAYOUT_ROWS, 8, -1);
	int64_t epilogue = ask(q->product, c->product, SC_PRODUCT_EPILOGUE, 4, -1);

	*p = (struct sc_product){0};
	if (!is_plain(q, c->product) || !add_scalars(q, c, p) ||
	    !ask_matrix(q, c->a_layout, c->a, &p->in[0]) ||
	    !ask_matrix(q, c->b_layout, c->b, &p->in[1]) ||
	    !ask_matrix(q, c->d_layout, c->d, &p->out))
		return false;
	if (p->beta != SC_SCALAR_ZERO && c->c != c->d &&
	    !ask_matrix(q, c->c_layout, c->c, &p->added))
		return false;
	if ((epilogue & SC_EPILOGUE_BIAS) && !add_bias(q, c->product, &p->out, rows, p))
		return false;
	sc_operand_add(p, c->workspace, c->workspace_bytes, SC_READ_WRITE, SC_KNOWN_OVER);
	return add_scales(q, c->product, p);
}

static void note(const struct sc_enqueues *e, struct sc_library_function *function, void *real,
		 const struct call *c)
{
	struct questions questions;
	struct sc_product product;
	int saved = errno;

	if (!e->count)
		return;
	sc_self.busy++;
	if (find_questions(function, real, &questions) && describe(&questions, c, &product))
		sc_product_note(e, function, &product);
	sc_self.busy--;
	errno = saved;
}

SC_WRAP(cublasLtMatmul,
	(void *h, const void *product, const void *alpha, const void *a, const void *a_layout,
	 const void *b, const void *b_layout, const void *beta, const void *c, const void *c_layout,
	 void *d, const void *d_layout, const void *algorithm, void *workspace,
	 size_t workspace_bytes, void *stream),
	(h, product, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algorithm,
	 workspace, workspace_bytes, stream),
	note(enqueues, &sc_operand_functions.cublasLtMatmul, (void *)real,
	     &(struct call){product, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d,
			    d_layout, workspace, workspace_bytes}))

static const struct sc_wrapper wrappers[] = {
	SC_WRAPPER(operand, cublasLtMatmul, called_cublasLtMatmul, looked_up_cublasLtMatmul)};

const struct sc_wrappers sc_matmul_wrappers = SC_WRAPPERS("cublasLt", sc_operand_table, wrappers);
