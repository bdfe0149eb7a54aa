/* Texels: from bytes in a texture's format to numbers or words. */
#include "simulator/executor/texture/texel.h"

#include <math.h>

#include "simulator/executor/operation/half.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/texture/object.h"

/* A channel's bits, extended by the sign if it has one. */
static uint32_t channel(const struct exec_texture *t, const unsigned char *texel, unsigned k)
{
	bool is_signed = t->channel == EXEC_CHANNEL_SIGNED;
	uint32_t word;
	uint16_t half;

	switch (t->channel_bits) {
	case 8: return is_signed ? (uint32_t)(int8_t)texel[k] : texel[k];
	case 16:
		memcpy(&half, texel + sizeof(half) * k, sizeof(half));
		return is_signed ? (uint32_t)(int16_t)half : half;
	}
	memcpy(&word, texel + sizeof(word) * k, sizeof(word));
	return word;
}

static float from_srgb(float value)
{
	double v = (double)value;

	return (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
}

/* The fourth channel is no colour. */
static float number(const struct exec_texture *t, uint32_t bits, unsigned k)
{
	double largest;
	float part;

	if (t->channel == EXEC_CHANNEL_FLOAT)
		return t->channel_bits == 16 ? exec_single_of_half((uint16_t)bits)
					     : exec_float_of(bits);
	if (t->channel == EXEC_CHANNEL_SIGNED) {
		largest = (double)((1U << (t->channel_bits - 1)) - 1);
		part = (float)((int32_t)bits / largest);
		return part < -1 ? -1 : part;
	}
	largest = (double)((1U << t->channel_bits) - 1);
	part = (float)(bits / largest);
	return t->is_srgb && t->channel_bits == 8 && k < 3 ? from_srgb(part) : part;
}

/* Channels that the format lacks are zeros, the fourth one too (an H200). */
static void decode(const struct exec_texture *t, const unsigned char *texel, struct exec_texel *out)
{
	*out = (struct exec_texel){0};
	for (unsigned k = 0; k < t->channel_count; k++) {
		uint32_t bits = channel(t, texel, k);

		if (t->is_number)
			out->number[k] = number(t, bits, k);
		else
			out->word[k] = bits;
	}
}

bool exec_texel_read(const struct exec_fetch *f, unsigned level, const uint32_t at[3],
		     struct exec_texel *out)
{
	const struct exec_texture_level *l = &f->texture->levels[level];
	unsigned bytes = exec_texel_bytes(f->texture);
	uint64_t offset = at[2] * l->slice_bytes + at[1] * l->row_bytes + (uint64_t)at[0] * bytes;
	const char *from;
	char texel[EXEC_TEXEL_BYTES];

	if (l->bytes) {
		exec_object_note(f->w, l, offset, bytes, EXEC_READ);
		from = l->bytes + offset;
	} else {
		from = exec_memory_texel(f->w, f->in, f->lane, l->address + offset, bytes, texel);
	}
	if (!from)
		return 0;
	decode(f->texture, (const unsigned char *)from, out);
	return 1;
}

/* Where texels are integers a border's colour has the lowest bits of the floating-point number. */
void exec_texel_border(const struct exec_texture *t, struct exec_texel *out)
{
	unsigned char texel[EXEC_TEXEL_BYTES];

	*out = (struct exec_texel){0};
	for (unsigned k = 0; k < t->channel_count; k++) {
		memcpy(texel + (size_t)k * t->channel_bits / 8, &t->border[k], t->channel_bits / 8);
		if (t->is_number)
			out->number[k] = t->border[k];
		else
			out->word[k] = channel(t, texel, k);
	}
}
