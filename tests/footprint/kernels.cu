/* Kernels whose footprints are compared with the truth: the idioms that programs are made of. */
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void
#define X      (blockIdx.x * blockDim.x + threadIdx.x)
#define Y      (blockIdx.y * blockDim.y + threadIdx.y)
#define Z      (blockIdx.z * blockDim.z + threadIdx.z)

struct vectors {
	float *a;
	int n;
	const float *b;
	short step;
};

struct image {
	unsigned char *pixels;
	size_t pitch;
	int width, height;
};

__device__ int counter;
__device__ float table[256];
__constant__ float weights[16];

#include "kernels/elements.cu"
#include "kernels/planes.cu"
#include "kernels/blocks.cu"
#include "kernels/code.cu"
