/* Epochs: lines of what one rank says to another one. */
#include "extensions/ranks/across/epoch.h"

#include <stdlib.h>
#include "base/heap.h"

enum saying { POSTED, COMPLETED };

/* Without gaps: they are hashed as bytes. */
struct line_key {
	uint64_t group;
	uint32_t from, to;
	uint64_t what; /* enum saying */
};

struct window_key {
	uint64_t group, process;
};

struct sc_epoch_line {
	struct line_key key;
	uint64_t said;	  /* how often */
	uint64_t awaited; /* of the other side: how many of its calls belong to this line */
	uint64_t dropped; /* those up to here are forgotten */
	SC_VECTOR(struct sc_clock *) clocks; /* owned: what was known at those after them */
	UT_hash_handle hh;
};

/* A rank of an epoch. */
struct partner {
	uint32_t rank;
	bool gives; /* data was got from there */
};

struct sc_epoch_window {
	struct window_key key;
	SC_VECTOR(struct partner) started, posted;
	UT_hash_handle hh;
};

static struct sc_epoch_window *window_of(struct sc_epochs *all, unsigned process, uint64_t group)
{
	struct window_key key = {.group = group, .process = process};
	struct sc_epoch_window *w;

	sc_hash_get(all->windows, key, key, w);
	return w;
}

static struct sc_epoch_line *line_of(struct sc_epochs *all, uint64_t group, uint32_t from,
				     uint32_t to, enum saying what)
{
	struct line_key key = {.group = group, .from = from, .to = to, .what = what};
	struct sc_epoch_line *line;

	sc_hash_get(all->lines, key, key, line);
	return line;
}

/* Forgets what was said up to that number. */
static void drop(struct sc_epochs *all, struct sc_epoch_line *line, uint64_t number)
{
	uint64_t gone = number < line->said ? number : line->said;
	size_t kept = 0, count;

	count = gone > line->dropped ? (size_t)(gone - line->dropped) : 0;
	count = count < line->clocks.count ? count : line->clocks.count;
	for (size_t i = 0; i < count; i++)
		sc_clock_put(all->pool, line->clocks.items[i]);
	for (size_t i = count; i < line->clocks.count; i++)
		line->clocks.items[kept++] = line->clocks.items[i];
	line->clocks.count = kept;
	line->dropped = number > line->dropped ? number : line->dropped;
}

static void say(struct sc_epochs *all, struct sc_epoch_line *line, struct sc_clock *knows)
{
	const struct sc_match_member *to =
		sc_match_member(sc_match_group(all->match, line->key.group), line->key.to);

	line->said++;
	if (line->said > line->dropped)
		sc_vector_push(&line->clocks, sc_clock_get(knows));
	if (to)
		all->wake(all->data, to->process);
}

/* ---- events ---- */

/* What one of the ranks does there is recorded. */
static bool is_followed(const struct sc_match_group *g, uint32_t rank)
{
	const struct sc_match_member *x = sc_match_member(g, rank);

	return x && !x->is_vague;
}

static void post(struct sc_epochs *all, struct sc_epoch_window *w, const struct sc_match_group *g,
		 uint32_t own, const struct sc_rank_list *ranks, struct sc_clock *knows)
{
	uint64_t at = 0;
	uint32_t rank;

	sc_vector_clear(&w->posted);
	while (sc_rank_list_next(ranks, &at, &rank)) {
		if (!is_followed(g, rank))
			continue;
		sc_vector_push(&w->posted, ((struct partner){.rank = rank}));
		say(all, line_of(all, g->name, own, rank, POSTED), knows);
	}
}

static void start(struct sc_epoch_window *w, const struct sc_match_group *g,
		  const struct sc_rank_list *ranks)
{
	uint64_t at = 0;
	uint32_t rank;

	sc_vector_clear(&w->started);
	while (sc_rank_list_next(ranks, &at, &rank))
		if (is_followed(g, rank))
			sc_vector_push(&w->started, ((struct partner){.rank = rank}));
}

static void get_data(struct sc_epoch_window *w, const struct sc_across_event *e)
{
	for (size_t i = 0; i < w->started.count; i++)
		w->started.items[i].gives |=
			e->value & SC_MESSAGE_GETS && w->started.items[i].rank + 1 == e->peer;
}

static void need(struct sc_epoch_line *line, struct sc_epoch_needs *needs)
{
	sc_vector_push(&needs->list, ((struct sc_epoch_need){line, line->awaited}));
}

static void complete(struct sc_epochs *all, struct sc_epoch_window *w,
		     const struct sc_match_group *g, uint32_t own, struct sc_clock *knows,
		     struct sc_epoch_needs *needs)
{
	for (size_t i = 0; i < w->started.count; i++) {
		const struct partner *x = &w->started.items[i];
		struct sc_epoch_line *posts = line_of(all, g->name, x->rank, own, POSTED);

		say(all, line_of(all, g->name, own, x->rank, COMPLETED), knows);
		posts->awaited++;
		if (x->gives)
			need(posts, needs);
		else
			drop(all, posts, posts->awaited);
	}
	sc_vector_clear(&w->started);
}

static void await(struct sc_epochs *all, struct sc_epoch_window *w, const struct sc_match_group *g,
		  uint32_t own, struct sc_epoch_needs *needs)
{
	for (size_t i = 0; i < w->posted.count; i++) {
		struct sc_epoch_line *line =
			line_of(all, g->name, w->posted.items[i].rank, own, COMPLETED);

		line->awaited++;
		need(line, needs);
	}
	sc_vector_clear(&w->posted);
}

void sc_epochs_take(struct sc_epochs *all, unsigned process, const struct sc_across_event *e,
		    const struct sc_rank_list *ranks, struct sc_clock *knows,
		    struct sc_epoch_needs *needs)
{
	const struct sc_match_group *g = sc_match_group(all->match, e->group);
	uint32_t own = sc_match_rank(all->match, process, e->group);
	struct sc_epoch_window *w;

	if (!g || !own || !is_followed(g, own - 1))
		return;
	w = window_of(all, process, e->group);
	switch (sc_across_kind(e)) {
	case SC_MESSAGE_POST: post(all, w, g, own - 1, ranks, knows); break;
	case SC_MESSAGE_START: start(w, g, ranks); break;
	case SC_MESSAGE_ACCESS: get_data(w, e); break;
	case SC_MESSAGE_COMPLETE: complete(all, w, g, own - 1, knows, needs); break;
	case SC_MESSAGE_AWAIT: await(all, w, g, own - 1, needs); break;
	default: break;
	}
}

/* ---- waits ---- */

bool sc_epochs_are_met(const struct sc_epoch_needs *needs)
{
	for (size_t i = 0; i < needs->list.count; i++)
		if (needs->list.items[i].line->said < needs->list.items[i].number)
			return 0;
	return 1;
}

void sc_epochs_join(struct sc_epochs *all, struct sc_epoch_needs *needs, struct sc_clock **knows)
{
	for (size_t i = 0; i < needs->list.count; i++) {
		struct sc_epoch_line *line = needs->list.items[i].line;
		uint64_t number = needs->list.items[i].number;

		if (number > line->dropped && number <= line->said)
			sc_clock_join(all->pool, knows,
				      line->clocks.items[number - line->dropped - 1]);
		drop(all, line, number);
	}
}

void sc_epoch_needs_fini(struct sc_epoch_needs *needs)
{
	sc_vector_fini(&needs->list);
}

size_t sc_epochs_kept(const struct sc_epochs *all)
{
	size_t count = 0;

	for (const struct sc_epoch_line *line = all->lines; line; line = line->hh.next)
		count += line->clocks.count;
	return count;
}

void sc_epochs_fini(struct sc_epochs *all)
{
	while (all->windows) {
		struct sc_epoch_window *w = all->windows;

		HASH_DEL(all->windows, w);
		sc_vector_fini(&w->started);
		sc_vector_fini(&w->posted);
		free(w);
	}
	while (all->lines) {
		struct sc_epoch_line *line = all->lines;

		HASH_DEL(all->lines, line);
		for (size_t i = 0; i < line->clocks.count; i++)
			sc_clock_put(all->pool, line->clocks.items[i]);
		sc_vector_fini(&line->clocks);
		free(line);
	}
}
