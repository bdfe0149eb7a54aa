/* UCX: what each way of ucx.def does. */
#include "extensions/agents/ucx/ucx.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "extensions/agents/followed.h"
#include "extensions/agents/mpi/caller.h"
#include "extensions/agents/ucx/callback.h"
#include "extensions/agents/ucx/operand.h"

typedef uint64_t W;

#define POLLED_AT_ONCE 64

struct call {
	struct sc_followed of; /* first: ways get it */
	const struct sc_ucx_row *row;
};

/* A call whose own calls are not the program's: one that is followed, or a library's. */
static W call_real(const struct call *c, int *error)
{
	return sc_followed_run(&c->of, error);
}

static const void *options_of(const struct call *c)
{
	return c->row->options ? (const void *)(uintptr_t)c->of.parameter[c->row->options] : NULL;
}

/* ---- results ---- */

enum outcome { FAILED, COMPLETE, STARTED };

static bool returns_status(const struct sc_ucx_row *row)
{
	return !row->options && !row->callback;
}

/* `request`: the one that was started. */
static enum outcome outcome_of(const struct call *c, W result, W *request)
{
	*request = 0;
	if (returns_status(c->row)) {
		*request = c->row->request ? c->of.parameter[c->row->request] : 0;
		if ((int)result == SC_UCS_OK)
			return c->row->is_open ? STARTED : COMPLETE;
		return (int)result == SC_UCS_INPROGRESS ? STARTED : FAILED;
	}
	if (!result || result >= (W)(int64_t)SC_UCS_ERR_LAST)
		return result ? FAILED : COMPLETE;
	*request = result;
	return STARTED;
}

/* ---- operations ---- */

/* The program says that UCX may touch the memory from the host. */
static bool is_host_only(const struct call *c)
{
	return sc_ucx_option(options_of(c), SC_UCX_OPTION_MEMORY_TYPE,
			     SC_UCS_MEMORY_TYPE_HOST + 1) == SC_UCS_MEMORY_TYPE_HOST;
}

static struct sc_mpi_flight begin_flight(const struct call *c)
{
	const struct sc_mpi_library library = {.is_host_only = is_host_only(c)};
	struct sc_mpi_accesses list;
	struct sc_mpi_flight flight;

	sc_self.busy++;
	sc_ucx_describe(c->row, c->of.parameter, &list);
	flight = sc_mpi_agent_begin_in(
		&(struct sc_mpi_beginning){.is_kept = c->row->way != SC_UCX_BLOCKS,
					   .ability = sc_mpi_agent_ability(&library, &list)},
		c->of.function, &list);
	sc_self.busy--;
	return flight;
}

static struct sc_ucx_pending *begin(const struct call *c)
{
	struct sc_ucx_pending *p = sc_ucx_pending_new();

	if (!p)
		return NULL;
	p->owner = c->of.parameter[0];
	p->is_workers = c->row->is_workers;
	p->is_receive = c->row->mode == SC_WRITE && !c->row->is_remote;
	p->is_remote = c->row->is_remote;
	p->is_flush = c->row->way == SC_UCX_FLUSHES;
	p->flight = begin_flight(c);
	p->number = sc_ucx_pending_number();
	if (p->flight.sequence != SC_NOT_WRITTEN || p->is_flush)
		return p;
	sc_ucx_pending_put(p);
	return NULL;
}

/* The program's callback becomes ours where that can be. */
static void replace_callback(const struct call *c, struct sc_ucx_pending *p,
			     struct sc_ucx_options *o)
{
	if (c->row->callback) {
		p->is_polled = c->of.parameter[c->row->callback];
	} else if (options_of(c) && !sc_ucx_options_copy(o, options_of(c))) {
		p->is_polled = sc_ucx_option(options_of(c), SC_UCX_OPTION_CALLBACK, 0);
	} else if (options_of(c)) {
		sc_ucx_callback_replace(p, o);
		c->of.parameter[c->row->options] = (W)o;
	}
}

static void finish(struct sc_ucx_pending *p, struct sc_mpi_flight flight, enum outcome outcome,
		   W request)
{
	sc_mpi_agent_result(flight, outcome == FAILED);
	if (outcome == STARTED)
		sc_ucx_pending_begun(p, request);
	else
		sc_ucx_pending_returned(p, outcome == COMPLETE);
}

static W begin_and_call(const struct call *c, int *error)
{
	struct sc_ucx_pending *p = begin(c);
	struct sc_ucx_options options;
	struct sc_mpi_flight flight;
	enum outcome outcome;
	W result, request;

	if (!p)
		return call_real(c, error);
	flight = p->flight;
	replace_callback(c, p, &options);
	result = call_real(c, error);
	outcome = outcome_of(c, result, &request);
	finish(p, flight, outcome, request);
	return result;
}

/* ---- requests ---- */

static bool is_complete(const struct sc_ucx_row *row, W result)
{
	return row->is_yes ? (int)result != 0 : (int)result != SC_UCS_INPROGRESS;
}

static W ask(const struct call *c, int *error)
{
	W result = call_real(c, error);

	if (is_complete(c->row, result))
		sc_ucx_pending_seen(c->of.parameter[0]);
	return result;
}

static bool ask_status(const struct call *c, W request)
{
	int (*status)(W) = (int (*)(W))sc_function_find(&sc_ucx_functions.request_check_status,
							sc_followed_caller(&c->of));

	return status && status(request) != SC_UCS_INPROGRESS;
}

static W free_request(const struct call *c, int *error)
{
	sc_ucx_pending_freed(c->of.parameter[0], ask_status(c, c->of.parameter[0]));
	return call_real(c, error);
}

/* The program's callbacks of those that are complete now have run, or may run in another thread. */
static W progress(const struct call *c, int *error)
{
	W polled[POLLED_AT_ONCE], result = call_real(c, error);
	unsigned count = (uint32_t)result ? sc_ucx_pending_polled(polled, POLLED_AT_ONCE) : 0;

	for (unsigned i = 0; i < count; i++)
		if (ask_status(c, polled[i]))
			sc_ucx_pending_seen(polled[i]);
	return result;
}

/* ---- workers ---- */

static W set_handler(const struct call *c, int *error)
{
	struct sc_ucx_handler_options options;
	const void *given = options_of(c);
	W function, argument;

	if (!c->row->options) {
		function = c->of.parameter[c->row->callback];
		argument = c->of.parameter[c->row->callback + 1];
		function = function ? sc_ucx_callback_handler(function, &argument) : 0;
		if (!function)
			return call_real(c, error);
		c->of.parameter[c->row->callback] = function;
		c->of.parameter[c->row->callback + 1] = argument;
		return call_real(c, error);
	}
	function = sc_ucx_handler_option(given, SC_UCX_HANDLER_OPTION_CB);
	argument = sc_ucx_handler_option(given, SC_UCX_HANDLER_OPTION_ARG);
	if (!function || !sc_ucx_handler_options_copy(&options, given))
		return call_real(c, error);
	function = sc_ucx_callback_handler(function, &argument);
	if (!function)
		return call_real(c, error);
	sc_ucx_handler_options_set(&options, SC_UCX_HANDLER_OPTION_CB, function);
	sc_ucx_handler_options_set(&options, SC_UCX_HANDLER_OPTION_ARG, argument);
	c->of.parameter[c->row->options] = (W)&options;
	return call_real(c, error);
}

static W destroy(const struct call *c, int *error)
{
	W result = call_real(c, error);

	sc_ucx_pending_destroyed(c->of.parameter[0]);
	return result;
}

/* ---- all of them ---- */

static W follow(const struct sc_followed *of, int *error)
{
	const struct call *c = (const struct call *)of;

	switch ((enum sc_ucx_way)c->row->way) {
	case SC_UCX_BEGINS:
	case SC_UCX_BLOCKS:
	case SC_UCX_FLUSHES: return begin_and_call(c, error);
	case SC_UCX_ASKS: return ask(c, error);
	case SC_UCX_FREES: return free_request(c, error);
	case SC_UCX_PROGRESSES: return progress(c, error);
	case SC_UCX_HANDLES: return set_handler(c, error);
	case SC_UCX_DESTROYS: return destroy(c, error);
	}
	return (W)(int64_t)SC_UCS_ERR_UNSUPPORTED;
}

/* A callback of the older functions runs inside of a progress, and may free its request. */
static bool is_followed(const struct sc_ucx_row *row, const void *frame)
{
	if (row->way == SC_UCX_HANDLES)
		return true;
	if (row->way == SC_UCX_FREES || row->way == SC_UCX_ASKS)
		return sc_session_is_live() && sc_ucx_pending_is_any();
	return sc_session_is_live() && !sc_thread_is_inside(frame);
}

/* MPI polls by a call of UCX, within a call of its own. */
static sc_followed_way *choose(struct sc_followed *of)
{
	const struct call *c = (const struct call *)of;

	if (sc_mpi_caller_is_library(sc_followed_caller(of)))
		return sc_thread_is_inside(of->frame) ? NULL : sc_followed_run;
	return is_followed(c->row, of->frame) ? follow : NULL;
}

W sc_ucx_call(struct sc_library_function *function, W *parameter, const void *frame)
{
	const struct sc_ucx_row *row = sc_ucx_row(function);
	struct call c = {.of = {function, function, row->parameters, parameter, frame, NULL, NULL},
			 .row = row};

	return sc_followed_call(&c.of, choose, (W)(int64_t)SC_UCS_ERR_UNSUPPORTED);
}
