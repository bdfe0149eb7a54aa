/* Running one op: the engines of the simulated device. */
#pragma once

#include <stdbool.h>

#include "simulator/driver/schedule/op.h"
#include "simulator/executor/executor.h"

/* Does the op's work; drops the lock while bytes move or a host function runs. A kernel that loops
 * or waits is gone on with by the next call. */
enum exec_progress sim_engine_run(struct sim_op *op);

/* True of a kernel under STREAMCHECK_SIM_KERNELS=skip if nobody looks at when it runs: it takes no
 * time. */
bool sim_engine_is_passed(const struct sim_op *op);
/* What sim_engine_run does for such a kernel. */
void sim_engine_pass(struct sim_op *op);
