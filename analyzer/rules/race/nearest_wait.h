/* The nearest wait: how far the last ordering before a race reached, and what would have been
 * enough.
 *
 * Of the waits that the later side's time line made between the two ops, the nearest miss is the
 * one to show: a wait for an event that was recorded too late says more than a wait for something
 * else (15.0).
 */
#pragma once

#include "analyzer/finding/finding.h"
#include "analyzer/order/order.h"
#include "analyzer/memory/touch.h"

/* Fills reach, reach_op, reach_record and the fix of a race between two notes. Returns the cause
 * rule that the nearest miss stands for, or 0. */
unsigned sc_nearest_wait_explain(struct sc_order *o, const struct sc_note *a,
				 const struct sc_note *b, struct sc_finding *f);
