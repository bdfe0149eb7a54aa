// The kernel that texts.cu launches from a module.
extern "C" __global__ void fill(int *to)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
