/* Texels: from bytes in a texture's format to numbers or words. */
#ifndef EXEC_TEXEL_H
#define EXEC_TEXEL_H

#include "simulator/executor/sample.h"

/* The texel at a place inside the level; false: the launch has failed. */
bool exec_texel_read(const struct exec_fetch *f, unsigned level, const uint32_t at[3],
		     struct exec_texel *out);

/* What is outside of the texture under the address mode `border`. */
void exec_texel_border(const struct exec_texture *t, struct exec_texel *out);

#endif
