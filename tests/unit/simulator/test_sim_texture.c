/* Texture and surface objects of the simulated driver: descriptions, mipmapped arrays, and kernels
 * that use objects that died. */
#include "tests/unit/simulator/sim_fixture.h"

#define WIDTH  16
#define HEIGHT 8

static CUarray array_with(unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = WIDTH,
					 .Height = HEIGHT,
					 .Format = CU_AD_FORMAT_UNSIGNED_INT32,
					 .NumChannels = 1,
					 .Flags = flags};
	CUarray array;

	OK(cuArray3DCreate(&array, &shape));
	return array;
}

static CUDA_RESOURCE_DESC resource_of(CUarray array)
{
	return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
}

static CUDA_RESOURCE_DESC linear_at(CUdeviceptr memory, size_t bytes)
{
	return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR,
				    .res.linear = {.devPtr = memory,
						   .format = CU_AD_FORMAT_UNSIGNED_INT32,
						   .numChannels = 1,
						   .sizeInBytes = bytes}};
}

static CUDA_RESOURCE_DESC pitched_at(CUdeviceptr memory, size_t width, size_t pitch)
{
	return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
				    .res.pitch2D = {.devPtr = memory,
						    .format = CU_AD_FORMAT_FLOAT,
						    .numChannels = 1,
						    .width = width,
						    .height = HEIGHT,
						    .pitchInBytes = pitch}};
}

static const CUDA_TEXTURE_DESC words = {.flags = CU_TRSF_READ_AS_INTEGER};

static CUresult create(CUDA_RESOURCE_DESC resource, CUDA_TEXTURE_DESC sampler)
{
	CUtexObject texture;
	CUresult result = cuTexObjectCreate(&texture, &resource, &sampler, NULL);

	if (result == CUDA_SUCCESS)
		OK(cuTexObjectDestroy(texture));
	return result;
}

ALL_TESTS(sim_setup, sim_teardown)

TEST(what_a_texture_needs)
{
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUarray array = array_with(0);
	CUDA_TEXTURE_DESC linear = words, odd = words;
	CUtexObject texture;

	FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(NULL, &resource, &words, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, NULL, &words, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, NULL, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(resource, words));
	OK(create(resource_of(array), words));
	linear.filterMode = CU_TR_FILTER_MODE_LINEAR; /* integers have no mean */
	OK(create(resource_of(array), linear));
	odd.addressMode[1] = (CUaddress_mode)4;
	FAILS(CUDA_ERROR_INVALID_VALUE, create(resource_of(array), odd));
	resource = resource_of(array);
	resource.flags = 1;
	FAILS(CUDA_ERROR_INVALID_VALUE, create(resource, words));
	OK(cuArrayDestroy(array));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(resource_of(array), words));
}

TEST(what_linear_memory_must_be)
{
	CUdeviceptr memory;

	OK(cuMemAlloc(&memory, 4096));
	OK(create(linear_at(memory, 4096), words));
	OK(create(linear_at(memory + 512, 1024), words));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(linear_at(memory + 4, 64), words));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(linear_at(memory, 4100), words));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(linear_at(memory, 3), words));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(linear_at(512, 64), words));
	OK(create(pitched_at(memory, 64, 512), words));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(pitched_at(memory, 64, 520), words));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(pitched_at(memory, 64, 224), words));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(pitched_at(memory, 64, 1024), words));
	OK(cuMemFree(memory));
}

TEST(descriptions_are_read_back)
{
	CUarray array = array_with(0);
	CUDA_RESOURCE_DESC resource = resource_of(array), found_resource;
	CUDA_TEXTURE_DESC sampler = {.filterMode = CU_TR_FILTER_MODE_POINT,
				     .addressMode = {CU_TR_ADDRESS_MODE_BORDER,
						     CU_TR_ADDRESS_MODE_CLAMP},
				     .borderColor = {1, 2, 3, 4}},
			  found;
	CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_FLOAT_1X32,
					.width = WIDTH,
					.height = HEIGHT},
				found_view;
	CUtexObject texture;

	OK(cuTexObjectCreate(&texture, &resource, &sampler, &view));
	OK(cuTexObjectGetResourceDesc(&found_resource, texture));
	assert_ptr_equal(found_resource.res.array.hArray, array);
	OK(cuTexObjectGetTextureDesc(&found, texture));
	assert_memory_equal(&found, &sampler, sizeof(found));
	OK(cuTexObjectGetResourceViewDesc(&found_view, texture));
	assert_memory_equal(&found_view, &view, sizeof(view));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectGetResourceDesc(&found_resource, texture));
	OK(cuTexObjectDestroy(texture));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetTextureDesc(&found, texture));
	OK(cuTexObjectDestroy(texture));
	OK(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceViewDesc(&found_view, texture));
	OK(cuTexObjectDestroy(texture));
	OK(cuArrayDestroy(array));
}

TEST(views_have_the_same_bytes)
{
	static const struct {
		CUDA_RESOURCE_VIEW_DESC view;
		CUresult want;
	} cases[] = {
		{{CU_RES_VIEW_FORMAT_UINT_4X8, WIDTH, HEIGHT, 0, 0, 0, 0, 0, {0}}, CUDA_SUCCESS},
		{{CU_RES_VIEW_FORMAT_UINT_2X8, WIDTH, HEIGHT, 0, 0, 0, 0, 0, {0}},
		 CUDA_ERROR_INVALID_VALUE},
		{{CU_RES_VIEW_FORMAT_NONE, WIDTH / 2, HEIGHT, 0, 0, 0, 0, 0, {0}},
		 CUDA_ERROR_INVALID_VALUE},
		{{CU_RES_VIEW_FORMAT_NONE, WIDTH, HEIGHT, 0, 0, 1, 0, 0, {0}},
		 CUDA_ERROR_INVALID_VALUE},
		{{CU_RES_VIEW_FORMAT_UNSIGNED_BC1, WIDTH * 4, HEIGHT * 4, 0, 0, 0, 0, 0, {0}},
		 CUDA_ERROR_INVALID_VALUE},
	};
	CUarray array = array_with(0);
	CUDA_RESOURCE_DESC resource = resource_of(array);
	CUtexObject texture;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		FAILS(cases[i].want,
		      cuTexObjectCreate(&texture, &resource, &words, &cases[i].view));
		if (cases[i].want == CUDA_SUCCESS)
			OK(cuTexObjectDestroy(texture));
	}
	OK(cuArrayDestroy(array));
}

TEST(surfaces_need_arrays)
{
	CUarray plain = array_with(0), array = array_with(CUDA_ARRAY3D_SURFACE_LDST);
	CUDA_RESOURCE_DESC resource = resource_of(plain), found;
	CUsurfObject surface;
	CUdeviceptr memory;

	OK(cuSurfObjectCreate(&surface, &resource)); /* though it was not made for it */
	OK(cuSurfObjectDestroy(surface));
	resource = resource_of(array);
	OK(cuSurfObjectCreate(&surface, &resource));
	OK(cuSurfObjectGetResourceDesc(&found, surface));
	assert_ptr_equal(found.res.array.hArray, array);
	OK(cuTexObjectDestroy(surface)); /* it is none: nothing happens */
	OK(cuSurfObjectDestroy(surface));
	OK(cuSurfObjectDestroy(surface));
	OK(cuMemAlloc(&memory, 4096));
	resource = linear_at(memory, 4096);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&surface, &resource));
	OK(cuMemFree(memory));
	OK(cuArrayDestroy(plain));
	OK(cuArrayDestroy(array));
}

TEST(handles_are_never_used_twice)
{
	CUarray array = array_with(0);
	CUDA_RESOURCE_DESC resource = resource_of(array);
	CUtexObject textures[200], again;

	for (int i = 0; i < 200; i++)
		OK(cuTexObjectCreate(&textures[i], &resource, &words, NULL));
	for (int i = 0; i < 200; i++) {
		OK(cuTexObjectDestroy(textures[i]));
		OK(cuTexObjectCreate(&again, &resource, &words, NULL));
		for (int k = 0; k < 200; k++)
			assert_true(again != textures[k]);
		OK(cuTexObjectDestroy(again));
	}
	OK(cuArrayDestroy(array));
}

/* ---- mipmapped arrays ---- */

TEST(levels_halve)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 20,
					 .Height = 6,
					 .Depth = 5,
					 .Format = CU_AD_FORMAT_HALF,
					 .NumChannels = 2,
					 .Flags = CUDA_ARRAY3D_LAYERED},
				found;
	CUmipmappedArray mipmap;
	CUarray level;
	size_t before, within, after, total;

	OK(cuMemGetInfo(&before, &total));
	OK(cuMipmappedArrayCreate(&mipmap, &shape, 99)); /* as many as there are: 5 */
	OK(cuMipmappedArrayGetLevel(&level, mipmap, 3));
	OK(cuArray3DGetDescriptor(&found, level));
	assert_int_equal(found.Width, 2);
	assert_int_equal(found.Height, 1);
	assert_int_equal(found.Depth, 5);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayDestroy(level));
	OK(cuMipmappedArrayGetLevel(&level, mipmap, 4));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, mipmap, 5));
	OK(cuMemGetInfo(&within, &total));
	assert_true(within < before);
	OK(cuMipmappedArrayDestroy(mipmap));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(mipmap));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayGetLevel(&level, mipmap, 0));
	OK(cuMemGetInfo(&after, &total));
	assert_int_equal(after, before);
}

TEST(mipmaps_need_normalized_coordinates)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {
		.Width = 8, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
	CUDA_TEXTURE_DESC normalized = {.flags = CU_TRSF_NORMALIZED_COORDINATES};

	OK(cuMipmappedArrayCreate(&resource.res.mipmap.hMipmappedArray, &shape, 4));
	OK(create(resource, words));
	OK(create(resource, normalized));
	OK(cuMipmappedArrayDestroy(resource.res.mipmap.hMipmappedArray));
	FAILS(CUDA_ERROR_INVALID_VALUE, create(resource, normalized));
}

TEST(cubes_are_square)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 8,
					 .Height = 8,
					 .Depth = 6,
					 .Format = CU_AD_FORMAT_FLOAT,
					 .NumChannels = 1,
					 .Flags = CUDA_ARRAY3D_CUBEMAP};
	CUarray array;

	OK(cuArray3DCreate(&array, &shape));
	OK(cuArrayDestroy(array));
	shape.Depth = 12;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &shape));
	shape.Flags |= CUDA_ARRAY3D_LAYERED;
	OK(cuArray3DCreate(&array, &shape));
	OK(cuArrayDestroy(array));
	shape.Height = 4;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &shape));
}

/* ---- kernels ---- */

static const char text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".visible .entry fetch(.param .u64 t, .param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<9>;\n"
	"ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [p]; mov.b32 %r4, 0f40600000;\n"
	"tex.1d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%rd0, {3}]; st.global.u32 [%rd1], %r0; ret; }\n"
	/* the handle is in memory, so that the launch does not show it */
	".visible .entry hidden(.param .u64 t, .param .u64 p) { .reg .b64 %rd<3>; .reg .b32 "
	"%r<9>;\n"
	"ld.param.u64 %rd0, [t]; ld.global.u64 %rd0, [%rd0]; ld.param.u64 %rd1, [p];\n"
	"tex.1d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%rd0, {3}]; st.global.u32 [%rd1], %r0; ret; }\n"
	".visible .entry store(.param .u64 t) { .reg .b64 %rd<3>; .reg .b32 %r<9>;\n"
	"ld.param.u64 %rd0, [t]; mov.b32 %r0, 64; sust.b.2d.b32.trap [%rd0, {%r0,0}], {%r0}; ret; "
	"}\n";

/* A context of its own, since errors of kernels stay. */
struct own {
	CUcontext context;
	CUmodule module;
	CUarray array;
	CUtexObject texture;
	CUdeviceptr memory; /* two words of 8 bytes */
};

static int own_setup(void **state)
{
	static struct own own;
	CUctxCreateParams params = {0};
	CUDA_RESOURCE_DESC resource;

	if (cuCtxCreate(&own.context, &params, 0, 0) || cuModuleLoadData(&own.module, text) ||
	    cuMemAlloc(&own.memory, 16))
		return -1;
	own.array = array_with(0);
	resource = resource_of(own.array);
	if (cuTexObjectCreate(&own.texture, &resource, &words, NULL))
		return -1;
	*state = &own;
	return 0;
}

static int own_teardown(void **state)
{
	const struct own *own = *state;

	return cuCtxDestroy(own->context) ? -1 : sim_setup(NULL);
}

static CUresult launch(const struct own *own, const char *name, CUdeviceptr first)
{
	CUdeviceptr out = own->memory;
	void *params[] = {&first, &out};
	CUfunction function;

	OK(cuModuleGetFunction(&function, own->module, name));
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static void fill(const struct own *own)
{
	uint32_t row[WIDTH] = {5, 6, 7, 8};

	OK(cuMemcpyHtoA(own->array, 0, row, sizeof(row)));
}

static uint32_t fetched(const struct own *own)
{
	uint32_t out = 0;

	OK(cuMemcpyDtoH(&out, own->memory, sizeof(out)));
	return out;
}

/* A texture whose memory is linear follows what is copied there. */
TEST_WITH(kernels_fetch, own_setup, own_teardown)
{
	const struct own *own = *state;
	CUDA_RESOURCE_DESC resource;
	CUdeviceptr memory;
	CUtexObject texture;

	fill(own);
	OK(launch(own, "fetch", own->texture));
	assert_int_equal(fetched(own), 8);
	OK(cuMemAlloc(&memory, 64));
	resource = linear_at(memory, 64);
	OK(cuTexObjectCreate(&texture, &resource, &words, NULL));
	OK(cuMemsetD32(memory, 77, 16));
	OK(launch(own, "fetch", texture));
	assert_int_equal(fetched(own), 77);
	OK(cuTexObjectDestroy(texture));
	OK(cuMemFree(memory));
}

/* A launch keeps the object that its parameters name, and the array's bytes. */
TEST_WITH(launches_keep_their_textures, own_setup, own_teardown)
{
	static struct gate gate;
	struct own *own = *state;

	fill(own);
	gate_close(&gate, NULL);
	OK(launch(own, "fetch", own->texture));
	OK(cuTexObjectDestroy(own->texture));
	gate_open(&gate);
	OK(cuArrayDestroy(own->array));
	assert_int_equal(fetched(own), 8);
}

/* Nor does it matter where a launch finds the handle: what was there at its call stays. */
TEST_WITH(launches_keep_textures_in_memory, own_setup, own_teardown)
{
	static struct gate gate;
	struct own *own = *state;
	uint64_t handle = own->texture;
	CUtexObject other;
	CUDA_RESOURCE_DESC resource = resource_of(own->array);

	fill(own);
	OK(cuMemcpyHtoD(own->memory + 8, &handle, sizeof(handle)));
	OK(cuCtxSynchronize());
	gate_close(&gate, NULL);
	OK(launch(own, "hidden", own->memory + 8));
	OK(cuTexObjectDestroy(own->texture));
	OK(cuTexObjectCreate(&other, &resource, &words, NULL));
	OK(cuTexObjectDestroy(other));
	gate_open(&gate);
	assert_int_equal(fetched(own), 8);
	OK(launch(own, "hidden", own->memory + 8));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

TEST_WITH(a_destroyed_texture_is_an_error, own_setup, own_teardown)
{
	const struct own *own = *state;

	OK(cuTexObjectDestroy(own->texture));
	OK(launch(own, "fetch", own->texture));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

TEST_WITH(a_texture_without_its_array_is_an_error, own_setup, own_teardown)
{
	const struct own *own = *state;
	uint64_t handle = own->texture;

	OK(cuMemcpyHtoD(own->memory + 8, &handle, sizeof(handle)));
	OK(launch(own, "hidden", own->memory + 8));
	OK(cuCtxSynchronize());
	OK(cuArrayDestroy(own->array));
	OK(launch(own, "hidden", own->memory + 8));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

TEST_WITH(a_texture_is_no_surface, own_setup, own_teardown)
{
	const struct own *own = *state;

	OK(launch(own, "store", own->texture));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

TEST_WITH(surfaces_trap_outside, own_setup, own_teardown)
{
	CUDA_RESOURCE_DESC resource = resource_of(array_with(CUDA_ARRAY3D_SURFACE_LDST));
	CUsurfObject surface;

	OK(cuSurfObjectCreate(&surface, &resource));
	OK(launch(*state, "store", surface));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}
