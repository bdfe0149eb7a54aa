/* Efforts, and the threads that help. */
#include "simulator/driver/schedule/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "simulator/driver/schedule/worker.h"

#define MOST_WORKERS 64
#define LARGE	     100000u   /* instructions of warps, roughly, that are worth waking the crew */
#define SLICE_NS     10000000u /* of an effort whose blocks loop */

struct sim_effort {
	struct exec_job *job;
	struct exec_run *idle[MOST_WORKERS]; /* a ring: nobody works on them */
	unsigned first_idle, idle_count;
	uint64_t helpers; /* of the crew, that are worth waking */
	unsigned runs;	  /* that have not ended */
	unsigned working; /* threads */
	unsigned polls;	  /* turns, one after the other, in which a run did nothing but poll */
	uint64_t slice_end_ns;
	bool is_offered;
	pthread_cond_t changed;
	struct sim_effort *next; /* of those that are offered to the crew */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct sim_effort *offers;
	unsigned workers; /* threads that run one kernel, the device's worker among them */
	bool is_started;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .workers = 1};

void sim_crew_init(void)
{
	const char *text = getenv("STREAMCHECK_SIM_WORKERS");
	cpu_set_t allowed;
	long workers = 0;

	if (text && *text)
		workers = strtol(text, NULL, 10);
	if (workers <= 0 && !sched_getaffinity(0, sizeof(allowed), &allowed))
		workers = CPU_COUNT(&allowed);
	if (workers < 1)
		workers = 1;
	crew.workers = workers < MOST_WORKERS ? (unsigned)workers : MOST_WORKERS;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- runs of an effort, under the lock ---- */

static void put_idle(struct sim_effort *e, struct exec_run *run)
{
	e->idle[(e->first_idle + e->idle_count++) % MOST_WORKERS] = run;
}

/* A run that looped, or a new one for blocks that nobody has taken; NULL: nothing to do. */
static struct exec_run *next_run(struct sim_effort *e)
{
	struct exec_run *run;

	if (e->idle_count) {
		run = e->idle[e->first_idle];
		e->first_idle = (e->first_idle + 1) % MOST_WORKERS;
		e->idle_count--;
		return run;
	}
	if (e->runs >= crew.workers || !exec_job_has_blocks(e->job))
		return NULL;
	run = exec_run_new(e->job);
	e->runs += run != NULL;
	return run;
}

static void work_on(struct sim_effort *e, struct exec_run *run)
{
	enum exec_progress progress;

	e->working++;
	pthread_mutex_unlock(&crew.lock);
	progress = exec_run_work(run);
	if (progress == EXEC_ENDED)
		exec_run_free(run);
	pthread_mutex_lock(&crew.lock);
	e->working--;
	e->polls = progress == EXEC_POLLS ? e->polls + 1 : 0;
	if (progress == EXEC_ENDED)
		e->runs--;
	else
		put_idle(e, run);
	pthread_cond_signal(&e->changed);
}

/* ---- the crew ---- */

static void offer(struct sim_effort *e)
{
	struct sim_effort **last = &crew.offers;
	uint64_t i;

	if (!crew.is_started || !e->helpers)
		return;
	while (*last)
		last = &(*last)->next;
	e->next = NULL;
	*last = e;
	e->is_offered = true;
	for (i = 0; i < e->helpers; i++)
		pthread_cond_signal(&crew.wake);
}

static void withdraw(struct sim_effort *e)
{
	struct sim_effort **at = &crew.offers;

	if (!e->is_offered)
		return;
	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	e->is_offered = false;
}

static void *help_forever(void *unused)
{
	struct sim_effort *e;
	struct exec_run *run;

	(void)unused;
	pthread_mutex_lock(&crew.lock);
	for (;;) {
		run = NULL;
		for (e = crew.offers; e && !run; e = run ? e : e->next)
			run = next_run(e);
		if (run)
			work_on(e, run);
		else
			pthread_cond_wait(&crew.wake, &crew.lock);
	}
	return NULL;
}

void sim_crew_prepare(const struct exec_launch *launch)
{
	unsigned i;

	if (crew.is_started || crew.workers < 2 || !exec_launch_is_large(launch, LARGE))
		return;
	for (i = 1; i < crew.workers; i++)
		if (!sim_worker_start(help_forever, NULL))
			break;
	pthread_mutex_lock(&crew.lock);
	crew.is_started = true;
	pthread_mutex_unlock(&crew.lock);
}

/* ---- efforts ---- */

static uint64_t helpers_for(const struct exec_launch *launch)
{
	uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];

	if (!exec_launch_is_large(launch, LARGE))
		return 0;
	return blocks < crew.workers ? blocks - 1 : crew.workers - 1;
}

struct sim_effort *sim_effort_new(const struct exec_launch *launch)
{
	struct sim_effort *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->job = exec_job_new(launch);
	if (!e->job) {
		free(e);
		return NULL;
	}
	pthread_cond_init(&e->changed, NULL);
	e->helpers = helpers_for(launch);
	return e;
}

/* All its runs wait, or others should have their turn. */
static bool gives_way(const struct sim_effort *e)
{
	return e->runs && (e->polls >= 2 * e->runs || now_ns() >= e->slice_end_ns);
}

enum exec_progress sim_effort_work(struct sim_effort *e)
{
	enum exec_progress progress = EXEC_ENDED;
	struct exec_run *run;

	pthread_mutex_lock(&crew.lock);
	e->polls = 0;
	e->slice_end_ns = now_ns() + SLICE_NS;
	offer(e);
	while ((run = next_run(e)) || e->working) {
		if (run)
			work_on(e, run);
		else
			pthread_cond_wait(&e->changed, &crew.lock);
		if (gives_way(e))
			break;
	}
	withdraw(e);
	exec_job_pause(e->job, true);
	while (e->working)
		pthread_cond_wait(&e->changed, &crew.lock);
	exec_job_pause(e->job, false);
	if (e->runs)
		progress = e->polls >= e->runs ? EXEC_POLLS : EXEC_LOOPS;
	pthread_mutex_unlock(&crew.lock);
	return progress;
}

void sim_effort_free(struct sim_effort *e, struct exec_outcome *outcome)
{
	unsigned i;

	for (i = 0; i < e->idle_count; i++)
		exec_run_free(e->idle[(e->first_idle + i) % MOST_WORKERS]);
	exec_job_free(e->job, outcome);
	pthread_cond_destroy(&e->changed);
	free(e);
}
