/* The same kernels as nvcc compiles and embeds them, beside others. The argument is the address of
 * the wrapper that is loaded, which the compiler gives no stable name. */
#include "unseen.h"

#ifdef VARIABLE /* is what the kernels use, and not what they are given */
__device__ int numbers[BLOCKS * THREADS];
#endif

extern "C" __global__ void produce(int *memory)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#ifdef VARIABLE
	memory = numbers;
#endif
	memory[i] = i;
}

extern "C" __global__ void consume(int *memory)
{
#ifdef VARIABLE
	memory = numbers;
#endif
	memory[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **argv)
{
	need(argc == 2, "an argument");
	race((const void *)strtoul(argv[1], NULL, 16));
	return 0;
}
