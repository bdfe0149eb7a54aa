/* Operations of MPI: what is written of them. */
#include "extensions/agents/mpi/agent.h"

#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/python/python.h"
#include "interposer/stack/stack.h"
#include "trace/agent.h"

#define FAILED 999 /* CUDA_ERROR_UNKNOWN: MPI's numbers mean other things */

/* One access of neighbouring bytes stands in the op's own fields. */
static void take_linear(struct sc_op *op, const struct sc_mpi_accesses *list)
{
	const struct sc_access *a = &list->item[0];

	if (list->count != 1 || a->rows != 1 || a->slices != 1 || a->known != SC_KNOWN_EXACT)
		return;
	if (a->mode == SC_READ) {
		op->src = a->base;
		op->src_mem = a->memory;
	} else if (a->mode == SC_WRITE) {
		op->dst = a->base;
		op->dst_mem = a->memory;
	} else {
		return;
	}
	op->bytes = a->width;
}

static void put_stream(struct sc_op *op, const struct sc_handle *stream)
{
	if (!stream)
		return;
	op->stream = stream->id;
	op->context = stream->context;
}

struct sc_op sc_mpi_agent_op(const struct sc_mpi_beginning *b, struct sc_library_function *function,
			     const struct sc_mpi_accesses *list)
{
	struct sc_op op = {.kind = SC_OP_AGENT, .result = SC_RESULT_PENDING, .value = b->ability};

	op.call = sc_function_string(function);
	put_stream(&op, b->stream);
	if (b->message)
		sc_agent_add_message(&op, b->message->group, b->message->peer, b->message->value,
				     (uint32_t)b->message->tag);
	take_linear(&op, list);
	return op;
}

uint32_t sc_mpi_agent_stack(const void *frame)
{
	struct sc_stack stack = frame ? sc_stack_of_call(frame) : sc_stack_here();

	return sc_python_stack_of_access(stack.id);
}

struct sc_mpi_flight sc_mpi_agent_write(struct sc_op *op, const struct sc_access *item,
					unsigned count, bool is_kept)
{
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;
	struct sc_attachment part = {
		.type = SC_ATTACH_ACCESSES, .bytes = count * (uint32_t)sizeof(*item), .data = item};

	sc_put_stamp(op);
	flight.sequence = sc_put_op(op, &part, !op->bytes);
	if (flight.sequence != SC_NOT_WRITTEN)
		flight.hold = sc_guard_hold(item, count, flight.sequence, is_kept);
	return flight;
}

struct sc_mpi_flight sc_mpi_agent_begin_in(const struct sc_mpi_beginning *b,
					   struct sc_library_function *function,
					   const struct sc_mpi_accesses *list)
{
	struct sc_op op;

	if (!list->count)
		return SC_MPI_NO_FLIGHT;
	op = sc_mpi_agent_op(b, function, list);
	op.stack = sc_mpi_agent_stack(b->frame);
	return sc_mpi_agent_write(&op, list->item, list->count, b->is_kept);
}

enum sc_agent_ability sc_mpi_agent_ability(const struct sc_mpi_library *l,
					   const struct sc_mpi_accesses *list)
{
	return l->is_host_only && sc_mpi_first_of_device(list) ? SC_AGENT_HOST_ONLY
							       : SC_AGENT_ANY_MEMORY;
}

void sc_mpi_agent_result(struct sc_mpi_flight flight, int status)
{
	if (flight.sequence == SC_NOT_WRITTEN)
		return;
	sc_put_result(flight.sequence, status ? FAILED : 0);
	if (status)
		sc_guard_release(flight.hold, flight.sequence);
}

/* ---- ends ---- */

static struct sc_op end_of_op(uint64_t link, enum sc_agent_end how)
{
	return (struct sc_op){.kind = SC_OP_AGENT_END, .link = link, .value = how};
}

static void put_end(struct sc_op op)
{
	sc_put_stamp(&op);
	sc_put_op(&op, NULL, 0);
}

void sc_mpi_ends_put(struct sc_mpi_ends *ends)
{
	if (!ends->count)
		return;
	sc_put_stamp(&ends->op[0]);
	for (unsigned i = 1; i < ends->count; i++) {
		ends->op[i].thread = ends->op[0].thread;
		ends->op[i].callback = ends->op[0].callback;
		ends->op[i].time_ns = ends->op[0].time_ns;
	}
	sc_put_ops(ends->op, ends->count);
	ends->count = 0;
}

static struct sc_op *next_of(struct sc_mpi_ends *ends)
{
	if (ends->count == SC_MPI_ENDS)
		sc_mpi_ends_put(ends);
	return &ends->op[ends->count++];
}

void sc_mpi_agent_end(struct sc_mpi_flight flight, enum sc_agent_end how)
{
	if (flight.sequence == SC_NOT_WRITTEN)
		return;
	sc_guard_release(flight.hold, flight.sequence);
	put_end(end_of_op(flight.sequence + 1, how));
}

static void put_end_in(struct sc_mpi_flight flight, uint32_t stream, uint32_t context)
{
	struct sc_op op = end_of_op(flight.sequence + 1, SC_AGENT_COMPLETE);

	op.stream = stream;
	op.context = context;
	put_end(op);
}

void sc_mpi_agent_end_in(struct sc_mpi_flight flight, uint32_t stream, uint32_t context)
{
	sc_guard_release(flight.hold, flight.sequence);
	put_end_in(flight, stream, context);
}

void sc_mpi_agent_pass(struct sc_mpi_flight flight, const struct sc_handle *stream)
{
	put_end_in(flight, stream->id, stream->context);
}

void sc_mpi_agent_end_message(const struct sc_mpi_flight *flight, enum sc_agent_end how,
			      uint32_t peer, uint32_t tag, struct sc_mpi_ends *ends)
{
	struct sc_op *op = next_of(ends);

	sc_guard_release(flight->hold, flight->sequence);
	*op = end_of_op(flight->sequence + 1, how);
	sc_agent_add_end(op, peer, tag);
}

void sc_mpi_agent_leave(void)
{
	put_end(end_of_op(0, SC_AGENT_LEFT));
}
