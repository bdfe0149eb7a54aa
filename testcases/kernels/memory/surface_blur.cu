// Blurs an image in rounds between two surfaces, reads it back by texture; then paints in layers,
// in a volume and in a row. What lies outside of a surface is clamped, or is nothing.
// expect: clean
#include "testcases/compute.h"

static const int WIDTH = 61, HEIGHT = 33, ROUNDS = 6, LAYERS = 3;

// Sums of four neighbours; the surface counts bytes along a row.
__global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, sum = 0;

	if (x >= WIDTH)
		return;
	for (int k = 0; k < 4; k++) {
		int dx = k == 0 ? -1 : k == 1, dy = k == 2 ? -1 : k == 3;

		sum += surf2Dread<int>(from, (x + dx) * 4, y + dy, cudaBoundaryModeClamp);
	}
	surf2Dwrite(sum / 4, to, x * 4, y);
	// Nothing: outside.
	surf2Dwrite(-1, to, (WIDTH + x) * 4, y, cudaBoundaryModeZero);
	if (surf2Dread<int>(from, (WIDTH + x) * 4, y, cudaBoundaryModeZero))
		surf2Dwrite(-1, to, x * 4, y);
}

__global__ void copy(cudaTextureObject_t from, int *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

	if (x < WIDTH)
		out[y * WIDTH + x] = tex2D<int>(from, x, y);
}

__global__ void paint(cudaSurfaceObject_t layers, cudaSurfaceObject_t volume,
		      cudaSurfaceObject_t row)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
	uchar4 colour = make_uchar4(x, y, z, 255);
	unsigned short here = x + 8 * y + 64 * z;

	surf2DLayeredwrite(colour, layers, x * sizeof(colour), y, z);
	surf3Dwrite(here, volume, x * sizeof(here), y, z);
	if (y == 0 && z == 0)
		surf1Dwrite(make_longlong2(x, -x), row, x * sizeof(longlong2));
}

__global__ void inspect(cudaSurfaceObject_t layers, cudaSurfaceObject_t volume,
			cudaSurfaceObject_t row, uchar4 *colours, unsigned short *places,
			longlong2 *pairs)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, i = x + 8 * (y + 8 * z);

	colours[i] = surf2DLayeredread<uchar4>(layers, x * sizeof(*colours), y, z);
	places[i] = surf3Dread<unsigned short>(volume, x * sizeof(*places), y, z);
	if (y == 0 && z == 0)
		pairs[x] = surf1Dread<longlong2>(row, x * sizeof(*pairs));
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
	cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
	cudaResourceDesc resource = resource_of(array);
	cudaSurfaceObject_t surface;

	CHECK(cudaCreateSurfaceObject(&surface, &resource));
	return surface;
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
	cudaResourceDesc resource = resource_of(array);
	cudaTextureDesc wanted = {};
	cudaTextureObject_t texture;

	wanted.readMode = cudaReadModeElementType;
	CHECK(cudaCreateTextureObject(&texture, &resource, &wanted, NULL));
	return texture;
}

template <typename T> cudaArray_t array_of(cudaExtent extent, unsigned flags)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	cudaArray_t array;

	CHECK(cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore | flags));
	return array;
}

static int at(const int *image, int x, int y)
{
	x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
	y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
	return image[y * WIDTH + x];
}

static void blur_on_host(int *image)
{
	static int next[WIDTH * HEIGHT];

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			next[y * WIDTH + x] = (at(image, x - 1, y) + at(image, x + 1, y) +
					       at(image, x, y - 1) + at(image, x, y + 1)) /
					      4;
	memcpy(image, next, sizeof(next));
}

static void blur_image()
{
	static int image[WIDTH * HEIGHT], got[WIDTH * HEIGHT];
	cudaArray_t arrays[2];
	cudaSurfaceObject_t surfaces[2];
	unsigned state = 1;

	for (int &texel : image)
		texel = (int)(random_next(&state) % 100000);
	for (int k = 0; k < 2; k++) {
		arrays[k] = array_of<int>(make_cudaExtent(WIDTH, HEIGHT, 0), 0);
		surfaces[k] = surface_of(arrays[k]);
	}
	CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, image, WIDTH * 4, WIDTH * 4, HEIGHT,
				  cudaMemcpyHostToDevice));
	for (int round = 0; round < ROUNDS; round++) {
		blur<<<dim3(2, HEIGHT), 32>>>(surfaces[round % 2], surfaces[1 - round % 2]);
		blur_on_host(image);
	}
	cudaTextureObject_t texture = texture_of(arrays[ROUNDS % 2]);
	int *out = device_array<int>(WIDTH * HEIGHT);

	copy<<<dim3(2, HEIGHT), 32>>>(texture, out);
	read_back(got, out, WIDTH * HEIGHT);
	expect_equal("blurred", got, image, WIDTH * HEIGHT);
	CHECK(cudaDestroyTextureObject(texture));
	for (int k = 0; k < 2; k++) {
		CHECK(cudaDestroySurfaceObject(surfaces[k]));
		CHECK(cudaFreeArray(arrays[k]));
	}
	free_device(out);
}

static void paint_shapes()
{
	static uchar4 colours[8 * 8 * LAYERS], want_colours[8 * 8 * LAYERS];
	static unsigned short places[8 * 8 * LAYERS], want_places[8 * 8 * LAYERS];
	static longlong2 pairs[8], want_pairs[8];
	cudaArray_t arrays[] = {array_of<uchar4>(make_cudaExtent(8, 8, LAYERS), cudaArrayLayered),
				array_of<unsigned short>(make_cudaExtent(8, 8, LAYERS), 0),
				array_of<int4>(make_cudaExtent(8, 0, 0), 0)};
	cudaSurfaceObject_t surfaces[3];
	uchar4 *d_colours = device_zeros<uchar4>(8 * 8 * LAYERS);
	unsigned short *d_places = device_zeros<unsigned short>(8 * 8 * LAYERS);
	longlong2 *d_pairs = device_zeros<longlong2>(8);

	for (int k = 0; k < 3; k++)
		surfaces[k] = surface_of(arrays[k]);
	paint<<<dim3(8, LAYERS), 8>>>(surfaces[0], surfaces[1], surfaces[2]);
	inspect<<<dim3(8, LAYERS), 8>>>(surfaces[0], surfaces[1], surfaces[2], d_colours, d_places,
					d_pairs);
	for (int i = 0; i < 8 * 8 * LAYERS; i++) {
		int x = i % 8, y = i / 8 % 8, z = i / 64;

		want_colours[i] = make_uchar4(x, y, z, 255);
		want_places[i] = (unsigned short)(x + 8 * y + 64 * z);
	}
	for (int x = 0; x < 8; x++)
		want_pairs[x] = make_longlong2(x, -x);
	read_back(colours, d_colours, 8 * 8 * LAYERS);
	read_back(places, d_places, 8 * 8 * LAYERS);
	read_back(pairs, d_pairs, 8);
	expect_equal("layers", colours, want_colours, 8 * 8 * LAYERS);
	expect_equal("volume", places, want_places, 8 * 8 * LAYERS);
	expect_equal("row", pairs, want_pairs, 8);
	for (int k = 0; k < 3; k++) {
		CHECK(cudaDestroySurfaceObject(surfaces[k]));
		CHECK(cudaFreeArray(arrays[k]));
	}
	free_device(d_colours, d_places, d_pairs);
}

int main()
{
	need_kernels();
	blur_image();
	paint_shapes();
	return 0;
}
