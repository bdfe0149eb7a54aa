// One object after the other of a kind, or all of them at once; the last event orders two streams.
// Nothing is wrong here.
//
// Arguments: events|streams|allocations|pooled|graphs|textures gone|alive OBJECTS
#include <string>
#include <vector>
#include "testcases/common.h"

static float *buffer;

static void *make_event()
{
	cudaEvent_t event;

	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	return event;
}

static void end_event(void *event)
{
	CHECK(cudaEventDestroy((cudaEvent_t)event));
}

static void *make_stream()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	return stream;
}

static void end_stream(void *stream)
{
	CHECK(cudaStreamDestroy((cudaStream_t)stream));
}

static void *make_allocation()
{
	return on_device(256);
}

static void end_allocation(void *data)
{
	CHECK(cudaFree(data));
}

static void *make_pooled()
{
	void *data;

	CHECK(cudaMallocAsync(&data, 256, 0));
	return data;
}

static void end_pooled(void *data)
{
	CHECK(cudaFreeAsync(data, 0));
}

// An executable graph of one node.
static void *make_graph()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaMemsetParams fill = {};

	fill.dst = buffer;
	fill.elementSize = 1;
	fill.width = 256;
	fill.height = 1;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	return exec;
}

static void end_graph(void *exec)
{
	CHECK(cudaGraphExecDestroy((cudaGraphExec_t)exec));
}

static void *make_texture()
{
	cudaTextureObject_t texture;
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};

	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = buffer;
	resource.res.linear.desc = cudaCreateChannelDesc<float>();
	resource.res.linear.sizeInBytes = 256;
	CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	return (void *)texture;
}

static void end_texture(void *texture)
{
	CHECK(cudaDestroyTextureObject((cudaTextureObject_t)texture));
}

static const struct kind {
	const char *name;
	void *(*make)(void);
	void (*end)(void *);
} kinds[] = {
	{"events", make_event, end_event},
	{"streams", make_stream, end_stream},
	{"allocations", make_allocation, end_allocation},
	{"pooled", make_pooled, end_pooled},
	{"graphs", make_graph, end_graph},
	{"textures", make_texture, end_texture},
};

// What a stream wrote, another one reads after the event.
static void order_by_an_event(cudaStream_t first, cudaStream_t then)
{
	cudaEvent_t event = (cudaEvent_t)make_event();
	float *copy = on_device(256);

	CHECK(cudaMemsetAsync(buffer, 1, 256, first));
	CHECK(cudaEventRecord(event, first));
	CHECK(cudaStreamWaitEvent(then, event, 0));
	CHECK(cudaMemcpyAsync(copy, buffer, 256, cudaMemcpyDeviceToDevice, then));
	CHECK(cudaStreamSynchronize(then));
	CHECK(cudaFree(copy));
	end_event(event);
}

int main(int argc, char **argv)
{
	const std::string name = argc == 4 ? argv[1] : "", way = argc == 4 ? argv[2] : "";
	long count = argc == 4 ? atol(argv[3]) : 0;
	std::vector<void *> alive;

	for (const kind &k : kinds) {
		if (name != k.name || !count)
			continue;
		buffer = on_device(256);
		for (long i = 0; i < count; i++) {
			void *object = k.make();

			if (way == "alive")
				alive.push_back(object);
			else
				k.end(object);
		}
		order_by_an_event((cudaStream_t)make_stream(), (cudaStream_t)make_stream());
		for (void *object : alive)
			k.end(object);
		return 0;
	}
	fprintf(stderr, "usage: objects KIND gone|alive OBJECTS\n");
	return EXIT_WRONG;
}
