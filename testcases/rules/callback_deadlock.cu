// A host function takes a lock that a thread holds while it waits for the host function. A third
// thread gives the lock back in its place, so that this program ends; others hang.
// expect: SC-123 at=wait possible
// expect[FIXED]: clean
#include <pthread.h>
#include <thread>
#include "testcases/common.h"
#include "testcases/unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unseen has_come;
static int uses;

// Locks are watched from the first host function on.
static void CUDART_CB warm_up(void *data)
{
	(void)data;
}

static void CUDART_CB use(void *data)
{
	(void)data;
	has_come.tell();
	pthread_mutex_lock(&lock);
	uses++;
	pthread_mutex_unlock(&lock);
}

#ifndef FIXED
static void rescue()
{
	has_come.await();
	pthread_mutex_unlock(&lock);
}
#endif

int main()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaLaunchHostFunc(stream, warm_up, NULL));
	pthread_mutex_lock(&lock);
	CHECK(cudaLaunchHostFunc(stream, use, NULL));
	uses++;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
	CHECK(cudaStreamSynchronize(stream));
#else
	std::thread rescuer(rescue);
	CHECK(cudaStreamSynchronize(stream)); // @wait
	rescuer.join();
#endif
	CHECK(cudaStreamDestroy(stream));
	return uses == 2 ? 0 : EXIT_WRONG;
}
