/* A program that is only read: the reports of tests/unit/reports/test_report.c quote its lines. */
#include <cstdio>

__global__ void scale(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= 2;
}

static float run(float *dev, int n, cudaStream_t stream)
{
	float *out;

	cudaMallocHost(&out, n * sizeof(*out));
	scale<<<n / 256, 256, 0, stream>>>(dev, n);
	cudaMemcpyAsync(out, dev, n * sizeof(*out), cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(0);
	return out[0];
}

int main()
{
	cudaStream_t stream;
	float *dev;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	cudaMalloc(&dev, 1024 * sizeof(*dev));
	printf("%f\n", run(dev, 1024, stream));
	return 0;
}
