/* Watching global memory: which blocks of a launch are watched, and what is kept of them. */
#include "simulator/executor/race.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/race_state.h"

#define CLOCK_MOST    256 /* warps that are watched: a use has eight bits for one */
#define WATCHED_FIRST 8
#define WATCHED_EACH  16
#define WORDS_MOST    (UINT64_C(1) << 20) /* of accesses of a launch */

/* ---- a launch ---- */

/* The ways by which its threads may notify each other. */
static void note_ways(struct exec_race *race, const struct exec_kernel *k)
{
	race->has_flags |= k->polls;
	race->talks |= k->talks;
	for (size_t i = 0; k->talks && i < k->code_count; i++)
		race->has_narrow |= (k->code[i].order & EXEC_ORDER_BLOCK) != 0;
}

struct exec_race *exec_race_new(const struct exec_launch *l, uint64_t blocks)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t warps = (threads + EXEC_LANES - 1) / EXEC_LANES;
	struct exec_race *race;

	if (!l->hazards || l->cluster[0] || !warps || blocks * warps == 1)
		return NULL;
	race = calloc(1, sizeof(*race));
	if (!race)
		return NULL;
	race->launch = l;
	race->blocks = blocks;
	race->warps = warps;
	race->slots = warps * 2 > CLOCK_MOST ? 2 : CLOCK_MOST / warps;
	if (race->slots > race->blocks)
		race->slots = (uint32_t)race->blocks;
	else if (race->slots > WATCHED_FIRST + race->blocks / WATCHED_EACH + 1)
		race->slots = (uint32_t)(WATCHED_FIRST + race->blocks / WATCHED_EACH + 1);
	race->width = race->slots * warps;
	race->words.width = race->width * 2;
	race->left = WORDS_MOST;
	note_ways(race, l->kernel);
	for (size_t i = 0; i < l->kernel->function_count; i++)
		note_ways(race, l->kernel->functions[i]);
	race->at = calloc(race->slots, sizeof(*race->at));
	race->locks = calloc(race->width, sizeof(*race->locks));
	if (race->at && race->locks)
		return race;
	free(race->at);
	free(race->locks);
	free(race);
	return NULL;
}

void exec_race_end(struct exec_race *race)
{
	if (!race)
		return;
	exec_hazards_join(race->launch->hazards, &race->hazards);
	exec_race_cells_fini(&race->cells);
	exec_race_words_fini(&race->words);
	free(race->at);
	free(race->locks);
	free(race);
}

void exec_race_give_up(struct exec_race *race)
{
	atomic_store_explicit(&race->is_over, 1, memory_order_relaxed);
}

/* ---- a block ---- */

/* The first blocks, some of the others, and the last one, which often has less to do; or all. */
static bool find_slot(const struct exec_race *race, uint64_t number, uint32_t *slot)
{
	uint64_t at = number;

	if (race->slots == race->blocks)
		at = number;
	else if (number + 1 == race->blocks)
		at = race->slots - 1;
	else if (number >= WATCHED_FIRST)
		at = number % WATCHED_EACH ? UINT64_MAX : WATCHED_FIRST - 1 + number / WATCHED_EACH;
	*slot = (uint32_t)at;
	return at < race->slots && (at + 1 < race->slots || number + 1 == race->blocks);
}

uint32_t *exec_race_new_clock(const struct exec_race *race, uint32_t count)
{
	return calloc((size_t)race->width * 2 * count, sizeof(uint32_t));
}

static void start_warps(struct exec_block *b, struct exec_race_block *state, uint32_t slot)
{
	struct exec_race *race = state->race;

	state->first = slot * race->warps;
	memcpy(race->at[slot], b->at, sizeof(b->at));
	for (uint32_t i = 0; i < race->warps; i++) {
		state->warps[i].clock = state->clocks + (size_t)i * race->width * 2;
		state->warps[i].clock[state->first + i] = 1;
		state->warps[i].clock[race->width + state->first + i] = 1;
	}
}

void exec_race_start(struct exec_block *b)
{
	struct exec_race *race = b->run->race;
	struct exec_race_block *state;
	uint32_t slot;
	bool is_watched;

	exec_race_drop(b);
	if (!race || atomic_load_explicit(&race->is_over, memory_order_relaxed))
		return;
	is_watched = find_slot(race, b->cluster->number, &slot);
	if (!is_watched && !race->talks)
		return;
	state = calloc(1, sizeof(*state) + (is_watched ? race->warps : 0) * sizeof(*state->warps));
	if (state && is_watched)
		state->clocks = exec_race_new_clock(race, race->warps);
	if (!state || (is_watched && !state->clocks)) {
		free(state);
		exec_race_give_up(race);
		return;
	}
	state->race = race;
	state->words.width = race->words.width;
	state->words.near_most =
		(b->shared_bytes + EXEC_RACE_WORD_BYTES - 1) / EXEC_RACE_WORD_BYTES;
	state->is_watched = is_watched;
	b->race = state;
	b->sees_all = is_watched;
	if (is_watched)
		start_warps(b, state, slot);
}

void exec_race_drop(struct exec_block *b)
{
	struct exec_race_block *state = b->race;

	b->race = NULL;
	b->sees_all = 0;
	if (!state)
		return;
	for (uint32_t i = 0; state->is_watched && i < state->race->warps; i++)
		for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++) {
			free(state->warps[i].fenced[s]);
			free(state->warps[i].unfenced[s]);
		}
	for (unsigned i = 0; i < EXEC_ALL_BARRIERS; i++) {
		free(state->barriers[i]);
		for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
			free(state->fenced[i][s]);
	}
	exec_race_words_fini(&state->words);
	free(state->clocks);
	free(state);
}
