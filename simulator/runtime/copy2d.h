/*
 * Copies and fills of rectangles: pitched memory and arrays on either side.
 *
 * Widths are in bytes, as in the public functions; a row wider than a pitch is
 * cudaErrorInvalidPitchValue.
 */
#pragma once

#include "simulator/runtime/copy.h"

/* One side of a rectangle copy: pitched memory, or a position in an array. */
struct rt_plane {
	const void *memory;
	size_t pitch;
	cudaArray_const_t array; /* NULL for memory */
	size_t x_bytes, y;	 /* in the array */
	bool is_array;
};

#define RT_PITCHED(address, row_bytes) \
	((struct rt_plane){.memory = (address), .pitch = (row_bytes)})
#define RT_ARRAY(handle, x, row) \
	((struct rt_plane){.array = (handle), .x_bytes = (x), .y = (row), .is_array = true})

CUresult rt_copy_2d(const struct rt_calls *cu, struct rt_plane to, struct rt_plane from,
		    size_t width, size_t height, enum cudaMemcpyKind kind, struct rt_when when);

/* Copies of a run of bytes to or from an array, continuing from row to row. */
CUresult rt_copy_to_array(const struct rt_calls *cu, struct rt_plane to, const void *from,
			  size_t count, enum cudaMemcpyKind kind, struct rt_when when);
CUresult rt_copy_from_array(const struct rt_calls *cu, void *to, struct rt_plane from, size_t count,
			    enum cudaMemcpyKind kind, struct rt_when when);
CUresult rt_copy_array_to_array(const struct rt_calls *cu, struct rt_plane to, struct rt_plane from,
				size_t count, enum cudaMemcpyKind kind);

CUresult rt_fill_2d(const struct rt_calls *cu, struct rt_plane memory, int value, size_t width,
		    size_t height, struct rt_when when);
CUresult rt_fill_3d(const struct rt_calls *cu, struct cudaPitchedPtr memory, int value,
		    struct cudaExtent extent, struct rt_when when);

/* The driver's memory types of both sides; cudaErrorInvalidMemcpyDirection for a bad kind. */
CUresult rt_copy_types(enum cudaMemcpyKind kind, CUmemorytype *to, CUmemorytype *from);
