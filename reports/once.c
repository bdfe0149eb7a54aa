/* Once: items by key. */
#include "reports/once.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "reports/utf8.h"

#define COMMAND_COLUMNS 120

void sc_once_fini(struct sc_once *o)
{
	for (size_t i = 0; i < o->items.count; i++) {
		for (unsigned k = 0; k < SC_ONCE_PARTS; k++)
			sc_buf_fini(&o->items.items[i].part[k]);
		sc_rank_set_fini(&o->items.items[i].ranks);
		sc_vector_fini(&o->items.items[i].ids);
		free(o->items.items[i].command);
	}
	sc_vector_fini(&o->items);
	sc_u64_map_fini(&o->by_key);
}

static void count_process(struct sc_once_item *item, const struct sc_names *names)
{
	if (item->ids.count < SC_ONCE_PROCESSES)
		sc_vector_push(&item->ids, names->process);
	if (names->rank >= 0)
		sc_rank_set_add(&item->ranks, (uint32_t)names->rank, (uint32_t)names->rank);
	item->processes++;
}

static struct sc_once_item *add(struct sc_once *o, const struct sc_names *names, uint64_t key)
{
	struct sc_once_item *item = sc_vector_add(&o->items);
	struct sc_buf command = {0};

	sc_utf8_add_cut(&command, names->command, COMMAND_COLUMNS);
	*item = (struct sc_once_item){
		.key = key, .rank = names->rank, .command = sc_buf_take(&command)};
	return item;
}

struct sc_once_item *sc_once_take(struct sc_once *o, const struct sc_names *names, uint64_t key,
				  unsigned weight, uint64_t count)
{
	uint64_t *index = sc_u64_map_get(&o->by_key, key);
	bool is_new = !*index;
	struct sc_once_item *item = is_new ? add(o, names, key) : &o->items.items[*index - 1];

	*index = (uint64_t)(item - o->items.items) + 1;
	count_process(item, names);
	item->count += count;
	if (!is_new && weight <= item->weight)
		return NULL;
	item->weight = weight;
	for (unsigned i = 0; i < SC_ONCE_PARTS; i++)
		sc_buf_clear(&item->part[i]);
	return item;
}

struct sc_once_at sc_once_begin(void)
{
	return (struct sc_once_at){.weight = SC_ONCE_WEIGHTS};
}

const struct sc_once_item *sc_once_next(const struct sc_once *o, struct sc_once_at *at)
{
	for (;;) {
		for (; at->index < o->items.count; at->index++)
			if (o->items.items[at->index].weight == at->weight)
				return &o->items.items[at->index++];
		if (!at->weight)
			return NULL;
		at->weight--;
		at->index = 0;
	}
}
