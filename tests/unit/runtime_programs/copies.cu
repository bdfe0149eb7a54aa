/* Copies and fills of every shape, checked byte by byte against a plain computation. */
#include "check.h"

#include <cstring>
#include <vector>

typedef std::vector<unsigned char> bytes;

static bytes pattern(size_t size)
{
	bytes made(size);

	for (size_t i = 0; i < size; i++)
		made[i] = (unsigned char)(i * 7 + 3);
	return made;
}

static void linear()
{
	bytes sent = pattern(1000), found(1000);
	unsigned char *a = nullptr, *b = nullptr;

	CHECK_CUDA(cudaMalloc(&a, 1000));
	CHECK_CUDA(cudaMalloc(&b, 1000));
	CHECK_CUDA(cudaMemcpy(a, sent.data(), 1000, cudaMemcpyHostToDevice));
	CHECK_CUDA(cudaMemcpy(b, a, 1000, cudaMemcpyDeviceToDevice));
	CHECK_CUDA(cudaMemcpy(found.data(), b, 1000, cudaMemcpyDeviceToHost));
	CHECK(found == sent);
	CHECK_CUDA(cudaMemset(b + 10, 0xab, 5));
	CHECK_CUDA(cudaMemcpy(found.data(), b, 1000, cudaMemcpyDefault));
	memset(&sent[10], 0xab, 5);
	CHECK(found == sent);
	CHECK_CUDA(cudaMemcpy(&found[100], &found[0], 100, cudaMemcpyHostToHost));
	CHECK(!memcmp(&found[100], &found[0], 100));
	CHECK_ERROR(cudaMemcpy(a, b, 4, (cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
	CHECK_CUDA(cudaFree(a));
	CHECK_CUDA(cudaFree(b));
	CHECK_ERROR(cudaFree(b), cudaErrorInvalidValue);
	cudaGetLastError();
}

static void rectangles()
{
	bytes sent = pattern(32 * 6), found(32 * 6, 0);
	unsigned char *memory = nullptr;
	size_t pitch = 0;

	CHECK_CUDA(cudaMallocPitch(&memory, &pitch, 20, 6));
	CHECK(pitch >= 20);
	CHECK_CUDA(cudaMemset2D(memory, pitch, 0x11, 20, 6));
	CHECK_CUDA(cudaMemcpy2D(memory, pitch, sent.data(), 32, 10, 6, cudaMemcpyHostToDevice));
	CHECK_CUDA(cudaMemcpy2D(found.data(), 32, memory, pitch, 20, 6, cudaMemcpyDeviceToHost));
	for (int row = 0; row < 6; row++) {
		for (int column = 0; column < 20; column++) {
			unsigned char wanted = column < 10 ? sent[row * 32 + column] : 0x11;

			CHECK(found[row * 32 + column] == wanted);
		}
	}
	CHECK_CUDA(cudaFree(memory));
}

static void boxes()
{
	struct cudaExtent extent = make_cudaExtent(8, 4, 3);
	bytes sent = pattern(8 * 4 * 3), found(8 * 4 * 3, 0);
	struct cudaMemcpy3DParms copy = {};
	struct cudaPitchedPtr memory;

	CHECK_CUDA(cudaMalloc3D(&memory, extent));
	CHECK_CUDA(cudaMemset3D(memory, 0, extent));
	copy.srcPtr = make_cudaPitchedPtr(sent.data(), 8, 8, 4);
	copy.dstPtr = memory;
	copy.extent = extent;
	copy.kind = cudaMemcpyHostToDevice;
	CHECK_CUDA(cudaMemcpy3D(&copy));
	CHECK_CUDA(cudaMemset3D(memory, 0x22, make_cudaExtent(4, 2, 2)));
	copy.srcPtr = memory;
	copy.dstPtr = make_cudaPitchedPtr(found.data(), 8, 8, 4);
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK_CUDA(cudaMemcpy3D(&copy));
	for (int i = 0; i < 8 * 4 * 3; i++) {
		bool is_filled = i % 8 < 4 && i / 8 % 4 < 2 && i / 32 < 2;

		CHECK(found[i] == (is_filled ? 0x22 : sent[i]));
	}
	CHECK_CUDA(cudaFree(memory.ptr));
}

static void arrays()
{
	struct cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), described;
	bytes sent = pattern(64 * 4), found(64 * 4, 0);
	cudaArray_t array = nullptr, other = nullptr;
	struct cudaExtent extent;
	unsigned int flags = 1;

	CHECK_CUDA(cudaMallocArray(&array, &format, 16, 4));
	CHECK_CUDA(cudaMallocArray(&other, &format, 16, 4));
	CHECK_CUDA(cudaArrayGetInfo(&described, &extent, &flags, array));
	CHECK(described.x == 32 && described.y == 0 && described.f == cudaChannelFormatKindFloat);
	CHECK(extent.width == 16 && extent.height == 4 && flags == 0);
	CHECK_CUDA(
		cudaMemcpy2DToArray(array, 0, 0, sent.data(), 64, 64, 4, cudaMemcpyHostToDevice));
	CHECK_CUDA(cudaMemcpy2DFromArray(found.data(), 64, array, 0, 0, 64, 4,
					 cudaMemcpyDeviceToHost));
	CHECK(found == sent);
	CHECK_CUDA(cudaMemcpyFromArray(found.data(), array, 8, 1, 100, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(found.data(), &sent[64 + 8], 100));
	CHECK_CUDA(cudaMemcpyToArray(array, 60, 0, &sent[0], 80, cudaMemcpyHostToDevice));
	memmove(&sent[60], bytes(sent.begin(), sent.begin() + 80).data(), 80);
	CHECK_CUDA(cudaMemcpyArrayToArray(other, 4, 0, array, 0, 0, 200));
	CHECK_CUDA(cudaMemcpyFromArray(found.data(), other, 4, 0, 200, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(found.data(), sent.data(), 200));
	CHECK_CUDA(cudaFreeArray(array));
	CHECK_CUDA(cudaFreeArray(other));
}

/* Needs the second device, which the tests provide. */
static void between_devices()
{
	bytes sent = pattern(256), found(256);
	unsigned char *a = nullptr, *b = nullptr;

	CHECK_CUDA(cudaSetDevice(0));
	CHECK_CUDA(cudaMalloc(&a, 256));
	CHECK_CUDA(cudaSetDevice(1));
	CHECK_CUDA(cudaMalloc(&b, 256));
	CHECK_CUDA(cudaMemcpy(a, sent.data(), 256, cudaMemcpyHostToDevice));
	CHECK_CUDA(cudaMemcpyPeer(b, 1, a, 0, 256));
	CHECK_CUDA(cudaMemcpy(found.data(), b, 256, cudaMemcpyDeviceToHost));
	CHECK(found == sent);
	CHECK_CUDA(cudaMemset(b, 0, 256));
	CHECK_CUDA(cudaMemcpyPeerAsync(b, 1, a, 0, 256, 0));
	CHECK_CUDA(cudaDeviceSynchronize());
	CHECK_CUDA(cudaMemcpy(found.data(), b, 256, cudaMemcpyDeviceToHost));
	CHECK(found == sent);
	CHECK_CUDA(cudaFree(b));
	CHECK_CUDA(cudaFree(a));
	CHECK_CUDA(cudaSetDevice(0));
}

int main()
{
	linear();
	rectangles();
	boxes();
	arrays();
	between_devices();
	return 0;
}
