// Probe 7 (H-3): which allocations wait for running work of unrelated streams?
#include "probe.h"

static void ask(const char *kind, cudaStream_t stream)
{
	char text[96], *p, *heap = (char *)aligned_alloc(4096, 64 << 20);
	Hold hold;

	auto one = [&](const char *name, auto call, auto undo) {
		for (const char *time : {"first", "repeated"}) {
			hold.start(stream);
			double ms = timed_ms(hold, call);
			snprintf(text, sizeof(text), "%s (%s) while a %s stream is busy", name,
				 time, kind);
			fact_timed(text, ms);
			CHECK(cudaDeviceSynchronize());
			undo();
		}
	};
	one(
		"cudaMalloc of 4 KiB", [&] { CHECK(cudaMalloc(&p, 4096)); }, [&] { cudaFree(p); });
	one(
		"cudaMalloc of 64 MiB", [&] { CHECK(cudaMalloc(&p, 64 << 20)); },
		[&] { cudaFree(p); });
	one(
		"cudaMallocHost of 4 KiB", [&] { CHECK(cudaMallocHost(&p, 4096)); },
		[&] { cudaFreeHost(p); });
	one(
		"cudaMallocHost of 64 MiB", [&] { CHECK(cudaMallocHost(&p, 64 << 20)); },
		[&] { cudaFreeHost(p); });
	one(
		"cudaHostRegister of 64 MiB", [&] { CHECK(cudaHostRegister(heap, 64 << 20, 0)); },
		[&] { cudaHostUnregister(heap); });
	one(
		"cudaMallocManaged of 4 KiB", [&] { CHECK(cudaMallocManaged(&p, 4096)); },
		[&] { cudaFree(p); });
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
