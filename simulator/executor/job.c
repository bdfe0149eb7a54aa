/* A launch that runs: which run begins which block, and which of its blocks has its turn.
 *
 * A block runs until it ends. Only if all its warps keep looping does the next block begin beside
 * it, because they may wait for that block; from then on both take turns. No more blocks are under
 * way than a device has room for, on which a kernel that waits for more would hang as well.
 */
#include "simulator/executor/job.h"

#include <fenv.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/executor/cluster.h"
#include "simulator/executor/race.h"
#include "simulator/mix.h"

#define LOOP_TURNS	  64 /* that a kernel's code may run if it has loops: a guess */
#define CLUSTERS_AT_ONCE  8
#define MANY_CLUSTERS	  256 /* of each of these one more is taken at once */
#define SHUFFLED_BLOCKS	  8   /* few enough that all of them are under way, if they wait */
#define PROCESSORS	  132
#define PROCESSOR_BLOCKS  32
#define PROCESSOR_THREADS 2048

struct queue {
	struct exec_cluster *first, *last;
	uint32_t count;
};

static const struct exec_outcome no_memory = {.result = EXEC_NO_MEMORY};

/* A run, and its blocks that are under way, of which the first one has its turn. */
struct run {
	struct exec_run run; /* first */
	struct exec_outcome outcome;
	struct queue clusters;
	struct exec_cluster *spare;
	uint64_t next, end; /* clusters that it has taken and not begun */
};

/* ---- the job ---- */

void exec_job_fail(struct exec_job *job, uint64_t block, const struct exec_outcome *outcome)
{
	while (atomic_flag_test_and_set_explicit(&job->is_failing, memory_order_acquire))
		;
	if (block < atomic_load_explicit(&job->failed, memory_order_relaxed)) {
		job->outcome = *outcome;
		atomic_store_explicit(&job->failed, block, memory_order_relaxed);
	}
	atomic_flag_clear_explicit(&job->is_failing, memory_order_release);
}

/* The image may be shorter than what the kernel reads, which then has zeros. */
static bool copy_params(struct exec_job *job)
{
	size_t bytes = job->launch->params_bytes, needed = job->launch->kernel->param_bytes;

	job->params = calloc(1, needed + 1);
	if (job->params && bytes)
		memcpy(job->params, job->launch->params, bytes < needed ? bytes : needed);
	return job->params != NULL;
}

struct exec_job *exec_job_new(const struct exec_launch *launch)
{
	struct exec_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->launch = launch;
	job->clusters = job->cluster_blocks = 1;
	for (unsigned d = 0; d < 3; d++) {
		job->clusters *= launch->grid[d] / exec_cluster_extent(launch, d);
		job->cluster_blocks *= exec_cluster_extent(launch, d);
	}
	atomic_init(&job->failed, UINT64_MAX);
	if (copy_params(job)) {
		job->race = exec_race_new(launch, job->clusters);
		return job;
	}
	free(job);
	return NULL;
}

static bool has_room(const struct exec_job *job)
{
	const uint32_t *block = job->launch->block;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	uint64_t room = threads ? PROCESSOR_THREADS / threads : 1;

	if (room > PROCESSOR_BLOCKS)
		room = PROCESSOR_BLOCKS;
	return atomic_load_explicit(&job->under_way, memory_order_relaxed) <
	       PROCESSORS * (room ? room : 1);
}

static bool has_failed(const struct exec_job *job)
{
	return atomic_load_explicit(&job->failed, memory_order_relaxed) != UINT64_MAX;
}

/* Of blocks that change places one that begins later may be before one that has failed. */
bool exec_job_has_blocks(const struct exec_job *job)
{
	uint64_t next = atomic_load_explicit(&job->next, memory_order_relaxed);
	bool may_be_before = job->launch->seed && next % SHUFFLED_BLOCKS;

	return (!has_failed(job) || may_be_before) && has_room(job) && next < job->clusters;
}

bool exec_launch_is_large(const struct exec_launch *l, uint64_t instructions)
{
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint64_t warps = (threads + EXEC_LANES - 1) / EXEC_LANES;
	uint64_t code = l->kernel->code_count * (l->kernel->loops ? LOOP_TURNS : 1);

	return blocks > 1 && blocks * warps >= instructions / (code ? code : 1);
}

void exec_job_free(struct exec_job *job, struct exec_outcome *outcome)
{
	*outcome = job->outcome;
	outcome->instructions = atomic_load(&job->instructions);
	exec_race_end(job->race);
	free(job->params);
	free(job);
}

/* ---- a run ---- */

static void append(struct queue *q, struct exec_cluster *c)
{
	c->next = NULL;
	if (q->last)
		q->last->next = c;
	else
		q->first = c;
	q->last = c;
	q->count++;
}

static struct exec_cluster *take(struct queue *q)
{
	struct exec_cluster *c = q->first;

	q->first = c->next;
	if (!q->first)
		q->last = NULL;
	q->count--;
	return c;
}

/* The block's memory is free for another. */
static void drop(struct run *r, struct exec_cluster *c)
{
	atomic_fetch_sub_explicit(&r->run.job->under_way, c->count, memory_order_relaxed);
	if (r->spare)
		exec_cluster_free(c);
	else
		r->spare = c;
}

void exec_job_shuffle(uint64_t seed, uint64_t turn, uint32_t count, uint8_t *order)
{
	uint64_t random = sim_mix(seed ^ sim_mix(turn + UINT64_C(0x9E3779B97F4A7C15)));

	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = (uint32_t)(random % (i + 1));

		order[i] = (uint8_t)i;
		order[i] = order[k];
		order[k] = (uint8_t)i;
		random = sim_mix(random + i + 1);
	}
}

/* Blocks near each other change places, since some wait for those before them. */
static uint64_t shuffled(const struct exec_job *job, uint64_t number)
{
	uint64_t first = number - number % SHUFFLED_BLOCKS, left = job->clusters - first;
	uint8_t order[SHUFFLED_BLOCKS];

	if (!job->launch->seed)
		return number;
	exec_job_shuffle(job->launch->seed, first,
			 left < SHUFFLED_BLOCKS ? (uint32_t)left : SHUFFLED_BLOCKS, order);
	return first + order[number - first];
}

/* Neighbours use memory side by side, which the processor fetches ahead: so a run takes several, if
 * there are many. */
static bool take_clusters(struct run *r)
{
	struct exec_job *job = r->run.job;
	uint64_t count = job->launch->seed ? 1 : job->clusters / MANY_CLUSTERS;

	if (!exec_job_has_blocks(job))
		return 0;
	count = count < 1 ? 1 : count < CLUSTERS_AT_ONCE ? count : CLUSTERS_AT_ONCE;
	r->next = atomic_fetch_add_explicit(&job->next, count, memory_order_relaxed);
	r->end = r->next + count < job->clusters ? r->next + count : job->clusters;
	return r->next < job->clusters;
}

/* Those that were taken begin although others wait everywhere, perhaps for them; after a failure,
 * those before it. */
static bool may_begin(struct run *r)
{
	struct exec_job *job = r->run.job;
	uint64_t failed = atomic_load_explicit(&job->failed, memory_order_relaxed);

	if (r->next >= r->end)
		return take_clusters(r);
	if (failed != UINT64_MAX && r->next * job->cluster_blocks > failed)
		return 0;
	return !r->clusters.first || has_room(job);
}

/* The next block of the job; false: there is none, or no memory for it. */
static bool begin(struct run *r)
{
	struct exec_job *job = r->run.job;
	struct exec_cluster *c = r->spare;
	uint64_t number;

	if (!may_begin(r))
		return 0;
	number = r->next++;
	r->spare = NULL;
	if (!c)
		c = exec_cluster_new(&r->run);
	if (!c) {
		exec_job_fail(job, number * job->cluster_blocks, &no_memory);
		return 0;
	}
	atomic_fetch_add_explicit(&job->under_way, job->cluster_blocks, memory_order_relaxed);
	exec_cluster_start(c, shuffled(job, number));
	append(&r->clusters, c);
	return 1;
}

/* Lets the first block run. */
static enum exec_progress advance(struct run *r)
{
	static const struct exec_outcome stopped = {.result = EXEC_STOPPED};
	struct exec_cluster *c = take(&r->clusters);
	enum exec_progress progress = exec_cluster_run(c);

	if (exec_launch_is_stopped(r->run.launch))
		exec_job_fail(r->run.job, 0, &stopped);
	/* After a failure the blocks before it end, but are not waited for. */
	if (progress == EXEC_ENDED || has_failed(r->run.job)) {
		drop(r, c);
		return EXEC_ENDED;
	}
	append(&r->clusters, c);
	return progress;
}

void exec_job_pause(struct exec_job *job, bool is_paused)
{
	atomic_store_explicit(&job->is_paused, is_paused, memory_order_relaxed);
}

static bool is_paused(const struct exec_job *job)
{
	return atomic_load_explicit(&job->is_paused, memory_order_relaxed);
}

/* Until all blocks have looped one after the other; or one has, and the job pauses. */
static enum exec_progress work(struct run *r)
{
	enum exec_progress progress;
	uint32_t loops = 0; /* blocks that have looped, one after the other */
	bool only_polls = 1;

	while (r->clusters.first || begin(r)) {
		progress = advance(r);
		only_polls &= progress == EXEC_POLLS;
		loops = progress == EXEC_ENDED ? 0 : loops + 1;
		if (!loops)
			only_polls = 1;
		else if (!only_polls && is_paused(r->run.job))
			return EXEC_LOOPS;
		else if (!begin(r) && loops >= r->clusters.count)
			return only_polls ? EXEC_POLLS : EXEC_LOOPS;
	}
	return EXEC_ENDED;
}

struct exec_run *exec_run_new(struct exec_job *job)
{
	struct run *r = calloc(1, sizeof(*r));

	if (!r) {
		exec_job_fail(job, atomic_load(&job->next) * job->cluster_blocks, &no_memory);
		return NULL;
	}
	r->run = (struct exec_run){.job = job,
				   .launch = job->launch,
				   .kernel = job->launch->kernel,
				   .outcome = &r->outcome,
				   .params = job->params,
				   .race = job->race};
	return &r->run;
}

enum exec_progress exec_run_work(struct exec_run *run)
{
	enum exec_progress progress;
	fenv_t before;

	/* The thread may have the program's ways of rounding. */
	fegetenv(&before);
	fesetenv(FE_DFL_ENV);
	progress = work((struct run *)run);
	fesetenv(&before);
	return progress;
}

/* What the run has touched and found is its own until it ends. */
static void join_findings(struct exec_run *run)
{
	struct exec_job *job = run->job;

	if (!run->launch->touched && !run->launch->hazards)
		return;
	while (atomic_flag_test_and_set_explicit(&job->is_joining, memory_order_acquire))
		sched_yield();
	if (run->launch->hazards)
		exec_hazards_join(run->launch->hazards, &run->hazards);
	for (unsigned phase = 0; run->launch->touched && phase < exec_phases(run->kernel); phase++)
		exec_touched_join(&run->launch->touched[phase], &run->touched[phase]);
	atomic_flag_clear_explicit(&job->is_joining, memory_order_release);
}

void exec_run_free(struct exec_run *run)
{
	struct run *r = (struct run *)run;

	if (!r)
		return;
	join_findings(run);
	while (r->clusters.first)
		drop(r, take(&r->clusters));
	exec_cluster_free(r->spare);
	atomic_fetch_add(&run->job->instructions, r->outcome.instructions);
	free(run->spans);
	free(r);
}

void exec_launch_run(const struct exec_launch *launch, struct exec_outcome *outcome)
{
	struct exec_job *job = exec_job_new(launch);
	struct exec_run *run = job ? exec_run_new(job) : NULL;

	*outcome = (struct exec_outcome){.result = EXEC_NO_MEMORY};
	if (run)
		while (exec_run_work(run) != EXEC_ENDED)
			;
	exec_run_free(run);
	if (job)
		exec_job_free(job, outcome);
	if (!run)
		outcome->result = EXEC_NO_MEMORY;
}
