/* Rank set: sorted ranges. */
#include "reports/many/rank_set.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

#define RANGES_SHOWN 12
#define DIGITS	     9 /* of a rank: launchers give out no billion (base/option_expand.c) */

void sc_rank_set_fini(struct sc_rank_set *s)
{
	sc_vector_fini(&s->ranges);
}

/* True if the two ranges are one: they meet, or nothing lies between them. */
static bool touches(const struct sc_rank_range *a, const struct sc_rank_range *b)
{
	return (uint64_t)a->last + 1 >= b->first && (uint64_t)b->last + 1 >= a->first;
}

static void widen(struct sc_rank_range *range, const struct sc_rank_range *by)
{
	if (by->first < range->first)
		range->first = by->first;
	if (by->last > range->last)
		range->last = by->last;
}

void sc_rank_set_add(struct sc_rank_set *s, uint32_t first, uint32_t last)
{
	struct sc_rank_range all = {first, last};
	size_t from = s->ranges.count, to;

	sc_assert(first <= last);
	while (from && (uint64_t)s->ranges.items[from - 1].last + 1 >= first)
		from--;
	for (to = from; to < s->ranges.count && touches(&s->ranges.items[to], &all); to++)
		widen(&all, &s->ranges.items[to]);
	if (to == from)
		(void)sc_vector_add(&s->ranges);
	else
		s->ranges.count -= to - from - 1;
	/* what lies after it moves by one place up, or down to it */
	memmove(s->ranges.items + from + 1, s->ranges.items + to,
		(s->ranges.count - from - 1) * sizeof(*s->ranges.items));
	s->ranges.items[from] = all;
}

static void append(struct sc_rank_set *s, const struct sc_rank_range *range)
{
	if (s->ranges.count && touches(sc_vector_last(&s->ranges), range))
		widen(sc_vector_last(&s->ranges), range);
	else
		sc_vector_push(&s->ranges, *range);
}

void sc_rank_set_join(struct sc_rank_set *s, const struct sc_rank_set *other)
{
	struct sc_rank_set both = {0};
	size_t i = 0, j = 0;

	if (other->ranges.count == 1)
		sc_rank_set_add(s, other->ranges.items[0].first, other->ranges.items[0].last);
	if (other->ranges.count < 2)
		return;
	while (i < s->ranges.count || j < other->ranges.count) {
		bool is_own = j == other->ranges.count ||
			      (i < s->ranges.count &&
			       s->ranges.items[i].first <= other->ranges.items[j].first);

		append(&both, is_own ? &s->ranges.items[i++] : &other->ranges.items[j++]);
	}
	sc_vector_fini(&s->ranges);
	*s = both;
}

uint64_t sc_rank_set_count(const struct sc_rank_set *s)
{
	uint64_t count = 0;

	for (size_t i = 0; i < s->ranges.count; i++)
		count += (uint64_t)s->ranges.items[i].last - s->ranges.items[i].first + 1;
	return count;
}

/* The ranges, the first `most` of them. */
static void print(struct sc_buf *out, const struct sc_rank_set *s, const char *between, size_t most)
{
	for (size_t i = 0; i < s->ranges.count && i < most; i++) {
		const struct sc_rank_range *r = &s->ranges.items[i];

		sc_buf_printf(out, "%s%" PRIu32, i ? between : "", r->first);
		if (r->last > r->first)
			sc_buf_printf(out, "-%" PRIu32, r->last);
	}
}

void sc_rank_set_print(struct sc_buf *out, const struct sc_rank_set *s)
{
	print(out, s, ",", SIZE_MAX);
	sc_buf_add(out, s->ranges.count ? "" : "-");
}

/* A rank of at most DIGITS digits; returns how many, 0 if there is none. */
static size_t parse_rank(const char *text, size_t bytes, uint32_t *rank)
{
	size_t i;

	*rank = 0;
	for (i = 0; i < bytes && i < DIGITS && text[i] >= '0' && text[i] <= '9'; i++)
		*rank = *rank * 10 + (uint32_t)(text[i] - '0');
	return i;
}

bool sc_rank_set_parse(struct sc_rank_set *s, const char *text, size_t bytes)
{
	size_t at = 0, took;

	if (bytes == 1 && *text == '-')
		return 1;
	for (;;) {
		struct sc_rank_range r;

		took = parse_rank(text + at, bytes - at, &r.first);
		at += took;
		r.last = r.first;
		if (took && at < bytes && text[at] == '-') {
			took = parse_rank(text + at + 1, bytes - at - 1, &r.last);
			at += 1 + took;
		}
		if (!took || r.last < r.first ||
		    (s->ranges.count && sc_vector_last(&s->ranges)->last >= r.first))
			return 0;
		append(s, &r);
		if (at == bytes)
			return 1;
		if (text[at++] != ',')
			return 0;
	}
}

/* The ranks of `all` that the set lacks. */
static void take_rest(struct sc_rank_set *rest, const struct sc_rank_set *s,
		      const struct sc_rank_set *all)
{
	size_t at = 0;

	for (size_t i = 0; i < all->ranges.count; i++) {
		uint64_t from = all->ranges.items[i].first, last = all->ranges.items[i].last;

		for (; at < s->ranges.count && s->ranges.items[at].first <= last; at++) {
			const struct sc_rank_range *r = &s->ranges.items[at];

			if (r->first > from)
				sc_vector_push(
					&rest->ranges,
					((struct sc_rank_range){(uint32_t)from, r->first - 1}));
			if (r->last >= from)
				from = (uint64_t)r->last + 1;
		}
		if (from <= last)
			sc_vector_push(&rest->ranges,
				       ((struct sc_rank_range){(uint32_t)from, (uint32_t)last}));
	}
}

static void describe(struct sc_buf *out, const struct sc_rank_set *s)
{
	uint64_t left = sc_rank_set_count(s);

	print(out, s, ", ", RANGES_SHOWN);
	if (s->ranges.count <= RANGES_SHOWN)
		return;
	for (size_t i = 0; i < RANGES_SHOWN; i++)
		left -= (uint64_t)s->ranges.items[i].last - s->ranges.items[i].first + 1;
	sc_buf_printf(out, " and %" PRIu64 " more", left);
}

/* True if all but the rest is said sooner: in fewer ranges, or in as many if the rest is small. */
static bool is_better(const struct sc_rank_set *s, const struct sc_rank_set *all,
		      const struct sc_rank_set *rest)
{
	size_t ranges = all->ranges.count + rest->ranges.count;
	bool is_small = sc_rank_set_count(rest) * 8 <= sc_rank_set_count(all);

	if (!rest->ranges.count)
		return 0;
	return ranges < s->ranges.count || (ranges == s->ranges.count && is_small);
}

void sc_rank_set_describe(struct sc_buf *out, const struct sc_rank_set *s,
			  const struct sc_rank_set *all)
{
	struct sc_buf plain = {0}, except = {0};
	struct sc_rank_set rest = {0};
	bool has_fewer;

	if (!s->ranges.count)
		return;
	take_rest(&rest, s, all);
	describe(&plain, s);
	describe(&except, all);
	sc_buf_add(&except, " except ");
	describe(&except, &rest);
	has_fewer = is_better(s, all, &rest);
	sc_buf_add(out, sc_rank_set_count(s) == 1 ? "rank " : "ranks ");
	sc_buf_add(out, has_fewer ? except.text : plain.text);
	sc_rank_set_fini(&rest);
	sc_buf_fini(&plain);
	sc_buf_fini(&except);
}
