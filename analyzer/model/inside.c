/* Inside: edges of windows, and findings across them. */
#include "analyzer/model/inside.h"

#include <string.h>
#include "base/search.h"

static void end_window(struct sc_inside *in, struct sc_coverage *c, uint64_t time_ns)
{
	uint64_t ops = c->ops - in->begun_ops;

	if (!in->edges.count && !ops) /* the run begins outside */
		return;
	c->windows++;
	c->window_ops += ops;
	if (time_ns > in->begun_ns)
		c->window_ns += time_ns - in->begun_ns;
}

static void begin_window(struct sc_inside *in, const struct sc_coverage *c, uint64_t time_ns)
{
	in->begun_ops = c->ops;
	in->begun_ns = time_ns;
}

/* The older half; an even number of them, so that the first one left ends a window. */
static void drop_older(struct sc_inside *in)
{
	size_t gone = in->edges.count / 4 * 2;

	in->edges.count -= gone;
	memmove(in->edges.items, in->edges.items + gone,
		in->edges.count * sizeof(*in->edges.items));
	in->has_dropped = 1;
}

void sc_inside_note(struct sc_inside *in, struct sc_coverage *c, const struct sc_record *r)
{
	uint64_t time_ns = r->op.time_ns;
	bool is_end = r->op.kind == SC_OP_WINDOW_END;

	if (time_ns && !in->first_ns)
		in->first_ns = in->begun_ns = time_ns;
	if (time_ns > in->last_ns)
		in->last_ns = time_ns;
	if (!is_end && r->op.kind != SC_OP_WINDOW_BEGIN)
		return;
	if (is_end == sc_inside_is_out(in)) /* a trace from outside may say so */
		return;
	if (is_end)
		end_window(in, c, time_ns);
	else
		begin_window(in, c, time_ns);
	if (in->remembered && in->edges.count >= 4 * in->remembered)
		drop_older(in);
	sc_vector_push(&in->edges, r->sequence);
	c->has_windows = 1;
}

void sc_inside_finish(struct sc_inside *in, struct sc_coverage *c)
{
	if (!in->edges.count)
		return;
	if (!sc_inside_is_out(in))
		end_window(in, c, in->last_ns);
	c->run_ns = in->last_ns - in->first_ns;
}

void sc_inside_fini(struct sc_inside *in)
{
	sc_vector_fini(&in->edges);
}

static bool has(const struct sc_inside *in, uint64_t sequence)
{
	size_t at;

	SC_SEARCH(at, in->edges.count, in->edges.items[at] <= sequence);
	return at % 2 == 0 && !(at == 0 && in->has_dropped);
}

bool sc_inside_judge(const struct sc_inside *in, struct sc_finding *f)
{
	unsigned inside = 0;

	if (!in->edges.count)
		return 1;
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		inside += has(in, sc_side_position(&f->side[i]));
	if (inside && inside < f->sides && f->confidence != SC_POSSIBLE) {
		f->confidence = SC_POSSIBLE;
		f->doubt = SC_DOUBT_WINDOW;
	}
	return inside;
}
