/* Judge: what fails a run, and which findings do not count: gate, budget, suppressions, baseline,
 * filters.
 */
#pragma once

#include <stdbool.h>
#include "base/option.h"
#include "base/vector.h"
#include "cmds/judge/budget.h"
#include "cmds/judge/filter.h"
#include "cmds/judge/gate.h"
#include "cmds/judge/baseline_file.h"
#include "cmds/judge/suppression.h"
#include "reports/fingerprint.h"
#include "reports/report.h"

struct sc_judge {
	const struct sc_options *options; /* borrowed */
	struct sc_gate gate;
	struct sc_budget budget;
	struct sc_suppressions suppressions;
	struct sc_filters filter;
	struct sc_knowns known;
	uint32_t today;
	bool has_work;	   /* a process used the device, in a window if it has any */
	unsigned failures; /* findings that the gate does not let pass */
	SC_VECTOR(struct sc_hidden) hidden; /* of the report at hand */
	struct sc_buf generated;	    /* suppressions for findings, if they were asked for */
};

/* Reads what the options name; unusable options or files end the tool with a sentence. */
void sc_judge_init(struct sc_judge *j, const struct sc_options *o);
void sc_judge_fini(struct sc_judge *j);
/* Takes hidden findings out of the report's analysis, puts them into the report, and judges the
 * others. `prints` are the fingerprints of all of them. */
void sc_judge_report(struct sc_judge *j, struct sc_report *r, struct sc_analysis *a,
		     struct sc_reader *reader, const struct sc_fingerprints *prints);
/* Whether the report will not show a finding: of a trace that is still read, without its baseline.
 */
bool sc_judge_hides(struct sc_judge *j, const struct sc_report *r, const struct sc_finding *f);
/* Judges a finding of a summary: what hides findings was applied when the summary was made. */
void sc_judge_row(struct sc_judge *j, unsigned rule, unsigned severity, unsigned confidence);
/* After the last report: says which budgets are passed, which suppressions are unused or expired,
 * and prints the generated ones. True if the run fails. */
bool sc_judge_finish(struct sc_judge *j);
/* True if nothing that uses the device was seen in any report. */
bool sc_judge_saw_no_cuda(const struct sc_judge *j);
