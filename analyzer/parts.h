/* What an analysis of a trace that is written meanwhile, or of which a part was given back, is told
 * besides (extensions/live, cmds/files/follower_findings.h).
 */
#pragma once

#include <stddef.h>
#include "analyzer/analysis.h"

/* A record that comes later, and is about one that was not read yet: which bytes a launch touched
 * (needs_ahead). Only with settings.gives_back. */
void sc_analysis_foresee(struct sc_analysis *a, const struct sc_record *r);
/* A finding that an earlier analysis of the trace had, in a part that is gone since, with copies of
 * the `count` records that it refers to: before sc_analysis_end. Where this analysis has the same
 * finding, the surer one and the higher count stay. */
void sc_analysis_adopt(struct sc_analysis *a, const struct sc_finding *f,
		       const struct sc_record *records, size_t count);
/* A part of the trace was judged by that earlier analysis only. */
void sc_analysis_note_cut(struct sc_analysis *a, const struct sc_judged_part *cut);
/* Makes the records that a finding refers to known to sc_analysis_record. */
void sc_analysis_fetch(struct sc_analysis *a, const struct sc_finding *f);
