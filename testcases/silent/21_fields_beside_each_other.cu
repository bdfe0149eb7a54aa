// Streams, and the host, use different fields of one array of structs. The compiler reads three of
// four fields by one vector load, with a pragma that says which of its bytes count.
// expect: clean
#include "testcases/common.h"

struct __align__(16) fields
{
	int a, b, c, d;
};

__global__ void read_all_but_c(const fields *p, int *out)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;

	out[i] = p[i].a + p[i].b + p[i].d;
}

__global__ void write_c(fields *p)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;

	p[i].c = i;
}

// The last load is of 16 bytes, four of which lie beyond the block's shared memory.
__global__ void through_shared(int *x)
{
	extern __shared__ __align__(16) int s[];
	int first = x[14];

	for (int i = 0; i < 7; i++)
		s[i] = x[7 + i];
	s[first] = 1;
	s[first + 1] = 2;
	for (int i = 0; i < 7; i++)
		x[i] = s[i];
}

int main()
{
	const int N = 1 << 12;
	fields *data, *mapped;
	int *out, *few, *back;
	cudaStream_t first, second;

	CHECK(cudaMallocHost(&mapped, N * sizeof(fields)));
	CHECK(cudaMallocHost(&back, N * sizeof(int)));
	CHECK(cudaMalloc(&data, N * sizeof(fields)));
	CHECK(cudaMalloc(&out, N * sizeof(int)));
	CHECK(cudaMalloc(&few, 15 * sizeof(int)));
	memset(mapped, 0, N * sizeof(fields));
	CHECK(cudaMemset(data, 0, N * sizeof(fields)));
	for (int i = 0; i < 15; i++)
		back[i] = i == 14 ? 4 : 9;
	CHECK(cudaMemcpy(few, back, 15 * sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	read_all_but_c<<<N / 256, 256, 0, first>>>(data, out);
	write_c<<<N / 256, 256, 0, second>>>(data);
	CHECK(cudaDeviceSynchronize());
	read_all_but_c<<<N / 256, 256, 0, first>>>(mapped, out);
	for (int i = 0; i < N; i++)
		((volatile fields *)mapped)[i].c = i;
	through_shared<<<1, 1, 7 * sizeof(int), first>>>(few);
	CHECK(cudaStreamSynchronize(first));
	CHECK(cudaMemcpy(back, out, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; runs_kernels() && i < N; i++)
		if (back[i] != 0)
			return EXIT_WRONG;
	CHECK(cudaMemcpy(back, few, 7 * sizeof(int), cudaMemcpyDeviceToHost));
	if (runs_kernels() && (back[3] != 9 || back[4] != 1 || back[5] != 2 || back[6] != 9))
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(data));
	CHECK(cudaFree(out));
	CHECK(cudaFree(few));
	CHECK(cudaFreeHost(mapped));
	CHECK(cudaFreeHost(back));
	return 0;
}
