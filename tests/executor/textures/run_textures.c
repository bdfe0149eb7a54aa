/* Fetches from textures on the device that libcuda.so.1 is, for a comparison bit by bit.
 *
 * usage: run_textures            a line for each fetch: CASE LANE: X Y Z W = four words
 *        run_textures questions  names of questions
 *        run_textures ptx        the kernels
 *        run_textures QUESTION   the driver's answer; some kill the context
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/executor/driver.h"

#define LANES  32
#define TEXELS 4096 /* bytes of a case's texels, at most */

#define FETCH(name, fetch)                                                             \
	".visible .entry " name "(.param .u64 t, .param .u64 i, .param .u64 o) {\n"    \
	".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>;\n"                        \
	"ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [i]; ld.param.u64 %rd2, [o];\n"    \
	"mov.u32 %r0, %tid.x; mul.wide.u32 %rd3, %r0, 16; add.s64 %rd1, %rd1, %rd3;\n" \
	"add.s64 %rd2, %rd2, %rd3; ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%rd1];\n"      \
	"cvt.rzi.u32.f32 %r5, %f3;\n" fetch "\n"                                       \
	"st.global.v4.b32 [%rd2], {%r1,%r2,%r3,%r4}; ret; }\n"
#define TO " {%r1,%r2,%r3,%r4}, "

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n" FETCH(
	"tex_1d", "tex.1d.v4.f32.f32" TO "[%rd0, {%f0}];") FETCH("int_1d", "tex.1d.v4.u32.f32" TO
									   "[%rd0, {%f0}];")
	FETCH("index_1d", "cvt.rni.s32.f32 %r5, %f0; tex.1d.v4.u32.s32" TO "[%rd0, {%r5}];") FETCH(
		"tex_2d", "tex.2d.v4.f32.f32" TO "[%rd0, {%f0,%f1}];")
		FETCH("int_2d", "tex.2d.v4.u32.f32" TO "[%rd0, {%f0,%f1}];") FETCH(
			"half_2d",
			"tex.2d.v2.f16x2.f32 {%r1,%r2}, [%rd0, {%f0,%f1}];"
			"mov.b32 %r3, 0; mov.b32 %r4, 0;") FETCH("tex_3d",
								 "tex.3d.v4.f32.f32" TO
								 "[%rd0, {%f0,%f1,%f2,%f2}];")
			FETCH("tex_a1d", "tex.a1d.v4.f32.f32" TO "[%rd0, {%r5,%f0}];") FETCH(
				"tex_a2d",
				"tex.a2d.v4.f32.f32" TO
				"[%rd0, {%r5,%f0,%f1,%f1}];") FETCH("tex_cube",
								    "tex.cube.v4.f32.f32" TO
								    "[%rd0, {%f0,%f1,%f2,%f2}];")
				FETCH("level_2d",
				      "tex.level.2d.v4.f32.f32" TO "[%rd0, {%f0,%f1}], "
				      "%f2;") FETCH("grad_2d",
						    "tex.grad.2d.v4.f32.f32" TO
						    "[%rd0, {%f0,%f1}], {%f2,%f3}, {%f3,%f2};")
					FETCH("gather_r",
					      "tld4.r.2d.v4.f32.f32" TO
					      "[%rd0, {%f0,%f1}];") FETCH("gather_b",
									  "tld4.b.2d.v4.f32.f32" TO
									  "[%rd0, {%f0,%f1}];")
						FETCH("outside",
						      "mov.b32 %r1, 1024; sust.b.2d.b32.trap "
						      "[%rd0, {%r1,%r1}], {%r1};")
							FETCH("askew", "mov.b32 %r1, 2; "
								       "sust.b.2d.b32.trap [%rd0, "
								       "{%r1,0}], {%r1};")
								FETCH("queries",
								      "txq.width.b32 %r1, [%rd0]; "
								      "txq.height.b32 %r2, [%rd0];"
								      "txq.channel_data_type.b32 "
								      "%r3, "
								      "[%rd0]; "
								      "txq.channel_order.b32 "
								      "%r4, [%rd0];");

/* What its coordinates are scaled by, and texels: whole numbers 0, 256, 512 … show weights. */
enum kind { RANDOM, STEPS };

struct texture_case {
	const char *name, *kernel;
	CUarray_format format;
	unsigned channels, width, height, depth, array_flags, levels;
	CUfilter_mode filter;
	CUaddress_mode mode;
	unsigned flags;
	enum kind kind;
	float bias, least;
};

#define U8     CU_AD_FORMAT_UNSIGNED_INT8
#define S8     CU_AD_FORMAT_SIGNED_INT8
#define U16    CU_AD_FORMAT_UNSIGNED_INT16
#define S16    CU_AD_FORMAT_SIGNED_INT16
#define U32    CU_AD_FORMAT_UNSIGNED_INT32
#define F16    CU_AD_FORMAT_HALF
#define F32    CU_AD_FORMAT_FLOAT
#define POINT  CU_TR_FILTER_MODE_POINT
#define LINEAR CU_TR_FILTER_MODE_LINEAR
#define WRAP   CU_TR_ADDRESS_MODE_WRAP
#define CLAMP  CU_TR_ADDRESS_MODE_CLAMP
#define MIRROR CU_TR_ADDRESS_MODE_MIRROR
#define BORDER CU_TR_ADDRESS_MODE_BORDER
#define NORMAL CU_TRSF_NORMALIZED_COORDINATES
#define WHOLE  CU_TRSF_READ_AS_INTEGER
#define LAYERS CUDA_ARRAY3D_LAYERED
#define CUBE   CUDA_ARRAY3D_CUBEMAP
#define GATHER CUDA_ARRAY3D_TEXTURE_GATHER

static const struct texture_case cases[] = {
	{"weights", "tex_1d", F32, 1, 16, 0, 0, 0, 1, LINEAR, CLAMP, 0, STEPS, 0, 0},
	{"weights-normalized", "tex_1d", F32, 1, 13, 0, 0, 0, 1, LINEAR, CLAMP, NORMAL, STEPS, 0,
	 0},
	{"weights-half", "tex_1d", F16, 1, 8, 0, 0, 0, 1, LINEAR, CLAMP, 0, STEPS, 0, 0},
	{"nearest", "tex_1d", F32, 1, 16, 0, 0, 0, 1, POINT, CLAMP, 0, RANDOM, 0, 0},
	{"nearest-normalized", "tex_1d", F32, 1, 13, 0, 0, 0, 1, POINT, CLAMP, NORMAL, RANDOM, 0,
	 0},
	{"nearest-wrap", "tex_1d", F32, 1, 13, 0, 0, 0, 1, POINT, WRAP, NORMAL, RANDOM, 0, 0},
	{"nearest-mirror", "tex_1d", F32, 1, 13, 0, 0, 0, 1, POINT, MIRROR, NORMAL, RANDOM, 0, 0},
	{"nearest-border", "tex_1d", F32, 1, 13, 0, 0, 0, 1, POINT, BORDER, 0, RANDOM, 0, 0},
	{"index", "index_1d", U32, 1, 16, 0, 0, 0, 1, POINT, CLAMP, WHOLE, RANDOM, 0, 0},
	{"index-border", "index_1d", U32, 1, 16, 0, 0, 0, 1, POINT, BORDER, WHOLE, RANDOM, 0, 0},
	{"float-clamp", "tex_2d", F32, 1, 13, 9, 0, 0, 1, LINEAR, CLAMP, 0, RANDOM, 0, 0},
	{"float-wrap", "tex_2d", F32, 1, 13, 9, 0, 0, 1, LINEAR, WRAP, NORMAL, RANDOM, 0, 0},
	{"float-mirror", "tex_2d", F32, 1, 13, 9, 0, 0, 1, LINEAR, MIRROR, NORMAL, RANDOM, 0, 0},
	{"float-border", "tex_2d", F32, 4, 13, 9, 0, 0, 1, LINEAR, BORDER, NORMAL, RANDOM, 0, 0},
	{"half", "tex_2d", F16, 2, 13, 9, 0, 0, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"bytes", "tex_2d", U8, 4, 13, 9, 0, 0, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"bytes-nearest", "tex_2d", U8, 4, 13, 9, 0, 0, 1, POINT, CLAMP, NORMAL, RANDOM, 0, 0},
	{"bytes-srgb", "tex_2d", U8, 4, 13, 9, 0, 0, 1, LINEAR, CLAMP, NORMAL | CU_TRSF_SRGB,
	 RANDOM, 0, 0},
	{"bytes-border", "tex_2d", U8, 2, 13, 9, 0, 0, 1, LINEAR, BORDER, NORMAL, RANDOM, 0, 0},
	{"bytes-in-halves", "half_2d", U8, 4, 13, 9, 0, 0, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"signed-bytes", "tex_2d", S8, 2, 13, 9, 0, 0, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"signed-bytes-nearest", "tex_2d", S8, 1, 13, 9, 0, 0, 1, POINT, CLAMP, NORMAL, RANDOM, 0,
	 0},
	{"words", "tex_2d", U16, 2, 13, 9, 0, 0, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"signed-words", "tex_2d", S16, 1, 13, 9, 0, 0, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"signed-words-nearest", "tex_2d", S16, 4, 13, 9, 0, 0, 1, POINT, CLAMP, NORMAL, RANDOM, 0,
	 0},
	{"integers", "int_2d", S8, 2, 13, 9, 0, 0, 1, POINT, CLAMP, WHOLE, RANDOM, 0, 0},
	{"integers-border", "int_2d", U8, 1, 13, 9, 0, 0, 1, POINT, BORDER, WHOLE, RANDOM, 0, 0},
	{"integers-32", "int_2d", U32, 1, 13, 9, 0, 0, 1, POINT, BORDER, 0, RANDOM, 0, 0},
	{"volume", "tex_3d", F32, 1, 7, 6, 5, 0, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"volume-bytes", "tex_3d", U8, 1, 7, 6, 5, 0, 1, LINEAR, WRAP, NORMAL, RANDOM, 0, 0},
	{"rows", "tex_a1d", F32, 1, 13, 0, 5, LAYERS, 1, LINEAR, CLAMP, 0, RANDOM, 0, 0},
	{"sheets", "tex_a2d", F32, 1, 13, 9, 5, LAYERS, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"cube", "tex_cube", F32, 1, 8, 8, 6, CUBE, 1, POINT, CLAMP, NORMAL, RANDOM, 0, 0},
	{"cube-linear", "tex_cube", F32, 1, 8, 8, 6, CUBE, 1, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"cube-seamless", "tex_cube", F32, 1, 8, 8, 6, CUBE, 1, LINEAR, CLAMP,
	 NORMAL | CU_TRSF_SEAMLESS_CUBEMAP, RANDOM, 0, 0},
	{"levels", "level_2d", F32, 1, 16, 16, 0, 0, 5, LINEAR, CLAMP, NORMAL, RANDOM, 0, 0},
	{"levels-nearest", "level_2d", F32, 1, 16, 16, 0, 0, 5, POINT, CLAMP, NORMAL, RANDOM, 0, 0},
	{"levels-bias", "level_2d", F32, 1, 16, 16, 0, 0, 5, LINEAR, CLAMP, NORMAL, RANDOM, 0.75F,
	 1},
	{"level-of-tex", "tex_2d", F32, 1, 16, 16, 0, 0, 5, POINT, CLAMP, NORMAL, RANDOM, 2, 1},
	{"gradients", "grad_2d", F32, 1, 16, 16, 0, 0, 5, POINT, CLAMP, NORMAL, RANDOM, 0, 0},
	{"gather", "gather_r", F32, 1, 13, 9, 0, GATHER, 1, POINT, CLAMP, NORMAL, RANDOM, 0, 0},
	{"gather-blue", "gather_b", U8, 4, 13, 9, 0, GATHER, 1, POINT, WRAP, NORMAL, RANDOM, 0, 0},
	{"queries", "queries", U16, 2, 13, 9, 0, 0, 1, POINT, CLAMP, 0, RANDOM, 0, 0},
};

static unsigned random_bits(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static float random_part(unsigned *state)
{
	return (float)random_bits(state) / 16777216;
}

static unsigned texel_bytes(const struct texture_case *c)
{
	unsigned bytes = c->format == U8 || c->format == S8	? 1
			 : c->format == U32 || c->format == F32 ? 4
								: 2;

	return bytes * c->channels;
}

/* Texels of one level: any integers, numbers below 1, or steps of 256 (half precision: 0, 1 …). */
static void make_texels(const struct texture_case *c, unsigned *state, unsigned char *out,
			size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (unsigned char)random_bits(state);
	for (size_t i = 0; c->format == F32 && i < bytes / 4; i++) {
		float value = c->kind == STEPS ? (float)(256 * i) : random_part(state);

		memcpy(out + 4 * i, &value, 4);
	}
	for (size_t i = 0; c->format == F16 && i < bytes / 2; i++) {
		unsigned short value =
			(unsigned short)(c->kind == STEPS ? (i % 2 ? 0x3C00 : 0)
							  : random_bits(state) % 0x3C00);

		memcpy(out + 2 * i, &value, 2);
	}
}

static void fill_level(const struct texture_case *c, CUarray array, unsigned level, unsigned *state)
{
	unsigned width = c->width >> level ? c->width >> level : 1;
	unsigned height = c->height >> level ? c->height >> level : 1,
		 depth = c->depth ? c->depth : 1;
	static unsigned char texels[TEXELS];
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = texels,
			      .srcPitch = (size_t)width * texel_bytes(c),
			      .srcHeight = height,
			      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			      .dstArray = array,
			      .WidthInBytes = (size_t)width * texel_bytes(c),
			      .Height = height,
			      .Depth = depth};
	size_t bytes = copy.WidthInBytes * height * depth;

	if (bytes > sizeof(texels))
		exit(1);
	make_texels(c, state, texels, bytes);
	driver_check(cuda.copy_box(&copy), c->name);
}

static CUDA_RESOURCE_DESC make_resource(const struct texture_case *c)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {c->width,  c->height,	 c->depth,
					 c->format, c->channels, c->array_flags};
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	unsigned state = 1;
	CUarray array;

	if (c->levels == 1) {
		driver_check(cuda.new_array(&resource.res.array.hArray, &shape), c->name);
		fill_level(c, resource.res.array.hArray, 0, &state);
		return resource;
	}
	resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
	driver_check(cuda.new_mipmap(&resource.res.mipmap.hMipmappedArray, &shape, c->levels),
		     c->name);
	for (unsigned k = 0; k < c->levels; k++) {
		driver_check(cuda.level_of_mipmap(&array, resource.res.mipmap.hMipmappedArray, k),
			     c->name);
		fill_level(c, array, k, &state);
	}
	return resource;
}

static CUDA_TEXTURE_DESC make_sampler(const struct texture_case *c)
{
	return (CUDA_TEXTURE_DESC){.addressMode = {c->mode, c->mode, c->mode},
				   .filterMode = c->filter,
				   .flags = c->flags,
				   .mipmapFilterMode = c->filter,
				   .mipmapLevelBias = c->bias,
				   .minMipmapLevelClamp = c->least,
				   .maxMipmapLevelClamp = (float)(c->levels - 1),
				   .borderColor = {0.25F, 0.5F, 2, -1}};
}

/* Steps through two weights in quarters of 1/256; or special places, then any. */
static float coordinate(const struct texture_case *c, unsigned lane, unsigned size, unsigned *state)
{
	static const float specials[] = {0,
					 0.5F,
					 1,
					 1.5F,
					 0.99999994F,
					 2.9999998F,
					 -0.5F,
					 3 + 1 / 512.0F,
					 3 - 1 / 512.0F,
					 3 + 1 / 1024.0F,
					 3.5F + 1 / 512.0F,
					 1e10F,
					 -1e10F,
					 INFINITY,
					 -INFINITY,
					 NAN};
	float scale = c->flags & NORMAL ? 1 / (float)(size ? size : 1) : 1, x;

	if (c->kind == STEPS)
		x = 2.5F + (float)lane / 1024 + (float)(lane / 16) / 3;
	else if (lane < sizeof(specials) / sizeof(*specials))
		x = specials[lane];
	else
		x = (random_part(state) * 3 - 1) * (float)(size ? size : 1);
	return x * scale;
}

static void make_coordinates(const struct texture_case *c, float (*in)[4])
{
	unsigned state = 2, sizes[3] = {c->width, c->height, c->depth};

	for (unsigned i = 0; i < LANES; i++) {
		for (unsigned k = 0; k < 3; k++)
			in[i][k] = coordinate(c, (i + 5 * k) % LANES, sizes[k], &state);
		in[i][3] = (float)(i % 7);
		if (c->array_flags & CUBE)
			for (unsigned k = 0; k < 3; k++)
				in[i][k] = (random_part(&state) - 0.5F) * (i % 3 == k ? 1 : 2);
		if (!strcmp(c->kernel, "level_2d"))
			in[i][2] = random_part(&state) * 6 - 1;
		if (!strcmp(c->kernel, "grad_2d")) {
			in[i][2] = ldexpf(random_part(&state), -(int)(i % 6));
			in[i][3] = ldexpf(random_part(&state), -(int)(i % 5));
		}
	}
}

static unsigned bits_of(float value)
{
	unsigned bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static CUresult launch(CUmodule module, const char *name, unsigned long long object, CUdeviceptr in,
		       CUdeviceptr out)
{
	void *params[] = {&object, &in, &out};
	CUfunction function;

	CUresult result = cuda.get_function(&function, module, name);

	if (result == CUDA_SUCCESS)
		result = cuda.launch(function, 1, 1, 1, LANES, 1, 1, 0, NULL, params, NULL);
	return result == CUDA_SUCCESS ? cuda.synchronize() : result;
}

static void run_case(const struct texture_case *c, CUmodule module, CUdeviceptr in, CUdeviceptr out)
{
	CUDA_RESOURCE_DESC resource = make_resource(c);
	CUDA_TEXTURE_DESC sampler = make_sampler(c);
	unsigned results[LANES][4];
	float coordinates[LANES][4];
	const char *error = "?";
	CUtexObject texture;
	CUresult result;

	make_coordinates(c, coordinates);
	driver_check(cuda.to_device(in, coordinates, sizeof(coordinates)), c->name);
	driver_check(cuda.new_texture(&texture, &resource, &sampler, NULL), c->name);
	result = launch(module, c->kernel, texture, in, out);
	if (result != CUDA_SUCCESS) {
		cuda.error_name(result, &error);
		printf("%s: error = %s\n", c->name, error);
		return;
	}
	driver_check(cuda.to_host(results, out, sizeof(results)), c->name);
	for (unsigned i = 0; i < LANES; i++)
		printf("%s %u: %08x %08x %08x %08x = %08x %08x %08x %08x\n", c->name, i,
		       bits_of(coordinates[i][0]), bits_of(coordinates[i][1]),
		       bits_of(coordinates[i][2]), bits_of(coordinates[i][3]), results[i][0],
		       results[i][1], results[i][2], results[i][3]);
}

/* ---- questions ---- */

struct asked {
	CUmodule module;
	CUdeviceptr in, out;
	CUDA_RESOURCE_DESC resource; /* 13 times 9 words, for surfaces too */
	CUDA_TEXTURE_DESC sampler;   /* reads them as they are */
};

static CUresult create(const struct asked *a)
{
	CUtexObject texture;

	return cuda.new_texture(&texture, &a->resource, &a->sampler, NULL);
}

static CUresult linear_filter_of_integers(struct asked *a)
{
	a->sampler.filterMode = LINEAR;
	return create(a);
}

static CUresult mipmap_without_normalized_coordinates(struct asked *a)
{
	struct texture_case c = cases[0];

	c.levels = 3;
	a->resource = make_resource(&c);
	return create(a);
}

static CUresult resource_flags(struct asked *a)
{
	a->resource.flags = 1;
	return create(a);
}

static CUresult linear_memory(struct asked *a, size_t offset, size_t bytes)
{
	CUdeviceptr memory;

	driver_check(cuda.allocate(&memory, 4096), "cuMemAlloc");
	a->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR,
					   .res.linear = {memory + offset, U32, 1, bytes}};
	return create(a);
}

static CUresult linear_memory_askew(struct asked *a)
{
	return linear_memory(a, 4, 64);
}

static CUresult linear_memory_beyond_its_end(struct asked *a)
{
	return linear_memory(a, 0, (size_t)1 << 29);
}

static CUresult pitch_askew(struct asked *a)
{
	CUdeviceptr memory;

	driver_check(cuda.allocate(&memory, 4096), "cuMemAlloc");
	a->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
					   .res.pitch2D = {memory, U32, 1, 8, 8, 36}};
	return create(a);
}

static CUresult texture_of_a_freed_array(struct asked *a)
{
	driver_check(cuda.free_array(a->resource.res.array.hArray), "cuArrayDestroy");
	return create(a);
}

static CUresult surface_of_a_plain_array(struct asked *a)
{
	CUDA_RESOURCE_DESC resource = make_resource(&cases[0]);
	CUsurfObject surface;

	(void)a;
	return cuda.new_surface(&surface, &resource);
}

static CUresult destroy_twice(struct asked *a)
{
	CUtexObject texture;

	driver_check(cuda.new_texture(&texture, &a->resource, &a->sampler, NULL), "create");
	driver_check(cuda.free_texture(texture), "destroy");
	return cuda.free_texture(texture);
}

static CUresult destroy_an_unknown_handle(struct asked *a)
{
	(void)a;
	return cuda.free_texture(0x123456);
}

static CUresult fetch_by(struct asked *a, unsigned long long handle)
{
	return launch(a->module, "int_2d", handle, a->in, a->out);
}

static CUresult fetch_by_zero(struct asked *a)
{
	return fetch_by(a, 0);
}

static CUresult fetch_by_an_unknown_handle(struct asked *a)
{
	return fetch_by(a, 0x123456);
}

static CUresult fetch_by_a_destroyed_texture(struct asked *a)
{
	CUtexObject texture;

	driver_check(cuda.new_texture(&texture, &a->resource, &a->sampler, NULL), "create");
	driver_check(cuda.free_texture(texture), "destroy");
	return fetch_by(a, texture);
}

static CUresult fetch_from_a_freed_array(struct asked *a)
{
	CUtexObject texture;

	driver_check(cuda.new_texture(&texture, &a->resource, &a->sampler, NULL), "create");
	driver_check(cuda.free_array(a->resource.res.array.hArray), "cuArrayDestroy");
	return fetch_by(a, texture);
}

static CUresult store(struct asked *a, const char *kernel)
{
	CUsurfObject surface;

	driver_check(cuda.new_surface(&surface, &a->resource), "surface");
	return launch(a->module, kernel, surface, a->in, a->out);
}

static CUresult store_outside_of_a_surface(struct asked *a)
{
	return store(a, "outside");
}

static CUresult store_askew(struct asked *a)
{
	return store(a, "askew");
}

static CUresult store_by_a_texture(struct asked *a)
{
	CUtexObject texture;

	driver_check(cuda.new_texture(&texture, &a->resource, &a->sampler, NULL), "create");
	return launch(a->module, "askew", texture, a->in, a->out);
}

static const struct {
	const char *name;
	CUresult (*ask)(struct asked *a);
} questions[] = {
#define QUESTION(id)    \
	{               \
#id, id \
	}
	QUESTION(linear_filter_of_integers),
	QUESTION(mipmap_without_normalized_coordinates),
	QUESTION(resource_flags),
	QUESTION(linear_memory_askew),
	QUESTION(linear_memory_beyond_its_end),
	QUESTION(pitch_askew),
	QUESTION(texture_of_a_freed_array),
	QUESTION(surface_of_a_plain_array),
	QUESTION(destroy_twice),
	QUESTION(destroy_an_unknown_handle),
	QUESTION(fetch_by_zero),
	QUESTION(fetch_by_an_unknown_handle),
	QUESTION(fetch_by_a_destroyed_texture),
	QUESTION(fetch_from_a_freed_array),
	QUESTION(store_outside_of_a_surface),
	QUESTION(store_askew),
	QUESTION(store_by_a_texture),
};

static int ask(const char *name, struct asked *a)
{
	static const struct texture_case words = {
		"words", "",	U32,   1,     13,     9, 0, CUDA_ARRAY3D_SURFACE_LDST,
		1,	 POINT, CLAMP, WHOLE, RANDOM, 0, 0};
	const char *answer = "?";

	a->resource = make_resource(&words);
	a->sampler = make_sampler(&words);
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		if (strcmp(questions[i].name, name))
			continue;
		cuda.error_name(questions[i].ask(a), &answer);
		printf("%s = %s\n", name, answer);
		return 0;
	}
	fprintf(stderr, "run_textures: unknown question %s\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	struct asked a;

	if (argc == 2 && !strcmp(argv[1], "questions")) {
		for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
			puts(questions[i].name);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "ptx"))
		return puts(text) < 0;
	driver_open();
	driver_check(cuda.load(&a.module, text), "cuModuleLoadData");
	driver_check(cuda.allocate(&a.in, LANES * 16), "cuMemAlloc");
	driver_check(cuda.allocate(&a.out, LANES * 16), "cuMemAlloc");
	if (argc == 2)
		return ask(argv[1], &a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		run_case(&cases[i], a.module, a.in, a.out);
	return 0;
}
