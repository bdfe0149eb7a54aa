/* Cells: a table of pages by their numbers. */
#include "simulator/executor/race_cells.h"

#include <stdlib.h>

#define PAGES_MOST 8192 /* 92 MB, for 8 MB of memory */

static struct exec_race_page **place_of(struct exec_race_page **table, size_t room, uint64_t number)
{
	size_t at = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (room - 1);

	while (table[at] && table[at]->number != number)
		at = (at + 1) & (room - 1);
	return &table[at];
}

static bool grow(struct exec_race_cells *c)
{
	size_t room = c->room ? c->room * 2 : 64;
	struct exec_race_page **grown = calloc(room, sizeof(struct exec_race_page *));

	if (!grown)
		return 0;
	for (size_t i = 0; i < c->room; i++)
		if (c->table[i])
			*place_of(grown, room, c->table[i]->number) = c->table[i];
	free(c->table);
	c->table = grown;
	c->room = room;
	return 1;
}

static struct exec_race_page *page_of(struct exec_race_cells *c, uint64_t number)
{
	struct exec_race_page **place;

	if (c->count * 2 >= c->room && !grow(c))
		return NULL;
	place = place_of(c->table, c->room, number);
	if (!*place && c->count < PAGES_MOST) {
		*place = calloc(1, sizeof(**place));
		if (!*place)
			return NULL;
		(*place)->number = number;
		c->count++;
	}
	return *place;
}

void exec_race_cells_turn(struct exec_race_cells *c, uint64_t number)
{
	c->last = page_of(c, number);
}

void exec_race_cells_fini(struct exec_race_cells *c)
{
	for (size_t i = 0; i < c->room; i++)
		free(c->table[i]);
	free(c->table);
	*c = (struct exec_race_cells){0};
}
