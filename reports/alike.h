/* Alike: findings and gaps that processes of a run have alike, as items of a joint (once.h), in
 * words.
 */
#pragma once

#include <stdint.h>
#include "reports/many/joint.h"

struct sc_finding;
struct sc_report;
struct sc_report_style;
struct sc_words;

/* What a finding that is reported weighs: the louder and the surer, the more. */
unsigned sc_alike_weight(const struct sc_finding *f);
/* Takes what of a process was not seen into joint->said: the words are part 0; the item weighs 1 if
 * the process is incomplete for it, else 0. */
void sc_alike_take_gaps(struct sc_joint *j, const struct sc_report *r);
/* Takes all findings that are reported into joint->found: `take` is given the item of each that
 * comes to say it, and words of which it is the reported one. And the gaps. */
void sc_alike_take(struct sc_joint *j, const struct sc_report *r,
		   const struct sc_report_style *style,
		   void (*take)(struct sc_once_item *item, struct sc_words *w,
				const struct sc_finding *f));
/* The processes of an item, those of summaries included if it is a finding that is reported. */
uint64_t sc_alike_processes(const struct sc_joint *j, const struct sc_once_item *item);
const struct sc_rank_set *sc_alike_ranks(const struct sc_joint *j, const struct sc_once_item *item);
/* Appends "in 30 processes", or "in ranks 0-7 except 3": no process ids, which differ from run to
 * run. */
void sc_alike_where(struct sc_buf *out, const struct sc_joint *j, const struct sc_once_item *item);
/* The same and the first process, by its id and command line: "…; first in 4711: ./app". */
void sc_alike_who(struct sc_buf *out, const struct sc_joint *j, const struct sc_once_item *item);
