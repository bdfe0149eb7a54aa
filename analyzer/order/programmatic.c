/* Programmatic launches: programmatic dependent launch, and events that launches record. */
#include "analyzer/order/programmatic.h"

#include <stdbool.h>
#include "analyzer/kernel/code.h"
#include "analyzer/order/context_order.h"
#include "base/assert.h"

/* What the launch needs to know of the kernel's code; unknown code is assumed to wait, and not to
 * trigger before it has waited. */
struct grid_code {
	bool waits;
	bool triggers; /* perhaps before it has waited */
};

static struct grid_code code_of(struct sc_order *o, uint32_t kernel)
{
	unsigned grid = o->code ? sc_code_grid(o->code, kernel) : 0;
	bool is_known = grid & SC_GRID_KNOWN;

	return (struct grid_code){.waits = !is_known || grid & SC_GRID_WAIT,
				  .triggers = is_known && grid & SC_GRID_TRIGGER &&
					      !(grid & SC_GRID_LATE_TRIGGER)};
}

/* Joins the stream's waits since the previous kernel to *start, if that is wanted. False if one of
 * the waits covers that kernel, or may cover it, or there were too many to know them all. */
static bool join_waits(struct sc_order *o, const struct sc_stream *s, struct sc_clock **start)
{
	struct sc_interval previous = {.lane = s->last_kernel.lane,
				       .position = s->last_kernel.position};
	struct sc_wait w;

	for (uint32_t i = 0; sc_wait_log_at(&s->waits, i, &w); i++) {
		if (w.sequence + 1 < previous.position)
			return 1;
		if (w.kind == SC_WAIT_FOREIGN || sc_target_covers(&w.covers, &previous))
			return 0;
		if (start)
			sc_target_join(&o->pool, start, &w.covers);
	}
	return s->waits.count < SC_WAIT_LOG;
}

/* What the previous kernel came after, and what was waited for since then (owned), or false. */
static bool start_of_previous(struct sc_order *o, const struct sc_stream *s,
			      struct sc_clock **start)
{
	bool is_beside = s->last_kernel.lane != s->tail.lane;

	*start = sc_clock_get(is_beside ? s->last_kernel.start : s->tail.base);
	if (!is_beside)
		sc_clock_raise(&o->pool, start, s->tail.lane, s->last_kernel.before);
	if (join_waits(o, s, start))
		return 1;
	sc_clock_put(&o->pool, *start);
	return 0;
}

/* Joins what orders every op of the stream: what the caller knows, and S-3. */
static struct sc_clock *join_usual(struct sc_order *o, struct sc_step *step, struct sc_clock *start,
				   uint32_t lane)
{
	struct sc_stream *s = step->stream;
	struct sc_point tail = s->tail;

	s->tail.base = start;
	s->tail.lane = lane;
	s->host_version = 0;
	sc_host_join_caller(&o->host, step);
	sc_context_join_awaited(&o->streams, s, &s->tail.base);
	sc_stream_join_implicit(&o->streams, s, s->last_kernel.position);
	start = s->tail.base;
	s->tail = tail;
	return start;
}

/* Notes what comes before the accesses that the kernel makes before its wait. */
static void note_begin(struct sc_order *o, struct sc_step *step)
{
	struct sc_clock *start;

	sc_clock_put(&o->pool, o->streams.begun);
	o->streams.begun = NULL;
	o->streams.has_begun = step->is_early && o->code &&
			       sc_code_grid(o->code, step->op->object) & SC_GRID_EARLY &&
			       start_of_previous(o, step->stream, &start);
	if (o->streams.has_begun)
		o->streams.begun = join_usual(o, step, start, step->stream->tail.lane);
}

/* L-2: false if the kernel is in the stream's order all the same. */
static bool push_early(struct sc_order *o, struct sc_step *step, struct grid_code code)
{
	struct sc_stream *s = step->stream;
	uint32_t lane = s->last_kernel.lane;
	struct sc_clock *start;

	if ((code.waits && lane == s->tail.lane) || !start_of_previous(o, s, &start))
		return 0;
	if (!code.waits)
		lane = sc_stream_take_beside(&o->streams, s);
	else if (!code.triggers) /* the next kernel starts after the wait */
		sc_clock_raise(&o->pool, &start, lane, s->last_kernel.position);
	if (lane == SC_LANE_NONE) {
		sc_clock_put(&o->pool, start);
		return 0;
	}
	start = join_usual(o, step, start, lane);
	sc_stream_push_beside(&o->streams, s, lane, start, step->sequence + 1, &step->when);
	return 1;
}

/* What is complete when the kernel of the step starts; owned. */
static struct sc_clock *begun(struct sc_order *o, const struct sc_step *step, uint64_t before)
{
	struct sc_clock *c = sc_clock_get(step->when.start);

	if (step->when.lane == step->stream->tail.lane)
		sc_clock_raise(&o->pool, &c, step->when.lane, before);
	return c;
}

/* E-14: an event that fires at the trigger says that the kernel has begun; one that fires when its
 * blocks have begun does not even say that (L-3, L-4). */
static void record_event(struct sc_order *o, const struct sc_step *step, uint64_t before)
{
	bool is_completion = step->op->flags & SC_FLAG_LAUNCH_COMPLETION;
	struct sc_event *e = sc_event_of(&o->events, step->op->peer);
	struct sc_clock *c = is_completion ? NULL : begun(o, step, before);

	sc_event_record_launch(&o->events, e, c, &step->stream->tail, step->sequence);
}

/* Puts the kernel into the stream's order. The accesses of a kernel that waits come after the
 * previous kernel, but if the kernel triggers before its wait, the next kernel may start as early
 * as this one did. Returns the position up to which the next kernel knows the stream. */
static uint64_t push_in_order(struct sc_order *o, struct sc_step *step, struct grid_code code)
{
	struct sc_stream *s = step->stream;
	bool is_real_start_earlier = step->is_early && code.waits && code.triggers &&
				     s->last_kernel.lane == s->tail.lane && join_waits(o, s, NULL);
	uint64_t before = is_real_start_earlier ? s->last_kernel.before
						: sc_stream_position_before(s, step->sequence + 1);

	sc_stream_push(&o->streams, s, step->sequence + 1, &step->when);
	if (!step->is_early)
		s->beside_used = 0;
	return before;
}

void sc_programmatic_launch(struct sc_order *o, struct sc_step *step)
{
	struct sc_stream *s = step->stream;
	struct grid_code code = {0};
	uint64_t before = 0;

	sc_assert(step->op->kind == SC_OP_KERNEL && s->last_kernel.position <= step->sequence);
	step->is_early = step->op->flags & SC_FLAG_PROGRAMMATIC && s->last_kernel.position;
	step->primary = s->last_kernel.kernel;
	if (step->is_early)
		code = code_of(o, step->op->object);
	note_begin(o, step);
	if (!step->is_early || !push_early(o, step, code))
		before = push_in_order(o, step, code);
	step->is_enqueued = 1;
	s->last_kernel.position = step->when.position;
	s->last_kernel.before = before;
	s->last_kernel.lane = step->when.lane;
	s->last_kernel.kernel = step->op->object;
	if (step->op->peer)
		record_event(o, step, before);
}
