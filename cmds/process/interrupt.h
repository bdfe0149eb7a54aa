/* Interrupt: signals that come while the traces of a run are analyzed. */
#pragma once

#include "cmds/process/child.h"

/* From now on a signal that asks this process to end does so after saying that the traces in
 * `folder` are kept; but one that the program had got comes once more without effect, because it is
 * sent twice where it is sent to a group of processes. Opens the mask that sc_child_run left. */
void sc_interrupt_begin(const struct sc_child_end *end, const char *folder);
