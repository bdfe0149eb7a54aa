/* Cases of tensor maps: a map, an instruction, and where the tile lies. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tests/executor/driver.h"

enum action { LOAD, STORE, REDUCE, ENCODE };
enum mode { TILE, IM2COL };
enum map_place { IN_PARAMETER, IN_GLOBAL, OF_ZEROS };

struct tensor_case {
	char name[64];
	enum action action;
	enum mode mode, instruction_mode;
	unsigned rank, instruction_rank;
	CUtensorMapDataType type;
	uint32_t dims[5];
	uint64_t strides[4]; /* bytes; 0: dense, rows to 16 bytes */
	uint64_t offset;     /* bytes, of the tensor's address */
	uint32_t box[5], steps[5];
	int lower[3], upper[3]; /* im2col: corners of the box of pixels */
	uint32_t channels, pixels;
	CUtensorMapInterleave interleave;
	CUtensorMapSwizzle swizzle;
	CUtensorMapFloatOOBfill fill;
	int32_t at[5];
	uint16_t offsets[3];
	uint32_t tile_offset, barrier_offset; /* bytes in shared memory */
	enum map_place map_place;
	uint32_t map_offset;
	const char *reduction;
	int is_special; /* elements are numbers that rounding and flushing change */
};

extern struct tensor_case tensor_cases[];
extern unsigned tensor_case_count;

/* Fills in the cases. */
void tensor_cases_make(void);

size_t tensor_element_bytes(CUtensorMapDataType type);
/* Bytes that its load is expected to pass. */
uint32_t tensor_case_bytes(const struct tensor_case *c);
