// One thread of an OpenMP team waits for a fill and releases, another one fills the same memory.
//
// usage: team CONSTRUCT seen|late
//        team list
//
// seen: the thread releases after its wait, so the second fill comes after the first. late: it
// releases before its wait, or not at all, and notifies of the wait by an atomic only, which no
// tool sees.
#include <omp.h>
#include "testcases/common.h"
#include "testcases/unseen.h"

static float *d_data;
static const size_t bytes = 1 << 12;
static cudaStream_t filling, refilling;

static unseen is_given, is_complete, is_refilled, has_begun;
static bool is_late;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void complete()
{
	CHECK(cudaStreamSynchronize(filling));
	is_complete.set();
}

static void refill()
{
	is_complete.await();
	CHECK(cudaMemsetAsync(d_data, 2, bytes, refilling));
	is_refilled.set();
}

// Two parts, each in a thread of its own: both must have begun.
static void wait_for_other()
{
	if (has_begun.is_set.exchange(true))
		is_given.set();
	is_given.await();
}

static bool is_first()
{
	return omp_get_thread_num() == 0;
}

// The first thread of a team completes the fill before the release, or after it.
static void complete_if(bool is_now)
{
	if (is_first() && is_now)
		complete();
}

static void refill_in_second()
{
	if (!is_first())
		refill();
}

// ---- regions and what ends in a barrier ----

static void by_fork()
{
	if (!is_late)
		complete();
#pragma omp parallel num_threads(2)
	{
		complete_if(is_late);
		refill_in_second();
	}
}

static void by_join()
{
#pragma omp parallel num_threads(2)
	{
		if (!is_first())
			complete();
		else if (is_late)
			refill();
	}
	if (!is_late)
		refill();
}

static void by_loop_region()
{
	if (!is_late)
		complete();
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
	for (int i = 0; i < 2; i++) {
		wait_for_other();
		complete_if(is_late);
		refill_in_second();
	}
}

// Each thread is in a section of its own: the one that is first waits for the other.
static void be_in_section()
{
	complete_if(is_late);
	refill_in_second();
	is_refilled.await();
}

static void by_sections_region()
{
	if (!is_late)
		complete();
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		be_in_section();
#pragma omp section
		be_in_section();
	}
}

static void by_barrier()
{
#pragma omp parallel num_threads(2)
	{
		complete_if(!is_late);
#pragma omp barrier
		complete_if(is_late);
		refill_in_second();
	}
}

// The first barrier of a team does not order work in the second one.
static void by_two_barriers()
{
#pragma omp parallel num_threads(2)
	{
#pragma omp barrier
		complete_if(!is_late);
#pragma omp barrier
		complete_if(is_late);
		refill_in_second();
	}
}

static void by_loop_end()
{
#pragma omp parallel num_threads(2)
	{
		complete_if(true);
		if (is_late) {
#pragma omp for schedule(dynamic) nowait
			for (int i = 0; i < 8; i++)
				sched_yield();
		} else {
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 8; i++)
				sched_yield();
		}
		refill_in_second();
	}
}

static void by_sections_end()
{
#pragma omp parallel num_threads(2)
	{
		complete_if(true);
		if (is_late) {
#pragma omp sections nowait
			{
				sched_yield();
#pragma omp section
				sched_yield();
			}
		} else {
#pragma omp sections
			{
				sched_yield();
#pragma omp section
				sched_yield();
			}
		}
		refill_in_second();
	}
}

static void by_single()
{
#pragma omp parallel num_threads(2)
	{
		complete_if(true);
		if (is_late) {
#pragma omp single nowait
			sched_yield();
		} else {
#pragma omp single
			sched_yield();
		}
		refill_in_second();
	}
}

// ---- locks: the first thread has had it, then the second one takes it ----

template <typename Give, typename Take> static void by_lock(Give give, Take take)
{
#pragma omp parallel num_threads(2)
	{
		if (is_first()) {
			complete_if(!is_late);
			give();
			is_given.set();
			complete_if(is_late);
		} else {
			is_given.await();
			take();
			refill();
		}
	}
}

static void pass_critical()
{
#pragma omp critical
	sched_yield();
}

static void pass_named()
{
#pragma omp critical(named)
	sched_yield();
}

static void pass_lock()
{
	omp_set_lock(&lock);
	omp_unset_lock(&lock);
}

static void pass_nest_lock()
{
	omp_set_nest_lock(&nest_lock);
	omp_set_nest_lock(&nest_lock);
	omp_unset_nest_lock(&nest_lock);
	omp_unset_nest_lock(&nest_lock);
}

static void test_lock()
{
	while (!omp_test_lock(&lock))
		sched_yield();
	omp_unset_lock(&lock);
}

static void test_nest_lock()
{
	while (!omp_test_nest_lock(&nest_lock))
		sched_yield();
	omp_unset_nest_lock(&nest_lock);
}

static const struct {
	const char *name;
	void (*run)();
} constructs[] = {
	{"fork", by_fork},
	{"join", by_join},
	{"loop_region", by_loop_region},
	{"sections_region", by_sections_region},
	{"barrier", by_barrier},
	{"two_barriers", by_two_barriers},
	{"loop_end", by_loop_end},
	{"sections_end", by_sections_end},
	{"single", by_single},
	{"critical", [] { by_lock(pass_critical, pass_critical); }},
	{"named", [] { by_lock(pass_named, pass_named); }},
	{"lock", [] { by_lock(pass_lock, pass_lock); }},
	{"test_lock", [] { by_lock(test_lock, test_lock); }},
	{"nest_lock", [] { by_lock(pass_nest_lock, pass_nest_lock); }},
	{"test_nest_lock", [] { by_lock(test_nest_lock, test_nest_lock); }},
};

static int list()
{
	for (const auto &construct : constructs)
		printf("%s\n", construct.name);
	return 0;
}

static bool run(const char *name)
{
	for (const auto &construct : constructs) {
		if (strcmp(construct.name, name))
			continue;
		construct.run();
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc != 3)
		return 1;
	is_late = !strcmp(argv[2], "late");
	omp_set_dynamic(0);
#pragma omp parallel num_threads(2)
	sched_yield(); // so that no thread knows by its creation what comes now
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	d_data = on_device(bytes);
	CHECK(cudaStreamCreateWithFlags(&filling, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&refilling, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(d_data, 1, bytes, filling));
	if (!run(argv[1]))
		return 1;
	CHECK(cudaDeviceSynchronize());
	return 0;
}
