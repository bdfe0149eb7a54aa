/* Words by which threads notify each other: a table of clocks by addresses. */
#include "simulator/executor/race_words.h"

#include <stdlib.h>

#define WORD_BYTES 8	/* barriers in memory have as many */
#define WORDS_MOST 4096 /* more share one clock */
#define ANY_WORD   UINT64_MAX

struct exec_race_word {
	uint64_t key;	 /* address / WORD_BYTES + 1; 0: free */
	uint32_t *clock; /* owned */
};

static struct exec_race_word *place_of(struct exec_race_word *table, size_t room, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (room - 1);

	while (table[i].key && table[i].key != key)
		i = (i + 1) & (room - 1);
	return &table[i];
}

const uint32_t *exec_race_words_find(const struct exec_race_words *words, uint64_t address)
{
	const struct exec_race_word *w;

	if (!words->room)
		return NULL;
	w = place_of(words->table, words->room, address / WORD_BYTES + 1);
	if (!w->key)
		w = place_of(words->table, words->room, ANY_WORD);
	return w->clock;
}

static int grow(struct exec_race_words *words)
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

uint32_t *exec_race_words_get(struct exec_race_words *words, uint64_t address, uint32_t width)
{
	uint64_t key = address / WORD_BYTES + 1;
	struct exec_race_word *w;

	if (words->count * 2 >= words->room && !grow(words))
		return NULL;
	w = place_of(words->table, words->room, key);
	if (!w->key && words->count >= WORDS_MOST) {
		key = ANY_WORD;
		w = place_of(words->table, words->room, key);
	}
	if (w->key)
		return w->clock;
	w->clock = calloc(width, sizeof(*w->clock));
	if (!w->clock)
		return NULL;
	w->key = key;
	words->count++;
	return w->clock;
}

void exec_race_words_fini(struct exec_race_words *words)
{
	for (size_t i = 0; i < words->room; i++)
		free(words->table[i].clock);
	free(words->table);
	words->table = NULL;
	words->room = 0;
	words->count = 0;
}
