/* Once: items by key. */
#include "reports/once.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/joint.h"
#include "reports/summary.h"
#include "reports/utf8.h"
#include "reports/words_coverage.h"

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

unsigned sc_once_weight(const struct sc_finding *f)
{
	_Static_assert(SC_ONCE_HIDDEN < 4 && 4 + SC_LOUD_ERROR * 4 == SC_ONCE_LOUD &&
			       SC_ONCE_LOUD + SC_PROVEN < SC_ONCE_WEIGHTS_MOST,
		       "each finding has a weight, those that are hidden the least");
	return 4 + (unsigned)sc_facts_loudness(f) * 4 + f->confidence;
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

void sc_once_take_gaps(struct sc_joint *j, const struct sc_report *r)
{
	bool is_complete = sc_analysis_complete(r->analysis);
	struct sc_once_item *item = NULL;
	struct sc_buf gaps = {0};

	if (!sc_words_gaps(&gaps, sc_analysis_coverage(r->analysis), NULL) && !is_complete)
		sc_buf_add(&gaps, "nothing was recorded");
	if (gaps.bytes)
		item = sc_once_take(&j->said, r->names, sc_fingerprint_hash(gaps.text, gaps.bytes),
				    !is_complete, 1);
	if (item)
		sc_buf_add(&item->part[0], gaps.text);
	sc_buf_fini(&gaps);
}

struct sc_once_at sc_once_begin(void)
{
	return (struct sc_once_at){.weight = SC_ONCE_WEIGHTS_MOST};
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

/* What summaries that were read add to the item, or NULL: they know which of their processes have
 * what the traces have. */
static const struct sc_summary_row *row_of(const struct sc_joint *j,
					   const struct sc_once_item *item)
{
	const uint64_t *index = NULL;

	if (item->weight > SC_ONCE_HIDDEN && sc_summary_has_read(j->all))
		index = sc_u64_map_find(&j->all->by_fingerprint, item->key);
	return index ? &j->all->rows.items[*index - 1] : NULL;
}

uint64_t sc_once_processes(const struct sc_joint *j, const struct sc_once_item *item)
{
	const struct sc_summary_row *row = row_of(j, item);

	return row ? row->processes : item->processes;
}

const struct sc_rank_set *sc_once_ranks(const struct sc_joint *j, const struct sc_once_item *item)
{
	const struct sc_summary_row *row = row_of(j, item);

	return row ? &row->ranks : &item->ranks;
}

void sc_once_where(struct sc_buf *out, const struct sc_joint *j, const struct sc_once_item *item)
{
	const struct sc_rank_set *ranks = sc_once_ranks(j, item);
	uint64_t processes = sc_once_processes(j, item);

	sc_buf_add(out, "in ");
	if (processes != sc_rank_set_count(ranks))
		sc_buf_printf(out, "%" PRIu64 " process%s%s", processes, processes == 1 ? "" : "es",
			      ranks->ranges.count ? ", " : "");
	sc_rank_set_describe(out, ranks, j->all ? &j->all->ranks : ranks);
}

void sc_once_who(struct sc_buf *out, const struct sc_joint *j, const struct sc_once_item *item)
{
	sc_once_where(out, j, item);
	sc_buf_printf(out, "; first in %" PRIu32, item->ids.items[0]);
	if (*item->command)
		sc_buf_printf(out, ": %s", item->command);
}
