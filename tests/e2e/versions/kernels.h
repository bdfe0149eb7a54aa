/* The kernels of kernels.ptx, registered with the runtime as nvcc's code does it. */
#ifndef SC_TESTS_VERSIONS_KERNELS_H
#define SC_TESTS_VERSIONS_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdlib.h>

/* Made by `fatbinary`; kernels.fatbin is in the folder of the assembler's -I. */
__asm__(".section .nv_fatbin, \"a\"\n"
	".balign 8\n"
	"kernels_image: .incbin \"kernels.fatbin\"\n"
	".previous\n");
extern const char kernels_image[];

static struct {
	int magic, version;
	const void *image;
	void *unused;
} kernels_wrapper
	__attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, kernels_image, NULL};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int thread_limit, void *thread, void *block, void *block_dim,
			    void *grid_dim, int *warp_size);

/* The addresses by which the program names the kernels. */
static char produce, consume;
static void **kernels_handle;

static void kernels_unregister(void)
{
	__cudaUnregisterFatBinary(kernels_handle);
}

__attribute__((constructor)) static void kernels_register(void)
{
	static char produce_name[] = "produce", consume_name[] = "consume";

	kernels_handle = __cudaRegisterFatBinary(&kernels_wrapper);
	__cudaRegisterFunction(kernels_handle, &produce, produce_name, produce_name, -1, NULL, NULL,
			       NULL, NULL, NULL);
	__cudaRegisterFunction(kernels_handle, &consume, consume_name, consume_name, -1, NULL, NULL,
			       NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(kernels_handle);
	atexit(kernels_unregister);
}

#define BLOCKS	4
#define THREADS 256
#define BYTES	(BLOCKS * THREADS * sizeof(int))

static inline cudaError_t kernels_launch(const void *kernel, int *memory, cudaStream_t stream)
{
	void *arguments[] = {&memory};

	return cudaLaunchKernel(kernel, (dim3){BLOCKS, 1, 1}, (dim3){THREADS, 1, 1}, arguments, 0,
				stream);
}

#endif
