// One launch and one copy that nothing orders, in each shape that launches have in programs. The
// lines that a report has to name are marked "@SHAPE", those of the copies "@SHAPE.copy"; what
// calls them is marked "@SHAPE.from".
#include <cuda_runtime.h>

#include <functional>
#include <future>
#include <stdio.h>
#include <stdlib.h>
#ifdef COROUTINES
#include <coroutine>
#endif

static const int N = 256;
static const cudaMemcpyKind TO_HOST = cudaMemcpyDeviceToHost;

#include "scaler.h"

#define CHECK(call)                                                                \
	do {                                                                       \
		if (call) {                                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call); \
			exit(1);                                                   \
		}                                                                  \
	} while (0)

#define APART __attribute__((noinline))

__global__ void set(float *data, float value)
{
	data[threadIdx.x] = value;
}

template <class T> __global__ void add(T *data, T value)
{
	data[threadIdx.x] += value;
}

static cudaStream_t first, then;
static float here[N];

/* ---- the shapes ---- */

APART void in_tail(float *data)
{
	set<<<1, N, 0, first>>>(data, 1); // @tail
}

APART cudaError_t copy_in_tail(const float *data)
{
	return cudaMemcpyAsync(here, data, sizeof(here), TO_HOST, then); // @tail.copy
}

APART void jumps_twice(float *data, int which)
{
	if (which)
		in_tail(data); // @twice.from
	else
		puts("nothing to do");
}

static inline __attribute__((always_inline)) void inlined(float *data)
{
	set<<<1, N, 0, first>>>(data, 2); // @inlined
}

template <class T> APART void in_template(T *data)
{
	add<<<1, N, 0, first>>>(data, (T)1); // @template
}

APART static void by_pointer(float *data)
{
	add<<<1, N, 0, first>>>((int *)data, 3); // @pointer
}

static void (*volatile pointer)(float *) = by_pointer;

struct base {
	virtual void run(float *data) = 0;
	virtual ~base() = default;
};

struct derived : base {
	void run(float *data) override
	{
		add<<<1, N, 0, first>>>((unsigned *)data, 4u); // @virtual
	}
};

APART base *make(void)
{
	return new derived;
}

#ifdef COROUTINES
struct task {
	struct promise_type {
		task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
	std::coroutine_handle<promise_type> handle;
};

task coroutine(float *data)
{
	set<<<1, N, 0, first>>>(data, 5); // @coroutine
	co_return;
}
#endif

/* ---- one finding each ---- */

static float *fresh(void)
{
	float *data;

	CHECK(cudaMalloc((void **)&data, sizeof(here)));
	CHECK(cudaMemset(data, 0, sizeof(here)));
	CHECK(cudaDeviceSynchronize());
	return data;
}

#define COPY CHECK(cudaMemcpyAsync(here, data, sizeof(here), cudaMemcpyDeviceToHost, then))

static void plain_shapes(void)
{
	float *data = fresh();

	in_tail(data);		   // @tail.from
	CHECK(copy_in_tail(data)); // @tail.copy.from
	data = fresh();
	jumps_twice(data, 1);
	COPY; // @twice.copy
	data = fresh();
	inlined(data); // @inlined.from
	COPY;	       // @inlined.copy
	data = fresh();
	in_template(data); // @template.from
	COPY;		   // @template.copy
	data = fresh();
	scaler(first, 2)(data); // @class.from
	COPY;			// @class.copy
}

static void called_shapes(void)
{
	float *data = fresh();
	auto lambda = [data] {
		set<<<1, N, 0, first>>>(data, 6); // @lambda
	};
	std::function<void(float *)> function = [](float *data) {
		add<<<1, N, 0, first>>>((short *)data, (short)6); // @function
	};
	base *object = make();

	lambda(); // @lambda.from
	COPY;	  // @lambda.copy
	data = fresh();
	function(data); // @function.from
	COPY;		// @function.copy
	data = fresh();
	pointer(data); // @pointer.from
	COPY;	       // @pointer.copy
	data = fresh();
	object->run(data); // @virtual.from
	COPY;		   // @virtual.copy
	delete object;
	data = fresh();
	std::async(std::launch::async, [data] {
		set<<<1, N, 0, first>>>(data, 7); // @async
	}).get();
	COPY; // @async.copy
#ifdef COROUTINES
	data = fresh();
	task t = coroutine(data);
	t.handle.resume(); // @coroutine.from
	COPY;		   // @coroutine.copy
	t.handle.destroy();
#endif
}

int main()
{
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&then));
	plain_shapes();
	called_shapes();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
