// Probe 6 (H-3): which frees wait for running work of unrelated streams?
#include "probe.h"

static const char image[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
			    ".visible .entry nothing() { ret; }\n";

static void ask(const char *kind, cudaStream_t stream)
{
	char text[96];
	char *device, *pinned, *heap;
	cudaArray_t array;
	CUmodule module;
	Hold hold;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();

	CHECK(cudaMalloc(&device, 1 << 20));
	CHECK(cudaMallocHost(&pinned, 1 << 20));
	heap = (char *)aligned_alloc(4096, 1 << 20);
	CHECK(cudaHostRegister(heap, 1 << 20, 0));
	CHECK(cudaMallocArray(&array, &format, 64, 64));
	CHECK_DRIVER(cuModuleLoadData(&module, image));
	auto one = [&](const char *name, auto call) {
		hold.start(stream);
		double ms = timed_ms(hold, call);
		snprintf(text, sizeof(text), "%s while a %s stream is busy", name, kind);
		fact_timed(text, ms);
		CHECK(cudaDeviceSynchronize());
	};
	one("cudaFree of other memory", [&] { CHECK(cudaFree(device)); });
	one("cudaFreeHost", [&] { CHECK(cudaFreeHost(pinned)); });
	one("cudaHostUnregister", [&] { CHECK(cudaHostUnregister(heap)); });
	one("cudaFreeArray", [&] { CHECK(cudaFreeArray(array)); });
	one("cuModuleUnload", [&] { CHECK_DRIVER(cuModuleUnload(module)); });
	free(heap);
}

int main()
{
	cudaStream_t blocking, other;

	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	ask("blocking", blocking);
	ask("non-blocking", other);
	return 0;
}
