/* Uses results too early, in three functions: one is the bug, one is accepted, one is known.
 *
 * FIXED in the environment mends the bug; WASTEFUL copies once more than the budget allows.
 */
#include <cstdio>
#include <cstdlib>

static const int COUNT = 1024;
static float *values, *sums, *host;
static cudaStream_t producer, consumer;

__global__ void produce(float *to)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

__global__ void consume(const float *from, float *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = 2 * from[i];
}

/* The bug: nothing orders the two kernels. */
static __attribute__((noinline)) void pass_on()
{
	produce<<<COUNT / 256, 256, 0, producer>>>(values);
	if (getenv("FIXED"))
		cudaStreamSynchronize(producer);
	consume<<<COUNT / 256, 256, 0, consumer>>>(values, sums);
	cudaDeviceSynchronize();
}

static void start()
{
	cudaMemcpyAsync(host, sums, COUNT * sizeof(float), cudaMemcpyDeviceToHost, consumer);
}

/* Accepted by accepted.txt. */
static __attribute__((noinline)) float peek()
{
	start();
	float first = host[1];
	cudaStreamSynchronize(consumer);
	return first;
}

/* Stands in the baseline, known.txt. */
static __attribute__((noinline)) float drain()
{
	start();
	float second = host[2];
	cudaStreamSynchronize(consumer);
	return second;
}

int main()
{
	if (cudaMalloc(&values, COUNT * sizeof(float)) ||
	    cudaMalloc(&sums, COUNT * sizeof(float)) ||
	    cudaMallocHost(&host, COUNT * sizeof(float)) ||
	    cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking) ||
	    cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking))
		return 1;
	pass_on();
	float sum = peek() + drain();
	if (getenv("WASTEFUL"))
		start();
	cudaStreamSynchronize(consumer);
	printf("%g\n", sum);
	return 0;
}
