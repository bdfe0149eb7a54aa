/* NVSHMEM: what each way of shmem.def does. */
#include "extensions/agents/shmem/shmem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include "extensions/agents/followed.h"
#include "extensions/agents/mpi/agent.h"
#include "include/streamcheck/calls.h"
#include "interposer/core/code_range.h"
#include "interposer/core/module.h"
#include "interposer/call/declare.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/python/python.h"
#include "extensions/agents/shmem/open.h"
#include "extensions/agents/shmem/operand.h"
#include "interposer/stack/stack.h"

typedef uint64_t W;

struct call {
	struct sc_followed of; /* first: ways get it */
	const struct sc_shmem_row *row;
	struct sc_handle *stream;
};

/* Of this process: kernels may call NVSHMEM, too. */
static struct {
	atomic_bool has_kernels;
} device;

/* ---- what the library knows ---- */

static int ask(const struct sc_beside *b, unsigned which, uint64_t team)
{
	int (*question)(int) = (int (*)(int))b->function[which];

	return question((int)(uint32_t)team);
}

static struct sc_shmem_self ask_self(const struct call *c)
{
	static const char *const names[SC_BESIDE] = {"nvshmem_my_pe", "nvshmem_team_n_pes",
						     "nvshmem_team_my_pe"};
	const struct sc_beside *b = sc_function_beside(c->of.function, c->of.real, names);
	struct sc_shmem_self self = {-1, -1, -1};

	if (!b)
		return self;
	if (c->row->peer)
		self.process = ask(b, 0, 0);
	if (c->row->team) {
		self.size = ask(b, 1, c->of.parameter[c->row->team - 1]);
		self.index = ask(b, 2, c->of.parameter[c->row->team - 1]);
	}
	return self;
}

static bool describe(const struct call *c, struct sc_shmem_accesses *out)
{
	struct sc_shmem_self self = ask_self(c);

	return sc_shmem_describe(c->row, c->of.parameter, &self, out);
}

/* ---- streams ---- */

static const void *raw_stream(const struct call *c)
{
	return (const void *)(uintptr_t)c->of.parameter[c->row->stream - 1];
}

static struct sc_handle *resolve_stream(const struct call *c)
{
	if (!c->row->stream)
		return NULL;
	return sc_stream_resolve(raw_stream(c), false, sc_context_for(raw_stream(c)));
}

/* What a graph that is captured will do is known by its nodes. */
static bool is_captured(const struct call *c)
{
	return c->row->stream && (!c->stream || sc_stream_captures(c->stream, raw_stream(c)));
}

/* ---- calls that enqueue ---- */

static void document(const struct call *c, const struct sc_enqueues *e)
{
	struct sc_shmem_accesses list = {0};
	struct sc_documented documented = {.function = c->of.function, .accesses = list.item};

	if (!e->count || !describe(c, &list))
		return;
	documented.count = list.count;
	documented.is_nothing = !list.count;
	sc_enqueues_document(e, &documented);
}

/* A row of a team returns a status, all others anything. */
static bool is_failed(const struct call *c, W result)
{
	return c->row->team && (int)(uint32_t)result;
}

static W enqueue(const struct call *c, int *error)
{
	struct sc_enqueues *e;
	W result = sc_followed_enqueue(&c->of, &e, error);

	sc_self.busy++;
	if (e && !is_failed(c, result))
		document(c, e);
	sc_self.busy--;
	return result;
}

/* ---- calls that are an agent's ---- */

static struct sc_mpi_flight begin_flight(const struct call *c)
{
	struct sc_shmem_accesses list = {0};
	struct sc_mpi_accesses accesses = {0};

	if (!describe(c, &list))
		return SC_MPI_NO_FLIGHT;
	for (unsigned i = 0; i < list.count; i++) {
		struct sc_access *a = &accesses.item[accesses.count++];

		*a = list.item[i];
		a->memory = sc_memory_access(a->base, a->width, a->mode).memory;
	}
	return sc_mpi_agent_begin_in(
		&(struct sc_mpi_beginning){.stream = c->stream,
					   .is_kept = c->row->way == SC_SHMEM_LEAVES_OPEN,
					   .ability = atomic_load(&device.has_kernels)
							      ? SC_AGENT_SEEN_BY_KERNELS
							      : SC_AGENT_ANY_MEMORY},
		c->of.function, &accesses);
}

static void end_flight(const struct call *c, struct sc_mpi_flight flight, bool has_failed)
{
	if (flight.sequence == SC_NOT_WRITTEN)
		return;
	sc_mpi_agent_result(flight, has_failed);
	if (has_failed)
		return;
	if (c->row->way == SC_SHMEM_LEAVES_OPEN)
		sc_shmem_open_add(flight, c->stream);
	else
		sc_mpi_agent_end(flight, SC_AGENT_COMPLETE);
}

static W move(const struct call *c, int *error)
{
	struct sc_mpi_flight flight;
	W result;

	sc_self.busy++;
	flight = begin_flight(c);
	sc_self.busy--;
	result = sc_followed_run(&c->of, error);
	sc_self.busy++;
	end_flight(c, flight, is_failed(c, result));
	sc_self.busy--;
	return result;
}

/* ---- symmetric memory ---- */

/* Parts of one allocation of CUDA, as a pool hands them out. */
static void put_piece(enum sc_op_kind kind, uint64_t start, uint64_t bytes)
{
	struct sc_piece_call piece = {.kind = kind,
				      .start = (const void *)(uintptr_t)start,
				      .bytes = bytes,
				      .stream = STREAMCHECK_NO_STREAM};

	if (kind == SC_OP_PIECE_FREE)
		piece.order = SC_PIECE_AT_ONCE;
	piece.stack = sc_python_stack(sc_stack_here().id);
	sc_declare_put_piece(&piece);
}

static void give(const struct call *c, uint64_t start)
{
	uint64_t bytes = c->of.parameter[c->row->count - 1];

	if (c->row->size &&
	    __builtin_mul_overflow(bytes, c->of.parameter[c->row->size - 1], &bytes))
		return;
	if (start && bytes)
		put_piece(SC_OP_PIECE, start, bytes);
}

/* It begins with a barrier of all, and may wait for more, which is recorded then. */
static void take(const struct call *c)
{
	uint64_t start = c->of.parameter[c->row->writes - 1];

	sc_shmem_open_complete();
	if (start)
		put_piece(SC_OP_PIECE_FREE, start, 0);
}

/* ---- all of them ---- */

static bool is_an_agents(const struct call *c)
{
	return c->row->way == SC_SHMEM_BLOCKS ||
	       (c->row->way == SC_SHMEM_LEAVES_OPEN && !is_captured(c));
}

/* A wait shows what the other process answers, in whatever order streams are; a completion is one
 * of all that this process began. */
static void complete(const struct call *c)
{
	bool is_any = c->row->way != SC_SHMEM_AWAITS;

	if (c->row->way != SC_SHMEM_COMPLETES && c->row->way != SC_SHMEM_LAUNCHES && is_any)
		return;
	sc_self.busy++;
	if (!c->row->stream)
		sc_shmem_open_complete();
	else if (!is_captured(c))
		sc_shmem_open_complete_in(c->stream, is_any);
	sc_self.busy--;
}

static W follow(const struct sc_followed *of, int *error)
{
	struct call c = *(const struct call *)of;
	bool is_launch = c.row->way == SC_SHMEM_LAUNCHES, is_agents;
	W result;

	sc_self.busy++;
	c.stream = resolve_stream(&c);
	is_agents = is_an_agents(&c);
	sc_self.busy--;
	if (is_agents)
		return move(&c, error);
	if (c.row->stream || is_launch) { /* what is enqueued comes after what is complete */
		complete(&c);
		return is_launch ? sc_followed_enqueue(of, NULL, error) : enqueue(&c, error);
	}
	result = sc_followed_enqueue(of, NULL, error);
	complete(&c);
	sc_self.busy++;
	if (c.row->way == SC_SHMEM_GIVES)
		give(&c, result);
	else if (c.row->way == SC_SHMEM_TAKES)
		take(&c);
	sc_self.busy--;
	return result;
}

/* The library begins so itself, for kernels of its own, which are known: a call of the program's,
 * whose device code has functions of NVSHMEM. */
static bool is_programs(const struct sc_followed *of)
{
	enum sc_code_kind kind =
		of->by ? sc_code_range_file_kind(sc_followed_caller(of)) : SC_CODE_UNKNOWN;

	return kind != SC_CODE_LIBRARY && kind != SC_CODE_OWN;
}

static sc_followed_way *choose(struct sc_followed *of)
{
	const struct call *c = (const struct call *)of;

	if (c->row->way != SC_SHMEM_HAS_KERNELS)
		return sc_self.callback || sc_thread_is_inside(of->frame) || !sc_session_is_live()
			       ? NULL
			       : follow;
	if (is_programs(of))
		atomic_store(&device.has_kernels, true);
	return NULL;
}

W sc_shmem_call(struct sc_library_function *function, struct sc_library_function *by, W *parameter,
		double *number, const void *frame)
{
	const struct sc_shmem_row *row = sc_shmem_row(function);
	struct call c = {.of = {function, by, row->parameters, parameter, frame, NULL, number},
			 .row = row};

	return sc_followed_call(&c.of, choose, row->way == SC_SHMEM_GIVES ? 0 : SC_SHMEM_NOT_THERE);
}

const struct sc_module sc_module_shmem_device = {SC_MODULE_STATE(device)};
