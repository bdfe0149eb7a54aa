/* Lists: from counts, topologies and groups to ranks. */
#include "extensions/agents/mpi/list.h"

#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/thread.h"

#define RANKS_A_RECORD 64

typedef uint64_t word;

/* What is written, 64 ranks at a time. */
struct writer {
	const struct sc_mpi_messages *of;
	uint32_t first;
	uint64_t mask;
};

/* The ranks on the other side of a collective. */
struct others {
	const struct sc_mpi_call *call;
	int count;
	int own;   /* the caller's rank, or -1 */
	int *rank; /* owned, or NULL: the ith is i */
	size_t bytes;
};

static int int_at(const struct sc_mpi_call *c, unsigned parameter)
{
	return (int)(uint32_t)c->of.parameter[parameter];
}

static void flush(struct writer *w)
{
	struct sc_op op;

	if (!w->mask)
		return;
	op = sc_put_new(SC_OP_MESSAGE);
	op.call = sc_function_string(w->of->function);
	op.value = SC_MESSAGE_LIST;
	op.object = w->of->item[0].group;
	op.peer = w->first + 1;
	op.dst = w->mask;
	sc_put_op(&op, NULL, 0);
	w->mask = 0;
}

static void add(struct writer *w, int rank)
{
	uint32_t first = (uint32_t)rank / RANKS_A_RECORD * RANKS_A_RECORD;

	if (rank < 0)
		return;
	if (first != w->first)
		flush(w);
	w->first = first;
	w->mask |= UINT64_C(1) << (uint32_t)rank % RANKS_A_RECORD;
}

/* ---- counts ---- */

static bool has_bytes(const struct sc_mpi_call *c, word type, int64_t count)
{
	int size;

	return count > 0 && !c->library->type_size(type, &size) && size > 0;
}

static int64_t count_in_list(const struct sc_mpi_call *c, unsigned parameter, int i)
{
	const char *list = sc_mpi_pointer(c, parameter);
	int64_t wide;
	int32_t narrow;

	if (c->row->is_wide) {
		memcpy(&wide, list + (size_t)i * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, list + (size_t)i * sizeof(narrow), sizeof(narrow));
	return narrow;
}

static int64_t count_at(const struct sc_mpi_call *c, unsigned parameter)
{
	word n = c->of.parameter[parameter];

	return c->row->is_wide ? (int64_t)n : (int32_t)(uint32_t)n;
}

/* Does the caller get data from the ith on the other side? */
static bool is_source(const struct sc_mpi_call *c, int i)
{
	const struct sc_mpi_use *got = &c->row->use[SC_MPI_RECEIVED];
	const struct sc_mpi_library *l = c->library;
	word type = sc_mpi_handle_at(l, &c->of.parameter[got->type]);

	switch ((enum sc_mpi_shape)got->shape) {
	case SC_MPI_ONE:
	case SC_MPI_EACH: return has_bytes(c, type, count_at(c, got->count));
	case SC_MPI_TYPED:
		type = sc_mpi_handle_at(l, (const char *)sc_mpi_pointer(c, got->type) +
						   (size_t)i * (size_t)l->handle_bytes);
		return has_bytes(c, type, count_in_list(c, got->count, i));
	case SC_MPI_PLACED: return has_bytes(c, type, count_in_list(c, got->count, i));
	case SC_MPI_NONE:
	case SC_MPI_ELEMENT:
	case SC_MPI_SUM:
	case SC_MPI_OWN: break;
	}
	return false;
}

/* ---- neighbours ---- */

static int *new_ranks(struct others *o, int count)
{
	o->bytes = (size_t)(count > 0 ? count : 1) * sizeof(int);
	o->rank = sc_arena_map(o->bytes, MAP_PRIVATE);
	return o->rank;
}

/* A grid gives each rank two neighbours in each dimension; at its border some are none. */
static bool find_in_grid(struct others *o, word communicator)
{
	const struct sc_mpi_library *l = o->call->library;
	int dimensions;

	if (l->cart_dimensions(communicator, &dimensions) || !new_ranks(o, 2 * dimensions))
		return false;
	for (int i = 0; i < dimensions; i++)
		if (l->cart_shift(communicator, i, 1, &o->rank[2 * i], &o->rank[2 * i + 1]))
			return false;
	o->count = 2 * dimensions;
	return true;
}

static bool find_in_graph(struct others *o, word communicator)
{
	const struct sc_mpi_library *l = o->call->library;

	return !l->graph_degree(communicator, o->own, &o->count) && new_ranks(o, o->count) &&
	       !l->graph_neighbours(communicator, o->own, o->count, o->rank);
}

static bool find_in_distributed_graph(struct others *o, word communicator)
{
	const struct sc_mpi_library *l = o->call->library;
	int in, out, is_weighted, *list;

	if (l->graph_degrees(communicator, &in, &out, &is_weighted))
		return false;
	list = new_ranks(o, 2 * in + 2 * out);
	o->count = in;
	return list && !l->graph_sources(communicator, in, list, list + in, out, list + 2 * in,
					 list + 2 * in + out);
}

static bool find_neighbours(struct others *o, word communicator)
{
	const struct sc_mpi_library *l = o->call->library;
	int kind = l->undefined;

	if (l->group_topology(communicator, &kind) || kind == l->undefined)
		return false;
	if (kind == l->cart)
		return find_in_grid(o, communicator);
	if (kind == l->graph)
		return find_in_graph(o, communicator);
	return find_in_distributed_graph(o, communicator);
}

/* ---- collectives ---- */

static void write_sources(struct sc_mpi_messages *messages, const struct others *o)
{
	struct writer w = {.of = messages};
	int sources = 0, others = 0;

	for (int i = 0; !o->rank && i < o->count; i++) {
		others += i != o->own;
		sources += i != o->own && is_source(o->call, i);
	}
	if (others && sources == others) {
		messages->item[0].value |= SC_MESSAGE_FROM_ALL;
		return;
	}
	for (int i = 0; i < o->count; i++) {
		int rank = o->rank ? o->rank[i] : i;

		if (rank != o->own && is_source(o->call, i))
			add(&w, rank);
	}
	flush(&w);
}

/* Everybody gets a part that the root, or everybody, has given. */
static void write_part(const struct sc_mpi_call *c, struct sc_mpi_messages *messages, int own)
{
	const struct sc_mpi_use *got = &c->row->use[SC_MPI_RECEIVED];
	bool has_list = got->shape == SC_MPI_OWN;
	struct writer w = {.of = messages};

	if (!has_bytes(c, sc_mpi_handle_at(c->library, &c->of.parameter[got->type]),
		       has_list ? count_in_list(c, got->count, own) : count_at(c, got->count)))
		return;
	if (has_list)
		messages->item[0].value |= SC_MESSAGE_FROM_ALL;
	else if (int_at(c, c->row->root) != own)
		add(&w, int_at(c, c->row->root));
	flush(&w);
}

static void write_collective(const struct sc_mpi_call *c, struct sc_mpi_messages *messages)
{
	const struct sc_mpi_use *sent = &c->row->use[SC_MPI_SENT];
	const struct sc_mpi_use *got = &c->row->use[SC_MPI_RECEIVED];
	word communicator = c->of.parameter[c->row->group - 1u];
	struct others o = {.call = c};
	bool is_known;

	if (c->library->group_rank(communicator, &o.own))
		return;
	if (got->shape == SC_MPI_OWN ||
	    (sent->shape == SC_MPI_PLACED && sent->who == SC_MPI_ROOT)) {
		write_part(c, messages, o.own);
		return;
	}
	if (!c->row->has_neighbours &&
	    (got->shape < SC_MPI_PLACED ||
	     (got->who == SC_MPI_ROOT && int_at(c, c->row->root) != o.own)))
		return;
	is_known = c->row->has_neighbours ? find_neighbours(&o, communicator)
					  : !c->library->group_size(communicator, &o.count);
	if (is_known)
		write_sources(messages, &o);
	if (o.rank)
		sc_raw_unmap(o.rank, o.bytes);
}

/* ---- epochs ---- */

static void write_ranks(const struct sc_mpi_call *c, const struct sc_mpi_messages *messages,
			word group, word all, int count)
{
	size_t bytes = 2 * (size_t)(count > 0 ? count : 1) * sizeof(int);
	int *list = sc_arena_map(bytes, MAP_PRIVATE);
	struct writer w = {.of = messages};

	for (int i = 0; list && i < count; i++)
		list[i] = i;
	if (list && !c->library->group_translate(group, count, list, all, list + count))
		for (int i = 0; i < count; i++)
			add(&w, list[count + i]);
	flush(&w);
	if (list)
		sc_raw_unmap(list, bytes);
}

static void write_epoch(const struct sc_mpi_call *c, const struct sc_mpi_messages *messages)
{
	word group = sc_mpi_handle_at(c->library, &c->of.parameter[c->row->members - 1u]), all = 0;
	word window = sc_mpi_handle_at(c->library, &c->of.parameter[c->row->window]);
	int count;

	if (c->library->members_count(group, &count) || c->library->window_members(window, &all))
		return;
	write_ranks(c, messages, group, all, count);
	c->library->group_free(&all);
}

void sc_mpi_list_write(const struct sc_mpi_call *c, struct sc_mpi_messages *messages)
{
	if (!messages->count)
		return;
	sc_self.busy++;
	if (c->row->members)
		write_epoch(c, messages);
	else if (c->row->group)
		write_collective(c, messages);
	sc_self.busy--;
}
