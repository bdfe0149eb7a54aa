// Rank 1 has its reduction in a graph: the launches of the graph say how often it runs.
// expect: SC-170 at=broadcast proven
// expect: SC-170 at=reduce proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
#ifdef FIXED
	cudaGraph_t graph;
	cudaGraphExec_t ready;

	if (p.rank == 0) {
		TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, p.comm, p.stream));
		TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, 0, p.comm, p.stream));
	} else {
		CHECK(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeThreadLocal));
		TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, p.comm, p.stream));
		CHECK(cudaStreamEndCapture(p.stream, &graph));
		CHECK(cudaGraphInstantiate(&ready, graph, 0));
		CHECK(cudaGraphLaunch(ready, p.stream));
		TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, 0, p.comm, p.stream));
		CHECK(cudaGraphExecDestroy(ready));
		CHECK(cudaGraphDestroy(graph));
	}
#else
	if (p.rank == 0)
		TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, p.comm,
				  p.stream)); // @reduce
	else
		TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, 0, p.comm,
				  p.stream)); // @broadcast
#endif
	return end(&p);
}
