// A kernel reaches the host's memory only by a pointer that it loads: from a struct in managed
// memory, from a struct inside of a struct, from constant memory, from a table on the device.
// Before any wait the host reads what the kernel writes, or writes what it reads. Of a kernel that
// the device does not execute, it is known only that it loads addresses.
// expect: SC-101 at=sum proven order=none when=executed
// expect: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[LOOP]: SC-101 at=loop proven order=none when=executed
// expect[LOOP]: SC-101 at=loop possible doubt=footprint when=unexecuted
// expect[LOOP]: SC-216 at=bound possible doubt=footprint when=unexecuted
// expect[STRING]: SC-101 at=sum proven order=none when=executed
// expect[STRING]: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[CONSTANT]: SC-101 at=sum proven order=none when=executed
// expect[CONSTANT]: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[TABLE]: SC-101 at=sum proven order=none when=executed
// expect[TABLE]: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[AGAIN]: SC-101 at=sum proven order=none when=executed
// expect[AGAIN]: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[MAPPED]: SC-101 at=sum proven order=none when=executed
// expect[MAPPED]: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[REGISTERED]: SC-101 at=sum proven order=none when=executed
// expect[REGISTERED]: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[GRAPH]: SC-101 at=sum proven order=none when=executed
// expect[GRAPH]: SC-101 at=sum possible doubt=footprint when=unexecuted
// expect[WRITES]: SC-102 at=clear proven order=none when=executed
// expect[WRITES]: SC-103 at=clear possible doubt=footprint when=unexecuted
// expect[OTHER]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

#ifdef AGAIN
static const int ROUNDS = 16;
#else
static const int ROUNDS = 1;
#endif

struct string {
	int length;
	float *data;
};

struct element {
	struct string *name;
};

__constant__ float *constant;

static __global__ void write_string(struct string *s)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < s->length)
		s->data[i] = 7;
}

static __global__ void write_name(struct element *e)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	e->name->data[i] = 7;
}

static __global__ void write_constant()
{
	constant[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

static __global__ void write_rows(float **rows)
{
	rows[blockIdx.x % 2][blockIdx.x / 2 * blockDim.x + threadIdx.x] = 7;
}

static __global__ void add_up(const struct string *s, float *total)
{
	float all = 0;

	for (int i = threadIdx.x; i < s->length; i += blockDim.x)
		all += s->data[i];
	atomicAdd(total, all);
}

static void launch(struct string *s, int n)
{
#if defined(STRING)
	struct element *e;

	CHECK(cudaMallocManaged(&e, sizeof(*e)));
	e->name = s;
	write_name<<<n / 256, 256>>>(e);
#elif defined(CONSTANT)
	CHECK(cudaMemcpyToSymbol(constant, &s->data, sizeof(s->data)));
	write_constant<<<n / 256, 256>>>();
#elif defined(TABLE) || defined(AGAIN)
	float *rows[2] = {s->data, pinned(n / 2 * sizeof(float))}, **d_rows;

	CHECK(cudaMalloc(&d_rows, sizeof(rows)));
	CHECK(cudaMemcpy(d_rows, rows, sizeof(rows), cudaMemcpyHostToDevice));
	for (int i = 0; i < ROUNDS; i++) { // each launch from the same place
		CHECK(cudaDeviceSynchronize());
		write_rows<<<n / 256, 256>>>(d_rows);
	}
#elif defined(GRAPH)
	cudaStream_t capturing;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamCreate(&capturing));
	CHECK(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
	write_string<<<n / 256, 256, 0, capturing>>>(s);
	CHECK(cudaStreamEndCapture(capturing, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, 0));
#elif defined(WRITES)
	float *total = on_device(sizeof(*total));

	CHECK(cudaMemset(total, 0, sizeof(*total)));
	add_up<<<1, 256>>>(s, total);
#else
	write_string<<<n / 256, 256>>>(s);
#endif
	CHECK(cudaGetLastError());
}

// Its length and its address are read again in each turn, as a flag would be.
static float sum_of(const volatile struct string *s)
{
	float total = 0;

	for (int i = 0; i < s->length; i++) // @bound
		total += s->data[i];	    // @loop
	return total;
}

static float *take(size_t bytes)
{
	float *data;

#if defined(TABLE) || defined(AGAIN)
	data = pinned(bytes);
#elif defined(MAPPED)
	CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocMapped));
#elif defined(REGISTERED)
	data = (float *)aligned_alloc(4096, bytes);
	CHECK(cudaHostRegister(data, bytes, cudaHostRegisterMapped));
#else
	CHECK(cudaMallocManaged(&data, bytes));
#endif
	return data;
}

int main()
{
	const int N = 1 << 14;
	float *data = take(N * sizeof(float)), *other = take(N * sizeof(float));
	struct string *s;

	(void)sum_of;
	(void)ROUNDS;
	CHECK(cudaMallocManaged(&s, sizeof(*s)));
	s->length = N;
	s->data = data;
	fill(data, 0, N);
	fill(other, 3, N);
	launch(s, N);
#if defined(FIXED)
	CHECK(cudaDeviceSynchronize());
	verify_kernel(data, 7, N);
#elif defined(OTHER)
	if (is_simulated() && runs_kernels())
		verify(other, 3, N);
	CHECK(cudaDeviceSynchronize());
#elif defined(WRITES)
	fill(data, 1, N); // @clear
	CHECK(cudaDeviceSynchronize());
#elif defined(LOOP)
	printf("%g\n", sum_of(s));
	CHECK(cudaDeviceSynchronize());
#else
	printf("%g\n", sum(data, N)); // @sum
	CHECK(cudaDeviceSynchronize());
#endif
	return 0;
}
