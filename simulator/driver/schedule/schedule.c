/* Queues of ready ops, and the demands on them. */
#include "simulator/driver/schedule/schedule.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "simulator/driver/tool/activity.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/schedule/engine.h"
#include "simulator/driver/kernel/execute.h"
#include "simulator/driver/stream/memop.h"
#include "simulator/driver/tool/notes.h"
#include "simulator/driver/schedule/pair.h"
#include "simulator/driver/schedule/worker.h"
#include "simulator/mix.h"

#define EAGER_WORKERS	 3
#define DELAY_STEPS	 8
#define HOST_PATIENCE_NS 5000000u  /* of processor time */
#define IDLE_PATIENCE_NS 50000000u /* of a process that sleeps, or does not get a processor */
#define LOOK_NS		 1000000u
#define POLL_NS		 200000u
#define EAGER_POLLS	 16 /* turns of a kernel that only polls, before it has them less often */
#define RESUME_NS	 50000u	  /* so much later */
#define LATE_NS		 5000000u /* a kernel that has waited so long for its turn goes first */
#define QUIET_NS	 1000000u /* kernels that only poll may wait for what nobody demands */

enum policy { EAGER, RANDOM, LAZY };

struct queue {
	struct sim_op *head; /* counted */
	struct sim_op *tail;
	pthread_cond_t wake;
};

static enum policy policy;
static uint64_t seed;
static bool is_started;
static struct queue device_queue; /* ready, for the workers */
static struct queue host_queue;	  /* ready, for the host function thread */
static struct queue undemanded;	  /* patient ops that are not ready, as they were submitted */
static bool is_polling;		  /* some wait of a stream for a value is watched */
static struct queue suspended;	/* kernels that have begun and wait, in the order of their turns */
static bool was_late;		/* the last choice was one that was late */
static uint64_t quiet_since_ns; /* nothing but kernels that poll has run since */
static unsigned int running;	/* ops of the device queue */
static uint64_t steps, settled; /* random: so many ops were submitted or asked for in vain */

static uint64_t op_hash(const struct sim_op *op)
{
	return sim_mix(seed ^ sim_mix(op->stream_id ^ sim_mix(op->index + 0x9E3779B97F4A7C15u)));
}

static void init_queue(struct queue *queue)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->wake, &attr);
	pthread_condattr_destroy(&attr);
}

static void read_policy(const char *text)
{
	if (!text || !*text || strcmp(text, "eager") == 0)
		return;
	if (strcmp(text, "lazy") == 0) {
		policy = LAZY;
		return;
	}
	seed = strtoull(text + strlen("random:"), NULL, 0);
	policy = RANDOM;
}

void sim_schedule_init(void)
{
	read_policy(getenv("STREAMCHECK_SIM_SCHEDULE"));
	sim_notes_init();
	sim_pair_init();
	init_queue(&device_queue);
	init_queue(&host_queue);
	init_queue(&undemanded);
	init_queue(&suspended);
}

bool sim_schedule_is_lazy(void)
{
	return policy == LAZY;
}

uint64_t sim_schedule_seed(uint64_t id)
{
	return policy == RANDOM ? sim_mix(seed ^ sim_mix(id)) | 1 : 0;
}

bool sim_schedule_may_defer(uint64_t id)
{
	return policy == LAZY || (policy == RANDOM && (sim_mix(seed ^ id) & 1));
}

/*
 * Ops that a host may wait for without calling CUDA: host functions signal (C-1), values are
 * written to memory that a host can watch (W-1), and so do kernels (M-4).
 */
static bool is_timed(const struct sim_op *op)
{
	return op->work.kind == SIM_WORK_HOST ||
	       (op->work.kind == SIM_WORK_KERNEL && sim_run_signals(op->work.kernel.run)) ||
	       (op->work.kind == SIM_WORK_MEMOP && !sim_memop_is_wait(&op->work.memop));
}

/* Ops whose time comes without a demand, if the host waits for them unseen. */
static bool is_patient(const struct sim_op *op)
{
	if (policy == EAGER)
		return op->work.kind == SIM_WORK_HOST;
	return policy == RANDOM ? op->work.kind != SIM_WORK_EMPTY : policy == LAZY && is_timed(op);
}

static uint64_t processor_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* The same where only the thread counts that submitted the op: it is looked at now and then. */
static bool is_submitter_away(struct sim_op *op, uint64_t now, uint64_t *wake_ns)
{
	bool is_late = now >= op->since_ns + IDLE_PATIENCE_NS;

	if (now >= op->look_ns) {
		op->look_ns = now + LOOK_NS;
		if (sim_submitter_is_away(&op->submitter, HOST_PATIENCE_NS, is_late))
			return true;
	}
	if (op->look_ns < *wake_ns)
		*wake_ns = op->look_ns;
	return false;
}

/*
 * Has the host had its time since the op was submitted? Its processor time counts, so that a busy
 * machine makes no difference. If not, *wake_ns becomes at most when to look again.
 */
static bool is_due(struct sim_op *op, uint64_t now, uint64_t *wake_ns)
{
	uint64_t wake = op->since_ns + HOST_PATIENCE_NS;

	if (policy == EAGER)
		return is_submitter_away(op, now, wake_ns);
	if (now >= wake) {
		if (now >= op->since_ns + IDLE_PATIENCE_NS ||
		    processor_ns() >= op->since_processor_ns + HOST_PATIENCE_NS)
			return true;
		wake = now + LOOK_NS;
	}
	if (wake < *wake_ns)
		*wake_ns = wake;
	return false;
}

static void append(struct queue *queue, struct sim_op *op)
{
	op->prev = queue->tail;
	op->next = NULL;
	if (queue->tail)
		queue->tail->next = op;
	else
		queue->head = op;
	queue->tail = op;
}

static void unlink_op(struct queue *queue, struct sim_op *op)
{
	sc_assert(op->prev || queue->head == op);
	if (op->prev)
		op->prev->next = op->next;
	else
		queue->head = op->next;
	if (op->next)
		op->next->prev = op->prev;
	else
		queue->tail = op->prev;
	op->next = NULL;
	op->prev = NULL;
}

/* Ops that have nothing to do finish on the spot; finishing makes others ready: no recursion. */
static struct sim_op *settling; /* counted */
static bool is_settling;

static void make_ready(struct sim_op *op);

static void settle(void)
{
	struct sim_op *op;

	if (is_settling)
		return;
	is_settling = true;
	while ((op = settling)) {
		settling = op->next;
		op->next = NULL;
		if (op->work.kind == SIM_WORK_KERNEL)
			sim_engine_pass(op);
		sim_op_finish(op, make_ready);
		sim_op_put(op);
	}
	is_settling = false;
	sim_announce_change();
}

static void make_ready(struct sim_op *op)
{
	struct queue *queue = op->work.kind == SIM_WORK_HOST ? &host_queue : &device_queue;

	sc_assert(op->state == SIM_OP_WAITING && !op->blockers);
	op->state = SIM_OP_READY;
	if (is_patient(op) && !op->is_demanded)
		unlink_op(&undemanded, op);
	if (op->work.kind == SIM_WORK_EMPTY || (policy == EAGER && sim_engine_is_passed(op))) {
		op->next = settling;
		settling = op;
		return;
	}
	op->due_step = steps + op_hash(op) % DELAY_STEPS;
	append(queue, op);
	pthread_cond_signal(&queue->wake);
}

void sim_schedule_submit(struct sim_op *op)
{
	sim_op_get(op);
	steps++;
	if (is_patient(op)) {
		if (!op->since_ns) {
			op->since_ns = sim_now_ns();
			op->since_processor_ns = processor_ns();
			if (policy == EAGER)
				sim_submitter_init(&op->submitter);
		}
		append(&undemanded, op);
		pthread_cond_signal(&host_queue.wake);
	}
	if (op->number)
		sim_pair_submit(op);
	if (!op->blockers)
		make_ready(op);
	settle();
}

/* Marks one op; those before it are still to be visited. */
static void mark_demanded(struct sim_op *op, struct sim_op **visits)
{
	struct queue *queue;

	if (!op || op->is_demanded || op->state == SIM_OP_DONE)
		return;
	queue = op->work.kind == SIM_WORK_HOST ? &host_queue : &device_queue;
	op->is_demanded = true;
	if (is_patient(op) && op->state == SIM_OP_WAITING)
		unlink_op(&undemanded, op);
	if (op->state == SIM_OP_READY)
		pthread_cond_signal(&queue->wake);
	op->next_visit = *visits;
	*visits = op;
}

void sim_schedule_demand(struct sim_op *op)
{
	struct sim_op *visits = NULL, *needed;
	size_t i;

	mark_demanded(op, &visits);
	while ((op = visits)) {
		visits = op->next_visit;
		for (i = 0; i < op->before_count; i++)
			mark_demanded(op->before[i], &visits);
		for (i = 0; (needed = sim_pair_needs(op, &i));)
			mark_demanded(needed, &visits);
	}
}

void sim_schedule_wait(struct sim_op *op)
{
	if (sim_op_is_done(op))
		return;
	sim_op_get(op);
	sim_schedule_demand(op);
	while (!sim_op_is_done(op))
		sim_wait_change();
	sim_op_put(op);
}

/* Does the policy let the op run now? If only later, *wake_ns becomes at most that time. */
static bool has_turn(struct sim_op *op, uint64_t now, uint64_t *wake_ns)
{
	if (op->is_demanded || (policy == EAGER && !is_patient(op)))
		return true;
	if (policy == RANDOM && op->work.kind != SIM_WORK_HOST && op->due_step <= steps)
		return true;
	return is_patient(op) && is_due(op, now, wake_ns);
}

static bool may_run(struct sim_op *op, uint64_t now, uint64_t *wake_ns)
{
	return has_turn(op, now, wake_ns) && !sim_pair_holds(op, now, running > 0, wake_ns);
}

static bool goes_first(const struct sim_op *op, const struct sim_op *other)
{
	if (!other)
		return true;
	if (policy == RANDOM)
		return op_hash(op) < op_hash(other);
	return op->priority < other->priority;
}

/* A wait for a value that is not there; after an error nothing is waited for any more. */
static bool is_held(const struct sim_op *op)
{
	return op->work.kind == SIM_WORK_MEMOP && op->context->error == CUDA_SUCCESS &&
	       sim_memop_is_held(&op->work.memop);
}

/* The op whose turn it is. `held`: a wait that may run by now does not hold yet. */
static struct sim_op *pick_runnable(const struct queue *queue, uint64_t now, uint64_t *wake_ns,
				    bool *held)
{
	struct sim_op *op, *best = NULL;

	for (op = queue->head; op; op = op->next) {
		if (!may_run(op, now, wake_ns))
			continue;
		if (is_held(op))
			*held = true;
		else if (goes_first(op, best))
			best = op;
	}
	return best;
}

/*
 * What a held wait waits for may come from any other stream, which CUDA does not know (W-2). So
 * while nothing else can run, a lazy device goes on with work that nobody has asked for. A loop of
 * a graph that goes on and on may wait likewise.
 */
static struct sim_op *pick_any(const struct queue *queue, uint64_t now, uint64_t *wake_ns)
{
	struct sim_op *op;

	for (op = queue->head; op; op = op->next)
		if (!is_held(op) && !op->is_endless &&
		    !sim_pair_holds(op, now, running > 0, wake_ns))
			return op;
	return NULL;
}

/* A suspended kernel whose turn has come, at least so long ago. */
static struct sim_op *pick_suspended(uint64_t now, uint64_t late_ns, uint64_t *wake_ns)
{
	struct sim_op *op;

	for (op = suspended.head; op; op = op->next) {
		if (now >= op->resume_ns + late_ns)
			return op;
		if (op->resume_ns + late_ns < *wake_ns)
			*wake_ns = op->resume_ns + late_ns;
	}
	return NULL;
}

/* All kernels under way only poll, and nothing else has run for a while. */
static bool is_quiet(uint64_t now)
{
	const struct sim_op *op;

	for (op = suspended.head; op; op = op->next)
		if (!op->polls)
			return false;
	return suspended.head && now >= quiet_since_ns + QUIET_NS;
}

/* Waits for values that do not hold are looked at again soon. */
static struct sim_op *pick_held(uint64_t now, uint64_t *wake_ns)
{
	is_polling = true;
	if (now + POLL_NS < *wake_ns)
		*wake_ns = now + POLL_NS;
	return policy == LAZY ? pick_any(&device_queue, now, wake_ns) : NULL;
}

/* What can begin. `held` as in pick_runnable. */
static struct sim_op *pick_new(uint64_t now, uint64_t *wake_ns, bool *held)
{
	struct sim_op *op = pick_runnable(&device_queue, now, wake_ns, held), *any = NULL;

	if (policy == LAZY && (op ? op->is_endless : is_quiet(now)))
		any = pick_any(&device_queue, now, wake_ns);
	return any ? any : op;
}

/*
 * What can begin goes before what waits, unless that has waited for long. Where the turns of those
 * that wait take so long that one is always late, what they wait for would never begin: every other
 * choice is for what can begin.
 */
static struct sim_op *pick_for_device(uint64_t now, uint64_t *wake_ns)
{
	uint64_t ignored = UINT64_MAX;
	bool held = false;
	struct sim_op *op = was_late ? NULL : pick_suspended(now, LATE_NS, &ignored);

	was_late = op != NULL;
	if (!op)
		op = pick_new(now, wake_ns, &held);
	if (!op)
		op = pick_suspended(now, 0, wake_ns);
	return op || !held ? op : pick_held(now, wake_ns);
}

static struct sim_op *pick(const struct queue *queue, uint64_t now, uint64_t *wake_ns)
{
	bool held;

	return queue == &device_queue ? pick_for_device(now, wake_ns)
				      : pick_runnable(queue, now, wake_ns, &held);
}

/* Patient ops whose time has come, ready or not. */
static void demand_due(uint64_t now, uint64_t *wake_ns)
{
	while (undemanded.head && is_due(undemanded.head, now, wake_ns))
		sim_schedule_demand(undemanded.head);
}

static void sleep_until(struct queue *queue, uint64_t wake_ns)
{
	struct timespec at = {(time_t)(wake_ns / 1000000000u), (long)(wake_ns % 1000000000u)};

	if (wake_ns == UINT64_MAX)
		pthread_cond_wait(&queue->wake, &sim_driver.lock);
	else
		pthread_cond_timedwait(&queue->wake, &sim_driver.lock, &at);
}

/* An op that runs counts until it ends, or until it waits for others. */
static void stop_counting(struct sim_op *op)
{
	running -= op->is_counted;
	op->is_counted = false;
}

/* A kernel that did not end in its turn: others have theirs. One that polls in vain does so less
 * often. */
static void suspend(struct sim_op *op, enum exec_progress progress)
{
	op->resume_ns = sim_now_ns();
	op->polls = progress == EXEC_POLLS ? op->polls + 1 : 0;
	if (op->polls <= 1)
		quiet_since_ns = op->resume_ns;
	if (op->polls > EAGER_POLLS)
		op->resume_ns += RESUME_NS;
	op->waits++;
	append(&suspended, op);
	if (op->polls && op->is_counted) {
		stop_counting(op);
		sim_announce_change();
	}
}

static void begin(struct queue *queue, struct sim_op *op)
{
	unlink_op(queue, op);
	op->state = SIM_OP_RUNNING;
	op->start_ns = sim_now_ns();
	op->is_counted = queue == &device_queue && !op->is_endless;
	running += op->is_counted;
}

/* A running op has got others before it, for which it waits before it goes on. */
static void wait_again(struct sim_op *op)
{
	stop_counting(op);
	op->state = SIM_OP_WAITING;
	if (is_patient(op) && !op->is_demanded)
		append(&undemanded, op);
	sim_announce_change();
}

static void run(struct queue *queue, struct sim_op *op)
{
	enum exec_progress progress;

	if (op->state == SIM_OP_RUNNING)
		unlink_op(&suspended, op);
	else
		begin(queue, op);
	progress = sim_engine_run(op);
	if (progress != EXEC_ENDED) {
		suspend(op, progress);
		return;
	}
	if (op->blockers) {
		wait_again(op);
		return;
	}
	stop_counting(op);
	quiet_since_ns = sim_now_ns();
	sim_activity_note(op, op->start_ns, quiet_since_ns);
	sim_op_finish(op, make_ready);
	sim_op_put(op);
	settle();
	if (is_polling) { /* what this op wrote may end a wait */
		is_polling = false;
		pthread_cond_broadcast(&device_queue.wake);
	}
}

/* Nothing runs that is due, but loops that do not seem to end. */
static bool is_settled(void)
{
	uint64_t now = sim_now_ns(), ignored = UINT64_MAX;
	struct sim_op *op;

	if (running)
		return false;
	for (op = device_queue.head; op; op = op->next)
		if (!op->is_endless && may_run(op, now, &ignored) && !is_held(op))
			return false;
	return true;
}

void sim_schedule_asked(void)
{
	steps++;
	if (policy == RANDOM)
		pthread_cond_signal(&device_queue.wake);
}

/* Host functions are exempt: they may wait for the very thread that calls. */
void sim_schedule_settle(void)
{
	if (policy != RANDOM || settled == steps)
		return;
	settled = steps;
	pthread_cond_signal(&device_queue.wake);
	while (!is_settled())
		sim_wait_change();
}

static void *work_forever(void *argument)
{
	struct queue *queue = argument;
	struct sim_op *op;
	uint64_t now, wake_ns;

	sim_lock();
	while (!atomic_load(&sim_driver.exiting)) {
		now = sim_now_ns();
		wake_ns = UINT64_MAX;
		if (queue == &host_queue) {
			demand_due(now, &wake_ns);
			sim_run_remark(now, &wake_ns);
		}
		op = pick(queue, now, &wake_ns);
		if (op && suspended.head) /* for another worker */
			pthread_cond_signal(&device_queue.wake);
		if (op)
			run(queue, op);
		else
			sleep_until(queue, wake_ns);
	}
	sim_unlock();
	return NULL;
}

bool sim_schedule_start(void)
{
	int i, workers = policy == EAGER ? EAGER_WORKERS : 1;

	if (is_started)
		return true;
	is_started = sim_worker_start(work_forever, &host_queue);
	for (i = 0; is_started && i < workers; i++)
		if (!sim_worker_start(work_forever, &device_queue) && i == 0)
			return false;
	return is_started;
}
