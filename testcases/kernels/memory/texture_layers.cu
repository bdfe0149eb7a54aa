// Volumes, layers, cubes and levels: each texel says where it is, and fetches must find it.
// expect: clean
#include "testcases/compute.h"

static const int SIDE = 8, LAYERS = 5, LEVELS = 4;

// What texel (x, y) of a slice has: linear in each, so that filters give exact values inside.
__host__ __device__ static inline float value_at(float x, float y, float z)
{
	return x + 16 * y + 256 * z;
}

// All coordinates in quarters of texels, of which the first is 1 away from the edge.
__host__ __device__ static inline float quarter(int i)
{
	return 1 + i * 0.25f;
}

__global__ void volumes(cudaTextureObject_t volume, float *out)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;

	out[(z * gridDim.x + y) * blockDim.x + x] =
		tex3D<float>(volume, quarter(x), quarter(y), quarter(z));
}

__global__ void layers(cudaTextureObject_t sheets, cudaTextureObject_t rows, float *out)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y,
	    i = (z * gridDim.x + y) * blockDim.x + x;

	// Of a layer that is not there, the last one is taken.
	out[2 * i] = tex2DLayered<float>(sheets, quarter(x), quarter(y), z + (z == LAYERS - 1));
	out[2 * i + 1] = tex1DLayered<float>(rows, quarter(x), z);
}

// The direction to the middle of texel (x, y) of a face.
__host__ __device__ static inline float3 direction_of(int face, int x, int y)
{
	float s = (2 * x + 1 - SIDE) / (float)SIDE, t = (2 * y + 1 - SIDE) / (float)SIDE;

	switch (face) {
	case 0: return make_float3(1, -t, -s);
	case 1: return make_float3(-1, -t, s);
	case 2: return make_float3(s, 1, t);
	case 3: return make_float3(s, -1, -t);
	case 4: return make_float3(s, -t, 1);
	}
	return make_float3(-s, -t, -1);
}

__global__ void cubes(cudaTextureObject_t cube, cudaTextureObject_t cube_layers, int *out)
{
	int x = threadIdx.x, y = blockIdx.x, face = blockIdx.y;
	int i = (face * SIDE + y) * SIDE + x;
	float3 d = direction_of(face, x, y);

	out[3 * i] = texCubemap<int>(cube, 3 * d.x, 3 * d.y, 3 * d.z);
	out[3 * i + 1] = texCubemapLayered<int>(cube_layers, d.x, d.y, d.z, 0);
	out[3 * i + 2] = texCubemapLayered<int>(cube_layers, d.x, d.y, d.z, 1);
}

// Levels by number, between two, and by gradients; level k has the value k everywhere.
__global__ void levels(cudaTextureObject_t pyramid, float *out)
{
	int i = threadIdx.x;
	float x = (i + 0.5f) / blockDim.x, step = ldexpf(1.0f, i % LEVELS) / 32;

	out[3 * i] = tex2DLod<float>(pyramid, x, 1 - x, i * 0.125f - 1);
	out[3 * i + 1] =
		tex2DGrad<float>(pyramid, x, x, make_float2(step, 0), make_float2(0, step));
	out[3 * i + 2] = tex2D<float>(pyramid, x, x);
}

__global__ void gathers(cudaTextureObject_t sheet, float4 *out)
{
	int x = threadIdx.x, y = blockIdx.x, i = y * blockDim.x + x;

	out[2 * i] = tex2Dgather<float4>(sheet, x + 1, y + 1, 0);
	out[2 * i + 1] = tex2Dgather<float4>(sheet, x + 1, y + 1, 1);
}

static cudaTextureObject_t texture_of(cudaArray_t array, bool is_linear)
{
	cudaResourceDesc resource = {};
	cudaTextureDesc wanted = {};
	cudaTextureObject_t texture;

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	for (auto &mode : wanted.addressMode)
		mode = cudaAddressModeClamp;
	wanted.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
	wanted.readMode = cudaReadModeElementType;
	CHECK(cudaCreateTextureObject(&texture, &resource, &wanted, NULL));
	return texture;
}

template <typename T> cudaArray_t array_of(const T *texels, int height, int depth, unsigned flags)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	int rows = height ? height : 1;
	cudaMemcpy3DParms copy = {};

	CHECK(cudaMalloc3DArray(&copy.dstArray, &format, make_cudaExtent(SIDE, height, depth),
				flags));
	copy.srcPtr = make_cudaPitchedPtr((void *)texels, SIDE * sizeof(T), SIDE, rows);
	copy.extent = make_cudaExtent(SIDE, rows, depth ? depth : 1);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	return copy.dstArray;
}

static void destroy(cudaTextureObject_t texture, cudaArray_t array)
{
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
}

static const int STEPS = 21; // quarters from 1 to 6

static void sample_volume()
{
	static float texels[SIDE * SIDE * SIDE], got[STEPS * STEPS * STEPS],
		want[STEPS * STEPS * STEPS];
	float *out = device_array<float>(STEPS * STEPS * STEPS);

	for (int i = 0; i < SIDE * SIDE * SIDE; i++)
		texels[i] = value_at(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
	for (int i = 0; i < STEPS * STEPS * STEPS; i++)
		want[i] = value_at(quarter(i % STEPS) - 0.5f, quarter(i / STEPS % STEPS) - 0.5f,
				   quarter(i / STEPS / STEPS) - 0.5f);
	cudaArray_t array = array_of(texels, SIDE, SIDE, 0);
	cudaTextureObject_t texture = texture_of(array, true);

	volumes<<<dim3(STEPS, STEPS), STEPS>>>(texture, out);
	read_back(got, out, STEPS * STEPS * STEPS);
	expect_near("volume", got, want, STEPS * STEPS * STEPS, 1e-4);
	destroy(texture, array);
	free_device(out);
}

static void sample_layers()
{
	static float sheets[SIDE * SIDE * LAYERS], rows[SIDE * LAYERS],
		got[2 * STEPS * STEPS * LAYERS], want[2 * STEPS * STEPS * LAYERS];
	float *out = device_array<float>(2 * STEPS * STEPS * LAYERS);

	for (int i = 0; i < SIDE * SIDE * LAYERS; i++)
		sheets[i] = value_at(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
	for (int i = 0; i < SIDE * LAYERS; i++)
		rows[i] = value_at(i % SIDE, 0, i / SIDE);
	for (int i = 0; i < STEPS * STEPS * LAYERS; i++) {
		float x = quarter(i % STEPS) - 0.5f, y = quarter(i / STEPS % STEPS) - 0.5f;

		want[2 * i] = value_at(x, y, i / STEPS / STEPS);
		want[2 * i + 1] = value_at(x, 0, i / STEPS / STEPS);
	}
	cudaArray_t arrays[] = {array_of(sheets, SIDE, LAYERS, cudaArrayLayered),
				array_of(rows, 0, LAYERS, cudaArrayLayered)};
	cudaTextureObject_t textures[] = {texture_of(arrays[0], true), texture_of(arrays[1], true)};

	layers<<<dim3(STEPS, LAYERS), STEPS>>>(textures[0], textures[1], out);
	read_back(got, out, 2 * STEPS * STEPS * LAYERS);
	expect_near("layers", got, want, 2 * STEPS * STEPS * LAYERS, 1e-4);
	for (int k = 0; k < 2; k++)
		destroy(textures[k], arrays[k]);
	free_device(out);
}

static void sample_cubes()
{
	static int texels[2 * 6 * SIDE * SIDE], got[3 * 6 * SIDE * SIDE], want[3 * 6 * SIDE * SIDE];
	int *out = device_array<int>(3 * 6 * SIDE * SIDE);

	for (int i = 0; i < 2 * 6 * SIDE * SIDE; i++)
		texels[i] = i + 1000;
	for (int i = 0; i < 6 * SIDE * SIDE; i++) {
		want[3 * i] = want[3 * i + 1] = i + 1000;
		want[3 * i + 2] = i + 1000 + 6 * SIDE * SIDE;
	}
	cudaArray_t arrays[] = {array_of(texels, SIDE, 6, cudaArrayCubemap),
				array_of(texels, SIDE, 12, cudaArrayCubemap | cudaArrayLayered)};
	cudaTextureObject_t textures[] = {texture_of(arrays[0], false),
					  texture_of(arrays[1], false)};

	cubes<<<dim3(SIDE, 6), SIDE>>>(textures[0], textures[1], out);
	read_back(got, out, 3 * 6 * SIDE * SIDE);
	expect_equal("cubes", got, want, 3 * 6 * SIDE * SIDE);
	for (int k = 0; k < 2; k++)
		destroy(textures[k], arrays[k]);
	free_device(out);
}

static void sample_gathers()
{
	static float2 texels[SIDE * SIDE];
	static float4 got[2 * 36], want[2 * 36];
	float4 *out = device_array<float4>(2 * 36);

	for (int i = 0; i < SIDE * SIDE; i++)
		texels[i] = make_float2(i, -i);
	for (int i = 0; i < 36; i++) {
		// Between texels (x, y) and (x + 1, y + 1), counter-clockwise from the lower left.
		int at = i / 6 * SIDE + i % 6;

		want[2 * i] = make_float4(at + SIDE, at + SIDE + 1, at + 1, at);
		want[2 * i + 1] = make_float4(-at - SIDE, -at - SIDE - 1, -at - 1, -at);
	}
	cudaArray_t array = array_of(texels, SIDE, 0, cudaArrayTextureGather);
	cudaTextureObject_t texture = texture_of(array, false);

	gathers<<<6, 6>>>(texture, out);
	read_back(got, out, 2 * 36);
	for (int i = 0; i < 2 * 36; i++) // no zero with a sign
		got[i] = make_float4(got[i].x + 0, got[i].y + 0, got[i].z + 0, got[i].w + 0),
		want[i] = make_float4(want[i].x + 0, want[i].y + 0, want[i].z + 0, want[i].w + 0);
	expect_equal("gathered", got, want, 2 * 36);
	destroy(texture, array);
	free_device(out);
}

static cudaMipmappedArray_t pyramid_of()
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	static float same[32 * 32];
	cudaMipmappedArray_t pyramid;
	cudaArray_t level;

	CHECK(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(32, 32, 0), LEVELS));
	for (int k = 0; k < LEVELS; k++) {
		for (float &texel : same)
			texel = k;
		CHECK(cudaGetMipmappedArrayLevel(&level, pyramid, k));
		CHECK(cudaMemcpy2DToArray(level, 0, 0, same, (32 >> k) * 4, (32 >> k) * 4, 32 >> k,
					  cudaMemcpyHostToDevice));
	}
	return pyramid;
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t pyramid, bool is_linear)
{
	cudaResourceDesc resource = {};
	cudaTextureDesc wanted = {};
	cudaTextureObject_t texture;

	resource.resType = cudaResourceTypeMipmappedArray;
	resource.res.mipmap.mipmap = pyramid;
	for (auto &mode : wanted.addressMode)
		mode = cudaAddressModeClamp;
	wanted.filterMode = cudaFilterModeLinear;
	wanted.mipmapFilterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
	wanted.readMode = cudaReadModeElementType;
	wanted.normalizedCoords = 1;
	wanted.maxMipmapLevelClamp = LEVELS - 1;
	CHECK(cudaCreateTextureObject(&texture, &resource, &wanted, NULL));
	return texture;
}

static float level_of(int i, bool is_linear)
{
	float level = i * 0.125f - 1;

	level = level < 0 ? 0 : level > LEVELS - 1 ? LEVELS - 1 : level;
	return is_linear ? level : floorf(level + 0.5f);
}

static void sample_levels(const char *what, bool is_linear)
{
	static float got[3 * 48], want[3 * 48];
	cudaMipmappedArray_t pyramid = pyramid_of();
	cudaTextureObject_t texture = texture_of(pyramid, is_linear);
	float *out = device_array<float>(3 * 48);

	levels<<<1, 48>>>(texture, out);
	read_back(got, out, 3 * 48);
	for (int i = 0; i < 48; i++) {
		want[3 * i] = level_of(i, is_linear);
		want[3 * i + 1] = i % LEVELS;
		want[3 * i + 2] = 0;
		if (!is_linear && i * 0.125f == floorf(i * 0.125f) + 0.5f) // either level
			want[3 * i] = got[3 * i] == want[3 * i] - 1 ? got[3 * i] : want[3 * i];
	}
	expect_near(what, got, want, 3 * 48, 1.0 / 64);
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeMipmappedArray(pyramid));
	free_device(out);
}

int main()
{
	need_kernels();
	sample_volume();
	sample_layers();
	sample_cubes();
	sample_gathers();
	sample_levels("levels", false);
	sample_levels("between levels", true);
	return 0;
}
