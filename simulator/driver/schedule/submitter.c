/* Submitters: what the kernel says of a thread. */
#include "simulator/driver/schedule/submitter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The clock of the processor time of a thread of this process, as the kernel numbers it. */
static clockid_t clock_of(int thread)
{
	return (clockid_t)((~(unsigned int)thread << 3) | 6u);
}

/* False if the thread has ended. */
static bool get_used(int thread, uint64_t *used_ns)
{
	struct timespec used;

	if (clock_gettime(clock_of(thread), &used))
		return false;
	*used_ns = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
	return true;
}

/* How often the thread has gone to sleep, + 1, if it sleeps now; 0 if it does not, or that is not
 * known. */
static uint64_t get_sleeps(int thread)
{
	static const char count[] = "\nvoluntary_ctxt_switches:", state[] = "\nState:\tS";
	char path[64], text[4096];
	const char *found;
	ssize_t bytes;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", thread);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	bytes = read(file, text, sizeof(text) - 1);
	close(file);
	text[bytes > 0 ? bytes : 0] = '\0';
	found = strstr(text, count);
	if (!found || !strstr(text, state))
		return 0;
	return strtoull(found + strlen(count), NULL, 10) + 1;
}

void sim_submitter_init(struct sim_submitter *s)
{
	*s = (struct sim_submitter){.thread = (int)syscall(SYS_gettid)};
	if (!get_used(s->thread, &s->used_ns))
		s->thread = 0;
}

bool sim_submitter_is_away(struct sim_submitter *s, uint64_t patience_ns, bool is_late)
{
	uint64_t used_ns, sleeps;

	if (!s->thread || !get_used(s->thread, &used_ns) || used_ns - s->used_ns >= patience_ns)
		return true;
	sleeps = get_sleeps(s->thread);
	if (sleeps && (is_late || sleeps == s->sleeps))
		return true;
	s->sleeps = sleeps;
	return false;
}
