/* One analysis: a trace in, findings out. No output, no globals, no environment.
 *
 * Deterministic: the same trace and settings give the same findings in the same order: proven,
 * likely, possible, possible for want of a kernel's code, advice, then those that other processes
 * of the run have to do with; by severity, time lost, position.
 * Everything lives until sc_analysis_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analyzer/model/coverage.h"
#include "analyzer/model/failed_call.h"
#include "analyzer/finding/findings.h"
#include "analyzer/kernel/kernel_tally.h"
#include "analyzer/run/device_time.h"
#include "analyzer/run/stall.h"
#include "analyzer/finding/settings.h"
#include "trace/reader.h"

struct sc_analysis; /* opaque */

/* Runs all rules over the reader's trace (from its start). Returns 0 or -ENOMEM. */
int sc_analysis_run(struct sc_analysis **out, struct sc_reader *r,
		    const struct sc_analysis_settings *settings);
void sc_analysis_free(struct sc_analysis *a);

/* The same in steps, of a trace that is still written (sc_reader_set_end, settings.is_live). NULL:
 * no memory. */
struct sc_analysis *sc_analysis_begin(struct sc_reader *r,
				      const struct sc_analysis_settings *settings);
/* Reads as far as the reader goes now. Findings come in order of appearance; a later one may still
 * make one surer. */
void sc_analysis_read_on(struct sc_analysis *a);
/* The trace has ended: what sc_analysis_run does at its end. Once, before sc_analysis_free. */
void sc_analysis_end(struct sc_analysis *a);

/* True if it read no further than settings.stops_below says; only good for being freed, after
 * its end. */
bool sc_analysis_is_stopped(const struct sc_analysis *a);

const struct sc_finding *sc_analysis_findings(const struct sc_analysis *a, size_t *count);
/* Makes one finding of those with the same key, by the findings' order. Once, after the end. */
void sc_analysis_merge(struct sc_analysis *a, const struct sc_finding_key *keys);
/* The findings as they were before that, with the numbers of those that they belong to now. */
const struct sc_finding *sc_analysis_members(const struct sc_analysis *a, size_t *count);
/* Asks for every finding, in order; those that are not wanted are not in sc_analysis_findings
 * afterwards. A caller that wants to keep such findings copies them when asked; their ops stay
 * known to sc_analysis_record. */
void sc_analysis_take_out(struct sc_analysis *a,
			  bool (*is_wanted)(void *context, size_t index,
					    const struct sc_finding *f),
			  void *context);
/* What other processes of the run have to do with a finding; NULL: nothing. Borrowed. */
const char *sc_analysis_remark(const struct sc_analysis *a, const struct sc_finding *f);
/* How many operations came later than a kernel in flight that may wait for a word of theirs, less
 * the host functions that ran when the host waited for them: with an edit that makes this less,
 * something may wait for ever. */
int64_t sc_analysis_answers(const struct sc_analysis *a);
const struct sc_coverage *sc_analysis_coverage(const struct sc_analysis *a);
/* Why the bytes of a side are not exact, from its `reason`. */
const char *sc_analysis_reason_text(unsigned reason);
/* The reason that the program gave for hiding a finding; NULL: the finding is not hidden. */
const char *sc_analysis_suppression_reason(const struct sc_analysis *a, const struct sc_finding *f);
/* True if nothing hides a finding: something was recorded, nothing lost, damaged or cut off. */
bool sc_analysis_complete(const struct sc_analysis *a);
/* The op record to which a finding refers by this sequence number, with its attachments; NULL for
 * any other number. */
const struct sc_record *sc_analysis_record(const struct sc_analysis *a, uint64_t sequence);
/* When the device worked on what; empty without device times. */
const struct sc_device_times *sc_analysis_times(const struct sc_analysis *a);
/* The `stall_count` streams that the line of a finding held up, the longest first. Borrowed. */
const struct sc_stall *sc_analysis_stalls(const struct sc_analysis *a, const struct sc_finding *f);
/* The program's own ranges around an op of a finding, "epoch 3 > forward", or NULL. */
const char *sc_analysis_section(const struct sc_analysis *a, uint64_t sequence);
/* The library's function that made this launch, or the one that became this node, and whose
 * operands are documented, or "". */
const char *sc_analysis_function(const struct sc_analysis *a, const struct sc_record *launch);
/* True if the program ran with other allocators than its own (--allocators=visible). */
bool sc_analysis_has_exchanged(const struct sc_analysis *a);
/* How the kernels were known, by first launch. */
const struct sc_kernel_tally *sc_analysis_kernels(const struct sc_analysis *a, size_t *count);
/* The calls that failed, by their first; sc_analysis_record has its record. */
const struct sc_failed_call *sc_analysis_failed_calls(const struct sc_analysis *a, size_t *count);
/* SOURCE, LOST and LAUNCHES ops, in order, for the first lines of the report. */
const struct sc_record *sc_analysis_notes(const struct sc_analysis *a, size_t *count);
