// The kernels of the programs here, by names that C can use.

extern "C" __global__ void put(float *to, int count, float value)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] = value;
}

extern "C" __global__ void add(float *to, const float *from, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] += from[i];
}
