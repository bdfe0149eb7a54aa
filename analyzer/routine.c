/* Routine: ops that meet only what is ordered before them, from the record to the spans. */
#include "analyzer/routine.h"

#include "analyzer/hidden.h"
#include "analyzer/launch.h"
#include "analyzer/recall.h"
#include "analyzer/tail.h"
#include "analyzer/weak.h"

#define PLACES	 8  /* that one op may use */
#define TOGETHER 32 /* touches in one span */

/* Flags that change nothing about the order and the bytes of an op. */
#define PLAIN_FLAGS ((uint32_t)(SC_FLAG_LIBRARY | SC_FLAG_PER_THREAD_API | SC_FLAG_OTHER_CONTEXT))

/* One use: its bytes, their span, and what becomes of the touches there. */
struct place {
	uint64_t first, end;
	uint8_t mode, known, how; /* as in a touch */
	uint8_t memory;		  /* enum sc_memory */
	uint8_t reason;		  /* enum sc_footprint_reason */
	_Bool is_again;		  /* the span is an earlier place's, too */
	uint32_t kept;		  /* bit for each old touch */
	struct sc_span *span;
};

/* The op at hand. */
struct routine {
	struct sc_analysis *a;
	const struct sc_record *record;
	struct sc_past past;
	const struct sc_clock *start; /* what it comes after, */
	uint64_t position;	      /* and where it will be */
	uint32_t lane;
	uint8_t traits;		/* enum sc_trait, of its touches */
	_Bool has_more;		/* a launch is attached */
	struct sc_note *common; /* NULL, or of the stream's ops that come after the same */
	struct sc_note *own;	/* NULL, or of this one, where more than spans remembers it */
	unsigned count;
	struct place places[PLACES];
};

/* ---- what it meets; nothing is changed ---- */

/* As sc_touch_before_plain has it. */
static inline _Bool is_before(const struct routine *x, const struct sc_touch *old)
{
	if (old->lane == x->lane || old->lane == SC_LANE_HOST)
		return old->position < x->position;
	return sc_clock_at(x->start, old->lane) >= old->position;
}

/* As sc_touch_outdoes has it. */
static inline _Bool outdoes(const struct routine *x, const struct place *p,
			    const struct sc_touch *old)
{
	return (p->mode == old->mode || (p->mode & SC_WRITE && old->mode != SC_ATOMIC)) &&
	       p->known <= old->known &&
	       !(x->traits & ~old->traits & (SC_TRAIT_WEAK | SC_TRAIT_LIBRARY));
}

/* Whether the old touches stay beside the new one, as use_exact of history.c has it; false: one may
 * collide, or its order is a graph's. */
static inline _Bool judge_touches(const struct routine *x, struct place *p)
{
	const struct sc_touch *old = p->span->touches, *end = old + p->span->count;

	p->kept = 0;
	for (uint32_t bit = 1; old < end; old++, bit <<= 1) {
		_Bool is_earlier = is_before(x, old);

		if (old->traits & SC_TRAIT_GRAPH)
			return 0;
		if (!is_earlier && (sc_mode_writes(old->mode) || sc_mode_writes(p->mode)) &&
		    !(old->mode == SC_ATOMIC && p->mode == SC_ATOMIC))
			return 0;
		if (!(is_earlier && outdoes(x, p, old)) && !sc_past_is(&x->past, old))
			p->kept |= bit;
	}
	return 1;
}

/* In a live allocation, at its home address, and nothing but spans, and perhaps the last touches of
 * any byte, remembers what happened there. */
static inline _Bool is_in_spans(const struct place *p)
{
	const struct sc_spans *all = p->span->owner;
	const struct sc_history *h;
	const struct sc_allocation *m;

	if (p->first - all->start < all->bytes)
		return 1;
	h = sc_span_history(p->span);
	m = sc_history_memory(h);
	return !h->whole.count && !h->strided.count && !m->physical &&
	       p->first >= m->home.range.start && p->first < m->home.range.end;
}

/* A kernel that uses the same bytes twice does not collide with itself; what one of the uses stands
 * for goes. False: two operands of a copy are in one allocation, where they may overlap. */
static inline _Bool judge_beside(struct routine *x, struct place *p)
{
	_Bool is_copy = x->record->op.kind == SC_OP_COPY;

	p->is_again = 0;
	for (struct place *q = x->places; q < p; q++) {
		if (is_copy && q->span->owner == p->span->owner)
			return 0;
		if (q->span != p->span || q->is_again)
			continue;
		p->is_again = 1;
		q->kept &= p->kept;
	}
	return 1;
}

static inline _Bool judge(struct routine *x, struct place *p)
{
	p->span = sc_span_anywhere(x->past.notes, p->first, p->end);
	return p->span && p->span->count <= TOGETHER && is_in_spans(p) && judge_touches(x, p) &&
	       judge_beside(x, p);
}

static inline _Bool add(struct routine *x, uint64_t first, uint64_t bytes, uint8_t mode,
			uint8_t memory)
{
	struct place *p = &x->places[x->count++];

	p->first = first;
	p->mode = mode;
	p->known = SC_KNOWN_EXACT;
	p->how = SC_HOW_OP;
	p->memory = memory;
	p->reason = SC_REASON_NONE;
	return bytes && !__builtin_add_overflow(first, bytes, &p->end);
}

static inline _Bool add_access(struct routine *x, const struct sc_access *u)
{
	struct place *p = &x->places[x->count];

	if (x->count == PLACES || u->rows != 1 || u->slices != 1 ||
	    u->known == SC_KNOWN_PARAMETER || !add(x, u->base, u->width, u->mode, u->memory))
		return 0;
	p->known = u->known;
	p->how = u->how;
	return 1;
}

/* What its code, or a declaration, says of the launch; race.c need not ask again. */
static _Bool add_launch(struct routine *x)
{
	struct sc_analysis *a = x->a;

	sc_vector_clear(&a->uses);
	sc_launch_add(&a->memory, &a->kernels, x->record, &a->uses);
	a->launched = x->position;
	for (size_t i = 0; i < a->uses.count; i++) {
		if (!add_access(x, &a->uses.items[i].shape))
			return 0;
		x->places[i].reason = a->uses.items[i].reason;
	}
	return x->count > 0;
}

/* The accesses that stand behind a kernel. */
static inline _Bool add_attached(struct routine *x)
{
	uint32_t bytes = 0;
	const struct sc_access *list = sc_record_attachment(x->record, SC_ATTACH_ACCESSES, &bytes);

	x->has_more = x->record->attachment_bytes != sizeof(struct sc_attach_head) + bytes;
	if (!list)
		return add_launch(x);
	for (uint32_t i = 0; i < bytes / sizeof(*list); i++)
		if (!add_access(x, &list[i]))
			return 0;
	return x->count > 0;
}

static inline _Bool add_operands(struct routine *x)
{
	const struct sc_op *op = &x->record->op;

	if (op->kind == SC_OP_KERNEL)
		return add_attached(x);
	if (x->record->attachment_bytes ||
	    (op->kind == SC_OP_COPY && !add(x, op->src, op->bytes, SC_READ, op->src_mem)))
		return 0;
	return add(x, op->dst, op->bytes, SC_WRITE, op->dst_mem);
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
static inline _Bool is_plain(const struct sc_analysis *a, const struct sc_op *op)
{
	if (op->flags & ~PLAIN_FLAGS || a->order.callbacks.oldest || a->order.hosts.is_strict)
		return 0;
	return op->kind == SC_OP_KERNEL ? !op->peer : sc_transfer_is_silent(op);
}

/* The stream as the op will find it: what sc_order_enqueue does first, which may be done twice. */
static inline _Bool find_stream(struct sc_analysis *a, const struct sc_record *r,
				struct sc_step *step)
{
	struct sc_order *o = &a->order;
	struct sc_stream *s = sc_tail_stream(&o->streams, &r->op);

	if (!s || s->tail.lane == SC_LANE_NONE || s->by_memory.wait)
		return 0;
	if (sc_routine_is_seen(a)) {
		sc_order_begin(o, r, step);
		step->host = sc_tail_host(o);
	}
	o->at = r->sequence + 1;
	step->op = &r->op;
	step->sequence = r->sequence;
	step->stream = s;
	step->inside = NULL;
	sc_tail_join_caller(o, step);
	sc_tail_join_context(o, s);
	return 1;
}

/* ---- what it does ---- */

static inline void enqueue_kernel(struct routine *x, struct sc_step *step)
{
	struct sc_order *o = &x->a->order;
	unsigned grid = o->code ? sc_code_grid(o->code, step->op->object) : 0;

	step->primary = step->stream->front.kernel;
	sc_weak_follow(&o->streams, step->stream, step->op->object, x->position, &step->when);
	step->is_enqueued = 1;
	if (grid)
		sc_talk_note(o, step, grid);
	if (x->has_more)
		sc_hidden_note(x->a, x->record, step);
}

static inline void enqueue(struct routine *x, struct sc_step *step)
{
	struct sc_stream *s = step->stream;

	if (step->op->kind == SC_OP_KERNEL) {
		enqueue_kernel(x, step);
	} else {
		sc_weak_end(s);
		sc_tail_push(&x->a->order.streams, s, x->position, &step->when);
		step->is_enqueued = 1;
	}
	s->last_work = x->position;
	s->last_thread = step->op->thread;
	step->is_taken = 1;
}

/* What sc_race_note makes of it, but for the op and the references. */
static struct sc_note *make_note(struct routine *x, const struct sc_step *step)
{
	const struct sc_stream *s = step->stream;
	struct sc_note *n = sc_slab_take(&x->past.notes->slab, sizeof(*n));

	n->refs = 0;
	n->context = s->context->id;
	n->kind = step->op->kind;
	n->edge = SC_EDGE_NONE;
	n->traits = x->traits;
	n->is_told = n->is_callback = n->source_staged = n->result_waited = n->is_replay = 0;
	n->is_common = 0;
	n->is_nonblocking = (s->flags & SC_FLAG_NON_BLOCKING) != 0;
	n->is_legacy = sc_stream_is_legacy(s);
	n->when = step->when;
	n->graph = NULL;
	n->sequence = step->sequence;
	sc_clock_get(n->when.start);
	return n;
}

/* The stream goes on behind something new, or is another one. */
static void renew_common(struct routine *x, const struct sc_step *step, struct sc_note **place)
{
	if (*place)
		sc_note_put(x->past.notes, *place);
	*place = sc_note_get(make_note(x, step));
	(*place)->is_common = 1;
}

/* Lanes may be another stream's by now. */
static inline _Bool is_usable(const struct routine *x, const struct sc_step *step,
			      const struct sc_note *n)
{
	const struct sc_stream *s = step->stream;

	return n && n->when.start == step->when.start && n->context == s->context->id &&
	       n->traits == x->traits &&
	       n->is_nonblocking == ((s->flags & SC_FLAG_NON_BLOCKING) != 0) &&
	       n->is_legacy == sc_stream_is_legacy(s);
}

static inline struct sc_note *find_common(struct routine *x, const struct sc_step *step)
{
	struct sc_note **place = sc_note_common(x->past.notes, x->lane);

	if (!is_usable(x, step, *place))
		renew_common(x, step, place);
	return *place;
}

/* The note for a touch of the span, counted. */
static inline struct sc_note *note_for(struct routine *x, const struct sc_step *step,
				       struct sc_spans *owner)
{
	if (owner->bytes) {
		owner->has_common = 1;
		if (!x->common)
			x->common = find_common(x, step);
		return sc_note_get(x->common);
	}
	if (!x->own)
		x->own = make_note(x, step);
	return sc_note_get(x->own);
}

static inline void write_touch(const struct routine *x, const struct place *p, struct sc_note *note,
			       struct sc_touch *t)
{
	t->note = note;
	t->position = x->position;
	t->lane = x->lane;
	t->mode = p->mode;
	t->known = p->known;
	t->traits = x->traits;
	t->is_launch = 0;
	t->first = p->first;
	t->end = p->end;
	t->pointer = 0;
	t->node = 0;
	t->how = p->how;
	t->reason = p->reason;
	t->kind = x->record->op.kind;
}

/* The span gets the touch and loses those that it stands for. */
static inline void put(struct routine *x, const struct place *p, const struct sc_step *step)
{
	struct sc_span *s = p->span;
	uint32_t kept = p->is_again ? s->count : 0;

	for (uint32_t i = kept; i < s->count; i++) {
		if (!(p->kept >> i & 1))
			sc_note_put(x->past.notes, s->touches[i].note);
		else if (kept++ != i)
			s->touches[kept - 1] = s->touches[i];
	}
	if (kept == s->room)
		sc_span_grow(s);
	write_touch(x, p, note_for(x, step, s->owner), &s->touches[kept]);
	s->count = kept + 1;
	if (!s->owner->bytes) {
		struct sc_history *h = sc_span_history(s);

		sc_history_changed(h, p->first, p->end);
		if (h->has_last)
			sc_last_add(&h->last, &x->past, &s->touches[kept]);
	}
}

static inline void count_kernel(struct routine *x)
{
	enum sc_known known = SC_KNOWN_EXACT;
	uint8_t reason = SC_REASON_NONE;

	for (unsigned i = 0; i < x->count; i++) {
		if (x->places[i].known != SC_KNOWN_EXACT)
			known = SC_KNOWN_OVER;
		reason = reason ? reason : x->places[i].reason;
	}
	sc_kernel_tallies_add(&x->a->kernels.tallies, x->record->op.object, known, reason);
}

/* As sc_access_collect has them. */
static void list_uses(struct routine *x)
{
	sc_uses *uses = &x->a->uses;

	sc_vector_clear(uses);
	for (unsigned i = 0; i < x->count; i++) {
		const struct place *p = &x->places[i];
		struct sc_use *use = sc_vector_add(uses);

		*use = (struct sc_use){
			.allocation = sc_history_memory(sc_span_history(p->span)),
			.shape = sc_shape_linear(p->first, p->end - p->first, p->mode, p->known)};
		use->shape.memory = p->memory;
		use->shape.how = p->how;
		use->reason = p->reason;
	}
}

static inline void commit(struct routine *x, struct sc_step *step)
{
	struct sc_analysis *a = x->a;

	enqueue(x, step);
	if (step->op->kind == SC_OP_KERNEL)
		count_kernel(x);
	if (sc_routine_is_seen(a))
		list_uses(x);
	for (unsigned i = 0; i < x->count; i++)
		put(x, &x->places[i], step);
}

_Bool sc_routine_take(struct sc_analysis *a, const struct sc_record *r, struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	struct routine x;

	if (a->settings.no_routine || !is_plain(a, op) || !find_stream(a, r, step))
		return 0;
	x.a = a;
	x.record = r;
	x.past = (struct sc_past){&a->order, &a->memory.notes};
	x.start = step->stream->tail.base;
	x.lane = step->stream->tail.lane;
	x.position = r->sequence + 1;
	x.traits = sc_note_traits(op);
	x.count = 0;
	x.has_more = 0;
	x.common = x.own = NULL;
	if (!judge_all(&x))
		return 0;
	commit(&x, step);
	return 1;
}
