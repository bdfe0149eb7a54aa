/* Start, end and the one lock of the simulated driver. */
#include "simulator/driver/driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulator/driver/api.h"
#include "simulator/driver/crew.h"
#include "simulator/driver/program.h"
#include "simulator/driver/memory.h"
#include "simulator/driver/schedule.h"

#define DEFAULT_DEVICES	    2
#define DEVICE_MEMORY_BYTES ((size_t)16 << 30)

struct sim_driver sim_driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

void sim_lock(void)
{
	pthread_mutex_lock(&sim_driver.lock);
}

void sim_unlock(void)
{
	pthread_mutex_unlock(&sim_driver.lock);
}

void sim_wait_change(void)
{
	sim_driver.waiters++;
	pthread_cond_wait(&sim_driver.changed, &sim_driver.lock);
	sim_driver.waiters--;
}

void sim_announce_change(void)
{
	if (sim_driver.waiters)
		pthread_cond_broadcast(&sim_driver.changed);
}

uint64_t sim_next_id(void)
{
	return ++sim_driver.next_id;
}

uint64_t sim_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct sim_device *sim_device_get(CUdevice ordinal)
{
	if (ordinal < 0 || ordinal >= sim_driver.device_count)
		return NULL;
	return &sim_driver.devices[ordinal];
}

/* STREAMCHECK_SIM_DEVICES, or the default when it is not a number from 0 to the maximum. */
static int wanted_devices(void)
{
	const char *text = getenv("STREAMCHECK_SIM_DEVICES");
	char *end;
	long count;

	if (!text || !*text)
		return DEFAULT_DEVICES;
	count = strtol(text, &end, 10);
	if (*end || count < 0)
		return DEFAULT_DEVICES;
	return count > SIM_MAX_DEVICES ? SIM_MAX_DEVICES : (int)count;
}

/* A child must not touch locks or threads that it did not inherit whole. */
static void mark_forked(void)
{
	if (atomic_load(&sim_driver.initialized))
		atomic_store(&sim_driver.forked, true);
}

static void prepare_devices(void)
{
	const char *shares = getenv("STREAMCHECK_SIM_CONCURRENT_MANAGED");
	const char *failing = getenv("STREAMCHECK_SIM_FAILING_KERNEL");
	int i;

	sim_driver.shares_managed = !shares || strcmp(shares, "0") != 0;
	sim_driver.failing = failing && *failing ? strdup(failing) : NULL;
	sim_driver.device_count = wanted_devices();
	for (i = 0; i < sim_driver.device_count; i++) {
		sim_driver.devices[i].ordinal = i;
		sim_driver.devices[i].total_bytes = DEVICE_MEMORY_BYTES;
	}
}

CUresult sim_cuInit(unsigned int Flags)
{
	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (atomic_load(&sim_driver.initialized))
		return CUDA_SUCCESS;
	if (!sim_driver.device_count) {
		prepare_devices();
		if (!sim_driver.device_count)
			return CUDA_ERROR_NO_DEVICE;
		if (!sim_memory_init())
			return CUDA_ERROR_OUT_OF_MEMORY;
		sim_schedule_init();
		sim_program_init();
		sim_crew_init();
		pthread_cond_init(&sim_driver.changed, NULL);
		pthread_atfork(NULL, NULL, mark_forked);
	}
	atomic_store(&sim_driver.initialized, true);
	return CUDA_SUCCESS;
}

CUresult sim_cuDriverGetVersion(int *driverVersion)
{
	if (!driverVersion)
		return CUDA_ERROR_INVALID_VALUE;
	*driverVersion = SIM_VERSION;
	return CUDA_SUCCESS;
}

/*
 * Nothing waits for pending work when a process ends (ordering rule H-3, "process exit"), so the
 * workers simply stop taking work; joining one that runs a host function could hang forever.
 */
__attribute__((destructor)) static void end(void)
{
	atomic_store(&sim_driver.exiting, true);
}
