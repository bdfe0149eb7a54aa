// Host code gives device memory to write(), which the kernel of the host refuses; nothing crashes
// and nothing is written. With -DDIRECT it stores into it.
// expect: SC-126 at=touch proven
// expect[DIRECT]: SC-126 at=store proven
// exit[DIRECT]: SIGSEGV
// expect[FIXED]: clean
#include <fcntl.h>
#include <unistd.h>
#include "testcases/common.h"

int main()
{
	const size_t bytes = 4096;
	float *d_data = on_device(bytes);
#ifdef DIRECT
	d_data[0] = 1; // @store
#elif defined(FIXED)
	float *h_data = (float *)malloc(bytes);

	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaMemcpy(h_data, d_data, bytes, cudaMemcpyDeviceToHost));
	verify(h_data, 0, bytes / sizeof(float));
	free(h_data);
#else
	int file = open("/dev/zero", O_RDWR);

	if (read(file, d_data, bytes) < 0) // @touch
		perror("read");
	close(file);
#endif
	CHECK(cudaFree(d_data));
	return 0;
}
