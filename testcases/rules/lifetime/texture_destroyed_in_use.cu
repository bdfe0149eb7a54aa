// A texture object is destroyed while a kernel that fetches through it may run (P-5). STRUCT: the
// kernel has the handle in a struct; LOADED: it loads the handle from memory. LATE: a launch with
// the dead handle; GRAPH: a graph that has it, launched again. ARRAY: the array below is freed.
// expect: SC-115 at=end proven order=none
// expect[STRUCT]: SC-115 at=end proven order=none
// expect[LOADED]: SC-115 at=end possible order=none doubt=handle_unused
// expect[SURFACE]: SC-115 at=surface_end proven order=none
// expect[ARRAY]: SC-115 at=array_end proven order=none when=executed
// expect[ARRAY]: SC-115 at=array_end possible order=none doubt=footprint when=unexecuted
// expect[LATE]: SC-117 at=late proven
// expect[LATE]: SC-152 at=late likely doubt=simulated_device when=executed
// expect[GRAPH]: SC-136 at=again proven
// expect[GRAPH]: SC-152 at=launch likely doubt=simulated_device when=executed
// expect[FIXED]: clean
#include "testcases/common.h"

static const int WIDTH = 256;

struct image {
	cudaTextureObject_t texture;
	int width;
};

__global__ void fetch(cudaTextureObject_t texture, float *out)
{
	out[threadIdx.x] = tex1D<float>(texture, threadIdx.x + 0.5f);
}

__global__ void fetch_from(image from, float *out)
{
	if ((int)threadIdx.x < from.width)
		out[threadIdx.x] = tex1D<float>(from.texture, threadIdx.x + 0.5f);
}

__global__ void fetch_by(const image *from, float *out)
{
	out[threadIdx.x] = tex1D<float>(from->texture, threadIdx.x + 0.5f);
}

__global__ void paint(cudaSurfaceObject_t surface, float *out)
{
	surf1Dwrite(out[threadIdx.x], surface, threadIdx.x * sizeof(float));
}

static cudaArray_t new_array()
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	float row[WIDTH];

	CHECK(cudaMallocArray(&array, &format, WIDTH, 0, cudaArraySurfaceLoadStore));
	fill(row, 1, WIDTH);
	CHECK(cudaMemcpy2DToArray(array, 0, 0, row, sizeof(row), sizeof(row), 1,
				  cudaMemcpyHostToDevice));
	return array;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
	cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

[[maybe_unused]] static cudaTextureObject_t texture_of(cudaArray_t array)
{
	cudaResourceDesc resource = resource_of(array);
	cudaTextureDesc plain = {};
	cudaTextureObject_t texture;

	CHECK(cudaCreateTextureObject(&texture, &resource, &plain, NULL));
	return texture;
}

// What a launch does with a dead handle no text says.
[[maybe_unused]] static void end_badly(cudaStream_t stream)
{
	printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
	exit(0);
}

[[maybe_unused]] static void launch(cudaStream_t stream, cudaTextureObject_t texture, float *out)
{
#if defined(STRUCT)
	fetch_from<<<1, WIDTH, 0, stream>>>({texture, WIDTH}, out);
#elif defined(LOADED)
	image from = {texture, WIDTH}, *d_from;

	CHECK(cudaMalloc(&d_from, sizeof(from)));
	CHECK(cudaMemcpy(d_from, &from, sizeof(from), cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
	fetch_by<<<1, WIDTH, 0, stream>>>(d_from, out);
#else
	fetch<<<1, WIDTH, 0, stream>>>(texture, out); // @late
#endif
}

#if defined(SURFACE)
static void use(cudaArray_t array, float *out, cudaStream_t stream)
{
	cudaResourceDesc resource = resource_of(array);
	cudaSurfaceObject_t surface;

	CHECK(cudaCreateSurfaceObject(&surface, &resource));
	paint<<<1, WIDTH, 0, stream>>>(surface, out);
	CHECK(cudaDestroySurfaceObject(surface)); // @surface_end
}
#elif defined(GRAPH)
static void use(cudaArray_t array, float *out, cudaStream_t stream)
{
	cudaTextureObject_t texture = texture_of(array);
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	fetch<<<1, WIDTH, 0, stream>>>(texture, out); // @again
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaDestroyTextureObject(texture));
	cudaGraphLaunch(exec, stream); // @launch
	end_badly(stream);
}
#else
static void use(cudaArray_t array, float *out, cudaStream_t stream)
{
	cudaTextureObject_t texture = texture_of(array);

#ifdef LATE
	CHECK(cudaDestroyTextureObject(texture));
	launch(stream, texture, out);
	end_badly(stream);
#endif
	launch(stream, texture, out);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
#ifdef ARRAY
	CHECK(cudaFreeArray(array)); // @array_end
	end_badly(stream);
#endif
	CHECK(cudaDestroyTextureObject(texture)); // @end
}
#endif

int main()
{
	cudaArray_t array = new_array();
	float *out = on_device(WIDTH * sizeof(float));
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemset(out, 0, WIDTH * sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	use(array, out, stream);
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaFree(out));
	CHECK(cudaFreeArray(array));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
