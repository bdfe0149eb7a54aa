/* A plan of repair with its text: what `repair` prints, and what reports say of it. */
#pragma once

#include <stdbool.h>
#include "extensions/repair/planner/repair.h"
#include "extensions/repair/repair.h"
#include "extensions/repair/patcher/edit_text.h"
#include "cmds/judge/own_code.h"

/* Records that a plan may read: some seconds. */
#define SC_PLAN_RECORDS UINT64_C(20000000)

struct sc_plan_texts {
	struct sc_repair repair;
	SC_VECTOR(struct sc_edit_text) texts;  /* one for each edit */
	SC_VECTOR(struct sc_edit_text) others; /* one for each of the plan's others */
	struct sc_own own;
	struct sc_words words;
	size_t findings; /* but advice */
};

/* The report is borrowed as long as the plan is used. */
void sc_plan_texts_make(struct sc_plan_texts *p, const struct sc_report *r,
			const struct sc_options *options, uint64_t most_records);
void sc_plan_texts_fini(struct sc_plan_texts *p);
/* Appends why the plan leaves a finding, by its index: "the first may wait for what comes there".
 */
void sc_plan_add_reason(struct sc_buf *out, const struct sc_repair *r, size_t finding);
/* Appends "2 edits end 5 of these 6 findings". */
void sc_plan_summary(struct sc_buf *out, const struct sc_plan_texts *p);
