/* Writing into the trace: ops, their results, names, and counts of what was left out.
 *
 * Any thread may write, and so may a signal handler: no lock is taken. After the end of the session
 * nothing is written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/gap.h"
#include "trace/writer.h"

/* An op of the calling thread, with its number, callback and time filled in. */
struct sc_op sc_put_new(enum sc_op_kind kind);
/* Fills in these three. */
void sc_put_stamp(struct sc_op *op);
/* Appends an op. Returns its sequence number, or SC_NOT_WRITTEN. */
uint64_t sc_put_op(const struct sc_op *op, const struct sc_attachment *parts, unsigned count);
/* The same for an op that only records an order: other threads need not know of such an op. */
uint64_t sc_put_order(const struct sc_op *op);
/* Appends ops that have no attachments; they are neighbours in the trace. */
void sc_put_ops(const struct sc_op *ops, unsigned count);
/* An op that was written, as it stands in the trace without what is attached; of kind NONE if it is
 * not there. */
struct sc_op sc_put_written(uint64_t sequence);
/* Replaces the pending result of an op; SC_NOT_WRITTEN is let pass. */
void sc_put_result(uint64_t sequence, int32_t result);
/* Id of a string that is written now; for the few names that are no rows. */
uint32_t sc_put_string(const char *text);
/* A host read that is written was a poll. */
void sc_put_polled(uint64_t sequence);
/* Counts what had to be left out (trace/gap.def). */
void sc_put_gap(enum sc_gap gap, uint64_t count);
/* Counts one that may have ordered something; an op says where, so that nothing found from there on
 * is proven. */
void sc_put_loss(enum sc_gap gap);
/* Marks the trace (enum sc_trace_mark). */
void sc_put_mark(uint32_t marks);
/* A SOURCE op: whether a source of events works. */
void sc_put_source(const char *name, bool works);
