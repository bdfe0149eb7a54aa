/* Declared footprints of launches: a declaration with a launch's numbers becomes ranges. */
#pragma once

#include "analyzer/declare/declaration.h"

struct sc_declared_launch {
	const uint32_t *grid, *block; /* of three dimensions */
	const uint8_t *image;	      /* the parameters */
	uint32_t image_bytes;
	const struct sc_param *params; /* their layout; NULL: 8 bytes each */
	uint32_t param_count;
};

typedef SC_VECTOR(struct sc_footprint_range) sc_declared_ranges;

/* Appends the ranges; all are relative to pointer parameters. */
void sc_declared_add(const struct sc_declaration *d, const struct sc_declared_launch *launch,
		     sc_declared_ranges *out);
