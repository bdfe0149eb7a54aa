/* Memory whose synchronous copies and fills hold the host: SYNC_MEMOPS (4.2 note 3).
 *
 * A program sets the attribute by cuPointerSetAttribute. From then on the recorder marks the
 * synchronous calls that touch such an allocation. If the recorder does not know the allocation,
 * nothing is marked: the analyzer then takes all synchronous calls to hold the host.
 */
#pragma once

#include "interposer/call/call.h"

/* Marks a synchronous call that touches such memory. */
void sc_sync_memops_mark(struct sc_op *op);
