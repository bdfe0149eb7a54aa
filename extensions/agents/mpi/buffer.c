/* Buffers: from parameters to accesses. */
#include "extensions/agents/mpi/buffer.h"

#include <stddef.h>
#include <string.h>
#include "interposer/core/safe_read.h"
#include "interposer/guard/operand.h"
#include "interposer/object/memory.h"

/* A call, as far as it says how much of a buffer is used. */
struct call {
	const struct sc_mpi_library *library;
	const struct sc_mpi_row *row;
	const uint64_t *parameter;
	int rank;		/* of a collective: the caller's */
	int ranks[SC_MPI_USES]; /* to which it sends, and from which it receives */
	bool is_inter;		/* between two groups */
	struct sc_mpi_accesses *out;
};

static int number_at(const struct call *c, unsigned parameter)
{
	return (int)(uint32_t)c->parameter[parameter];
}

/* ---- accesses ---- */

static bool extends(const struct sc_access *a, const struct sc_access *by)
{
	return a->mode == by->mode && a->known == by->known && a->memory == by->memory &&
	       a->rows == 1 && a->slices == 1 && by->rows == 1 && by->slices == 1 &&
	       a->base + a->width == by->base;
}

/* There is no room: the first access of that mode grows over this one. */
static void widen(struct sc_mpi_accesses *list, const struct sc_access *by)
{
	struct sc_access *a = NULL;
	uint64_t low, high;

	for (unsigned i = 0; i < list->count && !a; i++)
		if (list->item[i].mode == by->mode)
			a = &list->item[i];
	a = a ? a : &list->item[0];
	low = a->base < by->base ? a->base : by->base;
	high = sc_operand_end(a) > sc_operand_end(by) ? sc_operand_end(a) : sc_operand_end(by);
	*a = (struct sc_access){.base = low,
				.width = high - low,
				.rows = 1,
				.slices = 1,
				.mode = a->mode | by->mode,
				.known = SC_KNOWN_OVER,
				.memory = a->memory};
}

static void append(struct sc_mpi_accesses *list, const struct sc_access *a)
{
	struct sc_access *last = list->count ? &list->item[list->count - 1] : NULL;

	if (last && extends(last, a))
		last->width += a->width;
	else if (list->count < SC_MPI_ACCESSES_MOST)
		list->item[list->count++] = *a;
	else
		widen(list, a);
}

/* The kind of memory is that of the first byte. */
void sc_mpi_append_pieces(struct sc_mpi_accesses *list, uint64_t base, uint8_t mode,
			  const struct sc_mpi_pieces *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct sc_mpi_piece *x = &p->item[i];
		struct sc_access a = sc_memory_access(base + (uint64_t)x->at, x->width, mode);

		a.rows = x->rows;
		a.pitch = x->rows > 1 ? x->pitch : 0;
		a.slices = x->slices;
		a.slice_pitch = x->slices > 1 ? x->slice_pitch : 0;
		a.known = p->is_exact ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
		append(list, &a);
	}
}

static void append_elements(const struct call *c, uint64_t base, uint8_t mode, uint64_t type,
			    uint64_t count)
{
	struct sc_mpi_pieces pieces;

	if (count && sc_mpi_pieces_of(c->library, type, count, &pieces))
		sc_mpi_append_pieces(c->out, base, mode, &pieces);
}

/* ---- counts ---- */

static uint64_t at_most_62_bits(int64_t n)
{
	return n < 0 ? 0 : (uint64_t)n;
}

static int64_t in_list(const struct call *c, bool is_wide, unsigned parameter, int i)
{
	const void *list = (const void *)(uintptr_t)c->parameter[parameter];
	int64_t wide;
	int32_t narrow;

	if (is_wide) {
		memcpy(&wide, (const int64_t *)list + i, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, (const int32_t *)list + i, sizeof(narrow));
	return narrow;
}

static uint64_t count_of(const struct call *c, unsigned parameter)
{
	uint64_t n = c->parameter[parameter];

	return at_most_62_bits(c->row->is_wide ? (int64_t)n : (int32_t)(uint32_t)n);
}

static uint64_t count_in_list(const struct call *c, unsigned parameter, int i)
{
	return at_most_62_bits(in_list(c, c->row->is_wide, parameter, i));
}

/* The ranks on the other side of a buffer. */
static int ranks_of(const struct call *c, const struct sc_mpi_use *use)
{
	return c->ranks[use->mode == SC_READ ? SC_MPI_SENT : SC_MPI_RECEIVED];
}

static uint64_t sum_of(const struct call *c, const struct sc_mpi_use *use)
{
	uint64_t sum = 0;

	for (int i = 0; i < ranks_of(c, use); i++)
		sum += count_in_list(c, use->count, i);
	return sum;
}

/* One block for each rank. */
static void use_blocks(const struct call *c, const struct sc_mpi_use *use)
{
	bool is_typed = use->shape == SC_MPI_TYPED;
	/* places of MPI_Neighbor_alltoallw are of type MPI_Aint in both forms */
	bool is_wide = c->row->is_wide || (is_typed && c->row->has_neighbours);
	uint64_t base = c->parameter[use->at], type = c->parameter[use->type];
	int64_t unit = 1;

	if (!is_typed && !sc_mpi_extent_of(c->library, type, &unit))
		return;
	for (int i = 0; i < ranks_of(c, use); i++) {
		uint64_t count = count_in_list(c, use->count, i);

		if (!count)
			continue;
		if (is_typed)
			type = sc_mpi_handle_at(
				c->library, (const char *)(uintptr_t)c->parameter[use->type] +
						    (size_t)i * (size_t)c->library->handle_bytes);
		append_elements(c, base + (uint64_t)(in_list(c, is_wide, use->place, i) * unit),
				use->mode, type, count);
	}
}

static void use_buffer(const struct call *c, const struct sc_mpi_use *use)
{
	uint64_t count = 0;

	switch ((enum sc_mpi_shape)use->shape) {
	case SC_MPI_NONE: return;
	case SC_MPI_ELEMENT: count = 1; break;
	case SC_MPI_ONE: count = count_of(c, use->count); break;
	case SC_MPI_EACH: count = count_of(c, use->count) * (uint64_t)ranks_of(c, use); break;
	case SC_MPI_SUM: count = sum_of(c, use); break;
	case SC_MPI_OWN: count = count_in_list(c, use->count, c->rank); break;
	case SC_MPI_PLACED:
	case SC_MPI_TYPED: use_blocks(c, use); return;
	}
	append_elements(c, c->parameter[use->at], use->mode, c->parameter[use->type], count);
}

/* ---- who takes part ---- */

/* Rooted operations between two groups: the root's side names it MPI_ROOT. */
static bool takes_part(const struct call *c, const struct sc_mpi_use *use)
{
	int root = use->who == SC_MPI_EVERYONE ? 0 : number_at(c, c->row->root);
	bool is_root = c->is_inter ? root == c->library->root : root == c->rank;

	if (use->peer)
		return number_at(c, use->peer - 1) != c->library->proc_null;
	switch ((enum sc_mpi_who)use->who) {
	case SC_MPI_ROOT: return is_root;
	case SC_MPI_OTHERS: return !is_root && (!c->is_inter || root != c->library->proc_null);
	case SC_MPI_EVERYONE: break;
	}
	/* of a rooted one between groups, only the side without the root sends to it */
	return !c->is_inter || !c->row->root ||
	       (number_at(c, c->row->root) != c->library->proc_null &&
		number_at(c, c->row->root) != c->library->root);
}

/* Of the topologies that MPI has, a grid gives each rank two neighbours in each dimension. */
static bool find_neighbours(struct call *c, uint64_t communicator)
{
	const struct sc_mpi_library *l = c->library;
	int kind = l->undefined, count = 0, is_weighted;

	if (l->group_topology(communicator, &kind) || kind == l->undefined)
		return false;
	if (kind == l->cart && l->cart_dimensions(communicator, &count))
		return false;
	if (kind == l->graph && l->graph_degree(communicator, c->rank, &count))
		return false;
	c->ranks[SC_MPI_SENT] = c->ranks[SC_MPI_RECEIVED] = kind == l->cart ? 2 * count : count;
	return kind == l->cart || kind == l->graph ||
	       !l->graph_degrees(communicator, &c->ranks[SC_MPI_RECEIVED], &c->ranks[SC_MPI_SENT],
				 &is_weighted);
}

/* False if the library does not say. */
static bool find_group(struct call *c)
{
	uint64_t communicator = c->parameter[c->row->group - 1];
	int is_inter = 0, count = 0;

	if (c->library->group_rank(communicator, &c->rank) ||
	    c->library->group_is_inter(communicator, &is_inter))
		return false;
	if (c->row->has_neighbours)
		return find_neighbours(c, communicator);
	c->is_inter = is_inter;
	if (is_inter ? c->library->group_remote_size(communicator, &count)
		     : c->library->group_size(communicator, &count))
		return false;
	c->ranks[SC_MPI_SENT] = c->ranks[SC_MPI_RECEIVED] = count;
	return true;
}

/* In place the receive buffer has the data that is sent, and as much of it as is sent. */
static void use_in_place(const struct call *c)
{
	struct sc_mpi_use use = c->row->use[SC_MPI_RECEIVED];

	if (c->row->use[SC_MPI_SENT].shape == SC_MPI_SUM ||
	    (c->row->use[SC_MPI_SENT].shape == SC_MPI_EACH && use.shape == SC_MPI_ONE))
		use.shape = c->row->use[SC_MPI_SENT].shape;
	use.mode = SC_READ_WRITE;
	if (takes_part(c, &use))
		use_buffer(c, &use);
}

void sc_mpi_describe(const struct sc_mpi_library *l, const struct sc_mpi_row *row,
		     const uint64_t *parameter, struct sc_mpi_accesses *out)
{
	struct call c = {.library = l, .row = row, .parameter = parameter, .out = out};

	out->count = 0;
	if (row->group && !find_group(&c))
		return;
	if (row->group && row->use[SC_MPI_SENT].shape && row->use[SC_MPI_RECEIVED].shape &&
	    parameter[row->use[SC_MPI_SENT].at] == l->in_place) {
		use_in_place(&c);
		return;
	}
	for (unsigned i = 0; i < SC_MPI_USES; i++) {
		const struct sc_mpi_use *use = &row->use[i];

		if (use->shape && takes_part(&c, use) && parameter[use->at] != l->in_place)
			use_buffer(&c, use);
	}
}

const struct sc_access *sc_mpi_first_of_device(const struct sc_mpi_accesses *list)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->item[i].memory == SC_MEM_DEVICE &&
		    !sc_safe_read_is_possible(list->item[i].base & ~UINT64_C(7)))
			return &list->item[i];
	return NULL;
}
