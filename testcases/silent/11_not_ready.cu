// Queries may answer "not ready", and a stream may be asked whether it captures: neither is an
// error. (15.5 item 11)
// expect: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	enum cudaStreamCaptureStatus status;
	cudaStream_t stream;
	cudaEvent_t done;
	cudaError_t answer;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaEventRecord(done, stream));
	answer = cudaStreamQuery(stream);
	if (answer != cudaErrorNotReady)
		CHECK(answer);
	answer = cudaEventQuery(done);
	if (answer != cudaErrorNotReady)
		CHECK(answer);
	CHECK(cudaStreamIsCapturing(stream, &status));
	if (status != cudaStreamCaptureStatusNone)
		return EXIT_WRONG;
	while ((answer = cudaEventQuery(done)) == cudaErrorNotReady)
		;
	CHECK(answer);
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
