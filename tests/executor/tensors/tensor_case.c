/* Cases of tensor maps: what the manual allows, what it forbids, and what it does not say. */
#include "tests/executor/tensors/tensor_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1200

#define U8  CU_TENSOR_MAP_DATA_TYPE_UINT8
#define U16 CU_TENSOR_MAP_DATA_TYPE_UINT16
#define U32 CU_TENSOR_MAP_DATA_TYPE_UINT32
#define F16 CU_TENSOR_MAP_DATA_TYPE_FLOAT16
#define F32 CU_TENSOR_MAP_DATA_TYPE_FLOAT32
#define F64 CU_TENSOR_MAP_DATA_TYPE_FLOAT64

struct tensor_case tensor_cases[MOST];
unsigned tensor_case_count;

size_t tensor_element_bytes(CUtensorMapDataType type)
{
	static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

	return (size_t)type < sizeof(bytes) ? bytes[type] : 1;
}

uint32_t tensor_case_bytes(const struct tensor_case *c)
{
	uint32_t bytes = (uint32_t)tensor_element_bytes(c->type);

	if (c->mode == IM2COL)
		return bytes * c->channels * c->pixels;
	for (unsigned d = 0; d < c->rank; d++)
		bytes *= d && c->steps[d] ? (c->box[d] + c->steps[d] - 1) / c->steps[d] : c->box[d];
	return bytes;
}

/* A new case like that one; its name is the first one's with a word and a number. */
static struct tensor_case *like(const struct tensor_case *c, const char *word, long number)
{
	struct tensor_case *made = &tensor_cases[tensor_case_count];

	if (++tensor_case_count > MOST)
		abort();
	*made = *c;
	snprintf(made->name, sizeof(made->name), "%.24s%s%.16s%ld", c->name, *c->name ? "-" : "",
		 word, number);
	return made;
}

/* A tensor of 108 columns and 76 rows of single precision, and boxes of 32 and 16. */
static struct tensor_case plane(const char *name)
{
	struct tensor_case c = {.action = LOAD,
				.rank = 2,
				.instruction_rank = 2,
				.type = F32,
				.dims = {108, 76, 6, 4, 3},
				.box = {32, 16, 1, 1, 1},
				.steps = {1, 1, 1, 1, 1}};

	snprintf(c.name, sizeof(c.name), "%s", name);
	return c;
}

static void add_places(void)
{
	static const int at[][2] = {{0, 0},   {4, 0},	{1, 0},	  {2, 1},    {3, 5},   {-4, 0},
				    {-4, -4}, {-1, 0},	{92, 60}, {28, -4},  {92, 70}, {104, 0},
				    {108, 0}, {0, 76},	{-32, 0}, {200, 90}, {-64, 3}, {0, -20},
				    {8, -1},  {-28, 0}, {76, 60}};

	for (unsigned swizzle = 0; swizzle < 4; swizzle += 3)
		for (unsigned i = 0; i < sizeof(at) / sizeof(*at); i++) {
			struct tensor_case c = plane(swizzle ? "place-swizzled" : "place"), *made;

			made = like(&c, "", i);
			made->swizzle = (CUtensorMapSwizzle)swizzle;
			memcpy(made->at, at[i], sizeof(at[i]));
			for (unsigned action = STORE; action <= REDUCE; action++) {
				struct tensor_case d = *made;

				snprintf(d.name, sizeof(d.name), "%s",
					 action == STORE ? "store" : "add");
				d.action = (enum action)action;
				d.reduction = "add";
				like(&d, swizzle ? "swizzled" : "", i);
			}
		}
}

/* Where tiles, barriers and maps may lie. */
static void add_alignments(void)
{
	static const uint32_t offsets[] = {0, 8, 16, 32, 64, 128, 256, 512, 640, 1024, 1152};
	struct tensor_case c;

	for (unsigned swizzle = 0; swizzle < 4; swizzle++)
		for (unsigned i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
			for (unsigned action = LOAD; action <= REDUCE; action++) {
				static const char *const names[] = {"tile", "store-tile",
								    "add-tile"};

				c = plane(names[action]);
				c.action = (enum action)action;
				c.reduction = "add";
				c.swizzle = (CUtensorMapSwizzle)swizzle;
				c.box[0] = swizzle ? 4U << swizzle : 32;
				c.tile_offset = offsets[i];
				snprintf(c.name + strlen(c.name), 16, "%u", swizzle);
				like(&c, "+", offsets[i]);
			}
	c = plane("barrier");
	for (unsigned at = 0; at < 24; at += 4)
		like(&c, "+", at)->barrier_offset = at;
	c = plane("map");
	c.map_place = IN_GLOBAL;
	for (unsigned at = 0; at <= 128; at += at < 32 ? 16 : 32)
		like(&c, "+", at)->map_offset = at;
}

static void add_types(void)
{
	for (unsigned type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ; type++)
		for (int fill = 0; fill < 2; fill++) {
			struct tensor_case c = plane(fill ? "ones" : "type");

			c.type = (CUtensorMapDataType)type;
			c.fill = (CUtensorMapFloatOOBfill)fill;
			c.at[0] = 96 - 16;
			c.at[1] = 70;
			like(&c, "", (long)type);
		}
	for (long at = 0; at < 24; at++) {
		struct tensor_case c = plane("bytes");

		c.type = U8;
		c.at[0] = (int32_t)at;
		like(&c, "", at);
	}
	for (long at = 0; at < 4; at++) {
		struct tensor_case c = plane("doubles");

		c.type = F64;
		c.at[0] = (int32_t)at - 2;
		like(&c, "", at);
	}
}

static void add_shapes(void)
{
	struct tensor_case c;

	for (unsigned rank = 1; rank <= 5; rank++)
		for (unsigned i = 0; i < 2; i++) {
			static const uint32_t box[5] = {16, 6, 3, 2, 2};

			c = plane(i ? "rank-outside" : "rank");
			c.rank = c.instruction_rank = rank;
			memcpy(c.dims, (uint32_t[]){20, 9, 5, 4, 3}, sizeof(c.dims));
			memcpy(c.box, box, sizeof(box));
			memcpy(c.at, i ? (int32_t[]){8, -2, 3, 3, 2} : (int32_t[]){4, 1, 2, 1, 1},
			       sizeof(c.at));
			like(&c, "", rank);
			c.action = STORE;
			like(&c, "store", rank);
		}
	for (unsigned step = 0; step <= 9; step++)
		for (unsigned d = 0; d < 2; d++) {
			c = plane(d ? "step" : "first-step");
			c.steps[d] = step;
			like(&c, "", step);
			c.at[0] = -4;
			c.at[1] = 62;
			like(&c, "outside", step);
			c.action = STORE;
			like(&c, "store", step);
		}
	/* rows that are shorter, or longer, than what is swizzled */
	for (unsigned swizzle = 0; swizzle <= 6; swizzle++)
		for (unsigned pieces = 1; pieces <= 16; pieces *= 2) {
			c = plane("row");
			c.swizzle = (CUtensorMapSwizzle)swizzle;
			c.box[0] = 4 * pieces;
			snprintf(c.name, sizeof(c.name), "row%u", swizzle);
			like(&c, "", pieces);
			c.action = STORE;
			like(&c, "store", pieces);
		}
	c = plane("box");
	for (unsigned box = 0; box <= 6; box++)
		like(&c, "", box)->box[0] = box;
	like(&c, "", 256)->box[0] = 256;
	like(&c, "", 257)->box[0] = 257;
	like(&c, "rows", 0)->box[1] = 0;
	like(&c, "rows", 3)->box[1] = 3;
	like(&c, "rows", 257)->box[1] = 257;
	c.action = ENCODE;
	c.box[0] = 256;
	for (unsigned rows = 16; rows <= 256; rows += rows < 224 ? 16 : 1)
		like(&c, "kilobytes", rows)->box[1] = rows;
}

/* What rounding to tf32 and flushing do. */
static void add_specials(void)
{
	for (unsigned type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
	     type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
	     type += type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 ? 3 : 1)
		for (unsigned action = LOAD; action <= REDUCE; action++) {
			struct tensor_case c = plane("special");

			c.type = (CUtensorMapDataType)type;
			c.action = (enum action)action;
			c.reduction = "add";
			c.is_special = 1;
			like(&c, "", 10L * action + (long)type);
		}
}

static void add_interleaved(void)
{
	for (unsigned interleave = 1; interleave <= 3; interleave++)
		for (unsigned rank = 2; rank <= 5; rank++)
			for (unsigned swizzle = 0; swizzle < 4; swizzle++) {
				struct tensor_case c = plane("");
				uint32_t slice = interleave == 1 ? 4 : 8;

				snprintf(c.name, sizeof(c.name), "interleave%u-rank%u", interleave,
					 rank);
				c.interleave = (CUtensorMapInterleave)interleave;
				c.swizzle = (CUtensorMapSwizzle)swizzle;
				c.rank = c.instruction_rank = rank;
				memcpy(c.dims, (uint32_t[]){slice, 10, 6, 4, 3}, sizeof(c.dims));
				memcpy(c.box, (uint32_t[]){slice, 4, 3, 2, 2}, sizeof(c.box));
				memcpy(c.at, (int32_t[]){0, 2, -1, 1, 1}, sizeof(c.at));
				like(&c, "swizzle", swizzle);
				c.dims[0] = 3 * slice; /* channels in slices */
				c.strides[0] = 4UL * slice;
				like(&c, "slices", swizzle);
				c.at[0] = 1;
				like(&c, "channel", swizzle);
			}
}

static struct tensor_case pixels(const char *name)
{
	struct tensor_case c = plane(name);

	c.mode = c.instruction_mode = IM2COL;
	c.rank = c.instruction_rank = 4; /* channels, columns, rows, images */
	memcpy(c.dims, (uint32_t[]){24, 9, 7, 3, 2}, sizeof(c.dims));
	c.channels = 8;
	c.pixels = 16;
	return c;
}

/* How many bits of an offset count. */
static void add_offsets(void)
{
	static const uint16_t offsets[] = {1,	15,  16,  31,  32,    127,
					   128, 255, 256, 257, 32767, 65535};
	struct tensor_case c = pixels("offset");

	for (unsigned rank = 3; rank <= 5; rank++)
		for (unsigned i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
			for (unsigned d = 0; d + 2 < rank; d++) {
				struct tensor_case *made = like(&c, "", 1000L * rank + 10L * i + d);

				made->rank = made->instruction_rank = rank;
				memcpy(made->dims, (uint32_t[]){8, 200, 5, 4, 3},
				       sizeof(made->dims));
				made->offsets[d] = offsets[i];
			}
}

/* Where pixels begin: channel, column, row, image. */
static const int32_t places[][4] = {{0, 0, 0, 0},  {8, 0, 0, 0},  {0, 3, 2, 0},	 {0, -1, -1, 0},
				    {0, 8, 6, 0},  {0, 8, 6, 2},  {16, 2, 5, 1}, {4, 1, 1, 1},
				    {20, 1, 1, 1}, {2, 1, 1, 1},  {0, 9, 0, 0},	 {0, 20, 3, 0},
				    {0, -5, 2, 0}, {0, 2, -3, 1}, {0, 1, 9, 0},	 {0, 0, 0, 3},
				    {0, 0, 0, -1}, {24, 0, 0, 0}, {-8, 0, 0, 0}};

/* Ranks, swizzles, counts, layouts. */
static void add_pixel_shapes(void)
{
	struct tensor_case c = pixels("pixels");

	for (unsigned rank = 2; rank <= 5; rank++)
		for (unsigned k = 0; k < 3; k++) {
			struct tensor_case *made = like(&c, "rank", 10L * rank + k);

			made->action = rank > 2 ? LOAD : ENCODE;
			made->rank = made->instruction_rank = rank;
			memcpy(made->dims, (uint32_t[]){24, 5, 4, 3, 2}, sizeof(made->dims));
			made->pixels = 100;
			for (unsigned d = 0; k && d < 3; d++) {
				made->lower[d] = -1;
				made->upper[d] = (int)d - 1;
				made->offsets[d] = (uint16_t)(2 - d);
			}
			made->at[1] = k;
			made->at[rank - 1] = k == 2;
		}
	for (unsigned swizzle = 0; swizzle <= 3; swizzle++)
		for (unsigned channels = 1; channels <= 64; channels *= 2) {
			struct tensor_case *made = like(&c, "swizzle", 100L * swizzle + channels);

			made->dims[0] = 64;
			made->swizzle = (CUtensorMapSwizzle)swizzle;
			made->channels = channels;
		}
	for (unsigned count = 0; count <= 2048; count = count ? 2 * count : 1) {
		struct tensor_case *made = like(&c, "count", count);

		made->pixels = count;
		made->channels = 4;
		made->type = U32;
		made = like(made, "more", 1);
		made->pixels = count + 1;
		made->type = F16;
		made->channels = 8;
	}
	for (unsigned interleave = 1; interleave <= 2; interleave++)
		for (unsigned slices = 1; slices <= 2; slices++) {
			struct tensor_case *made =
				like(&c, "interleave", 10L * interleave + slices);

			made->rank = made->instruction_rank = 5;
			made->interleave = (CUtensorMapInterleave)interleave;
			made->channels = interleave == 1 ? 4 : 8;
			made->swizzle = interleave == 1 ? CU_TENSOR_MAP_SWIZZLE_NONE
							: CU_TENSOR_MAP_SWIZZLE_32B;
			made->dims[0] = slices * made->channels;
			made->strides[0] = 4UL * made->channels;
		}
	for (unsigned step = 1; step <= 3; step++) {
		struct tensor_case *made = like(&c, "image-step", step);

		made->steps[3] = step;
		made->pixels = 100;
	}
}

static void add_stored_pixels(void)
{
	struct tensor_case c = pixels("pixels");

	c.action = STORE;
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++)
		for (unsigned k = 0; k < 3; k++) {
			struct tensor_case *made = like(&c, "store", 10L * i + k);

			memcpy(made->at, places[i], sizeof(places[i]));
			made->lower[0] = made->lower[1] = k == 1 ? -1 : 0;
			made->upper[0] = made->upper[1] = k == 2 ? -1 : 0;
		}
}

static void add_im2col(void)
{
	static const int corners[][4] = {{0, 0, 0, 0},	    {-1, -1, -1, -1}, {-1, -1, 1, 1},
					 {0, 0, -2, -2},    {1, 2, -1, -1},   {-3, 0, 2, -1},
					 {2, 2, 2, 2},	    {-8, -8, 7, 7},   {0, 0, -9, 0},
					 {-128, 0, 127, 0}, {-129, 0, 0, 0},  {0, 0, 128, 0}};
	struct tensor_case c = pixels("pixels");

	for (unsigned i = 0; i < sizeof(corners) / sizeof(*corners); i++)
		for (unsigned k = 0; k < 3; k++) {
			struct tensor_case *made = like(&c, "corner", 10L * i + k);

			memcpy(made->lower, corners[i], 2 * sizeof(int));
			memcpy(made->upper, corners[i] + 2, 2 * sizeof(int));
			made->offsets[0] = k == 1 ? 1 : 0;
			made->offsets[1] = k ? 2 : 0;
			made->at[1] = k == 2 ? 4 : corners[i][0];
			made->at[2] = corners[i][1];
			made->pixels = 64;
		}
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++)
		for (unsigned padded = 0; padded < 2; padded++) {
			struct tensor_case *made = like(&c, padded ? "padded" : "place", i);

			memcpy(made->at, places[i], sizeof(places[i]));
			made->lower[0] = made->lower[1] = padded ? -1 : 0;
			made->upper[0] = made->upper[1] = padded ? -1 : 0;
			made->offsets[0] = padded ? 2 : 0;
		}
	for (unsigned step = 1; step <= 4; step++)
		for (unsigned d = 0; d < 4; d++) {
			struct tensor_case *made = like(&c, "step", 10L * d + step);

			made->steps[d] = step;
			made->pixels = 40;
			made = like(made, "moved", 0);
			made->at[1] = 1;
			made->at[2] = 2;
			made->lower[0] = made->lower[1] = -1;
		}
	add_pixel_shapes();
	add_stored_pixels();
	add_offsets();
}

/* Tensors that are larger than their memory. */
static void add_missing(void)
{
	for (unsigned action = LOAD; action <= REDUCE; action++) {
		struct tensor_case c = plane("missing");

		c.action = (enum action)action;
		c.reduction = "add";
		c.dims[1] = 1U << 30;
		c.at[1] = 1 << 29;
		like(&c, "", action);
	}
}

/* Instructions that do not fit to their maps. */
static void add_strangers(void)
{
	struct tensor_case c = plane("stranger");

	like(&c, "zeros", 0)->map_place = OF_ZEROS;
	like(&c, "rank", 3)->instruction_rank = 3;
	like(&c, "rank", 1)->instruction_rank = 1;
	c.rank = c.instruction_rank = 4;
	memcpy(c.dims, (uint32_t[]){24, 9, 7, 3, 2}, sizeof(c.dims));
	memcpy(c.box, (uint32_t[]){8, 2, 2, 2, 1}, sizeof(c.box));
	like(&c, "im2col", 0)->instruction_mode = IM2COL;
	c = pixels("stranger");
	like(&c, "tile", 0)->instruction_mode = TILE;
	c.action = STORE;
	like(&c, "store-tile", 0)->instruction_mode = TILE;
	c.mode = TILE;
	memcpy(c.box, (uint32_t[]){8, 2, 2, 2, 1}, sizeof(c.box));
	like(&c, "store-im2col", 0);
}

static void add_reductions(void)
{
	static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

	for (unsigned type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ; type++)
		for (unsigned r = 0; r < sizeof(names) / sizeof(*names); r++) {
			struct tensor_case c = plane(names[r]);

			c.action = REDUCE;
			c.reduction = names[r];
			c.type = (CUtensorMapDataType)type;
			like(&c, "type", (long)type);
		}
}

static void add_refused(void)
{
	struct tensor_case c = plane("encode");

	c.action = ENCODE;
	for (unsigned offset = 0; offset <= 32; offset += 4)
		like(&c, "offset", offset)->offset = offset;
	for (uint64_t stride = 424; stride <= 440; stride += 4)
		like(&c, "stride", (long)stride)->strides[0] = stride;
	like(&c, "stride", 16)->strides[0] = 16;
	like(&c, "stride-bits", 40)->strides[0] = UINT64_C(1) << 40;
	like(&c, "stride-bits", 39)->strides[0] = (UINT64_C(1) << 40) - 16;
	like(&c, "dim", 0)->dims[1] = 0;
	like(&c, "rank", 0)->rank = 0;
	like(&c, "swizzle", 7)->swizzle = (CUtensorMapSwizzle)7;
	like(&c, "type", 16)->type = (CUtensorMapDataType)16;
	like(&c, "interleave", 3)->interleave = (CUtensorMapInterleave)3;
	like(&c, "fill", 2)->fill = (CUtensorMapFloatOOBfill)2;
}

void tensor_cases_make(void)
{
	add_places();
	add_alignments();
	add_types();
	add_shapes();
	add_interleaved();
	add_im2col();
	add_strangers();
	add_missing();
	add_specials();
	add_reductions();
	add_refused();
}
