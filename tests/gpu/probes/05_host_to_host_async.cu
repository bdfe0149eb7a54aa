// Probe 5 (C-A3): does an async host-to-host copy see what an earlier kernel of its stream wrote?
#include "probe.h"

int main()
{
	cudaStream_t stream;
	int *source, *target;
	Hold hold;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&source, sizeof(int)));
	CHECK(cudaMallocHost(&target, sizeof(int)));
	*source = 1;
	*target = 0;
	hold.start(stream);
	store<<<1, 1, 0, stream>>>(source, 2);
	double ms = timed_ms(hold, [&] {
		CHECK(cudaMemcpyAsync(target, source, sizeof(int), cudaMemcpyHostToHost, stream));
	});
	int at_return = *(volatile int *)target;
	CHECK(cudaStreamSynchronize(stream));
	fact_timed("async H2H copy in a busy stream", ms);
	printf("fact: async H2H target at return = %s\n", at_return == 2 ? "the kernel's data"
							  : at_return == 1
								  ? "data before the kernel"
								  : "nothing yet");
	printf("fact: async H2H target after a sync = %s\n",
	       *target == 2 ? "the kernel's data" : "data before the kernel");
	return 0;
}
