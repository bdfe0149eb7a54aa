/* Repeated calls: found by their handles. */
#include "interposer/hook/repeated.h"

#include "interposer/core/arena.h"
#include "interposer/call/call.h"
#include "interposer/call/launch.h"
#include "interposer/call/operands.h"
#include "interposer/call/tracking.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/call/api.h"
#include "interposer/core/thread.h"
#include "interposer/object/handle.h"

#define PLACES	   256 /* of a thread */
#define PLACE_BITS 8

/* Differs from call to call, or means that the call is not one like others. */
#define PASSING (SC_FLAG_LIBRARY)
#define UNLIKE	(SC_FLAG_CAPTURED | SC_FLAG_DEAD_HANDLE | SC_FLAG_IN_CALLBACK)

struct key {
	const struct sc_api *api; /* NULL: the call is none of these */
	const void *object, *stream;
	uint32_t flags;
	bool per_thread;
};

struct sc_repeated {
	struct key key;
	unsigned functions; /* how often a kernel had been looked up */
	uint32_t stream_id, object_id;
	struct sc_handle *context, *stream, *object, *function;
	void (*hand)(struct sc_call *call);
	struct sc_op op;
};

static struct key key_of(const struct sc_call *call)
{
	struct key key = {.per_thread = call->per_thread};

	switch (call->api - sc_apis) {
#define SC_REPEATED(symbol, handle, its_stream, number)            \
	case SC_API_##symbol: {                                    \
		const struct symbol##_params_st *p = call->params; \
                                                                   \
		key.api = call->api;                               \
		key.object = handle;                               \
		key.stream = its_stream;                           \
		key.flags = number;                                \
		break;                                             \
	}
#include "interposer/hook/repeated.def"
#undef SC_REPEATED
	}
	if (!key.object)
		key.api = NULL;
	return key;
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->api == b->api && a->object == b->object && a->stream == b->stream &&
	       a->flags == b->flags && a->per_thread == b->per_thread;
}

static struct sc_repeated *place_of(const struct key *key)
{
	uint64_t word = (uint64_t)key->object ^ (uint64_t)key->stream << 7 ^
			(uint64_t)(key->api - sc_apis) << 20;
	uint64_t hash = word * UINT64_C(0x9e3779b97f4a7c15);

	return &sc_self.repeated[hash >> (64 - PLACE_BITS)];
}

/* It still stands for what it stood for then, and that is not destroyed. */
static bool is_alive(const struct sc_handle *h, uint32_t id)
{
	return !h || atomic_load_explicit(&h->alive, memory_order_relaxed) == id;
}

static unsigned functions_now(void)
{
	/* acquire: pairs with the release in sc_handle_make; a kernel's record is then seen too */
	return atomic_load_explicit(&sc_handles.functions, memory_order_acquire);
}

bool sc_repeated_recall(struct sc_call *call)
{
	struct key key = key_of(call);
	const struct sc_repeated *a;

	if (!key.api || !sc_self.repeated ||
	    atomic_load_explicit(&sc_session.captures, memory_order_relaxed))
		return false;
	a = place_of(&key);
	if (!is_same(&a->key, &key) || !is_alive(a->stream, a->stream_id) ||
	    !is_alive(a->object, a->object_id) ||
	    (a->function && a->functions != functions_now()) ||
	    a->context != sc_context_for(key.stream))
		return false;
	call->op = a->op;
	call->stream = a->stream;
	call->object = a->object;
	call->stream_id = a->stream_id;
	call->object_id = a->object_id;
	call->function = a->function;
	call->cell = NULL;
	call->parts = 0;
	call->facts.hand = a->hand;
	call->facts.after = NULL;
	call->sequence = SC_NOT_WRITTEN;
	atomic_signal_fence(memory_order_seq_cst);
	if (!is_same(&a->key, &key)) /* a handler put another call there meanwhile */
		return false;
	if (sc_operands_are_of(key.api, key.object))
		sc_operands_renew(call);
	return true;
}

static bool can_be_repeated(const struct sc_call *call, bool has_operands)
{
	return call->stream && (has_operands || call->object || call->function) &&
	       !call->facts.after && !(call->op.flags & UNLIKE) && !call->op.callback &&
	       call->op.kind == call->api->kind &&
	       (has_operands || !sc_tracking_of(call->api->kind)->prepare);
}

void sc_repeated_keep(const struct sc_call *call)
{
	struct key key = key_of(call);
	struct sc_repeated *a;
	bool has_operands;

	_Static_assert(PLACES == 1 << PLACE_BITS, "a place for each hash");
	has_operands = key.api && sc_operands_are_of(key.api, key.object);
	if (!key.api || !can_be_repeated(call, has_operands))
		return;
	if (!sc_self.repeated)
		sc_self.repeated = sc_arena_take(SC_ARENA_REPEATED, PLACES * sizeof(*a));
	if (!sc_self.repeated)
		return;
	a = place_of(&key);
	a->key.api = NULL;
	atomic_signal_fence(memory_order_seq_cst); /* a handler finds it empty or whole */
	a->op = call->op;
	a->op.flags &= ~(uint32_t)PASSING;
	a->op.result = SC_RESULT_PENDING;
	if (has_operands)
		sc_operands_clear(&a->op);
	a->stream = call->stream;
	a->object = call->object;
	a->stream_id = call->stream_id;
	a->object_id = call->object_id;
	a->function = call->function;
	a->functions = functions_now();
	a->context = sc_context_for(key.stream);
	a->hand = call->facts.hand;
	atomic_signal_fence(memory_order_seq_cst);
	a->key = key;
}
