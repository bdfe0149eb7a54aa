/* Device times: collected, aligned with the clock of the calls, found by op. */
#include "analyzer/run/device_time.h"
#include "base/search.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static size_t most_of(const struct sc_device_times *t)
{
	return t->most ? t->most : SC_DEVICE_TIMES;
}

/* Of a run that is followed host functions and pairs of clocks are fewer than times of work: tables
 * that need hours to fill would look as if they grew for ever. */
#define SMALL_PART 64

static size_t part_of_most(const struct sc_device_times *t)
{
	return t->is_kept ? most_of(t) / SMALL_PART + 2 : most_of(t);
}

/* The later half of times, and of the others at most half as many that are asked for; returns how
 * many there are then. */
static size_t keep_last(const struct sc_device_times *t, struct sc_device_time *items, size_t count)
{
	size_t kept = 0, half = count / 2;

	for (size_t i = 0; i < half && kept < half / 2; i++)
		if (items[i].link && t->is_kept(t->data, items[i].link - 1))
			items[kept++] = items[i];
	for (size_t i = half; i < count; i++)
		items[kept++] = items[i];
	return kept;
}

/* Every second pair: those in between follow from the others nearly. */
static void thin_pairs(struct sc_device_times *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->pairs.count; i += 2)
		t->pairs.items[kept++] = t->pairs.items[i];
	t->pairs.count = kept;
}

static void forget_old(struct sc_device_times *t)
{
	size_t kept = keep_last(t, t->list.items, t->list.count);

	t->lost += t->list.count - kept;
	t->list.count = kept;
}

static void take(struct sc_device_times *t, struct sc_device_time time)
{
	if (t->is_kept && t->list.count >= most_of(t))
		forget_old(t);
	if (t->list.count >= most_of(t)) {
		t->lost++;
		return;
	}
	t->linked += time.link != 0;
	sc_vector_push(&t->list, time);
}

static void take_time(struct sc_device_times *t, const struct sc_op *op)
{
	take(t, (struct sc_device_time){.link = op->link,
					.start_ns = op->time_ns,
					.end_ns = add(op->time_ns, op->value),
					.node = op->peer,
					.engine = op->engine,
					.device = op->device});
}

static void take_clock(struct sc_device_times *t, const struct sc_op *op)
{
	if (op->bytes > t->error_ns)
		t->error_ns = op->bytes;
	if (t->is_kept && t->pairs.count >= part_of_most(t))
		thin_pairs(t);
	if (t->pairs.count < most_of(t))
		sc_vector_push(&t->pairs, ((struct sc_clock_pair){op->time_ns, op->value}));
}

/* ---- host functions ---- */

/* Host functions of graphs run once a launch, and no call names that run. */
static void expect_callback(struct sc_device_times *t, const struct sc_record *r)
{
	if (r->op.flags & (SC_FLAG_NODE | SC_FLAG_CAPTURED) || !r->op.stream)
		return;
	if (t->is_kept && t->callbacks.count >= part_of_most(t))
		t->callbacks.count = keep_last(t, t->callbacks.items, t->callbacks.count);
	if (t->callbacks.count < most_of(t))
		sc_vector_push(&t->callbacks,
			       ((struct sc_device_time){.link = r->sequence + 1,
							.engine = SC_ENGINE_HOST_FUNCTION}));
}

static struct sc_device_time *callback_of(struct sc_device_times *t, uint64_t link)
{
	size_t i;

	SC_SEARCH(i, t->callbacks.count, t->callbacks.items[i].link < link);
	return i < t->callbacks.count && t->callbacks.items[i].link == link ? &t->callbacks.items[i]
									    : NULL;
}

static void begin_callback(struct sc_device_times *t, const struct sc_op *op)
{
	struct sc_device_time *time = callback_of(t, op->link);

	if (time)
		time->start_ns = op->time_ns;
}

static void end_callback(struct sc_device_times *t, const struct sc_op *op)
{
	struct sc_device_time *time = callback_of(t, op->link);

	if (time)
		time->end_ns = op->time_ns;
}

/* The times of callbacks are of the calls' clock. They complete what the device reported: where it
 * reported nothing, there is no time line that they could be on. */
static void add_callbacks(struct sc_device_times *t)
{
	if (!t->list.count)
		return;
	for (size_t i = 0; i < t->callbacks.count; i++) {
		const struct sc_device_time *time = &t->callbacks.items[i];

		if (time->start_ns && time->end_ns >= time->start_ns)
			take(t, *time);
	}
}

void sc_device_times_note(struct sc_device_times *t, const struct sc_record *r)
{
	switch (r->op.kind) {
	case SC_OP_DEVICE_TIME: take_time(t, &r->op); break;
	case SC_OP_DEVICE_CLOCK: take_clock(t, &r->op); break;
	case SC_OP_DEVICE_LOST: t->lost = add(t->lost, r->op.value); break;
	case SC_OP_HOST_FUNC: expect_callback(t, r); break;
	case SC_OP_CALLBACK_BEGIN: begin_callback(t, &r->op); break;
	case SC_OP_CALLBACK_END: end_callback(t, &r->op); break;
	}
}

/* ---- the clocks ---- */

static int compare_pairs(const void *left, const void *right)
{
	const struct sc_clock_pair *a = left, *b = right;

	return a->device_ns < b->device_ns ? -1 : a->device_ns > b->device_ns;
}

/* The last pair that is not after `device_ns`, or the first one. */
static size_t pair_before(const struct sc_device_times *t, uint64_t device_ns)
{
	size_t next;

	SC_SEARCH(next, t->pairs.count, t->pairs.items[next].device_ns <= device_ns);
	return next ? next - 1 : 0;
}

/* Between two pairs the clocks may drift evenly; before the first pair and after the last one they
 * go alike. Differences are taken modulo 2^64: the clocks may have any distance. */
uint64_t sc_device_time_align(const struct sc_device_times *t, uint64_t device_ns)
{
	const struct sc_clock_pair *a, *b;
	uint64_t offset;
	double part;
	int64_t drift;
	size_t i;

	if (!t->pairs.count)
		return device_ns;
	i = pair_before(t, device_ns);
	a = &t->pairs.items[i];
	offset = a->host_ns - a->device_ns;
	if (i + 1 == t->pairs.count || device_ns <= a->device_ns)
		return device_ns + offset;
	b = a + 1;
	drift = (int64_t)(b->host_ns - b->device_ns - offset);
	part = (double)(device_ns - a->device_ns) / (double)(b->device_ns - a->device_ns);
	return device_ns + offset + (uint64_t)(int64_t)((double)drift * part);
}

static int compare_times(const void *left, const void *right)
{
	const struct sc_device_time *a = left, *b = right;

	if (a->link != b->link)
		return a->link < b->link ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

void sc_device_times_finish(struct sc_device_times *t)
{
	if (t->pairs.count)
		qsort(t->pairs.items, t->pairs.count, sizeof(*t->pairs.items), compare_pairs);
	for (size_t i = 0; i < t->list.count; i++) {
		struct sc_device_time *time = &t->list.items[i];
		uint64_t length = time->end_ns - time->start_ns;

		time->start_ns = sc_device_time_align(t, time->start_ns);
		time->end_ns = add(time->start_ns, length);
	}
	add_callbacks(t);
	if (t->list.count)
		qsort(t->list.items, t->list.count, sizeof(*t->list.items), compare_times);
	while (t->at < t->list.count && !t->list.items[t->at].link)
		t->at++;
}

/* Work cannot begin before it is enqueued: if it seems so, the clocks are that much apart. */
static void check_order(struct sc_device_times *t, const struct sc_device_time *time)
{
	if (sc_engine_is_work(time->engine) && time->start_ns < time->queued_ns &&
	    time->queued_ns - time->start_ns > t->error_ns)
		t->error_ns = time->queued_ns - time->start_ns;
}

void sc_device_times_visit(struct sc_device_times *t, const struct sc_record *r)
{
	while (t->at < t->list.count && t->list.items[t->at].link - 1 < r->sequence)
		t->at++;
	for (; t->at < t->list.count && t->list.items[t->at].link - 1 == r->sequence; t->at++) {
		t->list.items[t->at].queued_ns = r->op.time_ns;
		check_order(t, &t->list.items[t->at]);
	}
}

void sc_device_times_fini(struct sc_device_times *t)
{
	sc_vector_fini(&t->list);
	sc_vector_fini(&t->callbacks);
	sc_vector_fini(&t->pairs);
}

/* ---- asking ---- */

static size_t first_of(const struct sc_device_times *t, uint64_t link)
{
	size_t i;

	SC_SEARCH(i, t->list.count, t->list.items[i].link < link);
	return i;
}

size_t sc_device_parts_of(const struct sc_device_times *t, uint64_t sequence,
			  const struct sc_device_time **parts)
{
	size_t first = first_of(t, sequence + 1), end = first;

	while (end < t->list.count && t->list.items[end].link == sequence + 1)
		end++;
	*parts = end > first ? &t->list.items[first] : NULL;
	return end - first;
}

bool sc_device_time_counts(const struct sc_device_time *part)
{
	return part->engine != SC_ENGINE_HOST_WAIT && part->engine != SC_ENGINE_POOL;
}

bool sc_device_time_of(const struct sc_device_times *t, uint64_t sequence,
		       struct sc_device_span *span)
{
	const struct sc_device_time *part;
	size_t count = sc_device_parts_of(t, sequence, &part);

	*span = (struct sc_device_span){.start_ns = UINT64_MAX};
	for (; count; count--, part++) {
		if (!sc_device_time_counts(part))
			continue;
		if (part->start_ns < span->start_ns)
			span->start_ns = part->start_ns;
		if (part->end_ns > span->end_ns)
			span->end_ns = part->end_ns;
		span->queued_ns = part->queued_ns;
		if (!span->parts++)
			span->engine = part->engine;
	}
	return span->parts != 0;
}

struct sc_device_wait sc_device_wait_of(const struct sc_device_times *t, uint64_t sequence)
{
	const struct sc_device_time *part;
	size_t count = sc_device_parts_of(t, sequence, &part);

	for (; count; count--, part++)
		if (part->engine == SC_ENGINE_HOST_WAIT)
			return (struct sc_device_wait){part->start_ns, part->end_ns};
	return (struct sc_device_wait){0, 0};
}

/* An action of a host thread itself happens at the op's time; work that the thread enqueues, when
 * the device does it. */
static bool is_moment(const struct sc_op *op)
{
	return op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE ||
	       op->kind == SC_OP_HOST_FREE || op->kind == SC_OP_FREE;
}

bool sc_device_time_when(const struct sc_device_times *t, const struct sc_record *op,
			 struct sc_time_span *out)
{
	struct sc_device_span span;

	if (!op)
		return 0;
	if (is_moment(&op->op)) {
		*out = (struct sc_time_span){op->op.time_ns, op->op.time_ns};
		return op->op.time_ns != 0;
	}
	if (!sc_device_time_of(t, op->sequence, &span))
		return 0;
	*out = (struct sc_time_span){span.start_ns, span.end_ns};
	return 1;
}
