/* The per-thread records and their end. */
#include "simulator/driver/context/thread.h"

#include <pthread.h>

#include "simulator/driver/driver.h"
#include "simulator/driver/stream/stream.h"

static __thread struct sim_thread self;
static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

/* A thread's per-thread streams go with it; their pending work still runs (S-8). */
static void thread_ended(void *value)
{
	struct sim_thread *thread = value;

	if (atomic_load(&sim_driver.forked) || atomic_load(&sim_driver.exiting))
		return;
	sim_lock();
	sim_stream_release_thread(thread->id);
	sim_unlock();
}

static void make_key(void)
{
	pthread_key_create(&end_key, thread_ended);
}

struct sim_thread *sim_thread_self(void)
{
	static atomic_uint_fast64_t next_thread = 1;

	if (!self.id) {
		self.id = atomic_fetch_add(&next_thread, 1);
		pthread_once(&end_once, make_key);
		pthread_setspecific(end_key, &self);
	}
	return &self;
}

CUcontext sim_thread_context(void)
{
	struct sim_thread *thread = sim_thread_self();

	return thread->depth ? thread->stack[thread->depth - 1] : NULL;
}
