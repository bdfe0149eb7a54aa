/* Texels: from bytes in a texture's format to numbers or words. */
#pragma once

#include "simulator/executor/texture/texture.h"
#include "simulator/executor/warp.h"

struct exec_texel {
	union {
		float number[4]; /* of a texture whose texels are numbers */
		uint32_t word[4];
	};
};

/* One lane's fetch. */
struct exec_fetch {
	struct exec_warp *w;
	const struct exec_instruction *in;
	unsigned lane;
	const struct exec_texture *texture;
	enum exec_geometry geometry;
	float at[3];
	int32_t texel[3]; /* of exec_sample_texel */
	uint32_t layer;
	float level;
};

/* The texel at a place inside the level; false: the launch has failed. */
bool exec_texel_read(const struct exec_fetch *f, unsigned level, const uint32_t at[3],
		     struct exec_texel *out);

/* What is outside of the texture under the address mode `border`. */
void exec_texel_border(const struct exec_texture *t, struct exec_texel *out);
