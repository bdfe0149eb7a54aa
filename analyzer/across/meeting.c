/* Meetings: the collectives of a group, by their numbers. All processes of the group enter each of
 * them alike: the same function, root and reduction, and as many bytes where the standard demands
 * it (MPI 4.1, chapter 6). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/across/match.h"
#include "analyzer/finding/verdict.h"
#include "base/heap.h"

#define WAYS_MOST 8 /* in which one collective is entered; beyond, it is one of these */

/* One way to enter a collective, and who does. */
struct way {
	struct sc_across_event event; /* of the process with the lowest rank */
	uint32_t process, rank;
	uint32_t count;
};

struct sc_match_meeting {
	uint64_t number; /* key */
	uint32_t entered;
	unsigned ways;
	struct way way[WAYS_MOST];
	UT_hash_handle hh;
};

enum difference { NONE, FUNCTION, ROOT, OPERATION, SIZE };

/* What is not known differs from nothing. */
static enum difference compare(const struct sc_across_event *a, const struct sc_across_event *b)
{
	if (a->call != b->call)
		return FUNCTION;
	if (a->peer != b->peer)
		return ROOT;
	if (a->operation && b->operation && a->operation != b->operation)
		return OPERATION;
	if (!((a->value | b->value) & SC_MESSAGE_UNSIZED) && a->bytes != b->bytes)
		return SIZE;
	return NONE;
}

/* ---- words ---- */

static void add_group(struct sc_buf *out, const struct sc_match_group *g)
{
	if (g->kind == SC_GROUP_WORLD)
		sc_buf_add(out, "MPI_COMM_WORLD");
	else
		sc_buf_printf(out, "%s of %" PRIu32 " ranks",
			      g->kind == SC_GROUP_WINDOW ? "a window" : "a communicator", g->size);
}

static void add_detail(struct sc_buf *out, const struct way *w, enum difference what)
{
	switch (what) {
	case ROOT:
		if (w->event.peer)
			sc_buf_printf(out, " with root %" PRIu32, w->event.peer - 1);
		break;
	case OPERATION: sc_buf_add(out, " with another operation"); break;
	case SIZE: sc_buf_printf(out, " with %" PRIu64 " bytes", w->event.bytes); break;
	case NONE:
	case FUNCTION: break;
	}
}

static void add_way(struct sc_buf *out, const struct sc_match *m, const struct way *w,
		    enum difference what)
{
	sc_match_name(out, m, w->process);
	if (w->count > 1)
		sc_buf_printf(out, " and %" PRIu32 " other%s", w->count - 1,
			      w->count > 2 ? "s" : "");
	sc_buf_printf(out, " call%s %s", w->count > 1 ? "" : "s", sc_match_call(m, w->event.call));
	add_detail(out, w, what);
	sc_across_remark_place(out, w->process, w->event.sequence);
}

/* ---- findings ---- */

static void file(struct sc_match *m, const struct sc_match_group *g,
		 const struct sc_match_meeting *x, const struct way *own, const struct way *other,
		 enum difference what)
{
	struct sc_buf text = {0};

	add_way(&text, m, other, what);
	sc_buf_printf(&text, "; it is collective %" PRIu64 " of ", x->number);
	add_group(&text, g);
	if (what == ROOT || what == SIZE) {
		sc_buf_add(&text, ", here");
		add_detail(&text, own, what);
	}
	sc_across_remarks_add(m->remarks, own->process,
			      (struct sc_remark){.sequence = own->event.sequence,
						 .rule = what == SIZE ? 171 : 170,
						 .confidence = SC_PROVEN},
			      &text);
}

/* The way of most processes, or of the lowest rank. */
static unsigned usual(const struct sc_match_meeting *x)
{
	unsigned best = 0;

	for (unsigned i = 1; i < x->ways; i++)
		if (x->way[i].count > x->way[best].count ||
		    (x->way[i].count == x->way[best].count && x->way[i].rank < x->way[best].rank))
			best = i;
	return best;
}

/* Each other way is compared with the usual one, and the usual one with the first of them. */
static void judge(struct sc_match *m, struct sc_match_group *g, const struct sc_match_meeting *x)
{
	unsigned best = usual(x);
	const struct way *first = NULL;

	if (x->ways < 2 || g->is_out_of_step)
		return;
	for (unsigned i = 0; i < x->ways; i++) {
		enum difference what = compare(&x->way[i].event, &x->way[best].event);

		if (i == best || what == NONE)
			continue;
		file(m, g, x, &x->way[i], &x->way[best], what);
		if (!first || x->way[i].rank < first->rank)
			first = &x->way[i];
		/* From here on the others enter different ones, too. */
		g->is_out_of_step |= what == FUNCTION;
	}
	if (first)
		file(m, g, x, &x->way[best], first, compare(&x->way[best].event, &first->event));
}

/* ---- events ---- */

/* Two are one way only if no detail differs that is known of both. */
static struct way *way_of(struct sc_match_meeting *x, const struct sc_across_event *e)
{
	for (unsigned i = 0; i < x->ways; i++)
		if (compare(&x->way[i].event, e) == NONE)
			return &x->way[i];
	return x->ways < WAYS_MOST ? &x->way[x->ways++] : &x->way[WAYS_MOST - 1];
}

static void enter(struct sc_match_meeting *x, unsigned process, uint32_t rank,
		  const struct sc_across_event *e)
{
	struct way *w = way_of(x, e);

	x->entered++;
	if (!w->count++ || rank < w->rank) {
		w->event = *e;
		w->process = process;
		w->rank = rank;
	}
}

static struct sc_match_meeting *meeting_of(struct sc_match *m, struct sc_match_group *g,
					   uint64_t number)
{
	struct sc_match_meeting *x;

	HASH_FIND(hh, g->meetings, &number, sizeof(number), x);
	if (x)
		return x;
	x = sc_heap_xcalloc(1, sizeof(*x));
	x->number = number;
	HASH_ADD(hh, g->meetings, number, sizeof(x->number), x);
	m->held++;
	m->held_most = m->held > m->held_most ? m->held : m->held_most;
	return x;
}

static void drop(struct sc_match *m, struct sc_match_group *g, struct sc_match_meeting *x)
{
	HASH_DEL(g->meetings, x);
	free(x);
	m->held--;
}

void sc_match_meet(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_group *g = sc_match_group(m, e->group);
	uint32_t rank = sc_match_rank(m, process, e->group);
	struct sc_match_member *member = g && rank ? sc_match_member(g, rank - 1) : NULL;
	struct sc_match_meeting *x;

	if (!member || m->is_double || e->tag <= member->last)
		return;
	member->last = e->tag;
	x = meeting_of(m, g, e->tag);
	enter(x, process, rank - 1, e);
	if (x->entered < HASH_COUNT(g->members))
		return;
	judge(m, g, x);
	drop(m, g, x);
}

static int by_number(const struct sc_match_meeting *a, const struct sc_match_meeting *b)
{
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Those that some processes did not enter. */
void sc_match_finish_meetings(struct sc_match *m)
{
	for (struct sc_match_group *g = m->groups; g; g = g->hh.next) {
		HASH_SORT(g->meetings, by_number);
		for (const struct sc_match_meeting *x = g->meetings; x; x = x->hh.next)
			judge(m, g, x);
	}
}

void sc_match_fini_meetings(struct sc_match_group *g)
{
	while (g->meetings) {
		struct sc_match_meeting *x = g->meetings;

		HASH_DEL(g->meetings, x);
		free(x);
	}
}
