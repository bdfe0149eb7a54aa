/* Pieces against their naive form: for each address, who has it now, and who had it at each op. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/memory/piece.h"
#include "tests/unit/pick.h"

#define SPACE  200
#define ROUNDS 1500

/* Op + 1 that handed the address out; of `dead` the piece that went back last, unless the address
 * is in use again. */
struct naive {
	uint64_t live[SPACE + 1], dead[SPACE + 1];
	uint64_t then[ROUNDS][SPACE + 1]; /* `live` after each op */
};

static void take(struct naive *n, uint64_t start, uint64_t end, uint64_t begun)
{
	for (uint64_t i = 1; i <= SPACE; i++) {
		bool is_hit = 0;

		for (uint64_t k = start; k < end; k++)
			is_hit |= n->live[i] && n->live[i] == n->live[k];
		if (is_hit && (i < start || i >= end))
			n->live[i] = UINT64_MAX; /* what is left of a piece that was ended unseen */
	}
	for (uint64_t i = 1; i <= SPACE; i++)
		if (n->live[i] == UINT64_MAX)
			n->live[i] = 0;
	for (uint64_t i = start; i < end; i++) {
		uint64_t old = n->dead[i];

		for (uint64_t k = 1; old && k <= SPACE; k++)
			if (n->dead[k] == old)
				n->dead[k] = 0;
		n->live[i] = begun;
	}
}

static void give(struct naive *n, uint64_t begun)
{
	for (uint64_t i = 1; i <= SPACE; i++)
		if (n->live[i] == begun) {
			n->live[i] = 0;
			n->dead[i] = begun;
		}
}

static void assert_same(const struct sc_pieces *all, const struct naive *n)
{
	for (uint64_t i = 1; i <= SPACE; i++) {
		const struct sc_piece *live = sc_pieces_at(all, i);
		const struct sc_piece *dead = sc_pieces_dead_at(all, i);

		assert_int_equal(live ? live->begun : 0, n->live[i]);
		assert_int_equal(dead ? dead->begun : 0, n->dead[i]);
	}
}

TEST(against_owners)
{
	struct naive *n = calloc(1, sizeof(*n));
	struct sc_pieces all = {0};

	for (uint64_t op = 0; op < ROUNDS; op++) {
		uint64_t start = 1 + pick(SPACE - 20), end = start + 1 + pick(19);
		struct sc_piece *p = sc_pieces_at(&all, start);

		if (p && pick(2)) {
			give(n, p->begun);
			sc_pieces_end(&all, p, op);
		} else {
			take(n, start, end, op + 1);
			assert_non_null(sc_pieces_add(&all, start, end - start, op));
		}
		memcpy(n->then[op], n->live, sizeof(n->live));
		assert_same(&all, n);
	}
	for (uint64_t i = 1; i <= SPACE; i += 7)
		for (uint64_t op = 0; op < ROUNDS; op += 13) {
			const struct sc_piece *then = sc_pieces_former(&all, i, op);
			uint64_t owner = n->then[op][i];
			const struct sc_piece *now = sc_pieces_at(&all, i);

			if (now && now->begun == owner)
				owner = 0; /* it still has it */
			if (then && then->ended == op + 1)
				continue; /* by this op: it had it until then */
			assert_int_equal(then ? then->begun : 0, owner);
		}
	sc_pieces_fini(&all);
	free(n);
}

TEST(the_last_former_ones_are_kept)
{
	struct sc_pieces all = {0};

	for (uint64_t op = 0; op < SC_PIECES_FORMER + 2; op++)
		assert_non_null(sc_pieces_add(&all, 64, 64, op));
	assert_null(sc_pieces_former(&all, 64, 0));
	assert_non_null(sc_pieces_former(&all, 64, 1));
	assert_int_equal(sc_pieces_at(&all, 64)->begun, SC_PIECES_FORMER + 2);
	sc_pieces_fini(&all);
}

TEST(memory_ends_with_its_pieces)
{
	struct sc_pieces all = {0};

	sc_pieces_add(&all, 100, 50, 1);
	sc_pieces_end(&all, sc_pieces_add(&all, 200, 50, 2), 3);
	sc_pieces_add(&all, 300, 50, 4);
	sc_pieces_forget(&all, 100, 300);
	assert_null(sc_pieces_at(&all, 100));
	assert_null(sc_pieces_dead_at(&all, 200));
	assert_non_null(sc_pieces_at(&all, 349));
	sc_pieces_fini(&all);
}

TEST(no_piece_without_bytes)
{
	struct sc_pieces all = {0};

	assert_null(sc_pieces_add(&all, 100, 0, 1));
	assert_null(sc_pieces_add(&all, 0, 100, 1));
	assert_null(sc_pieces_add(&all, UINT64_MAX - 10, 100, 1));
	sc_pieces_fini(&all);
}
