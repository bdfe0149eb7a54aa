// Resamples an image by bilinear filtering under each address mode, from floats and from bytes.
// expect: clean
#include "testcases/compute.h"

static const int WIDTH = 13, HEIGHT = 9, OUT = 40;

struct sampling {
	cudaTextureAddressMode mode;
	bool is_normalized;
	bool is_linear;
};

// Coordinates from outside of the image on one side to outside on the other, in steps that a weight
// of 8 bits represents.
__host__ __device__ static inline float coordinate(int i, int size)
{
	return (float)((i - 8) * size) / 24.0f;
}

// What a sampler gets: coordinates in texels, whole sixteenths.
__host__ __device__ static inline float snapped(float x)
{
	return floorf(x * 16) / 16;
}

template <typename T>
__global__ void resample(cudaTextureObject_t image, float scale_x, float scale_y, T *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

	if (x < OUT)
		out[y * OUT + x] = tex2D<T>(image, snapped(coordinate(x, WIDTH)) * scale_x,
					    snapped(coordinate(y, HEIGHT)) * scale_y);
}

// The texel that stands for one outside of the image; -1: the border.
HOST_LOOP int inside(int i, int n, sampling s)
{
	cudaTextureAddressMode mode = s.mode;

	if (!s.is_normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
		mode = cudaAddressModeClamp;
	if (mode == cudaAddressModeWrap)
		return (i % n + n) % n;
	if (mode == cudaAddressModeMirror) {
		i = (i % (2 * n) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	}
	if (mode == cudaAddressModeClamp)
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	return i < 0 || i >= n ? -1 : i;
}

HOST_LOOP double texel(const float *image, int x, int y, sampling s)
{
	x = inside(x, WIDTH, s);
	y = inside(y, HEIGHT, s);
	return x < 0 || y < 0 ? 0.25 : image[y * WIDTH + x];
}

HOST_LOOP double sampled(const float *image, double x, double y, sampling s)
{
	if (!s.is_linear)
		return texel(image, (int)floor(x), (int)floor(y), s);
	int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
	double a = x - 0.5 - i, b = y - 0.5 - j;

	return (1 - a) * (1 - b) * texel(image, i, j, s) + a * (1 - b) * texel(image, i + 1, j, s) +
	       (1 - a) * b * texel(image, i, j + 1, s) + a * b * texel(image, i + 1, j + 1, s);
}

static cudaTextureObject_t texture_of(cudaArray_t array, sampling s, bool is_bytes)
{
	cudaResourceDesc resource = {};
	cudaTextureDesc wanted = {};
	cudaTextureObject_t texture;

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	wanted.addressMode[0] = wanted.addressMode[1] = s.mode;
	wanted.filterMode = s.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
	wanted.readMode = is_bytes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
	wanted.normalizedCoords = s.is_normalized;
	for (int k = 0; k < 4; k++)
		wanted.borderColor[k] = 0.25f;
	CHECK(cudaCreateTextureObject(&texture, &resource, &wanted, NULL));
	return texture;
}

// Wrapped coordinates are scaled by numbers that are no powers of two: those beside a step of the
// weight may be one step off.
HOST_LOOP void compare(const char *what, cudaArray_t array, const float *image, sampling s,
		       bool is_bytes)
{
	float *got = host_array<float>(OUT * OUT), *want = host_array<float>(OUT * OUT);
	float *out = device_array<float>(OUT * OUT);
	cudaTextureObject_t texture = texture_of(array, s, is_bytes);

	resample<float><<<dim3(2, OUT), 32>>>(texture, s.is_normalized ? 1.0f / WIDTH : 1,
					      s.is_normalized ? 1.0f / HEIGHT : 1, out);
	read_back(got, out, OUT * OUT);
	for (int y = 0; y < OUT; y++)
		for (int x = 0; x < OUT; x++)
			want[y * OUT + x] = (float)sampled(image, snapped(coordinate(x, WIDTH)),
							   snapped(coordinate(y, HEIGHT)), s);
	expect_near(what, got, want, OUT * OUT, s.is_normalized || is_bytes ? 1.0 / 100 : 1e-4);
	CHECK(cudaDestroyTextureObject(texture));
	free_device(out);
	free_host(got, want);
}

template <typename T> cudaArray_t array_of(const T *image)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	cudaArray_t array;

	CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, image, WIDTH * sizeof(T), WIDTH * sizeof(T), HEIGHT,
				  cudaMemcpyHostToDevice));
	return array;
}

int main()
{
	static const struct {
		const char *name;
		sampling s;
	} cases[] = {
		{"clamp, linear", {cudaAddressModeClamp, false, true}},
		{"border, linear", {cudaAddressModeBorder, false, true}},
		{"clamp, normalized, linear", {cudaAddressModeClamp, true, true}},
		{"border, normalized, linear", {cudaAddressModeBorder, true, true}},
		{"wrap, linear", {cudaAddressModeWrap, true, true}},
		{"mirror, linear", {cudaAddressModeMirror, true, true}},
		{"wrap without normalized coordinates", {cudaAddressModeWrap, false, true}},
		{"clamp, nearest", {cudaAddressModeClamp, false, false}},
		{"border, nearest", {cudaAddressModeBorder, false, false}},
	};
	float image[WIDTH * HEIGHT], parts[WIDTH * HEIGHT];
	unsigned char bytes[WIDTH * HEIGHT];
	unsigned state = 7;

	need_kernels();
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		image[i] = random_unit(&state);
		bytes[i] = (unsigned char)random_next(&state);
		parts[i] = bytes[i] / 255.0f;
	}
	cudaArray_t floats = array_of(image), small = array_of(bytes);

	for (const auto &c : cases)
		compare(c.name, floats, image, c.s, false);
	for (const auto &c : cases)
		compare(c.name, small, parts, c.s, true);
	CHECK(cudaFreeArray(floats));
	CHECK(cudaFreeArray(small));
	return 0;
}
