/* Bytes that operands are said to touch, and bytes that a naive form of the operation touches. */
#pragma once

#include <stdint.h>
#include <string.h>
#include "trace/attach.h"

#define PAINT_SPACE 65536

static char space[PAINT_SPACE]; /* operands lie here, and nothing touches them */
static uint8_t touched[PAINT_SPACE], exact[PAINT_SPACE], over[PAINT_SPACE]; /* enum sc_mode */

static void paint_clear(void)
{
	memset(touched, 0, sizeof(touched));
	memset(exact, 0, sizeof(exact));
	memset(over, 0, sizeof(over));
}

static void paint(const struct sc_access *a)
{
	uint8_t *to = a->known == SC_KNOWN_EXACT ? exact : over;
	uint64_t first = a->base - (uint64_t)space;

	for (uint64_t slice = 0; slice < a->slices; slice++)
		for (uint64_t row = 0; row < a->rows; row++)
			for (uint64_t i = 0; i < a->width; i++)
				to[first + slice * a->slice_pitch + row * a->pitch + i] |= a->mode;
}

/* The operation uses element `index` of those of so many bytes that begin at `at`. */
static void touch(const void *at, int64_t index, unsigned element, uint8_t mode)
{
	int64_t first = (const char *)at - space + index * (int64_t)element;

	for (unsigned i = 0; i < element; i++)
		touched[first + i] |= mode;
}

/* What is exact was touched, and what was touched is said; `least` bytes of it exactly. */
static void assert_said(unsigned least)
{
	unsigned known = 0;

	for (unsigned i = 0; i < PAINT_SPACE; i++) {
		known += exact[i] != 0;
		if (exact[i] & ~touched[i])
			fail_msg("byte %u counts as used for certain, and was not", i);
		if (touched[i] & ~(exact[i] | over[i]))
			fail_msg("byte %u was used, and nothing says so", i);
	}
	assert_true(known >= least);
}
