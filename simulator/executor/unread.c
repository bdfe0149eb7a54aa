/* Unread: lists of pairs in one array, by the words that they wrote. */
#include "simulator/executor/unread.h"

#include <stdlib.h>
#include <string.h>

static bool make_words(struct exec_unread *u, size_t words)
{
	if (u->first)
		return 1;
	u->first = calloc(words, sizeof(*u->first));
	u->words = u->first ? words : 0;
	return u->first != NULL;
}

static bool grow_items(struct exec_unread *u)
{
	uint32_t room = u->room ? u->room * 2 : 64;
	struct exec_unread_pair *grown = realloc(u->items, room * sizeof(*grown));

	if (!grown)
		return 0;
	u->items = grown;
	u->room = room;
	return 1;
}

/* The index + 1 of an item that is in no word's list; 0: out of memory. */
static uint32_t new_item(struct exec_unread *u)
{
	uint32_t item = u->unused;

	if (item)
		u->unused = u->items[item - 1].next;
	else if (u->count < u->room || grow_items(u))
		item = ++u->count;
	return item;
}

static struct exec_unread_pair *same_places(const struct exec_unread *u, size_t word,
					    const struct exec_watch_pair *pair)
{
	for (uint32_t i = u->first[word]; i; i = u->items[i - 1].next) {
		const struct exec_watch_pair *p = &u->items[i - 1].pair;

		if (p->first.at == pair->first.at && p->second.at == pair->second.at)
			return &u->items[i - 1];
	}
	return NULL;
}

/* Those of the word that both write, the second one another value. */
static uint8_t differing_bytes(const struct exec_watch_pair *pair)
{
	uint8_t bytes = 0;

	for (unsigned i = 0; i < pair->bytes; i++)
		if (pair->before[i] != pair->after[i])
			bytes |= (uint8_t)(1U << (pair->offset % EXEC_WATCH_WORD + i));
	return bytes & pair->first.bytes;
}

bool exec_unread_add(struct exec_unread *u, size_t words, const struct exec_watch_pair *pair)
{
	size_t word = pair->offset / EXEC_WATCH_WORD;
	struct exec_unread_pair *p;
	uint32_t item;

	if (!differing_bytes(pair))
		return 1;
	if (!make_words(u, words))
		return 0;
	p = same_places(u, word, pair);
	if (!p) {
		item = new_item(u);
		if (!item)
			return 0;
		p = &u->items[item - 1];
		*p = (struct exec_unread_pair){.next = u->first[word]};
		u->first[word] = item;
	}
	p->pair = *pair;
	p->bytes |= differing_bytes(pair);
	p->count++;
	return 1;
}

void exec_unread_drop(struct exec_unread *u, uint32_t *place)
{
	uint32_t item = *place;

	*place = u->items[item - 1].next;
	u->items[item - 1].next = u->unused;
	u->unused = item;
}

void exec_unread_clear(struct exec_unread *u)
{
	if (u->count)
		memset(u->first, 0, u->words * sizeof(*u->first));
	u->count = u->unused = 0;
}

void exec_unread_fini(struct exec_unread *u)
{
	free(u->first);
	free(u->items);
	*u = (struct exec_unread){0};
}
