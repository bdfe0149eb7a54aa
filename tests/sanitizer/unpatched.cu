// What patches of a kernel's instructions do not see: textures, surfaces and constant memory, which
// are refilled in another stream while a kernel may read them. The first argument is the way, a
// second one "fixed" has an event between the two. Where the kernel stores depends on data, so that
// its code alone does not say what it touches.
#include <string.h>
#include "testcases/common.h"

static const int N = 64;

__constant__ int table[N];

static __global__ void look_up(int *out, const int *index)
{
	out[index[threadIdx.x] & (N - 1)] = table[threadIdx.x];
}

static __global__ void fetch(cudaTextureObject_t texture, int *out, const int *index)
{
	out[index[threadIdx.x] & (N - 1)] = tex1Dfetch<int>(texture, threadIdx.x);
}

// Touches nothing else.
static __global__ void fetch_only(cudaTextureObject_t texture, int *out, const int *)
{
	if (tex1Dfetch<int>(texture, threadIdx.x) == 12345)
		out[0] = 1;
}

static __global__ void sample(cudaTextureObject_t texture, int *out, const int *index)
{
	out[index[threadIdx.x] & (N - 1)] = tex2D<int>(texture, threadIdx.x + 0.5f, 0.5f);
}

static __global__ void read_surface(cudaSurfaceObject_t surface, int *out, const int *index)
{
	out[index[threadIdx.x] & (N - 1)] = surf2Dread<int>(surface, threadIdx.x * 4, 0);
}

static int *out, *index_, *linear, *host;
static cudaArray_t array;
static cudaStream_t a, b;

static cudaResourceDesc of_linear(void)
{
	cudaResourceDesc resource = {};

	CHECK(cudaMalloc(&linear, N * sizeof(int)));
	CHECK(cudaMemset(linear, 0, N * sizeof(int)));
	CHECK(cudaDeviceSynchronize());
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = linear;
	resource.res.linear.desc = cudaCreateChannelDesc<int>();
	resource.res.linear.sizeInBytes = N * sizeof(int);
	return resource;
}

static cudaResourceDesc of_array(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
	cudaResourceDesc resource = {};

	CHECK(cudaMallocArray(&array, &format, N, 1, cudaArraySurfaceLoadStore));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, host, N * sizeof(int), N * sizeof(int), 1,
				  cudaMemcpyHostToDevice));
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource)
{
	cudaTextureDesc wanted = {};
	cudaTextureObject_t texture;

	CHECK(cudaCreateTextureObject(&texture, &resource, &wanted, NULL));
	return texture;
}

static void launch(const char *way)
{
	cudaSurfaceObject_t surface;

	if (!strcmp(way, "constant")) {
		CHECK(cudaMemcpyToSymbol(table, host, N * sizeof(int)));
		look_up<<<1, N, 0, a>>>(out, index_);
	} else if (!strcmp(way, "linear")) {
		fetch<<<1, N, 0, a>>>(texture_of(of_linear()), out, index_);
	} else if (!strcmp(way, "only")) {
		fetch_only<<<1, N, 0, a>>>(texture_of(of_linear()), out, index_);
	} else if (!strcmp(way, "array")) {
		sample<<<1, N, 0, a>>>(texture_of(of_array()), out, index_);
	} else {
		cudaResourceDesc resource = of_array();

		CHECK(cudaCreateSurfaceObject(&surface, &resource));
		read_surface<<<1, N, 0, a>>>(surface, out, index_);
	}
	CHECK(cudaGetLastError());
}

static void refill(void)
{
	if (linear)
		CHECK(cudaMemcpyAsync(linear, host, N * sizeof(int), cudaMemcpyHostToDevice, b));
	else if (array)
		CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, host, N * sizeof(int), N * sizeof(int),
					       1, cudaMemcpyHostToDevice, b));
	else
		CHECK(cudaMemcpyToSymbolAsync(table, host, N * sizeof(int), 0,
					      cudaMemcpyHostToDevice, b));
}

int main(int argc, char **argv)
{
	cudaEvent_t done;

	if (argc < 2)
		return 2;
	CHECK(cudaMallocHost(&host, N * sizeof(int)));
	memset(host, 0, N * sizeof(int));
	CHECK(cudaMalloc(&out, N * sizeof(int)));
	CHECK(cudaMalloc(&index_, N * sizeof(int)));
	CHECK(cudaMemset(index_, 0, N * sizeof(int)));
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaDeviceSynchronize());
	launch(argv[1]);
	if (argc > 2) {
		CHECK(cudaEventRecord(done, a));
		CHECK(cudaStreamWaitEvent(b, done, 0));
	}
	refill();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
