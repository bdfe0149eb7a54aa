// A program gets back the host function that it gave a node, however the node was made.
// expect: clean
#include "testcases/driver.h"

typedef CUresult newer_cuGraphNodeGetParams(CUgraphNode, CUgraphNodeParams *);

static void CUDART_CB count(void *data)
{
	++*(int *)data;
}

static void need(CUgraphNode node, int *data)
{
	CUgraphNodeParams found;

	DRIVER_CHECK(NEWER_DRIVER(cuGraphNodeGetParams, 13020)(node, &found));
	if (found.type == CU_GRAPH_NODE_TYPE_HOST && found.host.fn == count &&
	    found.host.userData == data)
		return;
	fprintf(stderr, "the node has another function\n");
	exit(EXIT_WRONG);
}

int main()
{
	struct cudaHostNodeParams params = {};
	cudaGraphNode_t captured, added;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;
	size_t nodes = 1;
	int counted = 0;

	driver_function("cuGraphNodeGetParams", 13020);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaLaunchHostFunc(stream, count, &counted));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphGetNodes(graph, &captured, &nodes));
	params.fn = count;
	params.userData = &counted;
	CHECK(cudaGraphAddHostNode(&added, graph, &captured, 1, &params));
	need(captured, &counted);
	need(added, &counted);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (counted != 2)
		return EXIT_WRONG;
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
