/* Words by which threads notify each other: a table of notices by addresses. */
#include "simulator/executor/race_words.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 4096 /* more share one notice */
#define ANY_WORD   UINT64_MAX

struct exec_race_word {
	uint64_t key; /* number of the word + 1; 0: free */
	struct exec_race_notice *notice;
};

/* ---- notices ---- */

struct exec_race_notice *exec_race_notice_new(const struct exec_race_words *words, uint32_t warp,
					      const uint32_t *clock)
{
	size_t bytes = words->width * sizeof(*clock);
	struct exec_race_notice *n = malloc(sizeof(*n) + bytes);

	if (!n)
		return NULL;
	n->refs = 1;
	n->from = warp;
	n->time = clock[warp];
	n->orders_writes = 1;
	memcpy(n->clock, clock, bytes);
	return n;
}

/* One to join others into, which says the same as `old`; NULL: nothing. */
static struct exec_race_notice *new_joint(const struct exec_race_words *words,
					  const struct exec_race_notice *old)
{
	size_t bytes = words->width * sizeof(uint32_t);
	struct exec_race_notice *n = calloc(1, sizeof(*n) + bytes);

	if (!n)
		return NULL;
	n->refs = 1;
	if (old)
		memcpy(n->clock, old->clock, bytes);
	n->orders_writes = old && old->orders_writes;
	return n;
}

void exec_race_notice_put(struct exec_race_notice *notice)
{
	if (notice && !--notice->refs)
		free(notice);
}

/* ---- words ---- */

static struct exec_race_word *place_of(struct exec_race_word *table, size_t room, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (room - 1);

	while (table[i].key && table[i].key != key)
		i = (i + 1) & (room - 1);
	return &table[i];
}

const struct exec_race_notice *exec_race_words_find_far(const struct exec_race_words *words,
							uint64_t address)
{
	uint64_t key = address / EXEC_RACE_WORD_BYTES + 1;
	const struct exec_race_word *w = place_of(words->table, words->room, key);

	if (!w->key)
		w = place_of(words->table, words->room, ANY_WORD);
	return w->notice;
}

static bool grow(struct exec_race_words *words)
{
	size_t room = words->room ? words->room * 2 : 16;
	struct exec_race_word *grown = calloc(room, sizeof(*grown));

	if (!grown)
		return 0;
	for (size_t i = 0; i < words->room; i++)
		if (words->table[i].key)
			*place_of(grown, room, words->table[i].key) = words->table[i];
	free(words->table);
	words->table = grown;
	words->room = room;
	return 1;
}

static struct exec_race_notice **far_place(struct exec_race_words *words, uint64_t number)
{
	uint64_t key = number + 1;
	struct exec_race_word *w;

	if (words->count * 2 >= words->room && !grow(words))
		return NULL;
	w = place_of(words->table, words->room, key);
	if (!w->key && words->count >= WORDS_MOST) {
		key = ANY_WORD;
		w = place_of(words->table, words->room, key);
	}
	w->key = key;
	return &w->notice;
}

/* Where the notice of that address is, or would be. NULL: out of memory. */
static struct exec_race_notice **notice_place(struct exec_race_words *words, uint64_t address)
{
	uint64_t number = address / EXEC_RACE_WORD_BYTES;

	if (number >= words->near_most)
		return far_place(words, number);
	if (!words->near) {
		words->near = calloc(words->near_most, sizeof(*words->near));
		words->near_count = words->near ? words->near_most : 0;
	}
	return words->near ? &words->near[number] : NULL;
}

static void set(struct exec_race_words *words, struct exec_race_notice **place,
		struct exec_race_notice *notice)
{
	if (!*place)
		atomic_fetch_add_explicit(&words->count, 1, memory_order_release);
	exec_race_notice_put(*place);
	*place = notice;
}

/* The place gets a notice that no other word has. */
static bool separate(struct exec_race_words *words, struct exec_race_notice **place)
{
	struct exec_race_notice *old = *place, *own;

	if (!old || old->refs > 1) {
		own = new_joint(words, old);
		if (!own)
			return 0;
		set(words, place, own);
	}
	(*place)->time = UINT32_MAX;
	return 1;
}

bool exec_race_words_join(struct exec_race_words *words, uint64_t address,
			  struct exec_race_notice *notice)
{
	struct exec_race_notice **place = notice_place(words, address);

	if (!place)
		return 0;
	if (!*place || exec_race_knows(notice->clock, *place)) {
		notice->refs++;
		set(words, place, notice);
		return 1;
	}
	if (*place == notice)
		return 1;
	if (!separate(words, place))
		return 0;
	exec_clock_join((*place)->clock, notice->clock, words->width);
	(*place)->orders_writes |= notice->orders_writes;
	return 1;
}

struct exec_race_notice *exec_race_words_own(struct exec_race_words *words, uint64_t address)
{
	struct exec_race_notice **place = notice_place(words, address);

	return place && separate(words, place) ? *place : NULL;
}

void exec_race_words_fini(struct exec_race_words *words)
{
	for (size_t i = 0; i < words->near_count; i++)
		exec_race_notice_put(words->near[i]);
	for (size_t i = 0; i < words->room; i++)
		exec_race_notice_put(words->table[i].notice);
	free(words->near);
	free(words->table);
	words->near = NULL;
	words->near_count = 0;
	words->table = NULL;
	words->room = 0;
	words->count = 0;
}
