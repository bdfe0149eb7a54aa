// Kernels and variables whose declarations test_sim_image.c knows by heart.
struct Mixed {
	char c;
	double d;
	int x[3];
};

__device__ int plain;
__device__ float numbers[4] = {1, 2, 3, 4};
__constant__ int constants[2] = {7, 8};
__managed__ int managed = 5;

__global__ void scale(float *p, float v, int n)
{
	if (threadIdx.x < n)
		p[threadIdx.x] = v + numbers[0] + constants[1] + managed;
	plain = 1;
}

__global__ void __launch_bounds__(128) mixed(Mixed m, char c, double *q)
{
	__shared__ double t[64];

	t[threadIdx.x] = m.d;
	__syncthreads();
	q[c] = t[63 - threadIdx.x];
}

template <class T> __global__ void one(T *p)
{
	p[0] = 1;
}

template __global__ void one<int>(int *);

__global__ void none()
{
}
