/* The page guard: what the host's waits open. */
#include "interposer/guard/guard.h"
#include "interposer/object/handle.h"
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

/* What is complete at a point in a stream: what was put into it, and what its waits brought in. */
static struct sc_completion completion_of(const struct sc_handle *stream, uint64_t sequence)
{
	struct sc_completion done;

	sc_lock_get(&sc_guard.lock);
	done = stream->completion;
	sc_lock_put(&sc_guard.lock);
	sc_completion_add(&done,
			  (struct sc_completion_entry){.stream = stream->id, .sequence = sequence});
	if (stream->flags & SC_FLAG_LEGACY) /* S-4 */
		sc_completion_add(&done, (struct sc_completion_entry){.context = stream->context,
								      .sequence = sequence});
	return done;
}

void sc_guard_waited_stream(struct sc_handle *stream, uint64_t sequence)
{
	struct sc_completion done;

	if (is_idle())
		return;
	done = completion_of(stream, sequence);
	sc_watchpoint_remove_if(is_complete, &done);
}

void sc_guard_waited_event(struct sc_handle *event)
{
	struct sc_completion done;

	if (is_idle())
		return;
	sc_lock_get(&sc_guard.lock);
	done = event->completion;
	sc_lock_put(&sc_guard.lock);
	sc_watchpoint_remove_if(is_complete, &done);
}

/* Without live watchpoints there is nothing whose completion an event could show later. */
void sc_guard_record(struct sc_handle *event, const struct sc_handle *stream, uint64_t sequence)
{
	struct sc_guard *g = &sc_guard;
	struct sc_completion done;

	if (is_idle()) {
		event->completion.count = 0;
		return;
	}
	done = completion_of(stream, sequence);
	sc_lock_get(&g->lock);
	event->completion = done;
	sc_lock_put(&g->lock);
}

void sc_guard_join(struct sc_handle *stream, const struct sc_handle *event)
{
	struct sc_guard *g = &sc_guard;

	if (is_idle())
		return;
	sc_lock_get(&g->lock);
	sc_completion_join(&stream->completion, &event->completion);
	sc_lock_put(&g->lock);
}

void sc_guard_forget_record(struct sc_handle *event)
{
	sc_lock_get(&sc_guard.lock);
	event->completion.count = 0;
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
