/* The budget of launches: how long one may run. */
#include "simulator/driver/kernel/budget.h"

#include <stdio.h>
#include <string.h>

#include "simulator/driver/kernel/tally.h"

#define NS_OF_SECOND 1000000000u
#define SECONDS_MOST (UINT64_C(1) << 32)

/* Set before the first launch. */
static struct {
	bool is_set;
	uint64_t seconds;
} budget;

void sim_budget_set(uint64_t seconds)
{
	budget.is_set = true;
	budget.seconds = seconds < SECONDS_MOST ? seconds : SECONDS_MOST;
}

bool sim_budget_is_none(void)
{
	return budget.is_set && !budget.seconds;
}

bool sim_budget_is_over(uint64_t begun_ns, uint64_t now_ns, uint64_t *wake_ns)
{
	uint64_t end_ns = begun_ns + budget.seconds * NS_OF_SECOND;

	if (!budget.is_set)
		return false;
	if (now_ns < end_ns && end_ns < *wake_ns)
		*wake_ns = end_ns;
	return now_ns >= end_ns;
}

struct sim_tally *sim_budget_tally(const char *kernel, void (*say)(const char *line, int length))
{
	struct sim_tally *tally;
	char why[128], line[512];

	snprintf(why, sizeof(why), "given up after %llu s, as --sim-kernels=budget:%llu asks",
		 (unsigned long long)budget.seconds, (unsigned long long)budget.seconds);
	tally = sim_tally_of_given_up(kernel, why);
	if (tally && sim_tally_name_once(tally))
		say(line, snprintf(line, sizeof(line),
				   "simulated device: kernel %.200s is %s; what the program "
				   "computes from here on is not its own\n",
				   kernel, why));
	return tally;
}
