/* Clocks against their naive form: arrays of maxima. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/clock/point.h"
#include "tests/unit/pick.h"

#define LANES  200
#define CLOCKS 12

static void assert_positions(const struct sc_clock *c, const uint64_t *naive)
{
	for (uint32_t lane = 0; lane < LANES + 8; lane++)
		assert_int_equal(sc_clock_at(c, lane), lane < LANES ? naive[lane] : 0);
}

static void naive_join(uint64_t *to, const uint64_t *from)
{
	for (unsigned i = 0; i < LANES; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

struct many {
	struct sc_clock_pool pool;
	struct sc_clock *clock[CLOCKS]; /* the last one stands for the host, which publishes */
	uint64_t naive[CLOCKS][LANES];
	uint64_t sure[CLOCKS][LANES]; /* the same without what is known by luck */
	uint32_t used;		      /* lanes */
	bool is_lucky;		      /* there is luck */
	bool is_of_many;	      /* there is no host: each may publish */
};

static void assert_same(const struct many *m, uint32_t a)
{
	assert_positions(m->clock[a], m->naive[a]);
	assert_positions(sc_clock_sure(m->clock[a]), m->sure[a]);
}

static void naive_raise(uint64_t *at, uint64_t position)
{
	*at = *at > position ? *at : position;
}

static void raise(struct many *m, uint32_t a)
{
	uint32_t lane = pick(m->used);
	uint64_t position = pick(1000) + (pick(2) ? UINT32_C(0x7FFFFE00) : 0);
	bool is_luck = m->is_lucky && !pick(4);

	naive_raise(&m->naive[a][lane], position);
	if (is_luck) {
		sc_clock_raise(&m->pool, sc_clock_doubt(&m->pool, &m->clock[a]), lane, position);
		sc_clock_settle(&m->pool, &m->clock[a]);
		return;
	}
	sc_clock_raise(&m->pool, &m->clock[a], lane, position);
	naive_raise(&m->sure[a][lane], position);
}

static void join(struct many *m, uint32_t a, uint32_t b)
{
	sc_clock_join(&m->pool, &m->clock[a], m->clock[b]);
	naive_join(m->naive[a], m->naive[b]);
	naive_join(m->sure[a], m->sure[b]);
}

/* As a stream waits for an event: a point, and what the host knew. */
static void add_both(struct many *m, uint32_t a, uint32_t b)
{
	struct sc_point p = {sc_clock_get(m->clock[b]), pick(m->used), 1 + pick(1000)};
	struct sc_clock *other = pick(4) ? m->clock[CLOCKS - 1] : NULL;

	sc_clock_join(&m->pool, &m->clock[a], other);
	sc_clock_add_point(&m->pool, &m->clock[a], &p);
	naive_join(m->naive[a], m->naive[b]);
	naive_join(m->sure[a], m->sure[b]);
	naive_raise(&m->naive[a][p.lane], p.position);
	naive_raise(&m->sure[a][p.lane], p.position);
	sc_clock_put(&m->pool, p.base);
	if (!other)
		return;
	naive_join(m->naive[a], m->naive[CLOCKS - 1]);
	naive_join(m->sure[a], m->sure[CLOCKS - 1]);
}

/* The host's clock never shrinks: published clocks form a line. */
static void replace(struct many *m, uint32_t a, uint32_t b)
{
	if (a == CLOCKS - 1)
		return;
	sc_clock_set(&m->pool, &m->clock[a], m->clock[b]);
	memmove(m->naive[a], m->naive[b], sizeof(m->naive[a]));
	memmove(m->sure[a], m->sure[b], sizeof(m->sure[a]));
}

static void forget(struct many *m, uint32_t a)
{
	if (a == CLOCKS - 1)
		return;
	sc_clock_set(&m->pool, &m->clock[a], NULL);
	memset(m->naive[a], 0, sizeof(m->naive[a]));
	memset(m->sure[a], 0, sizeof(m->sure[a]));
}

static void assert_within(const struct many *m, uint32_t a, uint32_t b)
{
	bool is_within = 1;

	for (unsigned i = 0; i < LANES; i++)
		is_within &= m->naive[a][i] <= m->naive[b][i] && m->sure[a][i] <= m->sure[b][i];
	assert_int_equal(sc_clock_is_within(m->clock[a], m->clock[b]), is_within);
}

static void publish(struct many *m, uint32_t a)
{
	if (m->is_of_many)
		sc_clock_publish_if_last(&m->pool, &m->clock[a]);
	else
		sc_clock_publish(&m->pool, &m->clock[CLOCKS - 1]);
}

static void change(struct many *m)
{
	uint32_t a = pick(CLOCKS), b = pick(CLOCKS);

	switch (pick(8)) {
	case 6:
	case 7: add_both(m, a, b); break;
	case 0:
	case 1: raise(m, a); break;
	case 2: join(m, a, b); break;
	case 3: replace(m, a, b); break;
	case 4: pick(8) ? join(m, a, CLOCKS - 1) : forget(m, a); break;
	case 5: publish(m, a); break;
	}
	assert_same(m, a);
	assert_same(m, b);
	assert_within(m, a, b);
}

static void fini_many(struct many *m)
{
	for (unsigned i = 0; i < CLOCKS; i++)
		sc_clock_put(&m->pool, m->clock[i]);
	sc_clock_pool_fini(&m->pool);
}

/* Random raises, joins, copies and publications, over few lanes and over many: every clock keeps
 * saying what its array says. */
TEST(against_arrays)
{
	static const uint32_t used[] = {1, 5, 40, LANES};

	for (unsigned i = 0; i < 4 * sizeof(used) / sizeof(used[0]); i++) {
		struct many m = {.used = used[i / 4], .is_lucky = i % 2, .is_of_many = i / 2 % 2};

		for (unsigned round = 0; round < 10000; round++)
			change(&m);
		assert_true(m.pool.version > 0 || m.used < 8);
		fini_many(&m);
	}
}

/* What was known by luck and is learned for sure later leaves a plain clock. */
TEST(luck_that_is_made_up_for)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *host = NULL, *stream = NULL;

	sc_clock_raise(&pool, &host, 1, 5);
	sc_clock_raise(&pool, sc_clock_doubt(&pool, &host), 2, 7);
	sc_clock_settle(&pool, &host);
	assert_true(sc_clock_is_pair(host));
	sc_clock_join(&pool, &stream, host);
	assert_int_equal(sc_clock_at(stream, 2), 7);
	assert_int_equal(sc_clock_at(sc_clock_sure(stream), 2), 0);
	assert_int_equal(sc_clock_at(sc_clock_sure(stream), 1), 5);
	sc_clock_raise(&pool, &host, 2, 7);
	sc_clock_settle(&pool, &host);
	assert_false(sc_clock_is_pair(host));
	assert_true(sc_clock_join(&pool, &stream, host));
	assert_false(sc_clock_is_pair(stream));
	sc_clock_put(&pool, stream);
	sc_clock_put(&pool, host);
	sc_clock_pool_fini(&pool);
}

/* What stands on a published clock stays small, and the younger of two bases wins. */
TEST(sparse_over_published)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *host = NULL, *a = NULL, *b = NULL;

	sc_clock_raise(&pool, &host, 99, 7);
	sc_clock_publish(&pool, &host);
	sc_clock_join(&pool, &a, host);
	sc_clock_raise(&pool, &a, 3, 10);
	assert_false(a->is_dense);
	assert_ptr_equal(a->base, host);
	sc_clock_raise(&pool, &host, 3, 20);
	sc_clock_publish(&pool, &host);
	sc_clock_join(&pool, &b, host);
	sc_clock_raise(&pool, &b, 4, 21);
	assert_true(sc_clock_join(&pool, &a, b));
	assert_ptr_equal(a->base, host);
	assert_int_equal(a->count, 1); /* lane 3 is in the base now */
	assert_int_equal(sc_clock_at(a, 3), 20);
	assert_int_equal(sc_clock_at(a, 4), 21);
	assert_int_equal(sc_clock_at(a, 99), 7);
	sc_clock_put(&pool, a);
	sc_clock_put(&pool, b);
	sc_clock_put(&pool, host);
	sc_clock_pool_fini(&pool);
}

/* A base is worth its lanes only beyond a few entries, and only in the line. */
TEST(published_if_last)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *a = NULL, *b = NULL;

	sc_clock_raise(&pool, &a, 99, 7);
	sc_clock_publish_if_last(&pool, &a);
	assert_false(a->is_dense);
	for (uint32_t lane = 0; lane < 8; lane++) {
		sc_clock_raise(&pool, &a, lane, 5);
		sc_clock_raise(&pool, &b, lane, 6);
	}
	sc_clock_publish_if_last(&pool, &a);
	assert_int_equal(a->version, 1);
	sc_clock_publish_if_last(&pool, &b);
	assert_false(b->is_dense);
	sc_clock_join(&pool, &b, a);
	sc_clock_publish_if_last(&pool, &b);
	assert_int_equal(b->version, 2);
	sc_clock_put(&pool, a);
	sc_clock_put(&pool, b);
	sc_clock_pool_fini(&pool);
}

TEST(join_says_what_is_new)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *a = NULL, *b = NULL;

	sc_clock_raise(&pool, &a, 3, 10);
	assert_false(sc_clock_join(&pool, &a, b));
	assert_true(sc_clock_join(&pool, &b, a));
	assert_ptr_equal(a, b); /* shared, not copied */
	assert_false(sc_clock_join(&pool, &b, a));
	sc_clock_raise(&pool, &b, 3, 11);
	assert_int_equal(sc_clock_at(a, 3), 10);
	assert_int_equal(sc_clock_at(b, 3), 11);
	sc_clock_put(&pool, a);
	sc_clock_put(&pool, b);
	sc_clock_pool_fini(&pool);
}

TEST(late_lanes)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *host = NULL, *a = NULL, *b = NULL;
	uint32_t late = SC_CLOCK_LANES_SPARSE + 5;
	struct sc_point p;

	sc_clock_raise(&pool, &host, 3, 7);
	sc_clock_publish(&pool, &host);
	sc_clock_join(&pool, &a, host);
	sc_clock_raise(&pool, &a, late, 10);
	sc_clock_join(&pool, &b, host);
	sc_clock_raise(&pool, &b, 4, 11);
	p = (struct sc_point){b, late, 12};
	sc_clock_add_point(&pool, &a, &p);
	sc_clock_add_point(&pool, &b, &p);
	assert_int_equal(sc_clock_at(a, late), 12);
	assert_int_equal(sc_clock_at(a, 4), 11);
	assert_int_equal(sc_clock_at(b, late), 12);
	assert_int_equal(sc_clock_at(b, 5), 0);
	sc_clock_put(&pool, a);
	sc_clock_put(&pool, b);
	sc_clock_put(&pool, host);
	sc_clock_pool_fini(&pool);
}

TEST(points)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *base = NULL, *c = NULL;
	struct sc_point p, never = {.lane = 7};

	sc_clock_raise(&pool, &base, 1, 5);
	p = (struct sc_point){.base = base, .lane = 2, .position = 9};
	assert_false(sc_point_is_in(&p, c));
	assert_true(sc_point_is_in(&never, c));
	assert_true(sc_clock_join_point(&pool, &c, &p));
	assert_int_equal(sc_clock_at(c, 1), 5);
	assert_int_equal(sc_clock_at(c, 2), 9);
	assert_false(sc_clock_join_point(&pool, &c, &p));
	sc_clock_put(&pool, base);
	sc_clock_put(&pool, c);
	sc_clock_pool_fini(&pool);
}
