/* Messages: from parameters to ops. */
#include "extensions/agents/mpi/message.h"

#include <stddef.h>
#include <string.h>
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "extensions/agents/mpi/group.h"
#include "extensions/agents/mpi/list.h"

#define FAILED 999 /* as in agent.c */

typedef uint64_t word;

static int int_at(const struct sc_mpi_call *c, unsigned parameter)
{
	return (int)(uint32_t)c->of.parameter[parameter];
}

static word handle_at(const struct sc_mpi_call *c, unsigned parameter)
{
	return sc_mpi_handle_at(c->library, &c->of.parameter[parameter]);
}

/* ---- sizes ---- */

static bool has_count(uint8_t shape)
{
	return shape == SC_MPI_ONE || shape == SC_MPI_EACH;
}

static bool count_of(const struct sc_mpi_call *c, const struct sc_mpi_use *use, uint64_t *out)
{
	word n = c->of.parameter[use->count];

	*out = c->row->is_wide ? n : (uint64_t)(int64_t)(int32_t)(uint32_t)n;
	return (int64_t)*out >= 0;
}

/* Bytes of `count` elements, without gaps between them. */
static bool bytes_of(const struct sc_mpi_call *c, const struct sc_mpi_use *use, uint64_t *out)
{
	uint64_t count;
	int size;

	return has_count(use->shape) && count_of(c, use, &count) &&
	       !c->library->type_size(handle_at(c, use->type), &size) && size >= 0 &&
	       !__builtin_mul_overflow(count, (uint64_t)size, out);
}

/* What every process of a collective gives or gets must be as large in all others. Lists of counts
 * may differ, and so may neighbours. */
static bool collective_bytes(const struct sc_mpi_call *c, uint64_t *out)
{
	const struct sc_mpi_use *sent = &c->row->use[SC_MPI_SENT];
	const struct sc_mpi_use *got = &c->row->use[SC_MPI_RECEIVED];
	int rank;

	if (c->row->has_neighbours || sent->shape >= SC_MPI_PLACED || got->shape >= SC_MPI_PLACED)
		return false;
	if (!sent->shape || c->of.parameter[sent->at] == c->library->in_place)
		return bytes_of(c, got, out);
	if (sent->who == SC_MPI_ROOT && got->who == SC_MPI_EVERYONE &&
	    (c->library->group_rank(handle_at(c, c->row->group - 1u), &rank) ||
	     rank != int_at(c, c->row->root) || c->of.parameter[got->at] != c->library->in_place))
		sent = got;
	return bytes_of(c, sent, out);
}

/* ---- what a call does ---- */

static word communicator_after(const struct sc_mpi_call *c)
{
	const struct sc_mpi_use *use = c->row->use;
	unsigned last = use[0].peer > use[1].peer ? use[0].peer : use[1].peer;

	return handle_at(c, last - 1u + 2);
}

static struct sc_mpi_message *next_of(struct sc_mpi_messages *out, unsigned kind)
{
	struct sc_mpi_message *m = &out->item[out->count++];

	*m = (struct sc_mpi_message){.value = kind};
	if (out->row && out->row->way == SC_MPI_BLOCKS)
		m->value |= SC_MESSAGE_BLOCKS;
	return m;
}

static void describe_side(const struct sc_mpi_call *c, unsigned side, uint32_t group,
			  struct sc_mpi_messages *out)
{
	const struct sc_mpi_use *use = &c->row->use[side];
	int peer = use->peer ? int_at(c, use->peer - 1u) : c->library->proc_null;
	int tag = use->peer ? int_at(c, use->peer) : 0;
	struct sc_mpi_message *m;

	if (peer == c->library->proc_null)
		return;
	m = next_of(out, side == SC_MPI_SENT ? SC_MESSAGE_SEND : SC_MESSAGE_RECEIVE);
	m->group = group;
	m->peer = peer == c->library->any_source ? 0 : (uint32_t)peer + 1;
	m->tag = tag == c->library->any_tag ? 0 : (uint64_t)(uint32_t)tag + 1;
	if (side == SC_MPI_SENT && c->row->is_synchronous)
		m->value |= SC_MESSAGE_SYNCHRONOUS;
	if (!bytes_of(c, use, &m->bytes))
		m->value |= SC_MESSAGE_UNSIZED;
}

static void describe_collective(const struct sc_mpi_call *c, struct sc_mpi_messages *out)
{
	word communicator = handle_at(c, c->row->group - 1u);
	uint32_t group = sc_mpi_group_id(c->library, SC_MPI_COMMUNICATOR, communicator);
	struct sc_mpi_message *m;

	if (!group)
		return;
	m = next_of(out, SC_MESSAGE_COLLECTIVE);
	m->group = group;
	m->tag = sc_mpi_group_count(c->library, SC_MPI_COMMUNICATOR, communicator);
	if (c->row->root)
		m->peer = (uint32_t)int_at(c, c->row->root) + 1;
	if (c->row->operation)
		m->operation = sc_mpi_operation(c->library, handle_at(c, c->row->operation));
	if (!collective_bytes(c, &m->bytes))
		m->value |= SC_MESSAGE_UNSIZED;
	/* Without data there is nothing to wait for. What is started later has no list of ranks. */
	if ((m->value & SC_MESSAGE_UNSIZED || m->bytes) && c->row->way != SC_MPI_PREPARES)
		m->value |= sc_message_flow_bits((enum sc_message_flow)c->row->flow);
}

/* It brings data to the process. */
static bool gets(const struct sc_mpi_call *c)
{
	const struct sc_mpi_use *got = &c->row->use[SC_MPI_RECEIVED];
	uint64_t bytes;

	return got->peer && (got->shape == SC_MPI_ELEMENT || (bytes_of(c, got, &bytes) && bytes));
}

/* Of a fence, which all processes of the window make, too. */
static void describe_window(const struct sc_mpi_call *c, struct sc_mpi_messages *out)
{
	word window = handle_at(c, c->row->window);
	const struct sc_mpi_use *use = c->row->use;
	unsigned peer = use[SC_MPI_SENT].peer ? use[SC_MPI_SENT].peer : use[SC_MPI_RECEIVED].peer;
	uint32_t group = sc_mpi_group_id(c->library, SC_MPI_WINDOW, window);
	struct sc_mpi_message *m;

	if (!group || (peer && int_at(c, peer - 1u) == c->library->proc_null))
		return;
	m = next_of(out, c->row->epoch ? c->row->epoch : SC_MESSAGE_ACCESS);
	m->group = group;
	m->peer = peer ? (uint32_t)int_at(c, peer - 1u) + 1 : 0;
	if (gets(c))
		m->value |= SC_MESSAGE_GETS;
	if (c->row->epoch != SC_MESSAGE_FENCE)
		return;
	m->value |= SC_MESSAGE_UNSIZED;
	if (sc_mpi_exposure_is_fenced(c) &&
	    !(int_at(c, c->row->index) & sc_mpi_constant(SC_MPI_MODE_NOPRECEDE)))
		m->value |= SC_MESSAGE_FROM_ALL;
	m->tag = sc_mpi_group_count(c->library, SC_MPI_WINDOW, window);
	if (int_at(c, c->row->index) & sc_mpi_constant(SC_MPI_MODE_NOSUCCEED))
		m->value |= SC_MESSAGE_CLOSES;
}

static bool is_of_window(const struct sc_mpi_row *row)
{
	return row->epoch ||
	       (row->window && (row->use[SC_MPI_SENT].peer || row->use[SC_MPI_RECEIVED].peer));
}

void sc_mpi_message_describe(const struct sc_mpi_call *c, struct sc_mpi_messages *out)
{
	const struct sc_mpi_use *use = c->row->use;
	uint32_t group;

	sc_self.busy++;
	out->count = 0;
	out->row = c->row;
	out->function = c->of.function;
	if (is_of_window(c->row)) {
		describe_window(c, out);
	} else if (c->row->group) {
		describe_collective(c, out);
	} else if (use[SC_MPI_SENT].peer || use[SC_MPI_RECEIVED].peer) {
		group = sc_mpi_group_id(c->library, SC_MPI_COMMUNICATOR, communicator_after(c));
		if (group) {
			describe_side(c, SC_MPI_SENT, group, out);
			describe_side(c, SC_MPI_RECEIVED, group, out);
		}
	}
	sc_self.busy--;
}

/* ---- what is written ---- */

static struct sc_op op_of(struct sc_library_function *function, const void *frame)
{
	struct sc_op op = sc_put_new(SC_OP_MESSAGE);

	op.call = sc_function_string(function);
	op.result = SC_RESULT_PENDING;
	op.stack = sc_mpi_agent_stack(frame);
	return op;
}

void sc_mpi_message_begin(const struct sc_mpi_messages *list, struct sc_mpi_flight *flight)
{
	sc_mpi_message_begin_from(list, 0, flight);
}

void sc_mpi_message_begin_from(const struct sc_mpi_messages *list, unsigned first,
			       struct sc_mpi_flight *flight)
{
	struct sc_op op;

	if (list->count <= first)
		return;
	sc_self.busy++;
	op = op_of(list->function, NULL);
	for (unsigned i = first; i < list->count; i++) {
		const struct sc_mpi_message *m = &list->item[i];

		op.value = m->value;
		op.object = m->group;
		op.peer = m->peer;
		op.src = m->tag;
		op.bytes = m->bytes;
		op.dst = m->operation;
		flight->message[i] = sc_put_op(&op, NULL, 0) + 1; /* SC_NOT_WRITTEN: 0 */
	}
	sc_self.busy--;
}

void sc_mpi_message_write(const struct sc_mpi_call *c, struct sc_mpi_flight *flight)
{
	struct sc_mpi_messages list;

	sc_mpi_message_describe(c, &list);
	sc_mpi_list_write(c, &list);
	sc_mpi_message_begin(&list, flight);
}

bool sc_mpi_message_is_done(const struct sc_mpi_library *l, int status)
{
	int class;

	return !status || (!l->error_class(status, &class) && class == l->truncated);
}

void sc_mpi_message_result(const struct sc_mpi_library *l, const struct sc_mpi_flight *flight,
			   int status)
{
	int result = sc_mpi_message_is_done(l, status) ? 0 : FAILED;

	for (unsigned i = 0; i < SC_MPI_USES; i++)
		if (flight->message[i])
			sc_put_result(flight->message[i] - 1, result);
}

void sc_mpi_message_over(uint64_t sequence, int status)
{
	sc_put_result(sequence, status ? FAILED : 0);
}

const void *sc_mpi_message_status(const struct sc_mpi_call *c, unsigned i)
{
	const struct sc_mpi_library *l = c->library;
	const char *status = c->row->status ? sc_mpi_pointer(c, c->row->status - 1u) : NULL;

	if (!status || (uint64_t)status == l->status_ignored)
		return NULL;
	return status + (size_t)i * (size_t)l->status_bytes;
}

/* Nothing of a send. */
struct sc_mpi_answer sc_mpi_message_answer(const struct sc_mpi_library *l, const void *status)
{
	int source, tag;

	if (!status)
		return (struct sc_mpi_answer){0};
	memcpy(&source, (const char *)status + l->source_at, sizeof(source));
	memcpy(&tag, (const char *)status + l->tag_at, sizeof(tag));
	if (source < 0 || tag < 0)
		return (struct sc_mpi_answer){0};
	return (struct sc_mpi_answer){(uint32_t)source + 1, (uint32_t)tag + 1};
}

void sc_mpi_message_end(const struct sc_mpi_library *l, const struct sc_mpi_flight *flight,
			const void *status, unsigned flags)
{
	struct sc_mpi_answer from = sc_mpi_message_answer(l, status);

	for (unsigned i = 0; i < SC_MPI_USES; i++) {
		struct sc_op op;

		if (!flight->message[i])
			continue;
		op = sc_put_new(SC_OP_MESSAGE_END);
		op.link = flight->message[i];
		op.value = flags;
		op.peer = from.peer;
		op.src = from.tag;
		sc_put_op(&op, NULL, 0);
	}
}

bool sc_mpi_message_is_open(const struct sc_mpi_call *c)
{
	const struct sc_mpi_use *use = &c->row->use[SC_MPI_RECEIVED];

	return use->peer && !c->row->group && !c->row->window &&
	       (int_at(c, use->peer - 1u) == c->library->any_source ||
		int_at(c, use->peer) == c->library->any_tag);
}

void sc_mpi_message_returned(const struct sc_mpi_call *c, const struct sc_mpi_flight *flight)
{
	struct sc_mpi_flight received = *flight;

	if (!sc_mpi_message_is_open(c))
		return;
	if (received.message[1]) /* the first is what was sent */
		received.message[0] = 0;
	sc_mpi_message_end(c->library, &received, sc_mpi_message_status(c, 0), 0);
}

uint64_t sc_mpi_message_wait(const struct sc_mpi_call *c, uint64_t first, unsigned count,
			     bool is_any)
{
	uint64_t sequence;
	struct sc_op op;

	sc_self.busy++;
	op = op_of(c->of.function, c->of.frame);
	op.value = SC_MESSAGE_WAIT | SC_MESSAGE_BLOCKS | (is_any ? SC_MESSAGE_ANY : 0u);
	op.src = count;
	op.link = first;
	sequence = sc_put_op(&op, NULL, 0);
	sc_self.busy--;
	return sequence;
}

uint64_t sc_mpi_message_leave(const struct sc_mpi_call *c)
{
	uint64_t sequence = SC_NOT_WRITTEN;
	struct sc_op op;

	sc_self.busy++;
	op = op_of(c->of.function, c->of.frame);
	op.object = sc_mpi_group_id(c->library, SC_MPI_COMMUNICATOR, c->library->world);
	op.src = sc_mpi_group_count(c->library, SC_MPI_COMMUNICATOR, c->library->world);
	op.value =
		SC_MESSAGE_COLLECTIVE | SC_MESSAGE_BLOCKS | SC_MESSAGE_UNSIZED | SC_MESSAGE_LEAVES;
	if (op.object)
		sequence = sc_put_op(&op, NULL, 0);
	sc_self.busy--;
	return sequence;
}

/* ---- calls that are not recorded ---- */

void sc_mpi_message_miss(const struct sc_mpi_call *c)
{
	const struct sc_mpi_use *use = c->row->use;
	const struct sc_mpi_library *l = c->library;

	sc_self.busy++;
	if (is_of_window(c->row)) {
		word window = handle_at(c, c->row->window);

		sc_mpi_group_miss(l, SC_MPI_WINDOW, window);
		if (c->row->epoch == SC_MESSAGE_FENCE)
			sc_mpi_group_count(l, SC_MPI_WINDOW, window);
	} else if (c->row->group) {
		sc_mpi_group_count(l, SC_MPI_COMMUNICATOR, handle_at(c, c->row->group - 1u));
	} else if ((use[SC_MPI_SENT].peer || use[SC_MPI_RECEIVED].peer) &&
		   c->row->takes != SC_MPI_LOOKS && c->row->takes != SC_MPI_LOOKS_IF &&
		   c->row->way != SC_MPI_DIVIDES) {
		sc_mpi_group_miss(l, SC_MPI_COMMUNICATOR, communicator_after(c));
	}
	sc_self.busy--;
}

/* ---- calls without a buffer ---- */

int sc_mpi_make_group(const struct sc_mpi_call *c, int *error)
{
	enum sc_mpi_handle_kind kind =
		c->row->way == SC_MPI_MAKES_WINDOW ? SC_MPI_WINDOW : SC_MPI_COMMUNICATOR;
	word of = handle_at(c, c->row->group - 1u);
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;
	struct sc_mpi_messages list = {0};
	uint64_t number;
	int status;

	if (sc_session_is_live()) {
		sc_mpi_message_describe(c, &list);
		list.item[0].value |= SC_MESSAGE_BLOCKS | SC_MESSAGE_UNSIZED;
		sc_mpi_message_begin(&list, &flight);
		number = list.item[0].tag;
	} else {
		number = sc_mpi_group_count(c->library, SC_MPI_COMMUNICATOR, of);
	}
	status = sc_mpi_call_real(c, error);
	sc_mpi_message_result(c->library, &flight, status);
	sc_self.busy++;
	if (!status && number)
		sc_mpi_group_made(c->library, of, number, kind,
				  sc_mpi_handle_at(c->library, sc_mpi_pointer(c, c->row->request)));
	sc_self.busy--;
	return status;
}

/* The handle may be another group's once the call has returned. */
int sc_mpi_free_group(const struct sc_mpi_call *c, int *error)
{
	enum sc_mpi_handle_kind kind =
		c->row->way == SC_MPI_CLOSES ? SC_MPI_WINDOW : SC_MPI_COMMUNICATOR;

	sc_mpi_group_freed(kind, sc_mpi_handle_at(c->library, sc_mpi_pointer(c, c->row->request)));
	return sc_mpi_call_real(c, error);
}

/* The row's function looks for a message, which stays where it is. */
static bool looks(const struct sc_mpi_row *row)
{
	return row->takes == SC_MPI_LOOKS || row->takes == SC_MPI_LOOKS_IF;
}

/* What such a call describes as a receive is a look, and from whom that was is said at its end. */
static void begin_look(const struct sc_mpi_call *c, struct sc_mpi_flight *flight)
{
	struct sc_mpi_messages list;

	sc_mpi_message_describe(c, &list);
	for (unsigned i = 0; i < list.count; i++) {
		list.item[i].value |= SC_MESSAGE_BLOCKS;
		if (looks(c->row))
			list.item[i].value += SC_MESSAGE_PROBE - SC_MESSAGE_RECEIVE;
	}
	sc_mpi_list_write(c, &list);
	sc_mpi_message_begin(&list, flight);
}

/* A message that is taken, or seen, only if it is there is written once it is. */
static int take_if(const struct sc_mpi_call *c, int *error)
{
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;
	int status = sc_mpi_call_real(c, error);

	if (status || !sc_mpi_number(c, c->row->flag, 0))
		return status;
	begin_look(c, &flight);
	sc_mpi_message_result(c->library, &flight, 0);
	sc_mpi_message_returned(c, &flight);
	return 0;
}

int sc_mpi_go_on(const struct sc_mpi_call *c, int *error)
{
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;
	int status;

	if (c->row->takes == SC_MPI_TAKES_IF || c->row->takes == SC_MPI_LOOKS_IF)
		return take_if(c, error);
	begin_look(c, &flight);
	status = sc_mpi_call_real(c, error);
	sc_mpi_message_result(c->library, &flight, status);
	if (!status && (c->row->takes == SC_MPI_TAKES || c->row->takes == SC_MPI_LOOKS))
		sc_mpi_message_returned(c, &flight);
	return status;
}

/* Whether the message was canceled is known only to who asks its status. */
int sc_mpi_cancel(const struct sc_mpi_call *c, int *error)
{
	const void *place = sc_mpi_pointer(c, c->row->request);
	struct sc_mpi_flight flight;

	if (sc_mpi_request_flight(sc_mpi_handle_at(c->library, place), place, &flight))
		sc_mpi_message_end(c->library, &flight, NULL, SC_MESSAGE_CANCELED);
	return sc_mpi_call_real(c, error);
}
