/* NVSHMEM: what each way of shmem.def does. */
#include "extensions/agents/shmem/shmem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include "extensions/agents/followed.h"
#include "include/streamcheck/calls.h"
#include "interposer/core/code_range.h"
#include "interposer/core/module.h"
#include "interposer/call/declare.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/python/python.h"
#include "extensions/agents/shmem/open.h"
#include "interposer/stack/stack.h"

typedef uint64_t W;

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

static struct sc_shmem_self ask_self(const struct sc_shmem_call *c)
{
	static const char *const names[SC_BESIDE] = {"nvshmem_my_pe", "nvshmem_team_n_pes",
						     "nvshmem_team_my_pe"};
	const struct sc_beside *b = sc_function_beside(c->function, c->real, names);
	struct sc_shmem_self self = {-1, -1, -1};

	if (!b)
		return self;
	if (c->row->peer)
		self.process = ask(b, 0, 0);
	if (c->row->team) {
		self.size = ask(b, 1, c->parameter[c->row->team - 1]);
		self.index = ask(b, 2, c->parameter[c->row->team - 1]);
	}
	return self;
}

static bool describe(const struct sc_shmem_call *c, struct sc_shmem_accesses *out)
{
	struct sc_shmem_self self = ask_self(c);

	return sc_shmem_describe(c->row, c->parameter, &self, out);
}

/* ---- streams ---- */

static const void *raw_stream(const struct sc_shmem_call *c)
{
	return (const void *)(uintptr_t)c->parameter[c->row->stream - 1];
}

static struct sc_handle *resolve_stream(const struct sc_shmem_call *c)
{
	if (!c->row->stream)
		return NULL;
	return sc_stream_resolve(raw_stream(c), false, sc_context_for(raw_stream(c)));
}

/* What a graph that is captured will do is known by its nodes. */
static bool is_captured(const struct sc_shmem_call *c)
{
	return c->row->stream && (!c->stream || sc_stream_captures(c->stream, raw_stream(c)));
}

/* ---- calls that enqueue ---- */

static void document(const struct sc_shmem_call *c)
{
	struct sc_shmem_accesses list = {0};
	struct sc_documented documented = {.function = c->function, .accesses = list.item};

	if (!c->enqueues->count || !describe(c, &list))
		return;
	documented.count = list.count;
	documented.is_nothing = !list.count;
	sc_enqueues_document(c->enqueues, &documented);
}

/* ---- calls that are an agent's ---- */

static void begin_flight(struct sc_shmem_call *c)
{
	struct sc_shmem_accesses list = {0};
	struct sc_mpi_accesses accesses = {0};

	if (!describe(c, &list))
		return;
	for (unsigned i = 0; i < list.count; i++) {
		struct sc_access *a = &accesses.item[accesses.count++];

		*a = list.item[i];
		a->memory = sc_memory_access(a->base, a->width, a->mode).memory;
	}
	c->flight = sc_mpi_agent_begin_in(
		&(struct sc_mpi_beginning){.stream = c->stream,
					   .is_kept = c->row->way == SC_SHMEM_LEAVES_OPEN,
					   .ability = atomic_load(&device.has_kernels)
							      ? SC_AGENT_SEEN_BY_KERNELS
							      : SC_AGENT_ANY_MEMORY},
		c->function, &accesses);
}

static void end_flight(const struct sc_shmem_call *c, bool is_failed)
{
	if (c->flight.sequence == SC_NOT_WRITTEN)
		return;
	sc_mpi_agent_result(c->flight, is_failed);
	if (is_failed)
		return;
	if (c->row->way == SC_SHMEM_LEAVES_OPEN)
		sc_shmem_open_add(c->flight, c->stream);
	else
		sc_mpi_agent_end(c->flight, SC_AGENT_COMPLETE);
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

static void give(const struct sc_shmem_call *c, uint64_t start)
{
	uint64_t bytes = c->parameter[c->row->count - 1];

	if (c->row->size && __builtin_mul_overflow(bytes, c->parameter[c->row->size - 1], &bytes))
		return;
	if (start && bytes)
		put_piece(SC_OP_PIECE, start, bytes);
}

/* It begins with a barrier of all, and may wait for more, which is recorded then. */
static void take(const struct sc_shmem_call *c)
{
	uint64_t start = c->parameter[c->row->writes - 1];

	sc_shmem_open_complete();
	if (start)
		put_piece(SC_OP_PIECE_FREE, start, 0);
}

/* ---- all of them ---- */

static bool is_an_agents(const struct sc_shmem_call *c)
{
	return c->row->way == SC_SHMEM_BLOCKS ||
	       (c->row->way == SC_SHMEM_LEAVES_OPEN && !is_captured(c));
}

/* A wait shows what the other process answers, in whatever order streams are; a completion is one
 * of all that this process began. */
static void complete(const struct sc_shmem_call *c)
{
	bool is_any = c->row->way != SC_SHMEM_AWAITS;

	if (c->row->way != SC_SHMEM_COMPLETES && c->row->way != SC_SHMEM_LAUNCHES && is_any)
		return;
	if (!c->row->stream)
		sc_shmem_open_complete();
	else if (!is_captured(c))
		sc_shmem_open_complete_in(c->stream, is_any);
}

/* Then what comes after the call comes after what it enqueues. */
static bool is_complete_before(const struct sc_shmem_call *c)
{
	return c->row->stream || c->row->way == SC_SHMEM_LAUNCHES;
}

static void follow(struct sc_shmem_call *c, const void *frame)
{
	sc_self.busy++;
	c->stream = resolve_stream(c);
	c->is_agents = is_an_agents(c);
	if (c->is_agents)
		begin_flight(c);
	else if (is_complete_before(c))
		complete(c);
	sc_self.busy--;
	if (c->is_agents)
		sc_thread_enter(frame);
	else if (c->row->stream && c->row->way != SC_SHMEM_LAUNCHES)
		c->enqueues = sc_enqueues_begin(frame);
}

/* The library begins so itself, for kernels of its own, which are known: a call of the program's,
 * whose device code has functions of NVSHMEM. */
static bool is_programs(const void *caller)
{
	enum sc_code_kind kind = caller ? sc_code_range_file_kind(caller) : SC_CODE_UNKNOWN;

	return kind != SC_CODE_LIBRARY && kind != SC_CODE_OWN;
}

void sc_shmem_begin(struct sc_shmem_call *c, const void *frame, const void *caller)
{
	c->row = sc_shmem_row(c->function);
	c->error = errno;
	c->real = caller ? sc_function_find(c->function, caller)
			 : atomic_load(&c->function->looked_up);
	c->flight = (struct sc_mpi_flight)SC_MPI_NO_FLIGHT;
	c->is_followed = c->real && !(sc_self.busy | sc_self.callback) &&
			 !sc_thread_is_inside(frame) && sc_session_is_live();
	if (c->row->way == SC_SHMEM_HAS_KERNELS) {
		if (is_programs(caller))
			atomic_store(&device.has_kernels, true);
	} else if (c->is_followed) {
		follow(c, frame);
	}
	errno = c->error;
}

void sc_shmem_end(struct sc_shmem_call *c, const void *frame, W result)
{
	bool is_whole, is_failed = c->row->team && (int)(uint32_t)result;

	if (!c->is_followed || c->row->way == SC_SHMEM_HAS_KERNELS)
		return;
	c->error = errno;
	if (c->is_agents)
		sc_thread_leave();
	is_whole = c->enqueues && sc_enqueues_end(c->enqueues, frame);
	sc_self.busy++;
	if (is_whole && !is_failed)
		document(c);
	end_flight(c, is_failed);
	if (!is_complete_before(c))
		complete(c);
	if (c->row->way == SC_SHMEM_GIVES)
		give(c, result);
	else if (c->row->way == SC_SHMEM_TAKES)
		take(c);
	sc_self.busy--;
	errno = c->error;
}

W sc_shmem_call(struct sc_library_function *function, const W *p, const void *caller)
{
	const void *frame = __builtin_frame_address(0);
	struct sc_shmem_call c = {.function = function, .parameter = p};
	W result;

	sc_shmem_begin(&c, frame, caller);
	result = c.row->way == SC_SHMEM_GIVES ? 0 : SC_SHMEM_NOT_THERE;
	if (c.real)
		result = sc_followed_invoke(c.real, p, c.row->parameters);
	sc_shmem_end(&c, frame, result);
	return result;
}

const struct sc_module sc_module_shmem_device = {SC_MODULE_STATE(device)};
