/* Routine: ops that meet only what is ordered before them, from the record to the spans. */
#include "analyzer/routine.h"

#include "analyzer/recall.h"
#include "analyzer/rules/race.h"
#include "analyzer/tail.h"
#include "analyzer/weak.h"

#define PLACES	 8  /* that one op may use */
#define TOGETHER 32 /* touches in one span */

/* Flags that change nothing about the order and the bytes of an op. */
#define PLAIN_FLAGS ((uint32_t)(SC_FLAG_LIBRARY | SC_FLAG_PER_THREAD_API | SC_FLAG_OTHER_CONTEXT))

/* One use: the span of its bytes, and what becomes of the touches there. */
struct place {
	struct sc_span *span;
	struct sc_touch touch; /* the new one */
	uint32_t kept;	       /* bit for each old one */
};

/* The op at hand. */
struct routine {
	struct sc_analysis *a;
	const struct sc_record *record;
	struct sc_step *step;
	struct sc_note note; /* what a touch asks of it before it is made: `when` and `traits` */
	struct sc_past past;
	unsigned count;
	struct place places[PLACES];
};

/* ---- what it meets; nothing is changed ---- */

/* Whether an old touch of the same bytes stays beside the new one, as use_exact of history.c has
 * it; false: it may collide, or its order is a graph's. */
static inline _Bool judge(const struct routine *x, const struct sc_touch *old,
			  const struct sc_touch *new, _Bool *stays)
{
	_Bool is_before;

	if (old->traits & SC_TRAIT_GRAPH)
		return 0;
	is_before = sc_touch_before_plain(old, new);
	if (!is_before && (sc_mode_writes(old->mode) || sc_mode_writes(new->mode)) &&
	    !(old->mode == SC_ATOMIC && new->mode == SC_ATOMIC))
		return 0;
	*stays = !(is_before && sc_touch_outdoes(new, old)) && !sc_past_is(&x->past, old);
	return 1;
}

static inline _Bool judge_all(const struct routine *x, struct place *p)
{
	const struct sc_span *s = p->span;

	p->kept = 0;
	if (s->count > TOGETHER)
		return 0;
	for (uint32_t i = 0; i < s->count; i++) {
		_Bool stays;

		if (!judge(x, &s->touches[i], &p->touch, &stays))
			return 0;
		p->kept |= (uint32_t)stays << i;
	}
	return 1;
}

/* The same bytes twice, or two operands of a copy in one allocation, which may overlap. */
static inline _Bool is_apart(const struct routine *x, const struct sc_span *span)
{
	_Bool is_copy = x->record->op.kind == SC_OP_COPY;

	for (unsigned i = 0; i < x->count; i++) {
		const struct sc_span *other = x->places[i].span;

		if (other == span || (is_copy && other->owner == span->owner))
			return 0;
	}
	return 1;
}

/* Linear, known as bytes, and nothing but spans remembers them. */
static inline _Bool add_place(struct routine *x, uint64_t first, uint64_t bytes, uint8_t mode,
			      uint8_t known)
{
	struct place *p = &x->places[x->count];
	const struct sc_history *h;
	uint64_t end;

	if (x->count == PLACES || !bytes || __builtin_add_overflow(first, bytes, &end))
		return 0;
	p->span = sc_memory_span(&x->a->memory, first, end);
	if (!p->span || !is_apart(x, p->span))
		return 0;
	h = sc_span_history(p->span);
	if (h->whole.count || h->strided.count || sc_history_memory(h)->physical)
		return 0;
	p->touch = (struct sc_touch){.note = &x->note,
				     .position = x->note.when.position,
				     .lane = x->note.when.lane,
				     .mode = mode,
				     .known = known,
				     .traits = x->note.traits,
				     .first = first,
				     .end = end};
	x->count++;
	return judge_all(x, p);
}

/* The accesses that stand behind a kernel. */
static _Bool add_attached(struct routine *x)
{
	uint32_t bytes = 0;
	const struct sc_access *list = sc_record_attachment(x->record, SC_ATTACH_ACCESSES, &bytes);

	for (uint32_t i = 0; i < bytes / sizeof(*list); i++) {
		const struct sc_access *u = &list[i];

		if (u->rows != 1 || u->slices != 1 || u->known == SC_KNOWN_PARAMETER ||
		    !add_place(x, u->base, u->width, u->mode, u->known))
			return 0;
		x->places[i].touch.how = u->how;
	}
	return x->count > 0;
}

static _Bool add_operands(struct routine *x)
{
	const struct sc_op *op = &x->record->op;

	if (op->kind == SC_OP_KERNEL)
		return add_attached(x);
	if (x->record->attachment_bytes ||
	    (op->kind == SC_OP_COPY && !add_place(x, op->src, op->bytes, SC_READ, SC_KNOWN_EXACT)))
		return 0;
	return add_place(x, op->dst, op->bytes, SC_WRITE, SC_KNOWN_EXACT);
}

/* Nobody waits for it, nobody reads or writes for it in the call. */
static _Bool is_quiet(const struct sc_order *o, const struct sc_op *op)
{
	struct sc_transfer t;

	if (op->kind == SC_OP_KERNEL)
		return 1;
	t = sc_transfer_of(op, o->driver, o->profile);
	return !t.edge && !t.host_reads && !t.is_barrier && !t.source_staged && !t.result_waited;
}

/* The stream as the op will find it: what sc_order_enqueue does first, which may be done twice. */
static _Bool find_stream(struct sc_order *o, const struct sc_record *r, struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	struct sc_stream *s = o->streams.recent[op->stream % SC_STREAMS_RECENT];

	if (!s || s->id != op->stream || s->tail.lane == SC_LANE_NONE || s->by_memory.wait)
		return 0;
	sc_order_begin(o, r, step);
	step->stream = s;
	sc_tail_join_caller(o, step);
	sc_tail_join_context(o, s);
	return 1;
}

/* ---- what it does ---- */

static void enqueue(struct sc_order *o, struct sc_step *step)
{
	struct sc_stream *s = step->stream;

	if (step->op->kind == SC_OP_KERNEL) {
		sc_weak_launch(o, step);
	} else {
		sc_weak_end(s);
		sc_tail_push(&o->streams, s, step->sequence + 1, &step->when);
		step->is_enqueued = 1;
	}
	s->last_work = step->sequence + 1;
	s->last_thread = step->op->thread;
	step->host = sc_tail_host(o);
}

/* The span gets the touch and loses those that it stands for. */
static inline void put(struct routine *x, struct place *p, struct sc_note *note)
{
	struct sc_history *h = sc_span_history(p->span);
	struct sc_span *s = p->span;
	uint32_t kept = 0;

	p->touch.note = note;
	sc_history_changed(h, p->touch.first, p->touch.end);
	if (h->has_last)
		sc_last_add(&h->last, &x->past, &p->touch);
	for (uint32_t i = 0; i < s->count; i++) {
		if (!(p->kept >> i & 1))
			sc_note_put(x->past.notes, s->touches[i].note);
		else if (kept++ != i)
			s->touches[kept - 1] = s->touches[i];
	}
	s->count = kept;
	sc_span_push(s, &p->touch);
}

static void count_kernel(struct routine *x)
{
	enum sc_known known = SC_KNOWN_EXACT;

	for (unsigned i = 0; i < x->count; i++)
		if (x->places[i].touch.known != SC_KNOWN_EXACT)
			known = SC_KNOWN_OVER;
	sc_kernel_tallies_add(&x->a->kernels.tallies, x->record->op.object, known, 0);
}

static void commit(struct routine *x)
{
	struct sc_analysis *a = x->a;
	struct sc_note *note;

	enqueue(&a->order, x->step);
	if (a->has_guests || a->gone || a->memory.has_read_only)
		sc_access_collect(&a->memory, &a->kernels, x->record, x->step, &a->uses);
	else if (x->record->op.kind == SC_OP_KERNEL)
		count_kernel(x);
	note = sc_race_note(a, x->step, 0);
	for (unsigned i = 0; i < x->count; i++)
		put(x, &x->places[i], note);
	sc_note_put(&a->memory.notes, note);
	x->step->is_taken = 1;
}

_Bool sc_routine_take(struct sc_analysis *a, const struct sc_record *r, struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	struct routine x;

	if (op->flags & ~PLAIN_FLAGS || op->kind == SC_OP_EVENT_RECORD ||
	    op->kind == SC_OP_EVENT_WAIT || a->order.callbacks.oldest || a->order.hosts.is_strict ||
	    a->settings.no_routine || !is_quiet(&a->order, op) || !find_stream(&a->order, r, step))
		return 0;
	x.a = a;
	x.record = r;
	x.step = step;
	x.past = (struct sc_past){&a->order, &a->memory.notes};
	x.note.traits = sc_note_traits(op);
	x.note.when = (struct sc_when){.start = step->stream->tail.base,
				       .lane = step->stream->tail.lane,
				       .position = r->sequence + 1,
				       .entered = r->sequence + 1};
	x.count = 0;
	if (!add_operands(&x))
		return 0;
	commit(&x);
	return 1;
}
