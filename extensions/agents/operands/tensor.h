/* Tensors: the bytes of cuDNN's tensors, and which elements a convolution or a pooling uses.
 *
 * Nothing here looks at memory or asks a library. A tensor that makes no sense, whose elements are
 * no whole bytes, or that does not lie in the address space, has no known bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/agents/operands/dnn_vendor.h"
#include "trace/attach.h"

#define SC_TENSOR_DIMENSIONS 8 /* cuDNN has no more */

struct sc_tensor {
	int type; /* cudnnDataType_t */
	int dimensions;
	int64_t size[SC_TENSOR_DIMENSIONS];
	int64_t step[SC_TENSOR_DIMENSIONS]; /* elements from one to the next of this dimension */
};

/* Bytes of an element, 0: not known. */
unsigned sc_tensor_element(int type);
/* Steps of a filter, which has no gaps; false: a layout that is not known. */
bool sc_tensor_pack(struct sc_tensor *t, int format);
/* The bytes from `at` on, EXACT or OVER; false if they are not known. Elements that several places
 * share (a step of 0) are an upper bound. */
bool sc_tensor_bytes(const struct sc_tensor *t, uint64_t at, struct sc_access *out);

/* A window that moves over the last dimensions of a tensor: the filter of a convolution, or what a
 * pooling looks at. Place o of the output and place k of the window meet at place
 * o * stride - padding + k * dilation of the input, if there is one. */
struct sc_moving_window {
	int dimensions;
	int64_t padding[SC_TENSOR_DIMENSIONS], stride[SC_TENSOR_DIMENSIONS],
		dilation[SC_TENSOR_DIMENSIONS];
};

/* The tensors that meet. */
enum sc_window_part { SC_WINDOW_NONE, SC_WINDOW_INPUT, SC_WINDOW_FILTER, SC_WINDOW_OUTPUT };

struct sc_window_sizes {
	int64_t size[SC_WINDOW_OUTPUT + 1][SC_TENSOR_DIMENSIONS]; /* by part */
};

/* Keeps the sizes of a tensor that the window moves over; false if it has too few. */
bool sc_window_set(struct sc_window_sizes *s, const struct sc_moving_window *w,
		   enum sc_window_part part, const struct sc_tensor *t);
/* True if each element of that part surely meets others: it has to be read. */
bool sc_window_uses_all(const struct sc_window_sizes *s, const struct sc_moving_window *w,
			enum sc_window_part part);
