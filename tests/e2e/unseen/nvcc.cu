/* The same kernels as nvcc compiles and embeds them, beside others. The argument is the address of
 * the wrapper that is loaded, which the compiler gives no stable name. */
#include "unseen.h"

extern "C" __global__ void produce(int *memory)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	memory[i] = i;
}

extern "C" __global__ void consume(int *memory)
{
	memory[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **argv)
{
	need(argc == 2, "an argument");
	race((const void *)strtoul(argv[1], NULL, 16));
	return 0;
}
