// A graph captured from two streams and launched many times: kernels, copies, fills, a branch that
// joins; between launches the host writes new input.
// expect: clean
#include "testcases/compute.h"

static const int N = 1000, ROUNDS = 6;

__global__ void add(int *to, const int *what, int n, int factor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] += what[i] * factor;
}

__global__ void multiply(int *to, int n, int factor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] *= factor;
}

int main()
{
	need_kernels();
	int *in = host_array<int>(N), *got = host_array<int>(N), *want = host_array<int>(N);
	int *d_in = device_array<int>(N), *d_side = device_array<int>(N),
	    *d_sum = device_zeros<int>(N);
	cudaStream_t stream, side;
	cudaEvent_t forked, joined;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&side));
	CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
	for (int i = 0; i < N; i++)
		in[i] = i % 10;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(d_in, in, N * sizeof(int), cudaMemcpyHostToDevice, stream));
	CHECK(cudaEventRecord(forked, stream));
	CHECK(cudaStreamWaitEvent(side, forked));
	CHECK(cudaMemsetAsync(d_side, 0, N * sizeof(int), side));
	add<<<8, 128, 0, side>>>(d_side, d_in, N, 7);
	multiply<<<8, 128, 0, stream>>>(d_sum, N, 3);
	CHECK(cudaEventRecord(joined, side));
	CHECK(cudaStreamWaitEvent(stream, joined));
	add<<<8, 128, 0, stream>>>(d_sum, d_side, N, 1);
	CHECK(cudaMemcpyAsync(got, d_sum, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < N; i++) {
			in[i] = (i + round) % 10;
			want[i] = want[i] * 3 + in[i] * 7;
		}
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	expect_equal("sums", got, want, N);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaEventDestroy(forked));
	CHECK(cudaEventDestroy(joined));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(side));
	free_device(d_in, d_side, d_sum);
	free_host(in, got, want);
	return 0;
}
