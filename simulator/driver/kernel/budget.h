/* The budget of launches: how long one may run (--sim-kernels=budget:SECONDS).
 *
 * A launch that takes longer is given up: it ends, well, with what it has done so far, and counts
 * as not executed. With 0 seconds no launch begins.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sim_tally;

/* Without it there is no budget. */
void sim_budget_set(uint64_t seconds);

/* True if no launch begins. */
bool sim_budget_is_none(void);

/* A launch that began then has used up its budget. *wake_ns becomes at most when it will have. */
bool sim_budget_is_over(uint64_t begun_ns, uint64_t now_ns, uint64_t *wake_ns);

/* The counter of launches of a kernel that were given up, which `say` names once. Expects
 * the lock held. NULL: out of memory. */
struct sim_tally *sim_budget_tally(const char *kernel, void (*say)(const char *line, int length));
