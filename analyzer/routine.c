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
	struct sc_past past;
	struct sc_note note; /* all but the op, and the references */
	unsigned count;
	struct place places[PLACES];
};

/* ---- what it meets; nothing is changed ---- */

/* Whether an old touch of the same bytes stays beside the new one, as use_exact of history.c has
 * it; false: it may collide, or its order is a graph's. */
static inline _Bool judge_touch(const struct routine *x, const struct sc_touch *old,
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

/* The same bytes twice, or two operands of a copy in one allocation, which may overlap. */
static inline _Bool is_apart(const struct routine *x, const struct place *p)
{
	_Bool is_copy = x->note.kind == SC_OP_COPY;

	for (const struct place *q = x->places; q < p; q++)
		if (q->span == p->span || (is_copy && q->span->owner == p->span->owner))
			return 0;
	return 1;
}

/* Nothing but spans remembers the bytes, and what is in the span is in order. */
static inline _Bool judge(struct routine *x, struct place *p)
{
	const struct sc_history *h;
	const struct sc_span *s;

	p->span = sc_memory_span(&x->a->memory, p->touch.first, p->touch.end);
	s = p->span;
	if (!s || s->count > TOGETHER || !is_apart(x, p))
		return 0;
	h = sc_span_history(s);
	if (h->whole.count || h->strided.count || sc_history_memory(h)->physical)
		return 0;
	p->kept = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		_Bool stays;

		if (!judge_touch(x, &s->touches[i], &p->touch, &stays))
			return 0;
		p->kept |= (uint32_t)stays << i;
	}
	return 1;
}

static inline _Bool add(struct routine *x, uint64_t first, uint64_t bytes, uint8_t mode,
			uint8_t known, uint8_t how)
{
	struct sc_touch *t = &x->places[x->count++].touch;

	*t = (struct sc_touch){.note = &x->note,
			       .position = x->note.when.position,
			       .lane = x->note.when.lane,
			       .mode = mode,
			       .known = known,
			       .traits = x->note.traits,
			       .first = first,
			       .how = how};
	return bytes && !__builtin_add_overflow(first, bytes, &t->end);
}

/* The accesses that stand behind a kernel. */
static inline _Bool add_attached(struct routine *x)
{
	uint32_t bytes = 0;
	const struct sc_access *list = sc_record_attachment(x->record, SC_ATTACH_ACCESSES, &bytes);
	const struct sc_access *end = list + bytes / sizeof(*list);

	if (end - list > PLACES)
		return 0;
	for (; list < end; list++)
		if (list->rows != 1 || list->slices != 1 || list->known == SC_KNOWN_PARAMETER ||
		    !add(x, list->base, list->width, list->mode, list->known, list->how))
			return 0;
	return x->count > 0;
}

static inline _Bool add_operands(struct routine *x)
{
	const struct sc_op *op = &x->record->op;

	if (op->kind == SC_OP_KERNEL)
		return add_attached(x);
	if (x->record->attachment_bytes ||
	    (op->kind == SC_OP_COPY &&
	     !add(x, op->src, op->bytes, SC_READ, SC_KNOWN_EXACT, SC_HOW_OP)))
		return 0;
	return add(x, op->dst, op->bytes, SC_WRITE, SC_KNOWN_EXACT, SC_HOW_OP);
}

/* Linear operands, of which every byte is known. */
static inline _Bool judge_all(struct routine *x)
{
	if (!add_operands(x))
		return 0;
	for (unsigned i = 0; i < x->count; i++)
		if (!judge(x, &x->places[i]))
			return 0;
	return 1;
}

/* Nobody waits for it, nobody reads or writes for it in the call. */
static inline _Bool is_quiet(const struct sc_order *o, const struct sc_op *op)
{
	struct sc_transfer t;

	if (op->kind == SC_OP_KERNEL)
		return 1;
	t = sc_transfer_of(op, o->driver, o->profile);
	return !t.edge && !t.host_reads && !t.is_barrier && !t.source_staged && !t.result_waited;
}

/* The stream as the op will find it: what sc_order_enqueue does first, which may be done twice. */
static inline _Bool find_stream(struct sc_order *o, const struct sc_record *r, struct sc_step *step)
{
	struct sc_stream *s = sc_tail_stream(&o->streams, &r->op);

	if (!s || s->tail.lane == SC_LANE_NONE || s->by_memory.wait)
		return 0;
	sc_order_begin(o, r, step);
	step->stream = s;
	sc_tail_join_caller(o, step);
	sc_tail_join_context(o, s);
	return 1;
}

static inline void begin_note(struct sc_note *n, const struct sc_step *step)
{
	const struct sc_stream *s = step->stream;

	n->context = s->context->id;
	n->kind = step->op->kind;
	n->edge = SC_EDGE_NONE;
	n->traits = sc_note_traits(step->op);
	n->is_told = n->is_callback = n->source_staged = n->result_waited = n->is_replay = 0;
	n->is_nonblocking = (s->flags & SC_FLAG_NON_BLOCKING) != 0;
	n->is_legacy = sc_stream_is_legacy(s);
	n->when.start = s->tail.base;
	n->when.lane = s->tail.lane;
	n->when.is_thread = 0;
	n->when.position = n->when.entered = step->sequence + 1;
	n->graph = NULL;
	n->sequence = step->sequence;
}

/* ---- what it does ---- */

static inline void enqueue(struct sc_order *o, struct sc_step *step)
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
	step->is_taken = 1;
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
	if (kept == s->room)
		sc_span_grow(s);
	s->touches[kept] = p->touch;
	s->count = kept + 1;
}

static inline void count_kernel(struct routine *x)
{
	enum sc_known known = SC_KNOWN_EXACT;

	for (unsigned i = 0; i < x->count; i++)
		if (x->places[i].touch.known != SC_KNOWN_EXACT)
			known = SC_KNOWN_OVER;
	sc_kernel_tallies_add(&x->a->kernels.tallies, x->record->op.object, known, 0);
}

static inline void commit(struct routine *x, struct sc_step *step)
{
	struct sc_analysis *a = x->a;
	struct sc_note *note;

	enqueue(&a->order, step);
	if (a->has_guests || a->gone || a->memory.has_read_only)
		sc_access_collect(&a->memory, &a->kernels, x->record, step, &a->uses);
	else if (step->op->kind == SC_OP_KERNEL)
		count_kernel(x);
	note = sc_note_keep(&a->memory.notes, &x->note, x->count);
	for (unsigned i = 0; i < x->count; i++)
		put(x, &x->places[i], note);
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
	x.past = (struct sc_past){&a->order, &a->memory.notes};
	x.count = 0;
	begin_note(&x.note, step);
	if (!judge_all(&x))
		return 0;
	commit(&x, step);
	return 1;
}
