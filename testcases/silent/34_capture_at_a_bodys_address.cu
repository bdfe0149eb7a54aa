// Graphs that are captured get the address of the body of an earlier conditional node, whose end
// no call names. The conditional node that is added to such a capture has a body that is known.
// expect: clean
#include "testcases/conditional.h"

int main()
{
	cudaGraphConditionalHandle handle;
	cudaStream_t streams[4];
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < 8; i++) {
		for (cudaStream_t stream : streams) {
			CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
			add_conditional(stream, cudaGraphCondTypeIf, 2, &handle);
		}
		for (cudaStream_t stream : streams) {
			CHECK(cudaStreamEndCapture(stream, &graph));
			CHECK(cudaGraphInstantiate(&exec, graph, 0));
			CHECK(cudaGraphExecDestroy(exec));
			CHECK(cudaGraphDestroy(graph));
		}
	}
	for (cudaStream_t stream : streams)
		CHECK(cudaStreamDestroy(stream));
	return 0;
}
