/* Datatypes: taken apart by their envelopes. */
#include "extensions/agents/mpi/datatype.h"

#include <stdatomic.h>
#include <stddef.h>

#define DEPTH_MOST     6
#define ARGUMENTS_MOST 64 /* of each kind, of one level */

/* How a level of a type was made. */
struct level {
	const struct sc_mpi_library *library;
	struct sc_mpi_envelope envelope;
	int integer[ARGUMENTS_MOST];
	int64_t address[ARGUMENTS_MOST];
	uint64_t type[ARGUMENTS_MOST];
	unsigned depth;
};

static bool take_apart(const struct sc_mpi_library *l, uint64_t type, unsigned depth,
		       struct sc_mpi_pieces *out);

bool sc_mpi_extent_of(const struct sc_mpi_library *l, uint64_t type, int64_t *out)
{
	int64_t lower;

	return !l->type_extent(type, &lower, out);
}

/* ---- pieces ---- */

/* True if `count` steps of that distance stay between two rows, as columns side by side do. */
static bool is_within_rows(const struct sc_mpi_piece *p, uint64_t count, uint64_t distance)
{
	return p->rows > 1 && (count - 1) * distance + p->width <= p->pitch;
}

/* The piece `count` times; false if it has no dimension left. A negative step begins at the other
 * end. */
static bool repeat_one(struct sc_mpi_piece *p, uint64_t count, int64_t step)
{
	uint64_t distance = step < 0 ? (uint64_t)-step : (uint64_t)step;
	bool is_inside = is_within_rows(p, count, distance);

	if (step < 0)
		p->at -= (int64_t)(distance * (count - 1));
	if ((p->rows == 1 || is_inside) && distance == p->width) {
		p->width *= count;
	} else if (is_inside && p->slices == 1) {
		p->slices = p->rows;
		p->slice_pitch = p->pitch;
		p->rows = count;
		p->pitch = distance;
	} else if (p->rows == 1) {
		p->rows = count;
		p->pitch = distance;
	} else if (p->slices == 1 && distance == p->rows * p->pitch) {
		p->rows *= count;
	} else if (p->slices == 1) {
		p->slices = count;
		p->slice_pitch = distance;
	} else if (distance == p->slices * p->slice_pitch) {
		p->slices *= count;
	} else {
		return false;
	}
	return true;
}

/* Whether sizes and places stay numbers that can be added. */
static bool is_small(uint64_t count, int64_t step)
{
	uint64_t distance = step < 0 ? -(uint64_t)step : (uint64_t)step, all;

	return !__builtin_mul_overflow(count, distance, &all) && all < (UINT64_C(1) << 56);
}

/* Each piece is written out `count` times. */
static bool copy_all(struct sc_mpi_pieces *p, uint64_t count, int64_t step)
{
	unsigned before = p->count;

	if (count > SC_MPI_PIECES_MOST / before)
		return false;
	for (unsigned i = 1; i < count; i++)
		for (unsigned j = 0; j < before; j++) {
			p->item[p->count] = p->item[j];
			p->item[p->count++].at += step * (int64_t)i;
		}
	return true;
}

bool sc_mpi_repeat(struct sc_mpi_pieces *p, uint64_t count, int64_t step)
{
	struct sc_mpi_pieces before = *p;
	bool fits = true;

	if (!count)
		p->count = 0;
	if (count <= 1 || !p->count)
		return true;
	if (!is_small(count, step))
		return false;
	for (unsigned i = 0; i < p->count && fits; i++)
		fits = repeat_one(&p->item[i], count, step);
	if (fits)
		return true;
	*p = before;
	return copy_all(p, count, step);
}

static bool add(struct sc_mpi_pieces *to, const struct sc_mpi_pieces *from, int64_t at)
{
	if (from->count > SC_MPI_PIECES_MOST - to->count)
		return false;
	for (unsigned i = 0; i < from->count; i++) {
		struct sc_mpi_piece *last = to->count ? &to->item[to->count - 1] : NULL;
		struct sc_mpi_piece p = from->item[i];

		p.at += at;
		if (last && last->rows == 1 && p.rows == 1 &&
		    last->at + (int64_t)last->width == p.at)
			last->width += p.width;
		else
			to->item[to->count++] = p;
	}
	to->is_exact &= from->is_exact;
	return true;
}

static void set_one(struct sc_mpi_pieces *out, int64_t at, uint64_t width, bool is_exact)
{
	out->count = width > 0;
	out->is_exact = is_exact;
	out->item[0] = (struct sc_mpi_piece){.at = at, .width = width, .rows = 1, .slices = 1};
}

/* ---- ways of making a type ---- */

/* `count` blocks of `length` elements, `step` bytes apart. */
static bool make_vector(const struct level *v, uint64_t count, uint64_t length, int64_t step,
			struct sc_mpi_pieces *out)
{
	int64_t extent;

	return take_apart(v->library, v->type[0], v->depth + 1, out) &&
	       sc_mpi_extent_of(v->library, v->type[0], &extent) &&
	       sc_mpi_repeat(out, length, extent) && sc_mpi_repeat(out, count, step);
}

/* Blocks of several lengths at several places; `is_struct`: of several types. */
struct blocks {
	int count;
	const int *length; /* NULL: all have `common` */
	int common;
	const int *element;  /* places in elements, or */
	const int64_t *byte; /* in bytes */
	bool is_struct;
};

static bool add_block(const struct level *v, const struct blocks *b, int i,
		      struct sc_mpi_pieces *out)
{
	uint64_t type = v->type[b->is_struct ? i : 0];
	int length = b->length ? b->length[i] : b->common;
	struct sc_mpi_pieces one;
	int64_t extent;

	if (length <= 0)
		return true;
	if (!sc_mpi_extent_of(v->library, type, &extent) ||
	    !take_apart(v->library, type, v->depth + 1, &one) ||
	    !sc_mpi_repeat(&one, (uint64_t)length, extent))
		return false;
	return add(out, &one, b->byte ? b->byte[i] : b->element[i] * extent);
}

static bool make_blocks(const struct level *v, const struct blocks *b, struct sc_mpi_pieces *out)
{
	*out = (struct sc_mpi_pieces){.is_exact = true};
	for (int i = 0; i < b->count; i++)
		if (!add_block(v, b, i, out))
			return false;
	return true;
}

/* Integers: dimensions, sizes, subsizes, starts, order. The last dimension is the fastest in the
 * order of C, the first one in Fortran's. */
static bool make_subarray(const struct level *v, bool is_fortran, struct sc_mpi_pieces *out)
{
	int n = v->integer[0];
	const int *size = v->integer + 1, *part = size + n, *start = part + n;
	int64_t extent, step, first = 0;

	if (!sc_mpi_extent_of(v->library, v->type[0], &extent) ||
	    !take_apart(v->library, v->type[0], v->depth + 1, out))
		return false;
	step = extent;
	for (int k = 0; k < n; k++) {
		int d = is_fortran ? k : n - 1 - k;

		if (!sc_mpi_repeat(out, (uint64_t)part[d], step))
			return false;
		first += start[d] * step;
		step *= size[d];
	}
	for (unsigned i = 0; i < out->count; i++)
		out->item[i].at += first;
	return true;
}

static bool make(const struct level *v, struct sc_mpi_pieces *out)
{
	const int *n = v->integer;
	int64_t extent;

	switch (v->envelope.combiner) {
	case SC_MPI_DUP:
	case SC_MPI_RESIZED: return take_apart(v->library, v->type[0], v->depth + 1, out);
	case SC_MPI_CONTIGUOUS: return make_vector(v, 1, (uint64_t)n[0], 0, out);
	case SC_MPI_VECTOR:
		return sc_mpi_extent_of(v->library, v->type[0], &extent) &&
		       make_vector(v, (uint64_t)n[0], (uint64_t)n[1], n[2] * extent, out);
	case SC_MPI_HVECTOR:
		return make_vector(v, (uint64_t)n[0], (uint64_t)n[1], v->address[0], out);
	case SC_MPI_INDEXED:
		return make_blocks(
			v, &(struct blocks){n[0], .length = n + 1, .element = n + 1 + n[0]}, out);
	case SC_MPI_HINDEXED:
		return make_blocks(v, &(struct blocks){n[0], .length = n + 1, .byte = v->address},
				   out);
	case SC_MPI_INDEXED_BLOCK:
		return make_blocks(v, &(struct blocks){n[0], .common = n[1], .element = n + 2},
				   out);
	case SC_MPI_HINDEXED_BLOCK:
		return make_blocks(v, &(struct blocks){n[0], .common = n[1], .byte = v->address},
				   out);
	case SC_MPI_STRUCT:
		return make_blocks(v,
				   &(struct blocks){n[0], .length = n + 1, .byte = v->address,
						    .is_struct = true},
				   out);
	case SC_MPI_SUBARRAY:
		return make_subarray(v, n[1 + 3 * n[0]] == v->library->order_fortran, out);
	case SC_MPI_UNKNOWN:
	case SC_MPI_NAMED:
	case SC_MPI_DARRAY:
	case SC_MPI_F90_REAL:
	case SC_MPI_F90_COMPLEX:
	case SC_MPI_F90_INTEGER: return false;
	}
	return false;
}

/* ---- whole types ---- */

/* From the first byte to the last one. All of them are touched if they are as many as there are
 * data. */
static bool bound(const struct sc_mpi_library *l, uint64_t type, struct sc_mpi_pieces *out)
{
	int64_t lower, extent;
	int size;

	if (l->type_true_extent(type, &lower, &extent) || l->type_size(type, &size) || extent < 0)
		return false;
	set_one(out, lower, (uint64_t)extent, size == extent);
	return true;
}

static bool read_level(const struct sc_mpi_library *l, uint64_t type, struct level *v)
{
	struct sc_mpi_contents contents = {v->integer, v->address, v->type};
	const struct sc_mpi_envelope *e = &v->envelope;

	v->library = l;
	if (e->integers > ARGUMENTS_MOST || e->addresses > ARGUMENTS_MOST ||
	    e->types > ARGUMENTS_MOST || !e->types)
		return false;
	return sc_mpi_contents(l, type, e, &contents);
}

static bool take_apart_derived(const struct sc_mpi_library *l, uint64_t type,
			       const struct sc_mpi_envelope *e, unsigned depth,
			       struct sc_mpi_pieces *out)
{
	struct level v = {.envelope = *e, .depth = depth};
	bool is_made;

	if (depth >= DEPTH_MOST || !read_level(l, type, &v))
		return false;
	is_made = make(&v, out);
	sc_mpi_put_types(l, v.type, e->types);
	return is_made;
}

static bool take_apart(const struct sc_mpi_library *l, uint64_t type, unsigned depth,
		       struct sc_mpi_pieces *out)
{
	struct sc_mpi_envelope e;

	if (!sc_mpi_envelope(l, type, &e))
		return false;
	if (e.combiner != SC_MPI_NAMED && take_apart_derived(l, type, &e, depth, out))
		return true;
	return bound(l, type, out);
}

/* What needs too many pieces: from the first one's begin to the last one's end. */
static bool hull(const struct sc_mpi_library *l, uint64_t type, uint64_t count,
		 struct sc_mpi_pieces *out)
{
	int64_t extent, first = 0;

	if (!bound(l, type, out) || !sc_mpi_extent_of(l, type, &extent) || !is_small(count, extent))
		return false;
	if (extent < 0)
		first = extent * (int64_t)(count - 1);
	set_one(out, out->item[0].at + first,
		out->item[0].width + (uint64_t)(extent < 0 ? -extent : extent) * (count - 1),
		false);
	return true;
}

/* ---- types that the library has from the start ---- */

#define PLACES	     64
#define IS_BEING_SET UINT64_MAX

/* Of the process: what such a type is never changes, and most messages are of one. A place is set
 * once, and types that would come to the same place are asked about each time. */
static struct {
	_Atomic uint64_t type; /* 0: free */
	_Atomic uint64_t bytes;
} simple[PLACES];

static unsigned place_of(uint64_t type)
{
	return (unsigned)((type * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
}

static void keep_simple(const struct sc_mpi_library *l, uint64_t type, uint64_t bytes)
{
	unsigned i = place_of(type);
	struct sc_mpi_envelope e;
	uint64_t nobody = 0;

	if (atomic_load_explicit(&simple[i].type, memory_order_relaxed) ||
	    !sc_mpi_envelope(l, type, &e) || e.combiner != SC_MPI_NAMED ||
	    !atomic_compare_exchange_strong(&simple[i].type, &nobody, IS_BEING_SET))
		return;
	atomic_store_explicit(&simple[i].bytes, bytes, memory_order_relaxed);
	/* release: pairs with the acquire in `bytes_of_simple` */
	atomic_store_explicit(&simple[i].type, type, memory_order_release);
}

/* Of an element, whose bytes are all touched and follow each other; 0: not known. */
static uint64_t bytes_of_simple(uint64_t type)
{
	unsigned i = place_of(type);

	return type && atomic_load_explicit(&simple[i].type, memory_order_acquire) == type
		       ? atomic_load_explicit(&simple[i].bytes, memory_order_relaxed)
		       : 0;
}

bool sc_mpi_type_is_simple(const struct sc_mpi_library *l, uint64_t type)
{
	return bytes_of_simple(sc_mpi_handle_at(l, &type)) != 0;
}

static bool has_no_gap(const struct sc_mpi_pieces *p, int64_t extent)
{
	return p->count == 1 && p->is_exact && !p->item[0].at && p->item[0].rows == 1 &&
	       p->item[0].slices == 1 && extent > 0 && p->item[0].width == (uint64_t)extent;
}

bool sc_mpi_pieces_of(const struct sc_mpi_library *l, uint64_t type, uint64_t count,
		      struct sc_mpi_pieces *out)
{
	uint64_t handle = sc_mpi_handle_at(l, &type), bytes = bytes_of_simple(handle);
	int64_t extent;

	if (!count) {
		set_one(out, 0, 0, true);
		return true;
	}
	if (bytes && is_small(count, (int64_t)bytes)) {
		set_one(out, 0, bytes * count, true);
		return true;
	}
	if (!take_apart(l, type, 0, out) || !sc_mpi_extent_of(l, type, &extent))
		return false;
	if (has_no_gap(out, extent))
		keep_simple(l, handle, (uint64_t)extent);
	return sc_mpi_repeat(out, count, extent) || hull(l, type, count, out);
}
