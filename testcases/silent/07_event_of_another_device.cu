// A stream waits for an event of another device, which the host synchronizes while yet another
// device is current. (15.5 item 7)
// expect: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data, *h_back, *d_data;
	cudaStream_t first, second;
	cudaEvent_t done;

	need_devices(2);
	h_data = pinned(bytes);
	h_back = pinned(bytes);
	fill(h_data, 7, N);
	d_data = on_device(bytes);
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaSetDevice(1));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, first));
	CHECK(cudaEventRecord(done, first));
	CHECK(cudaStreamWaitEvent(second, done, 0));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, second));
	CHECK(cudaEventSynchronize(done));
	fill(h_data, 8, N);
	CHECK(cudaStreamSynchronize(second));
	verify(h_back, 7, N);
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaSetDevice(0));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
