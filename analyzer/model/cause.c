/* Causes: leaders of findings, by the moments of their operations. */
#include "analyzer/model/cause.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/heap.h"
#include "base/map.h"
#include "base/search.h"

#define LEADERS_TRIED 64 /* for one finding */

/* A finding in the order in which leaders are looked for. */
struct row {
	const struct sc_moment *moment;
	struct sc_finding *finding;
};

typedef SC_VECTOR(struct row *) row_list;

struct search {
	SC_VECTOR(struct row) rows; /* by first stream, then by the call of the second */
	row_list leaders;	    /* of the first stream at hand */
	SC_VECTOR(row_list) pairs;  /* those of the same second stream or thread, too */
	struct sc_u64_map numbers;  /* of pairs, + 1 */
};

/* Work that is in flight when the host does something for which it must be over. */
static bool is_in_flight(const struct sc_finding *f)
{
	return f->rule == SC_RULE_144 || f->rule == SC_RULE_401;
}

/* A repair of the order is known; what a kernel and the host tell each other in memory is none. */
static bool takes_part(const struct sc_finding *f)
{
	return f->moment && !f->suppression && (sc_finding_lacks_order(f) || is_in_flight(f)) &&
	       f->rule != SC_RULE_125 && f->rule != SC_RULE_216 && f->doubt != SC_DOUBT_TALK;
}

static bool is_same_launch(const struct sc_finding *f)
{
	return f->side[0].launch && f->side[0].launch == f->side[1].launch;
}

void sc_moments_note(struct sc_moments *m, struct sc_finding *f, const struct sc_interval *first,
		     const struct sc_interval *second)
{
	struct sc_moment *moment;

	if (sc_interval_is_host(first) || second->lane == SC_LANE_NONE || is_same_launch(f))
		return;
	moment = sc_vector_add(&m->list);
	*moment = (struct sc_moment){.first = *first, .second = *second};
	moment->first.start = NULL;
	sc_clock_get(moment->second.start);
	f->moment = (uint32_t)m->list.count;
}

/* True if a dependency between the nodes of the first orders those of the second. */
static bool leads_nodes(const struct sc_graph *g, const struct sc_moment *a,
			const struct sc_moment *b)
{
	return (a->nodes[0] == b->nodes[0] || sc_graph_reaches(g, b->nodes[0], a->nodes[0])) &&
	       (a->nodes[1] == b->nodes[1] || sc_graph_reaches(g, a->nodes[1], b->nodes[1]));
}

static void lead_nodes(struct sc_moments *m, const struct sc_graph *g, uint32_t number)
{
	const struct sc_moment *new = &m->list.items[number - 1];

	for (uint32_t i = number - 1, tried = 0; i && tried < LEADERS_TRIED; i--, tried++) {
		const struct sc_moment *old = &m->list.items[i - 1];

		if (old->launch != new->launch)
			continue;
		if (leads_nodes(g, old, new))
			sc_vector_push(&m->leads, ((struct sc_moment_lead){i, number}));
		else if (leads_nodes(g, new, old))
			sc_vector_push(&m->leads, ((struct sc_moment_lead){number, i}));
	}
}

void sc_moments_note_nodes(struct sc_moments *m, struct sc_finding *f, const struct sc_graph *g,
			   uint32_t first, uint32_t second)
{
	if (f->fix != SC_FIX_EDGE)
		return;
	*sc_vector_add(&m->list) =
		(struct sc_moment){.launch = f->side[0].launch, .nodes = {first, second}};
	f->moment = (uint32_t)m->list.count;
	lead_nodes(m, g, f->moment);
}

static int compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	uint64_t entered = a->moment->second.entered, other = b->moment->second.entered;

	if (a->moment->first.lane != b->moment->first.lane)
		return a->moment->first.lane < b->moment->first.lane ? -1 : 1;
	if (entered != other)
		return entered < other ? -1 : 1;
	return a->finding->number < b->finding->number ? -1 : 1;
}

/* True if the repair covers all that the stream was given before the second operation of the
 * leader: a wait for the stream, or an event, which is then recorded after the last of it. */
static bool covers_stream(const struct sc_finding *f)
{
	return f->fix == SC_FIX_SYNC_STREAM || f->fix == SC_FIX_SYNC_CONTEXT ||
	       f->fix == SC_FIX_EVENT;
}

static bool covers_first(const struct row *leader, const struct row *r)
{
	return leader->moment->first.position >= r->moment->first.position ||
	       (covers_stream(leader->finding) && covers_stream(r->finding));
}

/* The second of the leader is before the second of the other, or is it. What the host does is
 * before what the same thread does later; of other threads nothing is taken for granted. */
static bool reaches_second(const struct row *leader, const struct row *r)
{
	const struct sc_interval *a = &leader->moment->second, *b = &r->moment->second;

	if (sc_interval_same(a, b))
		return 1;
	if (a->lane == SC_LANE_HOST &&
	    leader->finding->side[1].thread != r->finding->side[1].thread)
		return 0;
	return sc_interval_before(a, b);
}

static bool is_as_sure(const struct sc_finding *leader, const struct sc_finding *f)
{
	return leader->severity >= f->severity && leader->confidence >= f->confidence &&
	       leader->count >= f->count && !(f->varies & ~leader->varies & 3);
}

/* The first of the leaders, which are in the order of their second operations. */
static struct row *find_among(const row_list *leaders, const struct row *r)
{
	size_t i;

	SC_SEARCH(i, leaders->count,
		  leaders->items[i]->moment->second.entered <= r->moment->first.entered);
	for (size_t tried = 0; i < leaders->count && tried < LEADERS_TRIED; i++, tried++) {
		struct row *leader = leaders->items[i];

		if (is_as_sure(leader->finding, r->finding) && covers_first(leader, r) &&
		    reaches_second(leader, r))
			return leader;
	}
	return NULL;
}

/* Of many streams the leader of the same pair would be far down the list. */
static row_list *pair_of(struct search *s, const struct row *r)
{
	const struct sc_interval *second = &r->moment->second;
	uint64_t where = second->lane == SC_LANE_HOST
				 ? UINT64_C(1) << 31 | r->finding->side[1].thread
				 : second->lane;
	uint64_t *number =
		sc_u64_map_get(&s->numbers, (uint64_t)r->moment->first.lane << 32 | where);

	if (!*number) {
		sc_vector_push(&s->pairs, ((row_list){0}));
		*number = s->pairs.count;
	}
	return &s->pairs.items[*number - 1];
}

static struct row *find_leader(const struct search *s, const row_list *pair, const struct row *r)
{
	struct row *own = find_among(pair, r), *other = find_among(&s->leaders, r);

	return other && (!own || other < own) ? other : own;
}

/* After which the record of an event stands that orders the finding. */
static uint64_t record_after(const struct sc_finding *f)
{
	return is_in_flight(f) ? f->side[0].op + 1 : f->fix_after;
}

static void follow(struct row *leader, const struct row *r)
{
	struct sc_finding *first = leader->finding;

	r->finding->leader = first->number;
	if (first->fix == SC_FIX_EVENT && covers_stream(r->finding) &&
	    first->fix_after < record_after(r->finding))
		first->fix_after = record_after(r->finding);
}

static void take_rows(struct search *s, const struct sc_moments *m, struct sc_findings *all)
{
	for (size_t i = 0; i < all->list.count; i++) {
		struct sc_finding *f = &all->list.items[i];

		if (takes_part(f) && !m->list.items[f->moment - 1].launch)
			sc_vector_push(&s->rows, ((struct row){&m->list.items[f->moment - 1], f}));
	}
	if (s->rows.count)
		qsort(s->rows.items, s->rows.count, sizeof(*s->rows.items), compare);
}

static void find_one(struct search *s, struct row *r)
{
	row_list *pair = pair_of(s, r);
	struct row *leader = find_leader(s, pair, r);

	if (leader) {
		follow(leader, r);
	} else if (!sc_finding_lacks_code(r->finding)) {
		sc_vector_push(&s->leaders, r);
		sc_vector_push(pair, r);
	}
}

/* The two findings of a lead, by their moments; false if none is below the other. A moment whose
 * finding was met again, at other nodes, has none. */
static bool find_pair(struct sc_finding *const *of, const struct sc_moment_lead *lead,
		      struct sc_finding *pair[2])
{
	pair[0] = of[lead->leader - 1];
	pair[1] = of[lead->follower - 1];
	return pair[0] && pair[1] && is_as_sure(pair[0], pair[1]) &&
	       !sc_finding_lacks_code(pair[0]);
}

/* What leads a leader leads its followers, too: the first that has none itself. */
static void find_nodes(const struct sc_moments *m, struct sc_findings *all)
{
	struct sc_finding **of = sc_heap_xcalloc(m->list.count, sizeof(struct sc_finding *));
	bool *is_led = sc_heap_xcalloc(m->list.count, sizeof(*is_led));
	struct sc_finding *pair[2];

	for (size_t i = 0; i < all->list.count; i++)
		if (takes_part(&all->list.items[i]))
			of[all->list.items[i].moment - 1] = &all->list.items[i];
	for (size_t i = 0; i < m->leads.count; i++)
		if (find_pair(of, &m->leads.items[i], pair))
			is_led[m->leads.items[i].follower - 1] = 1;
	for (size_t i = 0; i < m->leads.count; i++) {
		const struct sc_moment_lead *lead = &m->leads.items[i];

		if (is_led[lead->leader - 1] || !find_pair(of, lead, pair))
			continue;
		if (!pair[1]->leader || pair[0]->number < pair[1]->leader)
			pair[1]->leader = pair[0]->number;
	}
	free(is_led);
	free(of);
}

static void fini(struct search *s)
{
	for (size_t i = 0; i < s->pairs.count; i++)
		sc_vector_fini(&s->pairs.items[i]);
	sc_vector_fini(&s->pairs);
	sc_vector_fini(&s->rows);
	sc_vector_fini(&s->leaders);
	sc_u64_map_fini(&s->numbers);
}

void sc_causes_find(const struct sc_moments *m, struct sc_findings *all)
{
	struct search s = {0};

	take_rows(&s, m, all);
	for (size_t i = 0; i < s.rows.count; i++) {
		struct row *r = &s.rows.items[i];

		if (i && r->moment->first.lane != r[-1].moment->first.lane)
			sc_vector_clear(&s.leaders);
		find_one(&s, r);
	}
	fini(&s);
	find_nodes(m, all);
}

void sc_moments_fini(struct sc_moments *m, struct sc_clock_pool *pool)
{
	for (size_t i = 0; i < m->list.count; i++)
		sc_clock_put(pool, m->list.items[i].second.start);
	sc_vector_fini(&m->list);
	sc_vector_fini(&m->leads);
}
