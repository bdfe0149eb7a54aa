/* What tests of textures and surfaces share: objects by number, and fetches by each thread. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "simulator/executor/texture/texture.h"
#include "simulator/executor/touched.h"
#include "tests/unit/executor/executor_fixture.h"

#define OBJECTS 4
#define THREADS 32

static struct exec_texture objects[OBJECTS]; /* their handles begin with 1 */

/* What threads read (two words each), and where their results go. */
static struct {
	float in[THREADS][4];
	union {
		float number[4];
		uint32_t word[4];
	} out[THREADS];
} memory;

static const struct exec_texture *object_of(void *device, uint64_t handle)
{
	(void)device;
	return handle && handle <= OBJECTS ? &objects[handle - 1] : NULL;
}

static inline struct device device_with_objects(uint32_t threads)
{
	struct device d = device_with(&memory, sizeof(memory), threads);

	memset(memory.out, 0xA5, sizeof(memory.out));
	d.texture = object_of;
	return d;
}

/* An object of bytes without a gap. */
static inline struct exec_texture object_from(void *bytes, enum exec_channel channel, unsigned bits,
					      unsigned count, uint32_t width, uint32_t height,
					      uint32_t depth)
{
	struct exec_texture t = {.channel = (uint8_t)channel,
				 .channel_bits = (uint8_t)bits,
				 .channel_count = (uint8_t)count,
				 .is_number = channel == EXEC_CHANNEL_FLOAT,
				 .address_mode = {1, 1, 1},
				 .level_count = 1};
	uint64_t row = (uint64_t)width * exec_texel_bytes(&t);

	t.levels[0] = (struct exec_texture_level){.bytes = bytes,
						  .width = width,
						  .height = height,
						  .depth = depth,
						  .row_bytes = row,
						  .slice_bytes = row * height};
	return t;
}

/* Each thread has its four inputs in %f5 … %f8 and %r5 … %r8, and leaves results in %r1 … %r4. %rd1
 * … %rd4 are the handles. */
#define BEFORE                                                                  \
	"mul.wide.u32 %rd5, %r9, 16; add.s64 %rd5, %rd9, %rd5;\n"               \
	"ld.global.v4.f32 {%f5,%f6,%f7,%f8}, [%rd5];\n"                         \
	"ld.global.v4.b32 {%r5,%r6,%r7,%r8}, [%rd5];\n"                         \
	"mov.u64 %rd1, 1; mov.u64 %rd2, 2; mov.u64 %rd3, 3; mov.u64 %rd4, 4;\n" \
	"mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0; mov.b32 %r4, 0;\n"
#define AFTER "st.global.v4.b32 [%rd5+512], {%r1,%r2,%r3,%r4};\n"

static inline void objects_end(struct device *d, const char *body, enum exec_result result)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s\n%s", BEFORE, body, AFTER);
	device_ends(d, text, result);
}

static inline void objects_run(struct device *d, const char *body)
{
	objects_end(d, body, EXEC_DONE);
}

#define FETCHED "{%r1,%r2,%r3,%r4}"
