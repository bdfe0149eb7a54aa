/* Start, end and the one lock of the simulated driver. */
#include "simulator/driver/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/option.h"
#include "base/sim_variable.h"
#include "simulator/driver/api.h"
#include "simulator/driver/call.h"
#include "simulator/driver/context/visible.h"
#include "simulator/driver/schedule/crew.h"
#include "simulator/driver/module/program.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/schedule/pair.h"
#include "simulator/driver/schedule/schedule.h"

#define DEFAULT_DEVICES	    2
#define DEVICE_MEMORY_BYTES (UINT64_C(16) << 30)

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

bool sim_device_of_location(const CUmemLocation *location, int *ordinal)
{
	if (location->type == CU_MEM_LOCATION_TYPE_DEVICE) {
		*ordinal = location->id;
		return true;
	}
	*ordinal = location->localized.deviceId;
	return location->type == CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN &&
	       !location->localized.localityDomainId;
}

struct sim_device *sim_device_of_number(int number)
{
	for (int i = 0; i < sim_driver.device_count; i++)
		if (sim_driver.devices[i].number == number)
			return &sim_driver.devices[i];
	return NULL;
}

/* The least power of two of GiB that is enough. */
static uint64_t enough_gib(uint64_t bytes)
{
	uint64_t gib = 1;

	while (gib < UINT64_C(1) << 33 && gib << 30 < bytes)
		gib *= 2;
	return gib;
}

bool sim_device_has_room(const struct sim_device *device, size_t bytes)
{
	static atomic_bool is_said;
	size_t used = device->used_bytes;
	char line[256];

	if (bytes <= device->total_bytes - used)
		return true;
	if (!atomic_exchange(&is_said, true))
		sim_call_say(line,
			     snprintf(line, sizeof(line),
				      "simulated device: out of memory: %zu bytes are wanted, "
				      "and %zu of %zu MiB are in use; streamcheck run "
				      "--sim-memory=%" PRIu64 "g gives each device more\n",
				      bytes, used >> 20, device->total_bytes >> 20,
				      enough_gib(used + (uint64_t)bytes)));
	return false;
}

/* STREAMCHECK_SIM_DEVICES, at most as many as there can be. */
static int wanted_devices(void)
{
	const char *text = getenv("STREAMCHECK_SIM_DEVICES");
	long count = text && *text ? strtol(text, NULL, 10) : DEFAULT_DEVICES;

	return count > SIM_MAX_DEVICES ? SIM_MAX_DEVICES : (int)count;
}

static size_t wanted_memory(void)
{
	const char *text = getenv("STREAMCHECK_SIM_MEMORY");
	uint64_t bytes;

	return text && sc_options_read_size(text, &bytes) ? bytes : DEVICE_MEMORY_BYTES;
}

/* Says what is wrong with the environment; a program that means something else by it must not run
 * as if all were well. */
static bool has_sound_environment(void)
{
	char message[256], line[320];

	if (sc_sim_variables_check(message, sizeof(message)))
		return true;
	sim_call_say(line, snprintf(line, sizeof(line), "simulated device: %s\n", message));
	return false;
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
	int numbers[SIM_MAX_DEVICES];

	sim_driver.shares_managed = !shares || strcmp(shares, "0") != 0;
	sim_driver.failing = failing && *failing ? strdup(failing) : NULL;
	sim_driver.device_count =
		sim_visible_choose(getenv("CUDA_VISIBLE_DEVICES"), wanted_devices(), numbers);
	for (int i = 0; i < sim_driver.device_count; i++) {
		sim_driver.devices[i].ordinal = i;
		sim_driver.devices[i].number = numbers[i];
		sim_driver.devices[i].total_bytes = wanted_memory();
	}
}

CUresult sim_cuInit(unsigned int Flags)
{
	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (atomic_load(&sim_driver.initialized))
		return CUDA_SUCCESS;
	if (!sim_driver.device_count) {
		if (!has_sound_environment())
			return CUDA_ERROR_INVALID_VALUE;
		prepare_devices();
		if (!sim_driver.device_count)
			return CUDA_ERROR_NO_DEVICE;
		if (!sim_memory_init()) {
			sim_range_say_limit(SIM_RANGE_LEAST);
			return CUDA_ERROR_OUT_OF_MEMORY;
		}
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
	sim_pair_exit();
	atomic_store(&sim_driver.exiting, true);
}
