/* Turns: the calls that a thread has made in its groups, and NCCL's calls in NCCL. */
#include "extensions/agents/nccl/turn.h"

#include <errno.h>
#include "interposer/core/arena.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/object/handle.h"
#include "interposer/python/python.h"
#include "interposer/stack/stack.h"
#include "interposer/core/module.h"

#define CALLS_MOST  512 /* of a group */
#define BIRTHS_MOST 64
#define FAILED	    999

/* Of a thread; kept from group to group, since a step has many. */
struct sc_group_turn {
	unsigned depth; /* 0: there is no group */
	unsigned calls, births;
	bool is_too_much;
	uint64_t sequence[CALLS_MOST]; /* of the messages, once they are written */
	struct sc_communicator_call call[CALLS_MOST];
	struct sc_communicator_birth birth[BIRTHS_MOST];
};

struct sc_turn_thread {
	struct sc_group_turn *group; /* owned, made on first use */
};

SC_THREAD_STATE(turn)

/* Frame of the wrapper that is not over. */
static __thread const void *outermost __attribute__((tls_model("initial-exec")));

/* The thread's group, or NULL. */
static struct sc_group_turn *turn_now(void)
{
	struct sc_group_turn *t = sc_turn_thread()->group;

	return t && t->depth ? t : NULL;
}

/* ---- calls ---- */

/* NCCL drops what has no elements; nobody answers that. */
static bool is_nothing(const struct sc_collective *c)
{
	return !c->meets || !c->count;
}

/* Stacks grow downwards: a call that is not over has its frame above. */
bool sc_turn_enter(const void *frame)
{
	if (sc_self.busy | sc_self.callback || sc_thread_is_inside(frame) ||
	    (outermost && (uint64_t)outermost > (uint64_t)frame))
		return false;
	outermost = frame;
	return true;
}

void sc_turn_leave(void)
{
	outermost = NULL;
}

static struct sc_communicator_call describe(const struct sc_collective *c, const void *communicator,
					    const void *stream)
{
	struct sc_communicator_call k = {.call = *c, .communicator = communicator};
	struct sc_handle *h;

	if (!sc_session_is_live())
		return k;
	h = sc_stream_resolve(stream, false, sc_context_for(stream));
	k.stream = h ? h->id : 0;
	k.is_captured = h && sc_stream_captures(h, stream);
	k.stack = sc_python_stack_of_access(sc_stack_here().id);
	return k;
}

uint64_t sc_turn_call(const struct sc_collective *c, const void *communicator, const void *stream)
{
	uint64_t sequence;
	int saved = errno;
	struct sc_communicator_call k;

	if (turn_now() || is_nothing(c))
		return SC_NOT_WRITTEN;
	sc_self.busy++;
	k = describe(c, communicator, stream);
	sequence = sc_communicator_put(&k);
	sc_self.busy--;
	errno = saved;
	return sequence;
}

static void keep(struct sc_group_turn *t, const struct sc_communicator_call *k)
{
	if (t->calls == CALLS_MOST)
		t->is_too_much = true;
	if (t->is_too_much)
		sc_communicator_lose(k->communicator);
	else
		t->call[t->calls++] = *k;
}

void sc_turn_called(const struct sc_collective *c, const void *communicator, const void *stream,
		    uint64_t sequence, int status)
{
	int saved = errno;
	struct sc_communicator_call k;

	if (is_nothing(c))
		return;
	sc_self.busy++;
	sc_put_result(sequence, sc_communicator_has_worked(status) ? 0 : FAILED);
	sc_communicator_returned(sequence);
	if (!sc_communicator_has_worked(status)) {
		sc_communicator_lose(communicator);
	} else if (turn_now()) {
		k = describe(c, communicator, stream);
		keep(turn_now(), &k);
	}
	sc_self.busy--;
	errno = saved;
}

/* ---- groups ---- */

void sc_turn_begin(void)
{
	struct sc_group_turn *t = sc_turn_thread()->group;

	if (!t) {
		t = sc_turn_thread()->group = sc_arena_take(SC_ARENA_TURN, sizeof(*t));
		if (!t)
			return;
		t->depth = 0; /* another thread had it */
	}
	if (t->depth++)
		return;
	t->calls = t->births = 0;
	t->is_too_much = false;
}

void sc_turn_end(void)
{
	struct sc_group_turn *t = turn_now();
	int saved = errno;

	if (!t || t->depth > 1)
		return;
	sc_self.busy++;
	for (unsigned i = 0; i < t->calls; i++)
		t->sequence[i] = sc_communicator_put(&t->call[i]);
	sc_self.busy--;
	errno = saved;
}

static void end_turn(const struct sc_group_turn *t, int status)
{
	uint64_t last = SC_NOT_WRITTEN;

	for (unsigned i = 0; i < t->calls; i++) {
		sc_put_result(t->sequence[i], sc_communicator_has_worked(status) ? 0 : FAILED);
		last = t->sequence[i] == SC_NOT_WRITTEN ? last : t->sequence[i];
		if (!sc_communicator_has_worked(status))
			sc_communicator_lose(t->call[i].communicator);
	}
	sc_communicator_returned(last);
	for (unsigned i = 0; i < t->births; i++)
		sc_communicator_born(&t->birth[i], status);
}

void sc_turn_ended(int status)
{
	struct sc_group_turn *t = turn_now();
	int saved = errno;

	if (!t || --t->depth)
		return;
	sc_self.busy++;
	end_turn(t, status);
	sc_self.busy--;
	errno = saved;
}

void sc_turn_drop(void)
{
	struct sc_group_turn *t = turn_now();

	if (t)
		t->depth--;
}

void sc_turn_born(const struct sc_communicator_birth *b, int status)
{
	struct sc_group_turn *t = turn_now();

	if (t && sc_communicator_has_worked(status) && t->births < BIRTHS_MOST)
		t->birth[t->births++] = *b;
	else
		sc_communicator_born(b, status);
}

static void give_back(void)
{
	SC_ARENA_GIVE(TURN, sc_turn_thread()->group);
}

const struct sc_module sc_module_turn = {.thread_end = give_back};
