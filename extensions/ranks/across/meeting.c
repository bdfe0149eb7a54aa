/* Meetings: the collectives of a group, by their numbers. All processes of the group enter each of
 * them alike: the same function, root and reduction, and as many bytes where the standard demands
 * it (MPI 4.1, chapter 6). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "extensions/ranks/across/wait.h"
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
	SC_VECTOR(struct sc_match_entry) entries; /* of NCCL */
	UT_hash_handle hh;
};

enum difference { NONE, FUNCTION, ROOT, OPERATION, TYPE, SIZE };

static bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

/* What an event of MPI says of its reduction is one number, NCCL's has a type above it. */
static enum difference compare_ways(const struct sc_across_event *a,
				    const struct sc_across_event *b)
{
	if (!a->own)
		return differ(a->operation, b->operation) ? OPERATION : NONE;
	if (differ((uint32_t)a->operation, (uint32_t)b->operation))
		return OPERATION;
	return differ(a->operation >> 32, b->operation >> 32) ? TYPE : NONE;
}

/* What is not known differs from nothing. */
static enum difference compare(const struct sc_across_event *a, const struct sc_across_event *b)
{
	enum difference what;

	if (a->call != b->call)
		return FUNCTION;
	if (a->peer != b->peer)
		return ROOT;
	what = compare_ways(a, b);
	if (what)
		return what;
	if (!((a->value | b->value) & SC_MESSAGE_UNSIZED) && a->bytes != b->bytes)
		return SIZE;
	return NONE;
}

/* ---- words ---- */

/* Of a reduction, or of a type of elements. */
static void add_word(struct sc_buf *out, const char *const *names, size_t count, uint32_t number)
{
	if (number && number <= count && names[number - 1])
		sc_buf_printf(out, " %s", names[number - 1]);
	else
		sc_buf_printf(out, " number %" PRIu32, number - 1);
}

static void add_reduction(struct sc_buf *out, const struct sc_across_event *e)
{
	static const char *const names[] = {
#define NCCL_REDUCTION(name, number) [number] = #name,
#include "trace/nccl.def"
	};

	if (!e->own) {
		sc_buf_add(out, " with another operation");
		return;
	}
	sc_buf_add(out, " with the operation");
	add_word(out, names, sizeof(names) / sizeof(*names), (uint32_t)e->operation);
}

static void add_type(struct sc_buf *out, const struct sc_across_event *e)
{
	static const char *const names[] = {
#define NCCL_TYPE(name, number, bytes) [number] = #name,
#include "trace/nccl.def"
	};

	sc_buf_add(out, " of elements of type");
	add_word(out, names, sizeof(names) / sizeof(*names), (uint32_t)(e->operation >> 32));
}

static void add_detail(struct sc_buf *out, const struct way *w, enum difference what)
{
	switch (what) {
	case ROOT:
		if (w->event.peer)
			sc_buf_printf(out, " with root %" PRIu32, w->event.peer - 1);
		break;
	case OPERATION: add_reduction(out, &w->event); break;
	case TYPE: add_type(out, &w->event); break;
	case SIZE: sc_buf_printf(out, " with %" PRIu64 " bytes", w->event.bytes); break;
	case NONE:
	case FUNCTION: break;
	}
}

static void add_way(struct sc_buf *out, const struct sc_match *m, const struct sc_match_group *g,
		    const struct way *w, enum difference what)
{
	sc_match_name_rank(out, m, g, w->rank);
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

	add_way(&text, m, g, other, what);
	sc_buf_printf(&text, "; it is collective %" PRIu64 " of ", x->number);
	sc_match_name_group(&text, g);
	if (what == ROOT || what == SIZE || (own->event.own && what != FUNCTION)) {
		sc_buf_add(&text, ", here");
		add_detail(&text, own, what);
	}
	sc_across_remarks_add(m->remarks, own->process,
			      (struct sc_remark){.sequence = own->event.sequence,
						 .rule = what == SIZE ? 171 : 170},
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

	if (x->ways < 2 || g->is_out_of_step || x->number > g->unknown ||
	    g->kind == SC_GROUP_NCCL_HOST)
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
	sc_vector_fini(&x->entries);
	free(x);
	m->held--;
}

void sc_match_meet(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_group *g = sc_match_group(m, e->group);
	uint32_t rank = sc_match_own_rank(m, process, e);
	struct sc_match_member *member = g && rank ? sc_match_member(g, rank - 1) : NULL;
	struct sc_match_meeting *x;

	if (!member || m->is_double || e->tag <= member->last)
		return;
	member->last = e->tag;
	if (e->own && e->has_failed && g->unknown >= e->tag)
		g->unknown = e->tag - 1;
	if (e->tag > g->unknown)
		return;
	x = meeting_of(m, g, e->tag);
	enter(x, process, rank - 1, e);
	if (g->kind == SC_GROUP_NCCL)
		sc_vector_push(&x->entries, ((struct sc_match_entry){*e, process, rank - 1}));
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

/* They are in the order of their numbers (sc_match_finish_meetings). */
void sc_match_each_open(const struct sc_match_group *g,
			void (*see)(void *data, const struct sc_match_group *g,
				    const struct sc_match_entry *e),
			void *data)
{
	struct sc_u64_map seen = {0};

	for (const struct sc_match_meeting *x = g->meetings; x; x = x->hh.next)
		for (size_t i = 0; i < x->entries.count && x->number <= g->unknown; i++)
			if (!(*sc_u64_map_get(&seen, x->entries.items[i].rank + 1u))++)
				see(data, g, &x->entries.items[i]);
	sc_u64_map_fini(&seen);
}

void sc_match_fini_meetings(struct sc_match_group *g)
{
	while (g->meetings) {
		struct sc_match_meeting *x = g->meetings;

		HASH_DEL(g->meetings, x);
		sc_vector_fini(&x->entries);
		free(x);
	}
}
