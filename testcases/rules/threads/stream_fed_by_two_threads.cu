// Two threads fill the same memory through one stream. Which of them comes first is decided by an
// atomic, which is right; a tool that sees locks and semaphores only cannot know.
// options: hosts=strict
// expect: SC-210 at=second possible doubt=handed_over
// expect[FIXED]: clean
#include <semaphore.h>
#include <thread>
#include "testcases/common.h"
#include "testcases/unseen.h"

static unseen first_is_in;
static sem_t handed_over;

static void fill_first(float *d_data, size_t bytes, cudaStream_t stream)
{
	CHECK(cudaMemsetAsync(d_data, 1, bytes, stream));
	first_is_in.set();
	sem_post(&handed_over);
}

static void fill_second(float *d_data, size_t bytes, cudaStream_t stream)
{
	first_is_in.await();
#ifdef FIXED
	sem_wait(&handed_over);
#endif
	CHECK(cudaMemsetAsync(d_data, 2, bytes, stream)); // @second
}

int main()
{
	const size_t bytes = 1 << 16;
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	sem_init(&handed_over, 0, 0);
	std::thread first(fill_first, d_data, bytes, stream);
	std::thread second(fill_second, d_data, bytes, stream);
	first.join();
	second.join();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
