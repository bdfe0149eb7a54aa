/* The page guard: what the host's waits open. */
#include "interposer/guard/guard.h"
#include "interposer/object/handle_record.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/core/lock.h"

static bool is_idle(void)
{
	return !atomic_load_explicit(&sc_guard.live, memory_order_relaxed);
}

static bool is_complete(struct sc_watchpoint *a, void *completion)
{
	return sc_completion_has(completion, a->stream, a->context, a->is_ordered, a->sequence);
}

/* What is known of a stream or event; nothing if the record stands for another one. Locked. */
static void take_known(struct sc_handle_ref ref, struct sc_completion *known)
{
	known->count = 0;
	if (ref.handle->completion_of == ref.id)
		sc_completion_set(known, &ref.handle->completion);
}

static void set_known(struct sc_handle_ref ref)
{
	atomic_store_explicit(&ref.handle->completion_of, ref.id, memory_order_relaxed);
}

/* What is complete at a point in a stream: what was put into it, and what its waits brought in.
 * Locked. */
static void take_point(struct sc_handle_ref stream, uint64_t sequence, struct sc_completion *done)
{
	take_known(stream, done);
	sc_completion_add(done,
			  (struct sc_completion_entry){.stream = stream.id, .sequence = sequence});
	if (stream.handle->flags & SC_FLAG_LEGACY) /* S-4 */
		sc_completion_add(done,
				  (struct sc_completion_entry){.context = stream.handle->context,
							       .sequence = sequence});
}

void sc_guard_waited_stream(struct sc_handle_ref stream, uint64_t sequence)
{
	struct sc_completion done;

	if (is_idle())
		return;
	sc_lock_get(&sc_guard.lock);
	take_point(stream, sequence, &done);
	sc_lock_put(&sc_guard.lock);
	sc_watchpoint_remove_if(is_complete, &done);
}

void sc_guard_waited_event(struct sc_handle_ref event)
{
	struct sc_completion done;

	if (is_idle())
		return;
	sc_lock_get(&sc_guard.lock);
	take_known(event, &done);
	sc_lock_put(&sc_guard.lock);
	sc_watchpoint_remove_if(is_complete, &done);
}

/* Without live watchpoints there is nothing whose completion an event could show later. */
void sc_guard_record(struct sc_handle_ref event, struct sc_handle_ref stream, uint64_t sequence)
{
	struct sc_guard *g = &sc_guard;

	if (is_idle()) {
		atomic_store_explicit(&event.handle->completion_of, 0, memory_order_relaxed);
		return;
	}
	sc_lock_get(&g->lock);
	take_point(stream, sequence, &event.handle->completion);
	set_known(event);
	sc_lock_put(&g->lock);
}

void sc_guard_join(struct sc_handle_ref stream, struct sc_handle_ref event)
{
	struct sc_guard *g = &sc_guard;

	if (is_idle())
		return;
	sc_lock_get(&g->lock);
	if (stream.handle->completion_of != stream.id) {
		stream.handle->completion.count = 0;
		set_known(stream);
	}
	if (event.handle->completion_of == event.id)
		sc_completion_join(&stream.handle->completion, &event.handle->completion);
	sc_lock_put(&g->lock);
}

void sc_guard_forget_record(struct sc_handle_ref event)
{
	sc_lock_get(&sc_guard.lock);
	atomic_store_explicit(&event.handle->completion_of, 0, memory_order_relaxed);
	sc_lock_put(&sc_guard.lock);
}

struct context_wait {
	uint32_t context;
	uint64_t sequence;
};

static bool is_in_context(struct sc_watchpoint *a, void *context)
{
	const struct context_wait *w = context;

	return a->context == w->context && a->sequence < w->sequence;
}

void sc_guard_open_context(uint32_t context, uint64_t sequence)
{
	struct context_wait w = {context, sequence};

	sc_watchpoint_remove_if(is_in_context, &w);
}
