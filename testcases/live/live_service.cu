// A service that runs until its standard input ends. A line is a request; it goes through one of
// four slots, each with a stream, buffers and an event. After a hundred requests there is much to
// do, and the service writes the next request into a slot before it waits for the last one there:
// a second buffer was left out. Without any request it serves 150 of its own.
// expect: SC-102 cause=SC-112 at=write proven
// expect[FIXED]: clean
#include "testcases/common.h"

#define SLOTS	 4
#define ELEMENTS 1024
#define MUCH	 100 // requests

struct slot {
	cudaStream_t stream;
	cudaEvent_t done;
	float *h_request, *h_answer, *d_request, *d_answer;
	bool is_used;
};

static struct slot slots[SLOTS];
static int served;

static __global__ void twice(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = 2 * in[i];
}

static void open_slot(struct slot *s)
{
	CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&s->done, cudaEventDisableTiming));
	s->h_request = pinned(ELEMENTS * sizeof(float));
	s->h_answer = pinned(ELEMENTS * sizeof(float));
	s->d_request = on_device(ELEMENTS * sizeof(float));
	s->d_answer = on_device(ELEMENTS * sizeof(float));
}

static void close_slot(struct slot *s)
{
	CHECK(cudaFreeHost(s->h_request));
	CHECK(cudaFreeHost(s->h_answer));
	CHECK(cudaFree(s->d_request));
	CHECK(cudaFree(s->d_answer));
	CHECK(cudaEventDestroy(s->done));
	CHECK(cudaStreamDestroy(s->stream));
}

static void answer(struct slot *s)
{
	if (!s->is_used)
		return;
	CHECK(cudaEventSynchronize(s->done));
	served++;
	s->is_used = false;
}

static void write_request(struct slot *s, int number)
{
	s->h_request[0] = (float)number; // @write
}

static void enqueue(struct slot *s)
{
	size_t bytes = ELEMENTS * sizeof(float);

	CHECK(cudaMemcpyAsync(s->d_request, s->h_request, bytes, cudaMemcpyHostToDevice,
			      s->stream));
	twice<<<ELEMENTS / 256, 256, 0, s->stream>>>(s->d_request, s->d_answer, ELEMENTS);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(s->h_answer, s->d_answer, bytes, cudaMemcpyDeviceToHost, s->stream));
	CHECK(cudaEventRecord(s->done, s->stream));
	s->is_used = true;
}

static void serve(int number)
{
	struct slot *s = &slots[number % SLOTS];
#ifdef FIXED
	bool is_early = false;
#else
	bool is_early = number > MUCH;
#endif

	if (!is_early)
		answer(s);
	write_request(s, number);
	if (is_early)
		answer(s);
	enqueue(s);
}

int main()
{
	char line[256];
	int requests = 0, own;

	for (int i = 0; i < SLOTS; i++)
		open_slot(&slots[i]);
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		serve(++requests);
		printf("request %d\n", requests);
		fflush(stdout);
	}
	for (own = requests ? 0 : 150; own; own--)
		serve(++requests);
	for (int i = 0; i < SLOTS; i++)
		answer(&slots[i]);
	printf("served %d\n", served);
	for (int i = 0; i < SLOTS; i++)
		close_slot(&slots[i]);
	return served == requests ? 0 : EXIT_WRONG;
}
