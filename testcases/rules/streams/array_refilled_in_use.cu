// A kernel fetches from an array, by a texture, while another stream fills the array anew.
// OTHER_HALF: the half that no thread fetches. SURFACES: two kernels in two streams read and write
// two arrays in turn. The code does not say which texels these are.
// expect: SC-106 at=refill proven order=no_event when=executed
// expect: SC-106 at=refill possible doubt=footprint when=unexecuted
// expect[OTHER_HALF]: SC-106 at=refill possible doubt=footprint when=unexecuted
// expect[SURFACES]: SC-106 at=second proven order=no_event when=executed
// expect[SURFACES]: SC-106|SC-209 at=second possible doubt=footprint when=unexecuted
// expect[ONE_STREAM]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

static const int WIDTH = 64, HEIGHT = 32;

__global__ void sum_upper_half(cudaTextureObject_t image, float *sums)
{
	float sum = 0;

	for (int x = 0; x < WIDTH; x++)
		sum += tex2D<float>(image, x + 0.5f, threadIdx.x + 0.5f);
	sums[threadIdx.x] = sum;
}

__global__ void double_all(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
	int x = threadIdx.x * (int)sizeof(float), y = blockIdx.x;

	surf2Dwrite(2 * surf2Dread<float>(from, x, y), to, x, y);
}

static cudaArray_t new_array()
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaArray_t array;

	CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
	return array;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
	cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

static void fill_rows(cudaArray_t array, int first, int rows, const float *from,
		      cudaStream_t stream)
{
	const size_t row = WIDTH * sizeof(float);

	CHECK(cudaMemcpy2DToArrayAsync(array, 0, first, from, row, row, rows,
				       cudaMemcpyHostToDevice, stream)); // @refill
}

#if defined(SURFACES) || defined(ONE_STREAM)
static void use(cudaArray_t array, const float *data, cudaStream_t one, cudaStream_t other)
{
	cudaArray_t second = new_array();
	cudaResourceDesc first_resource = resource_of(array), second_resource = resource_of(second);
	cudaSurfaceObject_t surfaces[2];

#ifdef ONE_STREAM
	other = one;
#endif
	(void)data;
	CHECK(cudaCreateSurfaceObject(&surfaces[0], &first_resource));
	CHECK(cudaCreateSurfaceObject(&surfaces[1], &second_resource));
	double_all<<<HEIGHT, WIDTH, 0, one>>>(surfaces[0], surfaces[1]);
	double_all<<<HEIGHT, WIDTH, 0, other>>>(surfaces[1], surfaces[0]); // @second
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaDestroySurfaceObject(surfaces[0]));
	CHECK(cudaDestroySurfaceObject(surfaces[1]));
	CHECK(cudaFreeArray(second));
}
#else
static void use(cudaArray_t array, const float *data, cudaStream_t one, cudaStream_t other)
{
	cudaResourceDesc resource = resource_of(array);
	cudaTextureDesc plain = {};
	cudaTextureObject_t image;
	float *sums = on_device(HEIGHT * sizeof(float));
	int first = 0;

#ifdef OTHER_HALF
	first = HEIGHT / 2;
#endif
	CHECK(cudaCreateTextureObject(&image, &resource, &plain, NULL));
	sum_upper_half<<<1, HEIGHT / 2, 0, one>>>(image, sums);
#ifdef FIXED
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, one));
	CHECK(cudaStreamWaitEvent(other, done, 0));
#endif
	fill_rows(array, first, HEIGHT / 2, data, other);
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	CHECK(cudaEventDestroy(done));
#endif
	CHECK(cudaDestroyTextureObject(image));
	CHECK(cudaFree(sums));
}
#endif

int main()
{
	cudaArray_t array = new_array();
	float *data = pinned(WIDTH * HEIGHT * sizeof(float));
	cudaStream_t one, other;

	CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	fill(data, 1, WIDTH * HEIGHT);
	fill_rows(array, 0, HEIGHT, data, one);
	CHECK(cudaStreamSynchronize(one));
	use(array, data, one, other);
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFreeHost(data));
	return 0;
}
