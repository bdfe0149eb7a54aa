/* The page guard: what the host's waits open. */
#include "interposer/call/call.h"
#include "interposer/guard/guard.h"
#include "interposer/core/session.h"
#include "interposer/guard/cover.h"
#include "interposer/guard/arm.h"
#include "interposer/core/lock.h"

static bool is_idle(void)
{
	return !atomic_load_explicit(&sc_guard.live, memory_order_relaxed);
}

static bool is_covered(struct sc_arm *a, void *cover)
{
	return sc_cover_holds(cover, a->stream, a->context, a->is_ordered, a->sequence);
}

/* What a point in a stream covers: what was put into it, and what its waits brought in. */
static struct sc_cover cover_of(const struct sc_handle *stream, uint64_t sequence)
{
	struct sc_cover cover;

	sc_lock_get(&sc_guard.lock);
	cover = stream->cover;
	sc_lock_put(&sc_guard.lock);
	sc_cover_add(&cover, (struct sc_cover_entry){.stream = stream->id, .sequence = sequence});
	if (stream->flags & SC_FLAG_LEGACY) /* S-4 */
		sc_cover_add(&cover, (struct sc_cover_entry){.context = stream->context,
							     .sequence = sequence});
	return cover;
}

void sc_guard_waited_stream(struct sc_handle *stream, uint64_t sequence)
{
	struct sc_cover cover;

	if (is_idle())
		return;
	cover = cover_of(stream, sequence);
	sc_arm_release_if(is_covered, &cover);
}

void sc_guard_waited_event(struct sc_handle *event)
{
	struct sc_cover cover;

	if (is_idle())
		return;
	sc_lock_get(&sc_guard.lock);
	cover = event->cover;
	sc_lock_put(&sc_guard.lock);
	sc_arm_release_if(is_covered, &cover);
}

/* Without live arms there is nothing that an event could cover later. */
void sc_guard_record(struct sc_handle *event, const struct sc_handle *stream, uint64_t sequence)
{
	struct sc_guard *g = &sc_guard;
	struct sc_cover cover;

	if (is_idle()) {
		event->cover.count = 0;
		return;
	}
	cover = cover_of(stream, sequence);
	sc_lock_get(&g->lock);
	event->cover = cover;
	sc_lock_put(&g->lock);
}

void sc_guard_join(struct sc_handle *stream, const struct sc_handle *event)
{
	struct sc_guard *g = &sc_guard;

	if (is_idle())
		return;
	sc_lock_get(&g->lock);
	sc_cover_join(&stream->cover, &event->cover);
	sc_lock_put(&g->lock);
}

struct context_wait {
	uint32_t context;
	uint64_t sequence;
};

static bool is_in_context(struct sc_arm *a, void *context)
{
	const struct context_wait *w = context;

	return a->context == w->context && a->sequence < w->sequence;
}

void sc_guard_open_context(uint32_t context, uint64_t sequence)
{
	struct context_wait w = {context, sequence};

	sc_arm_release_if(is_in_context, &w);
}
