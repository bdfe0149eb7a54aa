// A program of many operations in little memory, to be watched for as long as one likes
// (long_run.py). It is correct but for three races near its beginning. 16 streams work and exchange
// events; events, streams, allocations and pool memory come and go; there are copies, waits, host
// functions and a graph.
//
// Arguments: OPERATIONS EARLY   about so many CUDA calls; the races are in the first EARLY of them
#include "testcases/common.h"

#define STREAMS	 16
#define ELEMENTS 32
#define BYTES	 (ELEMENTS * sizeof(float))
#define RACES	 3

struct lane {
	cudaStream_t stream;
	cudaEvent_t event;
	float *data;
};

static struct lane lanes[STREAMS];
static float *h_data;
static cudaGraphExec_t graph;
static unsigned long long made, random_state = 0x9e3779b97f4a7c15;

static __global__ void work(float *data, float number)
{
	data[threadIdx.x] += number;
}

static unsigned pick(unsigned below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)((random_state >> 32) * below >> 32);
}

static void launch(float *data, cudaStream_t stream)
{
	work<<<1, ELEMENTS, 0, stream>>>(data, 1);
	made++;
}

// The other stream comes after this one.
static void order(cudaStream_t from, cudaStream_t to, cudaEvent_t event)
{
	CHECK(cudaEventRecord(event, from));
	CHECK(cudaStreamWaitEvent(to, event, 0));
	made += 2;
}

static void wait(struct lane *l)
{
	CHECK(cudaStreamSynchronize(l->stream));
	made++;
}

// ---- what a turn does ----

static void exchange(struct lane *l, struct lane *other)
{
	order(l->stream, other->stream, l->event);
	launch(l->data, other->stream);
	order(other->stream, l->stream, other->event);
}

static void pass_event(struct lane *l, struct lane *other)
{
	cudaEvent_t event;

	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	order(l->stream, other->stream, event);
	CHECK(cudaEventDestroy(event));
	made += 2;
}

static void pass_stream(struct lane *l)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	order(l->stream, stream, l->event);
	launch(l->data, stream);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	made += 3;
}

static void pass_pool(struct lane *l)
{
	float *data;

	CHECK(cudaMallocAsync(&data, BYTES, l->stream));
	CHECK(cudaMemsetAsync(data, 0, BYTES, l->stream));
	launch(data, l->stream);
	CHECK(cudaFreeAsync(data, l->stream));
	made += 3;
}

static void pass_memory(struct lane *l)
{
	float *data = on_device(BYTES);

	launch(data, l->stream);
	wait(l);
	CHECK(cudaFree(data));
	made += 2;
}

static void copy_in(struct lane *l)
{
	CHECK(cudaMemcpyAsync(l->data, h_data, BYTES, cudaMemcpyHostToDevice, l->stream));
	made++;
	wait(l);
}

static void copy_between(struct lane *l, struct lane *other)
{
	order(other->stream, l->stream, other->event);
	CHECK(cudaMemcpyAsync(l->data, other->data, BYTES, cudaMemcpyDeviceToDevice, l->stream));
	made++;
	order(l->stream, other->stream, l->event);
}

static void CUDART_CB nothing(void *)
{
}

static void call_host(struct lane *l)
{
	CHECK(cudaLaunchHostFunc(l->stream, nothing, NULL));
	made++;
	wait(l);
}

static void rare(struct lane *l, struct lane *other)
{
	switch (pick(7)) {
	case 0: call_host(l); break;
	case 1: copy_in(l); break;
	case 2: pass_stream(l); break;
	case 3: pass_memory(l); break;
	case 4: pass_event(l, other); break;
	default: wait(l); break;
	}
}

static void turn(void)
{
	unsigned number = pick(STREAMS);
	struct lane *l = &lanes[number], *other = &lanes[(number + 1) % STREAMS];

	switch (pick(80)) {
	case 0: rare(l, other); break;
	case 1: pass_pool(l); break;
	case 2: copy_between(l, other); break;
	case 3: CHECK(cudaGraphLaunch(graph, lanes[0].stream)), made++; break;
	case 4 ... 13: exchange(l, other); break;
	default: launch(l->data, l->stream); break;
	}
}

// ---- what is wrong ----

// Two streams write one buffer; all that comes later is ordered after both.
static void race(unsigned which)
{
	cudaStream_t stream = lanes[1].stream;
	float *data = lanes[0].data;

	CHECK(cudaDeviceSynchronize());
	launch(data, lanes[0].stream);
	switch (which) {
	case 0: work<<<1, ELEMENTS, 0, stream>>>(data, 2); break;
	case 1: CHECK(cudaMemsetAsync(data, 0, BYTES, stream)); break;
	default:
		CHECK(cudaMemcpyAsync(data, lanes[1].data, BYTES, cudaMemcpyDeviceToDevice,
				      stream));
	}
	CHECK(cudaDeviceSynchronize());
	made += 3;
}

static void begin(void)
{
	cudaGraph_t captured;

	h_data = pinned(BYTES);
	for (struct lane *l = lanes; l < lanes + STREAMS; l++) {
		CHECK(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
		CHECK(cudaEventCreateWithFlags(&l->event, cudaEventDisableTiming));
		l->data = on_device(BYTES);
	}
	CHECK(cudaStreamBeginCapture(lanes[0].stream, cudaStreamCaptureModeGlobal));
	launch(lanes[0].data, lanes[0].stream);
	launch(lanes[0].data, lanes[0].stream);
	CHECK(cudaStreamEndCapture(lanes[0].stream, &captured));
	CHECK(cudaGraphInstantiate(&graph, captured, 0));
}

int main(int argc, char **argv)
{
	unsigned long long operations = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	unsigned long long early = argc > 2 ? strtoull(argv[2], NULL, 0) : operations;
	unsigned races = 0;

	begin();
	while (made < operations) {
		turn();
		if (races < RACES && made >= early / (RACES + 1) * (races + 1))
			race(races++);
	}
	CHECK(cudaDeviceSynchronize());
	return 0;
}
