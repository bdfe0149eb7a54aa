/* Streams, events, graphs and memory in variables of all kinds. Of what a marked line makes the
 * report shows this variable; with `none` not exactly one fits. */
#include <memory>
#include "tests/e2e/origins/own.h"

__global__ void fill(float *at, float with)
{
	at[blockIdx.x * blockDim.x + threadIdx.x] = with;
}

#define FILL(at, stream)	fill<<<BYTES / 4 / 256, 256, 0, stream>>>(at, 1)
#define RACE(at, first, second) (FILL(at, first), FILL(at, second)) /* a line of its own each */

#define HELPER static __attribute__((noinline))

HELPER cudaStream_t make_stream(void)
{
	cudaStream_t made;

	CHECK(cudaStreamCreate(&made));
	return made;
}

HELPER cudaStream_t make_other(void)
{
	cudaStream_t other;

	CHECK(cudaStreamCreate(&other)); /* variable: other */
	return other;
}

HELPER cudaStream_t choose(cudaStream_t one, cudaStream_t)
{
	return one;
}

HELPER void make_at(cudaStream_t *out)
{
	CHECK(cudaStreamCreate(out)); /* variable: filled */
}

HELPER void make_by_reference(cudaStream_t &out)
{
	CHECK(cudaStreamCreate(&out)); /* variable: referred */
}

/* Makes one for all when the first object is made. */
struct Lazy {
	Lazy()
	{
		shared();
	}
	static cudaStream_t shared()
	{
		static cudaStream_t one = make_once();
		return one;
	}
	static cudaStream_t make_once()
	{
		cudaStream_t once = NULL;

		if (cudaStreamCreate(&once) != cudaSuccess) /* variable: one */
			exit(1);
		return once;
	}
};

static cudaStream_t everywhere;

struct Setter {
	__attribute__((noinline)) Setter()
	{
		CHECK(cudaStreamCreate(&everywhere)); /* variable: none */
	}
};

Apart::Apart()
{
	CHECK(cudaStreamCreate(&stream)); /* variable: apart */
}

struct Both {
	Stream in, out;
};

static void race_of_streams(float *a)
{
	cudaStream_t plain, filled, referred, ring[3], spread[2], late;
	CHECK(cudaStreamCreate(&plain));       /* variable: plain */
	cudaStream_t returned = make_stream(); /* variable: returned */
	make_at(&filled);
	make_by_reference(referred);
	std::unique_ptr<Stream> kept(new Stream());	   /* variable: none */
	auto unique = std::make_unique<Stream>();	   /* variable: unique */
	Stream *fresh = new Stream();			   /* variable: fresh */
	cudaStream_t chosen = choose(make_other(), plain); /* makes none by itself */
	Lazy lazy;
	Setter setter;
	Apart apart;
	Both both;	 /* two streams: none */
	Stream one, two; /* variable: none */
	for (int i = 0; i < 3; i++)
		CHECK(cudaStreamCreate(&ring[i])); /* variable: none */
	CHECK(cudaStreamCreate(&spread[0]));	   /* variable: spread[0] */
	late = make_stream();			   /* variable: late */

	RACE(a, plain, returned);
	RACE(a, filled, referred);
	RACE(a, kept->stream, unique->stream);
	RACE(a, fresh->stream, chosen);
	RACE(a, Lazy::shared(), everywhere);
	RACE(a, both.in.stream, both.out.stream);
	RACE(a, one.stream, two.stream);
	RACE(a, ring[0], ring[1]);
	RACE(a, spread[0], late);
	RACE(a, apart.stream, late);
	CHECK(cudaDeviceSynchronize());
	delete fresh;
}

static void race_with_event(float *a)
{
	cudaStream_t before, after;
	cudaEvent_t ready;

	CHECK(cudaStreamCreate(&before));				 /* variable: before */
	CHECK(cudaStreamCreate(&after));				 /* variable: after */
	CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming)); /* variable: ready */
	CHECK(cudaEventRecord(ready, before));
	FILL(a, before);
	CHECK(cudaStreamWaitEvent(after, ready, 0));
	FILL(a, after);
	CHECK(cudaDeviceSynchronize());
}

static void race_of_graph(float *a)
{
	cudaStream_t captured, beside;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamCreate(&captured)); /* variable: captured */
	CHECK(cudaStreamCreate(&beside));   /* variable: beside */
	CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
	FILL(a, captured);
	CHECK(cudaStreamEndCapture(captured, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0)); /* variable: exec */
	CHECK(cudaGraphLaunch(exec, captured));
	FILL(a, beside);
	CHECK(cudaDeviceSynchronize());
}

static void race_in_memory(cudaStream_t one, cudaStream_t other)
{
	float *cast, *pinned, *pair[2];
	CHECK(cudaMalloc((void **)&cast, BYTES)); /* variable: cast */
	CHECK(cudaMallocHost(&pinned, BYTES));	  /* variable: pinned */
	for (int i = 0; i < 2; i++)
		CHECK(cudaMalloc(&pair[i], BYTES)); /* variable: none */
	float *registered = (float *)aligned_alloc(4096, BYTES);
	CHECK(cudaHostRegister(registered, BYTES, 0)); /* variable: registered */
	Buffer in;				       /* variable: in */

	RACE(cast, one, other);
	CHECK(cudaMemcpyAsync(pinned, cast, BYTES, cudaMemcpyDefault, one));
	CHECK(cudaMemcpyAsync(pinned, cast, BYTES, cudaMemcpyDefault, other));
	RACE(pair[0], one, other);
	CHECK(cudaMemcpyAsync(registered, cast, BYTES, cudaMemcpyDefault, one));
	CHECK(cudaMemcpyAsync(registered, cast, BYTES, cudaMemcpyDefault, other));
	RACE(in.bytes, one, other);
	CHECK(cudaDeviceSynchronize());
}

int main(void)
{
	float *a;
	Stream left;  /* variable: left */
	Stream right; /* variable: right */

	CHECK(cudaMalloc(&a, BYTES)); /* variable: a */
	race_of_streams(a);
	race_with_event(a);
	race_of_graph(a);
	race_in_memory(left.stream, right.stream);
	return 0;
}
