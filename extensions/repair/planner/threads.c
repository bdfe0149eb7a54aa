/* Threads: calls of an edit's two lines, as an analysis meets them. */
#include "extensions/repair/planner/threads.h"

#include <stdlib.h>
#include <string.h>
#include "analyzer/analysis.h"
#include "analyzer/order/order.h"
#include "base/heap.h"
#include "base/message.h"

/* What a thread did last at one of the lines. */
struct deed {
	uint32_t thread;
	uint64_t position; /* 0: nothing */
};

struct edit_lines {
	SC_VECTOR(struct deed) last; /* of each thread */
	struct deed recorded;
	uint32_t first, then; /* numbers of the two places */
	/* Borrowed; NULL: it happens beside each op of the line. */
	const struct sc_line_calls *after, *before;
	struct sc_u64_map cursors[2];
	bool is_unordered;
};

struct search {
	struct sc_reader *reader;
	struct sc_places places;
	struct sc_calls calls;
	struct edit_lines *lines; /* owned: of each edit */
	size_t count;
};

static bool knows(struct sc_order *o, const struct sc_step *step, const struct deed *d)
{
	return !d->position || sc_host_knows_thread(&o->host, step, d->thread, d->position);
}

static struct deed *last_of(struct edit_lines *l, uint32_t thread)
{
	for (size_t i = 0; i < l->last.count; i++)
		if (l->last.items[i].thread == thread)
			return &l->last.items[i];
	sc_vector_push(&l->last, ((struct deed){.thread = thread}));
	return sc_vector_last(&l->last);
}

static void see_line(struct edit_lines *l, struct sc_order *o, const struct sc_step *step,
		     bool is_record)
{
	/* Who knows no more than that the work was enqueued does not know that its event was
	 * recorded afterwards. */
	struct deed now = {step->op->thread, step->sequence + 2};

	for (size_t i = 0; is_record && i < l->last.count; i++)
		l->is_unordered |= !knows(o, step, &l->last.items[i]);
	if (is_record)
		l->recorded = now;
	else
		l->is_unordered |= !knows(o, step, &l->recorded);
	*last_of(l, now.thread) = now;
}

/* True if the op is the last one of the call, but for its own end. */
static bool is_end(const struct search *s, const struct sc_line_call *call, uint64_t place)
{
	struct sc_op end;

	return call->end == place ||
	       (sc_reader_op(s->reader, call->end, &end) && end.link == place + 1);
}

static void see_calls(struct search *s, struct edit_lines *l, struct sc_order *o,
		      const struct sc_step *step)
{
	uint32_t thread = step->op->thread;
	const struct sc_line_call *call;

	call = l->before ? sc_line_call_at(l->before, &l->cursors[0], thread, step->sequence)
			 : NULL;
	if (call && call->begin == step->sequence)
		see_line(l, o, step, 0);
	call = l->after ? sc_line_call_at(l->after, &l->cursors[1], thread, step->sequence) : NULL;
	if (call && is_end(s, call, step->sequence))
		see_line(l, o, step, 1);
}

static void see(void *data, struct sc_order *o, const struct sc_step *step)
{
	struct search *s = data;
	const uint32_t *place;

	/* The end of a call is the step of its begin once more. */
	if (o->at != step->sequence + 1 || step->op->callback ||
	    step->op->flags & (SC_FLAG_NODE | SC_FLAG_DEAD_HANDLE) ||
	    sc_op_kind_class(step->op->kind) == SC_CLASS_DEFINE)
		return;
	for (size_t i = 0; i < s->count; i++)
		see_calls(s, &s->lines[i], o, step);
	for (place = sc_places_of(&s->places, step->op->stack, step->sequence);
	     *place != SC_PLACE_END; place++)
		for (size_t i = 0; i < s->count; i++) {
			if (!s->lines[i].before && s->lines[i].then == *place)
				see_line(&s->lines[i], o, step, 0);
			if (!s->lines[i].after && s->lines[i].first == *place)
				see_line(&s->lines[i], o, step, 1);
		}
}

/* Where it was not recorded, a thread seems to know all that its creator did until it ran. */
static enum sc_threads judge(const struct edit_lines *l, bool is_watched)
{
	if (l->last.count < 2)
		return SC_THREADS_ONE;
	if (!is_watched)
		return SC_THREADS_UNKNOWN;
	return l->is_unordered ? SC_THREADS_UNORDERED : SC_THREADS_ORDERED;
}

void sc_threads_find(enum sc_threads *out, struct sc_reader *r, const struct sc_edit *edits,
		     size_t count, sc_calls_from *from, void *data)
{
	struct search s = {.reader = r,
			   .places.reader = r,
			   .calls = {.from = from, .data = data},
			   .count = count};
	struct sc_watch watch = {.see = see, .data = &s};
	struct sc_analysis_settings settings = {
		.no_footprints = 1, .no_routine = 1, .strict_hosts = 1, .watch = &watch};
	struct sc_analysis *found;
	int err;

	s.lines = sc_heap_xcalloc(count, sizeof(*s.lines));
	for (size_t i = 0; i < count; i++) {
		bool is_edge = edits[i].kind == SC_EDIT_EDGE;

		s.lines[i].first =
			sc_places_add(&s.places, is_edge ? &edits[i].nodes[0] : &edits[i].first);
		s.lines[i].then =
			sc_places_add(&s.places, is_edge ? &edits[i].nodes[1] : &edits[i].before);
		if (sc_edit_is_after_calls(&edits[i]))
			s.lines[i].after = sc_calls_want(&s.calls, &edits[i].first);
		if (sc_edit_is_before_calls(&edits[i]))
			s.lines[i].before = sc_calls_want(&s.calls, &edits[i].before);
	}
	sc_calls_read(&s.calls, r);
	err = sc_analysis_run(&found, r, &settings);
	sc_heap_check(err);
	if (err)
		sc_die("the trace cannot be read again: %s", strerror(-err));
	for (size_t i = 0; i < count; i++) {
		out[i] = judge(&s.lines[i], sc_analysis_coverage(found)->hosts_watched);
		sc_vector_fini(&s.lines[i].last);
		sc_u64_map_fini(&s.lines[i].cursors[0]);
		sc_u64_map_fini(&s.lines[i].cursors[1]);
	}
	sc_analysis_free(found);
	sc_places_fini(&s.places);
	sc_calls_fini(&s.calls);
	free(s.lines);
}
