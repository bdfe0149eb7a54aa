/* The simulated driver's process-wide state: one lock, devices, threads, start and end.
 *
 * One mutex protects everything that the driver knows: handles, streams, ops, memory tables and
 * graphs. Every API call takes it on entry (call.h) and every function of the driver expects it
 * held, unless its comment says otherwise. Engines drop it while they move bytes, waiting hosts
 * while they wait. With one lock there is no lock order to get wrong.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#define SIM_MAX_DEVICES	    64
#define SIM_VERSION	    13050
#define SIM_MULTIPROCESSORS 132
#define SIM_ARCH	    90 /* the newest instruction set of the simulated device */

struct sim_device {
	int ordinal;
	int number; /* in the machine; the ordinal counts those that this process sees */
	size_t total_bytes;
	size_t used_bytes;
	struct {
		uint64_t current, high;
	} graph_used, graph_reserved; /* bytes of graphs' memory (graph/graph_memory.h) */
	uint64_t graph_spare_bytes;   /* of the used ones: of memory that is gone */
	CUcontext primary;	      /* owned; allocated once, activated by the first retain */
	unsigned int primary_refs;
	unsigned int primary_flags;
	CUmemoryPool default_pool; /* owned */
	CUmemoryPool dying_pools;  /* owned; destroyed, but some of their memory is in use */
	CUmemoryPool current_pool; /* borrowed; the pool that cuMemAllocAsync takes from */
};

struct sim_driver {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* some op has finished */
	unsigned int waiters;	/* hosts that wait for `changed` */
	atomic_bool initialized;
	atomic_bool forked;  /* this is a child of an initialized process */
	atomic_bool exiting; /* the library's destructor has run */
	int device_count;
	bool shares_managed; /* host and devices may use managed memory at once (M-6, M-7) */
	const char *failing; /* owned; kernels whose names contain it fail; NULL: none does */
	struct sim_device devices[SIM_MAX_DEVICES];
	uint64_t next_id; /* ids of contexts, streams and captures; never used twice */
};

extern struct sim_driver sim_driver;

/* False if the device has no memory left for so many bytes; the first time it says so on stderr. */
bool sim_device_has_room(const struct sim_device *device, size_t bytes);

void sim_lock(void);
void sim_unlock(void);

/* Sleeps until an op has finished; drops the lock meanwhile. */
void sim_wait_change(void);

/* Wakes the hosts that wait for a change. */
void sim_announce_change(void);

uint64_t sim_next_id(void);
uint64_t sim_now_ns(void);

/* The device with that ordinal, or NULL. */
struct sim_device *sim_device_get(CUdevice ordinal);
/* Is the place a device? A device has one locality domain, which is all of it. */
bool sim_device_of_location(const CUmemLocation *location, int *ordinal);
/* The one with that number, NULL if this process does not see it. */
struct sim_device *sim_device_of_number(int number);
