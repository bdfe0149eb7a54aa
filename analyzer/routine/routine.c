/* Routine: ops that meet only what is ordered before them, from the record to the spans. */
#include "analyzer/routine/internal.h"

#include <stdbool.h>
#include <string.h>
#include "analyzer/order/opaque_call.h"
#include "analyzer/access/launch.h"
#include "analyzer/memory/recall.h"
#include "analyzer/order/context_order.h"
#include "analyzer/order/signal_word.h"

#define TOGETHER 32 /* touches in one span */

/* Flags that change nothing about the order and the bytes of an op. */
#define PLAIN_FLAGS ((uint32_t)(SC_FLAG_LIBRARY | SC_FLAG_PER_THREAD_API | SC_FLAG_OTHER_CONTEXT))

/* ---- what it meets; nothing is changed ---- */

/* As sc_past_is has it, without callbacks; it is also ordered before the op, which its caller
 * enqueues. */
static inline bool is_past(const struct sc_routine_op *x, const struct sc_brief *old)
{
	return old->lane == SC_LANE_HOST || sc_clock_at(x->host, old->lane) >= old->position;
}

/* As sc_touch_before_plain has it, of one that is not past. */
static inline bool is_before(const struct sc_routine_op *x, const struct sc_brief *old)
{
	if (old->lane == x->like.lane)
		return old->position < x->like.position;
	return sc_clock_at(x->start, old->lane) >= old->position;
}

static inline bool collides(const struct sc_brief *new, const struct sc_brief *old)
{
	return (sc_mode_writes(old->mode) || sc_mode_writes(new->mode)) &&
	       !(old->mode == SC_ATOMIC && new->mode == SC_ATOMIC);
}

/* The stream does again what it did. */
static inline bool is_same(const struct sc_brief *new, const struct sc_brief *old)
{
	return !memcmp(old, new, SC_BRIEF_WAY) && old->position < new->position;
}

enum fate { GOES, STAYS, IS_NOT_ROUTINE };

/* What becomes of an old touch, as use_exact of history.c has it; it may collide, or its order may
 * be a graph's. */
static inline enum fate judge_touch(const struct sc_routine_op *x, const struct sc_brief *new,
				    const struct sc_brief *old)
{
	if (old->traits & SC_TRAIT_GRAPH)
		return IS_NOT_ROUTINE;
	if (is_past(x, old))
		return GOES;
	if (is_before(x, old))
		return SC_OUTDOES(new, old) ? GOES : STAYS;
	return collides(new, old) ? IS_NOT_ROUTINE : STAYS;
}

static inline bool judge_old(const struct sc_routine_op *x, struct sc_routine_place *p,
			     uint32_t bit, const struct sc_brief *old)
{
	enum fate fate = is_same(&p->touch, old) ? GOES : judge_touch(x, &p->touch, old);

	if (fate == STAYS)
		p->kept |= bit;
	return fate != IS_NOT_ROUTINE;
}

static bool judge_full(const struct sc_routine_op *x, struct sc_routine_place *p)
{
	for (uint32_t i = 0, bit = 1; i < p->span->count; i++, bit <<= 1) {
		struct sc_brief old = sc_touch_brief(&p->span->touches[i]);

		if (p->span->touches[i].is_launch || !judge_old(x, p, bit, &old))
			return 0;
	}
	return 1;
}

static inline bool judge_brief(const struct sc_routine_op *x, struct sc_routine_place *p)
{
	const struct sc_brief *old = sc_span_briefs(p->span);
	uint32_t bit = 1;

	for (uint32_t left = p->span->count; left; left--, old++, bit <<= 1)
		if (!judge_old(x, p, bit, old))
			return 0;
	return 1;
}

static inline bool judge_touches(const struct sc_routine_op *x, struct sc_routine_place *p)
{
	p->kept = 0;
	return p->span->is_brief ? judge_brief(x, p) : judge_full(x, p);
}

/* In a live allocation, at its home address, and nothing but spans, and perhaps the last touches of
 * any byte, remembers what happened there. */
static inline bool is_in_spans(const struct sc_routine_place *p)
{
	uint64_t first = p->first;
	const struct sc_history *h;
	const struct sc_allocation *m;

	if (p->span->is_alone)
		return 1;
	h = sc_span_history(p->span);
	m = sc_history_memory(h);
	return !h->whole.count && !h->strided.count && !m->physical &&
	       first >= m->home.range.start && first < m->home.range.end;
}

/* A kernel that uses the same bytes twice does not collide with itself; what one of the uses stands
 * for goes. False: two operands of a copy are in one allocation, where they may overlap. */
static inline bool judge_beside(struct sc_routine_op *x, struct sc_routine_place *p)
{
	bool is_copy = x->record->op.kind == SC_OP_COPY;

	p->is_again = 0;
	for (struct sc_routine_place *q = x->places; q < p; q++) {
		if (is_copy && q->span->owner == p->span->owner)
			return 0;
		if (q->span != p->span || q->is_again)
			continue;
		p->is_again = 1;
		q->kept &= p->kept;
	}
	return 1;
}

static inline bool judge(struct sc_routine_op *x, struct sc_routine_place *p)
{
	const struct sc_signal_set *signals = &x->a->order.signals;

	if (signals->words.count && sc_mode_writes(p->touch.mode) &&
	    sc_signal_word_is_in(signals, p->first, p->end))
		return 0;
	p->span = sc_span_anywhere(x->notes, p->first, p->end);
	return p->span && p->span->count <= TOGETHER && is_in_spans(p) && judge_touches(x, p) &&
	       judge_beside(x, p);
}

static inline bool add(struct sc_routine_op *x, uint64_t first, uint64_t bytes, uint8_t mode,
		       uint8_t memory)
{
	struct sc_routine_place *p = x->end++;

	p->touch = x->like;
	p->touch.mode = mode;
	p->first = first;
	p->memory = memory;
	return bytes && !__builtin_add_overflow(first, bytes, &p->end);
}

static inline bool add_access(struct sc_routine_op *x, const struct sc_access *u)
{
	struct sc_routine_place *p = x->end;

	if (p == x->places + SC_ROUTINE_PLACES || u->rows != 1 || u->slices != 1 ||
	    u->known == SC_KNOWN_PARAMETER || u->how > SC_HOW_FILE ||
	    !add(x, u->base, u->width, u->mode, u->memory))
		return 0;
	p->touch.known = u->known;
	p->touch.why = sc_brief_why(u->how, SC_REASON_NONE);
	x->known |= u->known;
	return 1;
}

/* What the kernel's code, or a declaration, says of the launch; race.c need not ask again. */
static bool add_launch(struct sc_routine_op *x)
{
	struct sc_analysis *a = x->a;

	sc_vector_clear(&a->uses);
	sc_launch_add(&a->memory, &a->kernels, x->record, &a->uses);
	a->launched = x->like.position;
	for (size_t i = 0; i < a->uses.count; i++) {
		if (!add_access(x, &a->uses.items[i].shape))
			return 0;
		x->end[-1].touch.why =
			sc_brief_why(a->uses.items[i].shape.how, a->uses.items[i].reason);
		x->reason = x->reason ? x->reason : a->uses.items[i].reason;
	}
	if (a->kernels.open) {
		x->known = SC_TALLY_OPEN;
		x->reason = a->kernels.open;
	}
	return x->end > x->places;
}

/* The accesses attached to a kernel's record. */
static inline bool add_attached(struct sc_routine_op *x)
{
	const struct sc_record *r = x->record;
	const struct sc_access *list = r->accesses;

	x->has_more = r->attachment_bytes !=
		      sizeof(struct sc_attach_head) + r->access_count * sizeof(*list);
	if (!list)
		return add_launch(x);
	for (uint32_t i = 0; i < r->access_count; i++)
		if (!add_access(x, &list[i]))
			return 0;
	return x->end > x->places;
}

static inline bool add_operands(struct sc_routine_op *x)
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
static inline bool judge_all(struct sc_routine_op *x)
{
	if (!add_operands(x))
		return 0;
	for (struct sc_routine_place *p = x->places, *end = x->end; p < end; p++)
		if (!judge(x, p))
			return 0;
	return 1;
}

/* True if the call does not wait for the op, and does not read or write memory for it. */
static inline bool is_plain(const struct sc_analysis *a, const struct sc_op *op)
{
	if (op->flags & ~PLAIN_FLAGS || a->order.callbacks.oldest || a->order.host.is_strict)
		return 0;
	return op->kind == SC_OP_KERNEL ? !op->peer : sc_transfer_is_silent(op);
}

/* Puts what the caller knows into `owed`, unless it may be needed soon: then into the tail. */
static inline void join_caller(struct sc_order *o, const struct sc_step *step, bool is_seen)
{
	struct sc_stream *s = step->stream;

	if (is_seen || s->context->legacy) {
		sc_stream_settle(&o->pool, s);
		sc_host_join_caller(&o->host, step);
	} else if (s->host_version != o->host.version) {
		sc_clock_set(&o->pool, &s->owed, o->host.clock);
		s->host_version = o->host.version;
	}
}

/* The stream as the op will find it: what sc_order_enqueue does first, which may be done twice. */
static inline bool find_stream(struct sc_order *o, const struct sc_record *r, bool is_seen,
			       struct sc_step *step)
{
	struct sc_stream *s = sc_stream_of(&o->streams, r->op.stream, r->op.context);

	if (!s || s->tail.lane == SC_LANE_NONE || s->is_by_memory)
		return 0;
	if (is_seen) {
		sc_order_begin(o, r, step);
		step->host = sc_order_host_now(o);
	}
	o->at = r->sequence + 1;
	step->op = &r->op;
	step->sequence = r->sequence;
	step->stream = s;
	step->inside = NULL;
	join_caller(o, step, is_seen);
	sc_stream_join_context(&o->streams, s);
	return 1;
}

/* ---- what it does ---- */

static inline void enqueue_kernel(struct sc_routine_op *x, struct sc_step *step)
{
	struct sc_order *o = &x->a->order;
	unsigned grid = o->code ? sc_code_grid(o->code, step->op->object) : 0;

	if (grid)
		sc_stream_settle(&o->pool, step->stream);
	step->primary = step->stream->last_kernel.kernel;
	sc_stream_push_kernel(&o->streams, step->stream, step->op->object, x->like.position,
			      &step->when);
	step->is_enqueued = 1;
	if (grid)
		sc_kernel_sync_note(&o->kernel_syncs, &step->when, grid);
	if (x->has_more)
		sc_opaque_call_note(o, x->a->reader, x->record, step);
}

static inline void enqueue(struct sc_routine_op *x, struct sc_step *step)
{
	struct sc_stream *s = step->stream;

	if (step->op->kind == SC_OP_KERNEL) {
		enqueue_kernel(x, step);
	} else {
		sc_stream_end_kernel(s);
		sc_stream_push(&x->a->order.streams, s, x->like.position, &step->when);
		step->is_enqueued = 1;
	}
	s->last_work = x->like.position;
	s->last_thread = step->op->thread;
	step->is_taken = 1;
}

/* The usual case: the span's only touch moves on. */
static inline void move_brief(struct sc_routine_op *x, struct sc_brief *old,
			      const struct sc_brief *new)
{
	struct sc_courses *courses = &x->notes->courses;

	sc_course_get(courses, new);
	sc_course_put(courses, x->notes->pool, old);
	*old = *new;
}

static inline void drop_brief(struct sc_routine_op *x, const struct sc_routine_place *p)
{
	struct sc_span *s = p->span;
	struct sc_brief *all = sc_span_briefs(s);
	uint32_t kept = p->kept, count = 0;

	for (uint32_t i = 0; i < s->count; i++, kept >>= 1) {
		if (kept & 1)
			all[count++] = all[i];
		else
			sc_course_put(&x->notes->courses, x->notes->pool, &all[i]);
	}
	s->count = count;
}

static inline void put_brief(struct sc_routine_op *x, struct sc_routine_place *p)
{
	struct sc_span *s = p->span;

	p->touch.of = x->like.of;
	if (s->count == 1 && !p->kept && !p->is_again) {
		move_brief(x, sc_span_briefs(s), &p->touch);
		return;
	}
	if (!p->is_again)
		drop_brief(x, p);
	if (s->count == sc_span_room(s))
		sc_span_grow(s, x->notes);
	sc_span_briefs(s)[s->count++] = p->touch;
	sc_course_get(&x->notes->courses, &p->touch);
}

/* The span gets the touch and loses those that it stands for. */
static inline void put(struct sc_routine_op *x, struct sc_routine_place *p, struct sc_step *step)
{
	if ((p->span->is_brief && x->has_course) || !sc_routine_put_full(x, p, step))
		put_brief(x, p);
}

/* From now on the course of the lane has the op. */
static inline void add_course(struct sc_routine_op *x, const struct sc_step *step)
{
	uint32_t number = sc_course_add(&x->notes->courses, x->notes->pool, step->stream,
					x->a->order.host.clock, x->like.position);

	x->like.of = sc_brief_of(number, step->op->kind);
	x->has_course = number != SC_STRETCH_NONE;
}

/* As sc_access_collect has them. */
static void list_uses(struct sc_routine_op *x)
{
	sc_uses *uses = &x->a->uses;

	sc_vector_clear(uses);
	for (const struct sc_routine_place *p = x->places; p < x->end; p++) {
		const struct sc_brief *t = &p->touch;
		struct sc_use *use = sc_vector_add(uses);

		*use = (struct sc_use){
			.allocation = sc_history_memory(sc_span_history(p->span)),
			.shape = sc_shape_linear(p->first, p->end - p->first, t->mode, t->known)};
		use->shape.memory = p->memory;
		use->shape.how = sc_brief_how(t);
		use->reason = sc_brief_reason(t);
	}
}

static inline void commit(struct sc_routine_op *x, struct sc_step *step)
{
	enqueue(x, step);
	add_course(x, step);
	if (step->op->kind == SC_OP_KERNEL)
		sc_kernel_tallies_add(&x->a->kernels.tallies, step->op->object, x->known,
				      x->reason);
	if (x->is_seen)
		list_uses(x);
	for (struct sc_routine_place *p = x->places, *end = x->end; p < end; p++)
		put(x, p, step);
	if (x->own)
		sc_note_put(x->notes, x->own);
}

enum sc_routine sc_routine_take(struct sc_analysis *a, const struct sc_record *r,
				struct sc_step *step)
{
	bool is_library = (r->op.flags & SC_FLAG_LIBRARY) != 0; /* as sc_note_traits has it */
	bool is_seen = a->is_seen;
	struct sc_routine_op x;

	if (a->settings.no_routine || !is_plain(a, &r->op) ||
	    !find_stream(&a->order, r, is_seen, step))
		return SC_ROUTINE_NOT;
	x.a = a;
	x.record = r;
	x.is_seen = is_seen;
	x.notes = &a->memory.notes;
	x.start = step->stream->tail.base;
	x.host = a->order.host.clock;
	x.like = (struct sc_brief){.position = (uint32_t)r->sequence + 1,
				   .lane = step->stream->tail.lane,
				   .known = SC_KNOWN_EXACT,
				   .traits = is_library ? SC_TRAIT_LIBRARY : 0,
				   .why = sc_brief_why(SC_HOW_OP, SC_REASON_NONE),
				   .of = r->op.kind};
	x.end = x.places;
	x.has_more = 0;
	x.known = SC_KNOWN_EXACT;
	x.reason = SC_REASON_NONE;
	x.own = NULL;
	if (!judge_all(&x))
		return SC_ROUTINE_NOT;
	commit(&x, step);
	return is_seen ? SC_ROUTINE_SEEN : SC_ROUTINE_TAKEN;
}
