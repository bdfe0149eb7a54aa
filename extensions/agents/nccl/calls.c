/* Calls of NCCL: what each way does. */
#include "extensions/agents/nccl/calls.h"

#include "extensions/agents/followed.h"
#include "extensions/agents/nccl/collective.h"
#include "extensions/agents/nccl/turn.h"
#include "extensions/agents/operands/function.h"

#define NOT_THERE 1 /* an error */

typedef uint64_t W;

static const struct sc_nccl_row rows[] = {
#define COLLECTIVE(name, its_parameters, form, its_sends, its_receives) \
	{.function = offsetof(struct sc_operand_functions, name),       \
	 .parameters = (its_parameters),                                \
	 .sends = SC_SHARE_##its_sends,                                 \
	 .receives = SC_SHARE_##its_receives,                           \
	 SC_NCCL_##form},
#define GROUP(name, its_parameters, its_way)                      \
	{.function = offsetof(struct sc_operand_functions, name), \
	 .parameters = (its_parameters),                          \
	 .way = SC_NCCL_##its_way},
#include "extensions/agents/operands/operand.def"
};

struct call {
	struct sc_followed of; /* first: ways get it */
	const struct sc_nccl_row *row;
};

static const struct sc_nccl_row *row_of(const struct sc_library_function *function)
{
	const struct sc_nccl_row *r = rows;

	while (r->function !=
	       (size_t)((const char *)function - (const char *)&sc_operand_functions))
		r++;
	return r;
}

/* ---- collectives ---- */

static W word(const struct call *c, unsigned number)
{
	return number ? c->of.parameter[number - 1] : 0;
}

static struct sc_collective describe(const struct call *c)
{
	const struct sc_nccl_row *r = c->row;

	return (struct sc_collective){
		.function = c->of.function,
		.sends = r->sends,
		.receives = r->receives,
		.send = (const void *)word(c, r->send),
		.receive = (void *)word(c, r->receive),
		.count = word(c, r->count),
		.type = (int)word(c, r->type),
		.root = (int)word(c, r->root),
		.has_root = r->root,
		.operation = r->operation ? (int)word(c, r->operation) + 1 : 0,
		.meets = r->meets,
	};
}

static int collect(const struct call *c, int *error)
{
	const void *communicator = (const void *)word(c, c->row->communicator);
	const void *stream = (const void *)word(c, c->row->stream);
	struct sc_collective call = describe(c);
	uint64_t message = sc_turn_call(&call, communicator, stream);
	struct sc_enqueues *e;
	int status = (int)sc_followed_enqueue(&c->of, &e, error);

	if (e && !status)
		sc_collective_note(e, &call, c->of.real, communicator, stream);
	sc_turn_called(&call, communicator, stream, message, status);
	return status;
}

/* ---- groups ---- */

static int begin(const struct call *c, int *error)
{
	struct sc_enqueues *e;
	int status = (int)sc_followed_enqueue(&c->of, &e, error);

	if (e && !status)
		sc_collective_begin();
	if (!status)
		sc_turn_begin();
	return status;
}

/* A group whose end was refused is over all the same. */
static int end(const struct call *c, int *error)
{
	bool is_simulated = c->row->way == SC_NCCL_SIMULATE;
	struct sc_enqueues *e;
	int status;

	if (!is_simulated)
		sc_turn_end();
	status = (int)sc_followed_enqueue(&c->of, &e, error);
	sc_collective_end(e, e && !status && !is_simulated);
	if (is_simulated)
		sc_turn_drop();
	else
		sc_turn_ended(status);
	return status;
}

/* ---- all of them ---- */

static W follow(const struct sc_followed *of, int *error)
{
	const struct call *c = (const struct call *)of;
	int status = NOT_THERE;

	switch ((enum sc_nccl_way)c->row->way) {
	case SC_NCCL_COLLECTS: status = collect(c, error); break;
	case SC_NCCL_BEGIN: status = begin(c, error); break;
	case SC_NCCL_END:
	case SC_NCCL_SIMULATE: status = end(c, error); break;
	}
	sc_turn_leave();
	return (W)status;
}

static sc_followed_way *choose(struct sc_followed *of)
{
	return sc_turn_enter(of->frame) ? follow : NULL;
}

int sc_nccl_call(struct sc_library_function *function, struct sc_library_function *by, W *parameter,
		 const void *frame)
{
	const struct sc_nccl_row *row = row_of(function);
	struct call c = {.of = {function, by, row->parameters, parameter, frame, NULL, NULL},
			 .row = row};

	return (int)sc_followed_call(&c.of, choose, NOT_THERE);
}
