// Textures over linear memory: fetches by index, and a pitched image that is turned by texture.
// expect: clean
#include "testcases/compute.h"

static const int COUNT = 1000, WIDTH = 37, HEIGHT = 21;

template <typename T> __global__ void gather(cudaTextureObject_t table, const int *index, T *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < COUNT)
		out[i] = tex1Dfetch<T>(table, index[i]);
}

// Each thread reads one texel of the image's mirror image along the diagonal.
__global__ void transpose(cudaTextureObject_t image, short2 *out)
{
	int x = threadIdx.x, y = blockIdx.x;

	out[y * HEIGHT + x] = tex2D<short2>(image, y + 0.5f, x + 0.5f);
}

__global__ void magnify(cudaTextureObject_t image, float *out)
{
	int x = threadIdx.x, y = blockIdx.x;

	out[y * 4 * WIDTH + x] = tex2D<float>(image, x / 4.0f + 0.125f, y / 4.0f + 0.125f);
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, bool is_linear,
				      cudaTextureReadMode read)
{
	cudaTextureDesc wanted = {};
	cudaTextureObject_t texture;

	wanted.addressMode[0] = wanted.addressMode[1] = cudaAddressModeClamp;
	wanted.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
	wanted.readMode = read;
	CHECK(cudaCreateTextureObject(&texture, &resource, &wanted, NULL));
	return texture;
}

template <typename T> cudaTextureObject_t table_of(T *memory, cudaTextureReadMode read)
{
	cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = cudaCreateChannelDesc<T>();
	resource.res.linear.sizeInBytes = COUNT * sizeof(T);
	return texture_of(resource, false, read);
}

// An index outside of the table fetches zeros.
template <typename T, typename Read>
void fetch(const char *what, cudaTextureReadMode read, const T *table, const Read *want_table)
{
	int *index = host_array<int>(COUNT);
	Read *got = host_array<Read>(COUNT), *want = host_array<Read>(COUNT);
	unsigned state = 11;

	for (int i = 0; i < COUNT; i++) {
		index[i] = (int)(random_next(&state) % (COUNT + 200)) - 100;
		memset((void *)&want[i], 0, sizeof(Read));
		if (index[i] >= 0 && index[i] < COUNT)
			want[i] = want_table[index[i]];
	}
	T *d_table = device_copy(table, COUNT);
	int *d_index = device_copy(index, COUNT);
	Read *out = device_array<Read>(COUNT);
	cudaTextureObject_t texture = table_of(d_table, read);

	gather<<<(COUNT + 127) / 128, 128>>>(texture, d_index, out);
	read_back(got, out, COUNT);
	if constexpr (std::is_same<Read, float>::value)
		expect_near(what, got, want, COUNT, 1e-6);
	else
		expect_equal(what, got, want, COUNT);
	CHECK(cudaDestroyTextureObject(texture));
	free_device(d_table, d_index, out);
	free_host(index, got, want);
}

static void fetch_tables()
{
	static float4 vectors[COUNT];
	static unsigned short words[COUNT];
	static signed char bytes[COUNT];
	static float parts[COUNT], signs[COUNT];
	unsigned state = 3;

	for (int i = 0; i < COUNT; i++) {
		vectors[i] = make_float4(random_unit(&state), -i, i * 0.5f, random_unit(&state));
		words[i] = (unsigned short)random_next(&state);
		parts[i] = words[i] / 65535.0f;
		bytes[i] = (signed char)random_next(&state);
		signs[i] = bytes[i] < -127 ? -1 : bytes[i] / 127.0f;
	}
	fetch("vectors", cudaReadModeElementType, vectors, vectors);
	fetch("words", cudaReadModeElementType, words, words);
	fetch("words as parts", cudaReadModeNormalizedFloat, words, parts);
	fetch("signed bytes as parts", cudaReadModeNormalizedFloat, bytes, signs);
}

template <typename T> cudaTextureObject_t image_of(const T *image, T **memory, bool is_linear)
{
	cudaResourceDesc resource = {};
	size_t pitch;

	CHECK(cudaMallocPitch(memory, &pitch, WIDTH * sizeof(T), HEIGHT));
	CHECK(cudaMemcpy2D(*memory, pitch, image, WIDTH * sizeof(T), WIDTH * sizeof(T), HEIGHT,
			   cudaMemcpyHostToDevice));
	resource.resType = cudaResourceTypePitch2D;
	resource.res.pitch2D.devPtr = *memory;
	resource.res.pitch2D.desc = cudaCreateChannelDesc<T>();
	resource.res.pitch2D.width = WIDTH;
	resource.res.pitch2D.height = HEIGHT;
	resource.res.pitch2D.pitchInBytes = pitch;
	return texture_of(resource, is_linear, cudaReadModeElementType);
}

static void turn()
{
	static short2 image[WIDTH * HEIGHT], got[WIDTH * HEIGHT], want[WIDTH * HEIGHT];
	short2 *memory, *out = device_array<short2>(WIDTH * HEIGHT);

	for (int i = 0; i < WIDTH * HEIGHT; i++)
		image[i] = make_short2((short)i, (short)-i);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			want[x * HEIGHT + y] = image[y * WIDTH + x];
	cudaTextureObject_t texture = image_of(image, &memory, false);

	transpose<<<WIDTH, HEIGHT>>>(texture, out);
	read_back(got, out, WIDTH * HEIGHT);
	expect_equal("turned", got, want, WIDTH * HEIGHT);
	CHECK(cudaDestroyTextureObject(texture));
	free_device(memory, out);
}

static int clamped(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void enlarge()
{
	static float image[WIDTH * HEIGHT], got[16 * WIDTH * HEIGHT], want[16 * WIDTH * HEIGHT];
	float *memory, *out = device_array<float>(16 * WIDTH * HEIGHT);
	unsigned state = 5;

	for (float &texel : image)
		texel = random_unit(&state);
	for (int y = 0; y < 4 * HEIGHT; y++)
		for (int x = 0; x < 4 * WIDTH; x++) {
			double u = x / 4.0 + 0.125 - 0.5, v = y / 4.0 + 0.125 - 0.5, sum = 0;
			int i = (int)floor(u), j = (int)floor(v);

			for (int k = 0; k < 4; k++) {
				double a = k & 1 ? u - i : 1 - (u - i);
				double b = k & 2 ? v - j : 1 - (v - j);

				sum += a * b *
				       image[clamped(j + (k >> 1), HEIGHT) * WIDTH +
					     clamped(i + (k & 1), WIDTH)];
			}
			want[y * 4 * WIDTH + x] = (float)sum;
		}
	cudaTextureObject_t texture = image_of(image, &memory, true);

	magnify<<<4 * HEIGHT, 4 * WIDTH>>>(texture, out);
	read_back(got, out, 16 * WIDTH * HEIGHT);
	expect_near("enlarged", got, want, 16 * WIDTH * HEIGHT, 1e-4);
	CHECK(cudaDestroyTextureObject(texture));
	free_device(memory, out);
}

int main()
{
	need_kernels();
	fetch_tables();
	turn();
	enlarge();
	return 0;
}
