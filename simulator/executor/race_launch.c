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

static uint32_t blocks_of_cluster(const struct exec_launch *l)
{
	return exec_cluster_extent(l, 0) * exec_cluster_extent(l, 1) * exec_cluster_extent(l, 2);
}

struct exec_race *exec_race_new(const struct exec_launch *l, uint64_t clusters)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t warps = (threads + EXEC_LANES - 1) / EXEC_LANES * blocks_of_cluster(l);
	struct exec_race *race;

	if (!l->hazards || !warps || warps > CLOCK_MOST || clusters * warps == 1)
		return NULL;
	race = calloc(1, sizeof(*race));
	if (!race)
		return NULL;
	race->launch = l;
	race->clusters = clusters;
	race->warps = warps;
	race->slots = CLOCK_MOST / warps;
	if (race->slots > clusters)
		race->slots = (uint32_t)clusters;
	else if (race->slots > WATCHED_FIRST + clusters / WATCHED_EACH + 1)
		race->slots = (uint32_t)(WATCHED_FIRST + clusters / WATCHED_EACH + 1);
	race->width = race->slots * warps;
	race->words.width = race->width * 2;
	race->left = WORDS_MOST;
	note_ways(race, l->kernel);
	for (size_t i = 0; i < l->kernel->function_count; i++)
		note_ways(race, l->kernel->functions[i]);
	race->at = calloc((size_t)race->slots * blocks_of_cluster(l), sizeof(*race->at));
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

/* The first clusters, some of the others, and the last one, which often has less to do; or all. */
static bool find_slot(const struct exec_race *race, uint64_t number, uint32_t *slot)
{
	uint64_t at = number;

	if (race->slots == race->clusters)
		at = number;
	else if (number + 1 == race->clusters)
		at = race->slots - 1;
	else if (number >= WATCHED_FIRST)
		at = number % WATCHED_EACH ? UINT64_MAX : WATCHED_FIRST - 1 + number / WATCHED_EACH;
	*slot = (uint32_t)at;
	return at < race->slots && (at + 1 < race->slots || number + 1 == race->clusters);
}

uint32_t *exec_race_new_clock(const struct exec_race *race, uint32_t count)
{
	return calloc((size_t)race->width * 2 * count, sizeof(uint32_t));
}

static void start_warps(struct exec_race_block *state, uint32_t slot)
{
	struct exec_race *race = state->race;

	state->first = slot * race->warps;
	for (uint32_t i = 0; i < race->warps; i++) {
		state->warps[i].clock = state->clocks + (size_t)i * race->width * 2;
		state->warps[i].clock[state->first + i] = 1;
		state->warps[i].clock[race->width + state->first + i] = 1;
	}
}

/* NULL: nothing of the cluster is watched, or no memory for it. */
static struct exec_race_block *new_state(const struct exec_block *b, struct exec_race *race)
{
	const struct exec_cluster *c = b->cluster;
	struct exec_race_block *state;
	uint32_t slot;
	bool is_watched = find_slot(race, c->number / c->count, &slot);

	if (!is_watched && !race->talks)
		return NULL;
	state = calloc(1, sizeof(*state) + (is_watched ? race->warps : 0) * sizeof(*state->warps));
	if (!state) {
		exec_race_give_up(race);
		return NULL;
	}
	state->race = race;
	state->words.width = race->words.width;
	state->words.near_most =
		EXEC_RACE_ROW_BYTES(b->shared_bytes) / EXEC_RACE_WORD_BYTES * c->count;
	state->is_watched = is_watched;
	if (!is_watched)
		return state;
	state->barrier_count = c->count * EXEC_ALL_BARRIERS + 2;
	state->barriers = calloc(state->barrier_count, sizeof(*state->barriers));
	state->clocks = exec_race_new_clock(race, race->warps);
	if (state->clocks && state->barriers) {
		start_warps(state, slot);
		return state;
	}
	free(state->barriers);
	free(state->clocks);
	free(state);
	exec_race_give_up(race);
	return NULL;
}

void exec_race_start(struct exec_block *b)
{
	struct exec_race *race = b->run->race;
	struct exec_race_block *state;

	exec_race_drop(b);
	if (!race || atomic_load_explicit(&race->is_over, memory_order_relaxed))
		return;
	state = b->rank ? b->cluster->blocks[0]->race : new_state(b, race);
	if (!state)
		return;
	state->refs++;
	b->race = state;
	b->sees_all = state->is_watched;
	if (state->is_watched)
		memcpy(race->at[state->first / b->warp_count + b->rank], b->at, sizeof(b->at));
}

static void free_state(struct exec_race_block *state)
{
	for (uint32_t i = 0; state->is_watched && i < state->race->warps; i++)
		for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++) {
			free(state->warps[i].fenced[s]);
			free(state->warps[i].unfenced[s]);
		}
	for (uint32_t i = 0; i < state->barrier_count; i++) {
		free(state->barriers[i].clock);
		for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
			free(state->barriers[i].fenced[s]);
	}
	exec_race_words_fini(&state->words);
	free(state->barriers);
	free(state->clocks);
	free(state);
}

void exec_race_drop(struct exec_block *b)
{
	struct exec_race_block *state = b->race;

	b->race = NULL;
	b->sees_all = 0;
	if (state && !--state->refs)
		free_state(state);
}
