/* Operations of MPI: what is written of them. */
#include "interposer/mpi/agent.h"

#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/watch.h"
#include "interposer/object/memory.h"
#include "interposer/python/python.h"
#include "interposer/stack/stack.h"
#include "trace/agent.h"

#define FAILED 999 /* CUDA_ERROR_UNKNOWN: MPI's numbers mean other things */

/* Of this process: string ids of the functions' names, 0: not written yet. */
static atomic_uint names[SC_LIBRARY_ROWS - SC_LIBRARY_FIRST_MPI_ROW];

uint32_t sc_mpi_agent_name(enum sc_library_row row)
{
	atomic_uint *name = &names[row - SC_LIBRARY_FIRST_MPI_ROW];
	/* acquire: pairs with the release below */
	uint32_t id = atomic_load_explicit(name, memory_order_acquire);

	if (id)
		return id;
	id = sc_put_string(sc_library_plain_name(row));
	atomic_store_explicit(name, id, memory_order_release);
	return id;
}

static uint64_t end_of(const struct sc_access *a)
{
	return a->base + (a->slices - 1) * a->slice_pitch + (a->rows - 1) * a->pitch + a->width;
}

/* Memory of the host that CUDA knows may be protected: not while MPI uses it. */
static uint32_t exempt(const struct sc_mpi_accesses *list)
{
	uint64_t low = UINT64_MAX, high = 0;
	uint32_t number;

	for (unsigned i = 0; i < list->count; i++) {
		const struct sc_access *a = &list->item[i];

		if (!sc_memory_is_host(a->memory) || a->memory == SC_MEM_PAGEABLE)
			continue;
		low = a->base < low ? a->base : low;
		high = end_of(a) > high ? end_of(a) : high;
	}
	if (low >= high || sc_session.options.guard == SC_GUARD_OFF)
		return 0;
	/* no frame is further up than this: only its end ends it */
	number = sc_guard_exempt(0, low, high, (const void *)UINTPTR_MAX);
	sc_guard_open_range(low, high - low, true);
	return number;
}

static void watch(const struct sc_mpi_accesses *list, uint64_t sequence)
{
	for (unsigned i = 0; i < list->count; i++)
		if (sc_memory_is_host(list->item[i].memory))
			sc_guard_watch_plain(&list->item[i], sequence);
}

/* One access of neighbouring bytes stands in the op's own fields; true if it does. */
static bool take_linear(struct sc_op *op, const struct sc_mpi_accesses *list)
{
	const struct sc_access *a = &list->item[0];

	if (list->count != 1 || a->rows != 1 || a->slices != 1 || a->known != SC_KNOWN_EXACT)
		return false;
	if (a->mode == SC_READ) {
		op->src = a->base;
		op->src_mem = a->memory;
	} else if (a->mode == SC_WRITE) {
		op->dst = a->base;
		op->dst_mem = a->memory;
	} else {
		return false;
	}
	op->bytes = a->width;
	return true;
}

static void put_stream(struct sc_op *op, const struct sc_handle *stream)
{
	if (!stream)
		return;
	op->stream = stream->id;
	op->context = stream->context;
}

struct sc_mpi_flight sc_mpi_agent_begin_in(const struct sc_mpi_beginning *b,
					   enum sc_library_row row,
					   const struct sc_mpi_accesses *list)
{
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;
	struct sc_attachment part = {.type = SC_ATTACH_ACCESSES,
				     .bytes = list->count * (uint32_t)sizeof(list->item[0]),
				     .data = list->item};
	struct sc_op op;

	if (!list->count)
		return flight;
	op = sc_put_new(SC_OP_AGENT);
	op.call = sc_mpi_agent_name(row);
	op.result = SC_RESULT_PENDING;
	op.stack = sc_python_stack_of_access(sc_stack_here().id);
	op.value = b->ability;
	put_stream(&op, b->stream);
	if (b->message)
		sc_agent_add_message(&op, b->message->group, b->message->peer, b->message->value,
				     (uint32_t)b->message->tag);
	flight.sequence = sc_put_op(&op, &part, !take_linear(&op, list));
	if (flight.sequence == SC_NOT_WRITTEN)
		return flight;
	flight.exemption = exempt(list);
	if (b->is_kept)
		watch(list, flight.sequence);
	return flight;
}

struct sc_mpi_flight sc_mpi_agent_begin(const struct sc_mpi_library *l, enum sc_library_row row,
					const struct sc_mpi_accesses *list, bool is_kept,
					const struct sc_mpi_message *message)
{
	bool is_unable = l->is_host_only && sc_mpi_first_of_device(list);

	return sc_mpi_agent_begin_in(
		&(struct sc_mpi_beginning){.is_kept = is_kept,
					   .ability = is_unable ? SC_AGENT_HOST_ONLY
								: SC_AGENT_ANY_MEMORY,
					   .message = message},
		row, list);
}

static void let_go(struct sc_mpi_flight flight)
{
	if (flight.exemption)
		sc_guard_exempt_end(flight.exemption);
	sc_guard_unwatch(flight.sequence);
}

void sc_mpi_agent_result(struct sc_mpi_flight flight, int status)
{
	if (flight.sequence == SC_NOT_WRITTEN)
		return;
	sc_put_result(flight.sequence, status ? FAILED : 0);
	if (status)
		let_go(flight);
}

static struct sc_op end_of_op(uint64_t link, enum sc_agent_end how)
{
	struct sc_op op = sc_put_new(SC_OP_AGENT_END);

	op.link = link;
	op.value = how;
	return op;
}

void sc_mpi_agent_end(struct sc_mpi_flight flight, enum sc_agent_end how)
{
	struct sc_op op;

	if (flight.sequence == SC_NOT_WRITTEN)
		return;
	let_go(flight);
	op = end_of_op(flight.sequence + 1, how);
	sc_put_op(&op, NULL, 0);
}

static void put_end_in(struct sc_mpi_flight flight, uint32_t stream, uint32_t context)
{
	struct sc_op op = end_of_op(flight.sequence + 1, SC_AGENT_COMPLETE);

	op.stream = stream;
	op.context = context;
	sc_put_op(&op, NULL, 0);
}

void sc_mpi_agent_end_in(struct sc_mpi_flight flight, uint32_t stream, uint32_t context)
{
	let_go(flight);
	put_end_in(flight, stream, context);
}

void sc_mpi_agent_pass(struct sc_mpi_flight flight, const struct sc_handle *stream)
{
	put_end_in(flight, stream->id, stream->context);
}

void sc_mpi_agent_end_message(struct sc_mpi_flight flight, enum sc_agent_end how, uint32_t peer,
			      uint32_t tag)
{
	struct sc_op op;

	let_go(flight);
	op = end_of_op(flight.sequence + 1, how);
	sc_agent_add_end(&op, peer, tag);
	sc_put_op(&op, NULL, 0);
}

void sc_mpi_agent_leave(void)
{
	struct sc_op op = end_of_op(0, SC_AGENT_LEFT);

	sc_put_op(&op, NULL, 0);
}

const struct sc_module sc_module_mpi_names = {SC_MODULE_STATE(names)};
