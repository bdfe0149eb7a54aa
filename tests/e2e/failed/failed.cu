/* Calls that fail, checked or not: what the argument says. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define BYTES 4096

__global__ void fill(int *out)
{
	out[threadIdx.x] = 1;
}

static void sound(int *d)
{
	fill<<<1, 32>>>(d);
	cudaDeviceSynchronize();
}

/* Nobody looks at what these return. */
static void unchecked(int *d, int *host)
{
	for (int i = 0; i < 3; i++)
		fill<<<1, 2048>>>(d);				      /* too many threads */
	cudaMemcpyAsync(d, host, 1 << 20, cudaMemcpyHostToDevice, 0); /* beyond its buffer */
	cudaDeviceSynchronize();
}

/* A pool that frees what it keeps, and tries again. */
static void tried_again(void)
{
	char *kept, *wanted;
	size_t free, total;

	cudaMemGetInfo(&free, &total);
	cudaMalloc(&kept, free / 4 * 3);
	if (cudaMalloc(&wanted, free / 2) == cudaErrorMemoryAllocation) {
		cudaFree(kept);
		cudaMalloc(&wanted, free / 2);
	}
	cudaFree(wanted);
	cudaGetLastError();
}

static void refused(void)
{
	char *wanted;
	size_t free, total;

	cudaMemGetInfo(&free, &total);
	cudaMalloc(&wanted, total + 1);
	cudaGetLastError();
}

static void expected(void)
{
	cudaStream_t stream;
	cudaEvent_t event;

	cudaDeviceEnablePeerAccess(1, 0);
	cudaDeviceEnablePeerAccess(1, 0);
	cudaStreamCreate(&stream);
	cudaEventCreate(&event);
	cudaEventRecord(event, stream);
	while (cudaStreamQuery(stream) == cudaErrorNotReady ||
	       cudaEventQuery(event) == cudaErrorNotReady)
		;
	cudaGetLastError();
}

/* The driver faults: in a call that is recorded when it returns, or when it is entered. */
static void faults(int *d, bool is_copy)
{
	void *nowhere = (void *)16;
	cudaGraph_t graph;

	cudaGraphCreate(&graph, 0);
	if (is_copy)
		cudaMemcpyAsync(d, nowhere, BYTES, cudaMemcpyHostToDevice, 0);
	else
		cudaGraphInstantiate((cudaGraphExec_t *)nowhere, graph, 0);
}

/* The same in the instantiation of a graph that copies memory which is gone. */
static void faults_in_graph(int *d)
{
	int *gone, *kept;
	cudaStream_t stream;
	cudaGraph_t graph;

	cudaMallocHost(&gone, BYTES);
	cudaMallocHost(&kept, BYTES);
	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
	cudaMemcpyAsync(d, kept, BYTES, cudaMemcpyHostToDevice, stream);
	cudaMemcpyAsync(d, gone, BYTES, cudaMemcpyHostToDevice, stream); /* dead */
	cudaStreamEndCapture(stream, &graph);
	cudaFreeHost(gone);
	cudaGraphInstantiate((cudaGraphExec_t *)16, graph, 0);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int *d = NULL, *host = NULL;

	if (cudaMalloc(&d, BYTES) || cudaMallocHost(&host, BYTES)) {
		printf("%s\n", cudaGetErrorName(cudaGetLastError()));
		return 0;
	}
	sound(d);
	if (!strcmp(way, "unchecked"))
		unchecked(d, host);
	else if (!strcmp(way, "tried_again"))
		tried_again();
	else if (!strcmp(way, "refused"))
		refused();
	else if (!strcmp(way, "faults_in_graph"))
		faults_in_graph(d);
	else if (!strncmp(way, "faults", 6))
		faults(d, !strcmp(way, "faults_in_copy"));
	else
		expected();
	cudaFreeHost(host);
	cudaFree(d);
	return 0;
}
