// A graph that is drawn as DOT between its capture and its launch: drawing uses no memory of it.
// expect: clean
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include "testcases/common.h"

__global__ void advance(int *value)
{
	*value += 1;
}

static bool names_kernel(const char *path)
{
	char text[65536] = "";
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	(void)!fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	remove(path);
	return strstr(text, "digraph") && strstr(text, "_Z7advancePi");
}

int main()
{
	char path[64];
	int *value = (int *)on_device(sizeof(*value));
	cudaStream_t stream;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	snprintf(path, sizeof(path), "/tmp/graph_drawn.%d.dot", (int)getpid());
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(value, 0, sizeof(*value), stream));
	advance<<<1, 1, 0, stream>>>(value);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(value));
	return names_kernel(path) ? 0 : 1;
}
