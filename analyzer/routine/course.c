/* Courses: stretches begun, and dropped when no touch is in them. */
#include "analyzer/routine/course.h"

#include <stdbool.h>
#include <string.h>
#include "analyzer/memory/notes.h"
#include "analyzer/order/transfer.h"
#include "base/search.h"

#define KNOWN_FEW 16 /* not worth a look at what of them is needed */

void sc_courses_fini(struct sc_courses *all, struct sc_clock_pool *pool)
{
	for (size_t i = 0; i < all->stretches.count; i++)
		if (all->refs.items[i])
			sc_clock_put(pool, all->stretches.items[i].base);
	for (size_t i = 0; i < all->known.count; i++)
		sc_clock_put(pool, all->known.items[i].clock);
	sc_vector_fini(&all->stretches);
	sc_vector_fini(&all->refs);
	sc_vector_fini(&all->free);
	sc_vector_fini(&all->ends);
	sc_vector_fini(&all->known);
	sc_vector_fini(&all->blocks);
}

void sc_course_drop(struct sc_courses *all, struct sc_clock_pool *pool, uint32_t number)
{
	sc_clock_put(pool, all->stretches.items[number].base);
	sc_vector_push(&all->free, number);
}

static uint32_t take_number(struct sc_courses *all)
{
	if (all->free.count)
		return all->free.items[--all->free.count];
	if (all->refs.count == SC_STRETCH_NONE)
		return SC_STRETCH_NONE;
	sc_vector_push(&all->stretches, (struct sc_stretch){0});
	sc_vector_push(&all->refs, 0);
	return (uint32_t)all->refs.count - 1;
}

struct sc_stretch sc_course_stretch(const struct sc_stream *s)
{
	return (struct sc_stretch){.base = s->tail.base,
				   .context = s->context->id,
				   .is_nonblocking = (s->flags & SC_FLAG_NON_BLOCKING) != 0,
				   .is_legacy = sc_stream_is_legacy(s)};
}

static void leave(struct sc_courses *all, struct sc_clock_pool *pool, const struct sc_lane_end *end)
{
	if (end->stream && !--all->refs.items[end->number])
		sc_course_drop(all, pool, end->number);
}

uint32_t sc_course_begin(struct sc_courses *all, struct sc_clock_pool *pool,
			 const struct sc_stream *s)
{
	uint32_t number = take_number(all);
	struct sc_lane_end *end;

	if (number == SC_STRETCH_NONE)
		return number;
	while (all->ends.count <= s->tail.lane)
		sc_vector_push(&all->ends, (struct sc_lane_end){0});
	end = &all->ends.items[s->tail.lane];
	leave(all, pool, end);
	*end = (struct sc_lane_end){.base = s->tail.base, .stream = s->id, .number = number};
	all->stretches.items[number] = sc_course_stretch(s);
	all->refs.items[number] = 1;
	sc_clock_get(s->tail.base);
	return number;
}

static bool is_needed(const struct sc_courses *all, const struct sc_known_at *k)
{
	for (uint32_t i = k->from >> SC_COURSE_BLOCK_LOG; i <= k->last >> SC_COURSE_BLOCK_LOG; i++)
		if (all->blocks.items[i])
			return 1;
	return 0;
}

/* Only the blocks of the ops that entered then need be looked at. */
static void drop_known(struct sc_courses *all, struct sc_clock_pool *pool)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->known.count; i++) {
		struct sc_known_at *k = &all->known.items[i];

		if (is_needed(all, k))
			all->known.items[kept++] = *k;
		else
			sc_clock_put(pool, k->clock);
	}
	all->known.count = kept;
	all->known_most = 2 * kept + KNOWN_FEW;
}

static void add_known(struct sc_courses *all, struct sc_clock_pool *pool, struct sc_clock *host,
		      uint32_t position)
{
	if (all->known.count)
		sc_vector_last(&all->known)->last = position - 1;
	if (all->known.count > all->known_most)
		drop_known(all, pool);
	sc_vector_push(&all->known,
		       ((struct sc_known_at){.clock = sc_clock_get(host), .from = position}));
	all->host = host;
}

void sc_course_learn(struct sc_courses *all, struct sc_clock_pool *pool, struct sc_clock *host,
		     uint64_t position)
{
	while (all->blocks.count <= position >> SC_COURSE_BLOCK_LOG)
		sc_vector_push(&all->blocks, 0);
	all->end = (uint64_t)all->blocks.count << SC_COURSE_BLOCK_LOG;
	if (!all->known.count || all->host != host)
		add_known(all, pool, host, (uint32_t)position);
}

/* The host's clock when the touching operation was enqueued. */
static struct sc_clock *known_at(const struct sc_courses *all, uint32_t position)
{
	size_t behind;

	SC_SEARCH(behind, all->known.count, all->known.items[behind].from <= position);
	return behind ? all->known.items[behind - 1].clock : NULL;
}

struct sc_note *sc_course_note_of(struct sc_notes *all, const struct sc_stretch *s,
				  const struct sc_brief *b)
{
	struct sc_note *n = sc_slab_take(&all->slab, sizeof(*n));

	memset(n, 0, offsetof(struct sc_note, op));
	n->refs = 1;
	n->context = s->context;
	n->kind = sc_brief_kind(b);
	n->edge = SC_EDGE_NONE;
	n->traits = b->traits;
	n->is_nonblocking = s->is_nonblocking;
	n->is_legacy = s->is_legacy;
	n->when.start = sc_clock_get(s->base);
	n->when.lane = b->lane;
	n->when.position = n->when.entered = b->position;
	n->sequence = b->position - 1;
	return n;
}

struct sc_note *sc_course_note(struct sc_notes *all, const struct sc_brief *b)
{
	const struct sc_courses *courses = &all->courses;
	struct sc_note *n =
		sc_course_note_of(all, &courses->stretches.items[sc_brief_stretch(b)], b);

	sc_clock_join(all->pool, &n->when.start, known_at(courses, b->position));
	return n;
}
