// A host function reads a file into pageable memory, and the copy after it in the stream takes it
// from there: the driver may have read the source when the copy was enqueued.
// expect: SC-149 at=input proven
// expect[FIXED]: clean
#include <fcntl.h>
#include <unistd.h>
#include "testcases/common.h"
#include "testcases/unseen.h"

static const size_t bytes = 1 << 12;
static bool is_wrong;
static unseen enqueued; // only so that every run goes the same way

static void CUDART_CB input(void *data)
{
	int file = open("/dev/zero", O_RDONLY);

	enqueued.await();
	is_wrong = read(file, data, bytes) != (ssize_t)bytes; // @input
	close(file);
}

int main()
{
	float *h_data, *d_data = on_device(bytes);
	cudaStream_t stream;

#ifdef FIXED
	h_data = pinned(bytes);
#else
	h_data = (float *)calloc(1, bytes);
#endif
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaLaunchHostFunc(stream, input, h_data));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	enqueued.set();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
#ifdef FIXED
	CHECK(cudaFreeHost(h_data));
#else
	free(h_data);
#endif
	return is_wrong ? EXIT_WRONG : 0;
}
