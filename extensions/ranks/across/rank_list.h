/* Rank list: ranks that belong to a message (SC_MESSAGE_LIST), 64 in an event. */
#pragma once

#include "extensions/ranks/across/event.h"
#include "base/vector.h"

/* Of a message of that thread in that group, which comes next. */
struct sc_rank_list_part {
	uint64_t group;
	uint64_t mask; /* bit i: rank `first` + i */
	uint32_t first, thread;
};

struct sc_rank_list {
	SC_VECTOR(struct sc_rank_list_part) parts;
};

static inline void sc_rank_list_add(struct sc_rank_list *r, const struct sc_across_event *e)
{
	if (e->peer)
		sc_vector_push(&r->parts, ((struct sc_rank_list_part){.group = e->group,
								      .mask = e->operation,
								      .first = e->peer - 1,
								      .thread = e->thread}));
}

/* Moves the parts that belong to the message to `out`, which is the caller's. Others of its thread
 * belong to nothing. */
static inline void sc_rank_list_take(struct sc_rank_list *r, const struct sc_across_event *e,
				     struct sc_rank_list *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->parts.count; i++) {
		struct sc_rank_list_part part = r->parts.items[i];

		if (part.thread != e->thread)
			r->parts.items[kept++] = part;
		else if (part.group == e->group)
			sc_vector_push(&out->parts, part);
	}
	r->parts.count = kept;
}

/* The next rank of the list from *at on, which begins at 0; false: there is none. */
static inline bool sc_rank_list_next(const struct sc_rank_list *r, uint64_t *at, uint32_t *rank)
{
	for (; *at < r->parts.count * 64; ++*at) {
		const struct sc_rank_list_part *part = &r->parts.items[*at / 64];

		if (!(part->mask >> *at % 64 & 1))
			continue;
		*rank = part->first + (uint32_t)(*at % 64);
		++*at;
		return 1;
	}
	return 0;
}

static inline void sc_rank_list_fini(struct sc_rank_list *r)
{
	sc_vector_fini(&r->parts);
}
