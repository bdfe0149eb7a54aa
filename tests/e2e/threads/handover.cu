// One thread waits for a fill and gives something, another one takes it and fills the same memory.
//
// usage: handover FAMILY seen|late thread|callback|early-thread|early-callback
//        handover list
//
// seen: the thread releases after its wait, so the second fill comes after the first. late: it
// releases before its wait, and notifies of the wait by an atomic only, which no tool sees.
// callback: a host function releases, after the fill or before it, and the main thread acquires.
// early: the taker is a thread that sleeps in its wait before the program calls CUDA for the first
// time.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include "tests/e2e/threads/files.h"
#include "testcases/common.h"
#include "testcases/unseen.h"

#define HOUR_S 3600

static float *d_data;
static const size_t bytes = 1 << 12;
static cudaStream_t filling, refilling;

static unseen is_given, is_complete, is_waiting;
static std::atomic<bool> is_ready;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static once_flag c11_once = ONCE_FLAG_INIT;

static void must(int result, int line)
{
	if (!result)
		return;
	fprintf(stderr, "line %d: result %d\n", line, result);
	exit(EXIT_WRONG);
}

#define MUST(call) must((call), __LINE__)

static struct timespec in_an_hour(clockid_t clock)
{
	struct timespec until;

	clock_gettime(clock, &until);
	until.tv_sec += HOUR_S;
	return until;
}

static void nothing()
{
}

static void work();

// ---- what is given and taken ----

#define LATER(clock, call)                                 \
	[] {                                               \
		struct timespec until = in_an_hour(clock); \
		MUST(call);                                \
	}
#define NOW(call) [] { MUST(call); }

static void give_mutex()
{
	MUST(pthread_mutex_lock(&mutex));
	MUST(pthread_mutex_unlock(&mutex));
}

static void give_c11_mutex()
{
	MUST(mtx_lock(&c11_mutex));
	MUST(mtx_unlock(&c11_mutex));
}

static void give_writer()
{
	MUST(pthread_rwlock_wrlock(&rwlock));
	MUST(pthread_rwlock_unlock(&rwlock));
}

static void give_reader()
{
	MUST(pthread_rwlock_rdlock(&rwlock));
	MUST(pthread_rwlock_unlock(&rwlock));
}

static void give_spin()
{
	MUST(pthread_spin_lock(&spin));
	MUST(pthread_spin_unlock(&spin));
}

// The taker is inside its wait: it gave the mutex back. What the mutex carries is from here.
static void meet_waiter()
{
	is_waiting.await();
	give_mutex();
}

static void meet_c11_waiter()
{
	is_waiting.await();
	give_c11_mutex();
}

template <typename Wait> static void take_condition(Wait wait)
{
	MUST(pthread_mutex_lock(&mutex));
	is_waiting.set();
	while (!is_ready)
		wait();
	MUST(pthread_mutex_unlock(&mutex));
}

template <typename Wait> static void take_c11_condition(Wait wait)
{
	MUST(mtx_lock(&c11_mutex));
	is_waiting.set();
	while (!is_ready)
		wait();
	MUST(mtx_unlock(&c11_mutex));
}

static void signal_one()
{
	is_ready = true;
	MUST(pthread_cond_signal(&condition));
}

static void signal_all()
{
	is_ready = true;
	MUST(pthread_cond_broadcast(&condition));
}

static void c11_signal_one()
{
	is_ready = true;
	MUST(cnd_signal(&c11_condition));
}

static void c11_signal_all()
{
	is_ready = true;
	MUST(cnd_broadcast(&c11_condition));
}

// Who is woken at a word that never changes was woken by somebody.
static int futex;

static void wake()
{
	while (syscall(SYS_futex, &futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 1)
		sched_yield();
}

static void sleep_until_woken()
{
	is_waiting.set();
	while (syscall(SYS_futex, &futex, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0))
		sched_yield();
}

static void cross_barrier()
{
	int result = pthread_barrier_wait(&barrier);

	MUST(result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result);
}

struct family {
	const char *name;
	void (*give)();
	void (*take)();
	void (*prepare)(); // the giver, before everything else; the taker waits by itself
	// of locks, if the taker comes early: the giver has it, does its work, and gives by this
	void (*hold)();
	void (*let_go)();
	void (*work)(); // of functions that run once: the work is what they run
};

static const struct family families[] = {
	{"mutex_lock", give_mutex, NOW(pthread_mutex_lock(&mutex)), NULL,
	 NOW(pthread_mutex_lock(&mutex)), NOW(pthread_mutex_unlock(&mutex))},
	{"mutex_trylock", give_mutex, NOW(pthread_mutex_trylock(&mutex)), NULL},
	{"mutex_timedlock", give_mutex,
	 LATER(CLOCK_REALTIME, pthread_mutex_timedlock(&mutex, &until)), NULL,
	 NOW(pthread_mutex_lock(&mutex)), NOW(pthread_mutex_unlock(&mutex))},
	{"mutex_clocklock", give_mutex,
	 LATER(CLOCK_MONOTONIC, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until)), NULL,
	 NOW(pthread_mutex_lock(&mutex)), NOW(pthread_mutex_unlock(&mutex))},
	{"rwlock_rdlock", give_writer, NOW(pthread_rwlock_rdlock(&rwlock)), NULL,
	 NOW(pthread_rwlock_wrlock(&rwlock)), NOW(pthread_rwlock_unlock(&rwlock))},
	{"rwlock_tryrdlock", give_writer, NOW(pthread_rwlock_tryrdlock(&rwlock)), NULL},
	{"rwlock_timedrdlock", give_writer,
	 LATER(CLOCK_REALTIME, pthread_rwlock_timedrdlock(&rwlock, &until)), NULL,
	 NOW(pthread_rwlock_wrlock(&rwlock)), NOW(pthread_rwlock_unlock(&rwlock))},
	{"rwlock_clockrdlock", give_writer,
	 LATER(CLOCK_MONOTONIC, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &until)),
	 NULL,
	 NOW(pthread_rwlock_wrlock(&rwlock)), NOW(pthread_rwlock_unlock(&rwlock))},
	{"rwlock_wrlock", give_reader, NOW(pthread_rwlock_wrlock(&rwlock)), NULL,
	 NOW(pthread_rwlock_rdlock(&rwlock)), NOW(pthread_rwlock_unlock(&rwlock))},
	{"rwlock_trywrlock", give_reader, NOW(pthread_rwlock_trywrlock(&rwlock)), NULL},
	{"rwlock_timedwrlock", give_reader,
	 LATER(CLOCK_REALTIME, pthread_rwlock_timedwrlock(&rwlock, &until)), NULL,
	 NOW(pthread_rwlock_rdlock(&rwlock)), NOW(pthread_rwlock_unlock(&rwlock))},
	{"rwlock_clockwrlock", give_reader,
	 LATER(CLOCK_MONOTONIC, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &until)),
	 NULL,
	 NOW(pthread_rwlock_rdlock(&rwlock)), NOW(pthread_rwlock_unlock(&rwlock))},
	{"spin_lock", give_spin, NOW(pthread_spin_lock(&spin)), NULL},
	{"spin_trylock", give_spin, NOW(pthread_spin_trylock(&spin)), NULL},
	{"cond_wait", signal_one,
	 [] { take_condition([] { MUST(pthread_cond_wait(&condition, &mutex)); }); }, meet_waiter},
	{"cond_timedwait", signal_all,
	 [] {
		 take_condition(
			 LATER(CLOCK_REALTIME, pthread_cond_timedwait(&condition, &mutex, &until)));
	 },
	 meet_waiter},
	{"cond_clockwait", signal_one,
	 [] {
		 take_condition(
			 LATER(CLOCK_MONOTONIC, pthread_cond_clockwait(&condition, &mutex,
								       CLOCK_MONOTONIC, &until)));
	 },
	 meet_waiter},
	{"sem_wait", NOW(sem_post(&semaphore)), NOW(sem_wait(&semaphore)), NULL},
	{"sem_trywait", NOW(sem_post(&semaphore)), NOW(sem_trywait(&semaphore)), NULL},
	{"sem_timedwait", NOW(sem_post(&semaphore)),
	 LATER(CLOCK_REALTIME, sem_timedwait(&semaphore, &until)), NULL},
	{"sem_clockwait", NOW(sem_post(&semaphore)),
	 LATER(CLOCK_MONOTONIC, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until)), NULL},
	{"c11_mtx_lock", give_c11_mutex, NOW(mtx_lock(&c11_mutex)), NULL,
	 NOW(mtx_lock(&c11_mutex)), NOW(mtx_unlock(&c11_mutex))},
	{"c11_mtx_trylock", give_c11_mutex, NOW(mtx_trylock(&c11_mutex)), NULL},
	{"c11_mtx_timedlock", give_c11_mutex,
	 LATER(CLOCK_REALTIME, mtx_timedlock(&c11_mutex, &until)), NULL,
	 NOW(mtx_lock(&c11_mutex)), NOW(mtx_unlock(&c11_mutex))},
	{"c11_cnd_wait", c11_signal_one,
	 [] { take_c11_condition([] { MUST(cnd_wait(&c11_condition, &c11_mutex)); }); },
	 meet_c11_waiter},
	{"c11_cnd_timedwait", c11_signal_all,
	 [] {
		 take_c11_condition(
			 LATER(CLOCK_REALTIME, cnd_timedwait(&c11_condition, &c11_mutex, &until)));
	 },
	 meet_c11_waiter},
	{"c11_call_once", [] { call_once(&c11_once, nothing); },
	 [] { call_once(&c11_once, nothing); }, NULL, NULL, NULL,
	 [] { call_once(&c11_once, work); }},
	{"once", NOW(pthread_once(&once, nothing)), NOW(pthread_once(&once, nothing)), NULL, NULL,
	 NULL, NOW(pthread_once(&once, work))},
	{"futex_wake", wake, sleep_until_woken, nothing},
	{"barrier_wait", cross_barrier, cross_barrier, nothing},
	FILE_FAMILIES
};

// ---- who gives and takes ----

static const struct family *chosen;
static bool is_late, is_early;
static std::atomic<pid_t> taker_id;
static unseen is_filling; // the fill was enqueued

static void set_up_device()
{
	d_data = on_device(bytes);
	CHECK(cudaStreamCreateWithFlags(&filling, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&refilling, cudaStreamNonBlocking));
}

static void refill()
{
	CHECK(cudaMemsetAsync(d_data, 2, bytes, refilling));
}

static void fill()
{
	CHECK(cudaMemsetAsync(d_data, 1, bytes, filling));
	is_filling.set();
}

static void complete()
{
	CHECK(cudaStreamSynchronize(filling));
}

static void *give(void *unused)
{
	if (chosen->prepare)
		chosen->prepare();
	if (!is_late)
		complete();
	chosen->give();
	is_given.set();
	if (is_late)
		complete();
	is_complete.set();
	return unused;
}

static void *take(void *unused)
{
	if (!chosen->prepare && !is_early)
		is_given.await();
	if (is_early)
		taker_id = gettid();
	chosen->take();
	is_complete.await();
	is_filling.await();
	refill();
	return unused;
}

static void by_thread()
{
	pthread_t giver, taker;

	fill();
	MUST(pthread_create(&giver, NULL, give, NULL));
	MUST(pthread_create(&taker, NULL, take, NULL));
	MUST(pthread_join(giver, NULL));
	MUST(pthread_join(taker, NULL));
}

static void CUDART_CB give_in_stream(void *unused)
{
	(void)unused;
	if (chosen->prepare)
		chosen->prepare();
	chosen->give();
	is_given.set();
	is_complete.set();
}

static void fill_and_give_in_stream()
{
	if (is_late)
		CHECK(cudaLaunchHostFunc(filling, give_in_stream, NULL));
	fill();
	if (!is_late)
		CHECK(cudaLaunchHostFunc(filling, give_in_stream, NULL));
}

static void by_callback()
{
	fill_and_give_in_stream();
	take(NULL);
}

// ---- takers that sleep before anything is given ----

// Nothing but its wait can have the taker sleep once it has said who it is.
static void await_sleeper()
{
	char path[64], text[512], *state;
	ssize_t length;
	int fd;

	while (!taker_id)
		sched_yield();
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", taker_id.load());
	do {
		fd = open(path, O_RDONLY);
		length = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[length > 0 ? length : 0] = 0;
		state = strrchr(text, ')');
		MUST(!state);
	} while (state[2] != 'S');
}

static void fill_for_sleeper()
{
	if (chosen->prepare)
		chosen->prepare();
	fill();
	if (!is_late)
		complete();
}

static pthread_t sleeper;
static void (*work_beside_sleeper)();

static void work()
{
	MUST(pthread_create(&sleeper, NULL, take, NULL));
	await_sleeper();
	set_up_device();
	work_beside_sleeper();
}

static void early_by_thread()
{
	work_beside_sleeper = fill_for_sleeper;
	if (chosen->hold)
		chosen->hold();
	if (!chosen->work)
		work();
	else
		chosen->work();
	if (chosen->let_go)
		chosen->let_go();
	else if (!chosen->work)
		chosen->give();
	if (is_late)
		complete();
	is_complete.set();
	MUST(pthread_join(sleeper, NULL));
}

static void early_by_callback()
{
	work_beside_sleeper = fill_and_give_in_stream;
	work();
	MUST(pthread_join(sleeper, NULL));
}

// ---- threads that begin and end ----

static void *refill_in_thread(void *unused)
{
	if (is_late)
		is_complete.await();
	refill();
	return unused;
}

static int refill_in_c11_thread(void *unused)
{
	return refill_in_thread(unused) != NULL;
}

static void *complete_in_thread(void *unused)
{
	if (is_early)
		MUST(sem_wait(&semaphore));
	complete();
	is_complete.set();
	return unused;
}

static int complete_in_c11_thread(void *unused)
{
	return complete_in_thread(unused) != NULL;
}

// A new thread knows what its creator knew.
template <typename Create> static void by_beginning(Create create)
{
	set_up_device();
	CHECK(cudaMemsetAsync(d_data, 1, bytes, filling));
	if (!is_late)
		complete();
	create();
	if (is_late)
		complete();
	is_complete.set();
}

// Who joins a thread knows what it knew, whenever it began.
template <typename Join> static void by_end(void (*start)(), Join join)
{
	if (is_early)
		start();
	set_up_device();
	fill();
	if (is_early)
		MUST(sem_post(&semaphore)); // the stream is published
	else
		start();
	if (is_late) {
		is_complete.await();
		refill();
	}
	join();
	if (!is_late)
		refill();
}

static pthread_t posix_thread;
static thrd_t c11_thread;

static void begin_posix()
{
	by_beginning(NOW(pthread_create(&posix_thread, NULL, refill_in_thread, NULL)));
	MUST(pthread_join(posix_thread, NULL));
}

static void begin_c11()
{
	by_beginning(NOW(thrd_create(&c11_thread, refill_in_c11_thread, NULL)));
	MUST(thrd_join(c11_thread, NULL));
}

static void start_posix()
{
	MUST(pthread_create(&posix_thread, NULL, complete_in_thread, NULL));
}

static void start_c11()
{
	MUST(thrd_create(&c11_thread, complete_in_c11_thread, NULL));
}

static const struct {
	const char *name;
	void (*run)();
} lives[] = {
	{"thread_create", begin_posix},
	{"thread_c11_create", begin_c11},
	{"thread_join", [] { by_end(start_posix, NOW(pthread_join(posix_thread, NULL))); }},
	{"thread_tryjoin",
	 [] {
		 by_end(start_posix, [] {
			 while (pthread_tryjoin_np(posix_thread, NULL))
				 sched_yield();
		 });
	 }},
	{"thread_timedjoin",
	 [] {
		 by_end(start_posix,
			LATER(CLOCK_REALTIME, pthread_timedjoin_np(posix_thread, NULL, &until)));
	 }},
	{"thread_clockjoin",
	 [] {
		 by_end(start_posix,
			LATER(CLOCK_MONOTONIC,
			      pthread_clockjoin_np(posix_thread, NULL, CLOCK_MONOTONIC, &until)));
	 }},
	{"thread_c11_join", [] { by_end(start_c11, NOW(thrd_join(c11_thread, NULL))); }},
};

static void set_up()
{
	make_files();
	MUST(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
	MUST(pthread_barrier_init(&barrier, NULL, 2));
	MUST(sem_init(&semaphore, 0, 0));
	MUST(mtx_init(&c11_mutex, mtx_timed));
	MUST(cnd_init(&c11_condition));
}

static bool has(const char *name, const char *part)
{
	return strstr(name, part) != NULL;
}

static bool run(const char *name, const char *way)
{
	is_early = has(way, "early");
	for (const auto &life : lives) {
		if (strcmp(life.name, name))
			continue;
		life.run();
		return true;
	}
	for (const struct family &f : families)
		if (!strcmp(f.name, name))
			chosen = &f;
	if (!chosen)
		return false;
	if (is_early) {
		has(way, "callback") ? early_by_callback() : early_by_thread();
		return true;
	}
	set_up_device();
	if (has(way, "callback"))
		by_callback();
	else
		by_thread();
	return true;
}

// Nobody sleeps who spins, tries, finds a pipe that is full, or waits for what was done once. A
// host function may not let a lock go that another thread took.
static int list()
{
	for (const struct family &f : families) {
		bool sleeps = !has(f.name, "spin") && !has(f.name, "try") && !has(f.name, "full");

		printf("%s thread callback%s%s\n", f.name, sleeps ? " early-thread" : "",
		       sleeps && !f.hold && !f.work ? " early-callback" : "");
	}
	for (const auto &life : lives)
		printf("%s thread%s\n", life.name, has(life.name, "join") ? " early-thread" : "");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc != 4)
		return 1;
	set_up();
	is_late = !strcmp(argv[2], "late");
	if (!run(argv[1], argv[3]))
		return 1;
	CHECK(cudaDeviceSynchronize());
	return 0;
}
