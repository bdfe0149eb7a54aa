// A semaphore of another side is destroyed while a stream may still wait for it (W-4, SC-121).
//
// The other side may see a signal, and notify the program: that is not seen (-DSIGNAL).
// expect: SC-121 at=destroy proven
// expect[FIXED]: clean
// expect[SIGNAL]: SC-121 at=destroy possible doubt=unseen_signal
#include "testcases/semaphore.h"

int main()
{
	struct semaphore semaphore = import_semaphore(true);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
#ifdef SIGNAL
	signal(&semaphore, 1, stream);
	wait_elsewhere(&semaphore, 1);
#else
	signal_elsewhere(&semaphore, 1);
	wait(&semaphore, 1, stream);
#endif
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaDestroyExternalSemaphore(semaphore.imported)); // @destroy
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	close_exports();
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
