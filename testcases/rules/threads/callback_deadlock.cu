// A host function takes a lock that a thread holds while it waits for the host function. A third
// thread gives the lock back in its place, so that this program ends; others hang.
// expect: SC-123 at=wait possible doubt=wait_ended
// expect[SHARDS]: SC-123 at=wait possible doubt=wait_ended
// expect[FIXED]: clean
#include <pthread.h>
#include <unistd.h>
#include <chrono>
#include <mutex>
#include <thread>
#include "testcases/common.h"
#include "testcases/unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unseen has_come, is_about_to_wait;
static pid_t user;
static int uses;

// Locks are watched from the first host function on.
static void CUDART_CB warm_up(void *data)
{
	(void)data;
}

static void CUDART_CB use(void *data)
{
	(void)data;
	user = gettid();
	has_come.set();
	pthread_mutex_lock(&lock);
	uses++;
	pthread_mutex_unlock(&lock);
}

#ifndef FIXED
// What the kernel says of a thread. Whoever spins, as drivers can, is given time.
static void await_sleep(pid_t thread)
{
	auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	while (state != 'S' && std::chrono::steady_clock::now() < end) {
		FILE *file = fopen(path, "r");

		if (!file || fscanf(file, "%*d %*[^)]) %c", &state) != 1)
			exit(EXIT_WRONG);
		fclose(file);
		sched_yield();
	}
}

static void rescue()
{
	has_come.await();
	await_sleep(user); // it waits for the lock
	is_about_to_wait.await();
	await_sleep(getpid()); // it waits for the host function
	pthread_mutex_unlock(&lock);
}
#endif

int main()
{
	cudaStream_t stream;

	CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaLaunchHostFunc(stream, warm_up, NULL));
#ifdef SHARDS // as a table that is locked as a whole
	std::mutex shards[100];
	for (std::mutex &shard : shards)
		shard.lock();
#endif
	pthread_mutex_lock(&lock);
	CHECK(cudaLaunchHostFunc(stream, use, NULL));
	uses++;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
	CHECK(cudaStreamSynchronize(stream));
#else
	std::thread rescuer(rescue);
	is_about_to_wait.set();
	CHECK(cudaStreamSynchronize(stream)); // @wait
	rescuer.join();
#endif
#ifdef SHARDS
	for (std::mutex &shard : shards)
		shard.unlock();
#endif
	CHECK(cudaStreamDestroy(stream));
	return uses == 2 ? 0 : EXIT_WRONG;
}
