/* Operations of MPI: what is written at their beginning and at their end. */
#include "extensions/agents/mpi/operation.h"

#include <string.h>
#include "interposer/core/put.h"
#include "extensions/agents/mpi/known.h"
#include "extensions/agents/mpi/list.h"

/* The message that fits into the record of the accesses, or NULL. */
static const struct sc_mpi_message *fitting(const struct sc_mpi_accesses *list,
					    const struct sc_mpi_messages *messages)
{
	const struct sc_mpi_message *m = &messages->item[0];
	enum sc_message kind = messages->count ? sc_message_kind(m->value) : SC_MESSAGES;

	if ((kind != SC_MESSAGE_SEND && kind != SC_MESSAGE_RECEIVE) ||
	    m->value & SC_MESSAGE_UNSIZED || !list->count ||
	    sc_agent_message_bytes(m->value, list->item, list->count) != m->bytes)
		return NULL;
	return m;
}

/* True if its record has its first message. */
static bool is_message(const struct sc_mpi_flight *flight)
{
	return flight->message[0] && flight->message[0] == flight->sequence + 1;
}

/* The messages that have records of their own. */
static struct sc_mpi_flight others(struct sc_mpi_flight flight)
{
	if (is_message(&flight))
		flight.message[0] = 0;
	return flight;
}

struct sc_mpi_flight sc_mpi_operation_begin(const struct sc_mpi_call *c,
					    const struct sc_mpi_accesses *list,
					    const struct sc_mpi_messages *messages)
{
	const struct sc_mpi_message *one = fitting(list, messages);
	struct sc_mpi_flight message = SC_MPI_NO_FLIGHT, flight;

	/* before the operation: a reader of a running process stops where that has no result yet */
	sc_mpi_message_begin_from(messages, one != NULL, &message);
	flight = sc_mpi_call_begin(c, list, one);
	memcpy(flight.message, message.message, sizeof(flight.message));
	if (one)
		flight.message[0] = flight.sequence + 1; /* SC_NOT_WRITTEN: 0 */
	return flight;
}

/* A receive of a message that was too large got what there was room for. */
void sc_mpi_operation_result(const struct sc_mpi_call *c, struct sc_mpi_flight flight, int status)
{
	struct sc_mpi_flight message;

	if (status && sc_mpi_message_is_done(c->library, status))
		status = 0;
	sc_mpi_agent_result(flight, status);
	if (is_message(&flight) && !flight.message[1])
		return;
	message = others(flight);
	sc_mpi_message_result(c->library, &message, status);
}

void sc_mpi_operation_end(const struct sc_mpi_call *c, const struct sc_mpi_flight *flight,
			  enum sc_agent_end how, const void *status, struct sc_mpi_ends *ends)
{
	struct sc_mpi_flight message;
	struct sc_mpi_answer from;

	if (is_message(flight)) {
		from = sc_mpi_message_answer(c->library, status);
		sc_mpi_agent_end_message(flight, how, from.peer, from.tag, ends);
		if (!flight->message[1])
			return;
	} else {
		sc_mpi_ends_put(ends); /* in the order of the operations */
		sc_mpi_agent_end(*flight, how);
	}
	sc_mpi_ends_put(ends);
	message = others(*flight);
	sc_mpi_message_end(c->library, &message, status, 0);
}

/* What one sends has no status, and is all that the record of an operation that also receives has.
 */
void sc_mpi_operation_returned(const struct sc_mpi_call *c, struct sc_mpi_flight flight)
{
	struct sc_mpi_flight message = others(flight);
	struct sc_mpi_ends ends = {.count = 0};
	struct sc_mpi_answer from;

	if (is_message(&flight) && !message.message[1] && sc_mpi_message_is_open(c)) {
		from = sc_mpi_message_answer(c->library, sc_mpi_message_status(c, 0));
		sc_mpi_agent_end_message(&flight, SC_AGENT_COMPLETE, from.peer, from.tag, &ends);
		sc_mpi_ends_put(&ends);
		return;
	}
	sc_mpi_agent_end(flight, SC_AGENT_COMPLETE);
	sc_mpi_message_returned(c, &message);
}

static struct sc_mpi_flight find_out(const struct sc_mpi_call *c)
{
	struct sc_mpi_known_state since = sc_mpi_known_now();
	struct sc_mpi_messages messages;
	struct sc_mpi_accesses list;
	struct sc_mpi_flight flight;

	sc_mpi_call_describe(c, &list);
	sc_mpi_message_describe(c, &messages);
	sc_mpi_list_write(c, &messages);
	flight = sc_mpi_operation_begin(c, &list, &messages);
	sc_mpi_known_keep(c, since, &list, fitting(&list, &messages));
	return flight;
}

int sc_mpi_operation_run(const struct sc_mpi_call *c, struct sc_mpi_flight *flight, int *error)
{
	int status;

	if (!sc_mpi_known_begin(c, flight))
		*flight = find_out(c);
	status = sc_mpi_call_real(c, error);
	sc_mpi_operation_result(c, *flight, status);
	return status;
}
