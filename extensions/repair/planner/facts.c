/* Facts: one walk over the trace. */
#include "extensions/repair/planner/facts.h"

#include <stdlib.h>
#include "analyzer/analysis.h"
#include "base/search.h"

#define LOOKS_MOST 1000 /* records of other streams that are passed by */

static void note_record(struct sc_trace_facts *f, const struct sc_record *r)
{
	const uint64_t *wait =
		f->waits.count ? sc_u64_map_find(&f->last_waits, r->op.stream) : NULL;

	if (r->op.flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE) || r->op.result || !r->op.object)
		return;
	sc_vector_push(&f->records, ((struct sc_known_record){r->sequence, r->op.stream,
							      r->op.object, r->op.stack}));
	if (f->waits.count)
		*sc_u64_map_get(&f->recorded, r->op.object) = wait ? *wait : 0;
}

static void note_sync(struct sc_trace_facts *f, const struct sc_record *r)
{
	if (r->op.phase == SC_PHASE_END || r->op.callback ||
	    r->op.flags & (SC_FLAG_CAPTURED | SC_FLAG_DEAD_HANDLE))
		return;
	sc_vector_push(&f->syncs, ((struct sc_known_sync){r->sequence, r->op.stream, r->op.thread,
							  r->op.context, r->op.stack}));
}

static uint64_t word_of(const struct sc_op *op, uint64_t address)
{
	bool is_semaphore = op->kind == SC_OP_SIGNAL || op->kind == SC_OP_SIGNAL_WAIT;

	return is_semaphore ? UINT64_C(1) << 63 | op->object : address;
}

static void add_wait(struct sc_trace_facts *f, uint32_t stream, struct sc_value_wait wait)
{
	uint64_t *last = sc_u64_map_get(&f->last_waits, stream);

	wait.before = (uint32_t)*last;
	sc_vector_push(&f->waits, wait);
	*last = f->waits.count;
}

static void note_wait(struct sc_trace_facts *f, const struct sc_record *r)
{
	uint64_t word = word_of(&r->op, r->op.src), *open = sc_u64_map_get(&f->open_waits, word);

	if (r->op.flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE))
		return;
	add_wait(f, r->op.stream, (struct sc_value_wait){.place = r->sequence, .word = word});
	*open = *open ? *open : f->waits.count;
}

/* What the event's stream waited for, this one waits for, too. */
static void note_event_wait(struct sc_trace_facts *f, const struct sc_record *r)
{
	const uint64_t *source =
		f->waits.count ? sc_u64_map_find(&f->recorded, r->op.object) : NULL;

	if (source && *source && !(r->op.flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE)))
		add_wait(f, r->op.stream,
			 (struct sc_value_wait){.place = r->sequence,
						.fulfilled = r->sequence,
						.source = (uint32_t)*source});
}

/* All waits for the word since the last write of it are met by this one, for all that is known. */
static void note_write(struct sc_trace_facts *f, const struct sc_record *r)
{
	uint64_t word = word_of(&r->op, r->op.dst);
	uint64_t *open = f->waits.count ? sc_u64_map_find(&f->open_waits, word) : NULL;

	if (!open || !*open)
		return;
	for (size_t i = *open - 1; i < f->waits.count; i++)
		if (f->waits.items[i].word == word && !f->waits.items[i].fulfilled)
			f->waits.items[i].fulfilled = r->sequence;
	*open = 0;
}

/* Who asks about a stream looks at its waits from the last one back. */
static void finish_waits(struct sc_trace_facts *f)
{
	for (size_t i = 0; i < f->waits.count; i++) {
		struct sc_value_wait *w = &f->waits.items[i];

		w->latest = w->fulfilled ? w->fulfilled : UINT64_MAX;
		if (w->before && f->waits.items[w->before - 1].latest > w->latest)
			w->latest = f->waits.items[w->before - 1].latest;
		if (w->source && f->waits.items[w->source - 1].latest > w->latest)
			w->latest = f->waits.items[w->source - 1].latest;
	}
}

/* The last wait of a stream up to a place, + 1; or 0. */
static uint64_t wait_before(const struct sc_trace_facts *f, uint32_t stream, uint64_t at)
{
	const uint64_t *last = f->waits.count ? sc_u64_map_find(&f->last_waits, stream) : NULL;
	uint64_t i = last ? *last : 0;

	while (i && f->waits.items[i - 1].place > at)
		i = f->waits.items[i - 1].before;
	return i;
}

bool sc_trace_facts_is_held(const struct sc_trace_facts *f, uint32_t stream, uint64_t at)
{
	uint64_t i = wait_before(f, stream, at);

	return i && f->waits.items[i - 1].latest >= at;
}

bool sc_trace_facts_has_waited(const struct sc_trace_facts *f, uint32_t stream, uint64_t at)
{
	return wait_before(f, stream, at) != 0;
}

static void note_begin(struct sc_trace_facts *f, const struct sc_record *r)
{
	const uint64_t *number = sc_u64_map_find(&f->enqueued_at, r->op.link - 1);
	uint32_t stream = number ? f->enqueued.items[*number - 1].stream : 0;

	*sc_u64_map_get(&f->functions, r->op.callback) = r->op.link;
	if (!number)
		return;
	sc_vector_push(&f->running, ((struct sc_running){r->sequence, 0, stream}));
	*sc_u64_map_get(&f->executions, r->op.callback) = f->running.count;
}

static void note_end(struct sc_trace_facts *f, const struct sc_record *r)
{
	const uint64_t *number = sc_u64_map_find(&f->executions, r->op.callback);

	*sc_u64_map_get(&f->ended, r->op.callback) = r->sequence;
	if (number)
		f->running.items[*number - 1].end = r->sequence;
	number = sc_u64_map_find(&f->enqueued_at, r->op.link - 1);
	if (number)
		f->enqueued.items[*number - 1].end = r->sequence;
}

static void note_function(struct sc_trace_facts *f, const struct sc_record *r)
{
	if (r->op.flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE))
		return;
	sc_vector_push(&f->enqueued, ((struct sc_host_function){r->sequence, 0, r->op.stream}));
	*sc_u64_map_get(&f->enqueued_at, r->sequence) = f->enqueued.count;
}

static bool comes_before(uint32_t stream, uint32_t wanted, bool is_earlier)
{
	return stream < wanted || (stream == wanted && is_earlier);
}

/* A stream's functions run one after the other: the last one ends last. */
bool sc_trace_facts_is_pending(const struct sc_trace_facts *f, uint32_t stream, uint64_t after,
			       uint64_t at)
{
	size_t next;
	const struct sc_host_function *last;

	SC_SEARCH(next, f->enqueued.count,
		  comes_before(f->enqueued.items[next].stream, stream,
			       f->enqueued.items[next].place < at));
	last = next ? &f->enqueued.items[next - 1] : NULL;
	return last && last->stream == stream && last->place > after &&
	       (!last->end || last->end > at);
}

bool sc_trace_facts_is_running(const struct sc_trace_facts *f, uint32_t stream, uint64_t at)
{
	size_t next;
	const struct sc_running *last;

	SC_SEARCH(next, f->running.count,
		  comes_before(f->running.items[next].stream, stream,
			       f->running.items[next].begin <= at));
	last = next ? &f->running.items[next - 1] : NULL;
	return last && last->stream == stream && (!last->end || last->end > at);
}

bool sc_trace_facts_has_returned(const struct sc_trace_facts *f, uint32_t execution, uint64_t at)
{
	const uint64_t *end = sc_u64_map_find(&f->ended, execution);

	return end && *end <= at;
}

static void note(struct sc_trace_facts *f, const struct sc_record *r)
{
	f->count++;
	sc_device_times_note(&f->times, r);
	f->slots = r->sequence + 1;
	switch (r->op.kind) {
	case SC_OP_EVENT_RECORD: note_record(f, r); break;
	case SC_OP_STREAM_SYNC:
	case SC_OP_CONTEXT_SYNC:
	case SC_OP_EVENT_SYNC: note_sync(f, r); break;
	case SC_OP_EVENT_DESTROY:
		*sc_u64_map_get(&f->destroyed, r->op.object) = r->sequence + 1;
		break;
	case SC_OP_EVENT_WAIT: note_event_wait(f, r); break;
	case SC_OP_VALUE_WAIT:
	case SC_OP_SIGNAL_WAIT: note_wait(f, r); break;
	case SC_OP_VALUE_WRITE:
	case SC_OP_SIGNAL:
	case SC_OP_HOST_WRITE: note_write(f, r); break;
	case SC_OP_HOST_FUNC: note_function(f, r); break;
	case SC_OP_CALLBACK_BEGIN: note_begin(f, r); break;
	case SC_OP_CALLBACK_END: note_end(f, r); break;
	default: break;
	}
}

static int by_stream(uint32_t a, uint64_t place_a, uint32_t b, uint64_t place_b)
{
	if (a != b)
		return a < b ? -1 : 1;
	return (place_a > place_b) - (place_a < place_b);
}

static int compare_running(const void *a, const void *b)
{
	const struct sc_running *x = a, *y = b;

	return by_stream(x->stream, x->begin, y->stream, y->begin);
}

static int compare_enqueued(const void *a, const void *b)
{
	const struct sc_host_function *x = a, *y = b;

	return by_stream(x->stream, x->place, y->stream, y->place);
}

/* What the maps say of places in the lists is not asked any more. */
static void finish_functions(struct sc_trace_facts *f)
{
	if (f->running.count)
		qsort(f->running.items, f->running.count, sizeof(*f->running.items),
		      compare_running);
	if (f->enqueued.count)
		qsort(f->enqueued.items, f->enqueued.count, sizeof(*f->enqueued.items),
		      compare_enqueued);
	sc_u64_map_fini(&f->executions);
	sc_u64_map_fini(&f->enqueued_at);
}

void sc_trace_facts_read(struct sc_trace_facts *f, struct sc_reader *r)
{
	struct sc_record record;

	*f = (struct sc_trace_facts){0};
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record))
		note(f, &record);
	finish_waits(f);
	finish_functions(f);
	sc_device_times_finish(&f->times);
}

const struct sc_known_record *sc_trace_facts_record(const struct sc_trace_facts *f, uint32_t stream,
						    uint64_t after, uint64_t before)
{
	size_t first;

	SC_SEARCH(first, f->records.count, f->records.items[first].place <= after);
	for (size_t i = first; i < f->records.count && i - first < LOOKS_MOST; i++) {
		const struct sc_known_record *r = &f->records.items[i];
		const uint64_t *end;

		if (r->place >= before)
			return NULL;
		end = sc_u64_map_find(&f->destroyed, r->event);
		if (r->stream == stream && !(end && *end > r->place && *end <= before))
			return r;
	}
	return NULL;
}

const struct sc_known_sync *sc_trace_facts_sync(const struct sc_trace_facts *f, uint32_t thread,
						uint32_t stream, uint64_t after, uint64_t before)
{
	const struct sc_known_sync *found = NULL;
	size_t first;

	SC_SEARCH(first, f->syncs.count, f->syncs.items[first].place <= after);
	for (size_t i = first; i < f->syncs.count && i - first < LOOKS_MOST; i++) {
		const struct sc_known_sync *s = &f->syncs.items[i];

		if (s->place >= before)
			break;
		if (s->thread == thread && s->stream && s->stream != stream)
			found = s;
	}
	return found;
}

const struct sc_known_sync *sc_trace_facts_wait(const struct sc_trace_facts *f, uint32_t thread,
						uint64_t after, size_t index)
{
	size_t first;

	SC_SEARCH(first, f->syncs.count, f->syncs.items[first].place <= after);
	for (size_t i = first; i < f->syncs.count && i - first < LOOKS_MOST; i++)
		if (f->syncs.items[i].thread == thread && !index--)
			return &f->syncs.items[i];
	return NULL;
}

void sc_trace_facts_note_kernels(struct sc_trace_facts *f, const struct sc_analysis *found)
{
	size_t count;
	const struct sc_kernel_tally *k = sc_analysis_kernels(found, &count);

	for (size_t i = 0; i < count; i++)
		if (k[i].waits)
			*sc_u64_map_get(&f->waiting, k[i].kernel) = 1;
}

void sc_trace_facts_fini(struct sc_trace_facts *f)
{
	sc_u64_map_fini(&f->waiting);
	sc_device_times_fini(&f->times);
	sc_vector_fini(&f->records);
	sc_vector_fini(&f->syncs);
	sc_vector_fini(&f->waits);
	sc_u64_map_fini(&f->last_waits);
	sc_u64_map_fini(&f->open_waits);
	sc_u64_map_fini(&f->recorded);
	sc_vector_fini(&f->running);
	sc_u64_map_fini(&f->ended);
	sc_vector_fini(&f->enqueued);
	sc_u64_map_fini(&f->functions);
	sc_u64_map_fini(&f->destroyed);
	sc_calls_fini(&f->calls);
}
