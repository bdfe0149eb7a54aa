/* NIXL: what each way of nixl.def does. */
#include "extensions/agents/nixl/nixl.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "extensions/agents/followed.h"
#include "extensions/agents/nixl/agents.h"
#include "extensions/agents/nixl/constants.h"
#include "extensions/agents/nixl/descriptors.h"
#include "extensions/agents/nixl/list.h"
#include "extensions/agents/nixl/request.h"
#include "trace/attach.h"

typedef uint64_t W;

#define AT_ONCE 64 /* numbers of descriptors */

static const struct sc_nixl_row rows[] = {
#define NIXL_CALL(id, symbol, count, its_way, ...) \
	{.way = SC_NIXL_##its_way, .parameters = (count), __VA_ARGS__},
#include "extensions/agents/nixl/nixl.def"
};

struct sc_nixl_functions sc_nixl_functions;

static const struct {
#define NIXL_CALL(id, symbol, count, way, ...) SC_NAME_MEMBER(id, symbol)
#include "extensions/agents/nixl/nixl.def"
} names = {
#define NIXL_CALL(id, symbol, count, way, ...) SC_NAME(id, symbol)
#include "extensions/agents/nixl/nixl.def"
};

/* A reader knows the class's name and the function's. */
static const struct {
#define NIXL_CALL(id, symbol, count, way, ...) SC_NAME_MEMBER(id, "nixlAgent::" #id)
#include "extensions/agents/nixl/nixl.def"
} methods = {
#define NIXL_CALL(id, symbol, count, way, ...) SC_NAME(id, "nixlAgent::" #id)
#include "extensions/agents/nixl/nixl.def"
};

const struct sc_functions sc_nixl_table = {SC_FUNCTIONS(sc_nixl_functions, names),
					   .plain = (const uint8_t *)&methods};

struct call {
	struct sc_followed of; /* first: ways get it */
	const struct sc_nixl_row *row;
};

/* Of this process: a transfer whose memory is not known was made. */
static atomic_bool is_unknown;

static void not_understood(void)
{
	atomic_store_explicit(&is_unknown, true, memory_order_relaxed);
}

/* The real function may throw. */
static W call_real(const struct call *c, int *error)
{
	return sc_followed_run(&c->of, error);
}

static bool is_success(W result)
{
	return (int)result == SC_NIXL_SUCCESS;
}

/* ---- what a transfer touches ---- */

static bool read_handle(const struct call *c, W *out)
{
	return sc_nixl_read(out, c->of.parameter[c->row->made], sizeof(*out)) && *out;
}

/* A write sends local memory; a read fills it. */
static bool read_operation(const struct call *c, int *out)
{
	W given = c->of.parameter[c->row->operation];

	*out = (int)given;
	if (!c->row->is_span && !sc_nixl_read(out, given, sizeof(*out)))
		return false;
	return *out == SC_NIXL_READ || *out == SC_NIXL_WRITE;
}

static uint8_t mode_of(int operation, bool is_remote)
{
	return (operation == SC_NIXL_WRITE) == is_remote ? SC_WRITE : SC_READ;
}

struct filling {
	struct sc_nixl_request *request;
	uint8_t mode;
};

static void add_to_request(void *to, const struct sc_nixl_run *run)
{
	const struct filling *f = to;

	sc_nixl_request_add(f->request, run, f->mode);
}

static bool fill_from_list(const struct call *c, struct sc_nixl_request *r, int operation,
			   bool is_remote)
{
	struct filling f = {r, mode_of(operation, is_remote)};
	W list = c->of.parameter[is_remote ? c->row->remote : c->row->local];

	return sc_nixl_read_list(c->of.function, c->of.real, list, false, add_to_request, &f) !=
	       SC_NIXL_NOT_UNDERSTOOD;
}

static bool fill_from_lists(const struct call *c, struct sc_nixl_request *r)
{
	int operation;

	return read_operation(c, &operation) && fill_from_list(c, r, operation, false) &&
	       (!sc_nixl_agents_has(c->of.parameter[c->row->name]) ||
		fill_from_list(c, r, operation, true));
}

/* Numbers of descriptors: where they are, and how many. A std::vector begins with the address of
 * its first element and the one after its last. */
struct numbers {
	W at, count;
};

static bool find_numbers(const struct call *c, unsigned parameter, struct numbers *out)
{
	W word[2];

	*out = (struct numbers){c->of.parameter[parameter], c->of.parameter[parameter + 1]};
	if (c->row->is_span)
		return true;
	if (!sc_nixl_read(word, c->of.parameter[parameter], sizeof(word)) || word[1] < word[0])
		return false;
	*out = (struct numbers){word[0], (word[1] - word[0]) / sizeof(int32_t)};
	return true;
}

static bool fill_by_numbers(const struct call *c, struct sc_nixl_request *r, int operation,
			    bool is_remote)
{
	unsigned list = is_remote ? c->row->remote : c->row->local;
	uint8_t mode = mode_of(operation, is_remote);
	struct sc_nixl_run run[AT_ONCE];
	int32_t number[AT_ONCE];
	struct numbers n;

	if (!find_numbers(c, list + 1, &n))
		return false;
	for (W i = 0; i < n.count; i += AT_ONCE) {
		size_t some = n.count - i < AT_ONCE ? n.count - i : AT_ONCE;

		if (!sc_nixl_read(number, n.at + i * sizeof(*number), some * sizeof(*number)) ||
		    !sc_nixl_list_select(c->of.parameter[list], number, some, run))
			return false;
		for (size_t k = 0; k < some; k++)
			sc_nixl_request_add(r, &run[k], mode);
	}
	return true;
}

static bool fill_from_prepared(const struct call *c, struct sc_nixl_request *r)
{
	int operation;

	return read_operation(c, &operation) && fill_by_numbers(c, r, operation, false) &&
	       fill_by_numbers(c, r, operation, true);
}

/* ---- agents, lists and requests ---- */

static W begin_agent(const struct call *c, int *error)
{
	W result = call_real(c, error);

	sc_nixl_agents_begin(c->of.parameter[0], c->of.parameter[c->row->name]);
	return result;
}

static W end_agent(const struct call *c, int *error)
{
	W result = call_real(c, error);
	struct sc_nixl_request *r;

	sc_nixl_agents_end(c->of.parameter[0]);
	while ((r = sc_nixl_request_take_of(c->of.parameter[0])) != NULL) {
		sc_nixl_request_end(r, SC_AGENT_DESTROYED);
		sc_nixl_request_free(r);
	}
	return result;
}

/* A list of another process's memory has no blocks. */
static bool is_of_this_process(const struct call *c)
{
	W name = c->row->name ? c->of.parameter[c->row->name] : 0;

	return !name || sc_nixl_agents_is_nobody(name) || sc_nixl_agents_has(name);
}

static W prepare(const struct call *c, int *error)
{
	W result = call_real(c, error), handle;
	struct sc_nixl_list *list;

	if (!is_success(result) || !read_handle(c, &handle))
		return result;
	list = sc_nixl_list_new();
	if (list && is_of_this_process(c) &&
	    !sc_nixl_read_list(c->of.function, c->of.real, c->of.parameter[c->row->local],
			       c->row->is_stride, sc_nixl_list_add, list)) {
		sc_nixl_list_free(list);
		list = NULL;
	}
	if (list)
		sc_nixl_list_keep(list, handle);
	else
		not_understood();
	return result;
}

static W forget(const struct call *c, int *error)
{
	sc_nixl_list_forget(c->of.parameter[1]);
	return call_real(c, error);
}

static W make(const struct call *c, int *error)
{
	W result = call_real(c, error), handle;
	struct sc_nixl_request *r = NULL;
	bool is_known = false;

	if (!is_success(result))
		return result;
	if (read_handle(c, &handle))
		r = sc_nixl_request_new(handle, c->of.parameter[0]);
	if (r)
		is_known = c->row->way == SC_NIXL_CREATES ? fill_from_lists(c, r)
							  : fill_from_prepared(c, r);
	if (!is_known)
		not_understood();
	if (r)
		sc_nixl_request_keep(r);
	return result;
}

/* ---- transfers ---- */

/* The library refuses to post a request that is in flight, and asks whether it is; so do we. */
static bool is_still_in_flight(const struct call *c, struct sc_nixl_request *r)
{
	struct call ask = *c;
	int error = errno;

	if (!sc_nixl_request_is_in_flight(r))
		return false;
	ask.of.real =
		sc_function_find(&sc_nixl_functions.getXferStatus, sc_followed_caller(&c->of));
	if (ask.of.real && (int)call_real(&ask, &error) == SC_NIXL_IN_PROG)
		return true;
	sc_nixl_request_end(r, SC_AGENT_COMPLETE);
	return false;
}

static void begin_late(struct sc_nixl_request *r, struct sc_library_function *function)
{
	sc_nixl_request_end(r, SC_AGENT_COMPLETE);
	sc_nixl_request_begin(r, function);
}

static W post(const struct call *c, int *error)
{
	struct sc_nixl_request *r = sc_nixl_request_take(c->of.parameter[1]);
	bool is_late;
	W result;

	if (!r) {
		not_understood();
		return call_real(c, error);
	}
	is_late = is_still_in_flight(c, r);
	if (!is_late)
		sc_nixl_request_begin(r, c->of.function);
	result = call_real(c, error);
	if (is_late && (int)result >= 0)
		begin_late(r, c->of.function);
	if (!is_late || (int)result >= 0)
		sc_nixl_request_result(r, (int)result < 0);
	if (is_success(result))
		sc_nixl_request_end(r, SC_AGENT_COMPLETE);
	sc_nixl_request_keep(r);
	return result;
}

/* A transfer that failed is over, too. */
static W ask(const struct call *c, int *error)
{
	W result = call_real(c, error);
	struct sc_nixl_request *r = NULL;

	if ((int)result != SC_NIXL_IN_PROG)
		r = sc_nixl_request_take(c->of.parameter[1]);
	if (!r)
		return result;
	sc_nixl_request_end(r, SC_AGENT_COMPLETE);
	sc_nixl_request_keep(r);
	return result;
}

/* One that is in flight is aborted, or the library refuses. */
static W release(const struct call *c, int *error)
{
	struct sc_nixl_request *r = sc_nixl_request_take(c->of.parameter[1]);
	W result = call_real(c, error);

	if (!r)
		return result;
	if (!is_success(result)) {
		sc_nixl_request_keep(r);
		return result;
	}
	sc_nixl_request_end(r, SC_AGENT_GIVEN_UP);
	sc_nixl_request_free(r);
	return result;
}

/* ---- all of them ---- */

static W follow(const struct sc_followed *of, int *error)
{
	const struct call *c = (const struct call *)of;

	switch ((enum sc_nixl_way)c->row->way) {
	case SC_NIXL_BEGINS: return begin_agent(c, error);
	case SC_NIXL_ENDS: return end_agent(c, error);
	case SC_NIXL_PREPARES: return prepare(c, error);
	case SC_NIXL_FORGETS: return forget(c, error);
	case SC_NIXL_CREATES:
	case SC_NIXL_SELECTS: return make(c, error);
	case SC_NIXL_POSTS: return sc_session_is_live() ? post(c, error) : call_real(c, error);
	case SC_NIXL_ASKS: return ask(c, error);
	case SC_NIXL_RELEASES: return release(c, error);
	}
	return (W)(int64_t)SC_NIXL_ERR_NOT_SUPPORTED;
}

/* What was made before the session is posted in it. */
static sc_followed_way *choose(struct sc_followed *of)
{
	return sc_thread_is_inside(of->frame) ? NULL : follow;
}

W sc_nixl_call(struct sc_library_function *function, W *parameter, const void *frame)
{
	const struct sc_nixl_row *row = &rows[function - sc_nixl_table.list];
	struct call c = {{function, function, row->parameters, parameter, frame, NULL, NULL}, row};

	return sc_followed_call(&c.of, choose, (W)(int64_t)SC_NIXL_ERR_NOT_SUPPORTED);
}

static void write_counts(void)
{
	if (atomic_load_explicit(&is_unknown, memory_order_relaxed))
		sc_put_source("transfers of NIXL of this library", false);
}

const struct sc_module sc_module_nixl = {SC_MODULE_STATE(is_unknown), .flush = write_counts};
