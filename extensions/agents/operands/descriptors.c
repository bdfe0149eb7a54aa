/* Descriptors of cuSPARSE: questions, and the memory of calls. */
#include "extensions/agents/operands/descriptors.h"

#include <errno.h>
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "extensions/agents/operands/blas.h"

#define ROOMS 256 /* the newest of those that meet in one place counts */

/* Memory of a function that works with a descriptor. */
struct room {
	const void *owner, *at; /* at: what was kept, or NULL */
	uint64_t bytes;
	enum sc_sparse_room of;
};

static struct {
	struct sc_lock lock;
	struct room room[ROOMS]; /* under the lock */
	atomic_bool is_prepared; /* a product was prepared: patterns may be kept anywhere */
} rooms;

/* ---- memory ---- */

static struct room *place_of(enum sc_sparse_room of, const void *owner)
{
	uint64_t key = ((uint64_t)owner >> 4) * 0x9e3779b97f4a7c15 + (uint64_t)of;

	return &rooms.room[(key ^ key >> 32) % ROOMS];
}

void sc_sparse_room_note(enum sc_sparse_room of, const void *owner, size_t bytes)
{
	sc_lock_get(&rooms.lock);
	*place_of(of, owner) = (struct room){.owner = owner, .bytes = bytes, .of = of};
	sc_lock_put(&rooms.lock);
}

/* The bytes of a call's buffer; false: they are not known. */
static bool find_buffer(const struct sc_sparse_call *c, struct sc_sparse *s)
{
	bool is_known;
	struct room *room;

	if (c->room == SC_ROOM_NONE || (!c->buffer && !c->has_kept))
		return true;
	sc_lock_get(&rooms.lock);
	room = place_of(c->room, c->owner);
	is_known = room->of == c->room && room->owner == c->owner;
	if (is_known && c->keeps_buffer)
		room->at = c->buffer;
	s->buffer.at = c->has_kept ? room->at : c->buffer;
	s->buffer.bytes = room->bytes;
	sc_lock_put(&rooms.lock);
	return is_known && (s->buffer.at || !s->buffer.bytes);
}

/* ---- questions ---- */

/* The functions, and their types. */
enum question {
#define Q(name, parameters) ASK_##name,
	SC_SPARSE_QUESTIONS(Q)
#undef Q
		QUESTIONS
};
#define Q(name, parameters) typedef int ask_##name parameters;
SC_SPARSE_QUESTIONS(Q)
#undef Q
_Static_assert(QUESTIONS <= SC_BESIDE, "room for all questions");

static const struct sc_beside *find_questions(struct sc_library_function *function, void *real)
{
	static const char *const names[SC_BESIDE] = {
#define Q(name, parameters) #name,
		SC_SPARSE_QUESTIONS(Q)
#undef Q
	};

	return sc_function_beside(function, real, names);
}

#define ASK(beside, name) ((ask_##name *)(beside)->function[ASK_##name])

/* Offsets begin the rows of one format and the columns of the other, and there is one more. */
static bool ask_compressed(ask_cusparseConstCsrGet *ask, const void *of, bool by_rows,
			   struct sc_sparse_matrix *m)
{
	int64_t rows = -1, columns = -1;
	int offset_type = 0, index_type = 0, base;

	if (ask(of, &rows, &columns, &m->values.count, &m->offsets.at, &m->indices.at,
		&m->values.at, &offset_type, &index_type, &base, &m->values.type))
		return false;
	m->indices.count = m->values.count;
	m->offsets.count = by_rows ? rows : columns;
	m->offsets.type = sc_sparse_index_type(offset_type);
	m->indices.type = sc_sparse_index_type(index_type);
	return m->offsets.count >= 0 &&
	       !__builtin_add_overflow(m->offsets.count, 1, &m->offsets.count);
}

static bool ask_coordinates(ask_cusparseConstCooGet *ask, const void *of,
			    struct sc_sparse_matrix *m)
{
	int64_t rows, columns;
	int index_type = 0, base;

	if (ask(of, &rows, &columns, &m->values.count, &m->offsets.at, &m->indices.at,
		&m->values.at, &index_type, &base, &m->values.type))
		return false;
	m->offsets.count = m->indices.count = m->values.count;
	m->offsets.type = m->indices.type = sc_sparse_index_type(index_type);
	return true;
}

/* Each row of blocks has the same number of them; the last ones may be cut off. */
static bool ask_ell(ask_cusparseConstBlockedEllGet *ask, const void *of, struct sc_sparse_matrix *m)
{
	int64_t rows = 0, columns, block = 0, used = 0, blocks;
	int index_type = 0, base;

	if (ask(of, &rows, &columns, &block, &used, &m->indices.at, &m->values.at, &index_type,
		&base, &m->values.type))
		return false;
	if (rows < 0 || used < 0 || block < 1)
		return false;
	blocks = rows / block + (rows % block != 0);
	m->indices.type = sc_sparse_index_type(index_type);
	m->offsets.type = m->indices.type; /* of none */
	return !__builtin_mul_overflow(blocks, used / block + (used % block != 0),
				       &m->indices.count) &&
	       !__builtin_mul_overflow(rows, used, &m->values.count);
}

/* One sparse matrix; of several ones there is no question about their strides. */
static bool ask_matrix(const struct sc_beside *b, const void *of, struct sc_sparse_matrix *m)
{
	int batches = 0;

	if (ASK(b, cusparseSpMatGetFormat)(of, &m->format) ||
	    ASK(b, cusparseSpMatGetStridedBatch)(of, &batches) || batches > 1)
		return false;
	switch (m->format) {
	case SC_SPARSE_CSR: return ask_compressed(ASK(b, cusparseConstCsrGet), of, true, m);
	case SC_SPARSE_CSC: return ask_compressed(ASK(b, cusparseConstCscGet), of, false, m);
	case SC_SPARSE_COO: return ask_coordinates(ASK(b, cusparseConstCooGet), of, m);
	case SC_SPARSE_BLOCKED_ELL: return ask_ell(ASK(b, cusparseConstBlockedEllGet), of, m);
	default: return false;
	}
}

static bool ask_vector(const struct sc_beside *b, const void *of, struct sc_sparse_matrix *m)
{
	ask_cusparseConstSpVecGet *ask = ASK(b, cusparseConstSpVecGet);
	int64_t size;
	int index_type = 0, base;

	m->format = SC_SPARSE_VECTOR;
	if (ask(of, &size, &m->values.count, &m->indices.at, &m->values.at, &index_type, &base,
		&m->values.type))
		return false;
	m->indices.count = m->values.count;
	m->indices.type = sc_sparse_index_type(index_type);
	return true;
}

static bool ask_dense_vector(const struct sc_beside *b, const void *of, struct sc_matrix *m)
{
	m->columns = 1;
	return !ASK(b, cusparseConstDnVecGet)(of, &m->rows, &m->at, &m->type);
}

static bool ask_dense_matrix(const struct sc_beside *b, const void *of, struct sc_matrix *m)
{
	int64_t rows = -1, columns = -1;
	int order = 0, batches = 0;

	if (ASK(b, cusparseConstDnMatGet)(of, &rows, &columns, &m->ld, &m->at, &m->type, &order) ||
	    ASK(b, cusparseDnMatGetStridedBatch)(of, &batches, &m->stride))
		return false;
	m->rows = order == SC_SPARSE_ROWS ? columns : rows;
	m->columns = order == SC_SPARSE_ROWS ? rows : columns;
	m->batches = batches;
	return order == SC_SPARSE_ROWS || order == SC_SPARSE_COLUMNS;
}

/* ---- calls ---- */

static bool ask_operands(const struct sc_beside *b, const struct sc_sparse_call *c,
			 struct sc_sparse *s)
{
	bool is_known = true;

	if (c->from && c->to) {
		s->sparse = *c->from;
		s->other = *c->to;
		return true;
	}
	if (c->matrix)
		is_known = ask_matrix(b, c->matrix, &s->sparse);
	if (c->vector)
		is_known = ask_vector(b, c->vector, &s->sparse);
	for (unsigned i = 0; i < 2 && is_known; i++) {
		if (c->dense_vector[i])
			is_known = ask_dense_vector(b, c->dense_vector[i], &s->dense[i]);
		else if (c->dense_matrix[i])
			is_known = ask_dense_matrix(b, c->dense_matrix[i], &s->dense[i]);
	}
	return is_known && (c->matrix || c->vector);
}

/* Scalars in host memory are read; of those on the device only the place is known. */
static bool ask_scalars(const struct sc_beside *b, void *handle, const struct sc_sparse_call *c,
			struct sc_sparse *s)
{
	int mode = -1;

	s->scalar = c->scalar == SC_TYPE_UNKNOWN ? s->dense[1].type : c->scalar;
	s->alpha = SC_SCALAR_ONE;
	s->beta = SC_SCALAR_ZERO;
	if (!c->has_alpha && !c->has_beta && !c->result)
		return true;
	if (ASK(b, cusparseGetPointerMode)(handle, &mode) ||
	    (mode != SC_VENDOR_HOST && mode != SC_VENDOR_DEVICE))
		return false;
	if (mode == SC_VENDOR_DEVICE) {
		s->result = c->result;
		s->alpha = c->has_alpha ? SC_SCALAR_UNKNOWN : SC_SCALAR_ONE;
		s->beta = c->has_beta ? SC_SCALAR_UNKNOWN : SC_SCALAR_ZERO;
		return sc_operand_element(s->scalar) != 0;
	}
	if (c->has_alpha)
		s->alpha = sc_blas_read_scalar(s->scalar, c->alpha);
	if (c->has_beta)
		s->beta = sc_blas_read_scalar(s->scalar, c->beta);
	return true;
}

/* What the call touched; false: that is not known. */
static bool describe(const struct sc_beside *b, void *handle, const struct sc_sparse_call *c,
		     struct sc_operand_list *list)
{
	struct sc_sparse s = {.form = c->form, .operation = c->operation};
	unsigned bytes;

	/* Relaxed: a product that was prepared before this call was so in its order. */
	s.is_prepared = atomic_load_explicit(&rooms.is_prepared, memory_order_relaxed);
	if (!ask_operands(b, c, &s) || !ask_scalars(b, handle, c, &s) || !find_buffer(c, &s))
		return false;
	sc_sparse_describe(&s, list);
	bytes = sc_operand_element(s.scalar);
	if (s.alpha == SC_SCALAR_UNKNOWN && c->has_alpha)
		sc_operand_list_add_bytes(list, c->alpha, bytes, SC_READ, SC_KNOWN_OVER);
	if (s.beta == SC_SCALAR_UNKNOWN && c->has_beta)
		sc_operand_list_add_bytes(list, c->beta, bytes, SC_READ, SC_KNOWN_OVER);
	return true;
}

void sc_sparse_note(const struct sc_enqueues *e, struct sc_library_function *function, void *real,
		    void *handle, const struct sc_sparse_call *call)
{
	const struct sc_beside *beside;
	struct sc_operand_list list;
	int saved = errno;

	if (!e->count && !call->keeps_buffer)
		return;
	sc_self.busy++;
	beside = find_questions(function, real);
	if (beside && describe(beside, handle, call, &list))
		sc_operand_list_note(e, function, &list);
	sc_self.busy--;
	errno = saved;
}

void sc_sparse_prepare(void)
{
	atomic_store_explicit(&rooms.is_prepared, true, memory_order_relaxed);
}

/* A child has the answers, but not the thread that may have held the lock. */
static void forget(void)
{
	atomic_store(&rooms.lock.held, 0);
}

const struct sc_module sc_module_descriptors = {.forget = forget};
