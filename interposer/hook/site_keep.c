/* Keeping sites: which calls have one, and what it rests on. */
#include "interposer/hook/site_keep.h"

#include <string.h>
#include "interposer/call/api.h"
#include "interposer/call/launch.h"
#include "interposer/call/operands.h"
#include "interposer/call/tracking.h"
#include "interposer/core/arena.h"
#include "interposer/core/code_range.h"
#include "interposer/core/session.h"
#include "interposer/core/windows.h"
#include "interposer/driver/entry.h"
#include "interposer/guard/loaded.h"
#include "interposer/hook/behind.h"
#include "interposer/hook/site_memory.h"
#include "interposer/hook/site_record.h"
#include "interposer/object/managed_variable.h"
#include "interposer/object/memory.h"
#include "interposer/object/param_layout.h"
#include "interposer/python/python.h"
#include "interposer/sanitizer/recording.h"
#include "interposer/stack/stack.h"
#include "interposer/stack/unwind.h"
#include "trace/slot.h"

#define FIRST_KEPT  512 /* places that are kept before it shows whether that pays */
#define MOST_CREDIT 1024

#define UNLIKE (SC_FLAG_CAPTURED | SC_FLAG_DEAD_HANDLE | SC_FLAG_IN_CALLBACK)

/* Where calls never come again from a place that was kept, keeping is in vain: every fourth call
 * that was found pays for one. */
static bool is_worth_it(struct sc_thread *self)
{
	self->credit += self->found / 4;
	self->found = 0;
	if (self->credit > MOST_CREDIT)
		self->credit = MOST_CREDIT;
	return self->credit && self->credit--;
}

static bool make_places(struct sc_thread *self)
{
	if (!self->sites) {
		self->sites =
			sc_arena_take(SC_ARENA_SITES, SC_SITE_PLACES * sizeof(struct sc_site));
		self->credit = FIRST_KEPT;
	}
	return self->sites;
}

static bool is_zero(const uint8_t *from, size_t bytes)
{
	while (bytes && !*from) {
		from++;
		bytes--;
	}
	return !bytes;
}

/* The record but for time and parameters; false if there is more to it than a site holds. */
static bool keep_op(struct sc_site *s, const struct sc_call *call)
{
	struct sc_op op = call->op;
	size_t at = SC_SITE_HEAD_BYTES + sizeof(op.time_ns);

	if (s->way == SC_SITE_ALLOCATE)
		sc_site_clear_allocation(&op);
	else if (s->way != SC_SITE_HANDLES)
		sc_operands_clear(&op);
	if (!is_zero((const uint8_t *)&op + at, sizeof(op) - at))
		return false;
	memcpy(s->head, &op, SC_SITE_HEAD_BYTES);
	return true;
}

static bool keep_params(struct sc_site *s, const struct sc_call *call)
{
	const struct sc_handle *f = call->function;
	const struct sc_param_layout *layout = sc_param_layout_of(f);
	struct sc_known_allocation variable = {0};

	s->slots = (uint8_t)sc_slot_count(call->part, call->parts);
	s->is_given = sc_memory_has_host(&sc_memory); /* before the kernel is looked at */
	if (!f || !call->parts)			      /* parameters are left out */
		return !call->parts && (!f || sc_windows_is_closed());
	if (call->parts != 1 || !f->layout || layout->count > SC_SITE_PARAMS ||
	    layout->bytes > SC_SITE_VALUE_BYTES || sc_loaded_is_used_by(f) ||
	    sc_managed_variable_next(f, &(unsigned){0}, &variable))
		return false;
	s->has_gaps = layout->has_gaps;
	s->is_plain = !layout->has_gaps;
	for (uint32_t i = 0; i < layout->count; i++) {
		s->param[i].offset = (uint16_t)layout->param[i].offset;
		s->param[i].bytes = (uint16_t)layout->param[i].bytes;
		s->is_plain &= s->param[i].bytes == 8 || s->param[i].bytes == 4;
	}
	s->params = (uint8_t)layout->count;
	s->bytes = layout->bytes;
	return call->part[0].bytes == sizeof(struct sc_launch) + s->bytes;
}

static bool keep_stack(struct sc_site *s)
{
	struct sc_registers from = sc_registers_of_caller(s->frame);
	const struct sc_recent_words *words;
	struct sc_stack stack;

	if (!sc_session.options.stack_depth || !sc_stacks.slot)
		return true;
	if (sc_windows_is_closed()) {
		if (s->way == SC_SITE_ALLOCATE) /* it may be asked for inside */
			return false;
		memset(s->head + offsetof(struct sc_op, stack), 0, sizeof(stack.id));
		return true;
	}
	words = sc_recent_words_of(&from, &stack);
	if (!words || sc_code_range_is_own(&sc_code_ranges, s->caller))
		return false;
	memcpy(s->head + offsetof(struct sc_op, stack), &stack.id, sizeof(stack.id));
	memcpy(s->link, words->word, words->count * sizeof(s->link[0]));
	s->needs_base = words->needs_base;
	s->asks_python = !sc_python_is_absent();
	s->links = (uint8_t)words->count;
	s->low = words->low;
	s->high = words->high;
	return true;
}

/* Time and stack are added when it is written; the result counts as 0. */
static void keep_sum(struct sc_site *s)
{
	uint8_t data[SC_SLOT_DATA] = {0};

	memcpy(data, s->head, SC_SITE_HEAD_BYTES);
	memset(data + offsetof(struct sc_op, stack), 0, sizeof(uint32_t));
	memset(data + offsetof(struct sc_op, result), 0, sizeof(int32_t));
	s->sum = sc_slot_sum(SC_SLOT_FIRST | (s->slots - 1u), data);
}

/* False if the object was destroyed, whatever its record stands for now. */
static bool rests_on(struct sc_handle_ref ref)
{
	/* seq_cst: pairs with sc_handle_kill, which clears `alive` before it looks at `is_kept` */
	if (ref.handle)
		atomic_store(&ref.handle->is_kept, true);
	return !ref.handle || atomic_load(&ref.handle->alive) == ref.id;
}

/* Asked after `changes` was read: later changes show in that counter. */
static bool is_as_before(struct sc_site *s, const struct sc_call *call)
{
	struct sc_handle *context = sc_context_for(s->stream);
	bool is_implicit = sc_stream_is_implicit(s->stream);

	if (!context || !rests_on(sc_handle_refer(context)) || !rests_on(sc_call_stream(call)) ||
	    !rests_on(sc_call_object(call)) ||
	    !rests_on((struct sc_handle_ref){call->function, call->op.object}) ||
	    atomic_load(&sc_session.captures))
		return false;
	if (is_implicit || context != atomic_load(&sc_handles.only_context))
		s->context = sc_handle_thread()->context_raw;
	if (!is_implicit && sc_handle_find(SC_HANDLE_STREAM, s->stream) != call->stream)
		return false;
	if (s->way == SC_SITE_ALLOCATE)
		return sc_site_is_pool_as_before(call);
	if (s->way != SC_SITE_HANDLES)
		return true;
	return call->function ? sc_handle_find(SC_HANDLE_FUNCTION, s->object) == call->function
			      : sc_handle_find(SC_HANDLE_EVENT, s->object) == call->object;
}

static enum sc_site_way way_of(const struct sc_call *call, const void *object)
{
	if (!sc_operands_are_of(call->api, object))
		return SC_SITE_HANDLES;
	if (call->api->kind == SC_OP_ALLOC_ASYNC)
		return SC_SITE_ALLOCATE;
	return call->api->kind == SC_OP_FREE_ASYNC ? SC_SITE_FREE : SC_SITE_OPERANDS;
}

/* Where nothing was created, destroyed or captured, and nothing is left to do at the exit. */
static bool can_come_again(const struct sc_site *s, const struct sc_call *call)
{
	bool has_operands = s->way != SC_SITE_HANDLES;

	return (has_operands || call->object || call->function) && !call->facts.after &&
	       !(call->op.flags & UNLIKE) && !call->op.callback &&
	       call->op.kind == call->api->kind &&
	       (has_operands || !sc_tracking_of(call->api->kind)->prepare);
}

static bool keep_call(struct sc_site *s, const struct sc_call *call)
{
	s->frame = call->frame;
	s->base = sc_registers_of_caller(s->frame).base;
	s->caller = sc_registers_of_caller(s->frame).pc;
	s->its_stream = sc_call_stream(call);
	s->its_object = sc_call_object(call);
	s->real = sc_entry_find((int)(call->api - sc_apis), call->per_thread);
	if (!call->function)
		s->finish = sc_tracking_of(call->api->kind)->finish;
	switch (call->api - sc_apis) {
#define SC_REPEATED(symbol, handle, its_stream, number)                            \
	case SC_API_##symbol: {                                                    \
		const struct symbol##_params_st *p = call->params;                 \
                                                                                   \
		s->what = SC_SITE_WHAT(SC_API_##symbol, call->per_thread, number); \
		s->object = handle;                                                \
		s->stream = its_stream;                                            \
		break;                                                             \
	}
#include "interposer/hook/repeated.def"
#undef SC_REPEATED
	}
	s->way = way_of(call, s->object);
	return s->what && s->object && s->real;
}

/* Of the same call: it holds no more, or is from the same stack. */
static bool is_replaced_by(const struct sc_site *old, const struct sc_site *s)
{
	return sc_site_is_this(old, s->what, s->object, s->stream, s->frame) &&
	       (old->changes != s->changes ||
		(old->links == s->links &&
		 !memcmp(old->link, s->link, s->links * sizeof(s->link[0]))));
}

static struct sc_site *choose_place(const struct sc_thread *self, const struct sc_site *s)
{
	struct sc_site *place = sc_site_place(self, s->what, s->object, s->stream, s->frame);
	unsigned i = 0;

	while (i < SC_SITE_WAYS && place[i].what && !is_replaced_by(&place[i], s))
		i++;
	return &place[i < SC_SITE_WAYS ? i : self->credit % SC_SITE_WAYS];
}

void sc_site_keep(const struct sc_call *call)
{
	struct sc_thread *self = &sc_self;
	struct sc_site s = {0}, *place;
	uint64_t what;

	if (!call->stream || !call->frame || self->in_site || self->in_source ||
	    sc_behind_is_now() || (call->function && sc_recording_is_on()))
		return;
	s.changes = atomic_load(&sc_session.changes);
	if (!keep_call(&s, call) || !can_come_again(&s, call) || !make_places(self) ||
	    !is_worth_it(self) || !keep_op(&s, call) || !keep_params(&s, call) || !keep_stack(&s) ||
	    !is_as_before(&s, call))
		return;
	keep_sum(&s);
	place = choose_place(self, &s);
	what = s.what;
	s.what = place->what = 0;
	atomic_signal_fence(memory_order_seq_cst); /* a handler finds it empty or whole */
	*place = s;
	atomic_signal_fence(memory_order_seq_cst);
	place->what = what;
}
