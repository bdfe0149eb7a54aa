/* Courses: what the ops of each lane came after, for touches that have no notes.
 *
 * Naive form: a note for each op (note.h). Of most routine ops nothing is ever asked but lane and
 * position, which a brief touch has. What a note would say beside goes for all ops of a stream
 * until it waits for another one: such a stretch of its lane is kept once, and known by a number,
 * so that the counts of touches lie together. The host's clock is kept by position, once for all
 * lanes, because everything that the caller knows comes before its op (0.2); of these, touches are
 * counted by blocks of positions.
 */
#ifndef SC_ANALYZER_ROUTINE_COURSE_H
#define SC_ANALYZER_ROUTINE_COURSE_H

#include <stdbool.h>
#include "analyzer/memory/brief.h"
#include "analyzer/order/stream.h"

/* Ops of a lane that came after the same, but for what the host knew. */
struct sc_stretch {
	struct sc_clock *base; /* counted */
	uint32_t context;
	bool is_nonblocking, is_legacy; /* its stream */
};

/* The host's clock when the ops at these positions were enqueued. */
struct sc_known_at {
	struct sc_clock *clock; /* counted */
	uint32_t from, last;	/* both included; the newest has no last one yet: 0 */
};

#define SC_COURSE_BLOCK_LOG 12

/* The last stretch of a lane. */
struct sc_lane_end {
	const struct sc_clock *base;
	uint32_t stream; /* 0: there is none */
	uint32_t number;
};

/* An empty set is all zero. */
struct sc_courses {
	SC_VECTOR(struct sc_stretch) stretches; /* by number */
	SC_VECTOR(uint32_t) refs;	     /* of each: touches, and its lane if it is the last */
	SC_VECTOR(uint32_t) free;	     /* numbers */
	SC_VECTOR(struct sc_lane_end) ends;  /* by lane */
	SC_VECTOR(struct sc_known_at) known; /* by position */
	size_t known_most;		     /* drop what is not needed beyond this */
	SC_VECTOR(uint32_t) blocks;	     /* touches by their positions */
	const struct sc_clock *host;	     /* the last known one, */
	uint64_t end;			     /* and what is beyond the blocks */
};

struct sc_note;
struct sc_notes;

void sc_courses_fini(struct sc_courses *all, struct sc_clock_pool *pool);
/* The slow parts of sc_course_add. */
uint32_t sc_course_begin(struct sc_courses *all, struct sc_clock_pool *pool,
			 const struct sc_stream *s);
void sc_course_learn(struct sc_courses *all, struct sc_clock_pool *pool, struct sc_clock *host,
		     uint64_t position);
void sc_course_drop(struct sc_courses *all, struct sc_clock_pool *pool, uint32_t number);
/* A note of its own for the op of a brief touch; count 1. */
struct sc_note *sc_course_note(struct sc_notes *all, const struct sc_brief *b);
/* The same where the stretch is at hand, and its base has what the host knew. */
struct sc_note *sc_course_note_of(struct sc_notes *all, const struct sc_stretch *s,
				  const struct sc_brief *b);
/* That of the stream's next op. */
struct sc_stretch sc_course_stretch(const struct sc_stream *s);

/* The stream has an op at `position`, the newest; the number of its stretch. */
static inline uint32_t sc_course_add(struct sc_courses *all, struct sc_clock_pool *pool,
				     const struct sc_stream *s, struct sc_clock *host,
				     uint64_t position)
{
	const struct sc_lane_end *end;

	if (host != all->host || position >= all->end)
		sc_course_learn(all, pool, host, position);
	if (s->tail.lane >= all->ends.count)
		return sc_course_begin(all, pool, s);
	end = &all->ends.items[s->tail.lane];
	return end->base == s->tail.base && end->stream == s->id ? end->number
								 : sc_course_begin(all, pool, s);
}

/* Counts a brief touch. */
static inline void sc_course_get(struct sc_courses *all, const struct sc_brief *b)
{
	all->refs.items[sc_brief_stretch(b)]++;
	all->blocks.items[b->position >> SC_COURSE_BLOCK_LOG]++;
}

static inline void sc_course_put(struct sc_courses *all, struct sc_clock_pool *pool,
				 const struct sc_brief *b)
{
	all->blocks.items[b->position >> SC_COURSE_BLOCK_LOG]--;
	if (!--all->refs.items[sc_brief_stretch(b)])
		sc_course_drop(all, pool, sc_brief_stretch(b));
}

#endif
