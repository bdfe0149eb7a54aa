/* What stories of shared memory (sharing_story.h) are checked by: the findings that are expected,
 * and the races that a naive form has.
 */
#ifndef SC_EXTENSIONS_RANKS_TESTS_SHARING_CHECK_H
#define SC_EXTENSIONS_RANKS_TESTS_SHARING_CHECK_H

#include "extensions/ranks/tests/sharing_story.h"

#define COMPARED_MOST 256 /* uses */

/* A message from host to host, which is received at once. */
static inline void say_so(unsigned from, unsigned to)
{
	struct sc_across_event *e = add(from, SC_ACROSS_MESSAGE);
	uint64_t link;

	e->value = SC_MESSAGE_SEND | SC_MESSAGE_BLOCKS;
	e->call = SEND;
	e->peer = to + 1;
	e->tag = 1;
	e = add(to, SC_ACROSS_MESSAGE);
	e->value = SC_MESSAGE_RECEIVE | SC_MESSAGE_BLOCKS;
	e->call = RECEIVE;
	e->peer = from + 1;
	e->tag = 1;
	link = e->sequence + 1;
	add(to, SC_ACROSS_RETURN)->link = link;
}

/* Runs the story: so many findings, all of SC-175 and alike. */
static inline void expect(size_t count, enum sc_confidence confidence, enum sc_doubt doubt)
{
	see = NULL;
	run();
	assert_int_equal(story.remarks.list.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(story.remarks.list.items[i].remark.rule, 175);
		assert_int_equal(story.remarks.list.items[i].remark.confidence, confidence);
		assert_int_equal(story.remarks.list.items[i].remark.doubt, doubt);
	}
	finish();
}

/* ---- a naive form ---- */

struct naive_form {
	unsigned count; /* of uses */
	struct sc_match_key (*key_of)(unsigned i);
	bool (*is_race)(unsigned i, unsigned k);
};

static struct naive_form compared;
static bool is_seen[COMPARED_MOST][COMPARED_MOST];

static inline unsigned number_of(struct sc_match_key key)
{
	for (unsigned i = 0; i < compared.count; i++) {
		struct sc_match_key own = compared.key_of(i);

		if (own.process == key.process && own.sequence == key.sequence)
			return i;
	}
	fail();
	return 0;
}

static inline bool note_race(struct sc_match_key a, struct sc_match_key b)
{
	unsigned i = number_of(a), k = number_of(b);

	return is_seen[i][k] = is_seen[k][i] = 1;
}

/* Runs the story: the races that are seen are those of the naive form. Counts them, and the pairs
 * of uses of two processes that are none. */
static inline void compare(struct naive_form form, unsigned *races, unsigned *orders)
{
	assert_true(form.count <= COMPARED_MOST);
	compared = form;
	memset(is_seen, 0, sizeof(is_seen));
	see = note_race;
	run();
	for (unsigned i = 0; i < form.count; i++)
		for (unsigned k = 0; k < i; k++) {
			struct sc_match_key a = form.key_of(i), b = form.key_of(k);
			bool is_one = form.is_race(i, k);

			if (is_one != is_seen[i][k])
				print_message("rank %u op %u, rank %u op %u: %d\n",
					      (unsigned)a.process, (unsigned)a.sequence,
					      (unsigned)b.process, (unsigned)b.sequence, is_one);
			assert_int_equal(is_one, is_seen[i][k]);
			*races += is_one;
			*orders += a.process != b.process && !is_one;
		}
}

#endif
