/* Overlap: whether the two ops of a finding really ran at the same time in this run.
 *
 * A fact that goes with a finding and never makes or unmakes one: what CUDA does not order may
 * happen to run in order today. Host accesses are moments, device work are spans.
 */
#pragma once

#include "analyzer/run/device_time.h"
#include "analyzer/finding/finding.h"

/* Sets the finding's timing and timing_ns; first and second are its ops, NULL if not kept. */
void sc_overlap_judge(const struct sc_device_times *t, struct sc_finding *f,
		      const struct sc_record *first, const struct sc_record *second);
