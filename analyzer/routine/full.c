/* Routine ops on spans with full touches: what more than spans remembers. */
#include <stdbool.h>
#include "analyzer/memory/recall.h"
#include "analyzer/routine/internal.h"

/* The note that sc_race_note makes of the step, but without the op. */
static struct sc_note *make_note(struct sc_routine_op *x, struct sc_step *step)
{
	struct sc_stretch now;

	sc_stream_settle(&x->a->order.pool, step->stream);
	now = sc_course_stretch(step->stream);
	return sc_course_note_of(x->notes, &now, &x->like);
}

/* Adds the touch to what the history has beside its spans. */
static void remember(struct sc_routine_op *x, struct sc_history *h, const struct sc_touch *touch)
{
	struct sc_past past = {&x->a->order, x->notes};

	sc_history_changed(h, touch->first, touch->end);
	if (h->has_last)
		sc_last_add(&h->last, &past, touch);
}

static void add(struct sc_routine_op *x, const struct sc_routine_place *p, struct sc_step *step)
{
	struct sc_span *s = p->span;
	struct sc_touch touch;

	if (!x->own)
		x->own = make_note(x, step);
	touch = sc_touch_full(&p->touch, x->own, p->first, p->end);
	sc_span_push(s, x->notes, &touch);
	if (!s->is_alone)
		remember(x, sc_span_history(s), &touch);
}

static void drop_full(struct sc_routine_op *x, const struct sc_routine_place *p)
{
	struct sc_span *s = p->span;
	uint32_t kept = p->kept, count = 0;

	for (uint32_t i = 0; i < s->count; i++, kept >>= 1) {
		if (kept & 1)
			s->touches[count++] = s->touches[i];
		else
			sc_note_put_later(x->notes, s->touches[i].note);
	}
	s->count = count;
}

bool sc_routine_put_full(struct sc_routine_op *x, const struct sc_routine_place *p,
			 struct sc_step *step)
{
	struct sc_span *s = p->span;

	if (s->is_brief)
		sc_span_part(s, x->notes);
	if (!p->is_again)
		drop_full(x, p);
	if (s->count || !s->is_alone || !x->has_course) {
		add(x, p, step);
		return 1;
	}
	sc_span_clear(s, x->notes);
	return 0;
}
