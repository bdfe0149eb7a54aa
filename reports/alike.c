/* Alike: weights of findings, gaps of processes, and who has an item. */
#include "reports/alike.h"

#include <inttypes.h>
#include <stdbool.h>
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/many/summary.h"
#include "reports/words/words_coverage.h"

unsigned sc_alike_weight(const struct sc_finding *f)
{
	_Static_assert(SC_ONCE_HIDDEN < 4 && 4 + SC_LOUD_ERROR * 4 == SC_ONCE_LOUD &&
			       SC_ONCE_LOUD + SC_PROVEN < SC_ONCE_WEIGHTS,
		       "each finding has a weight, those that are hidden the least");
	return 4 + (unsigned)sc_facts_loudness(f) * 4 + f->confidence;
}

void sc_alike_take_gaps(struct sc_joint *j, const struct sc_report *r)
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

void sc_alike_take(struct sc_joint *j, const struct sc_report *r,
		   const struct sc_report_style *style,
		   void (*take)(struct sc_once_item *item, struct sc_words *w,
				const struct sc_finding *f))
{
	struct sc_fingerprints prints;
	struct sc_words words;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	sc_words_init(&words, r, style->directory);
	sc_fingerprints_init(&prints, r);
	for (size_t i = 0; i < count; i++) {
		struct sc_once_item *item = sc_once_take(&j->found, r->names, prints.items[i],
							 sc_alike_weight(&f[i]), f[i].count);

		if (!item)
			continue;
		sc_words_set_finding(&words, &f[i]);
		take(item, &words, &f[i]);
	}
	sc_fingerprints_fini(&prints);
	sc_alike_take_gaps(j, r);
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

uint64_t sc_alike_processes(const struct sc_joint *j, const struct sc_once_item *item)
{
	const struct sc_summary_row *row = row_of(j, item);

	return row ? row->processes : item->processes;
}

const struct sc_rank_set *sc_alike_ranks(const struct sc_joint *j, const struct sc_once_item *item)
{
	const struct sc_summary_row *row = row_of(j, item);

	return row ? &row->ranks : &item->ranks;
}

void sc_alike_where(struct sc_buf *out, const struct sc_joint *j, const struct sc_once_item *item)
{
	const struct sc_rank_set *ranks = sc_alike_ranks(j, item);
	uint64_t processes = sc_alike_processes(j, item);

	sc_buf_add(out, "in ");
	if (processes != sc_rank_set_count(ranks))
		sc_buf_printf(out, "%" PRIu64 " process%s%s", processes, processes == 1 ? "" : "es",
			      ranks->ranges.count ? ", " : "");
	sc_rank_set_describe(out, ranks, j->all ? &j->all->ranks : ranks);
}

void sc_alike_who(struct sc_buf *out, const struct sc_joint *j, const struct sc_once_item *item)
{
	sc_alike_where(out, j, item);
	sc_buf_printf(out, "; first in %" PRIu32, item->ids.items[0]);
	if (*item->command)
		sc_buf_printf(out, ": %s", item->command);
}
