/* BLAS: products of cuBLAS's parameters, and their scalars. */
#include "extensions/agents/operands/blas.h"

#include <errno.h>
#include <string.h>
#include "interposer/core/safe_read.h"
#include "interposer/core/session.h"
#include "interposer/object/handle.h"

/* ---- what the forms do with their operands ---- */

/* A matrix of so many rows and columns once `operation` was applied to it. */
static bool set_matrix(struct sc_matrix *out, const struct sc_blas_operand *o, int operation,
		       int64_t rows, int64_t columns)
{
	bool is_plain = operation == SC_VENDOR_PLAIN;

	*out = (struct sc_matrix){.at = o->at,
				  .rows = is_plain ? rows : columns,
				  .columns = is_plain ? columns : rows,
				  .ld = o->ld,
				  .stride = o->stride,
				  .type = o->type};
	return operation >= SC_VENDOR_PLAIN && operation <= SC_VENDOR_CONJUGATED;
}

/* Steps of 0 and below are left out: their meaning differs from function to function. */
static bool set_vector(struct sc_matrix *out, const struct sc_blas_operand *o, int64_t n)
{
	bool is_dense = o->ld == 1;

	*out = (struct sc_matrix){.at = o->at,
				  .rows = is_dense || !n ? n : 1,
				  .columns = is_dense ? 1 : n,
				  .ld = o->ld,
				  .type = o->type};
	return o->ld > 0;
}

static bool describe_gemm(const struct sc_blas *c, struct sc_product *p)
{
	bool is_known = set_matrix(&p->in[0], &c->a, c->operation[0], c->m, c->k) &&
			set_matrix(&p->in[1], &c->b, c->operation[1], c->k, c->n) &&
			set_matrix(&p->out, &c->c, SC_VENDOR_PLAIN, c->m, c->n);

	if (!c->k)
		p->alpha = SC_SCALAR_ZERO;
	p->in[0].batches = p->in[1].batches = p->out.batches = c->batches;
	return is_known;
}

static bool describe_gemv(const struct sc_blas *c, struct sc_product *p)
{
	bool is_plain = c->operation[0] == SC_VENDOR_PLAIN;
	bool is_known = set_matrix(&p->in[0], &c->a, SC_VENDOR_PLAIN, c->m, c->n) &&
			set_vector(&p->in[1], &c->b, is_plain ? c->n : c->m) &&
			set_vector(&p->out, &c->c, is_plain ? c->m : c->n);

	return is_known && c->operation[0] >= 0 && c->operation[0] <= SC_VENDOR_CONJUGATED;
}

static bool describe_ger(const struct sc_blas *c, struct sc_product *p)
{
	p->beta = SC_SCALAR_ONE;
	return set_vector(&p->in[0], &c->a, c->m) && set_vector(&p->in[1], &c->b, c->n) &&
	       set_matrix(&p->out, &c->c, SC_VENDOR_PLAIN, c->m, c->n);
}

static bool describe_axpy(const struct sc_blas *c, struct sc_product *p)
{
	p->beta = SC_SCALAR_ONE;
	return set_vector(&p->in[0], &c->a, c->n) && set_vector(&p->out, &c->c, c->n);
}

/* By 1 there is nothing to do, and by 0 nothing to read. */
static bool describe_scal(const struct sc_blas *c, struct sc_product *p)
{
	p->beta = SC_SCALAR_ZERO;
	if (p->alpha == SC_SCALAR_ONE)
		p->alpha = SC_SCALAR_UNKNOWN;
	p->out_is_input = true;
	return set_vector(&p->out, &c->c, c->n);
}

static bool describe_copy(const struct sc_blas *c, struct sc_product *p)
{
	p->alpha = SC_SCALAR_ONE;
	p->beta = SC_SCALAR_ZERO;
	return set_vector(&p->in[0], &c->a, c->n) && set_vector(&p->out, &c->c, c->n);
}

static bool set_result(const struct sc_blas *c, bool is_host, struct sc_product *p)
{
	p->alpha = SC_SCALAR_ONE;
	p->beta = SC_SCALAR_ZERO;
	p->out_is_host = is_host;
	p->out = (struct sc_matrix){.at = c->result, .rows = 1, .columns = 1, .type = c->scalar};
	return set_vector(&p->in[0], &c->a, c->n);
}

static bool describe_dot(const struct sc_blas *c, bool is_host, struct sc_product *p)
{
	return set_result(c, is_host, p) && set_vector(&p->in[1], &c->b, c->n);
}

/* Of the first matrix a triangle is used. */
static bool describe_trsm(const struct sc_blas *c, struct sc_product *p)
{
	int64_t edge = c->side == SC_VENDOR_LEFT ? c->m : c->n;

	p->beta = SC_SCALAR_ZERO;
	p->out_is_input = true;
	return (c->side == SC_VENDOR_LEFT || c->side == SC_VENDOR_RIGHT) &&
	       set_matrix(&p->in[0], &c->a, SC_VENDOR_PLAIN, edge, edge) &&
	       set_matrix(&p->out, &c->c, SC_VENDOR_PLAIN, c->m, c->n);
}

static bool describe(const struct sc_blas *c, bool is_host, struct sc_product *p)
{
	switch (c->form) {
	case SC_BLAS_GEMM: return describe_gemm(c, p);
	case SC_BLAS_GEMV: return describe_gemv(c, p);
	case SC_BLAS_GER: return describe_ger(c, p);
	case SC_BLAS_AXPY: return describe_axpy(c, p);
	case SC_BLAS_SCAL: return describe_scal(c, p);
	case SC_BLAS_COPY: return describe_copy(c, p);
	case SC_BLAS_DOT: return describe_dot(c, is_host, p);
	case SC_BLAS_NORM: return set_result(c, is_host, p);
	case SC_BLAS_TRSM: return describe_trsm(c, p);
	}
	return false;
}

void sc_blas_describe(const struct sc_blas *call, const struct sc_blas_scalars *scalars,
		      struct sc_product *out)
{
	unsigned bytes = sc_operand_element(call->scalar);

	*out = (struct sc_product){.alpha = scalars->alpha, .beta = scalars->beta};
	out->is_unknown = !describe(call, scalars->are_host, out) || call->batches < 0;
	out->in[0].is_partly_used = call->form == SC_BLAS_TRSM;
	if (scalars->are_host)
		return;
	sc_operand_add(out, call->alpha, bytes, SC_READ, SC_KNOWN_OVER);
	sc_operand_add(out, call->beta, bytes, SC_READ, SC_KNOWN_OVER);
}

/* ---- calls ---- */

enum sc_scalar sc_blas_read_scalar(int type, const void *at)
{
	unsigned bytes = sc_operand_element(type);
	struct sc_safe_read memory;
	uint64_t value[2] = {0};
	bool is_read;

	if (!at || !bytes || bytes > sizeof(value))
		return at ? SC_SCALAR_UNKNOWN : SC_SCALAR_ZERO;
	if (!sc_session.catches_faults) { /* nothing is protected, and the library just read it */
		memcpy(value, at, bytes);
		return sc_operand_scalar(type, value);
	}
	sc_safe_read_begin(&memory);
	is_read = sc_safe_read_bytes(&memory, value, (uint64_t)at, bytes);
	sc_safe_read_end(&memory);
	return is_read ? sc_operand_scalar(type, value) : SC_SCALAR_UNKNOWN;
}

void sc_product_note(const struct sc_enqueues *e, struct sc_library_function *function,
		     const struct sc_product *p)
{
	struct sc_access accesses[SC_OPERANDS_MOST];
	struct sc_documented documented = {.function = function, .accesses = accesses};

	documented.count = sc_operands_of(p, accesses);
	sc_enqueues_document(e, &documented);
}

void sc_operand_list_note(const struct sc_enqueues *e, struct sc_library_function *function,
			  struct sc_operand_list *list)
{
	struct sc_documented documented = {
		.function = function, .accesses = list->access, .count = list->count};

	if (!list->is_unknown)
		sc_enqueues_document(e, &documented);
}

/* Where the handle takes its scalars from; false: the library was not asked, or did not answer. */
static bool ask_pointers(struct sc_library_function *function, void *real, void *handle,
			 bool *are_host)
{
	static const char *const names[SC_BESIDE] = {"cublasGetPointerMode_v2"};
	const struct sc_beside *beside = sc_function_beside(function, real, names);
	int (*ask)(void *handle, int *mode) =
		beside ? (int (*)(void *, int *))beside->function[0] : NULL;
	int mode = -1;

	if (!ask || ask(handle, &mode))
		return false;
	*are_host = mode == SC_VENDOR_HOST;
	return mode == SC_VENDOR_HOST || mode == SC_VENDOR_DEVICE;
}

/* The memory that the program gave the handle. What two calls with it do to each other there is
 * SC-209's to say; here it is what others must not write or free. */
static void add_scratch(const void *handle, struct sc_product *p)
{
	const struct sc_handle *h = sc_handle_find(SC_HANDLE_LIBRARY, handle);

	if (h)
		sc_operand_add(p, (const void *)(uintptr_t)h->library.scratch,
			       h->library.scratch_bytes, SC_READ, SC_KNOWN_OVER);
}

void sc_blas_note(const struct sc_enqueues *e, struct sc_library_function *function, void *real,
		  void *handle, const struct sc_blas *call)
{
	struct sc_blas_scalars scalars = {SC_SCALAR_UNKNOWN, SC_SCALAR_UNKNOWN, false};
	int saved = errno;
	struct sc_product product;

	if (!e->count)
		return;
	sc_self.busy++;
	if (ask_pointers(function, real, handle, &scalars.are_host)) {
		if (scalars.are_host) {
			scalars.alpha = sc_blas_read_scalar(call->scalar, call->alpha);
			scalars.beta = sc_blas_read_scalar(call->scalar, call->beta);
		}
		sc_blas_describe(call, &scalars, &product);
		add_scratch(handle, &product);
		sc_product_note(e, function, &product);
	}
	sc_self.busy--;
	errno = saved;
}
