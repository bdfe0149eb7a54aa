// Probe 8 (S-3): does work in a blocking stream that was created later wait for a legacy op?
#include "probe.h"

int main()
{
	cudaStream_t late;
	int *mark;
	Hold hold;

	CHECK(cudaMallocHost(&mark, sizeof(int)));
	*mark = 0;
	hold.start(cudaStreamLegacy);
	CHECK(cudaStreamCreate(&late));
	store<<<1, 1, 0, late>>>(mark, 1);
	std::this_thread::sleep_for(std::chrono::milliseconds(50));
	(void)cudaStreamQuery(late);
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	fact("op in a blocking stream created after a running legacy op",
	     *(volatile int *)mark ? "runs beside it" : "waits for it");
	hold.release();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
